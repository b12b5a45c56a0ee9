#!/usr/bin/env bash
# No line of standard output is wider than a terminal of 40 columns; a word that is wider stands alone in its line.
#
#   narrow_test.sh HEED LESSON            the commands that print; LESSON is the program of a quick lesson
#   narrow_test.sh --of PROGRAM OPTION..  one program, and it must succeed
set -u
top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
export LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=40
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failed=0

narrow() {  # narrow COMMAND..
  local code=0 wide
  "$@" </dev/null >"$box/out" 2>"$box/err" || code=$?
  wide=$(grep -E '^.{41,}' "$box/out" | grep -vE '^ *[^ ─]+$')
  [ "$code" = 0 ] && [ -z "$wide" ] && [ -s "$box/out" ] && return
  printf 'MISS exit code %s, lines of more than 40 columns:\n%s\nof %s\n' "$code" "$wide" "$*"
  tail -n 5 "$box/err"
  failed=1
}

if [ "$1" = --of ]; then
  shift
  narrow "$@"
  cat "$box/out"
  exit $failed
fi
heed=$1 lesson=$2
narrow "$heed" --help
for command in attention classify course drawing embed fill generate get gradcheck grades look museum score search train translate; do narrow "$heed" "$command" --help; done
for arguments in "" --list --league A5 B10 F8 causal; do narrow "$heed" attention $arguments; done
# shellcheck disable=SC2086  # words
for arguments in softmax "softmax --jacobian" "softmax --plant sign" linear; do narrow "$heed" gradcheck $arguments; done
narrow "$heed" drawing --list
narrow "$heed" museum --list
narrow "$heed" museum --out "$box/museum"
narrow "$heed" museum --blind --out "$box/museum"
exhibits=$("$heed" museum --list | awk 'NR > 2 && /^[a-z]/ { print $1 }')
[ "$(wc -w <<<"$exhibits")" -ge 19 ] || { echo "MISS museum --list names too few exhibits: $exhibits"; failed=1; }
for exhibit in $exhibits; do narrow "$heed" museum "$exhibit"; done
narrow "$lesson" --help
narrow "$lesson" --quick --no-ask --out "$box/lesson"
for command in help list exercise; do narrow "$top/heed" "$command"; done
exit $failed
