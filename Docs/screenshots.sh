#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes Docs/browse.png: the quickstart's store in `strata browse`.
#
#   Docs/screenshots.sh [options of swift build]
#
# It needs Chromium and Python: apt-get install chromium python3
set -euo pipefail
cd "$(dirname "$0")/.."

for product in strata quickstart; do swift build "$@" --product "$product" >&2; done
folder=$(swift build "$@" --show-bin-path)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
"$folder/quickstart" --store "$temporary/cities.strata" >/dev/null

PYTHONPATH=Tests/BrowserPages PYTHONDONTWRITEBYTECODE=1 \
  python3 - "$folder/strata" "$temporary/cities.strata" <<'PYTHON'
import subprocess
import sys
import urllib.parse

from chromium import Chromium

program, store = sys.argv[1:]
browse = subprocess.Popen([program, "browse", store], stdout=subprocess.PIPE, text=True)
try:
    address = browse.stdout.readline().strip()
    query = urllib.parse.urlencode({
        "where": "country.name = 'Japan' AND population > 500000", "sort": "-population",
        "size": "12", "plan": "1"})
    with Chromium(width=1240, height=840) as page:
        page.open(address)
        page.open(f"{address.split('/?')[0]}/entity/City?{query}")
        page.screenshot("Docs/browse.png")
finally:
    browse.terminate()
    browse.wait()
PYTHON
