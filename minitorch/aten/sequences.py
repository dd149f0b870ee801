"""Regular sequences: arange, linspace, logspace; the identity matrix; indices of triangles."""

from __future__ import annotations

import warnings
from math import ceil, floor
from typing import Any

import numpy

from minitorch.aten.factories import delivered, finished, number_of, target
from minitorch.core.declare.families import composite
from minitorch.core.declare.signatures import OPTIONS, overloads
from minitorch.core.declare.writing import resize
from minitorch.core.graph.views import written
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.sampling.filling import not_implemented
from minitorch.core.tensor.base import TensorBase


def spread(x: Any, out: Any, requires_grad: bool) -> Any:
    """`out` with the numbers of the 1-d array `x`; its shape stays if it has as many elements."""
    if out._array.size != x.size:
        resize(out, x.shape)
    out._array[...] = x.reshape(out._array.shape)
    written(out, None)
    return out.requires_grad_() if requires_grad else out


# ---- arange -------------------------------------------------------------------------------------


@composite("arange", on=("function",))
@overloads(
    f"Number end, *, Tensor out = None, {OPTIONS}",
    f"Number start, Number end, *, {OPTIONS}",
    f"Number start, Number end, Number step = 1, *, Tensor out = None, {OPTIONS}",
)
def arange(*bounds: Any, out: Any = None, **options: Any) -> Any:
    """The numbers from start (0) to end, without it, in steps of `step`."""
    start, end, step = _bounds(bounds, options)
    whole = all(isinstance(n, (int, numpy.integer)) for n in (start, end, step))
    default = dtypes.int64 if whole else None
    xp, dtype, requires_grad = target("arange", out, default, **options)
    x = xp.asarray(arange_array(start, end, step, dtype))
    if out is None:
        return finished(x, requires_grad)
    if out._array.size not in (0, x.size):
        warnings.warn(
            f"The number of elements in the out tensor of shape {list(out._array.shape)} is "
            f"{out._array.size} which does not match the computed number of elements {x.size}. "
            "Note that this may occur as a result of rounding error. The out tensor will be "
            f"resized to a tensor of shape ({x.size},).",
            UserWarning,
            stacklevel=3,
        )
    return spread(x, out, requires_grad)


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
    if kind is dtypes.bool or kind.is_complex:
        raise not_implemented("arange_cpu", kind.numpy)
    if not kind.is_floating_point:
        start, end, step = int(start), int(end), int(step)
    _check_range(start, end, step)
    if not kind.is_floating_point:
        count = ceil((end - start) / step)
        with numpy.errstate(over="ignore"):
            return (start + step * numpy.arange(count)).astype(kind.numpy)
    count = ceil((end - start) / step)
    if kind is not dtypes.float32:
        exact = start + step * numpy.arange(count, dtype=numpy.float64)
        return (exact if kind is dtypes.float64 else exact.astype(numpy.float32)).astype(kind.numpy)
    return _arange_float32(float(start), float(step), count)


def _check_range(start: Any, end: Any, step: Any) -> None:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (abs(start) < float("inf") and abs(end) < float("inf")):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _arange_float32(start: float, step: float, count: int) -> Any:
    # As vectorised by ATen: a float32 base per 8 lanes, the rest of 16 one by one.
    i = numpy.arange(count, dtype=numpy.float64)
    out = (start + step * i).astype(numpy.float32)
    blocked = count - count % 16
    if blocked:
        base = (start + step * i[:blocked:8]).astype(numpy.float32).astype(numpy.float64)
        lanes = base[:, None] + step * numpy.arange(8, dtype=numpy.float64)
        out[:blocked] = lanes.astype(numpy.float32).reshape(-1)
    return out


@composite("range", on=("function",))
@overloads(f"Number start, Number end, Number step = 1, *, Tensor out = None, {OPTIONS}")
def range_(start: Any, end: Any, step: Any = 1, *, out: Any = None, **options: Any) -> Any:
    """The numbers from start to end, with it, in steps of `step`. Deprecated: use arange."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces "
        "values in [start, end).",
        UserWarning,
        stacklevel=3,
    )
    start, end, step = [number_of(n) for n in (start, end, step)]
    xp, dtype, requires_grad = target("range", out, **options)
    _check_range(start, end, step)
    count = floor((end - start) / step) + 1
    x = (start + step * numpy.arange(count, dtype=numpy.float64)).astype(dtype.numpy)
    return finished(xp.asarray(x), requires_grad) if out is None else spread(x, out, requires_grad)


# ---- linspace, logspace -------------------------------------------------------------------------

_SPACED = [
    f"{start} start, {end} end, int steps{{}}, *, Tensor out = None, {OPTIONS}"
    for start, end in (
        ("Tensor", "Tensor"),
        ("Number", "Tensor"),
        ("Tensor", "Number"),
        ("Number", "Number"),
    )
]


def _spaced(name: str, start: Any, end: Any, steps: Any, out: Any, options: Any) -> Any:
    """The checked arguments of linspace and logspace, and what `target` makes of the options."""
    for which, value in (("start", start), ("end", end)):
        if isinstance(value, TensorBase) and value.dim() != 0:  # type: ignore[attr-defined]
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {which} with "
                f"{value.dim()} dimension(s)."  # type: ignore[attr-defined]
            )
    start, end = number_of(start), number_of(end)
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(f"{name}(): argument 'steps' must be int")
    steps = steps.__index__()
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    default = dtypes.get_default_dtype()
    if isinstance(start, complex) or isinstance(end, complex):
        default = default.to_complex()
    xp, dtype, requires_grad = target(name, out, default, **options)
    return start, end, steps, xp, dtype, requires_grad


@composite("linspace", on=("function",))
@overloads(*[text.format("") for text in _SPACED])
def linspace(start: Any, end: Any, steps: int, *, out: Any = None, **options: Any) -> Any:
    """`steps` numbers at equal distances from start to end, both included."""
    start, end, steps, xp, dtype, requires_grad = _spaced(
        "linspace", start, end, steps, out, options
    )
    x = xp.asarray(linspace_array(start, end, steps, dtype))
    return finished(x, requires_grad) if out is None else spread(x, out, requires_grad)


def linspace_array(start: Any, end: Any, steps: int, kind: Any) -> Any:
    """The numbers of linspace, computed from both ends towards the middle as ATen does."""
    if kind.is_complex:
        i = numpy.arange(steps)
        step = (complex(end) - complex(start)) / max(steps - 1, 1)
        half = steps // 2
        x = numpy.where(i < half, start + step * i, end - step * (steps - 1 - i))
        return (numpy.full(steps, start) if steps == 1 else x).astype(kind.numpy)
    integral = not kind.is_floating_point
    if integral:
        start, end = int(start), int(end)
    if steps == 1:
        return numpy.full(1, start).astype(kind.numpy)
    work = numpy.float64 if kind is dtypes.float64 else numpy.float32
    i = numpy.arange(steps)
    if steps == 0:
        return numpy.empty(0, kind.numpy)
    step = float(work((work(end) - work(start)) / work(steps - 1)))
    forwards = float(work(start)) + step * i
    backwards = float(work(end)) - step * (steps - 1 - i)
    x = numpy.where(i < steps // 2, forwards, backwards)
    if integral:
        return numpy.trunc(x.astype(work)).astype(kind.numpy)
    return x.astype(kind.numpy) if kind is dtypes.float64 else x.astype(work).astype(kind.numpy)


@composite("logspace", on=("function",))
@overloads(*[text.format(", float base = 10.0") for text in _SPACED])
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, out: Any = None, **options: Any
) -> Any:
    """base ** each of `steps` numbers at equal distances from start to end, both included."""
    start, end, steps, xp, dtype, requires_grad = _spaced(
        "logspace", start, end, steps, out, options
    )
    x = xp.asarray(logspace_array(start, end, steps, float(base), dtype))
    return finished(x, requires_grad) if out is None else spread(x, out, requires_grad)


def logspace_array(start: Any, end: Any, steps: int, base: float, kind: Any) -> Any:
    """The numbers of logspace: powers in double, rounded to the dtype."""
    if steps == 1:
        exponents = numpy.full(1, start)
    elif kind.is_complex:
        exponents = linspace_array(start, end, steps, dtypes.complex128)
    else:
        exponents = linspace_array(float(start), float(end), steps, dtypes.float64)
        if kind is dtypes.float32:
            exponents = linspace_array(float(start), float(end), steps, kind).astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        return numpy.power(base, exponents).astype(kind.numpy)


# ---- matrices -----------------------------------------------------------------------------------


@composite("eye", on=("function",))
@overloads(
    f"int n, *, Tensor out = None, {OPTIONS}", f"int n, int m, *, Tensor out = None, {OPTIONS}"
)
def eye(n: int, *columns: int, m: int | None = None, out: Any = None, **options: Any) -> Any:
    """An (n, m) matrix with ones on its diagonal; m is n if not given."""
    if len(columns) > (m is None):
        raise TypeError("eye() takes n and m")
    m = columns[0] if columns else m
    sizes = [("n", n)] if m is None else [("n", n), ("m", m)]
    for name, size in sizes:
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise TypeError(f"eye(): argument '{name}' must be int")
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    xp, dtype, requires_grad = target("eye", out, **options)
    x = xp.eye(int(n), None if m is None else int(m), dtype=dtype.numpy)
    return finished(x, requires_grad) if out is None else delivered(x, out, requires_grad)


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
        i, j = xp.arange(row)[:, None], xp.arange(col)
        inside = j - i >= offset if upper else j - i <= offset
        return finished(xp.stack(xp.nonzero(inside)).astype(dtype.numpy), requires_grad)

    indices.__name__ = indices.__qualname__ = name
    indices.__doc__ = (
        f"The row and column numbers, (2, n), of the {what} triangle of a (row, col) matrix."
    )
    composite(name, on=("function",))(indices)


_triangle("tril_indices", "lower")
_triangle("triu_indices", "upper")
