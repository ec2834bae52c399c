#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# StrataLMDB costs what C costs: instructions (callgrind) of a lookup within 5 % of C, of a cursor
# step within 15 %, across the module boundary. Prints both and fails above that.
# Options go to swift build: Tests/LMDBCost/check.sh --scratch-path .build-cost
set -eu
cd "$(dirname "$0")/../.."
swift build -c release --product LMDBCost "$@"
built="$(swift build -c release --product LMDBCost "$@" --show-bin-path)/LMDBCost"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
probe="$folder/LMDBCost"
strip -o "$probe" "$built" # valgrind cannot read Swift's debug information
"$probe" "$folder/cost" fill 0

instructions() { # mode count
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$probe" "$folder/cost" "$1" "$2" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# per_operation mode count operations: what the loop adds to a run of none, in instructions
per_operation() {
  none=$(instructions "$1" 0)
  some=$(instructions "$1" "$2")
  echo "$some $none $3" | awk '{ printf "%.1f", ($1 - $2) / $3 }'
}

failed=0
compare() { # what c swift limit
  echo "$2 $3 $4" | awk -v what="$1" '{
    ratio = $2 / $1
    printf "%-12s C %7.1f  Swift %7.1f  ratio %.3f  limit %.2f\n", what, $1, $2, ratio, $3
    exit !(ratio <= $3) }' || failed=1
}

for mode in get walk; do # the same sums, so the same work
  [ "$("$probe" "$folder/cost" c-$mode 5)" = "$("$probe" "$folder/cost" swift-$mode 5)" ] || {
    echo "C and Swift read different things ($mode)"; exit 1; }
done
compare "get" "$(per_operation c-get 200000 200000)" "$(per_operation swift-get 200000 200000)" 1.05
compare "cursor step" "$(per_operation c-walk 10 1000000)" "$(per_operation swift-walk 10 1000000)" 1.15
exit $failed
