"""A stand-in for CuPy where there is no CUDA: arrays that NumPy cannot take by accident, and
functions that refuse what CuPy's refuse: keywords, dtypes, layouts.

A `StrictArray` holds an ndarray and refuses every implicit conversion to NumPy, and to be mixed
with bare ndarrays, as CuPy's arrays do. Numbers are NumPy's. What is checked is what a function may
be asked for, and in which dtype and order of axes its result comes back: CuPy lays out nearly
everything row by row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from unittest import mock

import ml_dtypes
import numpy

from tests import strict_streams
from tests.cupy_loops import LOOPS, WRITES_AT

_BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)
_REDUCTIONS = frozenset("sum prod max min amax amin mean all any argmax argmin".split())
_KEYWORDS = frozenset(("a", "axis", "dtype", "out", "keepdims"))
_SORTS = frozenset("sort argsort partition argpartition lexsort unique isin searchsorted".split())
_KEEPING_LAYOUT = frozenset("astype asarray array copy empty_like zeros_like ones_like".split())


# Ways from an array to memory of the host, or around it, that CuPy's arrays do not have.
MISSING = frozenset(
    ("ctypes", "data", "tobytes", "tofile", "dump", "dumps", "flat", "newbyteorder")
)


class StrictArray:
    """An array of another library than NumPy, as far as anybody can tell."""

    __slots__ = ("__weakref__", "_held")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: numpy.ndarray) -> None:
        self._held = held

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("implicit conversion to a NumPy array")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in MISSING:
            raise AttributeError(f"a StrictArray has no {name}")
        value = getattr(self._held, name)
        if not callable(value) or name == "flags":
            return wrapped(value)
        if name in _SORTS and self.dtype == _BFLOAT16:
            raise NotImplementedError(f"{name} of bfloat16")
        if name == "sort" and not self._held.flags.c_contiguous:
            raise NotImplementedError("Sorting non-contiguous array is not supported.")
        return checked(name, value)

    def __getitem__(self, index: Any) -> Any:
        return wrapped(self._held[unwrapped(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._held[unwrapped(index)] = unwrapped(value)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        return iter([wrapped(each) for each in self._held])

    def __bool__(self) -> bool:
        return bool(self._held)

    def __int__(self) -> int:
        return int(self._held)

    def __index__(self) -> int:
        return operator.index(self._held)

    def __float__(self) -> float:
        return float(self._held)

    def __complex__(self) -> complex:
        return complex(self._held)

    def __repr__(self) -> str:
        return f"StrictArray({self._held!r})"


def unwrapped(value: Any) -> Any:
    """The argument that a function of NumPy gets for `value`. TypeError for a bare ndarray."""
    if isinstance(value, StrictArray):
        return value._held
    if isinstance(value, numpy.ndarray):
        raise TypeError("a NumPy array among arrays of another device")
    if type(value) in (list, tuple):
        return type(value)([unwrapped(each) for each in value])
    return value


def wrapped(value: Any) -> Any:
    """The result of NumPy, with StrictArrays for its arrays and for its scalars."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return StrictArray(numpy.asarray(value))
    if type(value) in (list, tuple):
        return type(value)([wrapped(each) for each in value])
    return value


def delegated(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy arrays as one of StrictArrays."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {name: unwrapped(value) for name, value in kwargs.items()}
        return wrapped(function(*unwrapped(args), **given))

    return call


def dtype_of(character: str) -> numpy.dtype:
    """The dtype that a loop names so."""
    return _BFLOAT16 if character == "E" else numpy.dtype(character)


class StrictUfunc:
    """A ufunc of CuPy: its keywords, its loops, results row by row."""

    def __init__(self, name: str, ufunc: Any = None, loops: tuple[str, ...] = ()) -> None:
        self.name = f"cupy_{name}"
        self._ufunc = ufunc or getattr(numpy, name)
        self._loops = loops or LOOPS[name]
        self._written_at = WRITES_AT.get(name, "")

    def __call__(
        self, *args: Any, out: Any = None, dtype: Any = None, casting: str = "same_kind", **others
    ) -> Any:
        if others or out is Ellipsis:
            raise TypeError(f"Wrong arguments {others or {'out': out}}")
        if any(isinstance(each, (list, tuple)) for each in args):
            raise TypeError("a list is no array")
        if len(args) > self._loops[0].index("-"):
            *args, out = args
        given, into = unwrapped(args), unwrapped(out)
        inputs, outputs = self._loop(given, dtype)
        with numpy.errstate(all="ignore"):
            results = self._ufunc(*[_computed(x, c) for x, c in zip(given, inputs, strict=True)])
        several = type(results) is tuple
        made = []
        for x, character in zip(results if several else (results,), outputs, strict=True):
            made.append(numpy.array(x).astype(dtype_of(character), order="C"))
        if into is not None:
            numpy.copyto(into, made[0], casting=casting)
            return out
        return wrapped(tuple(made) if several else made[0])

    def _loop(self, given: Any, dtype: Any) -> tuple[str, str]:
        """The first loop for these operands. TypeError where there is none."""
        kinds = _kinds(given)
        for loop in self._loops:
            inputs, outputs = loop.split("->")
            if dtype is not None:
                if dtype_of(outputs[0]) == numpy.dtype(dtype):
                    return inputs, outputs
            elif all(
                kind is None or numpy.can_cast(kind, dtype_of(c), "safe")
                for kind, c in zip(kinds, inputs, strict=True)
            ):
                return inputs, outputs
        raise TypeError(f"Wrong type ({tuple(kinds)}) of arguments for {self.name}")

    def at(self, x: Any, places: Any, values: Any) -> None:
        """Writes where there is an atomic instruction for the dtype."""
        if x.dtype.char not in self._written_at:
            raise TypeError(f"{self.name}.at of {x.dtype}")
        self._ufunc.at(*unwrapped((x, places, values)))


def _computed(x: Any, character: str) -> Any:
    """An operand in the dtype of its loop; bfloat16, which few functions have, in float32."""
    return numpy.asarray(x).astype("f" if character == "E" else character)


def _kinds(given: Any) -> list[Any]:
    """The dtypes of operands; None for numbers that are taken in the dtype of the arrays."""
    known = [x.dtype for x in given if hasattr(x, "dtype")]
    floating = [kind for kind in known if kind.kind in "fcV"]
    kinds: list[Any] = []
    for x in given:
        if hasattr(x, "dtype"):
            kinds.append(x.dtype)
        elif type(x) is complex and not any(kind.kind == "c" for kind in known):
            kinds.append(numpy.dtype("F" if floating else "D"))
        elif type(x) is float and not any(kind.kind in "fc" for kind in known):
            kinds.append(numpy.dtype("f" if floating else "d"))
        else:
            kinds.append(None)
    return kinds


def checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy arrays as one of StrictArrays, in CuPy's bounds."""
    call = delegated(function)

    def within(*args: Any, **kwargs: Any) -> Any:
        if name in _REDUCTIONS and not _KEYWORDS.issuperset(kwargs):
            raise TypeError(f"{name}() got an unexpected keyword argument: {kwargs}")
        if name in _SORTS and any(getattr(x, "dtype", None) == _BFLOAT16 for x in args):
            raise NotImplementedError(f"{name} of bfloat16")
        result = call(*args, **kwargs)
        return result if name in _KEEPING_LAYOUT else _row_by_row(result)

    return within


def _row_by_row(result: Any) -> Any:
    if type(result) in (list, tuple):
        return type(result)([_row_by_row(each) for each in result])
    if type(result) is StrictArray and result._held.base is None:
        result._held = numpy.asarray(result._held, order="C")
    return result


def where(mask: Any, *values: Any) -> Any:
    """numpy.where, which makes float32 of bfloat16."""
    given = [x.astype("f") if getattr(x, "dtype", None) == _BFLOAT16 else x for x in values]
    return checked("where", numpy.where)(mask, *given)


def to_device(x: Any, dtype: Any = None, **options: Any) -> StrictArray:
    """A StrictArray of a number, a list, or an array of either side; of a NumPy array a copy."""
    if type(x) is numpy.ndarray and not x.flags.c_contiguous and not x.flags.f_contiguous:
        x = x.copy(order="C")
    return StrictArray(numpy.asarray(getattr(x, "_held", x), dtype, **options))


_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
    "neg": "negative",
    "pos": "positive",
    "abs": "absolute",
    "invert": "invert",
    "matmul": "matmul",
}


def add_operators(name: str, function: Callable[..., Any], arithmetic: bool) -> None:
    """Gives StrictArray the operator `name`, and those that are reversed and in place with it."""

    def apply(*operands: Any) -> Any:
        if any(isinstance(each, (list, tuple)) for each in operands):
            return NotImplemented
        return function(*operands)

    setattr(StrictArray, f"__{name}__", apply)
    if arithmetic:
        setattr(StrictArray, f"__r{name}__", lambda self, other: apply(other, self))
        setattr(StrictArray, f"__i{name}__", lambda self, other: function(self, other, out=self))


for _name, _function in _OPERATORS.items():
    _ufunc = checked("matmul", numpy.matmul) if _name == "matmul" else StrictUfunc(_function)
    _is_arithmetic = _name not in "lt le gt ge eq ne neg pos abs invert".split()
    add_operators(_name, _ufunc, _is_arithmetic)


_COMPOSED = {
    "sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
    "relu": lambda x: numpy.where(x < 0, 0, x),
    "rsqrt": lambda x: 1 / numpy.sqrt(x),
    "gcd": numpy.gcd,
    "lcm": numpy.lcm,
}


class Kernel:
    """cupy.ElementwiseKernel for the kernels that the seam has, by their names."""

    def __init__(self, inputs: str, outputs: str, operation: str, name: str, preamble: str = ""):
        self._name = name.removeprefix("minitorch_")
        self._count = inputs.count(",") + 1

    def __call__(self, *arrays: StrictArray) -> Any:
        if self._name in _COMPOSED:
            given, out = arrays[: self._count], arrays[self._count :]
            with numpy.errstate(all="ignore"):
                result = _COMPOSED[self._name](*[x._held for x in given])
            result = numpy.asarray(result, given[0].dtype, order="C")
            if not out:
                return StrictArray(result)
            out[0]._held[...] = result
            return out[0]
        values, places, x = arrays
        ufunc = getattr(numpy, self._name.removesuffix("_at"))
        return ufunc.at(x._held, places._held, values._held)


class Pinned(bytearray):
    """Memory of the host that a device reads."""

    ptr = 0


class Module(ModuleType):
    """A module whose functions are those of a module of NumPy or SciPy, in CuPy's bounds."""

    def __init__(self, name: str, original: Any, **own: Any) -> None:
        super().__init__(name)
        self._original = original
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in LOOPS and self._original is numpy:
            value: Any = StrictUfunc(name)
        else:
            value = getattr(self._original, name)
            if isinstance(value, numpy.ufunc):
                value = self._function(name, value)
            elif callable(value) and not isinstance(value, type):
                value = checked(name, value)
        self.__dict__[name] = value
        return value

    def _function(self, name: str, ufunc: numpy.ufunc) -> Any:
        if name == "matmul":
            return checked(name, ufunc)
        if self._original is numpy:
            raise AttributeError(f"module 'cupy' has no attribute {name!r}")
        return StrictUfunc(name, ufunc, tuple([f"{c * ufunc.nin}->{c}" for c in "fd"]))


def modules() -> dict[str, ModuleType]:
    """CuPy's modules as the seam imports them."""
    import scipy.special  # start-up: 150 ms, for the tests that ask for CuPy alone

    runtime = mock.Mock(getDevice=lambda: 0, getDeviceCount=lambda: 1)
    cuda = mock.Mock(
        is_available=lambda: True,
        alloc_pinned_memory=Pinned,
        runtime=runtime,
        Stream=strict_streams.Stream,
        Event=strict_streams.Event,
        get_current_stream=strict_streams.get_current_stream,
    )
    cupy = Module(
        "cupy",
        numpy,
        ndarray=StrictArray,
        ufunc=StrictUfunc,
        cuda=cuda,
        ElementwiseKernel=Kernel,
        where=where,
        asarray=to_device,
        array=lambda x, dtype=None, **options: to_device(x, dtype, copy=True, **options),
        asnumpy=lambda x: x._held,
    )
    special = Module("cupyx.scipy.special", scipy.special)
    scipy_of = Module("cupyx.scipy", None, special=special)
    cupyx = Module("cupyx", None, scipy=scipy_of)
    return {
        "cupy": cupy,
        "cupy.cuda": cupy.cuda,
        "cupyx": cupyx,
        "cupyx.scipy": scipy_of,
        "cupyx.scipy.special": special,
    }
