"""Sliding windows on CUDA: convolution by im2col and one product, max pooling in one launch.

Images have one to three axes; those that are missing count as axes of length one in front.
"""

from __future__ import annotations

from math import prod
from typing import Any

import cupy

from minitorch.core.arrays.on_cupy_products import matmul
from minitorch.core.arrays.on_cupy_source import by_elements, in_rows, is_supported, kernel

_Ints = tuple[int, ...]
_Geometry = tuple[_Ints, _Ints, _Ints, _Ints, _Ints, _Ints]  # image, kernel, out, stride, ...
_BYTES = 1 << 28  # of the columns of as many images as are taken at once

_AXES = ("D", "H", "W")
_PARAMETERS = ", ".join(
    [f"I {letter}{axis}" for letter in ("N", "K", "O", "S", "P", "L") for axis in _AXES]
)
_COLUMNS = """
extern "C" __global__ void im2col(
    const T* image, T* columns, I size, I row_step, I image_step, I image_channels, PARAMETERS
) {
    for (I at = blockIdx.x * I(blockDim.x) + threadIdx.x; at < size;
         at += gridDim.x * I(blockDim.x)) {
        I rest = at;
        I ow = rest % OW; rest /= OW;
        I oh = rest % OH; rest /= OH;
        I od = rest % OD; rest /= OD;
        I kw = rest % KW, kh = rest / KW % KH, kd = rest / (KW * KH) % KD;
        I taps = KW * KH * KD, plane = rest / taps;
        I channel = plane % image_channels, n = plane / image_channels;
        I d = od * SD - PD + kd * LD, h = oh * SH - PH + kh * LH, w = ow * SW - PW + kw * LW;
        bool inside = d >= 0 && d < ND && h >= 0 && h < NH && w >= 0 && w < NW;
        I place = ((n * image_channels + channel) * ND + d) * NH * NW + h * NW + w;
        I row = channel * taps + rest % taps;
        columns[n * image_step + row * row_step + (od * OH + oh) * OW + ow] =
            inside ? image[place] : T(A(0));
    }
}
"""
_FOLD = """
extern "C" __global__ void col2im(const T* columns, T* image, I size, PARAMETERS) {
    for (I at = blockIdx.x * I(blockDim.x) + threadIdx.x; at < size;
         at += gridDim.x * I(blockDim.x)) {
        I w = at % NW + PW, h = at / NW % NH + PH, d = at / (NW * NH) % ND + PD;
        I channel = at / (NW * NH * ND);
        A total = 0;
        for (I kd = 0; kd < KD; kd++) {
            I od = d - kd * LD;
            if (od < 0 || od % SD || od / SD >= OD) continue;
            for (I kh = 0; kh < KH; kh++) {
                I oh = h - kh * LH;
                if (oh < 0 || oh % SH || oh / SH >= OH) continue;
                for (I kw = 0; kw < KW; kw++) {
                    I ow = w - kw * LW;
                    if (ow < 0 || ow % SW || ow / SW >= OW) continue;
                    I row = ((channel * KD + kd) * KH + kh) * KW + kw;
                    total += A(columns[((row * OD + od / SD) * OH + oh / SH) * OW + ow / SW]);
                }
            }
        }
        image[at] = T(total);
    }
}
"""
_MAX_POOL = """
extern "C" __global__ void max_pool(const T* image, T* values, I* indices, I size, PARAMETERS) {
    for (I at = blockIdx.x * I(blockDim.x) + threadIdx.x; at < size;
         at += gridDim.x * I(blockDim.x)) {
        I ow = at % OW, oh = at / OW % OH, od = at / (OW * OH) % OD, channel = at / (OW * OH * OD);
        const T* own = image + channel * ND * NH * NW;
        I found = -1;
        A best = 0;
        for (I kd = 0; kd < KD; kd++) {
            I d = od * SD - PD + kd * LD;
            if (d < 0 || d >= ND) continue;
            for (I kh = 0; kh < KH; kh++) {
                I h = oh * SH - PH + kh * LH;
                if (h < 0 || h >= NH) continue;
                for (I kw = 0; kw < KW; kw++) {
                    I w = ow * SW - PW + kw * LW;
                    if (w < 0 || w >= NW) continue;
                    I place = (d * NH + h) * NW + w;
                    A pixel = A(own[place]);
                    if (found < 0 || pixel > best || pixel != pixel) {
                        found = place;
                        best = pixel;
                    }
                }
            }
        }
        values[at] = T(best);
        indices[at] = found;
    }
}
"""
_MAX_POOL_BACKWARD = """
extern "C" __global__ void max_pool_backward(
    const T* grad, const I* indices, T* out, I size, I windows, I pixels
) {
    for (I at = blockIdx.x * I(blockDim.x) + threadIdx.x; at < size;
         at += gridDim.x * I(blockDim.x))
        atomicAdd(&out[at / windows * pixels + indices[at]], grad[at]);
}
"""


def _numbers(geometry: _Geometry) -> list[int]:
    """Sizes of image, kernel and windows, strides, paddings and dilations, by three axes."""
    numbers: list[int] = []
    for each, alone in zip(geometry, (1, 1, 1, 1, 0, 1), strict=True):
        numbers += [alone] * (3 - len(each)) + list(each)
    return numbers


def _kernel(source: str, name: str, dtype: Any) -> Any:
    return kernel(source.replace("PARAMETERS", _PARAMETERS), name, dtype)


def takes_windows(*arrays: Any) -> bool:
    """Whether there are kernels for these arrays, which all have elements and one dtype."""
    dtype = arrays[0].dtype
    return is_supported(arrays[0]) and all([x.size and x.dtype == dtype for x in arrays])


def _is_image(geometry: _Geometry) -> bool:
    """Whether the columns of an image are the image itself."""
    image, window, out, stride, _, _ = geometry
    return image == out and set(window) == set(stride) == {1}


def _columns(x: Any, geometry: _Geometry, one_row: bool = False) -> Any:
    """The windows of (N, C, *image): (N, C * taps, windows), or (C * taps, N * windows)."""
    n, c = x.shape[:2]
    _, window, out, *_ = geometry
    rows, windows = c * prod(window), prod(out)
    x = in_rows(x)
    if _is_image(geometry) and not one_row:
        return x.reshape(n, rows, windows)
    shape = (rows, n * windows) if one_row else (n, rows, windows)
    columns = cupy.ndarray(shape, x.dtype)
    steps = (n * windows, windows) if one_row else (windows, rows * windows)
    function = _kernel(_COLUMNS, "im2col", x.dtype)
    size = columns.size
    by_elements(function, size, x, columns, size, *steps, c, *_numbers(geometry))
    return columns


def _parts(x: Any, geometry: _Geometry) -> list[slice]:
    """Slices of a batch whose columns take not too much memory."""
    each = x.shape[1] * prod(geometry[1]) * prod(geometry[2]) * x.itemsize
    count = max(1, _BYTES // max(each, 1))
    return [slice(start, start + count) for start in range(0, x.shape[0], count)]


def correlate(x: Any, weight: Any, bias: Any, groups: int, geometry: _Geometry) -> Any:
    """(N, C, *image) and (O, C / groups, *kernel) -> (N, O, *out)."""
    n, o = x.shape[0], weight.shape[0]
    taps = in_rows(weight).reshape(groups, o // groups, -1)
    out = cupy.ndarray((n, groups, o // groups, prod(geometry[2])), x.dtype)
    for part in _parts(x, geometry):
        columns = _columns(x[part], geometry)
        matmul(taps, columns.reshape(len(columns), groups, -1, columns.shape[-1]), out[part])
    if bias is not None:
        out += bias.reshape(groups, o // groups, 1)
    return out.reshape(n, o, *geometry[2])


def weight_gradient(x: Any, grad: Any, groups: int, shape: _Ints, geometry: _Geometry) -> Any:
    """(N, C, *image) and (N, O, *out) -> (O, C / groups, *kernel), summed over the batch."""
    o = shape[0]
    out = None
    for part in _parts(x, geometry):
        columns = _columns(x[part], geometry, one_row=True)
        own = grad[part].reshape(-1, o, prod(geometry[2])).swapaxes(0, 1)
        own = in_rows(own).reshape(groups, o // groups, -1)
        product = matmul(own, columns.reshape(groups, -1, columns.shape[-1]).swapaxes(1, 2))
        out = product if out is None else cupy.add(out, product, out)
    return out.reshape(shape)


def transposed(grad: Any, weight: Any, bias: Any, groups: int, geometry: _Geometry) -> Any:
    """(N, O, *out) and (O, C / groups, *kernel) -> (N, C, *image): `correlate` backwards."""
    n, o = grad.shape[:2]
    channels = weight.shape[1] * groups
    taps = in_rows(weight).reshape(groups, o // groups, -1).swapaxes(1, 2)
    image = cupy.ndarray((n, channels, *geometry[0]), grad.dtype)
    function = _kernel(_FOLD, "col2im", grad.dtype)
    grad = in_rows(grad)
    for part in _parts(image, geometry):
        own = grad[part].reshape(-1, groups, o // groups, prod(geometry[2]))
        target = image[part]
        if _is_image(geometry):
            matmul(taps, own, target.reshape(len(own), groups, -1, own.shape[-1]))
            continue
        columns = matmul(taps, own)
        by_elements(function, target.size, columns, target, target.size, *_numbers(geometry))
    if bias is not None:
        image += bias.reshape(channels, *[1] * len(geometry[0]))
    return image


def max_pool(x: Any, geometry: _Geometry) -> tuple[Any, Any]:
    """The largest pixel of each window and its place in the image."""
    x = in_rows(x)
    image, _, out, *_ = geometry
    shape = (*x.shape[: x.ndim - len(image)], *out)
    values, indices = cupy.ndarray(shape, x.dtype), cupy.ndarray(shape, cupy.int64)
    if size := values.size:
        function = _kernel(_MAX_POOL, "max_pool", x.dtype)
        by_elements(function, size, x, values, indices, size, *_numbers(geometry))
    return values, indices


def max_pool_backward(grad: Any, indices: Any, image: _Ints) -> Any:
    """The gradient of `max_pool`, by float32 and float64 alone."""
    grad, indices = in_rows(grad), in_rows(indices)
    lead = grad.ndim - len(image)
    out = cupy.zeros((*grad.shape[:lead], *image), grad.dtype)
    if size := grad.size:
        function = kernel(_MAX_POOL_BACKWARD, "max_pool_backward", grad.dtype)
        by_elements(function, size, grad, indices, out, size, prod(grad.shape[lead:]), prod(image))
    return out
