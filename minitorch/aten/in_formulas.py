"""Writes of formulas into arrays and Tensors that they made themselves, or into parts of them.

Gradients of gradients show that a formula wrote (CopySlices), so these write where torch writes.
A tensor of a function transform cannot always be written into a plain one: see `is_transformed`.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import namespace
from minitorch.core.base.fields import is_wrapper
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import FormulaMode, transforms
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import strided
from minitorch.core.tensor.tensor import Tensor


def is_transformed(x: Any) -> bool:
    """Whether `x`, an array or a Tensor, belongs to a function transform."""
    return getattr(x, "_level", None) is not None


def is_seen(F: Any, x: Any) -> bool:
    """Whether modes below autograd, or the class of `x`, see what a formula calls: then torch's
    formulas ask for no numbers and write into nothing that may be another's."""
    return F is not RAW and (bool(STACK.get()) or is_wrapper(x)) and not transforms.get()


def after(F: Any, name: str, x: Any, *args: Any) -> Any:
    """`x`, which a formula has made, after an operator that torch applies in place: modes see that
    it writes."""
    if is_seen(F, x):
        return getattr(Tensor, f"{name}_")(x, *args)
    return getattr(F, name)(x, *args)


def both(F: Any, one: Any, other: Any) -> Any:
    """Where both masks are true."""
    return F.logical_and(one, other) if is_seen(F, one) else one & other


def either(F: Any, one: Any, other: Any) -> Any:
    """Where one of two masks is true."""
    return F.logical_or(one, other) if is_seen(F, one) else one | other


def number_like(F: Any, x: Any, number: Any = 0) -> Any:
    """A number with no dimension, of the dtype of `x`: what torch makes of one beside tensors."""
    if F is RAW:
        xp = namespace(x)
        return xp.asarray(number, dtype=x.dtype) if number else xp.zeros((), x.dtype)
    if not is_seen(F, x):
        return F.new_full(x, (), number) if number else F.new_zeros(x, ())
    return scalar(number, x.dtype, x.device)


def scalar(number: Any, dtype: Any, device: Any, layout: Any = strided) -> Any:
    """A number as a tensor with no dimension, as C++ makes it; where it names no layout, None."""
    with FormulaMode(True):
        return OPS.scalar_tensor(number, dtype=dtype, layout=layout, device=device)


def is_true_scalar(x: Any) -> bool:
    """Whether the element of a bool tensor is true: C++ compares it with one where modes are, and
    elsewhere takes it out."""
    if not STACK.get():
        return bool(x)
    with FormulaMode(True):
        ones = OPS.new_ones(x, (), **options_of(x, dtypes.bool))
    return bool(OPS.equal(x, ones))


def options_of(x: Any, dtype: Any = None) -> dict[str, Any]:
    """The options of `x`, as C++ hands them on, with `dtype` in the place of its own if given."""
    return {"dtype": dtype or x.dtype, "layout": strided, "device": x.device}


def zeros(F: Any, x: Any, shape: Any) -> Any:
    """Zeros of the dtype of `x`, with which torch fills in a gradient of a known shape."""
    if not is_seen(F, x):
        return F.new_zeros(x, shape)
    return OPS.zeros(shape, **options_of(x))


def zeros_as(F: Any, x: Any) -> Any:
    """Zeros in the form of `x`, where C++ calls zeros_like with its options."""
    return F.zeros_like(x, **options_of(x)) if is_seen(F, x) else F.zeros_like(x)


def new_zeros_as(F: Any, x: Any, shape: Any) -> Any:
    """`zeros`, as C++ makes them by new_zeros of `x` with all of its options."""
    if not is_seen(F, x):
        return F.new_zeros(x, shape)
    return F.new_zeros(x, shape, **options_of(x))


def overwrite(F: Any, place: Any, values: Any) -> None:
    """Copies `values` into a view."""
    if F is RAW:
        place[...] = values
    else:
        place.copy_(values)


def fill(F: Any, place: Any, number: float) -> None:
    """Writes one number into all of a view."""
    if F is RAW:
        place[...] = number
    else:
        place.fill_(number)


def multiply(F: Any, place: Any, number: float) -> None:
    """Multiplies a view by a number, as C++ calls it: of mul's overloads that of a Scalar."""
    if F is RAW:
        place *= number
    elif transforms.get() or is_seen(F, place):
        place.mul_(number)
    else:
        store("mul_", F.mul_Scalar, place, ((number,), {}))


def weighed_sum(self: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta * self + alpha * product; `self` does not count at all where beta is 0."""
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else (self if beta == 1 else self * beta) + product
