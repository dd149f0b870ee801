"""Steps of optimizers on CUDA, and norms of gradients: one launch for all tensors of a group.

A kernel reads a table of addresses and sizes. A block finds its tensor there by halving, and has
4,096 elements of it. The table is uploaded again only when something in it has changed.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy

from minitorch.core.arrays.on_cupy_source import is_supported, kernel

_CHUNK = 4096  # elements of a block
_KEPT = 64  # tables

_SOURCE = """
extern "C" __global__ void NAME(const unsigned long long* table, I tensors, PARAMETERS) {
    const unsigned long long *sizes = table + COLUMNS * tensors, *first = sizes + tensors;
    I low = 0, high = tensors;
    while (high - low > 1) {
        I middle = (low + high) / 2;
        if (first[middle] <= blockIdx.x) low = middle;
        else high = middle;
    }
    I start = (blockIdx.x - first[low]) * 4096, end = sizes[low];
    if (end > start + 4096) end = start + 4096;
    POINTERS
    BEFORE
    for (I i = start + threadIdx.x; i < end; i += blockDim.x) {
        BODY
    }
    AFTER
}
"""
_ADAM = """
        A p = A(p0[i]), m = A(p1[i]), v = A(p2[i]), g = A(gradient[i]);
        if (maximize) g = -g;
        if (decoupled) p *= decay;
        else g += decay * p;
        m += weight * (g - m);
        v = v * keep + square * g * g;
        A most = v;
        LARGEST
        p += size * m / (sqrt(most) / root + eps);
        p0[i] = T(p); p1[i] = T(m); p2[i] = T(v);
"""
_LARGEST = "most = A(p3[i]) > v ? A(p3[i]) : v; p3[i] = T(most);"
_SGD = """
        A p = A(p0[i]), g = A(gradient[i]);
        if (maximize) g = -g;
        g += decay * p;
        MOMENTUM
        p0[i] = T(p - rate * g);
"""
_MOMENTUM = """
        A held = first_step ? g : momentum * A(p1[i]) + fresh * g;
        p1[i] = T(held);
        g = nesterov ? g + momentum * held : held;
"""


_SQUARES = """
    total = sum(total, parts);
    if (!threadIdx.x) squares[blockIdx.x] = total;
"""
_NORM = """
extern "C" __global__ void norm(const A* squares, I blocks, T* out) {
    __shared__ A parts[32];
    A total = 0;
    for (I i = threadIdx.x; i < blocks; i += blockDim.x) total += squares[i];
    total = sum(total, parts);
    if (!threadIdx.x) *out = T(sqrt(total));
}
"""
_CLIP = """
        A factor = A(1) / (A(*norm) + A(1e-6)) * most;
        p0[i] = T(A(p0[i]) * (factor > A(1) ? A(1) : factor));
"""


def take(pairs: list[tuple[list[Any], list[Any]]]) -> bool:
    """Whether a step can be launched for these (written, read) arrays: of one dtype, by rows."""
    dtype = pairs[0][0][0].dtype
    return is_supported(pairs[0][0][0]) and all(
        [
            type(x) is cupy.ndarray and x.dtype == dtype and x.flags.c_contiguous
            for written, read in pairs
            for x in (*written, *read)
        ]
    )


_tables: dict[bytes, Any] = {}


def _table(pairs: list[tuple[list[Any], list[Any]]]) -> tuple[Any, int, int]:
    """The table on the device, how many tensors it has, and how many blocks they need."""
    pairs = [pair for pair in pairs if pair[0][0].size]
    if not pairs:
        return None, 0, 0
    sizes = numpy.array([written[0].size for written, _ in pairs], numpy.uint64)
    blocks = (sizes + numpy.uint64(_CHUNK - 1)) // numpy.uint64(_CHUNK)
    ends = numpy.cumsum(blocks)
    pointers = [[x.data.ptr for x in (*written, *read)] for written, read in pairs]
    table = numpy.concatenate(
        (numpy.array(pointers, numpy.uint64).T.reshape(-1), sizes, ends - blocks)
    )
    key = table.tobytes()
    held = _tables.get(key)
    if held is None:
        if len(_tables) >= _KEPT:
            _tables.clear()
        held = _tables[key] = cupy.asarray(table)
    return held, len(pairs), int(ends[-1])


def _launch(
    name: str, body: str, parameters: str, pairs: Any, *numbers: Any, after: str = ""
) -> None:
    table, tensors, blocks = _table(pairs)
    if not blocks:
        return
    written, read = pairs[0]
    names = [f"p{i}" for i in range(len(written))] + ["gradient"] * len(read)
    pointers = [f"T* {each} = (T*)table[{i} * tensors + low];" for i, each in enumerate(names)]
    text = _SOURCE.replace("NAME", name).replace("PARAMETERS", parameters).replace("BODY", body)
    before = "__shared__ A parts[32]; A total = 0;" if after else ""
    text = text.replace("BEFORE", before).replace("AFTER", after)
    text = text.replace("COLUMNS", str(len(names))).replace("POINTERS", " ".join(pointers))
    dtype = written[0].dtype
    wide = numpy.float64 if dtype.char == "d" else numpy.float32
    given = [wide(each) if type(each) is float else each for each in numbers]
    kernel(text, name, dtype)((blocks,), (256,), (table, tensors, *given))


def adam(
    pairs: Any,
    maximize: bool,
    decoupled: bool,
    decay: float,
    weight: float,
    keep: float,
    square: float,
    root: float,
    eps: float,
    size: float,
) -> None:
    """A step of Adam.

    Args:
        pairs: ([parameter, exp_avg, exp_avg_sq, max_exp_avg_sq if any], [gradient]).
        decay: what the parameter counts in the gradient; if decoupled, what is left of it.
        weight, keep, square: 1 - beta1, beta2, 1 - beta2.
        root, size: the square root of 1 - beta2**step; minus the rate over 1 - beta1**step.
    """
    body = _ADAM.replace("LARGEST", _LARGEST if len(pairs[0][0]) == 4 else "")
    parameters = "bool maximize, bool decoupled, A decay, A weight, A keep, A square, A root, A eps"
    numbers = (decay, weight, keep, square, root, eps, size)
    _launch("adam", body, f"{parameters}, A size", pairs, maximize, decoupled, *numbers)


def sgd(
    pairs: Any,
    maximize: bool,
    nesterov: bool,
    first: bool,
    decay: float,
    momentum: float,
    fresh: float,
    rate: float,
) -> None:
    """A step of SGD.

    Args:
        pairs: ([parameter, momentum_buffer if any], [gradient]).
        first: whether the buffer holds nothing yet.
        fresh: what the gradient counts in the buffer, 1 - dampening.
    """
    body = _SGD.replace("MOMENTUM", _MOMENTUM if len(pairs[0][0]) == 2 else "")
    parameters = "bool maximize, bool nesterov, bool first_step, A decay, A momentum, A fresh"
    numbers = (decay, momentum, fresh, rate)
    _launch("sgd", body, f"{parameters}, A rate", pairs, maximize, nesterov, first, *numbers)


def norm(arrays: list[Any]) -> Any:
    """The square root of the sum of all squares in arrays that `take` has accepted, 0-d."""
    dtype = arrays[0].dtype
    blocks = sum([-(-x.size // _CHUNK) for x in arrays])
    squares = cupy.ndarray((max(blocks, 1),), numpy.float64 if dtype.char == "d" else numpy.float32)
    pairs: list[tuple[list[Any], list[Any]]] = [([x], []) for x in arrays]
    body = "A each = A(p0[i]); total += each * each;"
    _launch("squares", body, "A* squares", pairs, squares, after=_SQUARES)
    out = cupy.ndarray((), dtype)
    kernel(_NORM, "norm", dtype)((1,), (256,), (squares, blocks, out))
    return out


def clip(arrays: list[Any], most: float, norm: Any) -> None:
    """Multiplies arrays that `take` has accepted by most / (norm + 1e-6), if that is below 1."""
    pairs: list[tuple[list[Any], list[Any]]] = [([x], []) for x in arrays]
    _launch("clip", _CLIP, "A most, const T* norm", pairs, most, norm)
