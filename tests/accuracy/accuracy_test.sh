#!/usr/bin/env bash
# The accuracy table, as a test: no row of the quick sweep is over its bound, a table with tighter bounds fails, and
# unknown words are refused.
#
#   accuracy_test.sh PROGRAM
set -u
program=$1 failed=0
rows=$("$program" --quick --over) || { printf '%s\n' "$rows"; failed=1; }
case $rows in *' rows, 0 over their bound') ;; *) echo "FAIL  the last line"; failed=1 ;; esac

expect() { # CODE PATTERN ARGUMENTS...
  local code=$1 pattern=$2 out found
  shift 2
  out=$("$program" "$@" 2>&1)
  found=$?
  # shellcheck disable=SC2053  # a pattern
  if [ "$found" != "$code" ] || [[ $out != $pattern ]]; then
    printf 'FAIL  accuracy %s: exit %s\n%s\n' "$*" "$found" "$out"
    failed=1
  fi
}
expect 1 "*tanh *ulp over*layer_norm *eps over*tiled attention *eps over*Adam *eps over*" --quick --over --tighten 1000
expect 0 "*usage: accuracy *" --help
expect 0 "heed [0-9]*" --version
if [ -w /dev/full ]; then
  said=$("$program" --help 2>&1 >/dev/full)
  [ "$?:$said" = "2:write: cannot write to standard output: No space left on device" ] || { echo "FAIL  /dev/full: $said"; failed=1; }
fi
expect 2 "accuracy: options are *; got \"--fast\"; hint: accuracy --help" --fast
expect 2 "accuracy: --tighten needs a number of at least 1; got \"0.5\"*" --tighten 0.5
expect 2 "accuracy: --tighten needs a number of at least 1; got \"\"*" --quick --tighten
exit "$failed"
