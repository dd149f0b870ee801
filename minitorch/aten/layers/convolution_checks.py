"""Refusals of convolutions, in the words of the kernel of ATen's that would have run."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from minitorch.aten.processor import ONEDNN_DTYPES
from minitorch.core.arrays import blas
from minitorch.core.arrays.windows import transposed_size, window_count
from minitorch.core.declare.out import check_castable
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES, INTEGRAL, LONG
from minitorch.core.numbers.promotion import promote_types


def check(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> None:
    """The checks of ATen/native/Convolution.cpp (check_shape_forward) and its kernels."""
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if min(padding, default=0) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding, default=0) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride, default=1) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation, default=1) < 0:
        raise RuntimeError("dilation should be greater than zero")
    sizes, shape = list(weight.shape), list(input.shape)
    if weight.ndim != input.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional "
            f"weight {sizes}, but got {input.ndim}-dimensional input of size {shape} instead"
        )
    if sizes[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but "
            f"got weight of size {sizes} instead"
        )
    if sizes[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{sizes}] instead"
        )
    check_channels(shape, sizes, transposed, groups)
    out = sizes[1] * groups if transposed else sizes[0]
    if bias is not None and bias.shape != (out,):
        how = "transposed=1, " if transposed else ""
        raise RuntimeError(
            f"Given {how}weight of size {sizes}, expected bias to be 1-dimensional with {out} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )
    if 0 in dilation:
        raise dilation_error(dilation, transposed)
    geometry = (stride, dilation, transposed, output_padding, groups)
    if min(sizes[2:], default=1) <= 0:
        raise refuse_kernel(sizes, transposed, groups, uses_onednn(input, weight, *geometry))
    if transposed:
        check_kinds(input, weight, bias, *geometry)
        check_output_padding(stride, dilation, output_padding)
        if not sizes[1] and shape[0]:
            raise refuse_outputs(sizes, groups, uses_onednn(input, weight, *geometry))
        made = transposed_size(shape[2:], sizes[2:], stride, padding, dilation, output_padding)
        if min(made) < 1:
            refuse_size(input, made, uses_onednn(input, weight, *geometry))
        check_images(input)
        return
    padded = [n + 2 * p for n, p in zip(shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, sizes[2:], strict=True)]
    if any(n < k for n, k in zip(padded, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel "
            f"size: ({' x '.join(map(str, reach))}). Kernel size can't be greater than actual "
            "input size"
        )
    check_kinds(input, weight, bias, *geometry)
    check_images(input)


def check_channels(shape: list[int], sizes: list[int], transposed: bool, groups: int) -> None:
    """RuntimeError for an input whose number of channels is not that of the weight."""
    channels = sizes[0] if transposed else sizes[1] * groups
    if shape[1] != channels:
        how = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {how}, weight of size {sizes}, expected input{shape} to have {channels} "
            f"channels, but got {shape[1]} channels instead"
        )


def check_gradient(
    grad: Any,
    input: Any,
    weight: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> None:
    """RuntimeError for a gradient that has not the shape of the convolution's result."""
    sizes, shape = list(weight.shape), list(input.shape)
    check_channels(shape, sizes, transposed, groups)
    if grad.ndim != input.ndim:
        raise RuntimeError(
            "Expected input and grad_output to have the same number of dimensions, but got: "
            f"{input.ndim} and {grad.ndim}"
        )
    if shape[1] == 0:  # without channels in, there are none out
        return
    made: Iterable[int]
    if transposed:
        channels = sizes[1] * groups
        made = transposed_size(shape[2:], sizes[2:], stride, padding, dilation, output_padding)
    else:
        channels = sizes[0]
        made = map(window_count, shape[2:], sizes[2:], stride, padding, dilation)
    wanted, found = [shape[0], channels, *made], list(grad.shape)
    if wanted == found:
        return
    if uses_onednn(input, weight, stride, dilation, transposed, output_padding, groups):
        raise primitive_error(transposed)
    wanted[1], found[1] = wanted[1] // groups, found[1] // groups
    if len(found) == 3:  # a signal is an image of one line
        wanted.insert(2, 1), found.insert(2, 1)
    axis = next((i for i in range(1, len(found)) if wanted[i] != found[i]), 0)
    raise RuntimeError(
        f"Expected a tensor of dimension {len(found)} and tensor.size[{axis}] == {wanted[axis]} "
        f"but got: dimension {len(found)} and tensor.size[{axis}] = {found[axis]}"
    )


def dilation_error(dilation: Any, transposed: bool) -> RuntimeError:
    """The error for a dilation of zero; a signal is an image of one line."""
    steps = (1, *dilation) if len(dilation) == 1 else tuple(dilation)
    if not transposed:
        return RuntimeError(f"dilation should be greater than zero, but got {list(steps)}")
    names = ("depth", "height", "width")[-len(steps) :]
    parts = [f"dilation_{name}: {step}" for name, step in zip(names, steps, strict=True)]
    return RuntimeError("dilation should be greater than zero, but got " + ", ".join(parts))


def check_kinds(
    input: Any, weight: Any, bias: Any, stride: Any, dilation: Any, transposed: bool, *rest: Any
) -> None:
    """Raises the error for dtypes that do not go together, or that the kernel does not take.

    rest: what else `uses_onednn` looks at.
    """
    if weight.dtype != input.dtype or (bias is not None and bias.dtype != input.dtype):
        check_dtypes(input, weight, bias, stride, dilation, transposed, *rest)
    if input.dtype.kind in "biu":
        check_integers(input, transposed, max(weight.ndim - 2, 2), max(dilation) > 1)


def check_dtypes(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> None:
    """Raises the error for parameters that are not of the input's dtype, in its kernel's words.

    A bias of another dtype is accepted by ATen's own transposed kernels for images, which add it
    in place.
    """
    own = dtypes.of(input)
    name, other = ("weight", weight) if weight.dtype != input.dtype else ("bias", bias)
    if uses_onednn(input, weight, stride, dilation, transposed, output_padding, groups):
        raise RuntimeError(
            f"Input type ({dtypes.legacy_type(own)}) and {name} type "
            f"({dtypes.legacy_type(dtypes.of(other))}) should be the same or input should be a "
            f"MKLDNN tensor and {name} is a dense tensor"
        )
    if input.dtype.kind in "biu":
        check_integers(input, transposed, max(weight.ndim - 2, 2), max(dilation) > 1)
    if name == "bias" and not transposed:
        return  # which ATen copies into the result before it adds to it
    if name == "bias" and weight.ndim < 5:
        check_castable("", promote_types(own, dtypes.of(bias)), own)
        return
    raise RuntimeError(
        f"expected scalar type {own.scalar_name} but found {dtypes.of(other).scalar_name}"
    )


def primitive_error(transposed: bool) -> RuntimeError:
    """The error of oneDNN for shapes that do not go together."""
    return RuntimeError(
        f"could not create a primitive descriptor for the {'de' * transposed}convolution "
        "forward propagation primitive. Run workload with environment variable "
        "ONEDNN_VERBOSE=all to get additional diagnostic information."
    )


def refuse_kernel(sizes: list[int], transposed: bool, groups: int, onednn: bool) -> RuntimeError:
    """The error for a kernel without pixels."""
    if onednn:
        return primitive_error(transposed)
    if len(sizes) == 5 and transposed:
        return refuse_outputs(sizes, groups, onednn)
    positive = "kernel size should be greater than zero, but got"
    if len(sizes) == 5:
        return RuntimeError(f"{positive}: {' x '.join(map(str, sizes[2:]))} (TxHxW)")
    height, width = (1, *sizes[2:])[-2:]
    return RuntimeError(f"{positive} kernel_height: {height} kernel_width: {width}")


def refuse_outputs(sizes: list[int], groups: int, onednn: bool) -> RuntimeError:
    """The error for the kernel of a transposed convolution that has no outputs, or no pixels."""
    if onednn:
        return primitive_error(True)
    if len(sizes) == 5:
        return RuntimeError(
            "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x "
            "kernel_width) tensor expected for weight, but got: "
            f"{[sizes[0] // groups, *sizes[1:]]}"
        )
    shape = [*sizes[:2], *[1] * (4 - len(sizes)), *sizes[2:]]
    return RuntimeError(f"non-empty 2D or 4D weight tensor expected, but got: {shape}")


def check_integers(input: Any, transposed: bool, count: int, dilated: bool) -> None:
    """NotImplementedError in the words of a kernel without truths, or with int64 alone.

    count: the dimensions of the images that the kernel computes with.
    """
    kind = dtypes.of(input)
    if transposed:
        kernel = f"slow_conv_transpose{count}d_out_cpu"
    elif dilated:
        kernel = "slow_conv_dilated<>"
    else:
        kernel = "compute_columns3d" if count == 3 else "slow_conv2d_cpu"
    knows = FLOATING | HALVES | LONG if transposed or dilated else FLOATING | HALVES | INTEGRAL
    if kind not in knows:
        raise dtypes.unknown_to(kernel, kind)


def refuse_size(input: Any, made: tuple[int, ...], onednn: bool) -> None:
    """Raises the error for a transposed convolution of nothing, in its kernel's words."""
    if not onednn:  # which computes signals as images of one line
        given, found = [
            " x ".join(map(str, [1] * (2 - len(size)) + [*size]))
            for size in (input.shape[2:], made)
        ]
        raise RuntimeError(
            f"Given input size per channel: ({given}). Calculated output size per channel: "
            f"({found}). Output size is too small"
        )
    if min(made) < 0:
        raise RuntimeError("could not construct a memory descriptor using a format tag")


def check_images(input: Any) -> None:
    """RuntimeError where images have no pixels."""
    if not input.size and 0 not in input.shape[:2]:
        shape = list(input.shape)
        if len(shape) == 3:  # an image of height one
            shape.insert(2, 1)
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}"
        )


def check_output_padding(stride: Any, dilation: Any, output_padding: Any) -> None:
    if all(e < max(s, d) for e, s, d in zip(output_padding, stride, dilation, strict=True)):
        return
    # A one-dimensional convolution is one of an image of height one.
    one = len(stride) == 1
    names = ("depth", "height", "width")[3 - max(len(stride), 2) :]
    parts = [
        f"{name}_{axis}: {value}"
        for name, values, filler in (
            ("output_padding", output_padding, 0),
            ("stride", stride, 1),
            ("dilation", dilation, 1),
        )
        for axis, value in zip(names, (filler, *values) if one else values, strict=True)
    ]
    raise RuntimeError(
        "output padding must be smaller than either stride or dilation, but got " + " ".join(parts)
    )


def uses_onednn(
    input: Any,
    weight: Any,
    stride: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> bool:
    """Whether ATen takes oneDNN's kernel.

    As `use_mkldnn` of ATen/native/Convolution.cpp, which also asks for the number of threads.
    """
    if transposed and any(e >= s for e, s in zip(output_padding, stride, strict=True)):
        return False
    own = dtypes.of(input)
    if own is not dtypes.float32:
        return own in ONEDNN_DTYPES
    kernel, count = (1, *weight.shape[2:])[-2:], input.shape[0]
    pointwise = {*stride, *dilation, *kernel} == {1} and count < 16 and blas.threads() == 1
    small = groups == 1 and min(kernel) <= 3 and count == 1 and prod(input.shape[:4]) <= 20480
    return not (pointwise or small)
