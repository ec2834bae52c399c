#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the examples and uses them, each as its user would. Docs/Examples.md has the results.
#
# usage: Tests/Examples/check.sh [--quick]
#
# Without --quick, GazetteerService answers 50,000 requests and is killed 10 times.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
kind=${STRATA_TOOLCHAIN_SWIFTSYNTAX:+-toolchain} # two kinds of build in one folder fail
requests=50000 kills=10
case "${1:-}" in
  --quick) requests=10000 kills=2 ;;
  '') ;;
  *) sed -n 6,8p "$0" >&2; exit 2 ;;
esac

# build PACKAGE PROGRAM…: builds programs, optimised, and sets `programs` to their folder. Each package
# has a build folder of its own: in a common one, they would build Strata again in turns.
build() {
  folder=$root/.build-examples$kind/$1 package=$1
  shift
  for program in "$@"; do
    swift build --package-path "$package" --scratch-path "$folder" -c release --product "$program"
  done
  programs=$(swift build --package-path "$package" --scratch-path "$folder" -c release --show-bin-path)
}

build ThreeDesigns ThreeDesigns
"$programs/ThreeDesigns" >"$folder/output"
cat "$folder/output"
count=$(grep -c ': 34006 cities shown, 34006 on the disk; Shanghai (China), ' "$folder/output")
[ "$count" = 3 ] || { echo "ThreeDesigns: $count of 3 designs are right" >&2; exit 1; }

build GazetteerService GazetteerService GazetteerLoad
"$programs/GazetteerLoad" "$programs/GazetteerService" \
  "$root/Sources/quickstart/Resources/geonames" $requests $kills

build TownWatch TownWatch TownEdit
PYTHONDONTWRITEBYTECODE=1 python3 TownWatch/check.py "$programs"
