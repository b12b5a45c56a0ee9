#!/usr/bin/env bash
# What ./heed would install on systems that are not here: a PATH of nothing but a few plain tools and impostors, which
# write down how they were called. Prints one line a check, and exits with 1 if any failed.
set -u
source=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
heed=$box/heed
mkdir -p "$heed/tests" "$heed/tutorials/common" "$heed/tutorials/app"
cp "$source/heed" "$heed"
cp "$source/tests/test.sh" "$heed/tests"
cp "$source/tutorials/common/lessons.sh" "$heed/tutorials/common"
touch "$heed/tutorials/app/score.cpp"
bash=$(command -v bash)
failed=0

# system NAME OS_RELEASE_ID TOOL...: a bare machine; TOOL is a package manager or another program that it has.
system() {
  local tool
  rm -rf "${box:?}/root" "${box:?}/bin" "$heed/build"
  mkdir -p "$box/root/etc" "$box/bin"
  for tool in sed tr mkdir tail cat cut tee env grep rm; do ln -s "$(command -v "$tool")" "$box/bin/$tool"; done
  impostor uname "echo $1"
  impostor id "echo 0"
  [ -z "$2" ] || printf 'NAME="Some Linux"\nID=%s\n' "$2" >"$box/root/etc/os-release"
  shift 2
  for tool; do impostor "$tool" "echo \"$tool \$*\" >>\"$box/called\""; done
}
impostor() {
  printf '#!%s\n%s\n' "$bash" "$2" >"$box/bin/$1"
  chmod +x "$box/bin/$1"
}
header() {
  mkdir -p "$box/root$1"
  touch "$box/root$1/$2"
}

# expect NAME CALLS STDERR_PATTERN [COMMAND...]: `./heed score`, or COMMAND, there ends with 3 (nothing can be built),
# having called CALLS.
expect() {
  local found ok=ok name=$1 calls=$2 pattern=$3
  shift 3
  [ $# -gt 0 ] || set -- score
  : >"$box/called"
  PATH=$box/bin HEED_ROOT=$box/root CMAKE_PREFIX_PATH='' CONDA_PREFIX='' CXX='' "$bash" "$heed/heed" "$@" </dev/null >"$box/out" 2>"$box/err"
  found=$?
  # shellcheck disable=SC2053  # a pattern
  { [ "$found" = 3 ] && [ "$(cat "$box/called")" = "$calls" ] && [[ $(cat "$box/err") == $pattern ]]; } || { ok=FAIL failed=1; }
  printf '%-5s %s\n' "$ok" "$name"
  [ "$ok" = ok ] || { echo "exit $found; called:"; cat "$box/called"; echo "said:"; cat "$box/err"; }
}

headers="libfmt-dev doctest-dev nlohmann-json3-dev libcli11-dev libutf8proc-dev libpcre2-dev libmd4c-dev"
apt="apt-get install -y --no-install-recommends"
system Linux ubuntu apt-get
expect "Ubuntu, bare" "apt-get update
$apt g++ cmake ninja-build $headers" "heed: installing g++ cmake ninja-build $headers (a minute or two)*"
impostor c++ exit
impostor cmake "exit 1"
impostor ninja exit
header /usr/include/fmt format.h
expect "Ubuntu, a part is there" "apt-get update
$apt ${headers#libfmt-dev }" "heed: installing ${headers#libfmt-dev } *"
impostor id "echo 1000"
impostor sudo "exit 1"
expect "Ubuntu without privilege" "" "*may not install them; run: sudo apt-get update && sudo $apt ${headers#libfmt-dev }"
impostor sudo "[ \"\$1\" = -n ] || exec \"\$@\""
expect "Ubuntu with sudo" "apt-get update
$apt ${headers#libfmt-dev }" "heed: installing*"
for file in doctest/doctest.h nlohmann/json.hpp CLI/CLI.hpp ./utf8proc.h ./pcre2.h ./md4c.h; do header "/usr/include/${file%/*}" "${file##*/}"; done
expect "nothing is missing" "" "*building*the build failed*"
expect "the playground's compiler" "apt-get update
$apt emscripten nodejs" "heed: installing emscripten nodejs *" course --playground
impostor em++ exit
impostor node exit
expect "the playground's compiler is there" "" "*building*the build failed*" course --playground
impostor id "echo 1000"
impostor sudo "exit 1"
rm "$box/bin/em++"
expect "the playground's compiler, without privilege" "" "*may not install them; run: sudo apt-get update && sudo $apt emscripten" course --playground

headers="fmt-devel doctest-devel json-devel cli11-devel utf8proc-devel pcre2-devel md4c-devel"
system Linux fedora dnf apt-get brew
expect "Fedora, bare, with other managers beside" "dnf install -y gcc-c++ cmake ninja-build $headers" "heed: installing gcc-c++ *"
impostor dnf "echo no such package; exit 1"
expect "Fedora, a failed installation" "" "*no such package*the installation failed; the line to run is: sudo dnf install gcc-c++ *"
system Linux '"rocky"
ID_LIKE="rhel centos fedora"' dnf
expect "like Fedora" "dnf install -y gcc-c++ cmake ninja-build $headers" "*"

system Linux arch pacman
expect "Arch: the playground's compiler" "" "*sudo pacman -S --needed gcc cmake ninja * md4c emscripten nodejs" course --playground
expect "Arch: the line to run" "" "*sudo pacman -S --needed gcc cmake ninja fmt doctest nlohmann-json cli11 libutf8proc pcre2 md4c"
system Linux plan9
expect "no manager" "" "heed needs what Debian calls g++ cmake *; install it with your system's package manager"

headers="fmt doctest nlohmann-json cli11 utf8proc pcre2 md4c"
system Darwin "" brew
expect "macOS without a compiler" "" "heed needs Apple's compiler; install it with: xcode-select --install"
impostor xcode-select "echo /Library/Developer"
impostor id "echo 501"
expect "macOS, bare: brew without sudo" "brew install cmake ninja $headers" "heed: installing cmake ninja $headers *"
impostor cmake "exit 1"
header /opt/homebrew/include/fmt format.h
header /opt/homebrew/include utf8proc.h
header /opt/homebrew/include pcre2.h
expect "macOS, a part is there" "brew install ninja doctest nlohmann-json cli11 md4c" "heed: installing ninja doctest nlohmann-json cli11 md4c *"
rm "$box/bin/brew"
expect "macOS without brew" "" "*install Homebrew from https://brew.sh, then: brew install ninja doctest nlohmann-json cli11 md4c"
exit "$failed"
