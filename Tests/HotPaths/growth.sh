#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Nothing grows dearer by being done often: the instructions (callgrind) of 500 rounds at the beginning
# of each repeated path, beside those of 500 rounds after 4,000 others. Prints both, and fails if the
# later ones take 10 % more.
#
#   Tests/HotPaths/growth.sh [options of swift build]
#
# Rounds that grow linearly by one instruction each are found: an early round takes some 50,000.
set -eu
cd "$(dirname "$0")/../.."
. Tests/HotPaths/counting.sh

failed=0
"$program" repeated >"$folder/paths"
while read -r path; do
  # The first rounds fill caches and pools.
  early=$(( ($(instructions "$path" 1000) - $(instructions "$path" 500)) / 500 ))
  late=$(( ($(instructions "$path" 4500) - $(instructions "$path" 4000)) / 500 ))
  [ "$early" -gt 0 ] || { echo "$path does nothing" >&2; exit 1; }
  verdict=ok
  if [ $((late * 10)) -gt $((early * 11)) ]; then verdict=GROWS failed=1; fi
  printf '%-18s %8d instructions at first, %8d later  %s\n' "$path" "$early" "$late" "$verdict"
done <"$folder/paths"
exit $failed
