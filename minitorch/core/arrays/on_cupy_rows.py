"""Rows of numbers on CUDA, in one launch each: softmax, likelihoods, layer norm, embeddings.

The functions are called like their namesakes in core/arrays, which find them as `xp.fused` and have
checked the arguments. Half types are computed in float32, and rounded once.
"""

from __future__ import annotations

from math import prod
from typing import Any

import cupy

from minitorch.core.arrays.on_cupy_faults import WORD
from minitorch.core.arrays.on_cupy_source import by_elements, by_rows, in_rows, is_supported, kernel

_SOFTMAX = """
extern "C" __global__ void softmax(const T* x, T* y, I length, I inner, bool logarithm) {
    __shared__ A parts[32];
    I start = blockIdx.x / inner * length * inner + blockIdx.x % inner;
    A top = A(x[start]);
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        A each = A(x[start + i * inner]);
        top = each > top ? each : top;
    }
    top = largest(top, parts);
    A total = 0;
    for (I i = threadIdx.x; i < length; i += blockDim.x)
        total += exp(A(x[start + i * inner]) - top);
    total = sum(total, parts);
    A shift = logarithm ? log(total) : A(0);
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        I place = start + i * inner;
        A each = A(x[place]) - top;
        y[place] = T(logarithm ? each - shift : exp(each) / total);
    }
}
"""

_SOFTMAX_BACKWARD = """
extern "C" __global__ void softmax_backward(
    const T* grad, const T* output, T* out, I length, I inner, bool logarithm
) {
    __shared__ A parts[32];
    I start = blockIdx.x / inner * length * inner + blockIdx.x % inner;
    A total = 0;
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        I place = start + i * inner;
        total += logarithm ? A(grad[place]) : A(grad[place]) * A(output[place]);
    }
    total = sum(total, parts);
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        I place = start + i * inner;
        A g = A(grad[place]), y = A(output[place]);
        out[place] = T(logarithm ? g - exp(y) * total : (g - total) * y);
    }
}
"""


def softmax(x: Any, axis: int, logarithm: bool = False) -> Any:
    """softmax along `axis`, or its logarithm, of an array with elements and axes."""
    x = in_rows(x)
    out = cupy.ndarray(x.shape, x.dtype)
    length, inner = x.shape[axis], prod(x.shape[axis % x.ndim + 1 :])
    function = kernel(_SOFTMAX, "softmax", x.dtype)
    by_rows(function, x.size // length, length, x, out, length, inner, logarithm)
    return out


def softmax_backward(grad: Any, output: Any, axis: int, logarithm: bool = False) -> Any:
    """The gradient of `softmax`, computed from its result."""
    grad, output = in_rows(grad), in_rows(output)
    out = cupy.ndarray(output.shape, output.dtype)
    length, inner = output.shape[axis], prod(output.shape[axis % output.ndim + 1 :])
    function = kernel(_SOFTMAX_BACKWARD, "softmax_backward", output.dtype)
    by_rows(function, out.size // length, length, grad, output, out, length, inner, logarithm)
    return out


_ATTENTION = """
__device__ A score(
    const T* scores, const T* mask, I at, I row, I s, I queries, I heads, I m0, I m1, I m2, I m3,
    A scale, bool causal
) {
    I l = row % queries;
    if (causal && s > l) return -INFINITE;
    A x = A(scores[at]) * scale;
    if (mask) {
        I head = row / queries;
        x += A(mask[head / heads * m0 + head % heads * m1 + l * m2 + s * m3]);
    }
    return x;
}

extern "C" __global__ void attend(
    T* scores, const T* mask, T* sums, I keys, I queries, I heads, I m0, I m1, I m2, I m3,
    A scale, bool causal
) {
    __shared__ A parts[32];
    I row = blockIdx.x, start = row * keys;
    A top = -INFINITE;
    for (I s = threadIdx.x; s < keys; s += blockDim.x) {
        A x = score(scores, mask, start + s, row, s, queries, heads, m0, m1, m2, m3, scale, causal);
        scores[start + s] = T(x);
        top = x > top ? x : top;
    }
    top = largest(top, parts);
    if (top == -INFINITE) top = 0;
    A total = 0;
    for (I s = threadIdx.x; s < keys; s += blockDim.x) total += exp(A(scores[start + s]) - top);
    total = sum(total, parts);
    if (!threadIdx.x) sums[row] = T(log(total) + top);
    A over = total == 0 ? A(1) : total;
    for (I s = threadIdx.x; s < keys; s += blockDim.x)
        scores[start + s] = T(exp(A(scores[start + s]) - top) / over);
}

extern "C" __global__ void attend_backward(
    T* scores, T* slopes, const T* mask, const T* sums, I keys, I queries, I heads, I m0, I m1,
    I m2, I m3, A scale, bool causal
) {
    __shared__ A parts[32];
    I row = blockIdx.x, start = row * keys;
    A shift = A(sums[row]), along = 0;
    if (shift == -INFINITE) shift = 0;
    for (I s = threadIdx.x; s < keys; s += blockDim.x) {
        I at = start + s;
        A x = score(scores, mask, at, row, s, queries, heads, m0, m1, m2, m3, scale, causal);
        A weight = exp(x - shift);
        scores[at] = T(weight);
        along += weight * A(slopes[at]);
    }
    along = sum(along, parts);
    for (I s = threadIdx.x; s < keys; s += blockDim.x) {
        I at = start + s;
        slopes[at] = T(A(scores[at]) * (A(slopes[at]) - along) * scale);
    }
}
"""


def _by_query(name: str, given: Any, scores: Any, mask: Any, scale: float, causal: bool) -> None:
    """Launches a kernel of attention with a block for each query.

    mask: of the shape of `scores`, with any strides, or None.
    """
    _, heads, queries, keys = scores.shape
    steps = (0, 0, 0, 0) if mask is None else [each // mask.itemsize for each in mask.strides]
    wide = (cupy.float64 if scores.dtype.char == "d" else cupy.float32)(scale)
    numbers = (keys, queries, heads, *steps, wide, causal)
    function = kernel(_ATTENTION, name, scores.dtype)
    by_rows(function, scores.size // keys, keys, *given, *numbers)


def attend(scores: Any, mask: Any, scale: float, causal: bool) -> Any:
    """Makes scores (N, heads, L, S) the weights of attention, in place, and returns the logarithms
    of the sums of their exponentials."""
    sums = cupy.ndarray(scores.shape[:-1], scores.dtype)
    given = (scores, 0 if mask is None else mask, sums)
    _by_query("attend", given, scores, mask, scale, causal)
    return sums


def attend_backward(
    scores: Any, slopes: Any, sums: Any, mask: Any, scale: float, causal: bool
) -> None:
    """Makes scores the weights again, and the gradients of weights those of the scores."""
    given = (scores, slopes, 0 if mask is None else mask, in_rows(sums))
    _by_query("attend_backward", given, scores, mask, scale, causal)


_LIKELIHOOD = """
typedef LABEL Label;
extern "C" __global__ void nll_loss(
    const T* x, const Label* target, const T* weight, T* losses, T* total_weight, I count,
    I classes, I pixels, I ignored, int reduction, I* fault
) {
    __shared__ A parts[32];
    A total = 0, weights = 0;
    for (I i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        I label = target[i];
        A loss = 0;
        if (label != ignored) {
            if (label < 0 || label >= classes) *fault = 1;
            else {
                A share = weight ? A(weight[label]) : A(1);
                loss = -A(x[(i / pixels * classes + label) * pixels + i % pixels]) * share;
                weights += share;
            }
        }
        if (reduction) total += loss;
        else losses[i] = T(loss);
    }
    if (!reduction) {
        if (!blockIdx.x && !threadIdx.x) *total_weight = T(A(0));
        return;
    }
    total = sum(total, parts);
    weights = sum(weights, parts);
    if (!threadIdx.x) {
        *losses = T(reduction == 1 ? total / weights : total);
        *total_weight = T(weights);
    }
}
"""

_LIKELIHOOD_BACKWARD = """
typedef LABEL Label;
extern "C" __global__ void nll_loss_backward(
    const T* grad, const Label* target, const T* weight, const T* total_weight, T* out, I size,
    I classes, I pixels, I ignored, int reduction
) {
    A scale = reduction == 1 ? -A(*grad) / A(*total_weight) : reduction ? -A(*grad) : A(0);
    for (I at = blockIdx.x * I(blockDim.x) + threadIdx.x; at < size;
         at += gridDim.x * I(blockDim.x)) {
        I row = at / (classes * pixels), rest = at % (classes * pixels);
        I place = row * pixels + rest % pixels, label = target[place];
        A value = 0;
        if (label == rest / pixels && label != ignored) {
            value = reduction ? scale : -A(grad[place]);
            if (weight) value *= A(weight[label]);
        }
        out[at] = T(value);
    }
}
"""


def _label(target: Any) -> str:
    return "unsigned char" if target.dtype.char == "B" else "long long"


def _classes(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many classes there are, and how many targets one after the other for each."""
    return (shape[0], 1) if len(shape) == 1 else (shape[1], prod(shape[2:]))


def _pointer(x: Any) -> Any:
    """The argument that a kernel gets for an array: the array in row-major order; 0 for None."""
    return 0 if x is None else in_rows(x)


def nll_loss(x: Any, target: Any, weight: Any, reduction: int, ignored: int) -> tuple[Any, Any]:
    """The loss and the sum of the weights. As core/arrays/softmax.py has it."""
    x, target = in_rows(x), in_rows(target)
    losses = cupy.ndarray(() if reduction else target.shape, x.dtype)
    total = cupy.ndarray((), x.dtype)
    function = kernel(_LIKELIHOOD.replace("LABEL", _label(target)), "nll_loss", x.dtype)
    count = target.size
    given = (x, target, _pointer(weight), losses, total, count, *_classes(x.shape), ignored)
    if reduction:  # one block adds up in one order
        by_rows(function, 1, 4 * count, *given, reduction, WORD)
    else:
        by_elements(function, max(count, 1), *given, reduction, WORD)
    return losses, total


def nll_loss_backward(
    grad: Any, x: Any, target: Any, weight: Any, reduction: int, ignored: int, total: Any
) -> Any:
    """The gradient of `nll_loss` by x."""
    grad, target = in_rows(grad), in_rows(target)
    out = cupy.ndarray(x.shape, x.dtype)
    source = _LIKELIHOOD_BACKWARD.replace("LABEL", _label(target))
    function = kernel(source, "nll_loss_backward", x.dtype)
    given = (grad, target, _pointer(weight), total, out, out.size)
    by_elements(function, out.size, *given, *_classes(x.shape), ignored, reduction)
    return out


_LAYER_NORM = """
extern "C" __global__ void layer_norm(
    const T* x, const T* weight, const T* bias, T* out, T* means, T* rstds, I length, A eps
) {
    __shared__ A parts[32];
    x += blockIdx.x * length;
    out += blockIdx.x * length;
    A total = 0;
    for (I i = threadIdx.x; i < length; i += blockDim.x) total += A(x[i]);
    A mean = sum(total, parts) / length;
    A squares = 0;
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        A each = A(x[i]) - mean;
        squares += each * each;
    }
    A rstd = rsqrt(sum(squares, parts) / length + eps);
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        A each = (A(x[i]) - mean) * rstd;
        if (weight) each *= A(weight[i]);
        if (bias) each += A(bias[i]);
        out[i] = T(each);
    }
    if (!threadIdx.x) {
        means[blockIdx.x] = T(mean);
        rstds[blockIdx.x] = T(rstd);
    }
}
"""

_LAYER_NORM_BACKWARD = """
extern "C" __global__ void layer_norm_backward(
    const T* grad, const T* x, const T* means, const T* rstds, const T* weight, T* out, I length
) {
    __shared__ A parts[32];
    I start = blockIdx.x * length;
    A mean = A(means[blockIdx.x]), rstd = A(rstds[blockIdx.x]), total = 0, along = 0;
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        A g = A(grad[start + i]);
        if (weight) g *= A(weight[i]);
        total += g;
        along += g * (A(x[start + i]) - mean) * rstd;
    }
    total = sum(total, parts) / length;
    along = sum(along, parts) / length;
    for (I i = threadIdx.x; i < length; i += blockDim.x) {
        A g = A(grad[start + i]);
        if (weight) g *= A(weight[i]);
        out[start + i] = T((g - total - (A(x[start + i]) - mean) * rstd * along) * rstd);
    }
}

extern "C" __global__ void layer_norm_parameters(
    const T* grad, const T* x, const T* means, const T* rstds, T* weights, T* biases, I rows,
    I length
) {
    __shared__ A scaled[8][33], plain[8][33];
    I column = blockIdx.x * 32 + threadIdx.x;
    A products = 0, total = 0;
    if (column < length)
        for (I row = threadIdx.y; row < rows; row += 8) {
            A g = A(grad[row * length + column]);
            products += g * (A(x[row * length + column]) - A(means[row])) * A(rstds[row]);
            total += g;
        }
    scaled[threadIdx.y][threadIdx.x] = products;
    plain[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y || column >= length) return;
    for (int i = 1; i < 8; i++) {
        products += scaled[i][threadIdx.x];
        total += plain[i][threadIdx.x];
    }
    if (weights) weights[column] = T(products);
    if (biases) biases[column] = T(total);
}
"""


def takes_layer_norm(x: Any, *others: Any) -> bool:
    """Whether `layer_norm` takes numbers and parameters of these dtypes."""
    alike = all([each is None or each.dtype == x.dtype for each in others])
    return alike and x.size > 0 and is_supported(x)


def layer_norm(x: Any, rows: int, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
    """Rows without their means, over their deviations; the means, and 1 over the deviations.

    x: of `rows` equal parts.
    """
    x = in_rows(x)
    out = cupy.ndarray(x.shape, x.dtype)
    mean, rstd = cupy.ndarray((rows,), x.dtype), cupy.ndarray((rows,), x.dtype)
    length = x.size // rows
    function = kernel(_LAYER_NORM, "layer_norm", x.dtype)
    wide = (cupy.float64 if x.dtype.char == "d" else cupy.float32)(eps)
    given = (_pointer(weight), _pointer(bias))
    by_rows(function, rows, length, x, *given, out, mean, rstd, length, wide)
    return out, mean, rstd


def layer_norm_backward(
    grad: Any, x: Any, mean: Any, rstd: Any, weight: Any, mask: tuple[bool, bool, bool]
) -> list[Any]:
    """The gradients by x, weight and bias that the mask asks for, the last two as vectors."""
    grad, x = in_rows(grad), in_rows(x)
    rows = mean.size
    length = x.size // rows
    grads = [None, None, None]
    if mask[0]:
        grads[0] = cupy.ndarray(x.shape, x.dtype)
        function = kernel(_LAYER_NORM_BACKWARD, "layer_norm_backward", x.dtype)
        given = (grad, x, mean, rstd, _pointer(weight), grads[0], length)
        by_rows(function, rows, length, *given)
    if mask[1] or mask[2]:
        grads[1:] = [cupy.ndarray((length,), x.dtype) if wanted else None for wanted in mask[1:]]
        function = kernel(_LAYER_NORM_BACKWARD, "layer_norm_parameters", x.dtype)
        given = (grad, x, mean, rstd, *[0 if each is None else each for each in grads[1:]])
        function(((length + 31) // 32,), (32, 8), (*given, rows, length))
    return grads


_LOOKUP = """
extern "C" __global__ void lookup(
    const T* table, const I* index, T* out, I size, I rows, I length, I* fault
) {
    for (I at = blockIdx.x * I(blockDim.x) + threadIdx.x; at < size;
         at += gridDim.x * I(blockDim.x)) {
        I row = index[at / length];
        if (row < 0 || row >= rows) {
            *fault = 1;
            row = 0;
        }
        out[at] = table[row * length + at % length];
    }
}
"""

_LOOKUP_BACKWARD = """
extern "C" __global__ void lookup_backward(
    const T* grad, const I* index, T* out, I size, I rows, I length, I padding
) {
    for (I at = blockIdx.x * I(blockDim.x) + threadIdx.x; at < size;
         at += gridDim.x * I(blockDim.x)) {
        I row = index[at / length];
        if (row != padding && row >= 0 && row < rows)
            atomicAdd(&out[row * length + at % length], grad[at]);
    }
}
"""


def lookup(table: Any, index: Any) -> Any:
    """Rows of a matrix, one for each of `index`."""
    table, index = in_rows(table), in_rows(index.astype(cupy.int64, copy=False))
    rows, length = table.shape
    out = cupy.ndarray((*index.shape, length), table.dtype)
    function = kernel(_LOOKUP, "lookup", table.dtype)
    by_elements(function, out.size, table, index, out, out.size, rows, length, WORD)
    return out


def lookup_backward(grad: Any, index: Any, rows: int, padding: int) -> Any:
    """The gradient of `lookup` by the matrix; rows for the index `padding` get none."""
    grad, index = in_rows(grad), in_rows(index.astype(cupy.int64, copy=False))
    length = grad.shape[-1]
    out = cupy.zeros((rows, length), grad.dtype)
    function = kernel(_LOOKUP_BACKWARD, "lookup_backward", grad.dtype)
    by_elements(function, grad.size, grad, index, out, grad.size, rows, length, padding)
    return out
