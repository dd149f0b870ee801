"""The level of vmap: tensors with a dimension that is mapped over, which functions do not see.

A batched tensor wraps a tensor of the level below that has a dimension more. It looks like one
example: its `_array` has the sizes of an example, and raises if it is computed with. The rules
(rules.py) define the results of operators on batched tensors. As
aten/src/ATen/functorch/BatchedTensorImpl.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, NAMESPACES, on_numpy
from minitorch.core.arrays import layout as layouts
from minitorch.core.base.fields import TensorBase, version_of
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import in_formula, transforms
from minitorch.core.declare.out import InPlace
from minitorch.core.declare.row import Row
from minitorch.core.declare.vmap import NOTHING_SAID, VMAP_OF_COMPOSITES, VMAP_OF_ROWS
from minitorch.core.declare.wording.out_rules import in_place_of, unbroadcast
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.func.levels.base import Level, mapped, self_written, tensors_of, wrap
from minitorch.func.mapping.random_numbers import DRAWING, dropped
from minitorch.func.mapping.rules import (
    COMPOSITE,
    as_views,
    check_examples,
    one_by_one,
    rule_for,
    warn_of_drop,
)


def refusal(text: str, error: type[Exception] = RuntimeError) -> Callable[..., NoReturn]:
    """A method that raises the reason why an example has no numbers."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise error(text)

    return refuse


_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
    ".item() on a Tensor, please try to rewrite what you're doing with other operations. If error "
    "is occurring somewhere inside PyTorch internals, please file a bug report."
)
_CONTROL = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We "
    "don't support that yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"


class Unruled(NotImplementedError):
    """The error of a call without a rule that reads the numbers of an example."""


class Example(numpy.ndarray):
    """An array with a form but no numbers: shape, strides and dtype of one example."""

    item = __float__ = __int__ = __complex__ = __index__ = refusal(_ITEM)
    __bool__ = refusal(_CONTROL)
    __dlpack__ = refusal(_STORAGE)
    tolist = __array__ = __getitem__ = __setitem__ = astype = __array_ufunc__ = (
        __array_function__
    ) = refusal("torch.vmap over an operator that has no rule for it", Unruled)

    def __repr__(self) -> str:  # for debuggers: NumPy's own reads numbers
        return f"Example(shape={self.shape}, dtype={self.dtype})"

    __str__ = __repr__


NAMESPACES[Example] = on_numpy


def example_of(x: Any, dim: int) -> Any:
    """The form of `x` without one dimension."""
    if type(x) is Example:
        x = x.view(numpy.ndarray)
    if not x.shape[dim]:  # there is no example
        x = numpy.empty((*x.shape[:dim], 1, *x.shape[dim + 1 :]), x.dtype)
    part = x[(*(slice(None),) * dim, 0, ...)]
    if type(part) in DEVICE_ARRAYS:
        return part.view(type=_example_on_device(type(part)))
    return part.view(Example) if type(part) is numpy.ndarray else part


@cache
def _example_on_device(kind: type) -> type:
    """The class of examples that are arrays of a device, which refuse to become numbers."""
    refusals = dict.fromkeys(("item", "__float__", "__int__", "__complex__", "__index__"))
    refusals = dict.fromkeys(refusals, refusal(_ITEM)) | {"__bool__": refusal(_CONTROL)}
    made = type("Example", (kind,), refusals)
    NAMESPACES[made] = NAMESPACES[kind]
    return made


class BatchLevel(Level):
    """One vmap: the number of examples, and the mode of random operators."""

    wrapper = "BatchedTensorImpl"

    def __init__(self, size: int, randomness: str = "error", legacy: bool = False) -> None:
        self.size = size
        self.randomness = randomness
        self.legacy = legacy  # whether it is the vmap of autograd.grad, which aligns all operands
        self.aligns = True  # whether the write that runs aligns operands: see InPlace

    def title(self, x: Any) -> str:
        return f"BatchedTensor(lvl={self.number}, bdim={x._bdim}, "

    def successor(self) -> Any:
        """The vmap that runs at the same level: torch identifies a vmap by its number alone, and
        packages keep batched tensors for the next vmap."""
        for level in transforms.get():
            if type(level) is BatchLevel and level.number == self.number:
                return level
        return None

    def batched(self, value: Any, dim: int = 0) -> Any:
        """A tensor of this level whose examples lie along a dimension of `value`."""
        result = wrap(self, value, example_of(value._array, dim))
        result._bdim = dim
        return result

    def without_history(self, x: Any) -> Any:
        return self.batched(x._value, x._bdim)

    def detached(self, x: Any, as_data: bool = False) -> Any:
        if as_data:
            raise RuntimeError("accessing `data` under vmap transform is not allowed")
        with self.below():
            result = self.batched(x._value.detach(), x._bdim)
        result._cell = version_of(x)
        return result

    def is_batched(self, x: Any) -> bool:
        return getattr(x, "_level", None) is self

    def front(self, x: Any) -> Any:
        """The tensor below `x`, its examples along dimension 0; to be called below."""
        if not self.is_batched(x):
            return x
        return x._value if x._bdim == 0 else OPS.movedim(x._value, x._bdim, 0)

    def apart(self, x: Any, dim: int) -> Any:
        """The tensor below `x`, its examples along `dim`: always a new view."""
        return OPS.movedim(x._value, x._bdim, dim)

    def full(self, x: Any) -> Any:
        """`x` with its examples in front; expanded to all examples if it is not batched."""
        if self.is_batched(x):
            return self.front(x)
        return OPS.expand(OPS.unsqueeze(x, 0), (self.size, *x._array.shape))

    def aligned(self, x: Any, rank: int) -> Any:
        """`x` with its examples in front, and sizes of 1 after them up to `rank` dimensions.

        It then broadcasts with another tensor whose examples have `rank` dimensions.
        """
        shape, batched = x._array.shape, self.is_batched(x)
        if (len(shape) >= rank) if batched else not self.legacy:
            return self.front(x)
        ones = (1,) * (rank - len(shape))
        return OPS.view(self.front(x), (self.size if batched else 1, *ones, *shape))

    def call_composite(self, name: str, function: Any, body: Any, args: Any, kwargs: Any) -> Any:
        rule = COMPOSITE.get(VMAP_OF_COMPOSITES.get(name, NOTHING_SAID).rule)
        if rule is dropped and not (args[2] and args[1] and args[0]._array.size):
            rule = None
        batched = any(map(self.is_batched, tensors_of((args, kwargs))))
        if rule is None or not (batched or rule.__name__ in DRAWING):
            try:
                return body(*args, **kwargs)
            except Unruled:
                return one_by_one(self, None, function, args, kwargs)
        return rule(self, name, function, args, kwargs)

    def check_out(self, name: str, tensors: list[Any]) -> None:
        if any(map(self.is_batched, tensors)):
            raise RuntimeError(
                f"Batching rule not implemented for aten::{name}.out; the fallback path doesn't "
                "work on out= or view ops."
            )

    def call_row(self, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
        for said in (VMAP_OF_COMPOSITES.get(row.name), VMAP_OF_ROWS.get(row.key)):
            if said is not None and said.rule in DRAWING:
                return DRAWING[said.rule](self, row.name, function, args, kwargs)
        batched = any(map(self.is_batched, tensors_of((args, kwargs))))
        own = VMAP_OF_ROWS.get(row.key, NOTHING_SAID)
        # A formula may be one operator in torch, which has a rule: that of masked_select has.
        if batched and own.warns and not (self.writing or in_formula()):
            warn_of_drop(row.name, row.schema.overload)
            check_examples(self, row.name, row.schema.overload)
            return as_views(self, rule_for(self, row, True)(self, row, function, args, kwargs))
        return rule_for(self, row, batched)(self, row, function, args, kwargs)

    def outputs(self, result: Any, dim: int = 0) -> Any:
        """The results of a call below as tensors of this level."""
        return mapped(lambda each: self.batched(each, dim), result)

    def call_in_place(self, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        x, *dims = args
        said = in_place_of(name)
        if said.falls_back != (None, None):
            overload = fallback_of(said.falls_back, (*dims, *kwargs.values()))
            if overload is not None and any(map(self.is_batched, tensors_of((args, kwargs)))):
                self.begin_fallback(name, overload, x)
                result = self.write_in_place(said, name, function, args, kwargs)
                for each in (x, x._value):  # whose versions count a write for each example
                    version_of(each)[0] += self.size - 1
                return result
        if not (said.squeezes and self.is_batched(x)):
            return self.write_in_place(said, name, function, args, kwargs)
        if not x._array.ndim:
            return x
        dims = dims or [tuple(range(x._array.ndim))]
        named = [wrap_dim(d, x._array.ndim) for d in (dims[0] if type(dims[0]) is tuple else dims)]
        with self.below():
            x._value = self.front(x).squeeze_(tuple([d + 1 for d in named if x.shape[d] == 1]))
        x._bdim, x._array = 0, example_of(x._value._array, 0)
        return x

    def write_in_place(
        self, said: InPlace, name: str, function: Any, args: Any, kwargs: Any
    ) -> Any:
        """The first argument after a write, aligned as the operator says."""
        before, self.aligns = self.aligns, said.aligns or said.copies
        try:
            return super().call_in_place(name, function, args, kwargs)
        finally:
            self.aligns = before

    def begin_fallback(self, name: str, overload: str, x: Any) -> None:
        """Warns of an in-place operator that torch runs for each example, and raises its errors."""
        warn_of_drop(name, overload)
        if not self.is_batched(x):
            raise RuntimeError(
                f"vmap: aten::{name}(self, *extra_args) is not possible because there exists a "
                "Tensor `other` in extra_args that has more elements than `self`. This happened "
                "due to `other` being vmapped over but `self` not being vmapped over at level "
                f"{self.number}. Please try to use out-of-place operators instead of "
                f"aten::{name}. If said operator is being called inside the PyTorch framework, "
                "please file a bug report instead."
            )
        check_examples(self, name, overload)

    def overwrite(self, x: Any, result: Any, copied: bool) -> None:
        batched = self.is_batched(x)
        own, wanted = x._array.shape, result._array.shape
        if batched and not self.aligns and layouts.broadcast(own, wanted) != own:
            raise unbroadcast(own, wanted)
        with self.below():
            if batched:
                rank = max(len(own), len(wanted))
                new = self.aligned(result, rank) if self.is_batched(result) else result
                self_written(self.aligned(x, rank), new, copied)
            elif not self.is_batched(result):
                self_written(x, result, copied)
            elif not copied:
                whole = [self.size, *result._array.shape]
                raise RuntimeError(
                    f"output with shape {list(x._array.shape)} doesn't match the broadcast shape "
                    f"{whole}"
                )
            else:
                raise RuntimeError(
                    "vmap: inplace arithmetic(self, *extra_args) is not possible because there "
                    "exists a Tensor `other` in extra_args that has more elements than `self`. "
                    "This happened due to `other` being vmapped over but `self` not being vmapped "
                    "over in a vmap. Please try to use out-of-place operators instead of inplace "
                    "arithmetic. If said operator is being called inside the PyTorch framework, "
                    "please file a bug report instead."
                )
        if batched:
            version_of(x)[0] += 1


def fallback_of(overloads: tuple[str | None, str | None], operands: Any) -> str | None:
    """Which overload a call has, if it is one without a rule: see InPlace.falls_back."""
    last = next((each for each in reversed(operands) if each is not None), None)
    return overloads[not isinstance(last, TensorBase)]


def running_level(number: int, name: str) -> Any:
    """The running transform with this number. RuntimeError, for the function `name`, if none."""
    for level in transforms.get():
        if level.number == number:
            return level
    raise RuntimeError(f"torch._C._functorch.{name}: no transform of level {number} is running")
