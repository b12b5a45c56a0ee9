#!/usr/bin/env bash
# A chapter is read in one sitting: what precedes its exercises has at most 1,500 words. usage: chapter_length_test.sh
#
# Counted is what a reader sees: text, tables and formulas, without HTML comments (the directives), listings (fenced blocks
# other than ```math), what is folded in <details>, and the bars of tables. The script first counts two chapters of its
# own, one of which is one word too long.
set -u
limit=1500
top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failed=0

words() {  # words README: those before "## Exercises", or "open" if something is folded or fenced without an end
  awk '
    /^## Exercises/ { exit }
    /^```/ { if (fence) fence = ""; else fence = ($0 == "```math" ? "math" : "listing"); next }
    fence == "listing" { next }
    {
      while (match($0, /<!--[^>]*-->/)) $0 = substr($0, 1, RSTART - 1) " " substr($0, RSTART + RLENGTH)
      if (/<details>/) folded = 1
      if (!folded) for (i = 1; i <= NF; ++i) if ($i !~ /^[|:-]+$/) ++count
      if (/<\/details>/) folded = 0
    }
    END { print (folded || fence) ? "open" : count + 0 }' "$1"
}

check() {  # check NAME WANTED FOUND
  [ "$2" = "$3" ] && return
  echo "FAIL  $1: wanted $2, got $3"
  failed=1
}

# shellcheck disable=SC2016  # backticks are meant
{
  printf '# 01 · One\n\n| a | b |\n|---|---|\n| $x$ | two words |\n\n<!-- panel: not counted -->\n```math\nc = d\n```\n'
  printf '```cpp\nnot counted\n```\n<details><summary>not counted</summary>\n\nnor this\n\n</details>\n'
} >"$box/own.md"
check "the words of a chapter" 12 "$(words "$box/own.md")"
{ cat "$box/own.md"; for ((i = 12; i <= limit; ++i)); do echo word; done; printf '## Exercises\n\nnot counted\n'; } >"$box/long.md"
check "a chapter that is one word too long" $((limit + 1)) "$(words "$box/long.md")"

chapters=0
for readme in "$top"/tutorials/[0-9][0-9]_*/README.md; do
  name=${readme%/README.md} name=${name##*/} count=$(words "$readme")
  chapters=$((chapters + 1))
  if [ "$count" = open ]; then
    echo "FAIL  $name: <details> or \`\`\` is not closed before the exercises"
    failed=1
  elif [ "$count" -gt "$limit" ]; then
    echo "FAIL  $name: $count words before the exercises, limit $limit; fold detail in <details>, or move it to History"
    failed=1
  fi
done
[ "$chapters" -ge 25 ] || { echo "FAIL  only $chapters chapters were found"; failed=1; }
[ "$failed" = 0 ] && echo "ok    $chapters chapters have at most $limit words before their exercises"
exit "$failed"
