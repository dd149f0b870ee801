"""Regular sequences: arange, linspace, logspace; the identity matrix; indices of triangles."""

from __future__ import annotations

import math
from functools import lru_cache
from math import ceil, copysign
from typing import Any

import numpy

from minitorch.aten.creation.factories import (
    delivered,
    finished,
    fitted_filling,
    number_of,
    requiring_grad,
    space_of,
    target,
)
from minitorch.core.arrays import namespace, on_numpy
from minitorch.core.arrays.floating_point import Silence, cast
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.arrays.too_large import check_resize, fresh_error
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.calls import NO_ARGUMENT, Calls
from minitorch.core.declare.families import composite
from minitorch.core.declare.general.fitting import resize
from minitorch.core.declare.wording.plain_numbers import as_size
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.declare.wording.signatures import FITS, OPTIONS, overloads
from minitorch.core.graph.views import note_write
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES, INTEGRAL, LATE_UNSIGNED
from minitorch.core.numbers.scalars import as_number, fitted, overflow
from minitorch.core.sampling.filling import fused_multiply_add, not_implemented
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.warning import warn


def spread(x: Any, out: Any, requires_grad: bool) -> Any:
    """`out` with the numbers of the 1-d array `x`; its shape stays if it has as many elements."""
    if out._array.size != x.size:
        resize(out, x.shape)
    out._array[...] = x.reshape(out._array.shape)
    note_write(out, None)
    return requiring_grad(out, requires_grad)


# ---- arange


@composite("arange", on=("function",))
@overloads(
    f"Number end, *, Tensor out = None, {OPTIONS}",
    f"Number start, Number end, *, {OPTIONS}",
    f"Number start, Number end, Number step = 1, *, Tensor out = None, {OPTIONS}",
)
def arange(*bounds: Any, out: Any = None, **options: Any) -> Any:
    """The numbers from start (0) to end, without it, in steps of `step`."""
    if (
        len(bounds) == 1
        and type(bounds[0]) is int
        and 0 <= bounds[0] < 2**60
        and out is None
        and not options
    ):
        return finished(space_of(None).arange(bounds[0], dtype=dtypes.int64.numpy), False)
    x = None if out is not None else _of_ints(bounds, options)
    if x is not None:
        return finished(x, False)
    kinds = set(map(type, bounds))
    plain = 1 <= len(bounds) <= 3 and kinds <= _PLAIN and not _BOUNDS & options.keys()
    if plain:
        start, end, step = _by_place(bounds)
        whole = float not in kinds
    else:
        start, end, step = _bounds(bounds, options)
        whole = all(isinstance(n, (int, numpy.integer)) for n in (start, end, step))
    default = dtypes.int64 if whole else None
    xp, dtype, requires_grad = target("arange", out, default, **options)
    if not (plain or dtype.is_complex or dtype is dtypes.bool):  # the last have no kernel
        start, end, step = [real_number(each, dtypes.float64) for each in (start, end, step)]
    if plain and step and abs(end - start) <= _SHORT * abs(step):
        x = _kept(arange_array, copysign(1, start), copysign(1, end), start, end, step, dtype)
        x = xp.asarray(x.copy())
    else:
        x = xp.asarray(arange_array(start, end, step, dtype))
    if out is None:
        return finished(x, requires_grad)
    if out._array.size not in (0, x.size):
        warn(
            f"The number of elements in the out tensor of shape {list(out._array.shape)} is "
            f"{out._array.size} which does not match the computed number of elements {x.size}. "
            "Note that this may occur as a result of rounding error. The out tensor will be "
            f"resized to a tensor of shape ({x.size},)."
        )
    return spread(x, out, requires_grad)


_SMALL = 1 << 31
_PLAIN = {int, float}
_BOUNDS = {"start", "end", "step"}


def _by_place(bounds: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """start, end and step out of 1 to 3 numbers."""
    return (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]


def _of_ints(bounds: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The numbers of arange between small ints, for no options but a device and int64; None if it
    is asked for others. A quarter of the time of the long way."""
    for name, value in options.items():
        if name == "dtype":
            if value is not None and value is not dtypes.int64:
                return None
        elif name != "device":
            return None
    if not 1 <= len(bounds) <= 3:
        return None
    for each in bounds:
        if type(each) is not int or not -_SMALL < each < _SMALL:
            return None
    start, end, step = _by_place(bounds)
    if not step or (end - start) * step < 0:
        return None
    return space_of(options.get("device")).arange(start, end, step, dtype=dtypes.int64.numpy)


@composite("positions", on=("F",), raw=lambda x, n: namespace(x).arange(n))
def positions(x: Any, n: int) -> Any:
    """The numbers below n, where `x` is."""
    return arange(n, device=x.device)


def _bounds(bounds: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """start, end and step out of 1 to 3 positional arguments and keywords."""
    given = dict(
        zip(("end",) if len(bounds) == 1 else ("start", "end", "step"), bounds, strict=False)
    )
    if len(bounds) == 1 and "end" in named:
        given = {"start": bounds[0]}
    for name in ("start", "end", "step"):
        if name in named:
            if name in given:
                raise TypeError(f"got multiple values for argument '{name}'")
            given[name] = named.pop(name)
    if len(bounds) > 3 or "end" not in given:
        raise TypeError("1 to 3 bounds are wanted")
    return [number_of(given.get(name, n)) for name, n in (("start", 0), ("end", 0), ("step", 1))]


def arange_array(start: Any, end: Any, step: Any, kind: Any) -> Any:
    """The numbers of arange with torch's rounding. RuntimeError for bad bounds."""
    if kind not in INTEGRAL | FLOATING | HALVES:
        raise dtypes.unknown_to("arange_cpu", kind)
    if step == 0 or step != step:
        raise RuntimeError("step must be nonzero")
    _check_range(start, end, step)
    if (end - start) / step > 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    given = start, end, step
    if not kind.is_floating_point:
        start, end, step = [fitted(each, dtypes.int64) for each in (start, end, step)]
    if kind is dtypes.int64:  # for smaller integers the bounds as they are say how many there are
        given = start, end, step
        _check_range(*given)
    if not kind.is_floating_point:
        count = ceil((given[1] - given[0]) / given[2])
        with Silence():
            return (start + step * _first(count, numpy.int64, kind)).astype(kind.numpy)
    start, step = float(start), float(step)
    count = ceil((end - start) / step)
    i = _first(count, numpy.float64, kind)
    if kind is dtypes.float64:
        return _in_lanes(i, start, step, numpy.float64, 4)
    if kind is dtypes.float32:
        return _in_lanes(i, start, step, numpy.float32, 8)
    start, step = float(numpy.float32(start)), float(numpy.float32(step))
    single = _in_lanes(i, start, step, numpy.float32, 16, kind.numpy)
    return single.astype(kind.numpy)


def _first(count: int, dtype: Any, kind: Any) -> Any:
    """0, 1, ..., count - 1, of which numbers of `kind` are made."""
    try:
        return numpy.arange(count, dtype=dtype)
    except (ValueError, MemoryError) as error:
        raise fresh_error(error, (count,), kind.numpy) from None


def _check_range(start: Any, end: Any, step: Any) -> None:
    if step == 0:
        raise ValueError("step must be nonzero")
    if not (abs(start) < float("inf") and abs(end) < float("inf")):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _in_lanes(i: Any, start: float, step: float, work: Any, lanes: int, kept: Any = None) -> Any:
    """start + i * step with the roundings of ATen's vector units.

    A base is computed for every vector of `lanes` numbers, and kept in the dtype `kept`; only the
    last numbers, less than two vectors, are computed one by one.
    """
    x = _fused(i, step, start).astype(work)
    blocked = i.size - i.size % (2 * lanes)
    if blocked:
        from fractions import Fraction

        base = x[:blocked:lanes]
        if kept is not None:
            base = base.astype(kept).astype(work)
        base = base.astype(numpy.float64)
        for lane in range(lanes):
            further = lane * step
            if kept is not None:
                further = float(work(further))
            lost = float(Fraction(lane) * Fraction(step) - Fraction(further))
            x[lane:blocked:lanes] = (
                base + further if kept or not lost else _sum(base, further, lost)
            )
    return x


def _fused(i: Any, step: float, start: float) -> Any:
    """i * step + start with a single rounding, in double; `i` are the whole numbers of a sequence.

    Those below 2**29 times a number of 24 bits, as steps of float32 are, are exact as they are.
    """
    with Silence():
        if i.size < 1 << 29 and (math.frexp(step)[0] * (1 << 24)).is_integer():
            return i * step + start
        return fused_multiply_add(i, step, start)


def _sum(a: Any, b: float, lost: float) -> Any:
    """a + (b + lost) with a single rounding, where b + lost is a product and its error."""
    total = a + b
    back = total - a
    return total + (((a - (total - back)) + (b - back)) + lost)


@composite("range", on=("function",), calls=Calls(asks=NO_ARGUMENT))
@overloads(f"Number start, Number end, Number step = 1, *, Tensor out = None, {OPTIONS}")
def range_(start: Any, end: Any, step: Any = 1, *, out: Any = None, **options: Any) -> Any:
    """The numbers from start to end, with it, in steps of `step`. Deprecated: use arange."""
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces "
        "values in [start, end)."
    )
    if options.get("layout", 0) is None or options.get("requires_grad", 0) is None:
        raise TypeError  # which other factories take for their defaults
    start, end, step = [number_of(n) for n in (start, end, step)]
    if any(isinstance(each, complex) for each in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    xp, dtype, requires_grad = target("range", out, **options)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    _check_range(start, end, step)
    if not dtype.is_floating_point:
        start, end, step = [fitted(each, dtypes.int64) for each in (start, end, step)]
    length = (end - start) / step + 1.0
    if length >= 2**63:  # torch's C++ makes this number of it
        raise RuntimeError(
            f"IntArrayRef contains an int that cannot be represented as a SymInt: {-(2**63)}"
        )
    count = int(length)
    x = (start + step * _first(count, numpy.float64, dtype)).astype(dtype.numpy)
    return finished(xp.asarray(x), requires_grad) if out is None else spread(x, out, requires_grad)


# ---- linspace, logspace

_SPACED = [
    f"{start} start, {end} end, int steps{{}}, *, Tensor out = None, {OPTIONS}"
    for start, end in (
        ("Tensor", "Tensor"),
        ("Number", "Tensor"),
        ("Tensor", "Number"),
        ("Number", "Number"),
    )
]


_MANY = 1 << 28  # steps, for which there may be no memory
_LARGEST = 9e18  # of numbers that are what they are, whatever their type


def _spaced(name: str, start: Any, end: Any, steps: Any, out: Any, options: Any) -> Any:
    """The checked arguments of linspace and logspace, and what `target` makes of the options."""
    first = _plain_number(start) if type(start) is Tensor else start
    last = _plain_number(end) if type(end) is Tensor else end
    plain = type(first) in _PLAIN and type(last) in _PLAIN and type(steps) is int and steps >= 0
    if plain and -_LARGEST < first < _LARGEST and -_LARGEST < last < _LARGEST and out is None:
        start, end, default = first, last, None
    else:
        start, end, steps, default = _unlike_numbers(name, start, end, steps, out, options)
    xp, dtype, requires_grad = target(name, out, default, **options)
    if out is not None and out._array.size != steps:
        resize(out, (steps,))
    elif steps > _MANY:
        on_numpy.empty((steps,), dtype.numpy)  # refused here rather than where half is made
    if not dtype.is_complex:  # torch converts what it uses alone
        end = fitted(real_number(end, dtype), dtype) if steps > 1 else 0
        half = dtype.is_floating_point and dtype.itemsize == 2
        if steps == 1 and (name == "logspace" or half):  # which is cast
            whole = not dtype.is_floating_point
            start = float(real_number(start, dtypes.float64 if whole else dtype))
        else:
            start = fitted(real_number(start, dtype), dtype) if steps else 0
    return start, end, steps, xp, dtype, requires_grad


def _plain_number(bound: Any) -> Any:
    """The number of a plain tensor without dimensions on the CPU; another tensor as it is."""
    x = bound._array
    if type(x) is numpy.ndarray and not x.ndim and x.dtype.kind in "fi" and x.dtype.itemsize > 2:
        return x.item()
    return bound


def _unlike_numbers(name: str, start: Any, end: Any, steps: Any, out: Any, options: Any) -> Any:
    """start, end, steps and the default dtype of linspace and logspace where they are not plain
    numbers, or may be refused."""
    if out is not None:
        target(name, out, **options)  # torch looks at its dtype and device first
    ranks = [
        f"{which} with {value._array.ndim} dimension(s)"
        for which, value in (("start", start), ("end", end))
        if isinstance(value, TensorBase)
    ]
    if any("with 0" not in each for each in ranks):
        target(name, None, device=options.get("device"))  # torch looks at the device first
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got "
            f"{' and '.join(ranks)}."
        )
    if any(isinstance(each, TensorBase) and each.is_meta for each in (start, end)):
        options.setdefault("device", "meta")
    start, end = [
        number_in(each) if isinstance(each, TensorBase) else as_number(number_of(each))
        for each in (start, end)
    ]
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(f"{name}(): argument 'steps' must be int")
    steps = steps.__index__()
    check_steps(steps)
    default = dtypes.get_default_dtype()
    if isinstance(start, complex) or isinstance(end, complex):
        default = default.to_complex()
        wanted = options.get("dtype")
        if out is None and wanted is not None and not wanted.is_complex:
            raise RuntimeError(
                f"torch.{name}(): inferred dtype {default.c_name} can't be safely cast to passed "
                f"dtype {wanted.scalar_name}"
            )
    return start, end, steps, default


def number_in(tensor: Any) -> Any:
    """The number of a tensor, 0 if it is a meta tensor."""
    return 0.0 if is_numberless(tensor._array) else tensor.item()


def real_number(number: Any, dtype: Any) -> Any:
    """A number without its imaginary part. RuntimeError with torch's text if that is not 0."""
    if not isinstance(number, complex):
        return number
    if number.imag:
        overflow(dtype)
    return number.real


@composite("linspace", on=("function",))
@overloads(*[text.format("") for text in _SPACED])
def linspace(start: Any, end: Any, steps: int, *, out: Any = None, **options: Any) -> Any:
    """`steps` numbers at equal distances from start to end, both included."""
    start, end, steps, xp, dtype, requires_grad = _spaced(
        "linspace", start, end, steps, out, options
    )
    x = xp.asarray(kept_if_short(linspace_array, start, end, steps, dtype))
    return finished(x, requires_grad) if out is None else spread(x, out, requires_grad)


_SHORT = 256  # elements


def kept_if_short(make: Any, start: Any, end: Any, steps: int, *rest: Any) -> Any:
    """make(start, end, steps, *rest): a copy of what was made before of the same real numbers, if
    it is short. That takes 0.5 us, not 3 or 5."""
    if steps > _SHORT or type(start) is complex or type(end) is complex:
        return make(start, end, steps, *rest)
    # Zeros of both signs are equal.
    return _kept(make, copysign(1, start), copysign(1, end), start, end, steps, *rest).copy()


@lru_cache(256, typed=True)
def _kept(make: Any, _start_sign: float, _end_sign: float, *given: Any) -> Any:
    return make(*given)


def check_steps(steps: int) -> None:
    """RuntimeError for less than none."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")


def linspace_array(start: Any, end: Any, steps: int, kind: Any) -> Any:
    """The numbers of linspace, computed from both ends towards the middle as ATen does."""
    if kind.is_complex:
        first, last = complex(start), complex(end)
        parts = [
            linspace_array(a, b, steps, kind.to_real())
            for a, b in ((first.real, last.real), (first.imag, last.imag))
        ]
        x = numpy.empty(steps, kind.numpy)
        x.real, x.imag = parts
        return x
    integral = not kind.is_floating_point
    if integral:
        start, end = int(start), int(end)
    if steps == 1:
        with Silence():
            return numpy.full(1, start).astype(kind.numpy)
    if steps == 0:
        return numpy.empty(0, kind.numpy)
    if kind is dtypes.bool or kind in LATE_UNSIGNED:
        raise dtypes.unknown_to("linspace_cpu", kind)
    half = kind.is_floating_point and kind.itemsize == 2
    # The step of integers is a double.
    work = numpy.float64 if integral else kind.numpy.type
    first, last = work(start), work(end)
    step = (last - first) / work(steps - 1)
    i = numpy.arange(steps, dtype=work if half else numpy.float64)
    middle = steps // 2
    if half:  # every operation is rounded
        return numpy.concatenate([first + step * i[:middle], last - step * i[::-1][middle:]])
    first, last, step = float(first), float(last), float(step)
    forwards, backwards = _fused(i[:middle], step, first), _fused(i[::-1][middle:], -step, last)
    x = numpy.concatenate([forwards, backwards]).astype(work)
    return numpy.trunc(x).astype(kind.numpy) if integral else x


@composite("logspace", on=("function",))
@overloads(*[text.format(", float base = 10.0") for text in _SPACED])
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, out: Any = None, **options: Any
) -> Any:
    """base ** each of `steps` numbers at equal distances from start to end, both included."""
    start, end, steps, xp, dtype, requires_grad = _spaced(
        "logspace", start, end, steps, out, options
    )
    x = xp.asarray(kept_if_short(logspace_array, start, end, steps, float(base), dtype))
    return finished(x, requires_grad) if out is None else spread(x, out, requires_grad)


def logspace_array(start: Any, end: Any, steps: int, base: float, kind: Any) -> Any:
    """The numbers of logspace: powers in double, complex ones in their dtype."""
    if (kind is dtypes.bool or kind in LATE_UNSIGNED) and steps > 1:
        raise dtypes.unknown_to("logspace_cpu", kind)
    if steps == 1:
        powers = complex(base) ** start if isinstance(start, complex) else _power(base, start)
        return numpy.full(1, fitted_filling(powers, kind, 1), kind.numpy)
    if kind.is_complex:
        i = numpy.arange(steps)
        i, start, end = i.astype(kind.numpy), kind.numpy.type(start), kind.numpy.type(end)
    if kind.is_floating_point:
        with Silence():
            start, end = [float(numpy.asarray(n).astype(kind.numpy)) for n in (start, end)]
    elif not kind.is_complex:
        start, end = int(start), int(end)
    step = (end - start) / (kind.numpy.type if kind.is_complex else int)(max(steps - 1, 1))
    if not (kind.is_complex or kind.is_floating_point):
        step = float(numpy.float32(step))
    with Silence():
        if kind.is_complex:
            exponents = numpy.where(i < steps // 2, start + step * i, end - step * (steps - 1 - i))
            # As the C library's cpow; NumPy's multiplies for whole exponents.
            return numpy.exp(exponents * kind.numpy.type(numpy.log(complex(base))))
        middle = steps // 2
        exponents = [start + step * i for i in range(middle)]
        exponents += [end - step * i for i in range(steps - 1 - middle, -1, -1)]
        # The C library's power: NumPy's differs in the last bit.
        powers = [_power(base, each) for each in exponents]
        return numpy.array(powers, numpy.float64).astype(kind.numpy)


def _power(base: float, exponent: float) -> float:
    """base ** exponent as in C: infinite or nan where Python raises an exception."""
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        return float(numpy.power(base, exponent))


# ---- matrices


@composite("eye", on=("function",))
@overloads(
    f"int n, *, Tensor out = None, {OPTIONS}", f"int n, int m, *, Tensor out = None, {OPTIONS}"
)
def eye(n: int, *columns: int, m: int = UNSET, out: Any = None, **options: Any) -> Any:
    """An (n, m) matrix with ones on its diagonal; m is n if not given."""
    if len(columns) > (m is UNSET):
        raise TypeError  # its overloads say what
    m = columns[0] if columns else m
    sizes = [("n", n)] if m is UNSET else [("n", n), ("m", m)]
    if all([type(size) is int and abs(size) < _SMALL for _, size in sizes]):
        whole = sizes
    elif any([isinstance(size, bool) or not FITS["int"](size) for _, size in sizes]):
        raise TypeError
    else:
        whole = [(name, as_size(size)) for name, size in sizes]
    xp, dtype, requires_grad = target("eye", out, **options)
    for name, size in whole:
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    n, m = int(n), int(n if m is UNSET else m)
    if n * m > _SHORT:
        check_resize((n, m), dtype.itemsize)
    if dtype in LATE_UNSIGNED or dtype is dtypes.complex32:
        raise dtypes.unknown_to("eye", dtype)
    if dtype in dtypes.FLOAT8:
        x = cast(xp.eye(n, m, dtype=xp.float32), dtype.numpy)
    elif xp is on_numpy and n * m <= _SHORT:
        x = identity(n, m, dtype.numpy).copy()
    else:
        x = xp.eye(n, m, dtype=dtype.numpy)
    return finished(x, requires_grad) if out is None else delivered(x, out, requires_grad)


def identity(n: int, m: int, dtype: Any) -> Any:
    """The array of NumPy's that eye makes, not to be written: one of few elements is kept."""
    return (_kept_eye if n * m <= _SHORT else on_numpy.eye)(n, m, dtype=dtype)


_kept_eye = lru_cache(256)(on_numpy.eye)


def _triangle(name: str, what: str) -> None:
    upper = name == "triu_indices"

    @overloads(f"int row, int col, int offset = 0, *, {OPTIONS}")
    def indices(row: int, col: int, offset: int = 0, **options: Any) -> Any:
        for which, size in (("row", row), ("col", col)):
            if size < 0:
                raise RuntimeError(f"{which} must be non-negative, got{size}")
        xp, dtype, requires_grad = target(name, None, dtypes.int64, **options)
        if dtype not in (dtypes.int64, dtypes.int32):
            raise not_implemented(name, dtype.numpy)
        few = xp is on_numpy and row * col <= _SHORT and type(offset) is int
        make = _kept_places if few else _places_in_triangle
        x = make(xp, row, col, offset, upper, dtype.numpy)
        return finished(x.copy() if few else x, requires_grad)

    indices.__doc__ = (
        f"The row and column numbers, (2, n), of the {what} triangle of a (row, col) matrix."
    )
    composite(name, on=("function",))(indices)


def _places_in_triangle(xp: Any, row: int, col: int, offset: int, upper: bool, dtype: Any) -> Any:
    """The row and column numbers of a triangle, in a matrix of two rows."""
    i, j = xp.arange(row)[:, None], xp.arange(col)
    inside = j - i >= offset if upper else j - i <= offset
    return xp.stack(xp.nonzero(inside)).astype(dtype)


_kept_places = lru_cache(256)(_places_in_triangle)
_triangle("tril_indices", "lower")
_triangle("triu_indices", "upper")
