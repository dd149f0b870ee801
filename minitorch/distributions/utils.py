"""torch.distributions.utils: parameters that broadcast, chances and odds, lazy properties.

As https://github.com/pytorch/pytorch/blob/main/torch/distributions/utils.py.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Final

import minitorch as torch
from minitorch.core.declare.protocols.torch_function import is_tensor_like
from minitorch.nn.functional import softmax

__all__ = [
    "broadcast_all",
    "logits_to_probs",
    "clamp_probs",
    "probs_to_logits",
    "lazy_property",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

Tensor = torch.Tensor
Number = int | float | bool
NUMBERS = (int, float, bool)
NO_SHAPE = torch.Size()

euler_constant: Final[float] = 0.57721566490153286060


def broadcast_all(*values: Tensor | Number) -> tuple[Tensor, ...]:
    """Tensors of one shape; a number takes dtype and device of the first tensor.

    Args:
        values: tensors, numbers, or objects with `__torch_function__`.

    Returns:
        As many tensors. All are of the default dtype where only numbers were given.

    Raises:
        ValueError: for a value of another type.
    """
    if not all(is_tensor_like(v) or isinstance(v, NUMBERS) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    first = next((v for v in values if isinstance(v, Tensor)), None)
    like: dict[str, Any] = {"dtype": torch.get_default_dtype()}
    if first is not None:
        like = {"dtype": first.dtype, "device": first.device}
    tensors = [v if is_tensor_like(v) else torch.tensor(v, **like) for v in values]
    return torch.broadcast_tensors(*tensors)


def batch_shape_of(result: Tensor, *parameters: Any) -> torch.Size:
    """The shape of `result`; that of one number where all `parameters` were numbers."""
    numbers = all(isinstance(p, NUMBERS) for p in parameters)
    return torch.Size() if numbers else result.size()


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Chances, of logarithms of odds if `is_binary`, else of unnormalized log-chances."""
    return torch.sigmoid(logits) if is_binary else softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """`probs` kept away from 0 and 1 by the dtype's `eps`."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logarithms of odds if `is_binary`, else of chances, of `probs` kept from 0 and 1."""
    clamped = clamp_probs(probs)
    if is_binary:
        return torch.log(clamped) - torch.log1p(-clamped)
    return torch.log(clamped)


class lazy_property:
    """An attribute that is computed when it is first asked for, and then kept."""

    __module__ = "torch.distributions.utils"

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """A lazy property asked for on its class: a property for tools that write documentation."""

    __module__ = "torch.distributions.utils"

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


def quantity(formula: Callable[[Any], Any]) -> property:
    """A property that is a tensor."""
    formula.__annotations__ = {"return": Tensor}
    return property(formula)


def choose_chances(self: Any, probs: Any, logits: Any) -> Any:
    """Sets `probs` or `logits`, and `_param`, which is the one of both that was given.

    Returns:
        The one that was given, as it was given.

    Raises:
        ValueError: unless just one is given.
    """
    check_one_of(probs, logits)
    name, given = ("logits", logits) if probs is None else ("probs", probs)
    (param,) = broadcast_all(given)
    setattr(self, name, param)
    self._param = param
    return given


def check_one_of(probs: Any, logits: Any) -> None:
    """ValueError unless just one of both is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


@lazy_property
def _log_odds(self: Any) -> Tensor:
    return probs_to_logits(self.probs, is_binary=True)


@lazy_property
def _chances_of_odds(self: Any) -> Tensor:
    return logits_to_probs(self.logits, is_binary=True)


_log_odds.wrapped.__name__, _chances_of_odds.wrapped.__name__ = "logits", "probs"
binary_logits, binary_probs = _log_odds, _chances_of_odds


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements on and below diagonal `diag` of square matrices, row by row.

    Raises:
        ValueError: where a matrix has no such diagonal.
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below(n, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Square matrices with the elements of `vec` on and below diagonal `diag`, zeros elsewhere.

    Raises:
        ValueError: where no square matrix has that many of them.
    """
    linear = 1 + 2 * diag
    root = (linear**2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5
    n = (root - linear) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower "
            "triangular part of a square D x D matrix."
        )
    n = round(n)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    mat[..., _below(n, diag, vec.device)] = vec
    return mat


def _below(n: int, diag: int, device: Any) -> Tensor:
    numbers = torch.arange(n, device=device)
    return numbers < numbers.view(-1, 1) + (diag + 1)


@property
def param_shape(self: Any) -> torch.Size:
    """The shape of the parameter that was given."""
    return self._param.size()


def new_like_param(self: Any, *args: Any, **kwargs: Any) -> Tensor:
    """A tensor of the dtype and device of the parameter that was given."""
    return self._param.new(*args, **kwargs)


def of_categorical(name: str) -> property:
    """A property that is that of `_categorical`."""
    return quantity(lambda self: getattr(self._categorical, name))


def new_like_categorical(self: Any, *args: Any, **kwargs: Any) -> Tensor:
    """A tensor of the dtype and device of the parameter of `_categorical`."""
    return self._categorical._new(*args, **kwargs)


def of_base(name: str) -> property:
    """A property that is that of `base_dist`."""
    return quantity(lambda self: getattr(self.base_dist, name))


def choose_with_count(self: Any, total_count: Any, probs: Any, logits: Any) -> None:
    """Sets `total_count`, one of `probs` and `logits`, and `_param`, which is the latter.

    Raises:
        ValueError: unless just one of the latter is given.
    """
    check_one_of(probs, logits)
    name, given = ("logits", logits) if probs is None else ("probs", probs)
    total_count, param = broadcast_all(total_count, given)
    self.total_count = total_count.type_as(param)
    setattr(self, name, param)
    self._param = param
