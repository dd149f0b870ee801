"""Element-wise arithmetic: add, sub, mul, div, neg, pow and their kin."""

from __future__ import annotations

from minitorch.core.declare.families import binary, unary
from minitorch.core.declare.row import LINEAR, ufunc

add = binary(
    "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    node="AddBackward0",
    forward=ufunc("add"),
    self=lambda grad: grad,
    other=lambda grad, alpha: grad if alpha == 1 else grad * alpha,
    result=lambda self_t, other_t, alpha: self_t + other_t * alpha,
    dunder=("__add__", "__radd__"),
)

mul = binary(
    "mul.Tensor(Tensor self, Tensor other) -> Tensor",
    node="MulBackward0",
    forward=ufunc("multiply"),
    self=lambda grad, other: grad * other.conj(),
    other=lambda grad, self: grad * self.conj(),
    result=lambda self_p, self_t, other_p, other_t: other_t * self_p + self_t * other_p,
    dunder=("__mul__", "__rmul__"),
)

neg = unary(
    "neg(Tensor self) -> Tensor",
    node="NegBackward0",
    forward=ufunc("negative"),
    self=lambda grad: -grad,
    result=LINEAR,
    dunder=("__neg__",),
)
