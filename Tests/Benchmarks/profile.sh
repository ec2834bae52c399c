#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Where the instructions of a workload go: callgrind, all threads, the measured work alone.
#
#   Tests/Benchmarks/profile.sh FIGURE [PEER] [SCALE] [options of swift build]
#
# Prints instructions per operation of the figure (W1, S2/unsynced), by kind, and the functions that
# take the most. Counts leave out what the kernel does, and how long memory takes: they say what could
# be left out, not how long it takes. Work in a process of its own is not counted. The peer is strata
# and the scale 20,000 if they are not named.
set -eu
cd "$(dirname "$0")"
[ $# -ge 1 ] || { sed -n '4,11p' profile.sh >&2; exit 2; }
figure=$1; shift
peer=strata; scale=20000
case ${1-} in lmdb | sqlite | grdb | grdb-cached | strata) peer=$1; shift ;; esac
case ${1-} in [0-9]*) scale=$1; shift ;; esac
swift build -c release --product benchmarks "$@" >&2
built="$(swift build -c release --product benchmarks "$@" --show-bin-path)/benchmarks"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
objcopy --strip-debug "$built" "$folder/benchmarks" # valgrind cannot read Swift's debug information
export SWIFT_DETERMINISTIC_HASHING=1
valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$folder/out" \
  "$folder/benchmarks" --scale "$scale" --peers "$peer" --rounds 1 --workloads "$figure" \
  --count "$figure" \
  --folder "$folder" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
operations=$(sed -n "s|^counted $figure: \([0-9]*\) operations|\1|p" "$folder/log" |
  awk '{ sum += $1 } END { print sum + 0 }')
[ "$operations" -gt 0 ] || { echo "profile.sh: nothing was counted for $figure" >&2; exit 1; }
callgrind_annotate --threshold=100 "$folder/out" | swift demangle --simplified >"$folder/functions"
awk -v scale="$operations" -v n="$scale" -v what="$figure by $peer" '
  function plain(text) { gsub(/,/, "", text); return text + 0 }
  function kind(name) {
    if (name ~ /liblmdb/) return "LMDB"
    if (name ~ /:(bool swift::RefCounts|_?swift_(retain|release|bridgeObject|unknownObject|weak|unowned|isUnique))/)
      return "counting references"
    if (name ~ /:(_int_)?(malloc|free|calloc|realloc|cfree|posix_memalign|unlink_chunk|malloc_consolidate)/ ||
        name ~ /:swift_(slow)?(A|a|D|d)(lloc|ealloc)/)
      return "allocating"
    if (name ~ /:.*mem(cpy|cmp|move|set|chr)/) return "moving, comparing and clearing bytes"
    if (name ~ /:swift_(begin|end)Access|AccessSet/) return "checks of exclusive access"
    if (name ~ /:mix /) return "checksums"
    if (name ~ /UTF8|String|_StringGuts/) return "text"
    if (name ~ /libswift|libFoundation/) return "the rest of the Swift runtime and its libraries"
    if (name ~ /lib(c|pthread|m)\.so|ld-linux/) return "the rest of the C library"
    return "everything else: Strata, and the workload itself"
  }
  /PROGRAM TOTALS/ {
    total = plain($1)
    printf "%s: %d instructions per operation, N = %d\n", what, total / scale, n
    next
  }
  total && /^ *[0-9,]+ \( *[0-9.]+%\)/ {
    count = plain($1)
    name = $0
    sub(/^ *[0-9,]+ \( *[0-9.]+%\) +/, "", name)
    groups[kind(name)] += count
    if (++shown > 25) next
    sub(/^[^:]*:/, "", name)
    sub(/ \[[^]]*\]$/, "", name)
    functions[shown] = sprintf("%5.1f %%  %7d  %s", 100 * count / total, count / scale, substr(name, 1, 120))
  }
  END {
    for (group in groups)
      printf "%5.1f %%  %7d  %s\n", 100 * groups[group] / total, groups[group] / scale, group | "sort -rn"
    close("sort -rn")
    print ""
    for (index_ = 1; index_ <= 25 && index_ in functions; index_++) print functions[index_]
  }' "$folder/functions"
