"""softmax and log_softmax, and softmax for attention, whose fully masked rows are zero."""

from __future__ import annotations

from typing import Any

from minitorch.aten.creation.copies import as_type
from minitorch.core.arrays import softmax as kernels
from minitorch.core.arrays.questions import some
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import EXACT, NOT_ITSELF_FIRST, Out
from minitorch.core.declare.vmap import NAMES_DIMS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import wrap_dim


def axis_of(kernel: str, x: Any, dim: int) -> int:
    """The axis that `dim` names. NotImplementedError in ATen's words for other numbers than
    floating ones."""
    axis = wrap_dim(dim, x.ndim)
    if x.dtype.kind != "f" and x.size and not dtypes.of(x).is_floating_point:
        which = "lastdim_" if axis >= x.ndim - 1 else ""
        raise dtypes.unknown_to(f"{kernel}_{which}kernel_impl", x)
    return axis


def check_kind(input: Any, dim: int, dtype: Any, out: Any) -> None:
    """Raises what is said of `dim`, and of the dtype of out=, before a kernel is looked for."""
    wrap_dim(dim, input.dim())
    if not isinstance(out, TensorBase) or out.dtype == (dtype or input.dtype):
        return
    if recording() and (input.requires_grad or out.requires_grad):
        return  # which is refused first
    if dtype is not None:
        as_type(input, dtype)  # which warns of imaginary parts
    EXACT("", dtype or input.dtype, out.dtype)


def softmax_forward(xp: Any, self: Any, dim: int) -> Any:
    if self.dtype.kind != "f" or not -self.ndim <= dim < self.ndim:
        dim = axis_of("softmax", self, dim)
    return kernels.softmax(xp, self, dim)


def log_softmax_forward(xp: Any, self: Any, dim: int) -> Any:
    if self.dtype.kind != "f" or not -self.ndim <= dim < self.ndim:
        dim = axis_of("log_softmax", self, dim)
    return kernels.log_softmax(xp, self, dim)


def sums(F: Any, x: Any, dim: int) -> Any:
    """The sum along `dim`, kept as a dimension of size 1."""
    return F.sum_dim_IntList(x, (dim,), True)


def softmax_double_backward(F: Any, grad: Any, grad_output: Any, output: Any, dim: int) -> Any:
    along_output = sums(F, output * grad_output, dim) * grad
    return grad_output * grad - along_output - grad_output * sums(F, output * grad, dim)


_softmax = operator(
    "_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    node="SoftmaxBackward0",
    forward=softmax_forward,
    self=lambda F, grad, result, dim: F._softmax_backward_data(grad, result, dim, result.dtype),
    result=lambda F, self_t, result, dim: F._softmax_backward_data(
        self_t, result, dim, result.dtype
    ),
    variants=("out",),
    on=("function",),
    real_gradients=True,
    vmap=NAMES_DIMS.but(vectors=True),
)


def _backward_forward(xp: Any, grad_output: Any, output: Any, dim: int) -> Any:
    if grad_output.shape != output.shape:
        raise RuntimeError(
            "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 "
            f"'output'; but {list(grad_output.shape)} does not equal {list(output.shape)} (while "
            "checking arguments for softmax_backward)"
        )
    axis = _checked_axis("softmax", grad_output, output, dim)
    return kernels.softmax_backward(xp, grad_output, output, axis)


def _checked_axis(name: str, grad_output: Any, output: Any, dim: int) -> int:
    """The dimension counted from the front. RuntimeError for dtypes that torch's kernel refuses."""
    axis = wrap_dim(dim, output.ndim)
    kind = dtypes.of(grad_output)
    if not kind.is_floating_point:
        last = "_lastdim" * (axis == output.ndim - 1)
        raise dtypes.unknown_to(f"{name}_backward{last}_kernel_impl", kind)
    if output.dtype != grad_output.dtype:
        raise RuntimeError(
            f"expected scalar type {kind.scalar_name} but found {dtypes.of(output).scalar_name}"
        )
    return axis


_softmax_backward_data = operator(
    "_softmax_backward_data(Tensor grad_output, Tensor output, int dim,"
    " ScalarType input_dtype) -> Tensor",
    node="SoftmaxBackwardDataBackward0",
    forward=_backward_forward,
    grad_output=lambda F, grad, output, dim, input_dtype: F._softmax_backward_data(
        grad, output, dim, input_dtype
    ),
    output=softmax_double_backward,
    result=lambda F, call, grad_output_p, grad_output_t, output_p, output_t, dim: (
        call(grad_output=grad_output_t)
        + output_t * (grad_output_p - sums(F, output_p * grad_output_p, dim))
        - output_p * sums(F, output_t * grad_output_p, dim)
    ),
    variants=("out",),
    on=("function",),
    vmap=NAMES_DIMS.but(vectors=True),
)

_log_softmax = operator(
    "_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    node="LogSoftmaxBackward0",
    forward=log_softmax_forward,
    self=lambda F, grad, result, dim: F._log_softmax_backward_data(grad, result, dim, result.dtype),
    result=lambda F, self_t, result, dim: self_t - sums(F, self_t * F.exp(result), dim),
    variants=("out",),
    on=("function",),
    real_gradients=True,
    vmap=NAMES_DIMS.but(vectors=True),
)

_log_softmax_backward_data = operator(
    "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim,"
    " ScalarType input_dtype) -> Tensor",
    node="LogSoftmaxBackwardDataBackward0",
    forward=lambda xp, grad_output, output, dim: kernels.log_softmax_backward(
        xp, grad_output, output, _checked_axis("log_softmax", grad_output, output, dim)
    ),
    grad_output=lambda F, grad, output, dim: grad - sums(F, grad * F.exp(output), dim),
    output=lambda F, grad, grad_output, output, dim: (
        -sums(F, grad_output, dim) * F.exp(output) * grad
    ),
    result=lambda F, call, grad_output_p, grad_output_t, output_p, output_t, dim: (
        call(grad_output=grad_output_t) - sums(F, grad_output_p, dim) * F.exp(output_p) * output_t
    ),
    variants=("out",),
    on=("function",),
    elementwise=True,
    vmap=NAMES_DIMS.but(vectors=True),
)


def safe_softmax_forward(xp: Any, self: Any, dim: int) -> Any:
    axis = axis_of("softmax", self, dim)
    out = kernels.softmax(xp, self, axis)
    if self.size:
        masked = xp.maximum.reduce(self, axis, keepdims=True) == -xp.inf
        if some(masked):
            out = xp.where(masked, xp.zeros((), out.dtype), out)
    return out


_safe_softmax = operator(
    "_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    node="SafeSoftmaxBackward0",
    forward=safe_softmax_forward,
    self=lambda F, grad, result, dim: F._softmax_backward_data(grad, result, dim, result.dtype),
    result=lambda F, self_t, result, dim: result * (self_t - sums(F, result * self_t, dim)),
    on=("function",),
    vmap=NAMES_DIMS.but(vectors=True),
)


@composite("softmax", own_out=Out(EXACT, overlap=NOT_ITSELF_FIRST, autograd=False))
def softmax(input: Any, dim: int, dtype: Any = None, *, out: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along `dim`.

    Args:
        input: floating, or of any dtype if `dtype` is given.
        dtype: what `input` is converted to first.
    """
    if out is not None:
        check_kind(input, dim, dtype, out)
        return deliver("softmax", softmax, out, ((input, dim, dtype), {}))
    if dtype is not None:
        input = as_type(input, dtype)
    return _softmax(input, dim, False)


@composite("log_softmax", own_out=Out(EXACT, overlap=NOT_ITSELF_FIRST, autograd=False))
def log_softmax(input: Any, dim: int, dtype: Any = None, *, out: Any = None) -> Any:
    """x - log(sum(exp(x))) along `dim`.

    Args:
        input: floating, or of any dtype if `dtype` is given.
        dtype: what `input` is converted to first.
    """
    if out is not None:
        check_kind(input, dim, dtype, out)
        return deliver("log_softmax", log_softmax, out, ((input, dim, dtype), {}))
    if dtype is not None:
        input = as_type(input, dtype)
    return _log_softmax(input, dim, False)
