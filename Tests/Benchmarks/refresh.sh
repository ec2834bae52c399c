#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Measures everything anew, at N = 20,000 and 100,000, and writes the tables and the picture of
# Docs/Benchmarks.md. It takes about an hour.
#
#   Tests/Benchmarks/refresh.sh [options of swift build]
#
# The files of figures and the counted instructions stay in .build/figures.
set -eu
cd "$(dirname "$0")"
figures=.build/figures
mkdir -p $figures
swift build -c debug --product benchmarks "$@" # D compares the two builds
swift build -c release --product benchmarks "$@"
built="$(swift build -c release --product benchmarks "$@" --show-bin-path)/benchmarks"
for scale in 20000 100000; do
  "$built" --scale $scale --json $figures/$scale.json | tee $figures/$scale.md
done
for figure in W1 W8 W8i W10 S1 S2/unsynced; do
  for peer in lmdb strata; do
    [ $figure$peer != S1lmdb ] || continue # it has no nested contexts
    ./profile.sh $figure $peer 20000 "$@" | sed -n "1s|.*: \([0-9]*\) instr.*|$figure $peer 20000 \1|p"
  done
done >$figures/instructions.txt
"$built" document --document ../../Docs/Benchmarks.md --instructions $figures/instructions.txt \
  $figures/20000.json $figures/100000.json
"$built" plot --output ../../Docs/benchmarks.svg $figures/100000.json
