"""Standardised inputs in the language F, for second derivatives and tangents of normalisations."""

from __future__ import annotations

from math import prod
from typing import Any


class Standardization:
    """The standardised input, and the map that takes gradients through it, in the language F.

    x: the input.  mean, rstd: of a shape that broadcasts to x's.  dims: what they are taken over.
    """

    def __init__(self, F: Any, x: Any, mean: Any, rstd: Any, dims: list[int]) -> None:
        self.F, self.rstd, self.dims = F, rstd, dims
        self.count = max(prod([x.shape[dim] for dim in dims]), 1)
        self.normal = (x - mean) * rstd

    def total(self, x: Any) -> Any:
        return self.F.sum_dim_IntList(x, self.dims, True)

    def mean(self, x: Any) -> Any:
        return self.total(x) / self.count

    def centered(self, v: Any) -> Any:
        """`v` less its mean and its part along the standardised input."""
        return v - self.mean(v) - self.normal * self.mean(v * self.normal)

    def backward(self, v: Any) -> Any:
        """The gradient of the input from that of the standardised input; or, for the matrix is
        symmetric, the tangent of this from that."""
        return self.rstd * self.centered(v)

    def double_backward(self, v: Any, u: Any, direct: Any) -> tuple[Any, Any]:
        """The gradient by the input of <v, backward(u)> + <direct, standardised input>: two terms,
        of which the first lies in memory as the input does.
        """
        along = self.mean(v * self.normal) * u + self.mean(u * self.normal) * v
        by_normal = -self.rstd * along
        if direct is not None:
            by_normal = by_normal + direct
        scale = self.total(v * self.centered(u)) / self.count
        return self.normal * -(scale * self.rstd * self.rstd), self.backward(by_normal)


def plus(a: Any, b: Any) -> Any:
    """a + b where either may be missing."""
    return b if a is None else a if b is None else a + b


_UNDEFINED = (
    "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #1 'other'"
)


def layer_norm_double_backward(
    F: Any,
    grads: Any,
    grad_out: Any,
    input: Any,
    normalized_shape: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    grad_input_mask: Any,
) -> Any:
    by_input, by_weight, by_bias = grads
    rank = len(input.shape)
    dims = list(range(rank - len(normalized_shape), rank))
    s = Standardization(F, input, mean, rstd, dims)
    to_grad = to_input = to_weight = None
    scaled = grad_out if weight is None else grad_out * weight
    direct = None if by_weight is None else grad_out * by_weight
    if by_input is not None:
        back = s.backward(by_input)
        to_grad = back if weight is None else back * weight
        to_input = plus(*s.double_backward(by_input, scaled, direct))
        to_weight = grad_out * back
    elif direct is not None:
        to_input = s.backward(direct)
    if by_weight is not None:
        to_grad = plus(to_grad, s.normal * by_weight)
    if by_bias is not None and weight is not None:
        to_grad = plus(to_grad, F.expand(by_bias, grad_out.shape))
    elif by_bias is not None and to_grad is not None:
        # Without a weight ATen leaves the bias out, or stumbles over what it has left out.
        raise RuntimeError(_UNDEFINED)
    return to_grad, to_input, None, None, None if weight is None else to_weight, None


def batch_norm_double_backward(
    F: Any,
    grads: Any,
    grad_out: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    grad_input_mask: Any,
) -> Any:
    by_input, by_weight, by_bias = grads
    rank = len(input.shape)
    dims = [dim for dim in range(rank) if dim != 1]

    def along(x: Any) -> Any:
        """(C,) as it broadcasts to the input."""
        return F.reshape(x, (1, -1, *[1] * (rank - 2)))

    if train:
        mean, rstd = along(save_mean), along(save_invstd)
    else:
        mean, rstd = along(running_mean), F.rsqrt(along(running_var) + eps)
    s = Standardization(F, input, mean, rstd, dims)
    scale = None if weight is None else along(weight)
    to_grad = to_input = to_weight = None
    scaled = grad_out if weight is None else grad_out * scale
    direct = None if by_weight is None else grad_out * along(by_weight)
    if by_input is not None:
        back = s.backward(by_input) if train else by_input * rstd
        to_grad = back if weight is None else back * scale
        if train:
            to_input, rest = s.double_backward(by_input, scaled, direct)
            to_input += rest  # where it lies
        to_weight = F.sum_dim_IntList(grad_out * back, dims, False)
    if direct is not None and to_input is None:
        to_input = s.backward(direct) if train else direct * rstd
    if by_weight is not None:
        to_grad = plus(to_grad, s.normal * along(by_weight))
    if by_bias is not None:
        to_grad = plus(to_grad, F.expand(along(by_bias), grad_out.shape))
    return to_grad, to_input, None if weight is None else to_weight, None, None


def group_norm_tangents(
    F: Any,
    input_p: Any,
    input_t: Any,
    weight_p: Any,
    weight_t: Any,
    bias_t: Any,
    result1: Any,
    result2: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
) -> Any:
    """The tangents of the result, the means, and the inverse deviations."""
    columns = (1, -1, *[1] * (len(input_p.shape) - 2))
    x, flat = [F.reshape(each, (N, group, C // group * HxW)) for each in (input_p, input_t)]
    mean, rstd = [F.reshape(each, (N, group, 1)) for each in (result1, result2)]
    s = Standardization(F, x, mean, rstd, [2])
    tangent = F.reshape(s.backward(flat), input_p.shape)
    if weight_p is not None:
        weight_p, weight_t = F.reshape(weight_p, columns), F.reshape(weight_t, columns)
        tangent = tangent * weight_p + F.reshape(s.normal, input_p.shape) * weight_t
    tangent = plus(tangent, None if bias_t is None else F.reshape(bias_t, columns))
    by_rstd = -s.rstd * s.rstd * s.mean(s.normal * flat)
    return tangent, F.reshape(s.mean(flat), (N, group)), F.reshape(by_rstd, (N, group))
