#!/bin/bash
# Mends the line numbers in the lessons' tables after sources have moved: readme_lines.sh [README..]
#
# In a row such as | equation | [sgd.cpp:41](../../nn/optim/sgd.cpp) | `words` | the number becomes that of the line
# nearest to it that holds the words. A row whose words stand nowhere is left as it is, and said.
set -eu
cd "${BASH_SOURCE[0]%/*}/../.."
[ $# != 0 ] || set -- tutorials/[0-9][0-9]_*/README.md
# shellcheck disable=SC2016  # backticks are meant
row='^\|.*\[[^]]*:([0-9]+)\]\(([^)#]+)\).*`([^`]+)` *\| *$'
for readme; do
  folder=${readme%/*}
  while IFS= read -r line; do
    if [[ $line =~ $row ]]; then
      number=${BASH_REMATCH[1]} file=$folder/${BASH_REMATCH[2]} words=${BASH_REMATCH[3]}
      found=$(words=$words near=$number awk '
        index($0, ENVIRON["words"]) {
          far = NR > ENVIRON["near"] ? NR - ENVIRON["near"] : ENVIRON["near"] - NR
          if (!best || far < least) { best = NR; least = far }
        }
        END { print best }' "$file")
      if [ -z "$found" ]; then echo "$readme: \"$words\" is not in $file" >&2
      else line=${line/":$number]("/":$found]("}; fi
    fi
    printf '%s\n' "$line"
  done <"$readme" >"$readme.new"
  cmp -s "$readme" "$readme.new" || { cat "$readme.new" >"$readme"; echo "$readme: mended"; }
  rm -f "$readme.new"
done
