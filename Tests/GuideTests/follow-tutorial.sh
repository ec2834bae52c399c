#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Follows the tutorial word for word in a temporary folder. The page marks its blocks:
#
#   <!-- file: PATH -->   the file at PATH, in the folder that the commands are in
#   <!-- run -->          commands, of which the standard output is kept
#   <!-- output -->       the output that the commands before it must have had
#   <!-- machine -->      a command that changes the machine: not run
#
#   Tests/GuideTests/follow-tutorial.sh [PAGE]
#
# STRATA_TOOLCHAIN_SWIFTSYNTAX is passed on, as to other builds. The build folder is kept for the
# next time.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
page=${1:-$root/Sources/Strata/Strata.docc/Guides/Tutorial.md}
SWIFTPM_BUILD_DIR=$root/.build-tutorial${STRATA_TOOLCHAIN_SWIFTSYNTAX:+-toolchain}
export SWIFTPM_BUILD_DIR
folder=$(mktemp -d)
running= # the line of the block whose commands are running
report() {
  code=$?
  trap - EXIT
  if [ -n "$running" ]; then
    cat "$folder/messages" "$printed" >&2
    echo "the commands at line $running of the tutorial failed" >&2
    [ $code != 0 ] || code=1
  fi
  rm -rf "$folder"
  exit $code
}
trap report EXIT
mkdir "$folder/blocks"
ln -s "$root" "$folder/strata"

# Each block becomes a file; the list has its number, its kind and its path. The number is that of
# the line in the page, so that a message can say where it is.
awk -v blocks="$folder/blocks" '
  inside && /^```$/ { inside = 0; close(file); next }
  inside { print > file; next }
  /^```/ {
    if (kind == "") {
      print "the block at line " NR " of the tutorial has no mark" > "/dev/stderr"; failed = 1; exit
    }
    inside = 1
    file = blocks "/" NR
    printf "" > file
    print NR, kind, path > (blocks "/list")
    next
  }
  { kind = path = "" }
  /^<!-- (run|output|machine) -->$/ { kind = $2 }
  /^<!-- file: .* -->$/ { kind = "file"; path = $3 }
  END { if (failed || inside) exit 1 }' "$page"

cd "$folder"
printed=$folder/printed
: > "$printed"
while read -r line kind path <&3; do
  block=$folder/blocks/$line
  case $kind in
    file) mkdir -p "$(dirname "$path")"; cp "$block" "$path" ;;
    run)
      # A command that fails ends the script, also in the middle of the block: `report` says where.
      # With `. "$block" || …` bash would ignore it, and dash would end without a message.
      running=$line
      . "$block" >> "$printed" 2> "$folder/messages"
      running=
      ;;
    output)
      diff -u "$block" "$printed" >&2 || {
        echo "the output at line $line of the tutorial is another one" >&2
        exit 1
      }
      : > "$printed"
      count=$((${count:-0} + 1))
      ;;
  esac
done 3< "$folder/blocks/list"
echo "the tutorial's commands print what it says, $count times"
