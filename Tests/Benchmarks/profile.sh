#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Where the instructions of a workload go: callgrind, all threads, the measured work alone.
#
#   Tests/Benchmarks/profile.sh WORKLOAD [PEER] [SCALE] [options of swift build]
#
# Prints instructions per object of the scale, and the functions that take the most. Counts leave out
# what the kernel does, and how long memory takes: they say what could be left out, not how long it
# takes. The peer is strata and the scale 20,000 if they are not named.
set -eu
cd "$(dirname "$0")"
[ $# -ge 1 ] || { sed -n '4,10p' profile.sh >&2; exit 2; }
workload=$1; shift
peer=strata; scale=20000
case ${1-} in lmdb | sqlite | grdb | strata) peer=$1; shift ;; esac
case ${1-} in [0-9]*) scale=$1; shift ;; esac
swift build -c release --product benchmarks "$@" >&2
built="$(swift build -c release --product benchmarks "$@" --show-bin-path)/benchmarks"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
objcopy --strip-debug "$built" "$folder/benchmarks" # valgrind cannot read Swift's debug information
export SWIFT_DETERMINISTIC_HASHING=1
valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$folder/out" \
  "$folder/benchmarks" --scale "$scale" --peers "$peer" --rounds 1 --workloads "$workload" \
  --folder "$folder" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
callgrind_annotate --threshold=100 "$folder/out" | swift demangle --simplified >"$folder/functions"
awk -v scale="$scale" -v what="$workload by $peer" '
  function plain(text) { gsub(/,/, "", text); return text + 0 }
  /PROGRAM TOTALS/ {
    total = plain($1)
    printf "%s: %d instructions per object of %d\n", what, total / scale, scale
    next
  }
  total && /^ *[0-9,]+ \( *[0-9.]+%\)/ && shown < 25 {
    count = plain($1)
    name = $0
    sub(/^ *[0-9,]+ \( *[0-9.]+%\) +/, "", name)
    sub(/^[^:]*:/, "", name)
    sub(/ \[[^]]*\]$/, "", name)
    printf "%5.1f %%  %7d  %s\n", 100 * count / total, count / scale, substr(name, 1, 120)
    shown++
  }' "$folder/functions"
