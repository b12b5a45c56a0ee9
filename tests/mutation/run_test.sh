#!/usr/bin/env bash
# The list of planted faults fits the sources and is as large as it should be, and run.sh refuses a list that does not fit.
set -u
[ "${BASH_VERSINFO[0]}" -ge 4 ] || { echo "run.sh needs bash 4 (macOS has 3.2)"; exit 77; }
run=${BASH_SOURCE[0]%/*}/run.sh failed=0
list=$(mktemp)
trap 'rm -f "$list"' EXIT

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
expect 0 "mutation: [3-9][0-9][0-9] faults of [67][0-9] kinds, each in its place" --check
expect 2 "mutation: options are *; got \"--samples\"" --samples 3
expect 2 "mutation: --sample needs a number of faults; got \"x\"" --sample x
expect 2 "mutation: --program needs test_tensor, *; got \"test_all\"" --program test_all
expect 2 "mutation: --kind needs a value*" --kind
expect 2 "mutation: no fault is of this kind and file" --kind nothing
printf 'kind\ntests/mutation/run.sh\n< there is no such line\n> at all\n' >"$list"
expect 2 "mutation: the code must occur exactly once in tests/mutation/run.sh: there is*" --check --list "$list"
printf 'kind\ntests/mutation/run.sh\n< refuse\n> accept\n' >"$list"
expect 2 "mutation: the code must occur exactly once*" --check --list "$list"
printf 'kind\ntests/mutation/run.sh\n< set -eu\n> set -eu\n' >"$list"
expect 2 "mutation: a fault that is none*" --check --list "$list"
printf 'kind\ntests/mutation/none.sh\n< a\n> b\n' >"$list"
expect 2 "mutation: there is no file tests/mutation/none.sh" --check --list "$list"
printf 'kind\ntests/mutation/run.sh\n< set -eu\n' >"$list"
expect 2 "mutation: the list ends within a fault: kind" --check --list "$list"
exit "$failed"
