#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Uses the pages of `strata browse` in a headless Chromium, over the quickstart's store.
#
#   Tests/BrowserPages/check.sh [options of swift build]
#
# It needs Chromium and Python: apt-get install chromium python3
set -euo pipefail
cd "$(dirname "$0")/../.."

for product in strata quickstart CrashWriter; do swift build "$@" --product "$product" >&2; done
folder=$(swift build "$@" --show-bin-path)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
"$folder/quickstart" --store "$temporary/cities.strata" >/dev/null
PYTHONDONTWRITEBYTECODE=1 python3 Tests/BrowserPages/check.py "$folder" "$temporary/cities.strata"
