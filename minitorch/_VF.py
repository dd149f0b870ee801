"""torch._VF: the functions of torch as they are in C++, where torch's own Python code calls them.

Most are those of `torch`. The others are here: torch wraps them in Python functions which take
other arguments. Each call goes through torch's parser first, as nothing small is called this way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import minitorch
from minitorch.aten.reduction.norms import norm_all_as, norm_along, norm_along_as, norm_of_all
from minitorch.aten.reduction.searching import unique_consecutive_row
from minitorch.aten.reduction.searching import unique_dim as unique_dim_row
from minitorch.core.declare.wording.signatures import complaint, refusal, signature, signatures_at


def parsed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that refuses first what torch's parser refuses."""
    name = function.__name__

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        refused = refusal(f"_VF.{name}", args, kwargs)
        if refused is not None:
            raise refused
        return function(*args, **kwargs)

    called.__module__ = "minitorch"  # as torch has all functions of C++ that are its own
    return called


def _of_list(name: str) -> Callable[..., Any]:
    """A function of one list, made of that of `torch` which takes the tensors one by one."""

    def function(tensors: Any) -> Any:
        return getattr(minitorch, name)(*tensors)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As torch.{name}, of a list of tensors."
    return parsed(function)


block_diag = _of_list("block_diag")
broadcast_tensors = _of_list("broadcast_tensors")


@parsed
def cartesian_prod(tensors: Any) -> Any:
    """As torch.cartesian_prod, of a list of tensors."""
    return minitorch.cartesian_prod(*tensors) if tensors else minitorch.meshgrid()


def _at_least(rank: int) -> Callable[..., Any]:
    """The function that views a tensor, or each of a list, with at least `rank` dimensions."""

    def function(input: Any = None, tensors: Any = None) -> Any:
        return getattr(minitorch, name)(input if tensors is None else tensors)

    name = function.__name__ = function.__qualname__ = f"atleast_{rank}d"
    function.__doc__ = f"As torch.{name}, of a tensor or of a list."
    return parsed(function)


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)

_CDIST_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


@parsed
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: int | None = None) -> Any:
    """As torch.cdist, with the number of a mode. RuntimeError for another number."""
    mode = 0 if compute_mode is None else int(compute_mode)
    if not 0 <= mode < len(_CDIST_MODES):
        raise RuntimeError(f"possible modes: 0, 1, 2, but was: {mode}")
    return minitorch.cdist(x1, x2, p, _CDIST_MODES[mode])


@parsed
def chain_matmul(matrices: Any, *, out: Any = None) -> Any:
    """As torch.chain_matmul, of a list of matrices."""
    return minitorch.chain_matmul(*matrices, out=out)


@parsed
def einsum(equation: str, tensors: Any, *, path: Any = None) -> Any:
    """As torch.einsum, of a list of operands.

    NotImplementedError for a `path`, an order other than from left to right.
    """
    if path is not None:
        raise NotImplementedError("torch._VF.einsum is not implemented with a path")
    return minitorch.einsum(equation, *tensors)


@parsed
def meshgrid(tensors: Any, *, indexing: str | None = None) -> Any:
    """As torch.meshgrid, of a list of vectors."""
    return minitorch.meshgrid(*tensors, indexing=indexing)


@parsed
def norm(
    input: Any,
    p: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The norm of all elements as one vector, or of the vectors along `dim`.

    Args:
        input: a tensor of floating-point or complex numbers.
        p: the order, a number; None is 2.
        dim, keepdim: as of torch.sum.
        dtype: what the numbers are cast to first.
    """
    p = 2.0 if p is None else p
    if out is not None:
        return minitorch.norm(input, p, dim, keepdim, dtype=dtype, out=out)
    if dim is None:
        return norm_of_all(input, p) if dtype is None else norm_all_as(input, p, dtype=dtype)
    if dtype is None:
        return norm_along(input, p, dim, keepdim)
    return norm_along_as(input, p, dim, keepdim, dtype=dtype)


@parsed
def split(input: Any, split_size: Any, dim: int = 0) -> Any:
    """As torch.split, under other names."""
    return minitorch.split(input, split_size, dim)


@parsed
def stft(*args: Any, **kwargs: Any) -> Any:
    """As torch.stft; without `center` and `pad_mode` of a signal that is padded already."""
    padding, plain = [signature(text) for text in signatures_at("_VF.stft") or ()]
    if complaint("stft", padding, args, kwargs) is None:
        given = dict(zip([each.name for each in padding.positional], args, strict=False)) | kwargs
        if given.get("center", True) and given.get("align_to_window") is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false.")
        return minitorch.stft(**given)
    given = dict(zip([each.name for each in plain.positional], args, strict=False)) | kwargs
    return minitorch.stft(**given, center=False)


@parsed
def tensordot(input: Any, other: Any, dims_self: Any, dims_other: Any, *, out: Any = None) -> Any:
    """As torch.tensordot, with a list of dimensions for each tensor."""
    dims = [[each] if isinstance(each, int) else list(each) for each in (dims_self, dims_other)]
    return minitorch.tensordot(input, other, dims, out=out)


@parsed
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """As torch.unique_consecutive, with empty tensors for results that were not asked for."""
    found = unique_consecutive_row(input, return_inverse, return_counts, dim)
    if dim is not None:
        return found
    empty = minitorch.empty(0, dtype=minitorch.int64, device=input.device)
    values, inverse, counts = found
    return values, inverse if return_inverse else empty, counts if return_counts else empty


@parsed
def unique_dim(
    input: Any,
    dim: int,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """The different slices along `dim`, which of them each slice is, and how often each occurs."""
    return unique_dim_row(input, dim, sorted, return_inverse, return_counts)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch._VF' has no attribute '{name}'")
    return getattr(minitorch, name)
