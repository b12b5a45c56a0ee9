#!/usr/bin/env bash
# heed grades: one table from many files of grades, in columns that fit, for a spreadsheet and as JSON; and what it refuses.
# usage: grades_test.sh HEED
set -u
heed=$1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cd "$box" || exit 3
failed=0
check() {  # check NAME COMMAND...
  local name=$1 ok=ok
  shift
  "$@" || { ok=FAIL failed=1; }
  printf '%-5s %s\n' "$ok" "$name"
}
# shellcheck disable=SC2317  # called through check
refused() {  # refused SENTENCE ARGUMENT...: exit code 2, that sentence and nothing else
  local wanted=$1 code=0
  shift
  "$heed" grades "$@" >out 2>err || code=$?
  if [ "$code" = 2 ] && [ ! -s out ] && [ "$(cat err)" = "$wanted" ]; then return; fi
  cat err
  return 1
}
grade() { printf '{"id":"%s","lesson":"%s","status":"%s","checks":%d,"passed":%d,"mistake":%s,"hints":%d}' "$1" "${1%.*}" "$2" "$3" "$4" "$5" "$6"; }

mistake='"You divide by all positions"'
printf '[%s,\n%s]\n' "$(grade 04.1 solved 6 6 null 1)" "$(grade 04.3 'not yet' 5 3 "$mistake" 2)" >anna.json
printf '[%s,\n%s]\n' "$(grade 02.1 solved 2 2 null 0)" "$(grade 04.3 'not yet' 5 3 "$mistake" 0)" >'=boris, the 2nd.json'
printf '[%s]\n' "$(grade 04.3 'does not compile' 0 0 null 0)" >clara.json
printf '[]\n' >dora.json
"$heed" grades anna.json '=boris, the 2nd.json' clara.json dora.json --csv all.csv --json all.json >table 2>err
check "ends well" test $? = 0 -a ! -s err
check "the table" diff - table <<'TABLE'
student          02.1  04.1  04.3  solved  hints
anna             -     yes   3/5   1 of 3  3
=boris, the 2nd  yes   -     3/5   1 of 3  0
clara            -     -     no    0 of 3  0
dora             -     -     -     0 of 3  0
solved           1     1     0

mistakes of more than one student
  2 times 04.3: You divide by all positions
TABLE
check "for a spreadsheet, which must not compute a name" diff - all.csv <<'TABLE'
student,02.1,04.1,04.3,solved,hints
anna,-,yes,3/5,1 of 3,3
"'=boris, the 2nd",yes,-,3/5,1 of 3,0
clara,-,-,no,0 of 3,0
dora,-,-,-,0 of 3,0
solved,1,1,0,,
TABLE
check "as JSON, with what was measured" test "$(grep -c -e '"student": "anna"' -e '"02.1": null' -e '"passed": 3' all.json)" = 6
COLUMNS=30 "$heed" grades anna.json '=boris, the 2nd.json' >narrow
check "narrow: columns in further tables, with the names" test "$(grep -c '^anna' narrow)" = 2 -a "$(awk 'length > 30' narrow | wc -l)" = 0
check "no file" refused "heed grades: FILE is required; --help tells more"
check "a file that is not there" refused "$("$heed" grades gone.json 2>&1)" gone.json
check "says which" grep -q 'gone.json' err
mkdir again && cp anna.json again
check "two of one name" refused 'grades: each file must have a name of its own, which is the student'"'"'s; got "anna" twice' anna.json again/anna.json
echo '{"id":"04.1"}' >object.json
check "no list" refused 'grades: object.json must be what ./heed exercise --all --grade --json prints; got an object' object.json
printf '[%s,%s]\n' "$(grade 04.1 solved 1 1 null 0)" "$(grade 04.1 solved 1 1 null 0)" >twice.json
check "an exercise twice" refused 'grades: each id in twice.json must be one exercise, such as 04.1; got "04.1" twice' twice.json
printf '[%s]\n' "$(grade '<b>' solved 1 1 null 0)" >strange.json
check "an id that is none" refused 'grades: each id in strange.json must be one exercise, such as 04.1; got "<b>"' strange.json
exit "$failed"
