#!/usr/bin/env bash
# A report used in a real browser without a screen: every control of the sample page (slider, selector, hover, keyboard,
# toggles, theme, downloads) is tried by the page itself (#selftest), the console must stay silent, nothing may be loaded:
# the page lists its own requests, and its policy turns any attempt into a line on the console. No host name resolves in
# this browser, so the browser itself stays quiet too.
# usage: browser_test.sh PROGRAM, where PROGRAM writes the sample page. Exit 77: no browser here.
set -u
program=$1
browser=""
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null 2>&1; then browser=$name; break; fi
done
if [ -z "$browser" ]; then
  echo "browser: skipped, no Chromium on this machine"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
HEED_SAMPLE_REPORT="$folder/report.html" "$program" --no-intro --test-case="the same run gives the same bytes" >/dev/null || exit 1
[ -s "$folder/report.html" ] || { echo "browser: no page was written"; exit 1; }

open_page() {  # open_page FRAGMENT: the document as the browser has it, console and requests beside it
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update \
    --disable-sync --no-first-run --host-resolver-rules="MAP * ~NOTFOUND" --user-data-dir="$folder/profile" --window-size=1200,900 \
    --virtual-time-budget=5000 --enable-logging=stderr --v=0 --dump-dom "file://$folder/report.html$1" >"$folder/dom.html" 2>"$folder/console.txt"
}
failed=0
fail() { echo "browser: $1"; failed=1; }

open_page ""
for kind in claims text alignment curves bars heat scatter graph picture running table stepper arcs ablation variants model; do
  grep -q "data-kind=\"$kind\"" "$folder/dom.html" || fail "no panel of kind $kind"
done
grep -q "<title>12 · Bahdanau attention</title>" "$folder/dom.html" || fail "a word in the data became a script"
open_page "#selftest"
outcome=$(grep -o '<pre id="selftest">.*</pre>' "$folder/dom.html" | sed 's/<[^>]*>//g')
echo "browser: $outcome"
grep -q 'data-selftest="pass"' "$folder/dom.html" || fail "the page's own examination failed"
for count in '"sliders":[1-9]' '"selectors":[1-9]' '"hovers":[1-9]' '"keys":[1-9]' '"toggles":[1-9]' '"buttons":[1-9]' '"answers":[1-9]' '"downloads":[1-9]' '"themes":2'; do
  echo "$outcome" | grep -q "$count" || fail "nothing was tried of $count"
done
if grep "CONSOLE" "$folder/console.txt"; then fail "the console is not silent"; fi
exit $failed
