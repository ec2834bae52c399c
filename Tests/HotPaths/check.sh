#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No hot path grows by more than 5 %: instructions (callgrind) of each path, optimised, held against
# the record in Tests/HotPaths/instructions.txt. Prints both and fails above that. It fails 5 % below, too:
# a record that is too high would let a path grow back up to it unseen.
#
#   Tests/HotPaths/check.sh [--record] [options of swift build]
#
# --record writes the record anew. A change that makes a path dearer on purpose changes the record in
# the same commit and says why. Counts are those of x86-64 under valgrind, of one toolchain.
set -eu
cd "$(dirname "$0")/../.."
record=0
if [ "${1-}" = --record ]; then record=1; shift; fi
. Tests/HotPaths/counting.sh

"$program" >"$folder/paths"
while read -r path rounds operations; do
  some=$(instructions "$path" "$rounds")
  none=$(instructions "$path" 0)
  [ "$some" -gt "$none" ] || { echo "$path does nothing" >&2; exit 1; }
  echo "$path $(( (some - none) / operations ))"
done <"$folder/paths" >"$folder/measured"

if [ $record = 1 ]; then
  cp "$folder/measured" Tests/HotPaths/instructions.txt
  cat Tests/HotPaths/instructions.txt
  exit 0
fi
awk '
  FILENAME == ARGV[1] { recorded[$1] = $2; next }
  {
    known = recorded[$1] > 0
    growth = known ? 100 * ($2 / recorded[$1] - 1) : 0
    verdict = !known ? "NO RECORD" : growth > 5 ? "GREW" : growth < -5 ? "SHRANK: record it" : "ok"
    printf "%-14s %8d instructions, recorded %8d, %+6.1f %%  %s\n", $1, $2, recorded[$1], growth, verdict
    if (verdict != "ok") failed = 1
    seen[$1] = 1
  }
  END {
    for (path in recorded) if (!(path in seen)) { print path " is no path any more"; failed = 1 }
    exit failed
  }' Tests/HotPaths/instructions.txt "$folder/measured"
