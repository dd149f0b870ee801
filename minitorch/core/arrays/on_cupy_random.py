"""Random numbers on CUDA: those of torch for the same seed.

As ATen/native/cuda/DistributionTemplates.h and Dropout.cu: thread t of T draws four words a call of
Philox4x32-10, which go to the elements t, t + T, t + 2 T and t + 3 T in the order of memory, or,
of doubles and 64-bit integers, two by two to t and t + T. Words become floats as cuRAND does it.
"""

from __future__ import annotations

import functools
from typing import Any

import cupy
import numpy

from minitorch.core.arrays import layout

_THREADS = 256
NUMBERS = {
    "bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short",
    "int32": "int", "int64": "long long", "float16": "float16", "bfloat16": "bfloat16",
    "float32": "float", "float64": "double",
}  # fmt: skip
_HEADER = """
typedef unsigned int Word;
typedef unsigned long long Long;

__device__ void philox(Long seed, Long sequence, Long counter, Word* words) {
    Word a = counter, b = counter >> 32, c = sequence, d = sequence >> 32;
    Word k = seed, l = seed >> 32;
    for (int round = 0; round < 10; round++) {
        Long p = 0xD2511F53ull * a, q = 0xCD9E8D57ull * c;
        a = Word(q >> 32) ^ b ^ k;
        b = Word(q);
        c = Word(p >> 32) ^ d ^ l;
        d = Word(p);
        k += 0x9E3779B9u;
        l += 0xBB67AE85u;
    }
    words[0] = a; words[1] = b; words[2] = c; words[3] = d;
}

__device__ float single(Word x) { return fmaf(float(x), 2.3283064e-10f, 2.3283064e-10f / 2); }

__device__ double twofold(Word x, Word y) {
    return fma(double(Long(x) ^ (Long(y) << 21)), 1.1102230246251565e-16, 5.551115123125783e-17);
}

__device__ void to_uniform(const Word* w, float* u) {
    for (int i = 0; i < 4; i++) u[i] = single(w[i]);
}
__device__ void to_uniform(const Word* w, double* u) {
    for (int i = 0; i < 2; i++) u[i] = twofold(w[2 * i], w[2 * i + 1]);
}
__device__ void to_normal(const Word* w, float* u) {
    const float turn = 2.3283064e-10f * 6.2831855f;
    for (int i = 0; i < 4; i += 2) {
        float s = sqrtf(-2.0f * logf(single(w[i]))), v = fmaf(float(w[i + 1]), turn, turn / 2);
        __sincosf(v, u + i, u + i + 1);
        u[i] *= s;
        u[i + 1] *= s;
    }
}
__device__ void to_normal(const Word* w, double* u) {
    double s = sqrt(-2.0 * log(twofold(w[0], w[1])));
    double v = fma(double(Long(w[2]) ^ (Long(w[3]) << 21)), 2.220446049250313e-16,
                   1.1102230246251565e-16);
    sincospi(v, u, u + 1);
    u[0] *= s;
    u[1] *= s;
}
__device__ void to_words(const Word* w, Word* u) { for (int i = 0; i < 4; i++) u[i] = w[i]; }
__device__ void to_words(const Word* w, Long* u) {
    for (int i = 0; i < 2; i++) u[i] = (Long(w[2 * i]) << 32) | w[2 * i + 1];
}
"""
_SOURCE = """
typedef NUMBER T;
typedef DRAWN A;
extern "C" __global__ void NAME(T* out, long long size, Long seed, Long counter, PARAMETERS) {
    const int each = EACH;
    const float epsilon = 1.1920929e-07f;
    Long thread = blockIdx.x * Long(blockDim.x) + threadIdx.x, threads = gridDim.x * Long(256);
    for (Long start = thread; start < size; start += threads * each, counter++) {
        Word w[4];
        A drawn[4];
        philox(seed, thread, counter, w);
        to_KIND(w, drawn);
        for (int i = 0; i < each; i++) {
            Long at = start + i * threads;
            if (at >= size) return;
            A u = drawn[i];
            BODY
        }
    }
}
"""
# Distributions: the kind of the drawn number u, and code for u with the parameters p and q in A.
_KINDS = {
    "uniform": ("uniform", "T v = T(FMA(u, q - p, p)); out[at] = v == T(q) ? T(p) : v;"),
    "normal": ("normal", "out[at] = T(FMA(u, q, p));"),
    "log_normal": ("normal", "out[at] = T(exp(FMA(u, q, p)));"),
    "exponential": (
        "uniform",
        "A l = u >= A(1) - EPSILON / 2 ? -EPSILON / 2 : log(u); out[at] = T(A(-1) / p * l);",
    ),
    "geometric": ("uniform", "out[at] = T(ceil(log(u) / log1p(-p)));"),
    "cauchy": (
        "uniform",
        "A v = A(3.141592653589793) * (BOUNDED - A(0.5)); out[at] = T(p + q * tan(v));",
    ),
    "bernoulli": ("uniform", "out[at] = T(float(u < p));"),
    "dropout_mask": ("uniform", "out[at] = T(u < p ? q : A(0));"),
    "random_range": ("words", "out[at] = T((long long)(u % range + base));"),
}
_DROPOUT = """
typedef NUMBER T;
__device__ void drop(const T* x, T* out, bool* mask, Long at, Word w, A keep, A scale) {
    bool kept = single(w) < keep;
    mask[at] = kept;
    out[at] = T(A(x[at]) * A(kept) * scale);
}
extern "C" __global__ void dropout(
    const T* x, T* out, bool* mask, long long size, Long seed, Long counter, int vector, A keep,
    A scale
) {
    Long thread = blockIdx.x * Long(blockDim.x) + threadIdx.x, threads = gridDim.x * Long(256);
    Word w[4];
    if (vector == 1) {
        for (Long start = thread; start < size; start += threads * 4, counter++) {
            philox(seed, thread, counter, w);
            for (int i = 0; i < 4; i++)
                if (start + i * threads < size)
                    drop(x, out, mask, start + i * threads, w[i], keep, scale);
        }
        return;
    }
    for (Long start = thread * vector; start < size; start += threads * vector)
        for (int i = 0; i < vector; i++) {
            if (i % 4 == 0) philox(seed, thread, counter++, w);
            drop(x, out, mask, start + i, w[i % 4], keep, scale);
        }
}
extern "C" __global__ void dropout_backward(
    const T* grad, const bool* mask, T* out, long long size, A scale
) {
    for (Long at = blockIdx.x * Long(256) + threadIdx.x; at < size; at += gridDim.x * Long(256))
        out[at] = T(A(mask[at]) * A(grad[at]) * scale);
}
"""


def draw(machine: Any, x: Any, name: str, *parameters: Any) -> bool:
    """Fills an array by a distribution; False, and nothing is drawn, if there is no kernel for it.

    machine: a Philox. Parameters are checked.
    """
    if x.dtype.name not in NUMBERS or (name not in _KINDS and name != "random_full"):
        return False
    if not x.size:
        return True
    strides = layout.strides_of(x)
    axes = sorted(range(x.ndim), key=lambda axis: (-strides[axis], axis))
    turned = x.transpose(axes)
    block = turned if turned.flags.c_contiguous else cupy.ndarray(turned.shape, x.dtype)
    if name == "dropout_mask":
        keep = 1 - parameters[0]
        _numbers(machine, block, name, keep, 1 / keep if keep else 0.0)
    elif name in ("random_range", "random_full"):
        _integers(machine, block, *_interval(x.dtype, name, *parameters))
    else:
        _numbers(machine, block, name, *parameters)
    if block is not turned:
        turned[...] = block
    return True


_DEFAULTS: dict[str, tuple[float, ...]] = {
    "uniform": (0.0, 1.0), "normal": (0.0, 1.0), "log_normal": (1.0, 2.0), "cauchy": (0.0, 1.0),
    "exponential": (1.0, 0.0), "geometric": (0.5, 0.0), "bernoulli": (0.5, 0.0),
    "dropout_mask": (0.5, 2.0),
}  # fmt: skip


def _numbers(machine: Any, x: Any, name: str, *parameters: Any) -> None:
    wide = x.dtype.char == "d"
    kind, body = _KINDS[name]
    p, q = (*parameters, *_DEFAULTS[name][len(parameters) :])
    epsilon = "A(2.220446049250313e-16)" if wide else "A(epsilon)"
    body = body.replace("BOUNDED", "fmin(fmax(u, EPSILON), A(1) - EPSILON)")
    body = body.replace("EPSILON", epsilon).replace("FMA", "fma" if wide else "fmaf")
    number = numpy.float64 if wide else numpy.float32
    drawn = ("double", 2) if wide else ("float", 4)
    _launch(machine, x, name, kind, body, drawn, "A p, A q", number(p), number(q))


def _integers(machine: Any, x: Any, low: int, span: int, wide: bool) -> None:
    """Integers from low to low + span; a span of 0 is that of 64 bits."""
    body = _KINDS["random_range"][1]
    if span == 0:
        body = body.replace("u % range", "u")
    drawn = ("Long", 2) if wide else ("Word", 4)
    given = (numpy.uint64(span), numpy.int64(low))
    _launch(machine, x, "random_range", "words", body, drawn, "Long range, long long base", *given)


def _interval(
    dtype: Any, name: str, low: int = 0, high: int | None = None
) -> tuple[int, int, bool]:
    """The least number, how many there are, and whether a number takes 64 bits."""
    if name == "random_range" and high is not None:
        return low, (high - low) % 2**64, high - low >= 1 << 28
    bits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53, "bool": 0}.get(dtype.name)
    if bits is None:
        most = int(numpy.iinfo(dtype).max)
    else:
        most = 1 << bits
    if name == "random_range":  # from low to the largest
        return low, most - low + 1, most - low + 1 >= 1 << 28
    return 0, most + 1, dtype.name in ("int64", "float64")


def _grid(size: int) -> int:
    attributes = cupy.cuda.Device().attributes
    each = attributes["MaxThreadsPerMultiProcessor"] // _THREADS
    return int(min(-(-size // _THREADS), attributes["MultiProcessorCount"] * each))


def _launch(
    machine: Any, x: Any, name: str, kind: str, body: str, drawn: Any, parameters: str, *given: Any
) -> None:
    kernel = _kernel(name, kind, body, *drawn, parameters, x.dtype)
    size, each = x.size, drawn[1]
    grid = _grid(size)
    begin = machine.take(((size - 1) // (_THREADS * grid * each) + 1) * 4)
    state = (numpy.uint64(machine.initial_seed), numpy.uint64(begin // 4))
    kernel((grid,), (_THREADS,), (x, size, *state, *given))


@functools.cache
def _kernel(
    name: str, kind: str, body: str, drawn: str, each: int, parameters: str, dtype: Any
) -> Any:
    name = f"draw_{name}"
    text = _SOURCE.replace("NAME", name).replace("KIND", kind).replace("BODY", body)
    text = text.replace("DRAWN", drawn).replace("EACH", str(each)).replace("PARAMETERS", parameters)
    return compiled(text, name, dtype)


def compiled(text: str, name: str, dtype: Any, halves: bool = False) -> Any:
    """The kernel `name` of a text that draws, for numbers of a dtype, and of half types besides."""
    halves = halves or dtype.name in ("float16", "bfloat16")
    half = "#include <cupy/carray.cuh>\n" if halves else ""
    text = half + _HEADER + text.replace("NUMBER", NUMBERS[dtype.name])
    return cupy.RawKernel(text, name, options=("-std=c++17",))


@functools.cache
def _dropout_kernel(name: str, dtype: Any) -> Any:
    wide = "double" if dtype.char == "d" else "float"
    return compiled(f"typedef {wide} A;\n{_DROPOUT}", name, dtype)


def takes_dropout(x: Any) -> bool:
    """Whether `dropout` takes these numbers: floating ones."""
    return x.dtype.kind in "fV" and x.dtype.name in NUMBERS


def dropout(machine: Any, x: Any, p: float) -> tuple[Any, Any]:
    """`x` with each element set to 0 with the probability p, and the mask of the elements kept.

    0 < p < 1. A thread has as many elements next to each other as torch's have.
    """
    strides = layout.strides_of(x)
    axes = sorted(range(x.ndim), key=lambda axis: (-strides[axis], axis))
    turned = x.transpose(axes)
    vector = {8: 2, 4: 4, 2: 8}[x.itemsize]
    if not turned.flags.c_contiguous:
        turned, vector = cupy.ascontiguousarray(turned).reshape(turned.shape), 1
    size = x.size
    while size % vector or x.data.ptr % (vector * x.itemsize):
        vector //= 2
    out, mask = cupy.ndarray(turned.shape, x.dtype), cupy.ndarray(turned.shape, numpy.bool_)
    grid = _grid(size)
    begin = machine.take(((size - 1) // (_THREADS * grid * 4) + 1) * 4)
    state = (numpy.uint64(machine.initial_seed), numpy.uint64(begin // 4))
    wide = numpy.float64 if x.itemsize == 8 else numpy.float32
    given = (turned, out, mask, size, *state, vector, wide(1 - p), wide(1) / wide(1 - p))
    _dropout_kernel("dropout", x.dtype)((grid,), (_THREADS,), given)
    back = sorted(range(x.ndim), key=axes.__getitem__)
    return out.transpose(back), mask.transpose(back)


def dropout_backward(grad: Any, mask: Any, scale: float) -> Any:
    """The gradient of `dropout`, of arrays that lie row by row."""
    out = cupy.ndarray(grad.shape, grad.dtype)
    wide = numpy.float64 if grad.itemsize == 8 else numpy.float32
    blocks = min(-(-grad.size // _THREADS), 1 << 16)
    given = (grad, mask, out, grad.size, wide(scale))
    _dropout_kernel("dropout_backward", grad.dtype)((blocks,), (_THREADS,), given)
    return out
