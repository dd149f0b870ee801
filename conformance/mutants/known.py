"""Faults that other libraries like torch were found with: each as a person would make it."""

from collections.abc import Iterator
from typing import Any

from conformance.mutants.fault import ROOT, Fault
from conformance.mutants.in_rows import negative
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.registry import ROWS
from minitorch.core.graph import fast_walk, observed_walk
from minitorch.core.graph.accumulate import accumulate
from minitorch.core.tensor.tensor import Tensor

RARE = ROWS["sinc"]
KIND = "a bug that others had"


def faults() -> Iterator[Fault]:
    """Yields them: each changes a function, and cases that run it may notice."""
    changed = {
        leaf_retains_twice: Tensor.retain_grad,
        gradients_are_zero: accumulate,
        to_does_nothing: Tensor.to,
        float_does_nothing: Tensor.float,
        rare_sign_is_wrong: RARE.formulas["self"],
    }
    for plant, function in changed.items():
        code = function.__code__
        file = code.co_filename.removeprefix(f"{ROOT}/")
        lines = {line for _, _, line in code.co_lines() if line}
        covers = frozenset((file, line) for line in lines)
        text = (plant.__doc__ or "").strip(".")
        yield Fault(KIND, file, code.co_firstlineno, "as it is", text, covers, plant)


def leaf_retains_twice() -> bool:
    """retain_grad on a leaf doubles its gradient."""
    before = Tensor.retain_grad

    def retain_grad(self: Any) -> None:
        before(self)
        if self.is_leaf and self.requires_grad:
            self.register_hook(lambda grad: grad * 2)

    Tensor.retain_grad = retain_grad
    return True


def gradients_are_zero() -> bool:
    """All gradients are zero."""

    def accumulate_zero(leaf: Any, grad: Any, *others: Any) -> None:
        accumulate(leaf, grad * 0, *others)

    for walk in (fast_walk, observed_walk):
        walk.accumulate = accumulate_zero  # type: ignore[attr-defined]
    return True


def to_does_nothing() -> bool:
    """.to() returns its tensor."""
    Tensor.to = lambda self, *args, **kwargs: self
    return True


def float_does_nothing() -> bool:
    """.float() returns its tensor."""
    Tensor.float = OPS.__dict__["float"] = lambda self, *args, **kwargs: self
    return True


def rare_sign_is_wrong() -> bool:
    """The gradient of an operator that few use, sinc, has the wrong sign."""
    (_, _, plant, _), *_ = negative(RARE)
    return plant()
