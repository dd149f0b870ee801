"""Torch computed in double: each operator runs in float64 too, and its results are shown rounded.

`in_double()` answers what a computation in single or half precision would give if it did not round
on its way. Beside the memory of each floating-point storage lies a shadow of it in float64. An
operator runs twice: as it is, for all that is not numbers (dtypes, strides, the graph), and on the
shadows, whose results are then rounded into the memory that programs see. The mode works below
autograd, so that it sees the operators of a backward as well.

`moved(seed)` gives a neighbour of a computation: about half of the numbers that come into it (drawn
at random, copied from Python or NumPy) are one unit in the last place smaller in magnitude. Whole
numbers stay: programs count with them. How far torch is from its own double at such neighbours
says how well a computation can be done in its precision.

As CESTAC and Monte Carlo arithmetic do, but with torch's own kernels in place of random rounding.
"""

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy
import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from conformance.oracle.choices import DRAWS_OTHERWISE, holds

WIDE = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.float64: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
    torch.complex128: torch.complex128,
}
BITS = {
    torch.float16: torch.int16,
    torch.bfloat16: torch.int16,
    torch.float32: torch.int32,
    torch.float64: torch.int64,
}
# How far drawn numbers lie apart where torch draws otherwise (see choices.py), by the largest one:
# 2.4e-7 was measured of normal numbers, whose logarithm and cosine are other functions there.
DRAWN_APART = 2.0**-21
KEPT = 4096  # storages, before those that are gone are looked for

# They give memory as it comes; other operators write into it.
EMPTY = frozenset(
    f"aten::{name}"
    for name in ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
    + ("resize_", "set_")
)


@contextlib.contextmanager
def in_double(seed: int | None = None) -> Iterator[None]:
    """While it lasts, torch computes in double; with a seed, a neighbour's numbers."""
    with _Double(seed):
        yield


@contextlib.contextmanager
def moved(seed: int) -> Iterator[None]:
    """While it lasts, torch computes as ever, with a neighbour's numbers."""
    with _Moved(seed):
        yield


class _Facts(NamedTuple):
    """The facts about an operator's use of memory."""

    draws: bool
    leaves_empty: bool
    takes_out: bool
    written: tuple[tuple[int, str], ...]  # the arguments that it writes into: place and name


@cache
def _facts(func: Any) -> _Facts:
    schema = func._schema
    return _Facts(
        torch.Tag.nondeterministic_seeded in func.tags,
        schema.name in EMPTY,
        any(argument.is_out for argument in schema.arguments),
        tuple(
            (number, argument.name)
            for number, argument in enumerate(schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
        ),
    )


def _tensors(value: Any, found: list) -> list:
    """Adds the tensors of a nest of lists, tuples and dicts to those that were found."""
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for each in value:
            _tensors(each, found)
    elif isinstance(value, dict):
        _tensors(list(value.values()), found)
    return found


def _mapped(value: Any, change: Callable) -> Any:
    """Returns a nest of lists, tuples and dicts with everything else in it changed."""
    if isinstance(value, (list, tuple)):
        items = [_mapped(each, change) for each in value]
        return items if type(value) is list else tuple(items)
    if isinstance(value, dict):
        return {key: _mapped(each, change) for key, each in value.items()}
    return change(value)


def _is_strided(tensor: torch.Tensor) -> bool:
    """Whether a tensor has memory whose numbers can be looked at."""
    return tensor.layout is torch.strided and not tensor.is_meta and not tensor._is_zerotensor()


def _is_number(tensor: torch.Tensor) -> bool:
    return tensor.dtype in WIDE and _is_strided(tensor)


def _is_discrete(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype not in WIDE and _is_strided(value)


class _Moved(TorchDispatchMode):
    """Moves the numbers of memory that is seen for the first time."""

    def __init__(self, seed: int | None) -> None:
        super().__init__()
        self.random = None if seed is None else numpy.random.default_rng(seed)
        self.known: dict[int, StorageWeakRef] = {}  # storages that were seen

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        given = self.take((args, kwargs))
        result = func(*args, **(kwargs or {}))
        self.note(func, given, self.written(func, args, kwargs), result)
        return result

    def take(self, arguments: Any) -> list[torch.Tensor]:
        """Returns the arguments that hold numbers; those of new memory are moved."""
        given = [each for each in _tensors(arguments, []) if _is_number(each)]
        for tensor in given:
            if self.is_new(tensor):
                self.move(tensor)
        return given

    def written(self, func: Any, args: tuple, kwargs: Any) -> list[torch.Tensor]:
        """Returns the tensors that a call writes into."""
        found: list[torch.Tensor] = []
        for number, name in _facts(func).written:
            _tensors(args[number] if number < len(args) else (kwargs or {}).get(name), found)
        return [each for each in found if _is_strided(each)]

    def note(self, func: Any, given: list, written: list, result: Any) -> list[torch.Tensor]:
        """Moves drawn or new tensors; returns the results that hold numbers of their own."""
        before = {each.untyped_storage()._cdata for each in given}
        fresh = [
            each
            for each in _tensors(result, [])
            if _is_number(each) and each.untyped_storage()._cdata not in before
        ]
        for each in fresh:
            self.is_new(each)
        facts = _facts(func)
        if (facts.draws or not given) and not facts.leaves_empty:
            for each in fresh + [each for each in written if each.dtype in WIDE]:
                self.move(each)
        return fresh

    def is_new(self, tensor: torch.Tensor) -> bool:
        """Whether this memory is seen for the first time; the next time it is known."""
        storage = tensor.untyped_storage()
        if storage._cdata in self.known:
            return False
        if len(self.known) % KEPT == KEPT - 1:
            self.known = {key: ref for key, ref in self.known.items() if not ref.expired()}
        self.known[storage._cdata] = StorageWeakRef(storage)  # the number is not used again
        return True

    def move(self, tensor: torch.Tensor) -> None:
        """Makes about half of a tensor's numbers a unit smaller, in place."""
        if self.random is None or tensor.numel() == 0:
            return
        if tensor.is_complex():
            tensor = torch.view_as_real(tensor.conj() if tensor.is_conj() else tensor)
        if tensor.dtype not in BITS:
            return
        drawn = numpy.asarray(self.random.random(tuple(tensor.shape)) < 0.5)
        chosen = torch.from_numpy(drawn).to(tensor.device) & (tensor != tensor.trunc())
        smaller = tensor.clone()
        smaller.view(BITS[tensor.dtype]).sub_(1)  # the next number on the way to 0
        if holds(DRAWS_OTHERWISE):
            less = tensor.abs() - DRAWN_APART * tensor.abs().max()
            smaller = torch.where(less > 0, less.minimum(smaller.abs()).copysign(tensor), smaller)
        tensor.data.copy_(torch.where(chosen & tensor.isfinite(), smaller, tensor))


class _Shadow(NamedTuple):
    """The numbers of a storage in float64, those of complex ones part by part."""

    storage: StorageWeakRef
    bytes_each: int
    bytes_all: int
    numbers: torch.Tensor

    def is_of(self, bytes_each: int, bytes_all: int) -> bool:
        """Whether the storage is still as large, and holds numbers of this size."""
        return (self.bytes_each, self.bytes_all) == (bytes_each, bytes_all)


class _Double(_Moved):
    """Computes on shadows as well, and rounds what comes out into what programs see."""

    def __init__(self, seed: int | None) -> None:
        super().__init__(seed)
        self.shadows: dict[int, _Shadow] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        given = self.take((args, kwargs))
        for tensor in given:
            self.shadow(tensor)
        shapes = [tensor.shape for tensor in given]
        result = func(*args, **(kwargs or {}))
        written = self.written(func, args, kwargs)
        fresh = self.note(func, given, written, result)
        facts = _facts(func)
        resized = [tensor.shape for tensor in given] != shapes
        if resized:
            self.forget(written)
        if facts.draws or facts.leaves_empty or not given or (resized and not facts.takes_out):
            self.forget(written)
            return result
        if not fresh and not written and not any(map(_is_discrete, _tensors(result, []))):
            return result  # a view, or a Python number, of rounded tensors
        try:
            made = func(*_mapped(args, self.wide), **_mapped(kwargs or {}, self.wide))
        except (RuntimeError, TypeError):  # it has no kernel for double
            self.forget(written)
            return result
        return self.shown(result, made, written, fresh)

    def wide(self, value: Any) -> Any:
        """Returns an argument in double: a shadow, or the dtype."""
        if isinstance(value, torch.dtype):
            return WIDE.get(value, value)
        if not isinstance(value, torch.Tensor) or value.dtype not in WIDE:
            return value
        if _is_strided(value):
            return self.shadow(value)
        if value._is_zerotensor():
            return torch._efficientzerotensor(value.shape, dtype=WIDE[value.dtype])
        return value

    def shown(self, result: Any, made: Any, written: list, fresh: list) -> Any:
        """Rounds numbers computed in double into the results, and returns these."""
        for each in written:
            if each.dtype in WIDE:
                each.data.copy_(self.shadow(each))
        own = {id(each) for each in fresh}
        others = iter(_tensors(made, []))

        def rounded(each: Any) -> Any:
            if not isinstance(each, torch.Tensor):
                return each
            wide = next(others, each)
            discrete = _is_discrete(each)
            if wide is each or not (discrete or id(each) in own):
                return each
            if each.shape != wide.shape:  # as many elements as the numbers say
                each = each.new_empty(wide.shape)
                self.is_new(each)
            each.data.copy_(wide)
            if not discrete:
                self.shadow(each).copy_(wide)
            return each

        return _mapped(result, rounded)

    def forget(self, tensors: list[torch.Tensor]) -> None:
        """Lets shadows be made anew from the numbers that the storages hold."""
        for tensor in tensors:
            self.shadows.pop(tensor.untyped_storage()._cdata, None)

    def shadow(self, tensor: torch.Tensor) -> torch.Tensor:
        """Returns the shadow of a tensor: a window on that of its storage."""
        storage = tensor.untyped_storage()
        bytes_each = tensor.element_size() // (2 if tensor.is_complex() else 1)
        known = self.shadows.get(storage._cdata)
        if known is None or not known.is_of(bytes_each, storage.nbytes()):
            if len(self.shadows) % KEPT == KEPT - 1:
                left = self.shadows.items()
                self.shadows = {key: each for key, each in left if not each.storage.expired()}
            numbers = _in_float64(tensor, storage)
            known = _Shadow(StorageWeakRef(storage), bytes_each, storage.nbytes(), numbers)
            self.shadows[storage._cdata] = known
        if tensor.is_complex():
            steps = (*(2 * step for step in tensor.stride()), 1)
            parts = known.numbers.as_strided((*tensor.shape, 2), steps, 2 * tensor.storage_offset())
            window = torch.view_as_complex(parts)
            window = window.conj() if tensor.is_conj() else window
        else:
            window = known.numbers.as_strided(
                tensor.shape, tensor.stride(), tensor.storage_offset()
            )
        return window._neg_view() if tensor.is_neg() else window


def _in_float64(tensor: torch.Tensor, storage: Any) -> torch.Tensor:
    """Returns all numbers of a storage, the parts of complex ones side by side."""
    dtype = tensor.dtype.to_real() if tensor.is_complex() else tensor.dtype
    whole = torch.empty(0, dtype=dtype, device=tensor.device).set_(storage)
    return whole.to(torch.float64, copy=True)
