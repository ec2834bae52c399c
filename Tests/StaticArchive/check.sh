#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Links a program with an archive of Strata's object files, as Bazel and CMake do, and without
# --whole-archive: the linker takes only the files that something refers to. The program must find
# the same as ever. No conformance that is looked up at run time may be lost in a file that was left.
#
#   Tests/StaticArchive/check.sh [options of swift build]
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# The quickstart's link has the list of all object files.
swift build "$@" --product quickstart >&2
folder=$(swift build "$@" --product quickstart --show-bin-path)
grep -v /quickstart.build/ "$folder/quickstart.product/Objects.LinkFileList" \
  > "$temporary/objects"

archive() { (cd "$temporary" && xargs ar qcs libStrata.a < objects); }

program() {
  local maps=() map
  for map in "$folder"/C{GuardedLMDB,Strata}.build/module.modulemap \
    "$root/Sources/CStrataLMDB/module.modulemap"; do
    maps+=(-Xcc "-fmodule-map-file=$map")
  done
  swiftc -swift-version 6 -module-name Program -I "$folder/Modules" "${maps[@]}" \
    Tests/StaticArchive/main.swift -L "$temporary" -lStrata -llmdb -o "$temporary/program"
}

# names WHAT: the symbols of a file in words, of which the first ones are "WHAT for "
names() { nm --defined-only "$2" 2>"$temporary/remarks" | swift demangle | sed -n "s/^.* $1 for //p" | sort -u; }

for command in ar nm; do
  command -v $command >/dev/null || { echo "no $command here: install binutils" >&2; exit 1; }
done
archive
program
SWIFT_BACKTRACE=enable=no "$temporary/program" "$temporary/cities.strata" > "$temporary/output"
diff Tests/StaticArchive/expected.txt "$temporary/output" >&2 ||
  { echo "linked with an archive, the program printed something else" >&2; exit 1; }

# Conformances of the archive that the program does not have, of types that it has. Those of
# Foundation's types are in the archive because the translation of predicates finds them.
found='CustomReflectable|CustomStringConvertible|ExplainedError|LocalizedError|TranslatableExpression'
names 'protocol conformance descriptor' "$temporary/libStrata.a" > "$temporary/all"
names 'protocol conformance descriptor' "$temporary/program" > "$temporary/linked"
names 'nominal type descriptor' "$temporary/program" > "$temporary/types"
for list in all linked types; do
  [ -s "$temporary/$list" ] || { echo "nm found nothing for the list $list" >&2; exit 1; }
done
comm -23 "$temporary/all" "$temporary/linked" | { grep -E " : [^ ]*\.($found) in " || true; } |
  awk -v types="$temporary/types" '
    BEGIN { while ((getline name < types) > 0) known[name] = 1 }
    { type = $0; sub(/ : .*/, "", type); sub(/^<[^>]*> /, "", type); sub(/<.*/, "", type) }
    type in known || type ~ /^Foundation/ { print }' > "$temporary/lost"
if [ -s "$temporary/lost" ]; then
  cat "$temporary/lost" >&2
  echo "these conformances are lost: declare each in a file that is always linked" >&2
  exit 1
fi
echo "a program that is linked with an archive finds what it should"
