#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A batch that inserts 1,000,000 objects in one transaction: resident memory grows by less than 400 MB
# at its peak, pages of the store's file included. A walk over 1,000,000 objects and their to-one
# targets with a cache of 32 MB: resident memory grows by less than 150 MB. Prints the growth of each
# kind of walk, each in a process of its own, and fails above that. For a walk over the rows alone,
# without objects, the limit is 20 MB.
#
# In a store with a history: the same batch, and one that deletes the objects, each of which leaves its
# name, grow by less than 400 MB. A consumer that is 1,000,000 changes behind catches up with less than
# 100 MB.
# With KINDS=transactions in the environment, a batch inserts 10,000,000 objects and commits after every
# 100,000 instead: resident memory grows by less than 200 MB, pages of the store's file included.
# Options go to swift build: Tests/MemoryWalk/check.sh --scratch-path .build-memory
set -eu
cd "$(dirname "$0")/../.."
[ -r /proc/self/status ] || { echo "this system does not say what is resident"; exit 0; }
swift build -c release --product MemoryWalk "$@"
program="$(swift build -c release --product MemoryWalk "$@" --show-bin-path)/MemoryWalk"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for kind in ${KINDS:-insert ids held fetched rows record behind delete behind}; do
  limit=150 store=people
  [ $kind != rows ] || limit=20
  [ $kind != insert ] || limit=400
  [ $kind != transactions ] || limit=200
  case $kind in
  record | delete) limit=400 store=history ;;
  behind) limit=100 store=history ;;
  esac
  "$program" "$folder/$store.strata" $kind | awk -v limit=$limit '{
    mega = 1024 * 1024
    printf "%-8s peak growth %6.1f MB, of it %6.1f MB the process'\''s own; limit %d; %d held or changed\n",
      $1, $2 / mega, $3 / mega, limit, $4
    exit !($2 < limit * mega) }' || failed=1
done
exit $failed
