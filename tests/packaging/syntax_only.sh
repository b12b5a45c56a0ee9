#!/usr/bin/env bash
# A compiler launcher that checks the syntax, types and used templates of a source and leaves an empty object. Generating
# code would be four fifths of the work; precompiled headers are built as usual.
#   syntax_only.sh COMPILER ARGUMENT..
set -eu
object="" previous="" arguments=()
for argument; do
  if [ "$argument" = -emit-pch ]; then exec "$@"; fi
  if [ "$previous" = -o ]; then object=$argument; fi
  if [ "$argument" = -c ]; then argument=-fsyntax-only; fi
  arguments+=("$argument") previous=$argument
done
"${arguments[@]}"
: >"$object"
