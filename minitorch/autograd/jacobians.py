"""Jacobians from differences, from tangents and from backwards, for gradcheck to compare."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import minitorch
from minitorch.autograd import forward_ad
from minitorch.autograd.gradcheck import GradcheckError
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.graph.backward import grad
from minitorch.core.graph.node import Node, next_order
from minitorch.core.graph.views import recorded_edge

Function = Callable[..., Any]


def as_tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def differentiable(x: Any) -> tuple[Any, ...]:
    """The outputs that require grad."""
    return tuple([each for each in as_tuple(x) if each.requires_grad])


def wants_grad(x: Any) -> bool:
    return isinstance(x, TensorBase) and x.requires_grad


def is_inexact(x: Any) -> bool:
    return isinstance(x, TensorBase) and (x.is_floating_point() or x.is_complex())


def requiring(x: Any) -> Iterator[Any]:
    """The tensors in nested sequences that require grad."""
    if isinstance(x, TensorBase):
        if wants_grad(x):
            yield x
    elif isinstance(x, Iterable) and not isinstance(x, str):
        for each in x:
            yield from requiring(each)


# ---- from differences


def numerical_jacobians(
    fn: Function,
    inputs: Any,
    outputs: Any,
    eps: float,
    forward: bool = False,
    target: Any = None,
) -> list[tuple[Any, ...]]:
    """For each tensor of `target`, the inputs if None, the Jacobians of all outputs by it."""
    if outputs is None:
        outputs = as_tuple(fn(*as_tuple(inputs)))
    if not forward and any(each.is_complex() for each in outputs):
        raise ValueError(
            "Expected output to be non-complex. get_numerical_jacobian no longer supports "
            "functions that return complex outputs."
        )
    target = inputs if target is None else target
    places = [i for i, each in enumerate(target) if wants_grad(each)]
    return [
        numerical_jacobian(fn, i, inputs, outputs, eps, each, forward)
        for each, i in zip(requiring(target), places, strict=False)
    ]


def numerical_jacobian(
    fn: Function,
    input_idx: int,
    inputs: Any,
    outputs: Any,
    eps: float,
    input: Any = None,
    forward: bool = False,
) -> tuple[Any, ...]:
    """The Jacobians of the outputs by one input, element by element."""
    input = inputs[input_idx] if input is None else input
    if not input.requires_grad:
        raise AssertionError("Expected input to have requires_grad=True")
    dtype = input.dtype if input.is_complex() else None
    jacobians = empty_by_output(outputs, input.numel(), dtype)
    x = input.data  # to write without a new version
    for row, index in enumerate(product(*map(range, x.shape))):
        moved = Moved(fn, inputs, x[index], eps, f"on index {index} ")
        for jacobian, column in zip(jacobians, moved.columns(eps, forward), strict=False):
            jacobian[row] = column
    return jacobians


def empty_by_output(outputs: Any, rows: int, dtype: Any = None) -> tuple[Any, ...]:
    """Zeros for the Jacobian of each output."""
    return tuple([x.new_zeros((rows, x.numel()), dtype=dtype) for x in outputs if is_inexact(x)])


class Moved:
    """The outputs as a function of how far one input, or a part of it, is moved."""

    def __init__(self, fn: Function, inputs: Any, part: Any, eps: float, where: str = "") -> None:
        self.fn, self.inputs, self.part = fn, as_tuple(inputs), part
        self.eps, self.where = eps, where

    def values(self) -> tuple[Any, ...]:
        return tuple([each.clone() for each in as_tuple(self.fn(*self.inputs))])

    def __call__(self, delta: Any) -> tuple[Any, ...]:
        """How fast the outputs change in the direction `delta`, which is `eps` long."""
        before = self.part.clone()
        self.part.copy_(before - delta)
        low = self.values()
        self.part.copy_(before + delta)
        high = self.values()
        self.part.copy_(before)
        return tuple([self.slope(a, b) for a, b in zip(low, high, strict=False)])

    def slope(self, a: Any, b: Any) -> Any:
        for what in ("shape", "dtype"):
            if getattr(a, what) != getattr(b, what):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are "
                    f"perturbed {self.where}by {self.eps}, but got: {what}s {getattr(a, what)} and "
                    f"{getattr(b, what)}."
                )
        return ((b - a) / (2 * self.eps)).detach().reshape(-1)

    def columns(self, delta: Any, forward: bool) -> list[Any]:
        """The Jacobians of all outputs times a direction; for complex inputs, by the conjugate."""
        real, imaginary = delta if isinstance(delta, tuple) else (delta, delta)
        by_real = self(real)
        if self.part.is_complex():
            by_imaginary = self(imaginary * 1j)
            if any(each.is_complex() for each in by_real):
                raise AssertionError("Expected ds_dx to be real-valued, not complex")
            return [a + b * 1j for a, b in zip(by_real, by_imaginary, strict=True)]
        if not forward and any(each.is_complex() for each in by_real):
            raise AssertionError("Expected ds_dx to be real-valued, not complex.")
        return list(by_real)


# ---- from tangents


def forward_jacobians(
    fn: Function, inputs: Any, outputs: Any, check_dtypes: bool = False, directions: Any = None
) -> tuple[Any, ...]:
    """For each input, the Jacobians of the outputs by it, or their products with a direction."""
    moving = [each for each in inputs if wants_grad(each)]
    if any(each.is_complex() for each in moving):
        raise ValueError(
            "Expected inputs to be non-complex for _get_analytical_jacobian_forward_ad."
        )
    rows = [1 if directions else each.numel() for each in moving]
    jacobians = tuple([empty_by_output(outputs, n) for n in rows])
    with forward_ad.dual_level():
        duals, tangents = dual_inputs(inputs)

        def push(into: Any, row: int) -> None:
            found = [each for each in as_tuple(fn(*duals)) if is_inexact(each)]
            for jacobian, each in zip(into, found, strict=False):
                value, tangent = forward_ad.unpack_dual(each)
                if tangent is None:
                    jacobian[row].zero_()
                    continue
                if check_dtypes and value.is_complex() != tangent.is_complex():
                    raise GradcheckError("Forward AD gradient has dtype mismatch.")
                jacobian[row].copy_(tangent.reshape(-1))

        if directions:
            for into, tangent, u in zip(jacobians, tangents, directions, strict=True):
                tangent.copy_(u.view_as(tangent))
                push(into, 0)
                tangent.zero_()
            return tuple([tuple([each.squeeze(0) for each in into]) for into in jacobians])
        for into, tangent in zip(jacobians, tangents, strict=True):
            for row, index in enumerate(product(*map(range, tangent.shape))):
                tangent[index] = 1.0
                push(into, row)
                tangent[index] = 0.0
    return jacobians


def dual_inputs(inputs: Any) -> tuple[list[Any], list[Any]]:
    """The inputs, those that require grad with tangents of zeros; and the tangents."""
    duals, tangents = [], []
    for each in inputs:
        if wants_grad(each):
            each = forward_ad.make_dual(each.detach(), minitorch.zeros_like(each))
            tangents.append(forward_ad.unpack_dual(each).tangent)
        duals.append(each)
    return duals, tangents


# ---- from backwards


def backward_of(output: Any, inputs: Any) -> Function:
    """The gradients of the inputs that require grad, from the gradient of `output`."""
    return functools.partial(grad, output, list(requiring(inputs)), retain_graph=True)


def gradient_rows(back: Function, output: Any, v: Any) -> list[list[Any]]:
    """For each input, the rows of its Jacobian; `v` times it if `v` is given."""
    if v is not None:
        return [
            [x and x.clone()] if x is None else [x.clone()] for x in back(v.reshape(output.shape))
        ]
    ones = minitorch.zeros(output.shape, dtype=output.dtype, device=output.device)
    flat, rows = ones.view(-1), []
    for j in range(flat.numel()):
        flat.zero_()
        flat[j] = 1.0
        found = [None if x is None else x.clone() for x in back(ones)]
        rows.append(found)
    return [list(each) for each in zip(*rows, strict=True)]


def stacked(rows: list[list[Any]], inputs: Any, columns: int) -> tuple[tuple[Any, ...], bool, bool]:
    """The Jacobians made of rows; whether these have the inputs' sizes, and their dtypes."""
    moving = list(requiring(inputs))
    jacobians = tuple([x.new_zeros((x.numel(), columns)) for x in moving])
    sizes = types = True
    for x, jacobian, found in zip(moving, jacobians, rows, strict=False):
        for j, row in enumerate(found):
            if row is None:
                continue
            if row.shape != x.shape:
                sizes = False
            elif row.dtype != x.dtype:
                types = False
            if row.numel() != x.numel():
                raise AssertionError(
                    f"Expected out_jacobian column to have {row.numel()} elements, but got "
                    f"{x.numel()}"
                )
            jacobian[:, j] = row.reshape(-1)
    return jacobians, sizes, types


def rows_twice(inputs: Any, output: Any, v: Any) -> tuple[Any, bool, bool, Any]:
    """The Jacobians, whether their rows had the right sizes and dtypes; and the Jacobians again."""
    back = functools.partial(backward_of(output, inputs), allow_unused=True)
    columns = output.numel() if v is None else 1
    first, again = [gradient_rows(back, output.clone(), v) for _ in range(2)]
    return *stacked(first, inputs, columns), stacked(again, inputs, columns)[0]


def near(first: Any, second: Any, atol: float) -> bool:
    """Whether no elements of two lists of tensors are further apart."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a.numel()]
    return not any((a - b).abs().max() > atol for a, b in pairs)


class UndefinedGradBackward(Node):
    """The history of a tensor whose gradient ends here."""

    __slots__ = ()

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        return (None,)

    apply_graph = apply


def without_gradient(x: Any) -> Any:
    """`x` with a history that passes no gradient."""
    node = UndefinedGradBackward()
    node.edges, node.order = (recorded_edge(x),), next_order()
    node.shape, node.dtype = x._array.shape, x._array.dtype
    return tensor(x._array, node)
