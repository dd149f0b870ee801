"""Normalisation: batch_norm, layer_norm, group_norm, instance_norm, rms_norm."""

from __future__ import annotations

from math import prod
from typing import Any

from minitorch.aten.creation.copies import suggested_format
from minitorch.aten.in_formulas import after, is_seen, options_of
from minitorch.aten.layers.convolution import channels_last, with_channels_last
from minitorch.aten.layers.mixed_dtypes import check_alike, check_mixed, require_floating
from minitorch.aten.layers.standardization import (
    batch_norm_double_backward,
    group_norm_tangents,
    layer_norm_double_backward,
    plus,
)
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays import normalization as kernels
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import FormulaMode, GradMode, recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.writing import check_outs, deliver
from minitorch.core.declare.out import SCALAR, Out
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.row import GRADIENT, GRADIENT_OF_ELEMENTS
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.out_rules import check_out_dtype
from minitorch.core.graph.views import note_write
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES
from minitorch.core.numbers.limits import finfo
from minitorch.core.tensor.conversion import entry_of
from minitorch.core.warning import warn_once

# ---- layer_norm


def layer_norm_forward(
    xp: Any, input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> Any:
    shape = tuple(normalized_shape)
    check_mixed(input, weight, bias)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []"
        )
    for name, x in (("weight", weight), ("bias", bias)):
        if x is not None and x.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(x.shape)} and normalized_shape = {list(shape)}"
            )
    if input.shape[max(input.ndim - len(shape), 0) :] != shape:
        wanted = "".join([f", {n}" for n in shape])
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{wanted}], but got "
            f"input of size{list(input.shape)}"
        )
    check_alike(input, weight, bias)
    require_floating("LayerNormKernelImpl", input)
    return kernels.layer_norm(xp, input, shape, weight, bias, eps)


native_layer_norm = operator(
    "native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias,"
    " float eps) -> (Tensor, Tensor, Tensor)",
    node="NativeLayerNormBackward0",
    forward=layer_norm_forward,
    inputs=lambda F, grad, input, normalized_shape, result1, result2, weight, bias,
    grad_input_mask: F.native_layer_norm_backward(
        grad, input, normalized_shape, result1, result2, weight, bias, grad_input_mask
    ),
    # The second derivative is by the gradient of the result what the first is of the input.
    result=lambda F, input_p, input_t, weight_p, weight_t, bias_t, result1, result2,
    normalized_shape: plus(
        layer_norm_double_backward(
            F, (input_t, weight_t, None), input_p, input_p, normalized_shape, result1, result2,
            weight_p, None,
        )[0],
        bias_t,
    ),
    differentiable=(True, False, False), on=("function",), vmap=VMap("layer_norm"),
)  # fmt: skip


native_layer_norm_backward = operator(
    "native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape,"
    " Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask)"
    " -> (Tensor, Tensor, Tensor)",
    node="NativeLayerNormBackwardBackward0",
    forward=lambda xp, grad_out, input, normalized_shape, mean, rstd, weight, output_mask: (
        kernels.layer_norm_backward(
            xp, grad_out, input, tuple(normalized_shape), mean, rstd, weight, output_mask
        )
    ),
    kernel="LayerNormBackwardKernelImpl",
    knows=FLOATING | HALVES,
    inputs=layer_norm_double_backward,
    result=GRADIENT_OF_ELEMENTS,
    on=("F",),
)


@composite("layer_norm", on=("function",))
def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> Any:
    """The last dimensions standardised together, scaled and shifted.

    Args:
        input: (*lead, *normalized_shape), floating.
        weight, bias: of normalized_shape, or None.

    Ba et al., Layer Normalization, https://arxiv.org/abs/1607.06450.
    """
    shape = (normalized_shape,) if type(normalized_shape) is int else tuple(normalized_shape)
    return native_layer_norm(input, shape, weight, bias, eps)[0]


# ---- batch_norm


def batch_norm_forward(
    xp: Any,
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if not input.ndim:  # for whose dimensions but one torch wants room
        raise RuntimeError(
            "SmallVector unable to grow. Requested capacity (18446744073709551615) is larger than "
            "maximum value for size type (4294967295)"
        )
    if training:
        entry_of(input.shape, 1)
    require_floating("batch_norm", input)
    check_mixed(input, weight, bias, running_mean, running_var)
    entry_of(input.shape, 1)
    if training and not input.size:
        raise RuntimeError(
            "input tensor must have at least one element, but got input_sizes = "
            f"{list(input.shape)}"
        )
    if input.size:
        if not training:
            check_alike(input, weight, bias)
        for each in (running_mean, running_var):
            if each is not None and each.ndim != 1:
                raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {each.ndim}")
        check_alike(input, weight, bias, running_mean, running_var)
    out, mean, rstd = kernels.batch_norm(
        xp, input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    half = input.dtype.itemsize == 2
    if half and not (input.flags.c_contiguous or channels_last(input)):
        # Here ATen takes element by element, in its own dtype.
        out = kernels.batch_norm_of_halves(
            xp,
            input,
            weight,
            bias,
            mean if training else running_mean,
            rstd if training else kernels.inverse_deviation(xp, running_var, eps),
        )
    if channels_last(input):
        out = with_channels_last(xp, out)
    return xp.ascontiguousarray(out) if input.ndim == 3 else out, mean, rstd


def batch_norm_tangent(
    F: Any,
    input_p: Any,
    input_t: Any,
    weight_p: Any,
    weight_t: Any,
    bias_t: Any,
    running_mean: Any,
    running_var: Any,
    result1: Any,
    result2: Any,
    training: bool,
    eps: float,
) -> Any:
    tangents, statistics = (input_t, weight_t, bias_t), (running_mean, running_var)
    return batch_norm_double_backward(
        F, tangents, input_p, input_p, weight_p, *statistics, result1, result2, training, eps, None
    )[0]


native_batch_norm_row = operator(
    "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,"
    " Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    node="NativeBatchNormBackward0",
    forward=batch_norm_forward,
    inputs=lambda F, grad, input, weight, running_mean, running_var, result1, result2, training,
    eps, grad_input_mask: F.native_batch_norm_backward(
        grad,
        input,
        weight,
        running_mean,
        running_var,
        result1,
        result2,
        training,
        eps,
        grad_input_mask,
    ),
    result=batch_norm_tangent,
    joint=("input", "weight", "bias"),
    differentiable=(True, False, False),
    on=("F",),
    vmap=VMap("batch_norm"),
)  # fmt: skip


@composite("native_batch_norm", on=("function",), own_out=Out(SCALAR))
def native_batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    *,
    out: Any = None,
) -> Any:
    """batch_norm with the mean and the inverse deviation of each channel. As torch."""
    given = (input, weight, bias, running_mean, running_var, training, momentum, eps)
    if out is not None:
        check_outs("native_batch_norm(): ", out, 3)
    if out is None:
        return native_batch_norm_row(*given)
    return write_out(native_batch_norm_row, given, training, out)


def write_out(
    row: Any, given: tuple[Any, ...], training: bool, out: Any, error_name: str = ""
) -> Any:
    """The tensors of out= after a call of an operator of batch_norm wrote into them.

    error_name: the name in the error for gradients, if not that of `row`.
    """
    name = row.row.name
    if training:
        return deliver(name, row, out, (given, {}), error_name=error_name)
    deliver(name, lambda *given: row(*given)[0], out[0], (given, {}), error_name=error_name)
    for each in out[1:]:  # left as they are where the running statistics serve
        check_out_dtype(name, given[0].dtype, each.dtype)
        if each.dim() != 1:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {each.dim()}")
        note_write(each, None)
    return tuple(out)


def batch_norm_backward_forward(
    xp: Any,
    grad_out: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    output_mask: Any,
) -> Any:
    grads = kernels.batch_norm_backward(
        xp,
        grad_out,
        input,
        weight,
        running_mean,
        running_var,
        save_mean,
        save_invstd,
        train,
        eps,
        output_mask[:3],
    )
    if grads[0] is None:
        return grads
    if channels_last(input):
        return with_channels_last(xp, grads[0]), *grads[1:]
    return xp.ascontiguousarray(grads[0]), *grads[1:]


native_batch_norm_backward = operator(
    "native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight,"
    " Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd,"
    " bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    node="NativeBatchNormBackwardBackward0",
    forward=batch_norm_backward_forward,
    kernel="batch_norm_backward_cpu",
    knows=FLOATING | HALVES,
    inputs=batch_norm_double_backward,
    result=GRADIENT,
    joint=("grad_out", "input", "weight", "save_mean", "save_invstd"),
    on=("F",),
    elementwise=True,
)


@composite("batch_norm", on=("function",))
def batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """Each channel standardised over the batch, or by its running statistics.

    Args:
        input: (N, C, *image), floating.
        weight, bias: (C,) or None.
        running_mean, running_var: (C,) or None; WRITTEN in training.

    Ioffe and Szegedy, Batch Normalization, https://arxiv.org/abs/1502.03167.
    """
    shape = input._array.shape
    channels = shape[1] if len(shape) > 1 else 0
    if not input._array.size:  # before all checks, as ATen
        if STACK.get():  # modes see the buffer and the statistics, of which there are none
            for kind in (dtypes.uint8, dtypes.float64, dtypes.float64):
                OPS.empty((0,), **options_of(input, kind))
        out = OPS.clone(input)
        out = out if weight is None else out * weight.select(0, 0)
        return out if bias is None else out + bias.select(0, 0)
    for name, each in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if each is None:
            if not training and name.startswith("running"):
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif each._array.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {each._array.size}")
    if STACK.get():  # modes see the buffer that torch makes for kernels of other devices
        with FormulaMode(True):
            OPS.empty((0,), **options_of(input, dtypes.uint8))
    return native_batch_norm_row(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )[0]


# ---- group_norm


def check_groups(input: Any, weight: Any, bias: Any, C: int, group: int) -> None:
    """The checks of ATen/native/group_norm.cpp (check_group_norm_inputs)."""
    if group <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {group}")
    shape = list(input.shape)
    if C % group:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {shape} and num_groups={group}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.shape != (C,):
            # Of a bias, too, torch says the shape of the weight.
            said = [0] if weight is None else list(weight.shape)
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, "
                f"but got {name} of shape {said} and input of shape {shape}"
            )


def group_norm_forward(
    xp: Any,
    input: Any,
    weight: Any,
    bias: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> Any:
    check_groups(input, weight, bias, C, group)
    if not (
        xp.device_type == "meta"
        or input.flags.c_contiguous
        or layout.is_channels_last_contiguous(input.shape, layout.strides_of(input))
    ):
        raise RuntimeError(
            "Expected X.is_contiguous(memory_format) to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    check_mixed(input, weight, bias)
    check_alike(input, weight, bias)
    require_floating("GroupNormKernelImpl", input)
    if N < 0 or input.size != N * C * HxW:
        if N < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {N}: [{N}, {group}]"
            )
        raise RuntimeError(
            "Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    out, mean, rstd = kernels.group_norm(xp, input, weight, bias, group, eps)
    if xp.device_type == "meta":
        strides = layout.preserved_strides(input.shape, layout.strides_of(input))
        return xp.empty_strided(input.shape, strides, input.dtype), mean, rstd
    if channels_last(input):
        out = with_channels_last(xp, out)
    return xp.ascontiguousarray(out) if input.ndim == 3 else out, mean, rstd


def group_norm_gradient(
    F: Any,
    grads: Any,
    input: Any,
    weight: Any,
    result1: Any,
    result2: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
    grad_input_mask: Any,
) -> Any:
    """The fused gradient in a plain backward; differentiable steps under create_graph."""
    grad = grads[0]
    if F is RAW and grads[1] is None and grads[2] is None:
        xp = namespace(grad)
        found = kernels.group_norm_backward(
            xp, grad, input, result1, result2, weight, group, grad_input_mask
        )
        if found[0] is not None and channels_last(input):
            return with_channels_last(xp, found[0]), *found[1:]
        return found
    if is_seen(F, grad) and not recording() and grads[1] is None and grads[2] is None:
        sizes = (N, C, HxW, group, grad_input_mask)
        return F.native_group_norm_backward(grad, input, result1, result2, weight, *sizes)
    rows, alone = (N, group, C // group, HxW), (N, group, 1, 1)
    x = F.reshape(input, rows)
    mean, rstd = F.reshape(result1, alone), F.reshape(result2, alone)
    by_x = by_one = flat = to_input = to_weight = to_bias = None
    if grad is not None:
        flat = F.reshape(grad, rows)
        by_x, by_one = summed_in_place(F, flat * x, 3), summed_in_place(F, flat, 3)
    if grad_input_mask[0]:
        gamma = None if weight is None else F.reshape(weight, (1, group, C // group, 1))
        to_input = group_norm_to_input(
            F, x, mean, rstd, gamma, (flat, by_x, by_one), grads[1:], eps
        )
        to_input = F.reshape(to_input, input.shape)
    if grad_input_mask[1] and grad is not None:
        to_weight = F.sum_dim_IntList((by_x - by_one * mean) * rstd, [0])
        to_weight = F.reshape(to_weight, weight.shape)
    if grad_input_mask[2] and grad is not None:
        to_bias = F.reshape(F.sum_dim_IntList(by_one, [0]), (C,))
    return to_input, to_weight, to_bias


def summed_in_place(F: Any, x: Any, dim: int) -> Any:
    """The sum along `dim`, with the dimension put back by unsqueeze_, as torch's nodes say."""
    total = F.sum_dim_IntList(x, [dim])
    return F.unsqueeze(total, dim) if F is RAW else total.unsqueeze_(dim - 4)


def group_norm_to_input(
    F: Any, x: Any, mean: Any, rstd: Any, gamma: Any, of_result: Any, of_rest: Any, eps: float
) -> Any:
    """The gradient of (N, groups, channels, pixels), as steps that have gradients themselves.

    of_result: the gradient of the result, its sums over the pixels times `x`, and times 1.
    of_rest: the gradients of the means and the inverse deviations.
    """
    count = x.shape[2] * x.shape[3]
    flat, by_x, by_one = of_result
    by_mean, by_rstd = of_rest
    found = beside = by_variance = None
    if by_rstd is not None and is_seen(F, by_rstd):
        F.clamp_min(after(F, "reciprocal", rstd * rstd) - eps, 0)  # torch looks at the variance
    cube = rstd * rstd * rstd
    if by_rstd is not None:
        by_rstd = F.reshape(by_rstd, mean.shape)
        by_variance = cube * -0.5 * by_rstd
    if flat is not None:
        scale = rstd if gamma is None else rstd * gamma
        if gamma is not None:
            by_x = by_x * gamma
        by_x = summed_in_place(F, by_x, 2)
        if gamma is not None:
            by_one = by_one * gamma
        by_one = summed_in_place(F, by_one, 2)
        slope = (by_one * mean - by_x) * cube * (1.0 / count)
        share = by_one * rstd * (1.0 / count)
        rest = -slope * mean - share
        sloped = slope * x
        found = scale * flat + sloped + rest
    by_mean = None if by_mean is None else F.reshape(by_mean, mean.shape)
    if by_variance is not None:
        centred = x - F.mean(x, (2, 3), True)
        beside = by_variance * (2.0 / count) * centred
    if by_mean is not None:
        share = F.expand(by_mean, x.shape) / count
        beside = share if beside is None else beside + share
    if found is None or beside is None:
        return beside if found is None else found
    return after(F, "add", found, beside)


def group_norm_backward_forward(
    xp: Any, grad_out: Any, input: Any, mean: Any, rstd: Any, weight: Any, group: int, mask: Any
) -> Any:
    found = kernels.group_norm_backward(xp, grad_out, input, mean, rstd, weight, group, mask)
    return tuple(found)


operator(
    "native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd,"
    " Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask)"
    " -> (Tensor, Tensor, Tensor)",
    node=None,
    forward=lambda xp, grad_out, input, mean, rstd, weight, group, output_mask: (
        group_norm_backward_forward(xp, grad_out, input, mean, rstd, weight, group, output_mask)
    ),
    kernel="GroupNormBackwardKernelImpl",
    knows=FLOATING | HALVES,
    on=("F",),
)

native_group_norm = operator(
    "native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C,"
    " SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
    node="NativeGroupNormBackward0",
    forward=group_norm_forward,
    inputs=group_norm_gradient,
    result=group_norm_tangents,
    on=("function",),
)


@composite("group_norm", on=("function",))
def group_norm(
    input: Any,
    num_groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-05,
    cudnn_enabled: bool = True,
) -> Any:
    """Each group of channels standardised by itself, then scaled and shifted.

    Args:
        input: (N, C, *image), floating.
        weight, bias: (C,) or None.

    Wu and He, Group Normalization, https://arxiv.org/abs/1803.08494.
    """
    x = input._array
    entry_of(x.shape, 0), entry_of(x.shape, 1)
    n, channels, *image = x.shape
    if not x.flags.c_contiguous:
        input = input.contiguous(memory_format=suggested_format(x))
    weight, bias = [None if p is None else p.contiguous() for p in (weight, bias)]
    return native_group_norm(input, weight, bias, n, channels, prod(image), num_groups, eps)[0]


# ---- by way of the others


@composite("instance_norm", on=("function",))
def instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """Each channel of each image standardised by itself.

    A batch norm of one image with N * C channels, as in ATen/native/Normalization.cpp.
    Ulyanov et al., https://arxiv.org/abs/1607.08022.
    """
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    shape = input._array.shape
    entry_of(shape, 0), entry_of(shape, 1)
    n, channels, *image = shape
    dtype = input.dtype if weight is None else weight.dtype
    repeated = [None if each is None else each.repeat(n) for each in (weight, bias)]
    cast = running_mean is not None and running_mean.dtype is not dtype  # torch asks it alone
    repeated += [
        None if each is None else (each.to(dtype) if cast else each).repeat(n)
        for each in (running_mean, running_var)
    ]
    flat = input.contiguous().view(1, n * channels, *image)
    out = batch_norm(flat, *repeated, use_input_stats, momentum, eps, cudnn_enabled)
    for own, each in zip((running_mean, running_var), repeated[2:], strict=True):
        if own is not None and use_input_stats:
            with _no_grad():
                place = OPS.alias(own) if STACK.get() else own
                place.copy_(each.view(n, channels).mean(0, False).to(own.dtype))
    return out.view(input._array.shape)


def _no_grad() -> Any:
    return GradMode(False)


@composite("rms_norm", on=("function",))
def rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Any:
    """The last dimensions over their root mean square, scaled.

    Zhang and Sennrich, Root Mean Square Layer Normalization, https://arxiv.org/abs/1910.07467.
    """
    shape = [normalized_shape] if type(normalized_shape) is int else list(normalized_shape)
    own = list(input._array.shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []"
        )
    if weight is not None and list(weight._array.shape) != shape:
        raise RuntimeError(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight._array.shape)} and normalized_shape = {shape}"
        )
    if len(own) < len(shape):
        raise ValueError(
            f"Input tensor must have at least {len(shape)} dimensions, but got {len(own)}"
        )
    if own[len(own) - len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape "
            f"[*{', '.join(map(str, shape))}], but got input of size{own}"
        )
    dtype = input.dtype
    if weight is not None and weight.dtype is not dtype and not dtype.is_complex:
        warn_once(
            f"Mismatch dtype between input and weight: input dtype = {dtype.c_name}, weight "
            f"dtype = {weight.dtype.c_name}, Cannot dispatch to fused implementation."
        )
    if not (dtype.is_floating_point or dtype.is_complex):
        raise dtypes.unknown_to("rms_norm", dtype)
    x = input.float() if dtype.itemsize == 2 else input
    if eps is None:
        eps = dtypes_eps(x.dtype)
    dims = [len(own) - 1 - i for i in range(len(shape))]
    square = OPS.mean(OPS.pow(x, 2), dims, True)
    if STACK.get():
        with FormulaMode(True):
            raised = square.add_(eps)
    else:
        raised = OPS.add_Scalar(square, eps)
    out = x * OPS.rsqrt(raised)
    if weight is not None:
        out = out * weight
    out = out.contiguous(memory_format=suggested_format(input._array))
    return out if out.dtype is dtype else out.type_as(input)


def dtypes_eps(dtype: Any) -> float:
    """The distance from 1 to the next larger number."""
    return finfo(dtype).eps
