"""The rarer pooling functions of torch.nn.functional: volumes, norms, random windows, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from minitorch.aten.layers import adaptive_pooling, pooling
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.wording.signatures import FITS
from minitorch.nn import functional as F

avg_pool3d = pooling.avg_pool3d_public
adaptive_avg_pool3d = adaptive_pooling.adaptive_avg_pool3d


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of (N, C, L) or (C, L).

    Args:
        input: floating, (N, C, L) or (C, L).
        kernel_size: the length of a window, a number or a tuple of one.
        stride: the step from one window to the next; `kernel_size` if None.
        padding: elements on each side that count as minus infinity, at most half of `kernel_size`.
        dilation: the step from one element of a window to the next.
        ceil_mode: whether the last window may lie partly beyond the end.
        return_indices: whether to return the positions of the largest elements, too.

    Returns:
        (N, C, windows) or (C, windows), of the dtype of `input`; with positions, a tuple of it and
            of int64, of the same shape.

    Raises:
        RuntimeError: for another number of dimensions, too much padding, a size that is not
            positive, or if no window fits.
        NotImplementedError: for integers.

    As torch.nn.functional.max_pool1d (ATen/native/MaxPooling.cpp).
    """
    pool = pooling.max_pool1d_with_indices if return_indices else pooling.max_pool1d
    stride = () if stride is None else stride
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool1d.__qualname__ = "_max_pool1d"  # as torch's errors call it


@pooling.handing_on(3)
def max_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest pixel of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        input: real, (N, C, D, H, W) or (C, D, H, W).
        kernel_size: of a window, one number or three.
        stride: the step from one window to the next, one number or three; `kernel_size` if None.
        padding: pixels on each side that count as smaller than all others, at most half of a
            window; one number or three.
        dilation: the step from one pixel of a window to the next, one number or three.
        ceil_mode: whether the last window may lie partly beyond the end.
        return_indices: whether to return the positions of the largest pixels, too.

    Returns:
        (N, C, *windows) or (C, *windows), of the dtype of `input`; with positions, a tuple of it
            and of int64, of the same shape: where each pixel stands in its volume, flattened.

    Raises:
        RuntimeError: for another number of dimensions, too much padding, or if no window fits.

    As torch.nn.functional.max_pool3d (ATen/native/DilatedMaxPool3d.cpp).
    """
    settings = (kernel_size, () if stride is None else stride, padding, dilation)
    listed = [pooling.listed(value, 3) for value in settings]
    pool = pooling.max_pool3d_with_indices if return_indices else pooling.max_pool3d
    return pool(input, *listed, ceil_mode)


def max_pool1d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool1d that also returns the positions of the maxima.

    Args:
        input, kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool1d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest elements and of their positions, int64.

    Raises:
        RuntimeError: as `max_pool1d`.

    As torch.nn.functional.max_pool1d_with_indices.
    """
    return F.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool2d that also returns the positions of the maxima.

    Args:
        input, kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool2d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest pixels and of their positions in the flattened plane, int64.

    Raises:
        RuntimeError: as `max_pool2d`.

    As torch.nn.functional.max_pool2d_with_indices.
    """
    return F.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool3d that also returns the positions of the maxima.

    Args:
        input, kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool3d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest pixels and of their positions in the flattened volume, int64.

    Raises:
        RuntimeError: as `max_pool3d`.

    As torch.nn.functional.max_pool3d_with_indices.
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


# ---- a wanted number of windows


def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of output_size windows of (N, C, L) or (C, L).

    Args:
        input: floating, (N, C, L) or (C, L).
        output_size: how many windows, a number or a tuple of one.
        return_indices: whether to return the positions of the largest elements, too.

    Returns:
        (N, C, output_size) or (C, output_size), of the dtype of `input`; with positions, a tuple of
            it and of int64, of the same shape.

    Raises:
        RuntimeError: for another number of dimensions, or a negative size.
        NotImplementedError: for integers.

    As torch.nn.functional.adaptive_max_pool1d (ATen/native/AdaptiveMaxPooling2d.cpp).
    """
    result = adaptive_pooling.adaptive_max_pool1d(input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest pixels of output_size windows of (N, C, H, W) or (C, H, W).

    Args:
        input: floating, (N, C, H, W) or (C, H, W).
        output_size: how many windows, one number or two; None keeps a size of `input`.
        return_indices: whether to return the positions of the largest pixels, too.

    Returns:
        (N, C, *output_size) or (C, *output_size), of the dtype of `input`; with positions, a tuple
            of it and of int64, of the same shape.

    Raises:
        RuntimeError: for another number of dimensions.
        ValueError: for more sizes than `input` has.
        NotImplementedError: for integers.

    As torch.nn.functional.adaptive_max_pool2d (ATen/native/AdaptiveMaxPooling2d.cpp).
    """
    result = adaptive_pooling.adaptive_max_pool2d(input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest pixels of output_size windows of (N, C, D, H, W) or (C, D, H, W).

    Args:
        input: floating, (N, C, D, H, W) or (C, D, H, W).
        output_size: how many windows, one number or three; None keeps a size of `input`.
        return_indices: whether to return the positions of the largest pixels, too.

    Returns:
        (N, C, *output_size) or (C, *output_size), of the dtype of `input`; with positions, a tuple
            of it and of int64, of the same shape.

    Raises:
        RuntimeError: for another number of dimensions.
        ValueError: for more sizes than `input` has.
        NotImplementedError: for integers.

    As torch.nn.functional.adaptive_max_pool3d (ATen/native/AdaptiveMaxPooling3d.cpp).
    """
    result = adaptive_pooling.adaptive_max_pool3d(input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool1d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """adaptive_max_pool1d that also returns the positions of the maxima.

    Args:
        input, output_size: as for `adaptive_max_pool1d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest elements and of their positions, int64.

    As torch.nn.functional.adaptive_max_pool1d_with_indices.
    """
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """adaptive_max_pool2d that also returns the positions of the maxima.

    Args:
        input, output_size: as for `adaptive_max_pool2d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest pixels and of their positions in the flattened plane, int64.

    As torch.nn.functional.adaptive_max_pool2d_with_indices.
    """
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """adaptive_max_pool3d that also returns the positions of the maxima.

    Args:
        input, output_size: as for `adaptive_max_pool3d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest pixels and of their positions in the flattened volume, int64.

    As torch.nn.functional.adaptive_max_pool3d_with_indices.
    """
    return adaptive_max_pool3d(input, output_size, True)


# ---- norms


def _several(count: int, value: Any) -> tuple[Any, ...]:
    """`value` as it counts for all axes."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def _lp_pool(
    count: int, input: Any, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Any:
    largest = getattr(F, f"max_pool{count}d")
    if norm_type == float("inf"):
        return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -float("inf"):
        return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    mean = getattr(F, f"avg_pool{count}d")
    out = mean(input.pow(norm_type), kernel_size, stride, 0, ceil_mode=ceil_mode)
    volume = math.prod(_several(count, kernel_size) if count > 1 else (kernel_size,))
    return (OPS.sign(out) * F.relu(OPS.abs(out))).mul(volume).pow(1.0 / norm_type)


def lp_pool1d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window of (N, C, L) or (C, L).

    Args:
        input: real, (N, C, L) or (C, L).
        norm_type: the exponent p, not 0; infinity gives the largest magnitude.
        kernel_size: the length of a window.
        stride: the step from one window to the next; `kernel_size` if None.
        ceil_mode: whether the last window may lie partly beyond the end.

    Returns:
        (N, C, windows) or (C, windows): the root of the sum of powers, which keeps the sign of that
            sum.

    Raises:
        ZeroDivisionError: if `norm_type` is 0.
        RuntimeError: for another number of dimensions.

    As torch.nn.functional.lp_pool1d.
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window of (N, C, H, W) or (C, H, W).

    Args:
        input: real, (N, C, H, W) or (C, H, W).
        norm_type: the exponent p, not 0; infinity gives the largest magnitude.
        kernel_size: of a window, one number or two.
        stride: the step from one window to the next, one number or two; `kernel_size` if None.
        ceil_mode: whether the last window may lie partly beyond the end.

    Returns:
        (N, C, *windows) or (C, *windows): the root of the sum of powers, which keeps the sign of
            that sum.

    Raises:
        ZeroDivisionError: if `norm_type` is 0.

    As torch.nn.functional.lp_pool2d.
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        input: real, (N, C, D, H, W) or (C, D, H, W).
        norm_type: the exponent p, not 0; infinity gives the largest magnitude.
        kernel_size: of a window, one number or three.
        stride: the step from one window to the next, one number or three; `kernel_size` if None.
        ceil_mode: whether the last window may lie partly beyond the end.

    Returns:
        (N, C, *windows) or (C, *windows): the root of the sum of powers, which keeps the sign of
            that sum.

    Raises:
        ZeroDivisionError: if `norm_type` is 0.

    As torch.nn.functional.lp_pool3d.
    """
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


# ---- windows at random places


def _fractional(
    count: int, input: Any, kernel_size: Any, size: Any, ratio: Any, samples: Any
) -> Any:
    name = f"fractional_max_pool{count}d"
    if size is None:
        if ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if count == 2 and len(ratio) > 2:
            raise ValueError(
                f"{name} requires output_ratio to either be a single Int or tuple of Ints."
            )
        ratios = _several(count, ratio)
        size = [int(input.size(i - count) * ratios[i]) for i in range(count)]
    if samples is None:
        batch = 1 if input.dim() == count + 1 else input.size(0)
        channels = input.size(-count - 1)
        samples = OPS.rand([batch, channels, count], dtype=input.dtype, device=input.device)
    kernel, size = [
        pooling.listed(int(x.__index__()) if FITS["int"](x) else x, count)
        for x in (kernel_size, size)
    ]
    return getattr(OPS, name)(input, kernel, size, samples)


def fractional_max_pool2d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """The largest pixels of output_size windows at random places. Graham, arXiv 1412.6071.

    Args:
        input: floating, (N, C, H, W) or (C, H, W).
        kernel_size: of a window, one number or two.
        output_size: how many windows, one number or two.
        output_ratio: the two quotients of `output_size` and the size of `input`, if no
            `output_size` is given.
        return_indices: whether to return the positions of the largest pixels, too.
        _random_samples: (N, C, 2) from 0 to 1, which place the windows; drawn if None.

    Returns:
        (N, C, *output_size) or (C, *output_size), of the dtype of `input`; with positions, a tuple
            of it and of int64, of the same shape.

    Raises:
        ValueError: if neither a size nor a ratio is given, or more than two ratios.
        RuntimeError: if the windows do not fit, or for samples of another shape.
        NotImplementedError: for integers.

    As torch.nn.functional.fractional_max_pool2d (ATen/native/FractionalMaxPool2d.cpp).
    """
    result = _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return result if return_indices else result[0]


def fractional_max_pool3d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """The largest pixels of output_size windows at random places. Graham, arXiv 1412.6071.

    Args:
        input: floating, (N, C, D, H, W) or (C, D, H, W).
        kernel_size: of a window, one number or three.
        output_size: how many windows, one number or three.
        output_ratio: the three quotients of `output_size` and the size of `input`, or one for all,
            if no `output_size` is given.
        return_indices: whether to return the positions of the largest pixels, too.
        _random_samples: (N, C, 3) from 0 to 1, which place the windows; drawn if None.

    Returns:
        (N, C, *output_size) or (C, *output_size), of the dtype of `input`; with positions, a tuple
            of it and of int64, of the same shape.

    Raises:
        ValueError: if neither a size nor a ratio is given.
        RuntimeError: if the windows do not fit.

    As torch.nn.functional.fractional_max_pool3d (ATen/native/FractionalMaxPool3d.cpp).
    """
    result = _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return result if return_indices else result[0]


def fractional_max_pool2d_with_indices(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """fractional_max_pool2d that also returns the positions of the maxima.

    Args:
        input, kernel_size, output_size, output_ratio, _random_samples: as for
            `fractional_max_pool2d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest pixels and of their positions in the flattened plane, int64.

    As torch.nn.functional.fractional_max_pool2d_with_indices.
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """fractional_max_pool3d that also returns the positions of the maxima.

    Args:
        input, kernel_size, output_size, output_ratio, _random_samples: as for
            `fractional_max_pool3d`.
        return_indices: has no effect; positions are always returned.

    Returns:
        A tuple of the largest pixels and of their positions in the flattened volume, int64.

    As torch.nn.functional.fractional_max_pool3d_with_indices.
    """
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


# The names in torch's errors of the functions that return positions on request.
for _each in (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    fractional_max_pool2d,
    fractional_max_pool3d,
):
    _each.__qualname__ = f"_{_each.__name__}"


# ---- back to the image


def _unpooled_size(input: Any, kernel: Any, stride: Any, padding: Any, size: Any) -> Any:
    """The size of the image that was pooled; `size`, if it is given and fits."""
    count, shape = len(kernel), input.size()
    usual = [(shape[d - count] - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(count)]
    if size is None:
        size = usual
    else:
        if len(size) == count + 2:
            size = size[2:]
        if len(size) != count:
            raise ValueError(
                f"output_size should be a sequence containing {count} or {count + 2} elements, but "
                f"it has a length of '{len(size)}'"
            )
        for d in range(count):
            least, most = usual[d] - stride[d], usual[d] + stride[d]
            if not least < size[d] < most:
                raise ValueError(
                    f'invalid output_size "{size}" (dim {d} must be between {least} and {most})'
                )
    for d, n in enumerate(size):
        if n < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{d}]={n}"
            )
    return size


def _unpool(
    count: int, input: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> tuple[Any, Any, Any]:
    """(size, stride, padding) of the image that was pooled."""
    kernel = _several(count, kernel_size)
    stride = kernel if stride is None else _several(count, stride)
    padding = _several(count, padding)
    return _unpooled_size(input, kernel, stride, padding, output_size), stride, padding


def max_unpool1d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Any:
    """Zeros, except for the maxima that max_pool1d found, each at its former position.

    Args:
        input: what max_pool1d gave, (N, C, windows) or (C, windows).
        indices: the positions that it gave, int64, of the shape of `input`.
        kernel_size, stride, padding: the arguments of max_pool1d.
        output_size: (L,) or (N, C, L) of the image that was pooled, of which several fit; the least
            that is usual if None.

    Returns:
        (N, C, L) or (C, L), of the dtype of `input`.

    Raises:
        ValueError: for an `output_size` of another length, or one that does not fit.
        RuntimeError: for indices out of range, of another shape or dtype.

    As torch.nn.functional.max_unpool1d (ATen/native/MaxUnpooling.cpp).
    """
    size, _, _ = _unpool(1, input, kernel_size, stride, padding, output_size)
    out = OPS.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1])
    return out.squeeze(-1)


def max_unpool2d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Any:
    """Zeros, except for the maxima that max_pool2d found, each at its former position.

    Args:
        input: what max_pool2d gave, (N, C, *windows) or (C, *windows).
        indices: the positions that it gave, int64, of the shape of `input`.
        kernel_size, stride, padding: the arguments of max_pool2d.
        output_size: (H, W) or (N, C, H, W) of the image that was pooled, of which several fit; the
            usual one if None.

    Returns:
        (N, C, H, W) or (C, H, W), of the dtype of `input`.

    Raises:
        ValueError: for an `output_size` of another length, or one that does not fit.
        RuntimeError: for indices out of range, of another shape or dtype.

    As torch.nn.functional.max_unpool2d (ATen/native/MaxUnpooling.cpp).
    """
    size, _, _ = _unpool(2, input, kernel_size, stride, padding, output_size)
    return OPS.max_unpool2d(input, indices, size)


def max_unpool3d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Any:
    """Zeros, except for the maxima that max_pool3d found, each at its former position.

    Args:
        input: what max_pool3d gave, (N, C, *windows) or (C, *windows).
        indices: the positions that it gave, int64, of the shape of `input`.
        kernel_size, stride, padding: the arguments of max_pool3d.
        output_size: (D, H, W) or (N, C, D, H, W) of the image that was pooled, of which several
            fit; the usual one if None.

    Returns:
        (N, C, D, H, W) or (C, D, H, W), of the dtype of `input`.

    Raises:
        ValueError: for an `output_size` of another length, or one that does not fit.
        RuntimeError: for indices out of range, of another shape or dtype.

    As torch.nn.functional.max_unpool3d (ATen/native/MaxUnpooling.cpp).
    """
    size, stride, padding = _unpool(3, input, kernel_size, stride, padding, output_size)
    return OPS.max_unpool3d(input, indices, size, stride, padding)
