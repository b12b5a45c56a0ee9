#!/usr/bin/env bash
# nn/package/debugger/heed_debugger.py in a debugger, on debugger_subject.
#   debugger_test.sh gdb|lldb SOURCE PROGRAM        exits with 77 where there is no such debugger, or it may start nothing
set -u
debugger=$1 script=$2/nn/package/debugger/heed_debugger.py program=$3
shows='numbers=f32 [2, 3] {0, 1.5, -2, 3, 4, 5}
turned=f32 [3, 2] {0, 3, 1.5, 4, -2, 5}
column=f32 [2, 1] {1.5, 4}
empty=f32 [0, 3] {}
undefined=undefined
many=i64 [1000] {0, 1, 2, 3, 4, 5, 6, 7, ..}
mask=bool [2] {true, false}
pi=f64 [] {3.25}
reference=f32 [2, 3] {0, 1.5, -2, 3, 4, 5}
shape=[3, 2]
constant=f64 [] {3.25}
leaf=f32 [2] {1, 1}, leaf, grad f32 [2] {2, 2}
fresh=f32 [1] {1}, leaf, no grad
product=f32 [2] {2, 2}, from mul
none=undefined
freed.tensor=not initialised or freed
wild.tensor=not initialised or freed'

command -v "$debugger" >/dev/null || { echo "skipped: no $debugger"; exit 77; }
commands=()
case $debugger in
  gdb)
    timeout 30 gdb -nx -batch -ex 'set startup-with-shell off' -ex run -ex quit "$(command -v true)" </dev/null 2>&1 | grep -q 'exited normally' ||
      { echo "skipped: gdb may not start a program here"; exit 77; }
    commands=(-nx -batch -ex 'set startup-with-shell off' -ex "source $script" -ex 'break stop_here' -ex run -ex up)
    while IFS='=' read -r name _; do commands+=(-ex "print $name"); done <<<"$shows" ;;
  lldb)
    for folder in /usr/lib/llvm-*/lib/python3.*/dist-packages; do  # Debian's lldb 14 looks elsewhere
      [[ $folder/ != */llvm-"$(lldb --version | sed -n 's/.*version \([0-9]*\).*/\1/p')"/* ]] || export PYTHONPATH=$folder
    done
    timeout 30 lldb -x -b -o run "$(command -v true)" </dev/null 2>&1 | grep -q 'exited with status = 0' ||
      { echo "skipped: lldb may not start a program here"; exit 77; }
    commands=(-x -b -o "command script import $script" -o 'breakpoint set -n stop_here' -o run -o up)
    while IFS='=' read -r name _; do commands+=(-o "frame variable $name"); done <<<"$shows" ;;
esac
said=$(timeout 60 "$debugger" "${commands[@]}" "$program" </dev/null 2>&1)
[ $? != 124 ] || { echo "skipped: $debugger does not come to an end"; exit 77; }
failed=0
# gdb: "$3 = VALUE"; of a reference "$3 = (const heed::Tensor &) @0x..: VALUE".   lldb: "(heed::Tensor) name = VALUE"
found=$(sed -nE -e 's/^\$[0-9]+ = (\([^)]*\) @0x[0-9a-f]+: )?//p' -e 's/^\((const )?heed::[A-Za-z]+( &)?\) .* = (0x[0-9a-f]+ )?(.*[^{ ])(: \{)?$/\4/p' <<<"$said")
while IFS='=' read -r name value <&3 && { IFS= read -r got <&4 || got="nothing"; }; do
  [ "$got" = "$value" ] || { echo "FAIL  $name: shown as $got, not as $value"; failed=1; }
done 3<<<"$shows" 4<<<"$found"
if [ "$failed" = 1 ]; then tail -n 60 <<<"$said"; else echo "ok    $(wc -l <<<"$found") values in $debugger"; fi
exit "$failed"
