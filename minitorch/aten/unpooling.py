"""Pooling over windows at random places, and images made again of their largest pixels."""

from __future__ import annotations

from math import prod
from typing import Any

from minitorch.aten.convolution import laid_out_as
from minitorch.aten.pooling import gathered, refuse_dtype
from minitorch.core.arrays import pooling as kernels
from minitorch.core.declare.families import operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.numbers import dtype as dtypes

_AXES = ("time", "height", "width")


def check_fractional(name: str, x: Any, kernel: Any, size: Any, samples: Any, count: int) -> None:
    """The checks of ATen/native/FractionalMaxPool2d.cpp and FractionalMaxPool3d.cpp."""
    shape = list(x.shape)
    title = name + "_out" * (count == 3)
    if x.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"{title}(): Expected {count + 1}D or {count + 2}D tensor, but got: {shape}"
        )
    for dim in range(x.ndim - count - 1, x.ndim):
        if not shape[dim]:
            raise RuntimeError(
                f"{title}(): Expected input to have non-zero size for non-batch dimensions, but "
                f"got{shape} with dimension {dim} being empty."
            )
    for axis, n, k, o in zip(_AXES[-count:], shape[-count:], kernel, size, strict=True):
        if o + k - (count == 2) > n:
            raise RuntimeError(f"{title}(): pool {axis} {k} too large relative to input {axis} {n}")
    if min(size) < 0:
        made = [*shape[:-count], *size]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {made}")
    if samples.dtype != x.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    batch = shape[0] if x.ndim == count + 2 else 1
    if samples.shape[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != shape[-count - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != count:
        raise RuntimeError(
            f"Expect _random_samples.size(2) equals to {count}; got {samples.shape[2]}."
        )
    if x.dtype.kind not in "fV":
        refuse_dtype(f"{name}_out_frame", x)


def _declare_fractional(count: int) -> None:
    name, ints = f"fractional_max_pool{count}d", f"int[{count}]"
    node = f"FractionalMaxPool{count}DBackward"
    what = "Int or tuple of Ints" if count == 2 else "Int or tuple of three Ints"

    def listed(argument: str, value: Any) -> tuple[int, ...]:
        if len(value) != count:
            raise RuntimeError(f"{name}: {argument} must either be a single {what}")
        return value

    def forward(xp: Any, self: Any, kernel_size: Any, output_size: Any, random_samples: Any) -> Any:
        kernel, size = listed("kernel_size", kernel_size), listed("output_size", output_size)
        check_fractional(name, self, kernel, size, random_samples, count)
        alone = self.ndim == count + 1
        x = self[None] if alone else self
        samples = random_samples[..., ::-1] if count == 2 else random_samples
        values, indices = kernels.fractional_max_pool(xp, x, kernel, size, samples)
        if alone:
            values, indices = values.reshape(values.shape[1:]), indices.reshape(indices.shape[1:])
        return values, indices

    operator(
        f"{name}(Tensor self, {ints} kernel_size, {ints} output_size, Tensor random_samples)"
        " -> (Tensor, Tensor)",
        node=f"{node}0",
        forward=forward,
        self=lambda F, grad, self, kernel_size, output_size, result1: getattr(
            F, f"{name}_backward"
        )(grad, self, kernel_size, output_size, result1),
        result=lambda F, self_t, result1: gathered(F, self_t, result1, count),
        differentiable=(True, False),
        on=("F",),
    )
    operator(
        f"{name}_backward(Tensor grad_output, Tensor self, {ints} kernel_size,"
        f" {ints} output_size, Tensor indices) -> Tensor",
        node=f"{node}Backward0",
        forward=lambda xp, grad_output, self, indices: kernels.max_pool_backward(
            xp, grad_output, indices, self.shape[-count:]
        ),
        grad_output=lambda F, grad, indices: gathered(F, grad, indices, count),
        self=lambda F, grad, self_info: F.new_zeros(grad, self_info),
        result=LINEAR,
        on=("F",),
    )


def check_unpooling(x: Any, indices: Any, size: Any, count: int) -> None:
    """The checks of ATen/native/MaxUnpooling.cpp."""
    shape, name = list(x.shape), f"max_unpooling{count}d"
    if indices.dtype.name != "int64":
        found = f" but got: {dtypes.of(indices).scalar_name}" * (count == 2)
        raise RuntimeError(f"elements in indices should be type int64{found}")
    if count == 2 and len(size) != count:
        refuse_length("output_size, but got", len(size), count)
    if x.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"Input to {name} should be a {count + 1}d or {count + 2}d Tensor, but got a tensor "
            f"with {x.ndim} dimensions."
        )
    if count == 3 and len(size) != count:
        refuse_length("output_size, but got", len(size), count)
    if x.shape != indices.shape:
        raise RuntimeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({shape}) but got indices tensor with shape: {list(indices.shape)}"
        )
    for dim in range(1, x.ndim):
        if not shape[dim]:
            raise RuntimeError(
                f"{name}_forward_out_cpu(): Expected input to have non-zero size for non-batch "
                f"dimensions, but got {shape} with dimension {dim} being empty."
            )
    if min(size) < 0:
        raise RuntimeError(
            f"{name}(): output_size must contain non-negative spatial dimensions, but got "
            f"output_size=({', '.join(map(str, size))})"
        )
    if x.dtype.kind not in "fV":
        refuse_dtype(f"max_unpool{count}d", x)


def refuse_length(what: str, found: int, count: int) -> None:
    """Raises the error for a list that has not one number for each axis."""
    axes = "two elements (height, width)" if count == 2 else "three elements (depth, height, width)"
    raise RuntimeError(f"There should be exactly {axes} in {what} {found} elements.")


def unpooled(xp: Any, x: Any, indices: Any, size: Any) -> Any:
    """Zeros of `size` with the pixels of `x` at flat positions; the last one stays."""
    count, volume = len(size), prod(size)
    strange = indices[(indices < 0) | (indices >= volume)]
    if strange.size and volume:
        raise RuntimeError(
            f"Found an invalid max index: {int(strange[-1])} (output volumes are of size "
            f"{'x'.join(map(str, size))})"
        )
    lead = x.shape[:-count]
    out = xp.zeros((*lead, *size), x.dtype)
    if out.size and x.size:
        corners = xp.arange(prod(lead)).reshape(*lead, *[1] * count) * volume
        out.reshape(-1)[(indices + corners).reshape(-1)] = x.reshape(-1)
    return laid_out_as(xp, out, x) if count == 2 else out


operator(
    "max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor",
    node="MaxUnpool2DBackward0",
    forward=lambda xp, self, indices, output_size: (
        check_unpooling(self, indices, output_size, 2) or unpooled(xp, self, indices, output_size)
    ),
    self=lambda F, grad, indices: gathered(F, grad, indices, 2),
    result=LINEAR,
    on=("F",),
)


def max_unpool3d_forward(
    xp: Any, self: Any, indices: Any, output_size: Any, stride: Any, padding: Any
) -> Any:
    check_unpooling(self, indices, output_size, 3)
    for name, value in (("stride", stride), ("padding", padding)):
        if len(value) != 3:
            refuse_length(f"{name}, but got:", len(value), 3)
    if min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    return unpooled(xp, self, indices, output_size)


operator(
    "max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride,"
    " int[3] padding) -> Tensor",
    node="MaxUnpool3DBackward0",
    forward=max_unpool3d_forward,
    self=lambda F, grad, indices: gathered(F, grad, indices, 3),
    result=LINEAR,
    on=("F",),
)

for _count in (2, 3):
    _declare_fractional(_count)
