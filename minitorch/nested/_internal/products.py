"""Products of NestedTensors and matrices, and linear layers."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.nested._internal.functions import called
from minitorch.nested._internal.registry import is_same_raggedness, jagged, like
from minitorch.nested._internal.shapes import from_padded_like, to_padded


def _of_nested_and_dense(self: Any, other: Any) -> Any:
    """The product with a matrix, or with one for each of the batch; None if shapes do not fit."""
    inside = self._ragged_idx < self.dim() - 1
    if self.dim() >= 3 and self.dim() == other.dim() and inside:
        return from_padded_like(torch.matmul(to_padded(self), other), self)
    if other.dim() == 2 and self.dim() > other.dim() and inside:
        return like(torch.matmul(self._values, other), self)
    return None


def _of_dense_and_nested(self: Any, other: Any) -> Any:
    if other.dim() >= 3 and other.dim() == self.dim() and other._ragged_idx >= 2:
        return from_padded_like(torch.matmul(self, to_padded(other)), other)
    if self.dim() == 2 and other.dim() > self.dim() and other._ragged_idx >= 2:
        return like(torch.matmul(self, other._values), other)
    return None


def _of_two(self: Any, other: Any) -> Any:
    if self.dim() > 3 and other.dim() > 3 and is_same_raggedness(self, other._size):
        return like(torch.matmul(self._values, other._values), self)
    if (
        self.dim() == other.dim() == 3
        and (self._ragged_idx, other._ragged_idx) == (2, 1)
        and self._size[2] == other._size[1]
    ):
        pairs = zip(self.unbind(), other.unbind())
        return torch.stack([torch.matmul(a, b) for a, b in pairs])
    return None


@jagged("matmul.default", schema="self: any, other: any")
def matmul_default(operator: Any, self: Any, other: Any) -> Any:
    if not other.is_nested:
        result = _of_nested_and_dense(self, other)
    elif not self.is_nested:
        result = _of_dense_and_nested(self, other)
    else:
        result = _of_two(self, other)
    if result is None:
        raise RuntimeError(
            f"matmul(): not supported between inputs of shapes {self._size} and {other.shape}"
        )
    return result


@jagged("bmm.default", schema="self: jt_all, mat2: any")
def bmm_default(operator: Any, self: Any, mat2: Any) -> Any:
    if self.dim() != 3:
        raise ValueError("bmm(): input must be 3D")
    if mat2.dim() != 3:
        raise ValueError("bmm(): mat2 must be 3D")
    return matmul_default(operator, self, mat2)


@jagged("matmul_backward.default", schema="grad: any, self: any, other: any, mask: any")
def matmul_backward_default(operator: Any, grad: Any, self: Any, other: Any, mask: Any) -> Any:
    if grad is None:
        return (None, None)
    return (
        torch.matmul(grad, other.transpose(-1, -2)) if mask[0] else None,
        torch.matmul(self.transpose(-1, -2), grad) if mask[1] else None,
    )


@jagged("linear.default", schema="input: jt, weight: t, bias: t?")
def linear_default(operator: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    return like(torch.nn.functional.linear(input._values, weight, bias), input)


@jagged(
    "linear_backward.default",
    schema="self: jt, grad_output: jt, weight: t, output_mask: any",
)
def linear_backward_default(
    operator: Any, self: Any, grad_output: Any, weight: Any, output_mask: Any
) -> Any:
    if self._size[self._ragged_idx] != grad_output._size[grad_output._ragged_idx]:
        raise RuntimeError(
            f"NestedTensor {operator.name}: expected self and grad_output to have the same exact "
            "offsets tensor."
        )
    grad = grad_output._values
    rows = grad.reshape(-1, weight.size(0))
    of_bias = None
    if output_mask[2]:
        leading = tuple(range(grad.ndim - 1))
        of_bias = torch.sum(grad, leading) if leading else grad.clone()
    return (
        like(torch.matmul(grad, weight), grad_output) if output_mask[0] else None,
        torch.matmul(rows.t(), self._values.reshape(-1, weight.size(1)))
        if output_mask[1]
        else None,
        of_bias,
    )


@jagged(
    "convolution.default",
    schema="input: jt, weight: t, bias: t?, stride: any, padding: any, dilation: any, "
    "transposed: any, output_padding: any, groups: any",
)
def convolution_default(operator: Any, input: Any, *args: Any) -> Any:
    return like(operator(input._values, *args), input)


def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    given = () if bias is None else (bias,)
    return called("linear.default", input, weight, *given)


def _matmul(input: Any, other: Any) -> Any:
    return called("matmul.default", input, other)


COMPOSED: dict[str, Any] = {"linear": _linear, "matmul": _matmul}
