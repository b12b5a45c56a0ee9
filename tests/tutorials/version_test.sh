#!/usr/bin/env bash
# shellcheck disable=SC2317  # functions are called by `check`, by their names
# tutorials/version.cmake in a tree of its own: what --version prints follows each commit, and a build with nothing to do
# does nothing, whatever Git keeps: a log of HEAD or none, a work tree beside the repository, no repository at all.
# Prints one line a check, and exits with 1 if any failed.
set -u
source=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
for tool in git cmake ninja; do command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }; done
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=box GIT_AUTHOR_EMAIL=box@localhost \
  GIT_COMMITTER_NAME=box GIT_COMMITTER_EMAIL=box@localhost
failed=0
check() {  # WHAT CONDITION...
  local ok=ok what=$1
  shift
  "$@" || ok=FAIL failed=1
  printf '%-5s %s: %s\n' "$ok" "$tree" "$what"
}

# tree FOLDER: a project of the script and what it needs
tree() {
  mkdir -p "$1/tutorials/common" "$1/tests"
  cp "$source/heed" "$1"
  cp "$source/tests/test.sh" "$1/tests"
  cp "$source/tutorials/common/lessons.sh" "$1/tutorials/common"
  cp "$source/tutorials/version.cmake" "$1/tutorials"
  cat >"$1/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(heed VERSION 4.5.6 LANGUAGES NONE)
set(closure ${PROJECT_BINARY_DIR}/closure)
file(WRITE ${closure}/new.cmake "")
include(tutorials/version.cmake)
add_custom_target(heed_version ALL DEPENDS ${closure}/version.inc)
END
}
build() { ninja -C "$box/$tree/build" >"$box/log" 2>&1 || cat "$box/log"; }
idle() { build && grep -q 'no work to do' "$box/log"; }
says() { build && [ "$(cat "$box/$tree/build/closure/version.inc")" = "\"heed 4.5.6$1\"" ]; }
in_tree() { git -C "$box/$tree" "$@" >/dev/null 2>&1; }
commit() { in_tree commit --allow-empty -m "$RANDOM"; }
of_commit() { printf ' (commit %s)' "$(git -C "$box/$tree" rev-parse HEAD)"; }

# kept: what is built follows the commits
kept() {
  cmake -G Ninja -S "$box/$tree" -B "$box/$tree/build" >"$box/log" 2>&1 || cat "$box/log"
  check "the version" says "$(of_commit)"
  check "nothing to do" idle
  sleep 1.1  # a file system may count whole seconds
  commit
  check "after a commit" says "$(of_commit)"
  check "nothing to do then" idle
}

tree="no repository"
tree "$box/$tree"
cmake -G Ninja -S "$box/$tree" -B "$box/$tree/build" >"$box/log" 2>&1 || cat "$box/log"
check "the version" says ""
check "nothing to do" idle

for tree in "a log" "no log"; do
  tree "$box/$tree"
  in_tree init
  [ "$tree" = "a log" ] || in_tree config core.logAllRefUpdates false
  echo build >"$box/$tree/.gitignore"
  in_tree add -A && commit
  [ "$tree" = "a log" ] || check "no log is kept" [ ! -e "$box/$tree/.git/logs/HEAD" ]
  kept
done
rm "$box/a log/.git/logs/HEAD"
tree="a log"
check "the log is gone" says "$(of_commit)"
check "nothing to do without it" idle
in_tree worktree add -b beside "$box/beside it"
tree="beside it"
kept
exit "$failed"
