"""torch.masked: reductions and normalisations of the elements where a mask is true.

What is masked out is replaced by what changes nothing under the operation, as in
torch/masked/_ops.py.
"""

from __future__ import annotations

import math
from typing import Any

import minitorch as torch
from minitorch._public.later import names_of as _names_of
from minitorch.masked._sparse_where import _sparse_coo_where, _sparse_csr_where
from minitorch.masked.maskedtensor.core import is_masked_tensor
from minitorch.masked.maskedtensor.creation import as_masked_tensor

_SMALL = (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32)


def _reduction_identity(op_name: str, input: Any, *args: Any) -> Any:
    """The neutral element of an operation, as a tensor; None if the operation has none.

    args: the order, for norm. NotImplementedError for dtypes without a neutral element.
    """
    name, dtype, device = op_name.rpartition(".")[2], input.dtype, input.device
    low = name in ("amax", "argmax", "logaddexp", "logsumexp")
    number: Any = None
    if name in ("mean", "var", "std"):
        return None
    if name in ("sum", "prod", "cumsum", "cumprod"):
        number = int(name.endswith("prod"))
    elif name == "norm":
        number = math.inf if args and args[0] == -math.inf else 0
        if number and not input.is_floating_point():
            raise AssertionError(f"input must be floating point, got {input.dtype}")
    elif name == "median":
        number, dtype = math.nan, dtype if torch.is_floating_point(input) else torch.float
    elif torch.is_floating_point(input) or (input.is_complex() and name == "logsumexp"):
        number = -math.inf if low else math.inf
    elif dtype is torch.uint8 or (dtype is not torch.bool and dtype.is_signed):
        limits = torch.iinfo(dtype)
        number = limits.min if low else limits.max
    if number is None:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return torch.tensor(number, dtype=dtype, device=device)


def _input_mask(input: Any, *args: Any, **kwargs: Any) -> Any:
    """The mask, given by name, as booleans of the shape and layout of `input`.

    ValueError without one; IndexError if it has more dimensions than `input`.
    """
    layout = input.layout  # of a traced tensor it is none of these, but could be any
    if not any([layout is each for each in (torch.strided, torch.sparse_coo, torch.sparse_csr)]):
        raise ValueError(
            f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {layout}"
        )
    mask = kwargs.get("mask")
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of "
                "the input)"
            )
        if mask.layout != torch.strided:
            raise NotImplementedError("torch.masked with a sparse mask that is to be broadcast")
        mask = torch.broadcast_to(mask.clone(), input.shape).to(dtype=torch.bool)
    if mask.layout != input.layout:
        if input.layout == torch.strided:
            mask = mask.to_dense()
        else:
            mask = mask.to_sparse() if input.layout == torch.sparse_coo else mask.to_sparse_csr()
    if mask.layout == torch.sparse_coo:
        mask = mask.coalesce()
    return mask.to(dtype=torch.bool)


def _output_mask(op: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
    """The mask of a masked operation's result: true where an element was left."""
    expected = "_output_mask expected masked operation (got"
    if not callable(op):
        raise ValueError(f"{expected} {type(op).__name__} object)")
    if op.__name__ in _NORMALISATIONS:
        return _input_mask(input, *args, **kwargs)
    if op.__name__ not in _REDUCTIONS:
        raise ValueError(f"{expected} callable {op.__module__}.{op.__name__})")
    args = args[1:] if op.__name__ == "norm" else args
    mask = _input_mask(input, *args, **kwargs)
    for each in reversed(_canonical_dim(args[0] if args else kwargs.get("dim"), input.ndim)):
        mask = mask.any(dim=each, keepdim=bool(kwargs.get("keepdim", False)))
    return mask


_NORMALISATIONS = frozenset("softmax log_softmax softmin normalize cumsum cumprod".split())
_REDUCTIONS = frozenset(
    "sum prod amax amin argmax argmin mean median norm var std logsumexp".split()
)


def _where(mask: Any, input: Any, fill_value: Any) -> Any:
    """`input` where the mask is true, else `fill_value`, which sparse tensors leave out."""
    if mask.layout == torch.strided:
        return torch.where(mask, input, fill_value)
    if mask.layout == torch.sparse_coo:
        return _sparse_coo_where(mask, input, fill_value)
    if mask.layout == torch.sparse_csr:
        return _sparse_csr_where(mask, input, fill_value)
    raise ValueError(
        f"_where expects strided or sparse COO or sparse CSR tensor but got {mask.layout}"
    )


class Combine(torch.autograd.Function):  # type: ignore[misc]
    """The data of a MaskedTensor with what changes nothing where it is masked out."""

    @staticmethod
    def forward(ctx: Any, input: Any, mask: Any, name: str, args: Any) -> Any:
        ctx.save_for_backward(mask)
        ctx.mark_non_differentiable(mask)
        return _filled(name, input, mask, *args)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (mask,) = ctx.saved_tensors
        data = grad_output.get_data() if is_masked_tensor(grad_output) else grad_output
        return as_masked_tensor(data, mask), None, None, None


def _combine_input_and_mask(op: Any, input: Any, mask: Any, *args: Any) -> Any:
    """`input` with what changes nothing under `op` where the mask, or its own, is false."""
    if not callable(op) and mask is not None:
        raise ValueError(
            f"_combine_input_and_mask expected masked operation (got {type(op).__name__} object)"
        )
    return _combined(op.__name__, input, mask, *args)


def _combined(name: str, input: Any, mask: Any, *args: Any) -> Any:
    if is_masked_tensor(input):
        return Combine.apply(input.get_data(), input.get_mask(), name, args)
    return _filled(name, input, mask, *args)


def _filled(name: str, input: Any, mask: Any, *args: Any) -> Any:
    if mask is None:
        return input
    canonical = _input_mask(input, mask=mask)
    return _where(canonical, input, _reduction_identity(name, input, *args))


def _strided(name: str, input: Any) -> Any:
    """`input`; ValueError if torch has no `name` of its layout, NotImplementedError if it has."""
    if input.layout == torch.strided:
        return input
    if name in _ALSO_SPARSE:
        raise NotImplementedError(f"torch.masked.{name} of a {input.layout} tensor")
    raise ValueError(f"masked {name} expects strided tensor (got {input.layout} tensor)")


_ALSO_SPARSE = frozenset(("sum", "prod", "amax", "amin", "mean"))


def _canonical_dim(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions in order; none may come twice."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    ndim = max(ndim, 1)
    found: list[int] = []
    for each in (dim,) if isinstance(dim, int) else dim:
        if each in found:
            raise RuntimeError(f"dim={each} appears multiple times in the list of dims")
        if not -ndim <= each < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but "
                f"got {each})"
            )
        found.append(each % ndim)
    return tuple(sorted(found))


def _reduction(name: str, compute: Any, summary: str) -> Any:
    """A reduction over some dimensions, by compute(filled, dim, keepdim, dtype)."""

    def function(
        input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None
    ) -> Any:
        if name in ("sum", "prod"):
            input.layout  # noqa: B018 - other things have none, as torch says first of these
        small = dtype is None and name in ("sum", "prod") and input.dtype in _SMALL
        kind = torch.int64 if small else dtype or input.dtype
        if name in ("amax", "amin"):
            filled = _combined(name, input, mask)
            dims = _canonical_dim(dim, filled.ndim)
        else:
            dims = dim if name[:3] == "arg" else _canonical_dim(dim, input.ndim)
            filled = _combined(name, input, mask)
        keepdim = keepdim if name == "logsumexp" else bool(keepdim)  # as torch asks
        return compute(_strided(name, filled), dims, keepdim, kind)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return function


def _product(filled: Any, dims: Any, keepdim: bool, dtype: Any) -> Any:
    filled = filled.to(dtype=dtype)
    for each in reversed(dims):
        filled = filled.prod(dim=each, keepdim=keepdim)
    return filled


def _cast(name: str) -> Any:
    def compute(filled: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
        if name == "logsumexp":
            return torch.logsumexp(filled, dim, keepdim=keepdim).to(dtype=dtype)
        return getattr(torch, name)(filled, dim, keepdim).to(dtype=dtype)

    return compute


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
    kind, axis = dtype or input.dtype, _canonical_dim(dim, input.ndim)[0]
    filled = _strided("cumsum", _combined("sum", input, mask))
    return torch.cumsum(filled, axis, dtype=kind).to(dtype=kind)


def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running products."""
    kind, axis = dtype or input.dtype, _canonical_dim(dim, input.ndim)[0]
    filled = _strided("cumprod", _combined("prod", input, mask))
    return torch.cumprod(filled, axis, dtype=kind).to(dtype=kind)


def _counted(input: Any, dim: Any, keepdim: Any, dtype: Any, mask: Any) -> tuple[Any, Any, Any]:
    """The number of elements that take part, their sum, and the mask as booleans."""
    input.layout  # noqa: B018 - torch looks at it
    if mask is None:
        ones = torch.ones(input.shape, dtype=torch.int64, device=input.device)
        count = sum(ones, dim, keepdim=keepdim)
    else:
        mask = _input_mask(input, mask=mask)
        count = mask.sum(dim=dim, keepdim=bool(keepdim))
    return count, _total(input, dim, keepdim, dtype, mask), mask


def _total(input: Any, dim: Any, keepdim: Any, dtype: Any, mask: Any) -> Any:
    """The sum, of a dtype that is known."""
    dims = _canonical_dim(dim, input.ndim)
    filled = _strided("sum", _combined("sum", input, mask))
    return torch.sum(filled, dims, bool(keepdim), dtype=dtype)


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
    kind, axis = dtype or input.dtype, _canonical_dim(dim, input.ndim)[0]
    whole = not torch.is_floating_point(input)
    x = input.to(dtype=torch.float) if whole else input
    filled = _strided("median", _combined("median", x, mask))
    found = torch.nanmedian(filled, axis, keepdim).values
    if whole and torch.isnan(found).any():
        raise ValueError(
            "masked median expects no fully masked out rows if dtype is not floating point"
        )
    return found.to(dtype=kind) if whole else found


def logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Any:
    """log(exp(input) + exp(other)), without the elements that are masked out of either."""
    kind = dtype or input.dtype
    _strided("logaddexp", input), _strided("logaddexp", other)
    x = _combined("logaddexp", input, input_mask)
    y = _combined("logaddexp", other, other_mask)
    return torch.logaddexp(x, y).to(dtype=kind)


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
    kind, filled = dtype or input.dtype, _combined("norm", input, mask, ord)
    filled = _strided("norm", filled)
    dims = _canonical_dim(dim, input.ndim)
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
    less = 1.0 if unbiased is None or unbiased else 0.0  # which asks a tensor once
    less = less if correction is None else float(correction)
    kind = dtype or input.dtype
    inexact = kind.is_floating_point or kind.is_complex
    kind = kind if inexact or dtype else torch.float32
    compute = kind if inexact else torch.float32
    count, total, mask = _counted(input, dim, True, kind, mask)
    x = torch.subtract(input, torch.divide(total, count))
    squares = _total(x * x.conj(), dim, keepdim, compute, mask)
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
    kind, axis = dtype or input.dtype, _canonical_dim(dim, input.ndim)[0]
    filled = _strided(function.__name__, _combined(name, input, mask))
    return function(filled, axis, dtype=kind)


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
    kind, filled = dtype or input.dtype, _combined("sum", input, mask)
    _strided("normalize", filled)
    norms = norm(input, ord, dim, keepdim=True, dtype=kind, mask=mask)
    return torch.divide(filled, torch.maximum(norms, norms.new_full([], eps)))


__all__ = (
    "amax amin argmax argmin cumprod cumsum log_softmax logsumexp mean median norm normalize prod "
    "softmax softmin std sum var"
).split()


__getattr__ = _names_of("torch.masked")
