"""torch.masked: reductions and normalisations of the elements where a mask is true.

What is masked out is replaced by what changes nothing under the operation, as in
torch/masked/_ops.py.
"""

from __future__ import annotations

import math
from typing import Any

import minitorch as torch

_SMALL = (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32)


def _identity(name: str, input: Any, ord: Any) -> Any:
    """What changes nothing under an operation."""
    dtype, low = input.dtype, name in ("amax", "argmax", "logaddexp", "logsumexp")
    number: Any = None
    if name in ("sum", "prod"):
        number = int(name == "prod")
    elif name == "norm":
        number = math.inf if ord == -math.inf else 0
    elif name == "median":
        number = math.nan
    elif input.is_floating_point() or (input.is_complex() and name == "logsumexp"):
        number = -math.inf if low else math.inf
    elif dtype is not torch.bool and not input.is_complex():
        limits = torch.iinfo(dtype)
        number = limits.min if low else limits.max
    if number is None:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return torch.tensor(number, dtype=dtype, device=input.device)


def _input_mask(input: Any, mask: Any) -> Any:
    """A mask as booleans of the shape of `input`."""
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of "
                "the input)"
            )
        mask = torch.broadcast_to(mask.clone(), input.shape)
    return mask.to(dtype=torch.bool)


def _filled(name: str, input: Any, mask: Any, ord: Any = 2) -> Any:
    """`input` with what changes nothing where the mask is false."""
    if mask is None:
        return input
    canonical = _input_mask(input, mask)
    return torch.where(canonical, input, _identity(name, input, ord))


def _dims(dim: Any, rank: int) -> tuple[int, ...]:
    """The dimensions, none of which may come twice, in order."""
    if dim is None or dim == ():
        return tuple(range(rank))
    rank = max(rank, 1)
    found: list[int] = []
    for each in (dim,) if isinstance(dim, int) else dim:
        if each in found:
            raise RuntimeError(f"dim={each} appears multiple times in the list of dims")
        if each >= rank or each < -rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but "
                f"got {each})"
            )
        found.append(each % rank)
    return tuple(sorted(found))


def _strided(x: Any) -> Any:
    """A tensor of the layout that all here is written for. Errors come in the order of torch's."""
    if x.layout != torch.strided:
        raise ValueError(f"masked functions expect strided tensors (got {x.layout} tensor)")
    return x


_LATE_DIMS = ("sum", "prod", "amax", "amin", "argmax", "argmin")  # are looked at after the mask


def _reduction(name: str, compute: Any, summary: str) -> Any:
    """A reduction over some dimensions, by compute(filled, dim, keepdim, dtype)."""

    def function(
        input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None
    ) -> Any:
        small = dtype is None and name in ("sum", "prod") and _strided(input).dtype in _SMALL
        kind = torch.int64 if small else dtype or input.dtype
        dims = dim if name in _LATE_DIMS else _dims(dim, input.ndim)
        filled = _strided(_filled(name, input, mask))
        if name in _LATE_DIMS and name[:3] != "arg":
            dims = _dims(dim, input.ndim)
        return compute(filled, dims, bool(keepdim), kind)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return function


def _product(filled: Any, dims: Any, keepdim: bool, dtype: Any) -> Any:
    filled = filled.to(dtype=dtype)
    for each in reversed(dims):
        filled = filled.prod(dim=each, keepdim=keepdim)
    return filled


def _cast(name: str) -> Any:
    return lambda filled, dim, keepdim, dtype: getattr(torch, name)(filled, dim, keepdim).to(dtype)


sum = _reduction(
    "sum", lambda filled, *rest: torch.sum(filled, *rest[:2], dtype=rest[2]), "The sum."
)
prod = _reduction("prod", _product, "The product.")
amax = _reduction("amax", _cast("amax"), "The largest element.")
amin = _reduction("amin", _cast("amin"), "The least element.")
argmax = _reduction("argmax", _cast("argmax"), "Where the largest element is.")
argmin = _reduction("argmin", _cast("argmin"), "Where the least element is.")
logsumexp = _reduction("logsumexp", _cast("logsumexp"), "The logarithm of a sum of exponentials.")


def cumsum(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running sums."""
    kind, axis = dtype or input.dtype, _dims(dim, input.ndim)[0]
    return torch.cumsum(_strided(_filled("sum", input, mask)), axis, dtype=kind)


def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running products."""
    kind, axis = dtype or input.dtype, _dims(dim, input.ndim)[0]
    return torch.cumprod(_strided(_filled("prod", input, mask)), axis, dtype=kind)


def _counted(input: Any, dim: Any, keepdim: Any, dtype: Any, mask: Any) -> tuple[Any, Any, Any]:
    """The number of elements that take part, their sum, and the mask as booleans."""
    if mask is None:
        ones = torch.ones(input.shape, dtype=torch.int64, device=input.device)
        count = sum(ones, dim, keepdim=keepdim)
    else:
        mask = _input_mask(input, mask)
        count = mask.sum(dim=dim, keepdim=bool(keepdim))
    return count, sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask), mask


def mean(
    input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None
) -> Any:
    """The mean."""
    kind = dtype or input.dtype
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must "
            f"be either a floating point or complex dtype. Got: {kind}"
        )
    count, total, _ = _counted(input, dim, keepdim, kind, mask)
    return total / count


def median(
    input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """The median, the lower one of two."""
    kind, axis = dtype or input.dtype, _dims(dim, input.ndim)[0]
    whole = not torch.is_floating_point(input)
    x = input.to(dtype=torch.float) if whole else input
    found = torch.nanmedian(_strided(_filled("median", x, mask)), axis, keepdim).values
    if whole and torch.isnan(found).any():
        raise ValueError(
            "masked median expects no fully masked out rows if dtype is not floating point"
        )
    return found.to(dtype=kind) if whole else found


def logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Any:
    """log(exp(input) + exp(other)), without what is masked out of either."""
    kind = dtype or input.dtype
    pairs = (_strided(input), input_mask), (_strided(other), other_mask)
    return torch.logaddexp(*[_filled("logaddexp", x, mask) for x, mask in pairs]).to(dtype=kind)


def norm(
    input: Any,
    ord: Any = 2.0,
    dim: Any = None,
    *,
    keepdim: Any = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The vector norm."""
    kind, filled = dtype or input.dtype, _strided(_filled("norm", input, mask, ord))
    dims = _dims(dim, input.ndim)
    return torch.linalg.vector_norm(filled, ord, dims, bool(keepdim), dtype=kind)


def var(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    *,
    correction: Any = None,
    keepdim: Any = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The variance."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float(unbiased is None or unbiased) if correction is None else float(correction)
    kind = dtype or input.dtype
    inexact = kind.is_floating_point or kind.is_complex
    kind = kind if inexact or dtype else torch.float32
    compute = kind if inexact else torch.float32
    count, total, mask = _counted(input, dim, True, kind, mask)
    x = torch.subtract(input, torch.divide(total, count))
    squares = sum(x * x.conj(), dim, keepdim=keepdim, dtype=compute, mask=mask)
    if not keepdim:
        count = count.reshape(squares.shape)
    if less != 0:
        count = torch.subtract(count.to(compute.to_real()), less)
        count = torch.maximum(count, count.new_zeros([]))
    return torch.divide(squares, count).to(dtype=kind)


def std(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    *,
    correction: Any = None,
    keepdim: Any = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The standard deviation."""
    fields = {"correction": correction, "keepdim": keepdim, "dtype": dtype, "mask": mask}
    return torch.sqrt(var(input, dim, unbiased, **fields))


def _normalised(function: Any, name: str, input: Any, dim: int, dtype: Any, mask: Any) -> Any:
    kind, axis = dtype or input.dtype, _dims(dim, input.ndim)[0]
    return function(_strided(_filled(name, input, mask)), axis, dtype=kind)


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The softmax."""
    return _normalised(torch.nn.functional.softmax, "amax", input, dim, dtype, mask)


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithm of the softmax."""
    return _normalised(torch.nn.functional.log_softmax, "amax", input, dim, dtype, mask)


def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The softmax of the negative."""
    return _normalised(torch.nn.functional.softmin, "amin", input, dim, dtype, mask)


def normalize(
    input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Any:
    """The elements, divided by their norm."""
    kind, filled = dtype or input.dtype, _strided(_filled("sum", input, mask))
    norms = norm(input, ord, dim, keepdim=True, dtype=kind, mask=mask)
    return torch.divide(filled, torch.maximum(norms, norms.new_full([], eps)))


__all__ = [
    *("amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp"),
    *("logsumexp", "mean", "median", "norm", "normalize", "prod", "softmax", "softmin", "std"),
    *("sum", "var"),
]


def __getattr__(name: str) -> Any:
    from minitorch.namespace import missing

    return missing("torch.masked", name)
