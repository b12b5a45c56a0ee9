"""Losses. Each with reduction mean and sum; output.loss is a scalar, so grad_output.loss is one number, not 1.

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


def cases():
    for reduction in ("mean", "sum", "none"):
        yield cross_entropy_case("plain", reduction)
        yield cross_entropy_case("smoothing", reduction, label_smoothing=0.1)
        yield cross_entropy_case("ignore", reduction, ignore_index=2)
        yield cross_entropy_case("ignore_smoothing", reduction, ignore_index=2, label_smoothing=0.1)
    # An ignore_index that is no class: nothing may be looked up with it.
    yield cross_entropy_case("ignore_negative", "mean", ignore_index=-100)
    yield cross_entropy_case("ignore_negative_smoothing", "mean", ignore_index=-100, label_smoothing=0.1)
