#!/usr/bin/env bash
# The files of the exercises: what the learner gets of a solution shows nothing of what fills its gap; each solution has
# mistakes, and what was recorded of them belongs to the sources as they are now; edit.awk refuses an edit that it cannot
# make. Prints what is wrong, and exits with 1 if anything is.
set -u
cd "${BASH_SOURCE[0]%/*}/../.." || exit 3
cut=tutorials/common/cut.awk edit=tutorials/common/edit.awk
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failed=0 exercises=0
miss() { printf 'MISS %s\n' "$*"; failed=1; }

for solution in tutorials/[0-9][0-9]_*/exercises/*.cpp; do
  case $solution in *_check.cpp) continue ;; esac
  exercises=$((exercises + 1))
  awk -f $cut "$solution" >"$box/gap"
  awk -f $cut -v show=1 "$solution" >"$box/shown"
  grep -q -e '---- filled' -e '// |' "$box/gap" && miss "$solution: the learner's copy has marks of the solution"
  grep -q '// |' "$box/shown" && miss "$solution: --solution shows what the learner begins with"
  [ "$(grep -c -- '---- the .*gap' "$solution")" = "$(grep -c -- '---- filled' "$solution")" ] ||
    miss "$solution: each gap is filled once"
  # Lines that fill the gap and tell something: those of 12 letters or more that the learner's copy does not need.
  awk '/^ *\/\/ ---- end of / { inside = 0 } inside { print } /^ *\/\/ ---- filled/ { inside = 1 }' "$solution" >"$box/filled"
  [ -s "$box/filled" ] || miss "$solution: nothing fills its gap"
  awk 'FNR == NR { sub(/^ +/, ""); if (length >= 12) filled[$0]; next } { sub(/^ +/, "") } $0 in filled' "$box/filled" "$box/gap" >"$box/told"
  awk '/^ *\/\/ [|]/ { sub(/^ *\/\/ [|] */, ""); print }' "$solution" >"$box/own"
  while IFS= read -r line; do
    grep -qxF -- "$line" "$box/own" || miss "$solution: the learner's copy tells \"$line\""
  done <"$box/told"
  for part in .h _check.cpp .mistakes .outcomes; do [ -s "${solution%.cpp}$part" ] || miss "$solution has no $part"; done
done
[ "$exercises" -ge 90 ] || miss "only $exercises exercises"
bash tutorials/common/record.sh --check || failed=1

# edit.awk on a small solution.
cat >"$box/two.cpp" <<'END'
// ---- the gap, first half ----
// | int one() { return 0; }
// ---- filled ----
int one() { return 1; }
// ---- end of the first half ----
// ---- the gap, second half ----
// ---- filled ----
int two() {
  if (one() == 1) { return one() + one(); }
  return 3;
}
// ---- end of the gap ----
END
# edited EXPECTED EDITS: the lines of code after the edits, joined; or an error that EXPECTED is a part of.
edited() {
  local got
  printf '* other\nopen\n\n* this\n%s\n' "$2" >"$box/mistakes"
  got=$(awk -f $edit -v number=2 "$box/mistakes" "$box/two.cpp" 2>&1 | grep -v '^// ' | tr -s ' \n' ' ')
  case $got in *"$1"*) ;; *) miss "edit \"$2\": $got" ;; esac
}
right='int two() { if (one() == 1) { return one() + one(); } return 3; }'
edited "int one() { return 0; } " open
edited "int one() { return 1; } " 'open 2'
edited "int one() { return 0; } $right" 'open 1'
edited "int one() { return 7; } $right" $'gap 1\n+ int one() { return 7; }'
edited "int one() { return 1; } int two() { return 9; }" $'body two\n+ return 9;'
edited "int one() { return 1; } int two() { return 5; return 3; }" $'-   if (one() == 1) { return one() + one(); }\n+ return 5;'
edited "if (one() == 1) { return 4; } return 5; }" $'- return one() + one();\n+ return 4;\n- return 3;\n+ return 5;'
edited "int two() { return 3; }" $'- if (one() == 1) { return one() + one(); }\n+\n- return 3;\n+ return 3;'
edited "mistake 2: the solution has more than once: one()" $'- one()\n+ 1'
edited "mistake 2: the solution does not have: three()" $'- three()\n+ 1'
edited "mistake 2: the solution has no function three" $'body three\n+ return 1;'
edited "mistake 2: the solution has 2 gaps" 'open 3'
edited "mistake 2: + follows -, body or gap" '+ 1'
edited "mistake 2: a line begins with" 'replace this'
edited "mistake 2: it has no edit" ''
[ "$failed" = 0 ] && echo "ok    $exercises exercises"
exit "$failed"
