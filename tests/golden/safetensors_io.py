"""A minimal writer and reader of safetensors, the format of heed's checkpoints.

A file is: 8 bytes, little-endian, the length L of the header; L bytes of JSON
{"__metadata__": {string: string}, name: {"dtype", "shape", "data_offsets": [begin, end]}}, padded with spaces so
that the data starts on a multiple of 8; the data, little-endian and contiguous, in the order of the header.
Format: https://huggingface.co/docs/safetensors
"""
import json
import os

import numpy

DTYPES = {"F64": "<f8", "I64": "<i8"}


def to_bytes(arrays, metadata):
    """arrays: {name: numpy array of float64 or int64}; metadata: {str: str}. Names are written in sorted order."""
    header, blocks, offset = {"__metadata__": dict(sorted(metadata.items()))}, [], 0
    for name in sorted(arrays):
        dtype = {"f": "F64", "i": "I64"}[arrays[name].dtype.kind]
        block = arrays[name].astype(DTYPES[dtype]).tobytes(order="C")
        end = offset + len(block)
        header[name] = {"dtype": dtype, "shape": list(arrays[name].shape), "data_offsets": [offset, end]}
        blocks.append(block)
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(blocks)


def from_bytes(raw):
    """The inverse: returns (arrays, metadata)."""
    start = 8 + int.from_bytes(raw[:8], "little")
    header, arrays = json.loads(raw[8:start]), {}
    metadata = header.pop("__metadata__", {})
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        block = raw[start + begin : start + end]
        arrays[name] = numpy.frombuffer(block, DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays, metadata


def write(path, raw):
    """Writes to a temporary name, flushes and renames, so that no reader sees half a file."""
    with open(path + ".tmp", "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)
