#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the README promises a newcomer: its example builds in a package of somebody else's, with
# macros and, written by hand, without; it prints what it should; its tests use StrataTesting; and it
# resolves no package but swift-syntax. .ci/check-code-blocks compares the example with the README's, word for word.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
kind=${STRATA_TOOLCHAIN_SWIFTSYNTAX:+-toolchain} # two kinds of build in one folder fail
TMPDIR=$(mktemp -d) # where the example puts its store
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# check package product scratch: builds and runs it, and holds its output against expected.txt
check() {
  swift build --package-path "$1" --scratch-path "$3" --product "$2"
  "$(swift build --package-path "$1" --scratch-path "$3" --show-bin-path)/$2" > "$TMPDIR/output"
  diff expected.txt "$TMPDIR/output" || { echo "$2 printed something else" >&2; exit 1; }
}

check . Client "$root/.build-client$kind"
swift test --package-path . --scratch-path "$root/.build-client$kind"

# A file that is added to a program makes a new plan of its build. If the plan named Strata's options
# in another order, Strata would be compiled again.
for plan in 1 2 3 4 5 6 7 8 9 10; do
  rm -f "$root/.build-client$kind/debug.yaml"
  env -u SWIFT_DETERMINISTIC_HASHING swift build --package-path . \
    --scratch-path "$root/.build-client$kind" --product Client
  sort "$root/.build-client$kind/debug.yaml" > "$TMPDIR/plan"
  [ $plan != 1 ] || cp "$TMPDIR/plan" "$TMPDIR/first"
  diff "$TMPDIR/first" "$TMPDIR/plan" >/dev/null || {
    echo "two plans of one program differ, so Strata would be compiled again" >&2
    exit 1
  }
done
check ByHand ByHand "$root/.build-client-byhand$kind"
[ ! -e "$root/.build-client-byhand$kind/checkouts/swift-syntax" ] || {
  echo "without the trait Macros nobody should pay for swift-syntax" >&2
  exit 1
}

# The command-line tool needs a parser of arguments, and StrataObservability needs swift-log,
# swift-metrics and swift-distributed-tracing. A program that uses the library needs none of them.
for folder in "$root/.build-client$kind" "$root/.build-client-byhand$kind"; do
  [ ! -e "$folder/checkouts/swift-argument-parser" ] || {
    echo "a program that uses the library alone should not pay for the tool" >&2
    exit 1
  }
  for package in "$folder"/checkouts/*; do
    case "$package" in
      */swift-syntax | */'*') ;;
      *) echo "a client resolves ${package##*/}" >&2; exit 1 ;;
    esac
  done
done

echo "the README's example builds, runs and prints what it should"
