#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Nothing grows dearer by being done often: does each operation of Soak alone, 5,000 rounds of it, and
# holds the instructions (callgrind) of the last 500 against those of 500 at the beginning. Prints both,
# and fails if the last ones take 10 % more. A commit with a history is counted after 100,000 others,
# too, and the undoing of one of 4,000 groups. Then Soak does all operations in turn, and compares
# memory and files.
#
#   Tests/HotPaths/growth.sh [options of swift build]
#
# Rounds that grow linearly by one instruction each are found: an early round takes some 50,000.
set -eu
cd "$(dirname "$0")/../.."
. Tests/HotPaths/counting.sh
build Soak "$@"
soak="$folder/Soak"

failed=0
compare() { # path instructions at first, later
  [ "${2:-0}" -gt 0 ] && [ "${3:-0}" -gt 0 ] || { echo "$1 does nothing" >&2; exit 1; }
  verdict=ok
  if [ $(($3 * 10)) -gt $(($2 * 11)) ]; then verdict=GREW failed=1; fi
  printf '%-36s %9d instructions a round at first, %9d later  %s\n' "$1" "$2" "$3" "$verdict"
}

# The instructions of a round, from a file of callgrind's.
counted() { awk '/^totals: / { printf "%d", $2 / 500 }' "$1"; }

# The first 500 rounds fill caches and pools. Only what is counted is slow. As many operations as there
# are cores run at the same time: instructions do not depend on it.
"$soak" operations >"$folder/operations"
cores=$(getconf _NPROCESSORS_ONLN)
number=0
while IFS= read -r operation; do
  number=$((number + 1))
  mkdir "$folder/world-$number"
  {
    valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$folder/counts-$number" \
      "$soak" "$folder/world-$number" 5000 "$operation" >"$folder/log-$number" 2>&1 </dev/null ||
      rm -f "$folder/counts-$number.2"
  } &
  [ $((number % cores)) != 0 ] || wait
done <"$folder/operations"
wait
number=0
while IFS= read -r operation; do
  number=$((number + 1))
  [ -f "$folder/counts-$number.2" ] || { cat "$folder/log-$number" >&2; exit 1; }
  compare "$operation" "$(counted "$folder/counts-$number.1")" "$(counted "$folder/counts-$number.2")"
done <"$folder/operations"

# The earlier commits are made without valgrind.
path=commit-with-long-history
for count in 0 100000; do
  "$program" "$folder/after-$count" $path $count >/dev/null
  cost=$(( $(instructions $path 1000 "$folder/after-$count") -
    $(instructions $path 500 "$folder/after-$count") ))
  [ $count != 0 ] || early=$((cost / 500))
done
compare $path "$early" $((cost / 500))

# A group that is undone costs the same, however many there are.
path=undo-of-many
for count in 500 4000; do
  cost=$(($(instructions $path $((count + 500))) - $(instructions $path $count)))
  [ $count != 500 ] || early=$((cost / 500))
done
compare $path "$early" $((cost / 500))

mkdir "$folder/all"
"$soak" "$folder/all" 3000 || failed=1
exit $failed
