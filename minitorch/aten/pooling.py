"""Pooling over windows: the largest pixel, the mean, and means over as many windows as wanted.

One-dimensional pooling is that of images of height one, as in torch.
"""

from __future__ import annotations

from typing import Any

from minitorch.aten.convolution import channels_last, laid_out_as
from minitorch.core.arrays import namespace
from minitorch.core.arrays import pooling as kernels
from minitorch.core.arrays.windows import window_count
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR, linear_in_gradient
from minitorch.core.graph.formulas import OPS
from minitorch.core.graph.modes import recording
from minitorch.core.graph.views import written
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import tensor

# ---- what all of them check ----------------------------------------------------------------------


def pair(name: str, argument: str, value: Any, missing: Any = None) -> tuple[int, int]:
    """One integer for each axis; `missing` for an empty value, if there is one."""
    if type(value) is int:
        return value, value
    if len(value) == 2:
        return tuple(value)
    if len(value) == 1:
        return value[0], value[0]
    if missing is not None and not len(value):
        return missing
    words = {"stride": "either be omitted, a", "dilation": "be either a"}.get(
        argument, "either be a"
    )
    raise RuntimeError(f"{name}: {argument} must {words} single int, or a tuple of two ints")


def check_windows(x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> Any:
    """The number of windows along both axes. As ATen/native/Pool.h (pool2d_shape_check)."""
    for k, s, p, d in zip(kernel, stride, padding, dilation, strict=True):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int(((k - 1) * d + 1) / 2):
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    if min(kernel) <= 0:
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kH: {kernel[0]} kW: {kernel[1]}"
        )
    if min(stride) < 0:
        raise RuntimeError(
            f"stride should be greater than zero, but got dH: {stride[0]} dW: {stride[1]}"
        )
    if min(dilation) <= 0:
        raise RuntimeError(
            "dilation should be greater than zero, but got dilationH: "
            f"{dilation[0]} dilationW: {dilation[1]}"
        )
    if x.ndim not in (3, 4) or 0 in x.shape[x.ndim - 3 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(x.shape)}"
        )
    image = x.shape[-2:]
    out = [
        window_count(n, k, s, p, d, ceil)
        for n, k, s, p, d in zip(image, kernel, stride, padding, dilation, strict=True)
    ]
    if min(out) < 1:
        channels = x.shape[-3]
        raise RuntimeError(
            f"Given input size: ({channels}x{image[0]}x{image[1]}). Calculated output size: "
            f"({channels}x{out[0]}x{out[1]}). Output size is too small"
        )
    return out


def check_dtype(kernel: str, x: Any) -> None:
    """NotImplementedError in ATen's words for dtypes that have no order or no mean."""
    if x.dtype.kind in "bc":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of(x).scalar_name}'")


# ---- the largest pixel ---------------------------------------------------------------------------


def max_pool2d_forward(
    xp: Any,
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
) -> Any:
    kernel = pair("max_pool2d", "kernel_size", kernel_size)
    stride = pair("max_pool2d", "stride", stride, kernel)
    padding = pair("max_pool2d", "padding", padding)
    dilation = pair("max_pool2d", "dilation", dilation)
    if self.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    check_windows(self, kernel, stride, padding, dilation, ceil_mode)
    check_dtype("max_pool2d", self)
    values, indices = kernels.max_pool2d(xp, self, kernel, stride, padding, dilation, ceil_mode)
    return laid_out_as(xp, values, self), laid_out_as(xp, indices, self)


max_pool2d_with_indices = operator(
    "max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[],"
    " int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    node="MaxPool2DWithIndicesBackward0",
    forward=max_pool2d_forward,
    self=lambda F, grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: (
        F.max_pool2d_with_indices_backward(
            grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
        )
    ),
    result=lambda F, self_t, result1: gathered(F, self_t, result1),
    differentiable=(True, False),
    on=("F",),
)


def max_pool2d_backward_forward(
    xp: Any,
    grad_output: Any,
    self: Any,
    kernel_size: Any,
    stride: Any,
    dilation: Any,
    indices: Any,
) -> Any:
    kernel = pair("max_pool2d", "kernel_size", kernel_size)
    stride = pair("max_pool2d", "stride", stride, kernel)
    dilation = pair("max_pool2d", "dilation", dilation)
    disjoint = all(s >= d * (k - 1) + 1 for k, s, d in zip(kernel, stride, dilation, strict=True))
    out = kernels.max_pool2d_backward(xp, grad_output, indices, self.shape[-2:], disjoint)
    return laid_out_as(xp, out, self)


def gathered(F: Any, grad: Any, indices: Any) -> Any:
    """`grad` at the flat positions `indices` of each plane."""
    lead, (height, width) = indices.shape[:-2], indices.shape[-2:]
    flat = F.reshape(grad, (*lead, grad.shape[-2] * grad.shape[-1]))
    places = F.reshape(indices, (*lead, height * width))
    return F.reshape(F.gather(flat, -1, places), indices.shape)


max_pool2d_with_indices_backward = operator(
    "max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size,"
    " int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
    node="MaxPool2DWithIndicesBackwardBackward0",
    forward=max_pool2d_backward_forward,
    grad_output=gathered,
    self=lambda F, grad, self_info: F.new_zeros(grad, self_info),
    result=LINEAR,
    on=("F",),
)


def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest pixel of each window. As torch.nn.functional.max_pool2d.

    Args:
        input: (N, C, H, W) or (C, H, W).
        stride: of the windows; kernel_size if None.
        padding: pixels that count as smaller than all others, on each side.
        return_indices: also returns where in its plane each pixel stands.
    """
    result = max_pool2d_with_indices(
        input,
        listed(kernel_size),
        () if stride is None else listed(stride),
        listed(padding),
        listed(dilation),
        ceil_mode,
    )
    return result if return_indices else result[0]


def listed(value: Any) -> Any:
    """A number as it counts for both axes."""
    return (value, value) if type(value) is int else tuple(value)


def single(name: str, argument: str, value: Any) -> int:
    """The one integer that a one-dimensional operator takes. RuntimeError in torch's words."""
    if type(value) is int:
        return value
    if len(value) != 1:
        raise RuntimeError(
            f"{name}() argument '{argument}' should contain one int (got {len(value)})"
        )
    return value[0]


def check_rank(name: str, x: Any) -> None:
    """RuntimeError in torch's words unless `x` is (N, C, L) or (C, L)."""
    if x.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 "
            f"'self' (while checking arguments for {name})"
        )


def check_max_pool1d(x: Any, **arguments: Any) -> Any:
    """(kernel, stride, padding, dilation, windows). As ATen/native/MaxPooling.cpp."""
    if x.ndim not in (2, 3) or 0 in x.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{list(x.shape)}"
        )
    for argument, value in arguments.items():
        size = 1 if type(value) is int else len(value)
        if size != 1 and (size or argument != "stride"):
            kinds = "an int, list of ints or tuple of ints"
            if argument == "stride":
                kinds = "None, an int, list of ints, or tuple of ints"
            raise RuntimeError(
                f"max_pool1d() {argument} must be {kinds} of size 1 but got size {size}"
            )
    if arguments["stride"] in ((), []):
        arguments["stride"] = arguments["kernel_size"]
    kernel, stride, padding, dilation = [
        value if type(value) is int else value[0] for value in arguments.values()
    ]
    if kernel <= 0:
        raise RuntimeError(f"max_pool1d() kernel_size must be greater than zero, but got {kernel}")
    if stride <= 0:
        raise RuntimeError(f"max_pool1d() stride must be greater than zero, but got {stride}")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise RuntimeError(
            "max_pool1d() padding should be at most half of kernel size, but got "
            f"padding={padding} and kernel_size={kernel}"
        )
    if dilation <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {dilation}")
    return kernel, stride, padding, dilation


@composite("max_pool1d_with_indices", on=("function",))
def max_pool1d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """max_pool1d with the positions of what it found. As torch.max_pool1d_with_indices."""
    check_rank("max_pool1d", input._array)
    kernel = single("max_pool1d", "kernel_size", kernel_size)
    step = kernel if stride == () or stride == [] else single("max_pool1d", "stride", stride)
    padding = single("max_pool1d", "padding", padding)
    dilation = single("max_pool1d", "dilation", dilation)
    values, indices = max_pool2d_with_indices(
        OPS.unsqueeze(input, -2), (1, kernel), (1, step), (0, padding), (1, dilation), ceil_mode
    )
    return OPS.squeeze_dim(values, -2), OPS.squeeze_dim(indices, -2)


@composite("max_pool1d", on=("function",))
def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window of (N, C, L) or (C, L). As torch.max_pool1d.

    stride: of the windows; kernel_size if empty.
    padding: elements that count as smaller than all others, on each side.
    """
    x = input._array
    kernel, step, padding, dilation = check_max_pool1d(
        x, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation
    )
    count = window_count(x.shape[-1], kernel, step, padding, dilation, ceil_mode)
    if count <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {count}")
    if recording() and input.requires_grad:
        settings = (kernel, step, padding, dilation, ceil_mode)
        return max_pool1d_with_indices(input, *settings)[0]
    if x.dtype.kind in "biuc":
        raise NotImplementedError(
            f"\"max_pool1d_impl\" not implemented for '{dtypes.of(x).scalar_name}'"
        )
    values, _ = kernels.max_pool2d(
        namespace(x),
        x[..., None, :],
        (1, kernel),
        (1, step),
        (0, padding),
        (1, dilation),
        ceil_mode,
    )
    result = tensor(values.reshape((*x.shape[:-1], count)))
    if x.ndim == 2:  # ATen squeezes it in place
        written(result, None)
    return result


# ---- the mean ------------------------------------------------------------------------------------


def avg_pool2d_forward(
    xp: Any,
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    kernel = pair("avg_pool2d", "kernel_size", kernel_size)
    stride = pair("avg_pool2d", "stride", stride, kernel)
    padding = pair("avg_pool2d", "padding", padding)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if self.ndim < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-self.ndim}, {self.ndim - 1}], "
            "but got -3)"
        )
    check_windows(self, kernel, stride, padding, (1, 1), ceil_mode)
    check_dtype("avg_pool2d", self)
    out = kernels.avg_pool2d(
        xp, self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
    return laid_out_as(xp, out, self)


avg_pool2d = operator(
    "avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,"
    " bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    node="AvgPool2DBackward0",
    forward=avg_pool2d_forward,
    self=lambda F, grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
    divisor_override: F.avg_pool2d_backward(
        grad,
        self,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    ),
    result=LINEAR,
    variants=("out",),
    on=("F",),
)  # fmt: skip


def avg_pool2d_backward_forward(
    xp: Any,
    grad_output: Any,
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    kernel = pair("avg_pool2d", "kernel_size", kernel_size)
    out = kernels.avg_pool2d_backward(
        xp,
        grad_output,
        self.shape[-2:],
        kernel,
        pair("avg_pool2d", "stride", stride, kernel),
        pair("avg_pool2d", "padding", padding),
        count_include_pad,
        divisor_override,
    )
    return laid_out_as(xp, out, self)


avg_pool2d_backward = operator(
    "avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride,"
    " int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    node="AvgPool2DBackwardBackward0",
    forward=avg_pool2d_backward_forward,
    grad_output=lambda F, grad, kernel_size, stride, padding, ceil_mode, count_include_pad,
    divisor_override: F.avg_pool2d(
        grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
    self=lambda F, grad, self_info: F.new_zeros(grad, self_info),
    result=linear_in_gradient,
    on=("F",),
)  # fmt: skip


def avg_pool2d_public(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Any = None,
) -> Any:
    """The mean of each window. As torch.nn.functional.avg_pool2d.

    Args:
        input: (N, C, H, W) or (C, H, W).
        stride: of the windows; kernel_size if None.
        count_include_pad: whether the padding's zeros count in the mean.
        divisor_override: what sums are divided by, in place of the number of pixels.
    """
    return avg_pool2d(
        input,
        listed(kernel_size),
        () if stride is None else listed(stride),
        listed(padding),
        ceil_mode,
        count_include_pad,
        divisor_override,
        out=out,
    )


@composite("avg_pool1d", on=("function",))
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window of (N, C, L) or (C, L). As torch.nn.functional.avg_pool1d."""
    check_rank("avg_pool1d", input._array)
    kernel = single("avg_pool1d", "kernel_size", kernel_size)
    empty = stride is None or stride == () or stride == []
    step = kernel if empty else single("avg_pool1d", "stride", stride)
    out = avg_pool2d(
        OPS.unsqueeze(input, -2),
        (1, kernel),
        (1, step),
        (0, single("avg_pool1d", "padding", padding)),
        ceil_mode,
        count_include_pad,
    )
    return OPS.squeeze_dim(out, -2)


# ---- a wanted number of windows ------------------------------------------------------------------


def adaptive_avg_pool2d_forward(xp: Any, self: Any, output_size: Any) -> Any:
    for dim in (-2, -1):
        if not self.shape[dim]:
            raise RuntimeError(
                "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch "
                f"dimensions, but input has sizes {list(self.shape)} with dimension "
                f"{self.ndim + dim} being empty"
            )
    if self.dtype.kind in "biuc":
        raise NotImplementedError(
            f"\"adaptive_avg_pool2d\" not implemented for '{dtypes.of(self).scalar_name}'"
        )
    return laid_out_as(xp, kernels.adaptive_avg_pool2d(xp, self, output_size), self)


_adaptive_avg_pool2d = operator(
    "_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
    node="AdaptiveAvgPool2DBackward0",
    forward=adaptive_avg_pool2d_forward,
    self=lambda F, grad, self: F._adaptive_avg_pool2d_backward(grad, self),
    result=LINEAR,
    on=("function",),
)

_adaptive_avg_pool2d_backward = operator(
    "_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
    node="AdaptiveAvgPool2DBackwardBackward0",
    forward=lambda xp, grad_output, self: laid_out_as(
        xp, kernels.adaptive_avg_pool2d_backward(xp, grad_output, self.shape[-2:]), self
    ),
    grad_output=lambda F, grad, grad_output_sym_sizes: F._adaptive_avg_pool2d(
        grad, grad_output_sym_sizes[-2:]
    ),
    self=lambda F, grad, self_info: F.new_zeros(grad, self_info),
    result=linear_in_gradient,
    on=("F",),
)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Means over output_size windows of nearly equal size.

    Args:
        input: (N, C, H, W) or (C, H, W).
        output_size: one number or two; None keeps an axis as it is.
    """
    x = input._array
    size = (output_size, output_size) if isinstance(output_size, int) else tuple(output_size)
    if x.ndim <= len(size) and not isinstance(output_size, int):
        raise ValueError(f"Input dimension should be at least {len(size) + 1}")
    if len(size) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    if x.ndim not in (3, 4):
        raise RuntimeError(
            f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(x.shape)}"
        )
    size = tuple([n if s is None else s for s, n in zip(size, x.shape[-2:], strict=True)])
    if min(size) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
            f"received {{{size[0]}, {size[1]}}}"
        )
    if size != (1, 1):
        return _adaptive_avg_pool2d(input, size)
    out = OPS.mean(input, [-1, -2], True)
    if x.ndim == 4 and channels_last(x):
        n, c = x.shape[:2]
        out = OPS.as_strided(out, (n, c, 1, 1), (c, 1, c, c))
    return out


@composite("adaptive_avg_pool1d", on=("function",))
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Means over output_size windows of (N, C, L) or (C, L)."""
    name = "adaptive_avg_pool1d"
    check_rank(name, input._array)
    size = (1, single(name, "output_size", output_size))
    out = adaptive_avg_pool2d(OPS.unsqueeze(input, -2), size)
    return OPS.squeeze_dim(out, -2)
