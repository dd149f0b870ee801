"""Clipping gradients by their norm or by value. As torch/nn/utils/clip_grad.py."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.arrays import DEVICE_ARRAYS, namespace
from minitorch.core.base.fields import tensor, version_of
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import TENSOR_FORMULAS
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.warning import deprecated

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]


def _listed(parameters: Any) -> list[Any]:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def _norm(x: Any, norm_type: float) -> Any:
    """The p-norm of all elements of `x`."""
    return OPS.linalg_vector_norm(x, norm_type)


def _norm_of_norms(tensors: list[Any], norm_type: float) -> Any:
    """The norm of all tensors, on the device of the first."""
    device = tensors[0].device
    return _norm(OPS.stack([_norm(each, norm_type).to(device) for each in tensors]), norm_type)


def _on_device(tensors: list[Any]) -> tuple[Any, list[Any]] | None:
    """The launches for many tensors at once, and the arrays of these; None without such ones."""
    if not DEVICE_ARRAYS or TENSOR_FORMULAS or not all([type(each) is Tensor for each in tensors]):
        return None
    arrays = [each._array for each in tensors]
    xp = namespace(arrays[0])
    if xp.fused is None or not xp.fused.steps.take([([x], []) for x in arrays]):
        return None
    return xp.fused.steps, arrays


def get_total_norm(
    tensors: Iterable[Any],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """The norm of all elements of all tensors: the norm of the norms of each.

    Args:
        tensors: a Tensor or an iterable of Tensors.
        norm_type: the exponent p of the norm; may be infinite.
        error_if_nonfinite: whether an infinite norm or NaN is an error.
        foreach: taken for torch's sake, and without effect: there is one way to compute it.

    Returns:
        A Tensor (); 0 without tensors.

    Raises:
        RuntimeError: for such a norm, if `error_if_nonfinite`.

    As torch.nn.utils.get_total_norm.
    """
    tensors = _listed(tensors)
    if not tensors:
        return OPS.tensor(0.0)
    norm_type = float(norm_type)
    launches = _on_device(tensors) if norm_type == 2.0 else None
    with no_grad():
        if launches is not None:
            total = tensor(launches[0].norm(launches[1]))
        else:
            total = _norm_of_norms(tensors, norm_type)
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is "
                "non-finite, so it cannot be clipped. To disable this error and scale the "
                "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
            )
    return total


def clip_grads_with_norm_(
    parameters: Any, max_norm: float, total_norm: Any, foreach: bool | None = None
) -> None:
    """Multiplies the gradients by max_norm / total_norm, if that is below 1.

    Args:
        parameters: a Tensor or an iterable of Tensors; those without a gradient are left out.
        max_norm: the norm that they may have.
        total_norm: the norm that they have, a Tensor; 1e-6 is added to it.
        foreach: taken for torch's sake, and without effect: there is one way to compute it.

    As torch.nn.utils.clip_grads_with_norm_.
    """
    grads = [each.grad for each in _listed(parameters) if each.grad is not None]
    max_norm = float(max_norm)
    if not grads:
        return
    launches = _on_device([*grads, total_norm])
    if launches is not None and total_norm.dim() == 0:
        launches[0].clip(launches[1][:-1], max_norm, launches[1][-1])
        for grad in grads:
            version_of(grad)[0] += 1
        return
    with no_grad():
        # Multiplying also by 1.0 spares a test that would wait for the device.
        factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factor.to(grad.device))


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Scales the gradients down so that their total norm is at most max_norm. Returns the norm.

    An empty generator of parameters warns.

    Args:
        parameters: a Tensor or an iterable of Tensors; those without a gradient are left out.
        max_norm: the norm that they may have.
        norm_type: the exponent p of the norm; may be infinite.
        error_if_nonfinite: whether an infinite norm or NaN is an error.
        foreach: taken for torch's sake, and without effect: there is one way to compute it.

    Returns:
        The norm before, a Tensor ().

    Raises:
        RuntimeError: for such a norm, if `error_if_nonfinite`.

    As torch.nn.utils.clip_grad_norm_.
    """
    generated = isinstance(parameters, GeneratorType)
    parameters = _listed(parameters)
    if generated and not parameters:
        import warnings

        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3
        )
    grads = [each.grad for each in parameters if each.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


@deprecated(
    "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
    "`torch.nn.utils.clip_grad_norm_`."
)
def clip_grad_norm(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Calls clip_grad_norm_, whose old name this is. Deprecated.

    Args:
        parameters: a Tensor or an iterable of Tensors; those without a gradient are left out.
        max_norm: the norm that they may have.
        norm_type: the exponent p of the norm; may be infinite.
        error_if_nonfinite: whether an infinite norm or NaN is an error.
        foreach: taken for torch's sake, and without effect: there is one way to compute it.

    Returns:
        The norm before, a Tensor ().

    Raises:
        RuntimeError: for such a norm, if `error_if_nonfinite`.

    As torch.nn.utils.clip_grad_norm.
    """
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Holds each element of the gradients between -clip_value and clip_value.

    Args:
        parameters: a Tensor or an iterable of Tensors; those without a gradient are left out.
        clip_value: the largest absolute value.
        foreach: taken for torch's sake, and without effect: there is one way to compute it.

    As torch.nn.utils.clip_grad_value_.
    """
    clip_value = float(clip_value)
    with no_grad():
        for each in _listed(parameters):
            if each.grad is not None:
                each.grad.clamp_(min=-clip_value, max=clip_value)


_no_grad = no_grad()
_get_total_norm, _clip_grads_with_norm_ = get_total_norm, clip_grads_with_norm_
