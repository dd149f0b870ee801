"""Convolutions of one to three dimensions, and transposed ones: all of them one operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitorch.aten.layers.convolution_checks import check, check_gradient, uses_onednn
from minitorch.core.arrays import convolution as kernels
from minitorch.core.arrays import layout
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import GRADIENT
from minitorch.core.declare.vmap import VMap
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import promote_types
from minitorch.core.warning import warn_once

# ---- the operator


def expanded(name: str, value: Any, count: int) -> tuple[int, ...]:
    """One integer for each spatial dimension."""
    if type(value) is int:
        return (value,) * count
    value = tuple(value)
    if len(value) == 1:
        return value * count
    if len(value) != count:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match "
            f"the convolution dimensions, but got {name}={list(value)}"
        )
    return value


def spread(count: int, *settings: Any) -> list[Any]:
    """Tuples of integers, one of them made `count`: a node shows what it was given."""
    return [tuple(each) * (1 if len(each) == count else count) for each in settings]


def channels_last(x: Any) -> bool:
    """Whether `x` lies in memory with its channels last, as torch reads strides."""
    return (
        x.ndim in (4, 5)
        and x.strides[1] <= x.strides[-1]
        and layout.is_channels_last(x.shape, layout.strides_of(x))
    )


def sound_channels_last(x: Any, kept: bool) -> bool:
    """Whether torch reads the channels of `x`, (N, C, L), as the last ones in memory.

    It sees sounds as images of height 1, from a contiguous copy unless their strides are `kept`.
    """
    if x.strides[1] > x.strides[2] and x.flags.c_contiguous:
        return False
    count, channels, length = x.shape
    steps = layout.strides_of(x)
    if not kept and not layout.is_contiguous(x.shape, steps):
        steps = layout.contiguous_strides(x.shape)
    strides = (steps[0], steps[1], length * steps[2], steps[2])
    return layout.is_channels_last((count, channels, 1, length), strides)


def with_channels_last(xp: Any, x: Any) -> Any:
    """A copy of `x` with its channels last in memory."""
    if x.ndim == 3:
        _, channels, length = x.shape
        strides = (channels * length, 1, channels)
    else:
        strides = layout.channels_last_strides(x.shape)
    out = xp.empty_strided(x.shape, strides, x.dtype)
    out[...] = x
    return out


def hands_on_layout(
    input: Any,
    weight: Any,
    stride: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> bool:
    """Whether a convolution's results have their channels last in memory.

    Of volumes only oneDNN's kernels keep channels last.
    """
    if weight.ndim == 3:
        return sound_channels_last(weight, True) or sound_channels_last(input, False)
    if not (channels_last(input) or channels_last(weight)):
        return False
    return input.ndim == 4 or uses_onednn(
        input, weight, stride, dilation, transposed, output_padding, groups
    )


def laid_out_as(xp: Any, out: Any, input: Any) -> Any:
    """`out` with its channels last in memory where those of a batch of images are, else in rows."""
    if channels_last(input):
        return with_channels_last(xp, out)
    return out if out.flags.c_contiguous and layout.is_plain(out) else out.copy(order="C")


_CHECKED: set[Any] = set()  # shapes, dtypes and settings of calls that fit
_MOST = 4096


def _remember(kind: Any) -> None:
    """Notes a kind of call that fits: it is checked only once, since a check costs 4 us."""
    if len(_CHECKED) >= _MOST:
        _CHECKED.clear()
    _CHECKED.add(kind)


def convolution_forward(
    xp: Any,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    if weight.ndim > 2 and groups > 0:
        names = ("stride", "padding", "dilation", "output_padding")
        for name, each in zip(names, (stride, padding, dilation, output_padding), strict=True):
            expanded(name, each, weight.ndim - 2)
    stride, padding, dilation, output_padding = spread(
        weight.ndim - 2, stride, padding, dilation, output_padding
    )
    settings = (stride, padding, dilation, transposed, output_padding, groups)
    forms = [None if x is None else (x.shape, x.dtype) for x in (input, weight, bias)]
    kind = (*forms, *settings)
    if kind not in _CHECKED:
        check(input, weight, bias, *settings)
        _remember(kind)
    if input.size == 0 and input.shape[1] == 0:  # as torch: no channels in, none out
        weight = weight[:0]
        bias = None
    odd_bias = bias is not None and bias.dtype != input.dtype
    if odd_bias and not transposed:
        odd_bias, bias = False, bias.astype(input.dtype)
    out = kernels.convolution(
        xp,
        input,
        weight,
        None if odd_bias else bias,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
    )
    if odd_bias:
        out = with_odd_bias(out, bias)
    if hands_on_layout(input, weight, stride, dilation, transposed, output_padding, groups):
        return with_channels_last(xp, out)
    return out


def with_odd_bias(out: Any, bias: Any) -> Any:
    """`out` and a bias of another dtype, added in their common dtype and cast back."""
    common = promote_types(dtypes.of(out), dtypes.of(bias)).numpy
    wide = bias.astype(common).reshape(-1, *[1] * (out.ndim - 2))
    return (out.astype(common) + wide).astype(out.dtype)


convolution = operator(
    "convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding,"
    " SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
    node="ConvolutionBackward0",
    forward=convolution_forward,
    inputs=lambda F, grad, input, weight, bias_sym_sizes_opt, stride, padding, dilation, transposed,
    output_padding, groups, grad_input_mask: F.convolution_backward(
        grad,
        input,
        weight,
        bias_sym_sizes_opt,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        grad_input_mask,
    ),
    result=lambda call, input_t, weight_t, bias_t: (
        call(input=input_t, bias=None) + call(weight=weight_t, bias=bias_t)
    ),
    on=("function",),
    vmap=VMap("convolution"),
)  # fmt: skip


def convolution_backward_forward(
    xp: Any,
    grad_output: Any,
    input: Any,
    weight: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Any,
) -> Any:
    stride, padding, dilation, output_padding = spread(
        weight.ndim - 2, stride, padding, dilation, output_padding
    )
    settings = (stride, padding, dilation, transposed, output_padding, groups)
    kind = (grad_output.shape, input.shape, weight.shape, weight.dtype, *settings)
    if kind not in _CHECKED:
        check_gradient(grad_output, input, weight, *settings)
        _remember(kind)
    grads = kernels.convolution_backward(
        xp,
        grad_output,
        input,
        weight,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        output_mask,
    )
    if hands_on_layout(input, weight, stride, dilation, transposed, output_padding, groups):
        return (
            *[None if grad is None else with_channels_last(xp, grad) for grad in grads[:2]],
            grads[2],
        )
    return tuple([grad if grad is None else xp.ascontiguousarray(grad) for grad in grads])


def convolution_double_backward(
    F: Any,
    grads: Any,
    grad_output: Any,
    input: Any,
    weight: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    grad_input_mask: Any,
) -> Any:
    """The gradients of the gradients: convolutions of the same kind with one factor exchanged.

    As ATen/native/Convolution.cpp (_convolution_double_backward).
    """
    by_input, by_weight, by_bias = grads
    stride, padding, dilation, output_padding = spread(
        len(weight.shape) - 2, stride, padding, dilation, output_padding
    )
    geometry = (stride, padding, dilation, transposed, output_padding, groups)
    to_grad = to_input = to_weight = None
    if grad_input_mask[0]:
        if by_input is not None:
            to_grad = F.convolution(by_input, weight, None, *geometry)
        if by_weight is not None:
            term = F.convolution(input, by_weight, None, *geometry)
            to_grad = term if to_grad is None else to_grad + term
        if by_bias is not None:
            ones = [1] * (len(weight.shape) - 2)
            term = F.expand(F.reshape(by_bias, (1, -1, *ones)), grad_output.shape)
            to_grad = term if to_grad is None else to_grad + term
    if grad_input_mask[1] and by_weight is not None:
        rows = F.clone(input, memory_format=devices.contiguous_format)  # sizes of 1 included
        to_input = F.convolution_backward(
            grad_output, rows, by_weight, None, *geometry, (True, False, False)
        )[0]
        rest = [e // s if transposed else 0 for e, s in zip(output_padding, stride, strict=True)]
        if any(rest):
            to_input = cut_from(F, to_input, [n + e for n, e in zip(input.shape[2:], rest)])
    if grad_input_mask[2] and by_input is not None:
        to_weight = F.convolution_backward(
            grad_output, by_input, weight, None, *geometry, (False, True, False)
        )[1]
        if min(weight.shape) > 0:
            large, small = (grad_output, input) if transposed else (input, grad_output)
            to_weight = contiguous_over_outputs(
                F, to_weight, small, large, stride, padding, dilation
            )
    return to_grad, to_input, to_weight


convolution_backward = operator(
    "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes,"
    " SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed,"
    " SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    node="ConvolutionBackwardBackward0",
    forward=convolution_backward_forward,
    inputs=convolution_double_backward,
    result=GRADIENT,
    on=("F",),
    elementwise=True,
)

# ---- by number of dimensions


def batched(name: str, input: Any, count: int) -> tuple[Any, bool]:
    """`input` with a batch dimension, and whether it had one."""
    rank = input._array.ndim
    if rank == count + 2:
        return input, True
    if rank == count + 1:
        return OPS.unsqueeze(input, 0), False
    raise RuntimeError(
        f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got "
        f"input of size: {list(input._array.shape)}"
    )


def same_padding(input: Any, weight: Any, stride: Any, dilation: Any) -> tuple[Any, Any]:
    """`input` and padding that keep the image its size; an odd pixel is added on the right."""
    rank = weight._array.ndim
    if input._array.ndim != rank:
        raise RuntimeError(
            f"Expected {rank}-dimensional input for {rank}-dimensional "
            f"weight{list(weight._array.shape)}, but got {input._array.ndim}-dimensional input of "
            f"size {list(input._array.shape)} instead"
        )
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, weight._array.shape[2:], strict=True)]
    if any(n % 2 for n in total):
        warn_once(
            "Using padding='same' with even kernel lengths and odd dilation may require a "
            "zero-padded copy of the input be created",
        )
        pad = [n for t in reversed(total) for n in (0, t % 2)]
        input = OPS.constant_pad_nd(input, pad, 0)
    return input, tuple([n // 2 for n in total])


def contiguous_over_outputs(
    F: Any, by_weight: Any, small: Any, large: Any, stride: Any, padding: Any, dilation: Any
) -> Any:
    """A weight's second gradient in the memory that torch finds it in.

    There it is a convolution with the roles of batch and channels exchanged, some pixels longer
    where the stride does not divide the image.

    large, small: of the convolution, what a kernel slides over and what comes out.
    """
    wide = [
        (n + 2 * p - s * (o - 1) - 1) // d + 1
        for n, o, s, p, d in zip(
            large.shape[2:], small.shape[2:], stride, padding, dilation, strict=True
        )
    ]
    return F.transpose(cut_from(F, F.transpose(by_weight, 0, 1), wide), 0, 1)


def cut_from(F: Any, x: Any, wide: list[int]) -> Any:
    """`x` as the corner of a row-major block of images of the size `wide`."""
    sizes = x.shape[2:]
    extra = [n - k for n, k in zip(wide, sizes, strict=True)]
    if any(extra):
        x = F.constant_pad_nd(x, [n for e in reversed(extra) for n in (0, e)], 0)
    x = F.clone(x, memory_format=devices.contiguous_format)
    for dim, size in enumerate(sizes, 2):
        if x.shape[dim] != size:
            x = F.slice(x, dim, 0, size, 1)
    return x


def of_complex(convolve: Any, input: Any, weight: Any, bias: Any) -> Any:
    """A convolution of complex numbers as three of real ones. As complex_convolution of ATen."""
    (a, b), (c, d) = parts_of(input), parts_of(weight)
    real, imaginary = (None, None) if bias is None else parts_of(bias)
    first, second = convolve(a, c, real), convolve(b, d, None)
    both = None if bias is None else real + imaginary
    third = convolve(a + b, c + d, both)
    rest = OPS.mul_Scalar(third - first - second, 1j)  # before the real part, as in torch
    return first - second + rest


def check_complex(own: Any, weight: Any, bias: Any) -> None:
    """RuntimeError unless the parameters are of the input's complex dtype."""
    for name, other in (("weight", weight), ("bias", bias)):
        if other not in (None, own):
            raise RuntimeError(
                f"Input type ({dtypes.legacy_type(own)}) and {name} type "
                f"({dtypes.legacy_type(other)}) should be the same"
            )


def parts_of(x: Any) -> tuple[Any, Any]:
    """The real and imaginary parts, as views."""
    parts = OPS.view_as_real(OPS.resolve_conj(x))
    return OPS.select(parts, x.dim(), 0), OPS.select(parts, x.dim(), 1)


def convolve(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Any:
    """A convolution of a batch of real images, of any number of dimensions."""
    dims = weight._array.ndim - 2
    if isinstance(padding, str):
        check_named(padding)
        if padding == "same":
            check_same_rank(input, weight)
            check_broadcast(dims, stride=stride, dilation=dilation)
        stride, dilation = expanded("stride", stride, dims), expanded("dilation", dilation, dims)
        if padding == "valid":
            settings = (stride, (0,), dilation, False, (0,), groups)
            return convolution(input, weight, bias, *settings)
        input, padding = same_padding(input, weight, stride, dilation)
    stride, padding = expanded("stride", stride, dims), expanded("padding", padding, dims)
    dilation = expanded("dilation", dilation, dims)
    return convolution(input, weight, bias, stride, padding, dilation, False, (0,) * dims, groups)


def convolve_transposed(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Any:
    """A transposed convolution of a batch of real images, of any number of dimensions."""
    dims = weight._array.ndim - 2
    return convolution(
        input,
        weight,
        bias,
        expanded("stride", stride, dims),
        expanded("padding", padding, dims),
        expanded("dilation", dilation, dims),
        True,
        expanded("output_padding", output_padding, dims),
        groups,
    )


def check_kernel(
    count: int, rank: int, groups: int, transposed: bool, settings: Sequence[Any]
) -> None:
    """RuntimeError for a kernel of too few dimensions, or of others than settings are given for.

    count: of the dimensions of images, for each of which one number stands.
    """
    check_named(settings[1])
    if rank < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if transposed:
        stride, padding, output_padding, _, dilation = settings
    else:
        (stride, padding, dilation, _), output_padding = settings, 0
    if padding == "same":
        return
    if padding == "valid":
        padding = (0,)
    for name, value in (
        ("stride", stride),
        ("padding", padding),
        ("dilation", dilation),
        ("output_padding", output_padding),
    ):
        expanded(name, (value,) * count if type(value) is int else value, rank - 2)


def check_named(padding: Any) -> None:
    """RuntimeError for a padding of an unknown name."""
    if isinstance(padding, str) and padding not in ("same", "valid"):
        raise RuntimeError(f"Invalid padding string: '{padding}'")


def check_same_rank(input: Any, weight: Any) -> None:
    """RuntimeError for a kernel of another rank than the images, where the padding is 'same'."""
    shape, sizes = input._array.shape, weight._array.shape
    if len(shape) != len(sizes):
        raise RuntimeError(
            f"Expected {len(sizes)}-dimensional input for {len(sizes)}-dimensional weight"
            f"{list(sizes)}, but got {len(shape)}-dimensional input of size {list(shape)} instead"
        )


def check_broadcast(dims: int, **settings: Any) -> None:
    """RuntimeError for a setting of another number of dimensions, where the padding is 'same'."""
    for name, value in settings.items():
        if type(value) is not int and len(value) not in (1, dims):
            raise RuntimeError(f"{name} cannot broadcast to {dims} dimensions")


def of_images(name: str, convolve: Any, input: Any, weight: Any, bias: Any, *settings: Any) -> Any:
    """`convolve` of a batch or one image, of real or complex numbers.

    RuntimeError if the rank of `input` is not that of the images of `name`, such as 'conv2d'.
    """
    count = int(name[-2])
    input, was_batched = batched(name, input, count)
    groups = settings[3]  # of either convolution
    of_two_parts = input._array.dtype.kind == "c"
    if of_two_parts:
        check_complex(input.dtype, weight.dtype, None if bias is None else bias.dtype)
    if weight._array.ndim != count + 2 or groups <= 0:
        check_kernel(count, weight._array.ndim, groups, convolve is convolve_transposed, settings)
    if of_two_parts:
        out = of_complex(lambda x, w, b: convolve(x, w, b, *settings), input, weight, bias)
    else:
        out = convolve(input, weight, bias, *settings)
    return out if was_batched else OPS.squeeze_dim(out, 0)


def _declare(count: int) -> None:
    """conv1d and conv_transpose1d, or those of two or three dimensions."""
    name, transposed_name = f"conv{count}d", f"conv_transpose{count}d"

    def conv(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        if bias is not None and bias.dtype is not input.dtype and not isinstance(padding, str):
            raise RuntimeError(  # ATen's overload with the name of a padding does not ask
                f"Input type ({input.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be "
                "the same"
            )
        settings = (stride, padding, dilation, groups)
        return of_images(name, convolve, input, weight, bias, *settings)

    def conv_transpose(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        settings = (stride, padding, output_padding, groups, dilation)
        return of_images(transposed_name, convolve_transposed, input, weight, bias, *settings)

    image = ("L", "H, W", "D, H, W")[count - 1]
    conv.__doc__ = f"""The cross-correlation of images with a kernel.

    Args:
        input: (N, C, {image}) or (C, {image}).
        weight: (O, C / groups, *kernel).
        bias: (O,) or None.
        stride: the step of the kernel, one number, or one for each dimension.
        padding: zeros on each side, likewise; or 'valid' for none, or 'same' for as many as keep
            the size, with a stride of 1.
        dilation: the step from one element of the kernel to the next, likewise.
        groups: of channels, each of which has outputs of its own; a divisor of C and O.

    Returns:
        (N, O, *image) or (O, *image), of the dtype of `input`.

    Raises:
        RuntimeError: for shapes that do not go together, a kernel that is larger than the padded
            image, different dtypes, a stride that is not positive, and another word for padding.

    As torch.nn.functional.{name} (ATen/native/Convolution.cpp).
    """
    conv_transpose.__doc__ = f"""The transpose of {name}.

    Args:
        input: (N, C, {image}) or (C, {image}).
        weight: (C, O / groups, *kernel).
        bias: (O,) or None.
        stride: the step of the kernel over the result, one number, or one for each dimension.
        padding: what is cut off on each side of the result, likewise.
        output_padding: added to one side of the result, less than `stride` or `dilation`.
        groups: of channels, each of which has outputs of its own; a divisor of C and O.
        dilation: the step from one element of the kernel to the next, likewise.

    Returns:
        (N, O, *image) or (O, *image), of the dtype of `input`.

    Raises:
        RuntimeError: for shapes that do not go together, different dtypes, and an
            `output_padding` that is too large.

    As torch.nn.functional.{transposed_name} (ATen/native/Convolution.cpp).
    """
    for function, key in ((conv, name), (conv_transpose, transposed_name)):
        composite(key, on=("function",))(function)


for _count in (1, 2, 3):
    _declare(_count)
