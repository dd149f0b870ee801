"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.tensor.type_names import typename


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All elements of the parameters in one vector.

    Args:
        parameters: an iterable of Tensors, one after the other.

    As torch.nn.utils.parameters_to_vector.
    """
    return OPS.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Makes consecutive parts of `vec` the data of the parameters.

    Args:
        vec: a vector with as many elements as all parameters, whose memory they share then.
        parameters: an iterable of Tensors.

    Raises:
        TypeError: if `vec` is no Tensor.

    As torch.nn.utils.vector_to_parameters.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end
