"""Batch normalisation on CUDA: a launch forward and one backward, a block for each channel.

As ATen/native/cuda/Normalization.cuh. P is the dtype of parameters and statistics.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy

from minitorch.core.arrays.on_cupy_source import by_elements, by_rows, in_rows, kernel

# Element number i of a channel is at i % length of the image i / length.
_HEADER = """
typedef PARAMETER P;
__device__ I place(unsigned i, unsigned length, unsigned channels) {
    unsigned image = i / length;
    return (I(image) * channels + blockIdx.x) * length + (i - image * length);
}
"""
_TRAINING = """
extern "C" __global__ void batch_norm(
    const T* x, const P* weight, const P* bias, P* running_mean, P* running_var, T* out, P* means,
    P* invstds, unsigned count, unsigned channels, unsigned length, A momentum, A eps
) {
    __shared__ A parts[32];
    A total = 0, squares = 0;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        total += A(x[place(i, length, channels)]);
    A mean = sum(total, parts) / count;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        A each = A(x[place(i, length, channels)]) - mean;
        squares += each * each;
    }
    squares = sum(squares, parts);
    A invstd = A(1) / sqrt(squares / count + eps);
    A scale = weight ? invstd * A(weight[blockIdx.x]) : invstd;
    A shift = bias ? A(bias[blockIdx.x]) : A(0);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        I at = place(i, length, channels);
        out[at] = T((A(x[at]) - mean) * scale + shift);
    }
    if (threadIdx.x) return;
    means[blockIdx.x] = P(mean);
    invstds[blockIdx.x] = P(invstd);
    if (running_mean) {
        P* held = running_mean + blockIdx.x;
        *held = P(momentum * mean + (1 - momentum) * A(*held));
    }
    if (running_var) {
        P* held = running_var + blockIdx.x;
        A unbiased = count > 1 ? squares / (count - 1) : A(0) / A(count - 1);
        *held = P(momentum * unbiased + (1 - momentum) * A(*held));
    }
}
"""
_EVALUATION = """
extern "C" __global__ void batch_norm_by_running(
    const T* x, const P* weight, const P* bias, const P* mean, const P* var, T* out, I size,
    unsigned channels, unsigned length, A eps
) {
    for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < size;
         i += gridDim.x * I(blockDim.x)) {
        unsigned c = unsigned(i) / length % channels;
        A scale = A(1) / sqrt(A(var[c]) + eps);
        if (weight) scale *= A(weight[c]);
        A each = (A(x[i]) - A(mean[c])) * scale;
        out[i] = T(bias ? each + A(bias[c]) : each);
    }
}
"""
_BACKWARD = """
extern "C" __global__ void batch_norm_backward(
    const T* grad, const T* x, const P* weight, const P* means, const P* spreads, T* out,
    P* weights, P* biases, unsigned count, unsigned channels, unsigned length, bool training, A eps
) {
    __shared__ A parts[32];
    A mean = A(means[blockIdx.x]), invstd = A(spreads[blockIdx.x]), total = 0, along = 0;
    if (!training) invstd = A(1) / sqrt(invstd + eps);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        I at = place(i, length, channels);
        A g = A(grad[at]);
        total += g;
        along += g * (A(x[at]) - mean);
    }
    total = sum(total, parts);
    along = sum(along, parts);
    if (!threadIdx.x && weights) weights[blockIdx.x] = P(along * invstd);
    if (!threadIdx.x && biases) biases[blockIdx.x] = P(total);
    if (!out) return;
    A scale = weight ? invstd * A(weight[blockIdx.x]) : invstd;
    A slope = along * invstd * invstd / count;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        I at = place(i, length, channels);
        A g = A(grad[at]);
        out[at] = T((training ? g - (A(x[at]) - mean) * slope - total / count : g) * scale);
    }
}
"""


def takes_batch_norm(x: Any, *others: Any) -> bool:
    """Whether `batch_norm` takes numbers, and parameters and statistics, of these dtypes.

    It takes half types if the others are float32; the general code computes statistics that are
    rounded to a half type.
    """
    dtypes = {each.dtype.char for each in others if each is not None}
    if x.dtype.itemsize == 2:
        fitting = dtypes == {"f"} and x.dtype.kind in "fV"
    else:
        fitting = x.dtype.char in "fd" and dtypes <= {x.dtype.char}
    return fitting and 0 < x.size < 1 << 31 and bool(x.flags.c_contiguous)


def batch_norm(
    x: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Any, Any, Any]:
    """Each channel standardised, and its mean and 1 over its deviation, empty in evaluation."""
    channels, count, length = _sizes(x)
    held = numpy.dtype("f") if x.dtype.itemsize == 2 else x.dtype
    wide = _wide(x)
    out = cupy.ndarray(x.shape, x.dtype)
    given = [0 if each is None else each for each in (weight, bias, running_mean, running_var)]
    if not training:
        function = _kernel(_EVALUATION, "batch_norm_by_running", x)
        sizes = (x.size, numpy.uint32(channels), length)
        by_elements(function, x.size, x, *given, out, *sizes, wide(eps))
        return out, cupy.ndarray((0,), held), cupy.ndarray((0,), held)
    mean, invstd = cupy.ndarray((channels,), held), cupy.ndarray((channels,), held)
    function = _kernel(_TRAINING, "batch_norm", x)
    sizes = (count, numpy.uint32(channels), length)
    numbers = (wide(momentum), wide(eps))
    by_rows(function, channels, int(count), x, *given, out, mean, invstd, *sizes, *numbers)
    return out, mean, invstd


def batch_norm_backward(
    grad: Any,
    x: Any,
    weight: Any,
    mean: Any,
    spread: Any,
    training: bool,
    eps: float,
    mask: tuple[bool, bool, bool],
) -> tuple[Any, Any, Any]:
    """The gradients by x, weight and bias that the mask asks for.

    spread: 1 over the deviations in training, else the variances.
    """
    channels, count, length = _sizes(x)
    out = cupy.ndarray(x.shape, x.dtype) if mask[0] else None
    held = mean.dtype
    sums = [cupy.ndarray((channels,), held) if wanted else None for wanted in mask[1:]]
    written = [0 if each is None else each for each in (out, *sums)]
    given = (in_rows(grad), x, 0 if weight is None else weight, mean, spread, *written)
    sizes = (count, numpy.uint32(channels), length)
    function = _kernel(_BACKWARD, "batch_norm_backward", x)
    by_rows(function, channels, int(count), *given, *sizes, training, _wide(x)(eps))
    return out, *sums


def _sizes(x: Any) -> tuple[int, Any, Any]:
    """How many channels there are, the elements of one, and those of one image in it."""
    channels = x.shape[1]
    length = x.size // (x.shape[0] * channels)
    return channels, numpy.uint32(x.size // channels), numpy.uint32(length)


def _wide(x: Any) -> Any:
    return numpy.float64 if x.dtype.char == "d" else numpy.float32


def _kernel(source: str, name: str, x: Any) -> Any:
    parameter = "float" if x.dtype.itemsize == 2 else "T"
    header = _HEADER if "place(" in source else _HEADER[: _HEADER.index("__device__")]
    return kernel(header.replace("PARAMETER", parameter) + source, name, x.dtype)
