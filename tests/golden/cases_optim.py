"""Optimisers alone: 12 steps on a small problem, with the gradient given at each step.

param.initial.NAME, then for step 00 to 11: grad.stepNN.NAME is what the optimiser receives, param.stepNN.NAME what it
leaves behind. Metadata: every hyperparameter, the defaults too. Two tensors: w [4, 5] and b [5], the weights of a
regression y = x w + b on fixed data. The loss of step t is scaled by SCALES[t], so that gradients both grow and shrink:
without that AMSGrad's maximum never acts.
"""
import torch

from golden_case import Case, rounded

SCALES = [1.0, 4.0, 2.0, 1.0, 0.1, 0.01, 0.01, 0.1, 1.0, 3.0, 0.5, 0.02]


def hyperparameters(optimiser):
    """All of them, the defaults too; betas as beta1 and beta2."""
    options = dict(optimiser.defaults)
    if "betas" in options:
        options["beta1"], options["beta2"] = options.pop("betas")
    hidden = ("foreach", "maximize", "capturable", "differentiable", "fused")  # not about the numbers
    return {key: value for key, value in options.items() if key not in hidden}


def optimiser_case(name, kind, **options):
    generator = torch.Generator().manual_seed(12)  # every optimiser starts from the same problem
    x = torch.randn(9, 4, generator=generator)
    target = torch.randn(9, 5, generator=generator)
    w = rounded(torch.randn(4, 5, generator=generator)).requires_grad_()
    b = rounded(torch.randn(5, generator=generator)).requires_grad_()
    optimiser = getattr(torch.optim, kind)([w, b], **options)
    case = Case(__file__, name, kind, **hyperparameters(optimiser))
    case.add("param.initial.w", w)
    case.add("param.initial.b", b)
    for step, scale in enumerate(SCALES):
        optimiser.zero_grad()
        (scale * ((x @ w + b - target) ** 2).mean()).backward()
        w.grad, b.grad = rounded(w.grad), rounded(b.grad)
        case.add(f"grad.step{step:02}.w", w.grad)
        case.add(f"grad.step{step:02}.b", b.grad)
        optimiser.step()
        case.add(f"param.step{step:02}.w", w)
        case.add(f"param.step{step:02}.b", b)
    return case


def distinct(group):
    """Yields the cases of one optimiser, after checking that no option is without effect."""
    last = {}
    for case in group:
        for name, other in last.items():
            difference = abs(case.arrays["param.step11.w"] - other).max()
            assert difference > 1e-6, f"{case.name} gives the values of {name}"
        last[case.name] = case.arrays["param.step11.w"]
        yield case


def clip_case(name, scale, **options):
    """grad.before.NAME -> norm -> grad.after.NAME = before * min(1, max_norm / (norm + 1e-6))."""
    case = Case(__file__, name, "clip_grad_norm_", **options)
    parameters = {"w": torch.zeros(4, 5), "b": torch.zeros(5)}
    for key, parameter in parameters.items():
        parameter.grad = rounded(scale * torch.randn(parameter.shape))
        case.add("grad.before." + key, parameter.grad)
    case.add("output.norm", torch.nn.utils.clip_grad_norm_(parameters.values(), **options))
    for key, parameter in parameters.items():
        case.add("grad.after." + key, parameter.grad)
    return case


def clip_value_case():
    """grad.after = min(max(grad.before, -clip_value), clip_value)."""
    case = Case(__file__, "clip_grad_value", "clip_grad_value_", clip_value=0.5)
    w = torch.zeros(4, 5)
    w.grad = rounded(torch.randn(4, 5))
    case.add("grad.before.w", w.grad)
    torch.nn.utils.clip_grad_value_([w], 0.5)
    case.add("grad.after.w", w.grad)
    return case


def cases():
    yield from distinct([
        optimiser_case("sgd", "SGD", lr=0.1),
        optimiser_case("sgd_momentum", "SGD", lr=0.1, momentum=0.9),
        optimiser_case("sgd_momentum_dampening", "SGD", lr=0.1, momentum=0.9, dampening=0.3),
        optimiser_case("sgd_nesterov", "SGD", lr=0.1, momentum=0.9, nesterov=True),
        optimiser_case("sgd_weight_decay", "SGD", lr=0.1, weight_decay=0.05),
        optimiser_case("sgd_all", "SGD", lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.05),
    ])
    yield from distinct([
        optimiser_case("adam", "Adam", lr=0.05),
        optimiser_case("adam_betas", "Adam", lr=0.05, betas=(0.8, 0.9), eps=1e-3),
        optimiser_case("adam_weight_decay", "Adam", lr=0.05, weight_decay=0.05),
        optimiser_case("adam_amsgrad", "Adam", lr=0.05, betas=(0.8, 0.9), eps=1e-3, amsgrad=True),
    ])
    yield clip_case("clip_grad_norm", 1.0, max_norm=1.0)
    yield clip_case("clip_grad_norm_below", 0.01, max_norm=1.0)  # under the limit: unchanged
    yield clip_case("clip_grad_norm_inf", 1.0, max_norm=0.5, norm_type="inf")
    yield clip_value_case()
    yield from distinct([
        optimiser_case("adamw", "AdamW", lr=0.05),
        optimiser_case("adamw_nodecay", "AdamW", lr=0.05, weight_decay=0.0),
        optimiser_case("adamw_all", "AdamW", lr=0.05, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1, amsgrad=True),
    ])
    yield from distinct([
        optimiser_case("rmsprop", "RMSprop", lr=0.02),
        optimiser_case("rmsprop_centered", "RMSprop", lr=0.02, centered=True),
        optimiser_case("rmsprop_momentum", "RMSprop", lr=0.02, momentum=0.9),
        optimiser_case("rmsprop_all", "RMSprop", lr=0.02, alpha=0.9, eps=1e-3, momentum=0.9, centered=True,
                       weight_decay=0.05),
    ])
    yield from distinct([
        optimiser_case("adagrad", "Adagrad", lr=0.1),
        optimiser_case("adagrad_all", "Adagrad", lr=0.1, lr_decay=0.1, weight_decay=0.05,
                       initial_accumulator_value=0.2, eps=1e-3),
    ])
    yield from distinct([
        optimiser_case("adadelta", "Adadelta"),
        optimiser_case("adadelta_all", "Adadelta", lr=0.5, rho=0.8, eps=1e-3, weight_decay=0.05),
    ])
