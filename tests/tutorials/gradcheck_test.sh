#!/usr/bin/env bash
# heed gradcheck as a user meets it: the table, its JSON, planted faults. What it refuses: bad_input_test.sh. $1: the program heed.
#
# The table of the operations is checked here element by element; autograd.gradcheck and nn.gradcheck walk the whole table
# along random directions, which takes a third of the time. By default this test asks for three more rows, one fault in
# every operation and the other four faults in one row; with HEED_EXHAUSTIVE=1 (./heed test --exhaustive) for the whole
# table and every fault in every row.
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

kinds=operation
[ -z "${HEED_EXHAUSTIVE:-}" ] || kinds='operation module'
for kind in $kinds; do
  expect 0 'all pass' "$kind" --json "$box/all.json"
  for key in name kind cases max_rel_error second_order_max_rel_error status; do
    grep -q "\"$key\": " "$box/all.json" || { echo "JSON without $key"; failed=1; }
  done
  [ "$(grep -c "\"kind\": \"$kind\"" "$box/all.json")" = "$(grep -c '"name": ' "$box/all.json")" ] ||
    { echo "JSON of a kind with rows of another"; failed=1; }
  [ "$(grep -c '"name": ' "$box/all.json")" -gt 50 ] || { echo "JSON without most rows"; failed=1; }
  grep -q '"status": "fail"' "$box/all.json" && { echo "JSON with a failure"; failed=1; }
done
[ -z "${HEED_EXHAUSTIVE:-}" ] || expect 0 'all pass'
for row in matmul Linear 'Attention dot'; do
  expect 0 "^$row " "$row" --json "$box/one.json"
  [ "$(grep -c '"name": ' "$box/one.json")" = 1 ] || { echo "JSON of one row holds more"; failed=1; }
done
expect 0 'analytic' tanh --jacobian
# What was asked for comes first: the matrices, then the table of all cases.
for row in softmax tanh matmul Linear; do
  expect 0 '^The Jacobian of' "$row" --jacobian
  head -n 1 "$box/text" | grep -q "^The Jacobian of $row" || { echo "$row --jacobian begins with: $(head -n 1 "$box/text")"; failed=1; }
  jacobian=$(grep -n 'analytic' "$box/text" | head -n 1 | cut -d: -f1) table=$(grep -n 'second order' "$box/text" | head -n 1 | cut -d: -f1)
  [ "$jacobian" -lt "$table" ] || { echo "$row --jacobian: the table is before the Jacobian"; failed=1; }
done
for fault in sign missing twice mean transpose; do
  if [ $fault = transpose ] || [ -n "${HEED_EXHAUSTIVE:-}" ]; then
    for kind in $kinds; do expect 0 '^\([0-9]*\) of \1 caught and named' "$kind" --plant $fault; done
  fi
  expect 0 "\"$fault\" planted: caught and named" matmul --plant $fault --jacobian
  head -n 1 "$box/text" | grep -q '^The Jacobian of matmul' || { echo "--plant $fault --jacobian begins with: $(head -n 1 "$box/text")"; failed=1; }
done
exit $failed
