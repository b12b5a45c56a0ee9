#!/bin/bash
# Follows a section of CONTRIBUTING.md to the letter: follow.sh TREE FOLDER HEADING BLOCKS [HEADERS_OF...]
#
# Its blocks begin with "// FILE", a new file, or with "// FILE, before: TEXT". FOLDER receives each new file and, of each
# FILE that is there, a copy with the rest of the block inserted before the first line that contains TEXT. What is built
# with them is what a reader of it gets. The headers of the folders HEADERS_OF are there too. A file that does not change is
# not touched.
set -eu
tree=$1 folder=$2 heading=$3 wanted=$4 blocks=0
new=$folder.new
rm -rf "$new"
mkdir -p "$new" "$folder"
for headers in "${@:5}"; do
  mkdir -p "$new/$headers" "$folder/$headers"
  cp "$tree/$headers"/*.h "$new/$headers"
done
rest=$(awk -v heading="## $heading" '/^## / { inside = $0 == heading } inside' "$tree/CONTRIBUTING.md")
while IFS= read -r line; do
  [ "$line" = '```cpp' ] || continue
  IFS= read -r head
  file=${head#// } block=""
  file=${file%%, before: *}
  while IFS= read -r line && [ "$line" != '```' ]; do block=$block$line$'\n'; done
  mkdir -p "$new/$(dirname "$file")" "$folder/$(dirname "$file")"
  blocks=$((blocks + 1))
  if [ "// $file" = "$head" ]; then
    printf '%s' "$block" >"$new/$file"
    continue
  fi
  [ -f "$new/$file" ] || cp "$tree/$file" "$new/$file"
  place=${head#*, before: } block=$block awk '
    !done && index($0, ENVIRON["place"]) { printf "%s", ENVIRON["block"]; done = 1 }
    { print }
    END { exit !done }' "$new/$file" >"$new/one" ||
    { echo "CONTRIBUTING.md: \"${head#*, before: }\" is not in $file" >&2; exit 1; }
  mv "$new/one" "$new/$file"
done <<<"$rest"
[ "$blocks" = "$wanted" ] ||
  { echo "CONTRIBUTING.md: \"$heading\" must have $wanted blocks; got $blocks" >&2; exit 1; }
(cd "$new" && find . -type f) | while IFS= read -r file; do
  cmp -s "$new/$file" "$folder/$file" || cp "$new/$file" "$folder/$file"
done
rm -rf "$new"
