"""Pooling over a wanted number of windows of nearly equal size: the mean and the largest pixel.

One-dimensional pooling is that of images of height one, as in torch.
"""

from __future__ import annotations

from typing import Any

from minitorch.aten.convolution import channels_last, laid_out_as
from minitorch.aten.pooling import check_rank, gathered, refuse_dtype, single
from minitorch.core.arrays import pooling as kernels
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR, linear_in_gradient
from minitorch.core.graph.formulas import OPS

# ---- the mean


def check_image(name: str, x: Any, count: int, colon: str = "") -> None:
    """RuntimeError unless `x` is an image of `count` axes, or a batch of such."""
    if x.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"{name}(): Expected {count + 1}D or {count + 2}D tensor, but got{colon} "
            f"{list(x.shape)}"
        )


def check_pixels(name: str, x: Any, first: int) -> None:
    """RuntimeError where one of the dimensions from `first` on is empty."""
    for dim in range(first, x.ndim):
        if not x.shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but "
                f"input has sizes {list(x.shape)} with dimension {dim} being empty"
            )


def with_default(output_size: Any, x: Any) -> tuple[int, ...]:
    """One size for each axis, that of the input for None. As torch.nn.modules.utils."""
    if x.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    sizes = x.shape[x.ndim - len(output_size) :]
    return tuple([n if s is None else s for s, n in zip(output_size, sizes, strict=True)])


def _declare_mean(count: int) -> Any:
    """The rows of the mean over windows and of its gradient; the function that users call."""
    name, node = f"adaptive_avg_pool{count}d", f"AdaptiveAvgPool{count}DBackward"

    def forward(xp: Any, self: Any, output_size: Any) -> Any:
        check_pixels(name, self, self.ndim - 2 if count == 2 else 1)
        if self.dtype.kind in "biuc":
            refuse_dtype(name + "_cpu" * (count == 3), self)
        out = kernels.adaptive_avg_pool(xp, self, output_size)
        return laid_out_as(xp, out, self) if count == 2 else out

    def backward(xp: Any, grad_output: Any, self: Any) -> Any:
        out = kernels.adaptive_avg_pool_backward(xp, grad_output, self.shape[-count:])
        return laid_out_as(xp, out, self) if count == 2 else out

    declared = operator(
        f"_{name}(Tensor self, SymInt[{count}] output_size) -> Tensor",
        node=f"{node}0",
        forward=forward,
        self=lambda F, grad, self: getattr(F, f"_{name}_backward")(grad, self),
        result=LINEAR,
        on=("function",),
    )
    operator(
        f"_{name}_backward(Tensor grad_output, Tensor self) -> Tensor",
        node=f"{node}Backward0",
        forward=backward,
        grad_output=lambda F, grad, grad_output_sym_sizes: getattr(F, f"_{name}")(
            grad, grad_output_sym_sizes[-count:]
        ),
        self=lambda F, grad, self_info: F.new_zeros(grad, self_info),
        result=linear_in_gradient,
        on=("F",),
    )

    def pool(input: Any, output_size: Any) -> Any:
        """Means over output_size windows of nearly equal size.

        Args:
            input: (N, C, *image) or (C, *image).
            output_size: one number, or one for each axis; None keeps an axis as it is.
        """
        x = input._array
        if isinstance(output_size, int):
            size = (output_size,) * count
        else:
            size = with_default(output_size, x)
        if len(size) != count:
            raise RuntimeError(f"{name}: output_size must be {count}")
        if count == 3:
            check_pixels(name, x, 1)
        check_image(name, x, count)
        if min(size) < 0:
            commas = ", ".join(map(str, size)) if count == 2 else f"{size[0]}, {size[1]},{size[2]}"
            raise RuntimeError(
                f"{name}: elements of output_size must be greater than or equal to 0 but "
                f"received {{{commas}}}"
            )
        if max(size) > 1 or 0 in size:
            return declared(input, size)
        out = OPS.mean(input, list(range(-1, -count - 1, -1)), True)
        if x.ndim == count + 2 and channels_last(x):
            c = x.shape[1]
            out = out.as_strided_(out.shape, (c, 1, *[c] * count))
        return out

    pool.__name__ = pool.__qualname__ = name
    return pool


adaptive_avg_pool2d, adaptive_avg_pool3d = map(_declare_mean, (2, 3))


@composite("adaptive_avg_pool1d", on=("function",))
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Means over output_size windows of (N, C, L) or (C, L)."""
    name = "adaptive_avg_pool1d"
    check_rank(name, input._array)
    size = (1, single(name, "output_size", output_size))
    out = adaptive_avg_pool2d(OPS.unsqueeze(input, -2), size)
    return OPS.squeeze_dim(out, -2)


# ---- the largest pixel


def _declare_largest(count: int) -> Any:
    """The rows of the largest pixel and of its gradient; the function with which to call them."""
    name, node = f"adaptive_max_pool{count}d", f"AdaptiveMaxPool{count}DBackward"

    def forward(xp: Any, self: Any, output_size: Any) -> Any:
        check_image(name, self, count, ":")
        check_pixels(name, self, 1)
        if len(output_size) != count:
            raise RuntimeError(f"{name}(): internal error: output_size.size() must be {count}")
        if min(output_size) < 0:
            shape = [*self.shape[:-count], *output_size]
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {min(output_size)}: {shape}"
            )
        if self.dtype.kind in "biuc":
            refuse_dtype(name + "_cpu" * (count == 3), self)
        out = kernels.adaptive_max_pool(xp, self, output_size)
        return tuple([laid_out_as(xp, each, self) for each in out]) if count == 2 else out

    def backward(xp: Any, grad_output: Any, self: Any, indices: Any) -> Any:
        out = kernels.max_pool_backward(xp, grad_output, indices, self.shape[-count:])
        return laid_out_as(xp, out, self) if count == 2 else out

    declared = operator(
        f"{name}(Tensor self, int[{count}] output_size) -> (Tensor, Tensor)",
        node=f"{node}0",
        forward=forward,
        self=lambda F, grad, self, result1: getattr(F, f"{name}_backward")(grad, self, result1),
        result=lambda F, self_t, result1: gathered(F, self_t, result1, count),
        differentiable=(True, False),
        on=("F",),
    )
    operator(
        f"{name}_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
        node=f"{node}Backward0",
        forward=backward,
        grad_output=lambda F, grad, indices: gathered(F, grad, indices, count),
        self=lambda F, grad, self_info: F.new_zeros(grad, self_info),
        result=LINEAR,
        on=("F",),
    )

    def pool(input: Any, output_size: Any) -> Any:
        if isinstance(output_size, int):
            return declared(input, (output_size,) * count)
        return declared(input, with_default(output_size, input._array))

    return pool


adaptive_max_pool2d, adaptive_max_pool3d = map(_declare_largest, (2, 3))


@composite("adaptive_max_pool1d", on=("function",))
def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """The largest pixels of output_size windows of (N, C, L) or (C, L), and where they are."""
    name = "adaptive_max_pool1d"
    check_rank(name, input._array)
    size = (1, single(name, "output_size", output_size))
    check_pixels(name, input._array, 1)
    values, indices = adaptive_max_pool2d(OPS.unsqueeze(input, -2), size)
    return OPS.squeeze_dim(values, -2), OPS.squeeze_dim(indices, -2)
