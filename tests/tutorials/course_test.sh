#!/usr/bin/env bash
# heed course: what it writes, what it refuses, and nothing left half done. usage: course_test.sh HEED
set -u
heed=$1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failed=0
check() {  # check NAME COMMAND...
  local name=$1 ok=ok
  shift
  "$@" || { ok=FAIL failed=1; }
  printf '%-5s %s\n' "$ok" "$name"
}
# shellcheck disable=SC2317  # called through check
code() {  # code EXPECTED COMMAND...: the exit code; what was printed is in $box/out and $box/err
  local wanted=$1 found
  shift
  "$@" >"$box/out" 2>"$box/err"
  found=$?
  [ "$found" = "$wanted" ]
}

check "the whole course" code 0 "$heed" course --out "$box/site"
check "says where it is" grep -q "pages  $box/site/index.html" "$box/out"
check "an index, a glossary, a lesson" test -s "$box/site/index.html" -a -s "$box/site/glossary.html" -a -s "$box/site/12_bahdanau.html"
check "one chapter alone" code 0 "$heed" course --out "$box/one" --chapter 12
check "and no other page" test "$(cd "$box/one" && echo *)" = "12_bahdanau.html lock"
check "the same bytes" cmp -s "$box/one/12_bahdanau.html" "$box/site/12_bahdanau.html"
check "by its name" code 0 "$heed" course --out "$box/two" --chapter bahdanau
check "no such chapter" code 2 "$heed" course --out "$box/none" --chapter 99
check "which are there" grep -q '^course: --chapter must be one of 00_notation, 01_tensors, .*; got "99"$' "$box/err"
check "nothing written" test ! -e "$box/none"
check "a folder that cannot be" code 2 "$heed" course --out /dev/null/x
echo '<title>heed playground: x</title>' >"$box/played.html"
check "with a playground" code 0 "$heed" course --out "$box/three" --with-playground "$box/played.html"
check "its page" cmp -s "$box/played.html" "$box/three/playground.html"
check "its link" grep -q 'href="playground.html"' "$box/three/index.html"
check "which must be one" code 2 "$heed" course --out "$box/four" --with-playground "$box/site/index.html"
check "said so" grep -q '^course: --with-playground must be a page that ./heed course --playground built; got ' "$box/err"
check "slides of one lesson" code 0 "$heed" course --out "$box/five" --slides --chapter 22
check "beside it" test "$(cd "$box/five" && echo *)" = "22_self_attention.html 22_self_attention_slides.html lock"
check "without solutions" code 0 "$heed" course --out "$box/six" --no-solutions
check "no answer in the quiz" test "$(grep -c '<summary>' "$box/six/quiz.html")" = 1  # that of the contents
check "--help" code 0 "$heed" course --help
check "names its options" grep -q -e --chapter "$box/out"
# shellcheck disable=SC2016  # a pattern
check "no page asks for anything" test -z "$(grep -lE '<(script|img|iframe|object)[^>]* src=|<link[^>]* href="http|@import|url\(http' "$box"/site/*.html)"
exit "$failed"
