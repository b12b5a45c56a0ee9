"""Losses. Each with reduction mean and sum; output.loss is a scalar, so grad_output.loss is one number, not 1.

The others: input.x and input.target of one shape [n, V]. The target gets no gradient.

cross_entropy: input.logits [n, V], input.target [n] I64. A target equal to ignore_index counts neither in the sum nor
in the mean's divisor; label smoothing e gives (1 - e) * nll + e / V * sum_v(-log p_v).
"""
import torch
from torch.nn import functional

from golden_case import Case

n, V = 6, 5


def cross_entropy_case(name, reduction, label_smoothing=0.0, ignore_index=None):
    case = Case(__file__, f"cross_entropy_{name}_{reduction}", "cross_entropy", reduction=reduction,
                label_smoothing=label_smoothing, ignore_index=ignore_index)
    logits = case.input("logits", 2 * torch.randn(n, V))  # [n, V]
    target = torch.tensor([3, 2, 0, 2, 4, 1])  # [n]
    if ignore_index == -100:
        target[torch.tensor([1, 4])] = -100
    target = case.input("target", target)
    options = {} if ignore_index is None else {"ignore_index": ignore_index}
    loss = functional.cross_entropy(logits, target, reduction=reduction, label_smoothing=label_smoothing, **options)
    return case.outputs(loss=loss)


def nll_case(name, reduction, **options):
    case = Case(__file__, f"nll_{name}_{reduction}", "nll_loss", reduction=reduction, **options)
    log_p = case.input("log_p", torch.log_softmax(torch.randn(n, V), -1))  # [n, V]
    target = case.input("target", torch.tensor([3, 2, 0, 2, 4, 1]))  # [n]
    return case.outputs(loss=functional.nll_loss(log_p, target, reduction=reduction, **options))


def elementwise_case(name, op, x, target, reduction, constants=(), **options):
    """A loss of x against a target of the same shape. constants: further tensors, such as pos_weight [V]."""
    case = Case(__file__, f"{name}_{reduction}", op, reduction=reduction, **options)
    x, target = case.input("x", x()), case.input("target", target(), differentiate=False)
    constants = {key: case.input(key, make(), differentiate=False) for key, make in dict(constants).items()}
    loss = getattr(functional, op)(x, target, reduction=reduction, **constants, **options)
    return case.outputs(loss=loss)


def normal(scale=1.0):
    return lambda: scale * torch.randn(n, V)


def uniform(low, high):
    return lambda: low + (high - low) * torch.rand(n, V)


def distribution():
    """Rows that sum to 1; the first has a zero, where t log t counts 0."""
    p = torch.rand(n, V)
    p[0, 1] = 0
    return p / p.sum(-1, keepdim=True)


def log_distribution():
    return torch.log_softmax(torch.randn(n, V), -1)


def elementwise_cases():
    for reduction in ("mean", "sum"):
        yield elementwise_case("mse", "mse_loss", normal(), normal(), reduction)
        yield elementwise_case("l1", "l1_loss", normal(), normal(), reduction)
        for delta in (1.0, 0.5):
            yield elementwise_case(f"huber_{delta}", "huber_loss", normal(), normal(), reduction, delta=delta)
            yield elementwise_case(f"smooth_l1_{delta}", "smooth_l1_loss", normal(), normal(), reduction, beta=delta)
        yield elementwise_case("bce", "binary_cross_entropy", uniform(0.01, 0.99), uniform(0, 1), reduction)
        yield elementwise_case("bce_logits", "binary_cross_entropy_with_logits", normal(2), uniform(0, 1), reduction)
        yield elementwise_case("bce_logits_large", "binary_cross_entropy_with_logits", normal(300), uniform(0, 1),
                               reduction)
        yield elementwise_case("bce_logits_pos_weight", "binary_cross_entropy_with_logits", normal(2), uniform(0, 1),
                               reduction, constants={"pos_weight": lambda: 0.5 + 2 * torch.rand(V)})
    for reduction in ("batchmean", "sum"):  # batchmean divides by n
        yield elementwise_case("kl_div", "kl_div", log_distribution, distribution, reduction)
        yield elementwise_case("kl_div_log_target", "kl_div", log_distribution, log_distribution, reduction,
                               log_target=True)


def cases():
    for reduction in ("mean", "sum", "none"):
        yield cross_entropy_case("plain", reduction)
        yield cross_entropy_case("smoothing", reduction, label_smoothing=0.1)
        yield cross_entropy_case("ignore", reduction, ignore_index=2)
        yield cross_entropy_case("ignore_smoothing", reduction, ignore_index=2, label_smoothing=0.1)
    # An ignore_index that is no class: nothing may be looked up with it.
    yield cross_entropy_case("ignore_negative", "mean", ignore_index=-100)
    yield cross_entropy_case("ignore_negative_smoothing", "mean", ignore_index=-100, label_smoothing=0.1)
    for reduction in ("mean", "sum"):
        yield nll_case("plain", reduction)
        yield nll_case("ignore", reduction, ignore_index=2)
    yield from elementwise_cases()
