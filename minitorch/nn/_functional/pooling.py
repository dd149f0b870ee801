"""The rarer pooling functions of torch.nn.functional: volumes, norms, random windows, and back."""

from __future__ import annotations

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
    """The largest element of each window of (N, C, L) or (C, L)."""
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
    """The largest pixel of each window of (N, C, D, H, W) or (C, D, H, W)."""
    settings = (kernel_size, () if stride is None else stride, padding, dilation)
    listed = [pooling.listed(value, 3) for value in settings]
    result = pooling.max_pool3d_with_indices(input, *listed, ceil_mode)
    return result if return_indices else result[0]


def max_pool1d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool1d with the positions of what it found."""
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
    """max_pool2d with the positions of what it found."""
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
    """max_pool3d with the positions of what it found."""
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


# ---- a wanted number of windows


def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of output_size windows of (N, C, L) or (C, L)."""
    result = adaptive_pooling.adaptive_max_pool1d(input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest pixels of output_size windows of (N, C, H, W) or (C, H, W)."""
    result = adaptive_pooling.adaptive_max_pool2d(input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest pixels of output_size windows of (N, C, D, H, W) or (C, D, H, W)."""
    result = adaptive_pooling.adaptive_max_pool3d(input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool1d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """adaptive_max_pool1d with the positions of what it found."""
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """adaptive_max_pool2d with the positions of what it found."""
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(
    input: Any, output_size: Any, return_indices: bool = False
) -> Any:
    """adaptive_max_pool3d with the positions of what it found."""
    return adaptive_max_pool3d(input, output_size, True)


# ---- norms


def _several(count: int, value: Any) -> tuple[Any, ...]:
    """`value` as it counts for all axes."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def _lp_pool(
    count: int, input: Any, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Any:
    volume = 1
    for size in _several(count, kernel_size) if count > 1 else (kernel_size,):
        volume *= size
    largest = getattr(F, f"max_pool{count}d")
    if norm_type == float("inf"):
        return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -float("inf"):
        return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    mean = getattr(F, f"avg_pool{count}d")
    out = mean(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (OPS.sign(out) * F.relu(OPS.abs(out))).mul(volume).pow(1.0 / norm_type)


def lp_pool1d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window of (N, C, L) or (C, L)."""
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window of (N, C, H, W) or (C, H, W)."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W)."""
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
    """The largest pixels of output_size windows at random places. Graham, arXiv 1412.6071."""
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
    """The largest pixels of output_size windows at random places. Graham, arXiv 1412.6071."""
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
    """fractional_max_pool2d with the positions of what it found."""
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """fractional_max_pool3d with the positions of what it found."""
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


# What torch's errors call those that give positions when they are asked for.
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
    """The size of the image that was pooled; one of those that fit, if `size` is given."""
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
    """Zeros but for what max_pool1d found, which goes back to where it was."""
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
    """Zeros but for what max_pool2d found, which goes back to where it was."""
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
    """Zeros but for what max_pool3d found, which goes back to where it was."""
    size, stride, padding = _unpool(3, input, kernel_size, stride, padding, output_size)
    return OPS.max_unpool3d(input, indices, size, stride, padding)
