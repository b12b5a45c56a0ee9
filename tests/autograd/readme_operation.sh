#!/bin/bash
# Follows CONTRIBUTING.md, "How to add an operation" to the letter: readme_operation.sh TREE FOLDER
#
# Each of its blocks begins with "// FILE, before: TEXT". FOLDER receives the headers of tensor/ and autograd/ and, of each
# FILE, a copy with the rest of the block inserted before the first line that contains TEXT. What is built with these
# headers is what a reader of it gets. A file that does not change is not touched.
set -eu
tree=$1 folder=$2
new=$folder.new
rm -rf "$new"
mkdir -p "$new/autograd" "$new/tensor" "$folder/autograd" "$folder/tensor"
cp "$tree"/autograd/*.h "$new/autograd"
cp "$tree"/tensor/*.h "$new/tensor"
blocks=0
rest=$(sed -n '/^## How to add an operation/,/^## /p' "$tree/CONTRIBUTING.md")
while IFS= read -r line; do
  case $line in
    '// tensor/'*', before: '* | '// autograd/'*', before: '*)
      file=${line#// } place=${line#*, before: }
      file=${file%%, before: *} block=""
      while IFS= read -r line && [ "$line" != '```' ]; do block=$block$line$'\n'; done
      [ -f "$new/$file" ] || cp "$tree/$file" "$new/$file"
      place=$place block=$block awk '
        !done && index($0, ENVIRON["place"]) { printf "%s", ENVIRON["block"]; done = 1 }
        { print }
        END { exit !done }' "$new/$file" >"$new/one" ||
        { echo "CONTRIBUTING.md: \"$place\" is not in $file" >&2; exit 1; }
      mv "$new/one" "$new/$file"
      blocks=$((blocks + 1)) ;;
  esac
done <<<"$rest"
[ "$blocks" = 2 ] || { echo "CONTRIBUTING.md: \"How to add an operation\" must have two blocks; got $blocks" >&2; exit 1; }
(cd "$new" && find . -type f) | while IFS= read -r file; do
  cmp -s "$new/$file" "$folder/$file" || cp "$new/$file" "$folder/$file"
done
rm -rf "$new"
