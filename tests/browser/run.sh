#!/usr/bin/env bash
# The pages driven as a reader drives them, in Chromium without a screen: every *_test.mjs of this folder.
# usage: run.sh [--screenshots DIR] [--build BUILD_FOLDER] [WORD...]     only the tests whose name contains one of the words
# playwright-core, of the version in package-lock.json, is installed into build/browser. Exit 77: npm or Chromium is missing.
set -u
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
top=$(cd "$here/../.." && pwd)
skip() { echo "browser: skipped, $1"; exit 77; }
browser=""
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if browser=$(command -v "$name"); then break; fi
done
[ -n "$browser" ] || skip "no Chromium on this machine (on Debian: apt-get install chromium)"
command -v node >/dev/null || skip "no Node.js on this machine (on Debian: apt-get install nodejs npm)"
command -v npm >/dev/null || skip "no npm on this machine (on Debian: apt-get install npm)"

folder=$top/build/browser
mkdir -p "$folder" || exit 1
if ! [ -d "$folder/node_modules/playwright-core" ] || ! cmp -s "$here/package-lock.json" "$folder/package-lock.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$folder/" || exit 1
  if ! (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >"$folder/npm.log" 2>&1; then
    rm -f "$folder/package-lock.json"
    tail -n 5 "$folder/npm.log" >&2
    skip "npm could not install playwright-core (is there a network?)"
  fi
fi
HEED_CHROMIUM=$browser HEED_BROWSER_FOLDER=$folder exec node "$here/run.mjs" "$@"
