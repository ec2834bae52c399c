# SPDX-License-Identifier: Apache-2.0
#
# Counts instructions, for the checks beside it, which are in the package's folder and whose arguments
# are options of swift build. Makes a folder that goes with the check.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Builds a program, optimised, into the folder.
build() { # product [options of swift build]
  product=$1
  shift
  swift build -c release --product "$product" "$@"
  # Valgrind cannot read Swift's debug information.
  strip -o "$folder/$product" \
    "$(swift build -c release --product "$product" "$@" --show-bin-path)/$product"
}

build HotPaths "$@"
program="$folder/HotPaths"
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
