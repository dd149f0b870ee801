"""Functions inside torch.nn.functional and torch.nn.modules that packages call all the same."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.tensor import Tensor


def _is_integer(x: Any) -> bool:
    """Whether `x` is an int, or a Tensor of integers."""
    if isinstance(x, Tensor):
        return not (x.is_floating_point() or x.is_complex())  # type: ignore[attr-defined]
    return isinstance(x, int)


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension along which softmax works on `ndim` dimensions if none is given; warns."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def _verify_spatial_size(size: Any) -> None:
    """ValueError if an image, of which `size` is (batch, channels, ...), has but one element."""
    count = 1
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {size}"
        )


def _in_projection(
    q: Any,
    k: Any,
    v: Any,
    w_q: Any,
    w_k: Any,
    w_v: Any,
    b_q: Any = None,
    b_k: Any = None,
    b_v: Any = None,
) -> tuple[Any, Any, Any]:
    """Queries (..., E), keys (..., Ek) and values (..., Ev) of attention, each projected to E."""
    return OPS.linear(q, w_q, b_q), OPS.linear(k, w_k, b_k), OPS.linear(v, w_v, b_v)


def _no_grad_embedding_renorm_(
    weight: Any, input: Any, max_norm: float, norm_type: float
) -> tuple[Any, Any]:
    """Scales rows of an embedding that `input` names down to a norm, in place."""
    with no_grad():
        OPS.embedding_renorm_(weight, input, max_norm, norm_type)
    return weight, input


def _check_key_padding_mask(key_padding_mask: Any, src_len: int, bsz: int) -> None:
    """AssertionError unless a mask of keys has the shape (bsz, src_len)."""
    shape = key_padding_mask.shape
    if shape[0] != bsz:
        raise AssertionError(f"Expected key_padded_mask.shape[0] to be {bsz}, but got {shape[0]}")
    if shape[1] != src_len:
        raise AssertionError(
            f"Expected key_padded_mask.shape[1] to be {src_len}, but got {shape[1]}"
        )
