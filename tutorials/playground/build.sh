#!/usr/bin/env bash
# Builds the page of the playground: build.sh OUT.html WEIGHTS.f16
#
# The engine's sources (tutorials/closure.awk finds which ones) are compiled to WebAssembly by emscripten, in build/wasm:
# -O3 for the kernels and -O1 for what calls them, as in the native build; SIMD of 128 bits; C++ exceptions as wasm's own.
# assemble.mjs then puts everything into one HTML file. Exit code 3: the build failed.
set -eu -o pipefail
top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
out=$1 weights=$2 folder=$top/build/wasm
case $out in /*) ;; *) out=$PWD/$out ;; esac
mkdir -p "$folder/include" "$(dirname "$out")"
cd "$top"
# Debian's emscripten looks for acorn where node does not.
[ ! -d /usr/share/nodejs ] || export NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs

# The headers of fmt and of the JSON library, of this system or as CMake fetched them, without the system's other headers.
for library in fmt nlohmann; do
  for place in ${CMAKE_PREFIX_PATH:+"${CMAKE_PREFIX_PATH%%[:;]*}"} /usr /usr/local /opt/homebrew "$top"/build/release/_deps/{fmt,nlohmann_json}-src; do
    if [ -d "$place/include/$library" ]; then ln -sfn "$place/include/$library" "$folder/include/$library"; break; fi
  done
done

find tensor autograd nn -name '*.h' -o -name '*.cpp' | grep -v /cases/ | sort >"$folder/files.txt"
printf '%s\n' tutorials/playground/{engine.h,engine.cpp,exports.cpp} >>"$folder/files.txt"
echo 'playground tutorials/playground/exports.cpp' >"$folder/programs.txt"
awk -f tutorials/closure.awk "$folder/files.txt" "$folder/programs.txt" "$folder/closure.cmake"
# Searches by spelling need the Unicode tables of utf8proc, and the page needs no such search.
sources=$(sed -n 's/^set(closure_playground \(.*\))$/\1/p' "$folder/closure.cmake" | tr ' ' '\n' |
  grep -v -e '^nn/text/unicode' -e '^nn/text/spelling')

{
  printf '#include <%s>\n' algorithm array cmath cstdint functional limits map memory numeric optional span string \
    string_view unordered_map utility variant vector fmt/format.h
  echo "#include \"$top/tutorials/playground/libcxx.h\""
} >"$folder/headers.new"
cmp -s "$folder/headers.new" "$folder/headers.h" || mv "$folder/headers.new" "$folder/headers.h"

loops='^(tensor/|autograd/|nn/recurrent/.*_(gates|sequence)[.]cpp|nn/optim/(ada|average|clip|rms|sgd)|nn/attention/scores/additive_score)'
objects=""
{
  echo 'builddir = build/wasm'
  echo "flags = -std=c++20 -msimd128 -fwasm-exceptions -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi -I. -Ibuild/wasm/include"
  echo 'rule headers'
  # shellcheck disable=SC2016  # these are ninja's variables
  printf '  command = em++ $flags $level -x c++-header $in -o $out\nrule cxx\n  command = em++ $flags $level -include-pch $headers -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n  deps = gcc\nrule link\n  command = em++ $flags -O2 @$out.rsp -o $out $exports\n  rspfile = $out.rsp\n  rspfile_content = $in\n'
  for level in 1 3; do
    printf 'build build/wasm/headers%s.pch: headers build/wasm/headers.h | tutorials/playground/libcxx.h\n  level = -O%s\n' $level $level
  done
  for source in $sources tutorials/playground/{explain,fmt_once,no_mixers}.cpp; do
    level=1
    [[ ! $source =~ $loops ]] || level=3
    object=build/wasm/objects/${source//\//_}.o
    printf 'build %s: cxx %s | build/wasm/headers%s.pch\n  level = -O%s\n  headers = build/wasm/headers%s.pch\n' \
      "$object" "$source" $level $level $level
    objects="$objects $object"
  done
  exported=$(sed -n 's/^[a-z].* \**\(play_[a-z]*\)(.*) {.*/"_\1"/p' tutorials/playground/exports.cpp | tr '\n' ',')
  printf 'build build/wasm/engine.js | build/wasm/engine.wasm: link%s\n' "$objects"
  printf "  exports = -sMODULARIZE -sEXPORT_NAME=heedEngine -sENVIRONMENT=web,worker,node -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=64MB -sFILESYSTEM=0 '-sEXPORTED_FUNCTIONS=[%s\"_malloc\",\"_free\"]' '-sEXPORTED_RUNTIME_METHODS=[\"UTF8ToString\"]'\n" "$exported"
} >"$folder/build.ninja"
if ! ninja -f build/wasm/build.ninja ${CMAKE_BUILD_PARALLEL_LEVEL:+-j "$CMAKE_BUILD_PARALLEL_LEVEL"} build/wasm/engine.js >"$folder/heed.log" 2>&1; then
  grep -e 'error' "$folder/heed.log" | head -n 5 >&2
  echo "playground: the build failed; all of its output is in build/wasm/heed.log" >&2
  exit 3
fi
node tutorials/playground/assemble.mjs build/wasm/engine.js build/wasm/engine.wasm "$weights" "$out"
