# shellcheck shell=bash
# What the tests of commands share: a folder of their own, where they go on, and the number of failures.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 3
failures=0
miss() { printf 'MISS %s\n' "$*"; failures=$((failures + 1)); }
