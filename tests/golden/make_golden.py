#!/usr/bin/env python3
"""Writes every *.safetensors of this folder from PyTorch, or from plain numpy (README.md says what they hold).

make_golden.py            write all files, remove those that no script makes any more
make_golden.py NAME ..    write those of plain_NAME.py only, which need no PyTorch
make_golden.py --check    write nothing; remake everything in memory and compare with the files: byte by byte, and where
                          bytes differ (another processor or PyTorch) by value, to 1e-12 of max(1, |value|)
make_golden.py --list     print each file with its options and the shape of each tensor
"""
import glob
import importlib
import math
import os
import signal
import sys

import numpy

import safetensors_io

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = sorted(os.path.basename(path)[6:-3] for path in glob.glob(os.path.join(HERE, "plain_*.py"))
               if not path.endswith("plain_case.py"))


def plain_modules(names):
    return [importlib.import_module("plain_" + name) for name in names]


def make_all():
    """{file name: bytes} of every case."""
    import cases_attention
    import cases_fixed_mixers
    import cases_evaluators
    import cases_functions
    import cases_layers
    import cases_losses
    import cases_mixers
    import cases_memory
    import cases_optim
    import cases_positions
    import cases_recurrent
    import cases_schedules
    import cases_variants

    groups = (cases_recurrent, cases_layers, cases_functions, cases_losses, cases_optim, cases_schedules,
              cases_attention, cases_positions, cases_variants, cases_mixers, cases_memory, cases_fixed_mixers, cases_evaluators)
    return make([*groups, *plain_modules(PLAIN)])


def make(modules):
    files = {}
    for module in modules:
        for case in module.cases():
            raw = safetensors_io.to_bytes(case.arrays, case.metadata)
            again, metadata = safetensors_io.from_bytes(raw)
            assert metadata == case.metadata and again.keys() == case.arrays.keys(), case.name
            assert all(numpy.array_equal(again[name], case.arrays[name]) for name in again), case.name
            assert case.name + ".safetensors" not in files, f"{case.name} is made twice"
            files[case.name + ".safetensors"] = raw
    return files


def on_disk():
    return {os.path.basename(path): path for path in sorted(glob.glob(os.path.join(HERE, "*.safetensors")))}


def difference(old, new):
    """The largest difference between two files, relative to max(1, |value|); infinite if they hold different things."""
    (old, old_options), (new, new_options) = safetensors_io.from_bytes(old), safetensors_io.from_bytes(new)
    if old_options | {"torch": ""} != new_options | {"torch": ""} or old.keys() != new.keys():
        return math.inf
    if any(old[name].shape != new[name].shape or old[name].dtype != new[name].dtype for name in old):
        return math.inf
    return max((abs(old[name] - new[name]) / numpy.maximum(1, abs(old[name]))).max() for name in old)


def check(files):
    existing, faults, rounding = on_disk(), [], []
    for name in sorted(files.keys() | existing.keys()):
        if name not in existing:
            faults.append(f"{name}: no such file")
        elif name not in files:
            faults.append(f"{name}: no script makes it")
        elif (old := open(existing[name], "rb").read()) != files[name]:
            rounding.append(difference(old, files[name]))
            if not rounding[-1] <= 1e-12:
                faults.append(f"{name}: differs by {rounding.pop():.1e}")
    print("\n".join(faults) or f"all {len(files)} files are the same, {len(files) - len(rounding)} byte by byte, "
          f"{len(rounding)} but for rounding (at most {max(rounding, default=0):.1e})")
    return 1 if faults else 0


def write(files):
    for name, raw in files.items():
        safetensors_io.write(os.path.join(HERE, name), raw)
    print(f"{len(files)} files, {sum(map(len, files.values())):,} bytes")
    return 0


def show():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end quietly under "| head"
    for name, path in on_disk().items():
        arrays, metadata = safetensors_io.from_bytes(open(path, "rb").read())
        print(name, " ".join(f"{key}={value}" for key, value in metadata.items() if key not in ("torch", "script")))
        for tensor, value in arrays.items():
            if ".step" in tensor and ".step00" not in tensor:
                continue  # as step00
            print(f"    {tensor} {list(value.shape)}" + (" I64" if value.dtype.kind == "i" else ""))
    return 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["--list"]:
        sys.exit(show())
    if arguments and all(name in PLAIN for name in arguments):
        sys.exit(write(make(plain_modules(arguments))))
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    if arguments:
        sys.exit(check(make_all()))
    files = make_all()
    for old, path in on_disk().items():
        if old not in files:
            os.remove(path)
    sys.exit(write(files))
