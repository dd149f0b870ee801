"""Pools whose windows follow from the size of the result, and what undoes pools."""

from __future__ import annotations

from math import prod
from typing import Any

from minitorch.aten.in_formulas import zeros
from minitorch.aten.layers.convolution import channels_last, laid_out_as
from minitorch.aten.layers.pooling import check_rank, gathered, refuse_dtype, single
from minitorch.core.arrays import pooling as kernels
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.expose import watchable
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR, linear_in_gradient
from minitorch.core.declare.vmap import WARNS, VMap
from minitorch.core.declare.wording.plain_numbers import as_sizes
from minitorch.core.determinism import alert
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES

# ---- the mean


def check_image(name: str, x: Any, count: int, colon: str = "") -> None:
    """RuntimeError unless `x` is an image of `count` axes, or a batch of such."""
    if x.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"{name}(): Expected {count + 1}D or {count + 2}D tensor, but got{colon} "
            f"{list(x.shape)}"
        )


def check_pixels(name: str, x: Any, first: int, word: str = "input") -> None:
    """RuntimeError where one of the dimensions from `first` on is empty."""
    for dim in range(first, x.ndim):
        if not x.shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected {word} to have non-zero size for non-batch dimensions, but "
                f"{word} has sizes {list(x.shape)} with dimension {dim} being empty"
            )


def with_default(output_size: Any, x: Any) -> tuple[int, ...]:
    """One size for each axis, that of the input for None. As torch.nn.modules.utils."""
    whole = x.size()
    if len(whole) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    sizes = whole[len(whole) - len(output_size) :]
    return tuple([n if s is None else s for s, n in zip(output_size, sizes, strict=True)])


def mean_forward(xp: Any, count: int, self: Any, output_size: Any) -> Any:
    """The means over windows of images with `count` axes."""
    name = f"adaptive_avg_pool{count}d"
    check_pixels(name, self, self.ndim - 2 if count == 2 else 1)
    if self.dtype.kind in "biuc":
        shape = (*self.shape[:-count], *output_size)
        if count == 2 and 0 in shape:  # for nothing torch asks no kernel
            return laid_out_as(xp, xp.empty(shape, self.dtype), self)
        refuse_dtype(name + "_cpu" * (count == 3), self)
    out = kernels.adaptive_avg_pool(xp, self, tuple(output_size))
    return laid_out_as(xp, out, self) if count == 2 else out


def mean_backward(xp: Any, count: int, grad_output: Any, self: Any) -> Any:
    """The gradient of the images."""
    check_pixels(f"adaptive_avg_pool{count}d_backward", grad_output, 1, "grad_output")
    out = kernels.adaptive_avg_pool_backward(xp, grad_output, self.shape[-count:])
    return laid_out_as(xp, out, self) if count == 2 else out


# The sizes of the image: in two functions, for nodes save what parameters name.
def _mean_of_2d(
    F: Any,
    grad: Any,
    grad_output_sym_argsize_minus_2: int,
    grad_output_sym_argsize_minus_1: int,
) -> Any:
    size = grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1
    return F._adaptive_avg_pool2d(grad, size)


def _mean_of_3d(
    F: Any,
    grad: Any,
    grad_output_sym_argsize_minus_3: int,
    grad_output_sym_argsize_minus_2: int,
    grad_output_sym_argsize_minus_1: int,
) -> Any:
    size = grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1
    return F._adaptive_avg_pool3d(grad, (grad_output_sym_argsize_minus_3, *size))


def _pooled(declared: Any, count: int, input: Any, output_size: Any) -> Any:
    """The result of the public function.

    declared: the function of the row."""
    name = f"adaptive_avg_pool{count}d"
    if isinstance(output_size, int):
        size = (output_size,) * count
    else:
        size = with_default(output_size, input)
    try:
        x = input._array
    except AttributeError:
        input.size()  # which torch asks for first
        raise
    if not {int}.issuperset(map(type, size)):
        refuse_handed(f"_nn.{name}", input, size)
        size = as_sizes(size)
    if len(size) != count:
        raise RuntimeError(f"{name}: output_size must be {count}")
    if min(size) < 0:
        commas = ", ".join(map(str, size)) if count == 2 else f"{size[0]}, {size[1]},{size[2]}"
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but "
            f"received {{{commas}}}"
        )
    if count == 3 and (max(size) > 1 or 0 in size):
        check_pixels(name, x, 1)
    check_image(name, x, count)
    if max(size) > 1 or 0 in size:
        try:
            return declared(input, size)
        except TypeError:
            refuse_handed(f"_nn.{name}", input, size)
            raise
    out = OPS.mean(input, list(range(-1, -count - 1, -1)), True)
    if x.ndim == count + 2 and channels_last(x):
        c = x.shape[1]
        out = out.as_strided_(out.shape, (c, 1, *[c] * count))
    return out


def _declare_mean(count: int) -> Any:
    """The rows of the mean over windows and of its gradient; the function that users call."""
    name, node = f"adaptive_avg_pool{count}d", f"AdaptiveAvgPool{count}DBackward"
    of_images = VMap("images") if count == 2 else None
    declared = operator(
        f"_{name}(Tensor self, SymInt[{count}] output_size) -> Tensor",
        node=f"{node}0",
        forward=lambda xp, self, output_size: mean_forward(xp, count, self, output_size),
        kernel=name + "_cpu" * (count == 3),
        knows=FLOATING | HALVES,
        self=lambda F, grad, self: getattr(F, f"_{name}_backward")(grad, self),
        result=LINEAR,
        on=("function",),
        vmap=of_images,
    )
    operator(
        f"_{name}_backward(Tensor grad_output, Tensor self) -> Tensor",
        node=f"{node}Backward0",
        forward=lambda xp, grad_output, self: mean_backward(xp, count, grad_output, self),
        kernel=f"{name}_backward" + "_cpu" * (count == 3),
        knows=FLOATING | HALVES,
        grad_output=_mean_of_2d if count == 2 else _mean_of_3d,
        self=lambda F, grad, self_info: zeros(F, grad, self_info),
        result=linear_in_gradient,
        on=("F",),
        vmap=of_images,
    )

    def pool(input: Any, output_size: Any) -> Any:
        """Means over output_size windows of nearly equal size.

        Args:
            input: floating, (N, C, *image) or (C, *image).
            output_size: how many windows, one number, or one for each axis; None keeps an axis as
                it is.

        Returns:
            (N, C, *output_size) or (C, *output_size), of the dtype of `input`.

        Raises:
            RuntimeError: for another number of dimensions, an empty image, and negative sizes.
            ValueError: for more sizes than `input` has.
            NotImplementedError: for integers.

        As torch.nn.functional.adaptive_avg_pool2d and 3d (ATen/native/AdaptiveAveragePooling.cpp).
        """
        return _pooled(declared, count, input, output_size)

    pool.__name__ = pool.__qualname__ = name
    return watchable(name, pool) if count == 3 else pool  # autocast lists the one of volumes


adaptive_avg_pool2d, adaptive_avg_pool3d = map(_declare_mean, (2, 3))


@composite("adaptive_avg_pool1d", on=("function",))
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Means over output_size windows of (N, C, L) or (C, L).

    Args:
        input: floating, (N, C, L) or (C, L).
        output_size: how many windows, a number or a tuple of one.

    Returns:
        (N, C, output_size) or (C, output_size), of the dtype of `input`.

    Raises:
        RuntimeError: for another number of dimensions, and a negative size.
        NotImplementedError: for integers.

    As torch.nn.functional.adaptive_avg_pool1d (ATen/native/AdaptiveAveragePooling.cpp).
    """
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
        out = kernels.adaptive_max_pool(xp, self, output_size)
        return tuple([laid_out_as(xp, each, self) for each in out]) if count == 2 else out

    def backward(xp: Any, grad_output: Any, self: Any, indices: Any) -> Any:
        check_pixels(f"{name}_backward", grad_output, 1, "grad_output")
        out = kernels.max_pool_backward(xp, grad_output, indices, self.shape[-count:])
        return laid_out_as(xp, out, self) if count == 2 else out

    declared = operator(
        f"{name}(Tensor self, int[{count}] output_size) -> (Tensor, Tensor)",
        node=f"{node}0",
        forward=forward,
        kernel=name + "_cpu" * (count == 3),
        knows=FLOATING | HALVES,
        self=lambda F, grad, self, result1: getattr(F, f"{name}_backward")(grad, self, result1),
        result=lambda F, self_t, result1: gathered(F, self_t, result1, count),
        differentiable=(True, False),
        on=("F",),
    )
    operator(
        f"{name}_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
        node=f"{node}Backward0",
        forward=backward,
        kernel=f"{name}_backward",
        knows=FLOATING | HALVES,
        grad_output=lambda F, grad, indices: gathered(F, grad, indices, count),
        self=lambda F, grad, self_info: zeros(F, grad, self_info),
        result=LINEAR,
        on=("F",),
    )

    def pool(input: Any, output_size: Any) -> Any:
        if isinstance(output_size, int):
            try:
                return declared(input, (output_size,) * count)
            except TypeError:
                input.size()  # which torch asks for first
                raise
        return declared(input, with_default(output_size, input))

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
    indices = OPS.squeeze_dim(indices, -2)
    return OPS.squeeze_dim(values, -2), indices


# ---- unpooling


_AXES = ("time", "height", "width")


def check_fractional(name: str, x: Any, kernel: Any, size: Any, samples: Any, count: int) -> None:
    """The checks of ATen/native/FractionalMaxPool2d.cpp and FractionalMaxPool3d.cpp."""
    shape = list(x.shape)
    title = name + "_out" * (count == 3)
    if x.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"{title}(): Expected {count + 1}D or {count + 2}D tensor, but got: {shape}"
        )
    for dim in range(1, x.ndim):
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
        kernel=f"{name}_out_frame",
        knows=FLOATING | HALVES,
        self=lambda F, grad, self, kernel_size, output_size, result1: getattr(
            F, f"{name}_backward"
        )(grad, self, kernel_size, output_size, result1),
        result=lambda F, self_t, result1: gathered(F, self_t, result1, count),
        differentiable=(True, False),
        on=("F",),
        vmap=WARNS,
    )
    operator(
        f"{name}_backward(Tensor grad_output, Tensor self, {ints} kernel_size,"
        f" {ints} output_size, Tensor indices) -> Tensor",
        node=f"{node}Backward0",
        forward=lambda xp, grad_output, self, indices: kernels.max_pool_backward(
            xp, grad_output, indices, self.shape[-count:]
        ),
        kernel=f"{name}_backward_out_frame",
        knows=FLOATING | HALVES,
        grad_output=lambda F, grad, indices: gathered(F, grad, indices, count),
        self=lambda F, grad, self_info: zeros(F, grad, self_info),
        result=LINEAR,
        on=("F",),
    )


def check_unpooling(x: Any, indices: Any, size: Any, count: int) -> None:
    """The checks of ATen/native/MaxUnpooling.cpp."""
    alert(f"max_unpooling{count}d_forward_out")
    shape, name = list(x.shape), f"max_unpooling{count}d"
    if indices.dtype != dtypes.int64.numpy:
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
    kernel="max_unpool2d",
    knows=FLOATING | HALVES,
    self=lambda F, grad, indices: gathered(F, grad, indices, 2),
    result=LINEAR,
    on=("F",),
    vmap=WARNS,
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
    kernel="max_unpool3d",
    knows=FLOATING | HALVES,
    self=lambda F, grad, indices: gathered(F, grad, indices, 3),
    result=LINEAR,
    on=("F",),
    vmap=WARNS,
)

for _count in (2, 3):
    _declare_fractional(_count)
