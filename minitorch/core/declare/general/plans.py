"""Plans of element-wise calls: decisions of the general way, kept for the next call of the kind.

The casts of operands, the strides of the result and whether formulas run on Tensors depend only on
the dtypes, shapes and strides of the operands and on the types of numbers. The general way takes
30 us to decide them and to check the call; a call with a plan takes 4 us besides its kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from minitorch.core.arrays import blas, on_numpy
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.layout import is_plain
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.base.fields import STRIDED
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, recording
from minitorch.core.declare.general.kernel_calls import scaled
from minitorch.core.declare.row import Row, ufunc
from minitorch.core.graph.views import input_edge
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor

LARGEST = 9e18  # the largest number that fits any type but the small ones


class Plan(NamedTuple):
    """The plan of a kind of call.

    casts: for each operand, the dtype it is cast to, None if it has the right one; None alone if
        all are tensors of the right dtype.
    compute: the dtype of the computation. dtype: the dtype of the result.
    strides: the strides of the result, in bytes.
    mixed: whether formulas run on Tensors.
    kernel: the function that is called. places: its arguments, as places in the list of operands'
        arrays, namespace, dtype of the computation and attributes; None for the operands alone.
    view: the result's `_view`.
    """

    casts: tuple[Any, ...] | None
    compute: Any
    dtype: Any
    strides: tuple[int, ...]
    mixed: bool
    kernel: Any
    places: tuple[int, ...] | None
    view: Any


_PLANS: dict[tuple[Any, ...], Plan] = {}
_MOST = 4096


def kind_of(row: Row, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The parts of a call that its plan depends on, as a key; None if such calls have no plan."""
    kind: list[Any] = [row.key]
    for each in operands:
        of = type(each)
        if of is Tensor or of is Parameter:
            x = each._array
            if each._view is None:  # the strides follow from the shape
                kind += (x.dtype, x.shape)
            elif type(x) is numpy.ndarray:
                kind += (x.dtype, x.shape, x.strides)
            else:
                return None
            if each._number is not None:
                return None
        elif each is None:
            kind.append(None)
        elif (of is float or of is int) and -LARGEST <= each <= LARGEST:
            kind.append(of)
        else:
            return None
    for name, value in attributes.items():
        of = type(value)
        if value is None or of is str or (of is bool and name not in (*row.numbers, *row.converts)):
            kind += (name, value)
        elif (of is float or of is int) and -LARGEST <= value <= LARGEST:
            kind += (name, of)
        else:
            return None
    return tuple(kind)


def plan_of(row: Row, operands: tuple[Any, ...], attributes: dict[str, Any]) -> tuple[Any, Any]:
    """The kind of a call, and the plan for it; None for each that does not exist."""
    kind = kind_of(row, operands, attributes)
    return kind, None if kind is None else _PLANS.get(kind)


def have_histories(operands: tuple[Any, ...]) -> bool:
    """Brings the edges of a planned call's operands up to date; returns whether one has an edge."""
    found = False
    for each in operands:
        try:
            if each._view is not None:
                input_edge(each)
            if each._edge is not None:
                found = True
        except AttributeError:  # a number, or None
            pass
    return found


def computed(plan: Plan, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The numbers of a call's result, with torch's strides."""
    casts, compute, dtype, strides, _, kernel, places, _ = plan
    arrays: Any
    if casts is None:
        arrays = [each._array for each in operands]
    else:
        arrays = []
        for each, to in zip(operands, casts):
            if type(each) is int or type(each) is float:
                x = scalar_like(each, compute, on_numpy)
            elif each is None:
                x = None
            else:
                x = each._array if to is None else cast(each._array, to)
            arrays.append(x)
    if places is None:
        alpha = attributes.get("alpha", 1)
        if alpha != 1:
            own = dtypes.FROM_NUMPY[compute]
            arrays = scaled(kernel, on_numpy, arrays, alpha, own, compute)
        x = kernel(*arrays, out=...) if len(arrays) == len(operands) else arrays[0]
    else:
        given = (*arrays, on_numpy, compute, *attributes.values())
        x = kernel(*[given[i] for i in places])
    if x.dtype is not dtype and x.dtype != dtype:
        x = cast(x, dtype)
    if x.strides != strides:
        steps = tuple([stride // x.itemsize for stride in strides])
        laid = on_numpy.empty_strided(x.shape, steps, x.dtype)
        laid[...] = x
        return laid
    return x


def added_in_place(
    plan: Plan, operands: tuple[Any, ...], attributes: dict[str, Any], alone: bool
) -> bool:
    """Whether BLAS added a scaled tensor to the first operand, as a step of SGD does: 1,000,000
    numbers in 0.35 ms, not in 1.0 by way of a fresh sum.

    alone: whether no operand has a history.
    """
    alpha = attributes.get("alpha", 1)
    sums = plan.kernel is numpy.add or plan.kernel is numpy.subtract
    if not sums or alpha == 1 or plan.casts is not None or plan.compute.char not in "fd":
        return False
    own, x = [each._array for each in operands]
    if own.shape != x.shape or not (alone or not recording()):
        return False
    factor = scalar_like(alpha, plan.compute, on_numpy).item()
    return blas.add_scaled(own, x, factor if plan.kernel is numpy.add else -factor)


def _can_be_planned(row: Row, own: Any, tensors: list[Any], numbers: bool) -> bool:
    """Whether all calls of the kind are computed as this one was.

    own: the dtype of the computation. tensors: the operands' arrays. numbers: whether there are
        numbers beside them.
    """
    kinds = "biufc"
    if numbers:
        kinds = "fc" if isinstance(row.forward, ufunc) else "f"
    if own.kind not in kinds or (own.kind == "f" and own.itemsize == 2) or row.keeps_exponent:
        return False
    given = [each.dtype for each in tensors]
    if own not in given or not all([each.size for each in tensors]):  # else by the default dtype
        return False
    if own.kind == "c":
        return all([each == own for each in given])
    return all([each.kind in "biuf" for each in given])


def remember(
    kind: Any,
    row: Row,
    operands: tuple[Any, ...],
    attributes: dict[str, Any],
    compute: Any,
    x: Any,
    mixed: bool,
) -> None:
    """Makes a plan from a call that the general way computed, if a plan can compute its kind.

    compute: the dtype of the computation. x: the result.
    """
    tensors = [each._array for each in operands if isinstance(each, Tensor)]
    own = compute.numpy
    numbers = any([type(each) in (int, float) for each in (*operands, *attributes.values())])
    if not _can_be_planned(row, own, tensors, numbers):
        return
    if len(_PLANS) >= _MOST:
        _PLANS.clear()
    kernel, places = row.forward, None
    if isinstance(kernel, ufunc):
        kernel = kernel.of(on_numpy)
    else:
        given = (*row.operands, "xp", "dtype", *attributes)
        places = tuple([given.index(name) for name in row.wanted])
    casts: Any = tuple(
        [
            own if isinstance(each, Tensor) and each._array.dtype != own else None
            for each in operands
        ]
    )
    if len(tensors) == len(operands) and not any(casts):
        casts = None
    _PLANS[kind] = Plan(
        casts,
        own,
        x.dtype,
        x.strides,
        mixed,
        kernel,
        places,
        None if x.flags.c_contiguous and is_plain(x) else STRIDED,
    )
    known = ASSEMBLED_GLOBALS.get(f"{row.key}_known")
    if casts is None and known is not None and own not in known and own.kind != "c":
        every: Any = (*tensors, on_numpy, own, *attributes.values())
        found = kernel(*(tensors if places is None else [every[i] for i in places]))
        if found.dtype == x.dtype:
            known.add(own)  # the assembled function may call the kernel directly
