# shellcheck shell=bash
# What the tests of commands share: they change to a new temporary folder, and count their failures.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 3
failures=0
miss() { printf 'MISS %s\n' "$*"; failures=$((failures + 1)); }
# sentences N SEED NAME: pairs of a language where each word is written in capitals, and the order turned round
sentences() {
  awk -v n="$1" -v seed="$2" -v s="$3.s" -v t="$3.t" 'BEGIN {
    srand(seed)
    for (i = 0; i < n; ++i) {
      a = b = ""
      for (k = 1 + int(rand() * 6); k > 0; --k) {
        w = substr("abcdefgh", 1 + int(rand() * 8), 1); if (rand() < .4) w = w w
        a = a (a == "" ? "" : " ") w; b = toupper(w) (b == "" ? "" : " ") b
      }
      print a > s; print b > t
    }
  }'
}
