#!/usr/bin/env bash
# heed gradcheck as a user meets it: the table, its JSON, planted faults. What it refuses: bad_input_test.sh. $1: the program heed.
set -u
heed=$1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failed=0
expect() {  # CODE PATTERN ARGUMENTS...: the exit code, and a pattern in what was printed
  local code=$1 pattern=$2; shift 2
  "$heed" gradcheck "$@" >"$box/text" 2>&1
  local got=$?
  if [ $got != "$code" ] || ! grep -q -- "$pattern" "$box/text"; then
    echo "heed gradcheck $*: expected exit $code and \"$pattern\"; got exit $got and:"
    cat "$box/text"
    failed=1
  fi
}

expect 0 'all pass' --json "$box/all.json"
for key in name kind cases max_rel_error second_order_max_rel_error status; do
  grep -q "\"$key\": " "$box/all.json" || { echo "JSON without $key"; failed=1; }
done
grep -q '"status": "fail"' "$box/all.json" && { echo "JSON with a failure"; failed=1; }
expect 0 'matmul' matmul --json "$box/one.json"
[ "$(grep -c '"name": ' "$box/one.json")" = 1 ] || { echo "JSON of one row holds more"; failed=1; }
expect 0 'analytic' tanh --jacobian
for fault in sign missing twice mean transpose; do
  expect 0 ' caught and named' --plant $fault
  expect 0 "\"$fault\" planted: caught and named" matmul --plant $fault --jacobian
done
exit $failed
