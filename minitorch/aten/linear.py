"""The affine map of a layer: input @ weight.T + bias."""

from __future__ import annotations

from math import prod
from typing import Any

from minitorch.aten.matmul import matmul, placing
from minitorch.aten.matrix import addmm
from minitorch.aten.ordering import t
from minitorch.aten.views import view
from minitorch.core.declare.families import composite
from minitorch.core.declare.signatures import described
from minitorch.core.declare.writing import deliver, resize
from minitorch.core.graph.formulas import OPS
from minitorch.core.tensor.base import TensorBase


def linear(input: Any, weight: Any, bias: Any = None, *, out: Any = None) -> Any:
    """input @ weight.T + bias.

    Args:
        input: (..., in), at least one dimension.
        weight: (out, in), or (in,) for a single output whose dimension the result lacks.
        bias: None or (out,); anything that broadcasts to the result.

    A matrix is one addmm; other shapes are seen as a matrix. RuntimeError for shapes that do not
    fit. As ATen/native/Linear.cpp.
    """
    if out is not None:
        return linear_into(out, input, weight, bias)
    try:
        rank = input._array.ndim
        if rank == 2 and bias is not None:
            return addmm(bias, input, t(weight))
        return linear_of_rank(input, weight, bias, rank)
    except AttributeError:
        check_tensors(input, weight, bias)
        raise


def linear_into(out: Any, input: Any, weight: Any, bias: Any) -> Any:
    """`linear` into `out`, which a vector of results resizes to one row and back, as in torch."""
    row = weight.dim() == 2 and input.dim() == 1 and isinstance(out, TensorBase)
    call = (OPS.unsqueeze(input, 0) if row else input, weight, bias)
    deliver("linear", linear, out, (call, {}), place=placing(call[0], t(weight)))
    if row:
        resize(out, out._array.shape[1:])
    return out


def linear_of_rank(input: Any, weight: Any, bias: Any, rank: int) -> Any:
    """`linear` for an input that is no matrix, or without bias."""
    if rank == 0 or weight.dim() == 0:
        raise RuntimeError(
            "both arguments to linear need to be at least 1D, but they are "
            f"{rank}D and {weight.dim()}D"
        )
    if bias is None:
        return matmul(input, t(weight))
    if bias.dim() == 1 and input._array.flags.c_contiguous:
        *lead, k = input._array.shape
        flat = addmm(bias, view(input, size=(prod(lead), k)), t(weight))
        return view(flat, size=(*lead, flat.size(1)))
    out = matmul(input, t(weight))
    return out.add_(bias)


def check_tensors(input: Any, weight: Any, bias: Any) -> None:
    """TypeError unless all are tensors."""
    given = (("input", input), ("weight", weight), ("bias", bias))
    for i, (name, value) in enumerate(given):
        if not isinstance(value, TensorBase) and not (name == "bias" and value is None):
            raise TypeError(
                f"linear(): argument '{name}' (position {i + 1}) must be Tensor, "
                f"not {described(value)}"
            )


composite("linear", on=())(linear)
