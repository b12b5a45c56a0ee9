# shellcheck shell=bash
# What the tests of commands share: they change to a new temporary folder, and count their failures.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 3
failures=0
miss() { printf 'MISS %s\n' "$*"; failures=$((failures + 1)); }
