#!/usr/bin/env python3
"""Files of heed read by Python, and files of Python read by heed: check_from_heed.py PROGRAM

PROGRAM is bin/interchange, which writes and reads the files. The reader and writer here know nothing of heed: they
follow the description of the format, and where the safetensors package is installed it reads and writes too. Exit code
0: all is equal, 1: something differs, 77: torch or numpy is missing.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from torch import nn
except ImportError as error:
    print(f"skipped: {error}; hint: apt install python3-torch python3-numpy")
    sys.exit(77)
try:
    from safetensors import safe_open
    from safetensors.torch import save_file
except ImportError:
    safe_open = save_file = None

DTYPES = {"BOOL": "?", "U8": "<u1", "I8": "<i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
          "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("MISS", what)


def refuse_twice(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a key stands twice"
    return dict(pairs)


def read(path):
    """(arrays, metadata), after every rule of the format has been checked."""
    raw = open(path, "rb").read()
    (length,) = struct.unpack("<Q", raw[:8])
    text, data = raw[8 : 8 + length], raw[8 + length :]
    check(length % 8 == 0 and text.startswith(b"{"), f"{path}: the header begins with {{ and is padded to 8")
    header = json.loads(text.decode("utf-8"), object_pairs_hook=refuse_twice)
    metadata, arrays, at = header.pop("__metadata__", {}), {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        dtype = np.dtype(DTYPES[entry["dtype"]])
        check(begin == at and begin % dtype.itemsize == 0, f"{path}: {name} leaves no hole and is aligned")
        arrays[name] = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
        at = end
    check(at == len(data), f"{path}: the tensors fill the file")
    return arrays, metadata


def write(path, tensors, metadata):
    """tensors: [(name, dtype of the format, shape, bytes)], in this order."""
    header, at = {}, 0
    for name, dtype, shape, block in tensors:
        header[name] = {"data_offsets": [at, at + len(block)], "shape": list(shape), "dtype": dtype}
        at += len(block)
    header["__metadata__"] = metadata  # last: any order is allowed
    text = json.dumps(header, indent=1).encode() + b" " * 13
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(block for *_, block in tensors))


def named(array):
    name = {np.dtype(code): name for name, code in DTYPES.items()}[array.dtype]
    return name, array.shape, np.ascontiguousarray(array).tobytes()


def table():
    """The table that interchange.cpp has too."""
    inf, i64 = np.inf, np.iinfo(np.int64)
    arrays = {
        "bool": np.array([1, 0, 1, 1, 0], np.bool_),
        "f32": np.array([[0, -0.0, 1.5, -2], [1e-45, 3.4028235e38, inf, -inf]], np.float32),
        "f64": np.array([[0.1, -1e300], [5e-324, 1 / 3], [2, -7]]),
        "i64": np.array([[i64.min], [-1], [0], [i64.max]]),
        "nan": np.array([np.nan], np.float32),
        "transposed": np.arange(6).reshape(2, 3).T,
        "scalar": np.array(2.5),
        "empty": np.zeros((3, 0, 2), np.float32),
        'a "quoted"\n\u00e9 \U0001f600 name': np.arange(1),
    }
    return arrays, {"format": "pt", "words": '"\\ \u00e9\n'}


def narrow():
    """What heed widens: each with the same numbers under wide.NAME."""
    half = torch.tensor([0.0, -0.0, 1, -2, 65504, 2**-14, 2**-24, 1023 * 2**-24, np.inf, -np.inf], dtype=torch.float16)
    brain = torch.tensor([0.0, 1, -3.140625, 3.3895e38, 1e-40, -np.inf]).to(torch.bfloat16)
    yield "F16", "F16", half.shape, half.numpy().tobytes()
    yield ("wide.F16", *named(half.double().numpy()))
    yield "BF16", "BF16", brain.shape, brain.view(torch.int16).numpy().tobytes()
    yield ("wide.BF16", *named(brain.double().numpy()))
    for name in ("U8", "I8", "U16", "I16", "U32", "I32", "U64"):
        info = np.iinfo(DTYPES[name])
        values = np.array([info.min, 0, 1, min(int(info.max), 2**63 - 1)], DTYPES[name])
        yield (name, *named(values))
        yield ("wide." + name, *named(values.astype(np.int64)))


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 3)
        self.gru = nn.GRU(3, 4, 2, bidirectional=True, batch_first=True)
        self.lstm = nn.LSTM(8, 5, batch_first=True)
        self.linear = nn.Linear(5, 2)

    def forward(self, ids):
        return self.linear(self.lstm(self.gru(self.embedding(ids))[0])[0])


def from_heed(folder):
    ours, metadata = table()
    theirs, their_metadata = read(folder + "/dtypes.safetensors")
    check(metadata == their_metadata, "metadata")
    check(ours.keys() == theirs.keys(), "names")
    for name in ours.keys() & theirs.keys():
        a, b = ours[name], theirs[name]
        same = a.dtype == b.dtype and a.shape == b.shape
        check(same and (name == "nan" and np.isnan(b).all() or a.tobytes() == b.tobytes()), f"heed's {name}")
    arrays, _ = read(folder + "/model.safetensors")
    tensors = {name: torch.from_numpy(value.copy()) for name, value in arrays.items()}
    x, y = tensors.pop("x"), tensors.pop("y")
    layers = Layers()
    layers.load_state_dict(tensors, strict=True)
    with torch.no_grad():
        error = (layers(x) - y).abs().max().item()
    print(f"PyTorch with heed's weights: difference {error:.1e}")
    check(error < 1e-5, "the outputs of heed's weights")
    if safe_open:
        with safe_open(folder + "/model.safetensors", "pt") as file:
            check(set(file.keys()) == set(arrays), "names, by the safetensors package")
            for name in file.keys():
                check(np.array_equal(file.get_tensor(name).numpy(), arrays[name]), f"{name}, by the safetensors package")
    return len(theirs) + len(arrays)


def to_heed(folder):
    arrays, metadata = table()
    tensors = [(name, *named(array)) for name, array in reversed(arrays.items())] + list(narrow())
    write(folder + "/from_python.safetensors", tensors, metadata)
    torch.manual_seed(1)
    layers, x = Layers(), torch.tensor([[1, 6, 3], [0, 2, 5]])
    state = dict(layers.state_dict())
    with torch.no_grad():
        state |= {"x": x, "y": layers(x)}
    if save_file:
        save_file({name: value.contiguous() for name, value in state.items()}, folder + "/weights.safetensors")
    else:
        weights = [(name, *named(value.numpy())) for name, value in state.items()]
        write(folder + "/weights.safetensors", weights, {"format": "pt"})
    return len(tensors) + len(state)


def main(program):
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "write", folder], check=True)
        read_count = from_heed(folder)
        written = to_heed(folder)
        sys.stdout.flush()
        if subprocess.run([program, "read", folder]).returncode != 0:
            failures.append("heed reading Python's files")
    package = "with" if safe_open else "without"
    print(f"{read_count} tensors of heed read, {written} of Python written, {package} the safetensors package: "
          f"{'all equal' if not failures else f'{len(failures)} faults'}")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
