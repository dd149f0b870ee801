"""Real torch with one planted fault each: modules that `examine` must find wanting."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch


class Faulty:
    """Torch, or a module of it, but with some of its names replaced."""

    __name__ = "torch"

    def __init__(self, _module: Any = torch, **replaced: Any):
        self._module = _module
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        if name in self._replaced:
            return self._replaced[name]
        return getattr(self._module, name)


class Fault(torch.autograd.Function):
    """Multiplication whose forward is right and whose backward forgets a factor."""

    @staticmethod
    def forward(context, a, b):
        context.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(context, grad):
        a, b = context.saved_tensors
        return (grad * b).sum_to_size(a.shape), grad.sum_to_size(b.shape)


def _fails_otherwise(self, *args, **kwargs):
    try:
        return torch.amax(self, *args, **kwargs)
    except Exception as error:
        raise type(error)(str(error) + " indeed") from None


def _out_by_rebinding(self, other, *, out=None):
    if out is None:
        return torch.mul(self, other)
    out.data = torch.mul(self, other)
    return out


def _draws_twice(*args, **kwargs):
    result = torch.randn(*args, **kwargs)
    torch.randn(1)
    return result


def _writes_its_input(self, *args, **kwargs):
    with torch.no_grad():
        self.detach().add_(0)
    return torch.sin(self, *args, **kwargs)


def _tensor(**replaced: Callable) -> Callable:
    """Returns a stand-in for `torch.Tensor` in expressions that isinstance still knows."""

    class Kind(type(torch.Tensor)):
        def __instancecheck__(cls, thing):
            return isinstance(thing, torch.Tensor)

    return Kind("Tensor", (torch.Tensor,), dict(replaced))


# fault: (operator, property that must notice, module)
FAULTS = {
    "a small error in the value": ("mul", "value", lambda a, b, **k: torch.mul(a, b, **k) + 1e-3),
    "promotion to double": ("sin", "dtype", lambda a, **k: torch.sin(a, **k).double()),
    "a lost dimension": ("sum", "shape", lambda a, *s, **k: torch.sum(a, *s, **k).reshape(-1)),
    "a contiguous copy of strides": (
        "sin",
        "stride",
        lambda a, **k: torch.sin(a, **k).contiguous(),
    ),
    "a view that copies": ("transpose", "view", lambda a, *s: torch.transpose(a, *s).clone()),
    "a copy that views": ("neg", "view", lambda a, **k: a.view_as(a)),
    "a detached result": ("exp", "requires_grad", lambda a, **k: torch.exp(a, **k).detach()),
    "another node": ("square", "node", lambda a, **k: a * a),
    "an edge too many": ("cos", "graph", lambda a, **k: torch.cos(a, **k).view_as(a)),
    "another tensor saved": ("exp", "saved", lambda a, **k: 1 / torch.exp(-a)),
    "a forgotten factor": ("mul", "grad", lambda a, b, **k: Fault.apply(a, b)),
    "out that is rebound": ("mul", "out", _out_by_rebinding),
    "a draw too many": ("randn", "effects", _draws_twice),
    "a version too many": ("sin", "effects", _writes_its_input),
    "another error text": ("amax", "error", _fails_otherwise),
    "an in-place variant that copies": (
        "exp",
        "in-place",
        {"Tensor": _tensor(exp_=lambda self: torch.exp(self))},
    ),
    "a method that differs": (
        "sub",
        "variants",
        {"Tensor": _tensor(sub=lambda self, other, **k: torch.sub(other, self, **k))},
    ),
    "a wrong second derivative": (
        "sin",
        "gradgrad",
        lambda a, **k: torch.sin(a.detach(), **k) + (a - a.detach()) * torch.cos(a.detach()),
    ),
}


def module(name: str) -> Faulty:
    """Returns torch with the named fault."""
    operator, _, replaced = FAULTS[name]
    return Faulty(**replaced) if isinstance(replaced, dict) else Faulty(**{operator: replaced})


modules = SimpleNamespace(**{name.replace(" ", "_"): module(name) for name in FAULTS})
