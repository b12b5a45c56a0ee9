#!/bin/bash
# Follows CONTRIBUTING.md, "How to add a score, .." to the letter: readme_stages.sh TREE FOLDER
#
# Its blocks begin with "// FILE", a new file, or with "// FILE, before: TEXT". FOLDER receives each new file and, of each
# FILE that is there, a copy with the rest of the block inserted before the first line that contains TEXT. What is built
# with them is what a reader of it gets. A file that does not change is not touched.
set -eu
tree=$1 folder=$2
new=$folder.new
rm -rf "$new"
mkdir -p "$new" "$folder"
blocks=0
rest=$(sed -n '/^## How to add a score/,/^## Conventions/p' "$tree/CONTRIBUTING.md")
while IFS= read -r line; do
  case $line in '// nn/attention/'*) ;; *) continue ;; esac
  head=${line#// } block=""
  file=${head%%, before: *}
  while IFS= read -r line && [ "$line" != '```' ]; do block=$block$line$'\n'; done
  mkdir -p "$new/$(dirname "$file")"
  blocks=$((blocks + 1))
  if [ "$file" = "$head" ]; then
    printf '#pragma once\n%s' "$block" >"$new/$file"
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
[ "$blocks" = 18 ] || { echo "CONTRIBUTING.md: \"How to add a score, ..\" must have 18 blocks; got $blocks" >&2; exit 1; }
(cd "$new" && find . -type f) | while IFS= read -r file; do
  mkdir -p "$folder/$(dirname "$file")"
  cmp -s "$new/$file" "$folder/$file" || cp "$new/$file" "$folder/$file"
done
rm -rf "$new"
