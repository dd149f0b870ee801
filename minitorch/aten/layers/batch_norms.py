"""Batch normalisation under the names of its other overloads."""

from __future__ import annotations

from typing import Any

from minitorch.aten.elementwise.special import without_derivative_of
from minitorch.aten.layers.mixed_dtypes import check_alike, check_mixed, require_floating
from minitorch.aten.layers.normalization import (
    batch_norm_backward_forward,
    batch_norm_forward,
    batch_norm_tangent,
    write_out,
)
from minitorch.aten.layers.standardization import batch_norm_double_backward
from minitorch.core.arrays import normalization as kernels
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import SCALAR, Out
from minitorch.core.declare.row import GRADIENT
from minitorch.core.declare.wording.plain_numbers import as_float
from minitorch.core.declare.wording.signatures import FITS, overloads
from minitorch.core.numbers.dispatch import FLOATING, HALVES
from minitorch.core.tensor.conversion import entry_of

_PARTS: dict[str, Any] = {"joint": ("input", "weight", "bias"), "on": ("F",)}

with_statistics = operator(
    "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean,"
    " Tensor(b!) running_var, bool training, float momentum, float eps)"
    " -> (Tensor, Tensor, Tensor)",
    node="NativeBatchNormLegitBackward0",
    forward=batch_norm_forward,
    inputs=lambda F, grad, input, weight, running_mean, running_var, result1, result2, training,
    eps, grad_input_mask: F.native_batch_norm_backward(
        grad, input, weight, running_mean, running_var, result1, result2, training, eps,
        grad_input_mask,
    ),
    result=batch_norm_tangent,
    differentiable=(True, False, False),
    **_PARTS,
)  # fmt: skip


def _by_the_batch(
    xp: Any, input: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> Any:
    if not training:
        raise RuntimeError("Expected running_mean to be defined when training=False")
    return batch_norm_forward(xp, input, weight, bias, None, None, training, momentum, eps)


without_statistics = operator(
    "_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training,"
    " float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    node="NativeBatchNormLegitBackward1",
    forward=_by_the_batch,
    inputs=lambda F, grad, input, weight, result1, result2, training, eps, grad_input_mask: (
        F.native_batch_norm_backward(
            grad, input, weight, None, None, result1, result2, training, eps, grad_input_mask
        )
    ),
    result=lambda F, input_p, input_t, weight_p, weight_t, bias_t, result1, result2, training,
    eps: batch_norm_tangent(
        F, input_p, input_t, weight_p, weight_t, bias_t, None, None, result1, result2, training,
        eps,
    ),
    differentiable=(True, False, False),
    **_PARTS,
)  # fmt: skip


@composite("_native_batch_norm_legit", on=("function",), own_out=Out(SCALAR))
@overloads(
    "Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, "
    "bool training, float momentum, float eps, *, tuple of Tensors out = None",
    "Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps, *, "
    "tuple of Tensors out = None",
)
def _native_batch_norm_legit(*args: Any, out: Any = None, **kwargs: Any) -> Any:
    """native_batch_norm, which writes the running statistics if they are given."""
    several = "running_mean" in kwargs or len(args) + len(kwargs) > 6
    row = with_statistics if several else without_statistics
    names = [each.name for each in row.row.schema.arguments]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    numbers = [given[name] for name in ("momentum", "eps") if name in given]
    if type(given.get("training", False)) is not bool or not all(map(FITS["float"], numbers)):
        raise TypeError  # worded by the signature
    given |= zip(("momentum", "eps"), map(as_float, numbers), strict=False)
    if out is None:
        return row(**given)
    # Of the overload that writes statistics, autograd knows no out= form.
    error_name = "aten::_native_batch_norm_legit" if several else ""
    values = tuple([given[name] for name in names])
    return write_out(row, values, given["training"], out, error_name)


_batch_norm_with_update = operator(
    "_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean,"
    " Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
    node="BatchNormWithUpdateBackward0",
    forward=lambda xp, input, weight, bias, running_mean, running_var, momentum, eps: (
        *batch_norm_forward(
            xp, input, weight, bias, running_mean, running_var, True, momentum, eps
        ),
        xp.empty(0, "uint8"),  # the reserve that a GPU's kernel would keep
    ),
    inputs=lambda F, grad, input, weight, running_mean, running_var, result1, result2, eps,
    grad_input_mask, result3: F.batch_norm_backward(
        grad, input, weight, running_mean, running_var, result1, result2, True, eps,
        grad_input_mask, result3,
    ),
    result=lambda F, input_p, input_t, weight_p, weight_t, bias_t, running_mean, running_var,
    result1, result2, eps: batch_norm_tangent(
        F, input_p, input_t, weight_p, weight_t, bias_t, running_mean, running_var, result1,
        result2, True, eps,
    ),
    differentiable=(True, False, False, False),
    **_PARTS,
)  # fmt: skip


def batch_norm_update_stats_forward(
    xp: Any, input: Any, running_mean: Any, running_var: Any, momentum: float
) -> Any:
    require_floating("batch_norm_update_stats_cpu", input)
    check_mixed(input, running_mean, running_var)
    entry_of(input.shape, 1)
    if not input.size:
        raise RuntimeError(
            "input tensor must have at least one element, but got input_sizes = "
            f"{list(input.shape)}"
        )
    channels = input.shape[1]
    parts = []
    for name, each in (("running_mean", running_mean), ("running_var", running_var)):
        if each is not None and each.ndim != 1:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {each.ndim}")
        if each is not None and len(each) < channels:  # torch writes behind its end
            raise RuntimeError(f"{name} should contain {channels} elements not {len(each)}")
        parts.append(None if each is None else each[:channels])
    check_alike(input, running_mean, running_var)
    return kernels.batch_statistics(xp, input, *parts, momentum)


batch_norm_update_stats = operator(
    "batch_norm_update_stats(Tensor input, Tensor? running_mean, Tensor? running_var,"
    " float momentum) -> (Tensor, Tensor)",
    node="NotImplemented",
    forward=batch_norm_update_stats_forward,
    inputs=lambda F, grad: without_derivative_of("batch_norm_update_stats"),
    joint=("input", "running_mean", "running_var"),
    on=("function",),
)

batch_norm_backward = operator(
    "batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, Tensor? running_mean,"
    " Tensor? running_var, Tensor? save_mean, Tensor? save_var, bool update, float eps,"
    " bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, Tensor)",
    node="BatchNormBackwardBackward0",
    forward=lambda xp, grad_out, input, weight, running_mean, running_var, save_mean, save_var,
    update, eps, output_mask: batch_norm_backward_forward(
        xp, grad_out, input, weight, running_mean, running_var, save_mean, save_var, update, eps,
        output_mask,
    ),
    kernel="batch_norm_backward_cpu",
    knows=FLOATING | HALVES,
    inputs=lambda F, grads, grad_out, input, weight, running_mean, running_var, save_mean, save_var,
    update, eps, grad_input_mask, reserve: (
        *batch_norm_double_backward(
            F, grads, grad_out, input, weight, running_mean, running_var, save_mean, save_var,
            update, eps, grad_input_mask,
        ),
        None,
    ),
    result=GRADIENT,
    joint=("grad_out", "input", "weight", "save_mean", "save_var", "reserve"),
    on=("F",),
    elementwise=True,
)  # fmt: skip
