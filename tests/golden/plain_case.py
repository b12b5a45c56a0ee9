"""One case without PyTorch: the formula of a paper written plainly in numpy, word after word, in double precision.

A case holds inputs, parameters and outputs, and no gradients: those of heed are checked against differences. Numbers are seeded
by the name of the case. A file stays below 4 KB: B 2, T 5, D 4, H 2 unless the formula needs more.

    case = PlainCase(__file__, "mixer", "gated_delta:taps=2", causal=True)
    x = case.input("x", (2, 5, 4))
    W = case.parameter("gate.weight", (4, 4))       under heed's own name, without its prefix
    case.output(y)
"""
import os
import zlib

import numpy


class PlainCase:
    def __init__(self, script, kind, stage, name=None, **options):
        """options: heads, causal, layer, layers; others are for tests of their own."""
        self.name = kind + "_" + (name or stage.split(":")[0])
        self.arrays = {}
        options = {"stage": stage, "plain": True, "heads": 2, "causal": True, "layer": 0, "layers": 0} | options
        self.metadata = {key: str(value).lower() for key, value in options.items()}
        self.metadata["script"] = "tests/golden/" + os.path.basename(script)
        self.random = numpy.random.RandomState(zlib.crc32(self.name.encode()))

    def normal(self, shape, scale=1.0, mean=0.0):
        """Random numbers that are the same in float32."""
        return (mean + scale * self.random.randn(*shape)).astype(numpy.float32).astype(numpy.float64)

    def add(self, name, value):
        value = numpy.asarray(value)
        value = value.astype(numpy.float64 if value.dtype.kind == "f" else numpy.int64)
        assert name not in self.arrays, f"{self.name}: {name} given twice"
        assert numpy.isfinite(value).all(), f"{self.name}: {name} is not finite"
        self.arrays[name] = numpy.ascontiguousarray(value)
        return value

    def input(self, name, shape, scale=1.0):
        return self.add("input." + name, self.normal(shape, scale))

    def parameter(self, name, shape, scale=None, mean=0.0):
        """A random parameter; a matrix [out, in] is scaled by in^-1/2 if no scale is given."""
        return self.add("param." + name, self.normal(shape, scale or shape[-1] ** -0.5, mean))

    def output(self, y, name="y"):
        self.add("output." + name, y)
        return self


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return numpy.logaddexp(0, x)


def softmax(x, axis=-1):
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def rms(x, eps=1e-5):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + eps)


def layer_norm(x, eps=1e-5):
    centred = x - x.mean(-1, keepdims=True)
    return centred / numpy.sqrt((centred * centred).mean(-1, keepdims=True) + eps)


def unit(x, eps=1e-6):
    return x / numpy.sqrt((x * x).sum(-1, keepdims=True) + eps)


def heads(x, H):
    """[B, T, H K] -> [B, H, T, K]"""
    return x.reshape(*x.shape[:2], H, -1).transpose(0, 2, 1, 3)


def joined(x):
    """[B, H, T, K] -> [B, T, H K]"""
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def short_convolution(x, weight, bias):
    """weight [w, D]: silu(sum over j of weight_j x_(t - j) + bias)"""
    y = numpy.zeros_like(x) + bias
    for t in range(x.shape[1]):
        for j in range(min(len(weight), t + 1)):
            y[:, t] += weight[j] * x[:, t - j]
    return silu(y)
