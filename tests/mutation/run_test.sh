#!/usr/bin/env bash
# The list of planted faults fits the sources and is as large as it should be, run.sh refuses a list that does not fit, and
# each kind of place gets its condition.
set -u
[ "${BASH_VERSINFO[0]}" -ge 4 ] || { echo "run.sh needs bash 4 (macOS has 3.2)"; exit 77; }
run=${BASH_SOURCE[0]%/*}/run.sh failed=0
box=$(mktemp -d) list=$box/list
trap 'rm -rf "$box"' EXIT

expect() { # CODE PATTERN ARGUMENTS...
  local code=$1 pattern=$2 out found
  shift 2
  out=$(bash "$run" "$@" 2>&1)
  found=$?
  # shellcheck disable=SC2053  # a pattern
  if [ "$found" != "$code" ] || [[ $out != $pattern ]]; then
    printf 'FAIL  run.sh %s: exit %s\n%s\n' "$*" "$found" "$out"
    failed=1
  fi
}
refused() { # PATTERN LINE...: a list of these lines
  printf '%s\n' "${@:2}" >"$list"
  expect 2 "mutation: $1" --check --list "$list"
}
expect 0 "mutation: [7-9][0-9][0-9] faults of [78][0-9] kinds, each in its place" --check
expect 2 "mutation: options are *; got \"--samples\"" --samples 3
expect 2 "mutation: --sample needs a number of faults; got \"x\"" --sample x
expect 2 "mutation: --kind needs a value*" --kind
expect 2 "mutation: no fault matches" --kind nothing
code=tests/mutation/run.sh
refused "the code must occur exactly once in $code: there was*" $code kind '< there was no such line' '> at all'
refused "the code must occur exactly once in $code: refuse" $code kind '< refuse' '> accept'
refused "a fault that is none, or that is listed twice*" $code kind '< set -eu' '> set -eu'
refused "there is no file tests/mutation/none.sh" tests/mutation/none.sh kind '< a' '> b'
refused "the list ends within a fault: kind" $code kind '< set -eu'
refused "not a file, a kind and who reports it, *: > b" $code kind '> b'
refused "a file that is listed twice: $code" $code kind '< set -eu' '>> b' $code

# C++ in which faults are planted, and the lines of the build; F is the condition.
mkdir -p "$box/from" "$box/to"
cat >"$box/from/code.cpp" <<'END'
int declared = 1;
{ int sum = first(a, b) + c; }
{ for (int i = 0; i < n; ++i) next(i); }
{ if (n) step.take(n); else wait(); }
{ one(x, y); }
{ return kept ? left : right; }
{ call({1, 2}); }
END
printf '%s\n' code.cpp k '< + c' '> - c' k '< i < n' '> i <= n' k '< step.take(n);' '> ;' k '< wait()' '> go(FAULT)' \
  k '< (x, y)' '> (y, x)' k '< kept ? left : right' '> kept ? right : left' k '< {1, 2}' '> {2, 1}' \
  k '< { call' '> { FAULT, call' k '< int d' '>> long d' >"$list"
lines_of() { # BUILD: its lines that hold a fault
  LC_ALL=C awk -v tree="$box/from" -v build="$1" -v to="$box/to" -f "${run%/*}/plant.awk" "$list"
  sed 's/heed_fault == [0-9]*/F/g' "$box/to/code.cpp" | grep "${2:-F}"
}
{ lines_of 0; lines_of 1 'call'; lines_of 2 'long'; } >"$box/out"
diff "$box/out" - <<'END' || failed=1
{ int sum = (F ? (first(a, b) - c) : (first(a, b) + c)); }
{ for (int i = 0; (F ? (i <= n) : (i < n)); ++i) next(i); }
{ if (n) if (F) {;} else {step.take(n);} else go((F)); }
{ if (F) {one(y, x);} else {one(x, y);} }
{ return (F ? (kept ? right : left) : (kept ? left : right)); }
{ if (F) {call({2, 1});} else {call({1, 2});} }
{ (F), call({1, 2}); }
long declared = 1;
END
printf '%s\n' code.cpp k '< int d' '> long d' >"$list"
lines_of 0 2>&1 | grep -qxF 'mutation: no place for a condition; write it (FAULT), or >> for a build of its own, in code.cpp: int d' || failed=1
exit "$failed"
