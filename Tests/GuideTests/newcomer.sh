#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A newcomer's path, with nothing built and nothing in a cache, and the seconds that it takes:
#
#   facts      from git clone to the end of the README's first command, which prints facts
#   tests      the README's second command, in the same clone
#   example    from an empty folder to the output of the README's example, in a package of its own
#
# The commands, the example and the lines of its manifest are read from README.md, so that they are
# the ones that users type. .ci/run --from-source runs this script.
set -euo pipefail
cd "$(dirname "$0")/../.."
unset STRATA_TOOLCHAIN_SWIFTSYNTAX
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder/cache

fail() { echo "$*" >&2; exit 1; }

# run FOLDER COMMAND
run() {
  local command=$2
  if [ "$(id -u)" != 0 ]; then command=${command//apt-get/sudo apt-get}; fi
  echo "\$ $command"
  (cd "$1" && bash -euo pipefail -c "$command" </dev/null)
}

times=()
start=$SECONDS
# finished STEP: notes the seconds since the step before
finished() {
  times+=("$(printf '%-8s %5d s' "$1" $((SECONDS - start)))")
  start=$SECONDS
}

# README's name for the folder of the clone.
clone=$folder/strata
git clone -q . "$clone"
mapfile -t commands < <(
  sed -n '/^apt-get update .*swift run quickstart$/p; /^swift test$/p' "$clone/README.md")
[ ${#commands[@]} = 2 ] || fail "the README has ${#commands[@]} of the two commands"
run "$clone" "${commands[0]}"
finished facts
run "$clone" "${commands[1]}"
finished tests

# line START: the line of the README that begins so, without its remark
line() {
  local found
  found=$(grep -F "$1" "$clone/README.md" | grep "^$1.*//" | sed 's, *//.*,,')
  [ "$(wc -l <<< "$found")" = 1 ] && [ -n "$found" ] || fail "the README has no one line $1"
  echo "$found"
}
package=$(line '.package(name: "strata"')
product=$(line '.product(name: "Strata"')
mkdir -p "$folder/example/Sources/Example"
cat > "$folder/example/Package.swift" <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Example",
  platforms: [.macOS(.v15)],
  dependencies: [$package],
  targets: [.executableTarget(name: "Example", dependencies: [$product])]
)
MANIFEST
awk '
  /^<!-- Tests\/ClientPackage\/Sources\/Client\/main.swift -->$/ { found = 1 }
  inside && /^```$/ { exit }
  inside
  found && /^```swift$/ { inside = 1 }' "$clone/README.md" \
  > "$folder/example/Sources/Example/main.swift"
[ -s "$folder/example/Sources/Example/main.swift" ] || fail "the README has no example"
run "$folder/example" "swift run Example" | tee "$folder/output"
# Before the output stands the command.
sed 1d "$folder/output" | diff "$clone/Tests/ClientPackage/expected.txt" - ||
  fail "the README's example printed something else"
finished example

echo
printf '%s\n' "${times[@]}"
