"""Pooling over windows: the largest pixel and the mean.

One-dimensional pooling is that of images of height one, as in torch.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from operator import index
from typing import Any

from minitorch.aten.creation.copies import suggested_format
from minitorch.aten.in_formulas import is_transformed, zeros
from minitorch.aten.layers.convolution import channels_last, laid_out_as, with_channels_last
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays import pooling as kernels
from minitorch.core.arrays.missing import has_numbers, slides_over
from minitorch.core.arrays.windows import window_count
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import recording
from minitorch.core.declare.codegen.shells import over
from minitorch.core.declare.expose import refusing
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import EXACT, Out
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.row import LINEAR, linear_in_gradient
from minitorch.core.declare.vmap import VMap
from minitorch.core.graph.views import note_write
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES, INTEGRAL, LONG
from minitorch.core.tensor.conversion import entry_of

# ---- what all of them check


def numbers_of(count: int, name: str, argument: str, value: Any, missing: Any = None) -> Any:
    """One integer for each of `count` axes; `missing` for an empty value, if there is one."""
    if type(value) is int:
        return (value,) * count
    if len(value) == count:
        return tuple(map(index, value))  # NumPy's integers wrap around
    if len(value) == 1:
        return (index(value[0]),) * count
    if missing is not None and not len(value):
        return missing
    either = "either " if count == 2 or name == "max_pool3d" else ""
    words = {"stride": f"{either}be omitted, a", "dilation": "be either a"}.get(
        argument, f"{either}be a"
    )
    if name == "avg_pool3d":
        words = words.replace("be either", "be")
    ints = "two" if count == 2 else "three"
    raise RuntimeError(f"{name}: {argument} must {words} single int, or a tuple of {ints} ints")


def named(start: str, values: Any) -> str:
    """'kH: 2 kW: 3', as torch writes sizes along axes down; depth is its time."""
    axes = "THW"[-len(values) :]
    return " ".join([f"{start}{axis}: {value}" for axis, value in zip(axes, values, strict=True)])


@lru_cache(maxsize=256)
def check_windows(
    shape: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, name: str
) -> Any:
    """The checks of ATen/native/Pool.h (pool2d_shape_check, pool3d_shape_check).

    They take 7 us, which a shape that has passed them is spared.
    """
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
    for word, values, start in (
        ("kernel size", kernel, "k"), ("stride", stride, "d"), ("dilation", dilation, "dilation")
    ):  # fmt: skip
        if min(values) <= 0:
            raise RuntimeError(
                f"{word} should be greater than zero, but got {named(start, values)}"
            )
    count = len(kernel)
    if len(shape) not in (count + 1, count + 2) or 0 in shape[len(shape) - count - 1 :]:
        refuse_shape(name, shape, count)
    image = shape[-count:]
    if name == "avg_pool3d" and any(n < k for n, k in zip(image, kernel, strict=True)):
        raise RuntimeError(
            f"input image ({named('', image)}) smaller than kernel size ({named('k', kernel)})"
        )
    out = [
        window_count(n, k, s, p, d, ceil)
        for n, k, s, p, d in zip(image, kernel, stride, padding, dilation, strict=True)
    ]
    if min(out) < 1:
        given, made = ["x".join(map(str, (shape[-count - 1], *axes))) for axes in (image, out)]
        raise RuntimeError(
            f"Given input size: ({given}). Calculated output size: ({made}). Output size is too "
            "small"
        )


def refuse_shape(name: str, shape: Any, count: int) -> None:
    """Raises the error for an input that is no image, or has no pixels."""
    shape = list(shape)
    if count == 2:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{shape}"
        )
    kernel = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else name
    raise RuntimeError(
        f"{kernel}(): Expected input's non-batch dimensions to have positive length, but input has "
        f"a shape of {shape} and non-batch dimension 0 has length zero!"
    )


def check_rank_of_image(x: Any, count: int) -> None:
    """RuntimeError unless `x` is an image of `count` axes, or a batch of such."""
    if x.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"non-empty {count + 1}D or {count + 2}D (batch mode) tensor expected for input"
        )


def check_dtype(kernel: str, x: Any) -> None:
    """NotImplementedError in ATen's words for dtypes that have no order or no mean."""
    if x.dtype.kind in "bc":
        refuse_dtype(kernel, x)


def _check_mean(kernel: str, x: Any) -> None:
    """`check_dtype` for a kernel whose only integer dtype is int64."""
    check_dtype(kernel, x)
    if x.dtype.kind in "iu" and x.dtype != dtypes.int64.numpy:
        refuse_dtype(kernel, x)


def refuse_dtype(kernel: str, x: Any) -> None:
    """Raises ATen's error for a dtype that a kernel is not made for."""
    raise dtypes.unknown_to(kernel, x)


def as_image(xp: Any, out: Any, x: Any, count: int) -> Any:
    """`out` laid out as `x`, both of `count` axes; alone, an image of volumes is a batch of one."""
    if x.ndim != 4 or count == 2:
        return laid_out_as(xp, out, x)
    batch = ((1, *x.shape), (x.size, *layout.strides_of(x)))
    return with_channels_last(xp, out[None])[0] if layout.is_channels_last(*batch) else out


# ---- the largest pixel


def gathered(F: Any, grad: Any, indices: Any, count: int) -> Any:
    """`grad` at the flat positions `indices` of each image of `count` axes."""
    lead = indices.shape[:-count]
    shape = (*lead, prod(grad.shape[-count:]))
    if F is RAW or not prod(indices.shape):
        places = F.view(indices, (*lead, prod(indices.shape[-count:])))
        flat = F.reshape(grad, shape)
    else:
        places = F.view(indices, (*lead, -1))
        grad = grad.contiguous(memory_format=suggested_format(indices._array))
        flat = F.view(grad, (*lead, -1))
    return F.reshape(F.gather(flat, -1, places), indices.shape)


def _declare_max_pool(count: int) -> Any:
    """The row of max_pool2d or max_pool3d, and that of its gradient."""
    name, node = f"max_pool{count}d", f"MaxPool{count}DWithIndicesBackward"
    ints, backward_name = f"int[{count}]", f"{name}_with_indices_backward"

    def forward(
        xp: Any,
        self: Any,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        ceil_mode: bool,
    ) -> Any:
        kernel = numbers_of(count, name, "kernel_size", kernel_size)
        stride = numbers_of(count, name, "stride", stride, kernel)
        padding = numbers_of(count, name, "padding", padding)
        dilation = numbers_of(count, name, "dilation", dilation)
        check_rank_of_image(self, count)
        check_windows(self.shape, kernel, stride, padding, dilation, ceil_mode, name)
        if count == 3 and self.ndim == 4 and channels_last(self) and has_numbers(self):
            raise RuntimeError(
                "Unsupported memory format. Supports only ChannelsLast3d, Contiguous"
            )
        values, indices = kernels.max_pool(xp, self, kernel, stride, padding, dilation, ceil_mode)
        return as_image(xp, values, self, count), as_image(xp, indices, self, count)

    def backward(
        xp: Any,
        grad_output: Any,
        self: Any,
        kernel_size: Any,
        stride: Any,
        dilation: Any,
        indices: Any,
    ) -> Any:
        kernel = numbers_of(count, name, "kernel_size", kernel_size)
        stride = numbers_of(count, name, "stride", stride, kernel)
        dilation = numbers_of(count, name, "dilation", dilation)
        axes = zip(kernel, stride, dilation, strict=True)
        disjoint = all(s >= d * (k - 1) + 1 for k, s, d in axes)
        out = kernels.max_pool_backward(xp, grad_output, indices, self.shape[-count:], disjoint)
        return as_image(xp, out, self, count)

    slides_over(count, forward, backward)
    of_images = VMap("images") if count == 2 else None
    declared = operator(
        f"{name}_with_indices(Tensor self, {ints} kernel_size, {ints} stride=[],"
        f" {ints} padding=0, {ints} dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
        node=f"{node}0",
        forward=forward,
        kernel=name,
        knows=INTEGRAL | FLOATING | HALVES,
        self=lambda F, grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: (
            getattr(F, backward_name)(
                grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
            )
        ),
        result=lambda F, self_t, result1: gathered(F, self_t, result1, count),
        differentiable=(True, False),
        on=("F",),
        vmap=of_images,
    )
    operator(
        f"{backward_name}(Tensor grad_output, Tensor self, {ints} kernel_size, {ints} stride,"
        f" {ints} padding, {ints} dilation, bool ceil_mode, Tensor indices) -> Tensor",
        node=f"{node}Backward0",
        forward=backward,
        kernel=f"{name}_backward",
        knows=FLOATING | HALVES,
        grad_output=lambda F, grad, indices: gathered(F, grad, indices, count),
        self=lambda F, grad, self_info: zeros(F, grad, self_info),
        result=LINEAR,
        on=("F",),
        vmap=of_images,
    )
    return declared


max_pool2d_with_indices, max_pool3d_with_indices = map(_declare_max_pool, (2, 3))


def handing_on(count: int) -> Any:
    """A decorator for F.max_pool2d and 3d: they refuse what torch's functions below them refuse."""

    def handed(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        name = f"max_pool{count}d"
        path = f"_nn.{name}_with_indices" if return_indices else f"torch.{name}"
        stride = () if stride is None else stride
        return path, input, kernel_size, stride, padding, dilation, ceil_mode

    handed.__qualname__ = f"_max_pool{count}d"
    return over(handed)


@handing_on(2)
def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest pixel of each window.

    Args:
        input: real, (N, C, H, W) or (C, H, W).
        kernel_size: of a window, one number or two.
        stride: the step from one window to the next, one number or two; kernel_size if None.
        padding: pixels that count as smaller than all others, on each side; at most half of a
            window.
        dilation: the step from one pixel of a window to the next, one number or two.
        ceil_mode: whether the last windows may lie partly beyond the end.
        return_indices: also returns where in its plane each pixel stands.

    Returns:
        (N, C, *windows) or (C, *windows), of the dtype of `input`; with positions, a tuple of it
            and of int64, of the same shape.

    Raises:
        RuntimeError: for another number of dimensions, too much padding, a stride of 0, or if no
            window fits.
        NotImplementedError: for bools.

    As torch.nn.functional.max_pool2d (ATen/native/DilatedMaxPool2d.cpp).
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


def _max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """max_pool2d without the positions of the maxima."""
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


composite("max_pool2d", on=("function",), own_out=Out(EXACT))(_max_pool2d)


@composite("max_pool3d", on=("function",))
def max_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest pixel of each window of (N, C, D, H, W) or (C, D, H, W)."""
    stride = () if stride is None else stride
    settings = [listed(value, 3) for value in (kernel_size, stride, padding, dilation)]
    return max_pool3d_with_indices(input, *settings, ceil_mode)[0]


def listed(value: Any, count: int = 2) -> Any:
    """A number as it counts for all axes; what is neither that nor a list is for the parser."""
    if type(value) is int:
        return (value,) * count
    return tuple(value) if isinstance(value, (tuple, list)) else value


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
    """max_pool1d that also returns the positions of the maxima."""
    check_rank("max_pool1d", input._array)
    kernel = single("max_pool1d", "kernel_size", kernel_size)
    empty = stride in (None, (), [])
    step = kernel if empty else single("max_pool1d", "stride", stride)
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
    """The largest element of each window of (N, C, L) or (C, L).

    stride: of the windows; kernel_size if empty.
    padding: elements that count as smaller than all others, on each side.
    """
    x = input._array
    step = () if stride is None else stride
    kernel, step, padding, dilation = check_max_pool1d(
        x, kernel_size=kernel_size, stride=step, padding=padding, dilation=dilation
    )
    count = window_count(x.shape[-1], kernel, step, padding, dilation, ceil_mode)
    if count <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {count}")
    # Dispatch modes and transforms see operators alone, and the rest of this function is none.
    if (recording() and input.requires_grad) or STACK.get() or is_transformed(input):
        settings = (kernel, step, padding, dilation, ceil_mode)
        return max_pool1d_with_indices(input, *settings)[0]
    if x.dtype.kind in "biuc":
        raise dtypes.unknown_to("max_pool1d_impl", x)
    values, _ = kernels.max_pool(
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
        note_write(result, None)
    return result


# ---- the mean


def windows_of(count: int, kernel_size: Any, stride: Any, padding: Any) -> tuple[Any, Any, Any]:
    """The sizes, steps and padding of avg_pool's windows, one number for each axis."""
    name = f"avg_pool{count}d"
    kernel = numbers_of(count, name, "kernel_size", kernel_size)
    stride = numbers_of(count, name, "stride", stride, kernel)
    return kernel, stride, numbers_of(count, name, "padding", padding)


def mean_forward(
    xp: Any,
    count: int,
    self: Any,
    windows: tuple[Any, Any, Any],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """The means over windows of images with `count` axes.

    windows: kernel_size, stride and padding as they were given.
    """
    kernel, stride, padding = windows_of(count, *windows)
    if count == 2 and divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if count == 3:
        check_rank_of_image(self, count)
    else:
        entry_of(self.shape, -3)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    name = f"avg_pool{count}d"
    check_windows(self.shape, kernel, stride, padding, (1,) * count, ceil_mode, name)
    if count == 2:
        _check_mean(name, self)
    elif self.dtype.itemsize == 2:
        refuse_dtype("avg_pool3d_out_frame", self)
    else:
        _check_mean("avg_pool3d_out_frame", self)
    out = kernels.avg_pool(
        xp, self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
    return laid_out_as(xp, out, self) if count == 2 else out


def mean_backward(
    xp: Any,
    count: int,
    grad_output: Any,
    self: Any,
    windows: tuple[Any, Any, Any],
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """The gradient of the images."""
    sizes = windows_of(count, *windows)
    out = kernels.avg_pool_backward(
        xp, grad_output, self.shape[-count:], *sizes, count_include_pad, divisor_override
    )
    return laid_out_as(xp, out, self) if count == 2 else out


def _declare_avg_pool(count: int) -> Any:
    """The row of avg_pool2d or avg_pool3d, and that of its gradient."""
    name, ints, node = f"avg_pool{count}d", f"int[{count}]", f"AvgPool{count}DBackward"
    of_images = VMap("images") if count == 2 else None
    declared = operator(
        f"{name}(Tensor self, {ints} kernel_size, {ints} stride=[], {ints} padding=0,"
        " bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
        node=f"{node}0",
        forward=lambda xp, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override: mean_forward(
            xp, count, self, (kernel_size, stride, padding), ceil_mode, count_include_pad,
            divisor_override,
        ),
        kernel=name if count == 2 else f"{name}_out_frame",
        knows=FLOATING | LONG | HALVES if count == 2 else FLOATING | LONG,
        self=lambda F, grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override: getattr(F, f"{name}_backward")(
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
        vmap=of_images,
        out=Out(EXACT),
    )  # fmt: skip
    operator(
        f"{name}_backward(Tensor grad_output, Tensor self, {ints} kernel_size, {ints} stride,"
        f" {ints} padding, bool ceil_mode, bool count_include_pad, int? divisor_override)"
        " -> Tensor",
        node=f"{node}Backward0",
        forward=lambda xp, grad_output, self, kernel_size, stride, padding, count_include_pad,
        divisor_override: mean_backward(
            xp, count, grad_output, self, (kernel_size, stride, padding), count_include_pad,
            divisor_override,
        ),
        kernel=f"{name}_backward" if count == 2 else f"{name}_backward_out_frame",
        knows=FLOATING | LONG | HALVES if count == 2 else FLOATING | LONG,
        grad_output=lambda F, grad, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override: getattr(F, name)(
            grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
        self=lambda F, grad, self_info: zeros(F, grad, self_info),
        result=linear_in_gradient,
        on=("F",),
        vmap=of_images,
    )  # fmt: skip
    return declared


avg_pool2d, avg_pool3d = map(_declare_avg_pool, (2, 3))


def _public(pool: Any, count: int) -> Any:
    """The function of torch.nn.functional for a row of means."""

    def average(
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
        """The mean of each window.

        Args:
            input: real, (N, C, *image) or (C, *image).
            kernel_size: of a window, one number, or one for each axis.
            stride: the step from one window to the next, likewise; kernel_size if None.
            padding: zeros on each side, at most half of `kernel_size`, likewise.
            ceil_mode: whether the last windows may lie partly beyond the end.
            count_include_pad: whether the padding's zeros count in the mean.
            divisor_override: what sums are divided by, in place of the number of pixels; not 0.
            out: the tensor that the result is written into.

        Returns:
            (N, C, *windows) or (C, *windows), of the dtype of `input`.

        Raises:
            RuntimeError: for too much padding, a stride or a divisor of 0, or if no window fits.

        As torch.nn.functional.avg_pool2d and avg_pool3d (ATen/native/AveragePool2d.cpp).
        """
        return pool(
            input,
            listed(kernel_size, count),
            () if stride is None else listed(stride, count),
            listed(padding, count),
            ceil_mode,
            count_include_pad,
            divisor_override,
            out=out,
        )

    average.__name__ = average.__qualname__ = f"avg_pool{count}d"
    return refusing(f"nn.avg_pool{count}d", average)


avg_pool2d_public, avg_pool3d_public = _public(avg_pool2d, 2), _public(avg_pool3d, 3)


@composite("avg_pool1d", on=("function",))
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window of (N, C, L) or (C, L).

    Args:
        input: real, (N, C, L) or (C, L).
        kernel_size: the length of a window, a number or a tuple of one.
        stride: the step from one window to the next; `kernel_size` if it is ().
        padding: zeros on each side, at most half of `kernel_size`.
        ceil_mode: whether the last window may lie partly beyond the end.
        count_include_pad: whether the padding's zeros count in the mean.

    Returns:
        (N, C, windows) or (C, windows), of the dtype of `input`.

    Raises:
        RuntimeError: for another number of dimensions, too much padding, a stride of 0, or if no
            window fits.

    As torch.nn.functional.avg_pool1d (ATen/native/AveragePool2d.cpp).
    """
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
