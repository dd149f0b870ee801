"""Filling: fill, zero_, masked_fill and index_fill."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.writing import rewrite
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.scalars import fitted
from minitorch.core.tensor.base import TensorBase

# ---- fill and zero -------------------------------------------------------------------------------


def fill_array(xp: Any, x: Any, value: Any) -> None:
    """Fills `x` with a number. RuntimeError if it is out of the range of the dtype."""
    x[...] = fitted(value, dtypes.of(x))


def number_of(value: Any) -> Any:
    """The number in a 0-d tensor that fills another."""
    if value._array.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value._array.ndim} dimensions."
        )
    return value.item()


def filled(xp: Any, self: Any, value: Any) -> Any:
    out = self.copy(order="K")
    fill_array(xp, out, value if not hasattr(value, "dtype") else value.item())
    return out


fill_scalar = operator(
    "fill.Scalar(Tensor self, Scalar value) -> Tensor",
    node="FillBackward0",
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    result=lambda F, self_t: F.zeros_like(self_t),
    on=("F",),
)

fill_tensor = operator(
    "fill.Tensor(Tensor self, Tensor value) -> Tensor",
    node="FillBackward1",
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    value=lambda F, grad: F.sum(grad),
    result=lambda F, self_t, value_t: F.fill(self_t, value_t),
    on=("F",),
)

fill_scalar_ = operator(
    "fill_.Scalar(Tensor self, Scalar value) -> Tensor",
    node="FillBackward2",
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    on=("F",),
)

fill_tensor_ = operator(
    "fill_.Tensor(Tensor self, Tensor value) -> Tensor",
    node="FillBackward3",
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    value=lambda F, grad: F.sum(grad),
    on=("F",),
)


@composite("fill", on=("function",))
def fill(input: Any, value: Any) -> Any:
    """A copy of `input` filled with a number, or with the element of a 0-d tensor."""
    if isinstance(value, TensorBase):
        number_of(value)
        return fill_tensor(input, value)
    return fill_scalar(input, value)


@composite("fill_")
def fill_(self: Any, value: Any) -> Any:
    """Fills `self` with a number, or with the element of a 0-d tensor, in place."""
    row, number = fill_scalar_.row, value
    if isinstance(value, TensorBase):
        row, number = fill_tensor_.row, number_of(value)
    return rewrite(row, {"self": self, "value": value}, lambda xp, x: fill_array(xp, x, number))


zero_row = operator(
    "zero(Tensor self) -> Tensor",
    node="ZeroBackward0",
    forward=lambda xp, self: xp.zeros_like(self),
    self=lambda F, grad: F.zeros_like(grad),
    result=LINEAR,
    on=("F",),
)


@composite("zero_")
def zero_(self: Any) -> Any:
    """Fills `self` with zeros, in place."""
    return rewrite(zero_row.row, {"self": self}, lambda xp, x: x.fill(0))
