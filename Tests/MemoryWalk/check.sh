#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A walk over 1,000,000 objects and their to-one targets with a cache of 32 MB: resident memory grows
# by less than 150 MB at its peak, pages of the store's file included. Prints the growth of each kind
# of walk, each in a process of its own, and fails above that. A walk over the rows alone, without
# objects, adds less than 20 MB to the process's own memory.
# Options go to swift build: Tests/MemoryWalk/check.sh --scratch-path .build-memory
set -eu
cd "$(dirname "$0")/../.."
[ -r /proc/self/status ] || { echo "this system does not say what is resident"; exit 0; }
swift build -c release --product MemoryWalk "$@"
program="$(swift build -c release --product MemoryWalk "$@" --show-bin-path)/MemoryWalk"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" "$folder/people.strata" fill
failed=0
for kind in ids held fetched rows; do
  "$program" "$folder/people.strata" $kind | awk '{
    mega = 1024 * 1024
    printf "%-8s peak growth %6.1f MB, of it %6.1f MB the process'\''s own; limit 150; %d held\n",
      $1, $2 / mega, $3 / mega, $4
    exit !($2 < 150 * mega && ($1 != "rows" || $3 < 20 * mega)) }' || failed=1
done
exit $failed
