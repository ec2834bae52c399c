#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Nothing grows dearer by being done often: the instructions (callgrind) of 500 rounds at the beginning
# of each repeated path, beside those of 500 rounds after 4,000 others. Prints both, and fails if the
# later ones take 10 % more. A commit with a history is counted after 100,000 others, too.
#
#   Tests/HotPaths/growth.sh [options of swift build]
#
# Rounds that grow linearly by one instruction each are found: an early round takes some 50,000.
set -eu
cd "$(dirname "$0")/../.."
. Tests/HotPaths/counting.sh

failed=0
compare() { # path instructions at first, later
  [ "$2" -gt 0 ] || { echo "$1 does nothing" >&2; exit 1; }
  verdict=ok
  if [ $(($3 * 10)) -gt $(($2 * 11)) ]; then verdict=GROWS failed=1; fi
  printf '%-24s %8d instructions at first, %8d later  %s\n' "$1" "$2" "$3" "$verdict"
}

"$program" repeated >"$folder/paths"
while read -r path; do
  # The first rounds fill caches and pools.
  early=$(( ($(instructions "$path" 1000) - $(instructions "$path" 500)) / 500 ))
  late=$(( ($(instructions "$path" 4500) - $(instructions "$path" 4000)) / 500 ))
  compare "$path" "$early" "$late"
done <"$folder/paths"

# The earlier commits are made without valgrind.
path=commit-with-long-history
for count in 0 100000; do
  "$program" "$folder/after-$count" $path $count >/dev/null
  cost=$(( $(instructions $path 1000 "$folder/after-$count") -
    $(instructions $path 500 "$folder/after-$count") ))
  [ $count != 0 ] || early=$((cost / 500))
done
compare $path "$early" $((cost / 500))
exit $failed
