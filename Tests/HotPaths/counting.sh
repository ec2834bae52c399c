# SPDX-License-Identifier: Apache-2.0
#
# Counts the instructions of a path, for the checks beside it, which are in the package's folder and
# whose arguments are options of swift build. Builds the program, and makes a folder that goes with the
# check.
swift build -c release --product HotPaths "$@"
built="$(swift build -c release --product HotPaths "$@" --show-bin-path)/HotPaths"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program="$folder/HotPaths"
strip -o "$program" "$built" # valgrind cannot read Swift's debug information
export SWIFT_DETERMINISTIC_HASHING=1
# Valgrind maps no TiB, so an environment is made anew for half of it, and so on. From the second time
# on glibc would clear 2 MB for it, for 8 million instructions: without this threshold it takes memory
# that it has used before.
export GLIBC_TUNABLES=glibc.malloc.mmap_threshold=131072

instructions() { # path rounds [a store to begin with]
  rm -f "$folder"/store*
  [ $# = 2 ] || cp "$3" "$folder/store"
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$program" "$folder/store" "$1" "$2" 2>"$folder/log" >/dev/null ||
    { cat "$folder/log" >&2; exit 1; }
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$folder/log" | grep . ||
    { echo "valgrind has counted nothing for $1" >&2; exit 1; }
}
