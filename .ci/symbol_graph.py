# SPDX-License-Identifier: Apache-2.0
"""The public symbols of modules in a build folder, .build-toolchain: `.ci/run build` makes it."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARED = ["-skip-synthesized-members"]


def write(modules, folder, options, tool="swift-symbolgraph-extract", built=".build-toolchain"):
    """Writes the modules' symbol graphs to the folder."""
    build = ROOT / built / "debug"
    info = subprocess.run(
        ["swiftc", "-print-target-info"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    # The modules name the C modules that they import internally.
    names = [source.name for source in ROOT.glob("Sources/C*")]
    places = [build / f"{name}.build" for name in names]
    places += [ROOT / "Sources" / name for name in names]
    files = [file for place in places if (file := place / "module.modulemap").exists()]
    maps = [word for file in files for word in ("-Xcc", f"-fmodule-map-file={file}")]
    for module in modules:
        subprocess.run(
            [
                tool, "-module-name", module, "-target", json.loads(info)["target"]["triple"],
                "-minimum-access-level", "public", *options,
                "-output-dir", str(folder), "-I", str(build / "Modules"), *maps,
            ],
            check=True, cwd=ROOT,
        )


def declared(modules, folder, **options):
    """Reads the symbols that the modules declare; the folder has the graphs afterwards."""
    write(modules, folder, DECLARED, **options)
    for file in sorted(folder.iterdir()):
        with open(file, encoding="utf-8") as opened:
            yield json.load(opened)
