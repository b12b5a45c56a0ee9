"""Learning-rate schedules: output.lr [30], where output.lr[t] is the rate that optimiser step t = 0 .. 29 uses.

The scheduler is stepped once after each optimiser step. ReduceLROnPlateau is stepped with input.metric[t] after step t.
Options not given in the metadata are PyTorch's defaults; base_lr is the optimiser's own rate.
"""
import math

import torch
from torch.optim import lr_scheduler

from golden_case import Case

STEPS = 30


def rates(base_lr, make, metric=None):
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base_lr)
    scheduler, values = make(optimiser), []
    for step in range(STEPS):
        values.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        if metric is not None:
            scheduler.step(metric[step])
        elif step + 1 < STEPS:  # OneCycleLR refuses a step past its last
            scheduler.step()
    return torch.tensor(values)


def schedule_case(name, kind, base_lr=0.1, **options):
    case = Case(__file__, "lr_" + name, kind, base_lr=base_lr, **options)
    case.add("output.lr", rates(base_lr, lambda optimiser: getattr(lr_scheduler, kind)(optimiser, **options)))
    return case


def lambda_case(name, formula, factor, base_lr, **options):
    """LambdaLR: base_lr * factor(t), t from 0. The formula counts s = t + 1."""
    case = Case(__file__, "lr_" + name, "LambdaLR", base_lr=base_lr, formula=formula, **options)
    case.add("output.lr", rates(base_lr, lambda optimiser: lr_scheduler.LambdaLR(optimiser, factor)))
    return case


def plateau_case(name, metric, base_lr=0.1, **options):
    case = Case(__file__, "lr_plateau_" + name, "ReduceLROnPlateau", base_lr=base_lr, **options)
    case.add("input.metric", torch.tensor(metric))
    values = rates(base_lr, lambda optimiser: lr_scheduler.ReduceLROnPlateau(optimiser, **options), metric)
    assert len(set(values.tolist())) > 2, case.name + " hardly ever reduces"
    case.add("output.lr", values)
    return case


def noam(step, width, warmup):
    return width**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


def inverse_sqrt(step, warmup):
    return min((step + 1) / warmup, math.sqrt(warmup / (step + 1)))


# Falls, stalls, falls by less than the threshold, falls again, rises.
METRIC = [9.0, 7.0, 6.0, 6.0, 6.1, 6.0, 5.9, 5.0, 5.0, 4.9999, 4.9998, 4.9997, 4.9996, 4.9995, 4.0,
          4.2, 4.1, 4.3, 4.4, 4.2, 4.1, 4.05, 4.01, 3.9, 3.0, 3.5, 3.5, 3.5, 3.5, 3.5]


def cases():
    yield schedule_case("step", "StepLR", step_size=7, gamma=0.3)
    yield schedule_case("cosine", "CosineAnnealingLR", T_max=30, eta_min=0.001)
    yield schedule_case("cosine_repeats", "CosineAnnealingLR", T_max=10, eta_min=0.01)  # rises again after step 10
    yield schedule_case("linear_warmup", "LinearLR", start_factor=0.1, end_factor=1.0, total_iters=8)
    for anneal in ("cos", "linear"):
        yield schedule_case("onecycle_" + anneal, "OneCycleLR", max_lr=0.5, total_steps=STEPS, pct_start=0.3,
                            anneal_strategy=anneal, div_factor=25.0, final_div_factor=1e4, cycle_momentum=False)
    yield schedule_case("onecycle_three_phase", "OneCycleLR", max_lr=0.5, total_steps=STEPS, pct_start=0.3,
                        three_phase=True, cycle_momentum=False)
    yield lambda_case("noam", "base_lr * width^-0.5 * min(s^-0.5, s * warmup^-1.5), s = t + 1",
                      lambda step: noam(step, 64, 10), 2.0, width=64, warmup=10)
    yield lambda_case("inverse_sqrt", "base_lr * min(s / warmup, sqrt(warmup / s)), s = t + 1",
                      lambda step: inverse_sqrt(step, 8), 0.05, warmup=8)
    yield plateau_case("min", METRIC, mode="min", factor=0.5, patience=2, threshold=1e-3, threshold_mode="rel",
                       cooldown=1, min_lr=0.02)
    yield plateau_case("max", [-value for value in METRIC], mode="max", factor=0.1, patience=3, threshold=0.05,
                       threshold_mode="abs", cooldown=0, min_lr=0.0)
