#!/usr/bin/env bash
# A compiler launcher: the source's syntax and types with every template that it uses, and an empty object. Code is not
# generated, which is four fifths of the work; a precompiled header is made as asked for.
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
