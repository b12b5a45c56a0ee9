"""One case: named inputs, parameters, outputs and the gradients that PyTorch gives for them.

With outputs o_1 .. o_n and one random upstream gradient g_i each, every grad.NAME is the derivative of
sum_i sum(g_i * o_i) with respect to that input or parameter. All numbers are float64, seeded by the name of the case,
so that adding a case changes no other one. What is handed in (inputs, parameters, upstream gradients) is rounded to
float32 first, so that a float32 test starts from exactly the same numbers.
"""
import os
import zlib

import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # one order of summation, whatever the machine


def text(value):
    """An option as metadata: true/false, none, numbers in their shortest exact form."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)


def rounded(value):
    """The nearest float32 of each float, still as float64."""
    return value.float().double() if value.is_floating_point() else value


class Case:
    def __init__(self, script, name, op, **options):
        self.name = name
        self.arrays = {}
        self.leaves = {}
        self.metadata = {key: text(value) for key, value in options.items()}
        self.metadata |= {"op": op, "torch": torch.__version__, "script": "tests/golden/" + os.path.basename(script)}
        torch.manual_seed(zlib.crc32(name.encode()))

    def add(self, name, value):
        """Stores a value as it is now. Floats become F64, integers and masks I64."""
        value = torch.as_tensor(value).detach()
        value = value.double() if value.is_floating_point() else value.long()
        assert name not in self.arrays, f"{self.name}: {name} given twice"
        assert torch.isfinite(value).all(), f"{self.name}: {name} is not finite"
        self.arrays[name] = value.contiguous().numpy().copy()

    def input(self, name, value, differentiate=None):
        """An input; its gradient is stored too if it is a float (differentiate=False: a target or a constant)."""
        value = rounded(torch.as_tensor(value))
        self.add("input." + name, value)
        if differentiate is None:
            differentiate = value.is_floating_point()
        return self._leaf(name, value) if differentiate else value

    def module(self, module):
        """Records every parameter of a module under PyTorch's own name; biases and norms get random values first,
        because a zero bias hides a forgotten one."""
        for name, parameter in module.double().named_parameters():
            with torch.no_grad():
                if parameter.dim() == 1 or parameter.min() == parameter.max():
                    parameter += 0.3 * torch.randn_like(parameter)
                parameter.copy_(rounded(parameter))
            self.add("param." + name, parameter)
            self.leaves[name] = parameter
        return module

    def _leaf(self, name, value):
        assert name not in self.leaves, f"{self.name}: {name} is both an input and a parameter"
        self.leaves[name] = value.detach().clone().requires_grad_()
        return self.leaves[name]

    def outputs(self, second_order=False, **outputs):
        """Records outputs with their random upstream gradients, then the gradient of every leaf. Returns self."""
        upstream = {name: rounded(torch.randn(value.shape)) for name, value in outputs.items()}
        for value in upstream.values():
            value.requires_grad_(second_order)
        total = sum((upstream[name] * value).sum() for name, value in outputs.items())
        gradients = torch.autograd.grad(total, list(self.leaves.values()), create_graph=second_order)
        for name, value in outputs.items():
            self.add("output." + name, value)
            self.add("grad_output." + name, upstream[name])
        for name, gradient in zip(self.leaves, gradients):
            self.add("grad." + name, gradient)
        if second_order:
            self._second_order(gradients, upstream)
        return self

    def _second_order(self, gradients, upstream):
        """With a random v for each grad.NAME (grad_grad.NAME): grad2.NAME and grad2.grad_output.NAME are the
        derivatives of sum(v * grad) by the leaves and by the upstream gradients; zero where a gradient is constant."""
        directions = [rounded(torch.randn_like(gradient)) for gradient in gradients]
        total = sum((v * gradient).sum() for v, gradient in zip(directions, gradients))
        sources = self.leaves | {"grad_output." + name: value for name, value in upstream.items()}
        seconds = torch.autograd.grad(total, list(sources.values()), allow_unused=True)
        for name, v in zip(self.leaves, directions):
            self.add("grad_grad." + name, v)
        for (name, source), second in zip(sources.items(), seconds):
            # A ZeroTensor (the second derivative of sign) has no memory of its own, and would be written as garbage.
            constant = second is None or second._is_zerotensor()
            self.add("grad2." + name, torch.zeros_like(source) if constant else second)
