#!/usr/bin/env bash
# What cmake --install gives: tutorials/out_of_tree on it and on the source, and every installed header compiled alone
# for the plainest processor, with nothing from this tree in reach.
#   package_test.sh SOURCE BUILD CMAKE COMPILER [whole]        prints one line a check; exits with 1 if any failed
# shellcheck disable=SC2317  # functions are called through check
set -u
source=$1 build=$2 cmake=$3 compiler=$4
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failed=0

# check NAME COMMAND...: what it printed is shown where it fails.
check() {
  local name=$1
  shift
  if "$@" >"$box/log" 2>&1; then printf 'ok    %s\n' "$name"; return; fi
  failed=1
  printf 'FAIL  %s\n' "$name"
  tail -n 40 "$box/log" | cut -c 1-240
}

example() {  # FOLDER CMAKE_OPTION...: configured, built and run
  local folder=$box/$1
  shift
  "$cmake" -S "$box/example" -B "$folder" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" "$@" &&
    "$cmake" --build "$folder" -j 2 && (cd "$folder" && ./backwards)
}

# Each header is a file of its own to the compiler: nothing it includes may have stayed behind, and no vector type may
# meet the linker. (Warnings of the vector ABI are errors here.)
headers_alone() {
  local header
  (cd "$prefix/include/heed" && find . -name '*.h' | sort) >"$box/headers"
  [ "$(wc -l <"$box/headers")" -gt 50 ] || { echo "only $(wc -l <"$box/headers") headers"; return 1; }
  while IFS= read -r header; do printf '#include "%s"\n' "${header#./}"; done <"$box/headers" >"$box/all.cpp"
  "$compiler" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" -I "$prefix/include/heed" "$box/all.cpp" || return 1
  ! grep -rnE 'vector_size|immintrin|__AVX|<fmt/|nlohmann|utf8proc[.]h|pcre2[.]h' "$prefix/include/heed"
}

# Every object of heed::nn, not only those that the example happens to use, finds its symbols in the layers below and fmt.
whole_archives() {
  [ "$(uname)" = Linux ] || return 0
  echo 'int main() {}' >"$box/empty.cpp"
  "$compiler" "$box/empty.cpp" -Wl,--whole-archive "$lib/libheed_nn.a" "$lib/libheed_autograd.a" "$lib/libheed_tensor.a" \
    -Wl,--no-whole-archive -L"$lib" -lfmt -pthread -o "$box/empty"
}

no_flags_leak() { ! grep -rnE 'march|mcpu|Wconversion|fsanitize|heed_flags' "$prefix"/lib*/cmake/heed/*Targets*.cmake; }
debugger_file() { cmp "$source/nn/package/debugger/heed_debugger.py" "$prefix/share/heed/heed_debugger.py"; }
program_runs() { [ ! -x "$build/bin/heed" ] || "$prefix/bin/heed" score --help; }

prefix=$box/prefix
cp -r "$source/tutorials/out_of_tree" "$box/example"
check "cmake --install" "$cmake" --install "$build" --prefix "$prefix"
lib=$(find "$prefix" -name libheed_nn.a)
lib=${lib%/*}
check "licence" cmp "$source/LICENSE" "$prefix/share/doc/heed/LICENSE"
check "the debugger's file" debugger_file
check "headers alone, without processor flags" headers_alone
check "no compile option leaks" no_flags_leak
check "heed::nn needs fmt alone" whole_archives
check "the heed program" program_runs

# Nothing but fmt and threads may be looked for: a value that is not NOTFOUND ends the search for utf8proc.
alone=(-DHEED_UTF8PROC_LIBRARY=OFF)
for package in nlohmann_json CLI11 doctest; do alone+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
check "example: find_package" example installed -DCMAKE_PREFIX_PATH="$prefix" "${alone[@]}"
sed 's/heed CONFIG REQUIRED/heed 0.1 CONFIG REQUIRED COMPONENTS nn text/; s/heed::nn/heed::text/' \
  "$source/tutorials/out_of_tree/CMakeLists.txt" >"$box/example/CMakeLists.txt"
check "example: with heed::text" example text -DCMAKE_PREFIX_PATH="$prefix"
text_refused() { ! example lacking -DCMAKE_PREFIX_PATH="$prefix" "${alone[@]}" && grep -q 'utf8proc' "$box/log"; }
check "heed::text without utf8proc is refused in words" text_refused

# A part of another project: libraries and nothing else. Building all of it takes minutes, and is asked for by name.
cp "$source/tutorials/out_of_tree/CMakeLists.txt" "$box/example/"
as_part() {
  "$cmake" -S "$box/example" -B "$box/part" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DHEED_SOURCE="$source" \
    -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON || return 1
  ! "$cmake" --build "$box/part" --target help | grep -E 'heed_app|heed_common|heed_headers|heed_cases|test_|lesson|: install' || return 1
  ! grep -q 'march=native' "$box/part/build.ninja" || return 1
  "$cmake" --build "$box/part" --target CMakeFiles/backwards.dir/main.cpp.o
}
check "a part of another project" as_part
if [ "${5:-}" = whole ]; then check "example: add_subdirectory" example part -DHEED_SOURCE="$source" -DHEED_NATIVE=ON; fi
exit "$failed"
