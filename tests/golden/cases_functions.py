"""Functions of tensors, with first and second derivatives: activations, reductions, gather and scatter.

Second order: grad_grad.x is a random v; grad2.x and grad2.grad_output.y are the derivatives of sum(v * grad.x).
"""
import torch
from torch.nn import functional

from golden_case import Case

B, T, D = 3, 5, 4


def activation_case(name, op, **options):
    """x holds random values and, in its last row, some far out and some next to the kink at 0."""
    case = Case(__file__, name, op, **options)
    x = torch.cat([2 * torch.randn(2, 8), torch.tensor([[-30.0, -8.0, -1.5, -1e-3, 1e-3, 1.5, 8.0, 30.0]])])
    x = case.input("x", x)  # [3, 8]
    function = getattr(torch if op in ("tanh", "sigmoid") else functional, op)
    return case.outputs(y=function(x, **options), second_order=True)


def activations():
    for op in ("tanh", "sigmoid", "relu", "silu", "gelu"):
        yield activation_case(op, op)
    yield activation_case("gelu_tanh", "gelu", approximate="tanh")
    yield activation_case("elu", "elu", alpha=1.0)
    yield activation_case("elu_alpha", "elu", alpha=0.7)
    yield activation_case("softplus", "softplus", beta=1.0)
    yield activation_case("softplus_beta", "softplus", beta=2.0)
    yield activation_case("leaky_relu", "leaky_relu", negative_slope=0.01)
    yield activation_case("leaky_relu_slope", "leaky_relu", negative_slope=0.2)
    for op in ("selu", "mish", "hardtanh"):
        yield activation_case(op, op)


def elementary_case(op, positive=False, **options):
    """Functions of one argument; x is at least 0.1 where the function needs it."""
    case = Case(__file__, op, op, **options)
    x = torch.randn(3, 8)
    x = case.input("x", x.abs() + 0.1 if positive else 2 * x)
    return case.outputs(y=getattr(torch, op)(x, **options), second_order=True)


def pair_case(op):
    """Functions of two arguments that broadcast; both are positive."""
    case = Case(__file__, op, op)
    a, b = torch.randn(3, 1, 4), torch.randn(2, 4)
    a, b = case.input("a", a.abs() + 0.3), case.input("b", b.abs() + 0.3)
    return case.outputs(y=getattr(torch, op)(a, b), second_order=True)


def elementary():
    for op in ("abs", "exp", "expm1", "erf", "sin", "cos"):
        yield elementary_case(op)
    for op in ("log", "log1p", "sqrt", "rsqrt", "reciprocal"):
        yield elementary_case(op, positive=True)
    yield elementary_case("clamp", min=-1.0, max=1.5)
    for op in ("mul", "div", "pow", "maximum", "minimum"):
        yield pair_case(op)


AXES = {"all": (0, 1, 2), "middle": (1,), "outer": (0, 2)}


def reduction_case(name, op, axes, **options):
    """x [B, T, D]; the option dim is the list of axes, all of them for a scalar."""
    dims = AXES[axes]
    case = Case(__file__, f"{name}_{axes}", op, dim=",".join(map(str, dims)), keepdim=False, **options)
    x = case.input("x", torch.randn(B, T, D))
    function = torch.linalg.vector_norm if op == "norm" else getattr(torch, op)
    return case.outputs(y=function(x, dim=dims, **options), second_order=True)


def reductions():
    for axes in AXES:
        yield reduction_case("var", "var", axes, unbiased=True)
        yield reduction_case("var_biased", "var", axes, unbiased=False)
        yield reduction_case("std", "std", axes, unbiased=True)
        yield reduction_case("std_biased", "std", axes, unbiased=False)
        yield reduction_case("logsumexp", "logsumexp", axes)
        yield reduction_case("norm_2", "norm", axes, ord=2)
        yield reduction_case("amax", "amax", axes)
        yield reduction_case("amin", "amin", axes)
    for order in (1, 3, "inf"):
        yield reduction_case(f"norm_{order}", "norm", "middle", ord=float(order))


def norm_zero_case():
    """The 2-norm of a zero row is 0, and so is its gradient there."""
    case = Case(__file__, "norm_2_zero_row", "norm", dim="1", ord=2)
    x = torch.randn(B, D)
    x[1] = 0
    return case.outputs(y=torch.linalg.vector_norm(case.input("x", x), dim=1))


def scan_case(name, op, dim, zeros=(), second_order=True):
    """cumsum and prod over one axis, prod over all without dim."""
    case = Case(__file__, name, op, **({} if dim is None else {"dim": dim}))
    x = torch.randn(B, T)
    for place in zeros:
        x[place] = 0
    x = case.input("x", x)
    y = getattr(torch, op)(x) if dim is None else getattr(torch, op)(x, dim)
    return case.outputs(y=y, second_order=second_order)


def scans():
    for dim in (0, 1):
        yield scan_case(f"cumsum_dim{dim}", "cumsum", dim)
        yield scan_case(f"prod_dim{dim}", "prod", dim)
    yield scan_case("prod_all", "prod", None)
    # One zero in row 0, two in row 2: a gradient by y / x would be NaN.
    yield scan_case("prod_zeros", "prod", 1, zeros=[(0, 3), (2, 1), (2, 4)], second_order=False)


def index_case(name, op, dim, rows, columns):
    """gather: y[i][j] = x[index[i][j]][j] for dim 0. scatter_add: y = x, then y[index[i][j]][j] += src[i][j]."""
    case = Case(__file__, name, op, dim=dim)
    x = case.input("x", torch.randn(T, D))
    index = case.input("index", torch.randint((T, D)[dim], (rows, columns)))  # repeated ids are meant
    if op == "gather":
        return case.outputs(y=x.gather(dim, index), second_order=True)
    src = case.input("src", torch.randn(rows, columns))
    return case.outputs(y=x.scatter_add(dim, index, src), second_order=True)


def cases():
    yield from activations()
    yield from elementary()
    yield from reductions()
    yield norm_zero_case()
    yield from scans()
    for op in ("gather", "scatter_add"):
        yield index_case(op + "_dim0", op, 0, 7, 4)
        yield index_case(op + "_dim1", op, 1, 5, 6)
        yield index_case(op + "_smaller", op, 0, 7, 3)  # index narrower than x
