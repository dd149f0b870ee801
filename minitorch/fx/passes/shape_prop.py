"""torch.fx.passes.shape_prop: the tensors that a graph's nodes return, seen by running it."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from minitorch.core.numbers.device import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    memory_format,
    strided,
)
from minitorch.core.numbers.dtype import dtype
from minitorch.core.numbers.size import Size
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.interpreter import Interpreter
from minitorch.fx.node import Node, map_aggregate

__all__ = ["TensorMetadata", "ShapeProp"]


class TensorMetadata(NamedTuple):
    """The metadata of a tensor in a graph: everything but its elements."""

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """The TensorMetadata of a tensor; a sparse one has no strides.

    Args:
        result: the tensor
        include_contiguity: whether the memory format is looked for
    """
    sparse = result.layout not in (strided, jagged)
    formats = (contiguous_format, channels_last, channels_last_3d)
    asked = include_contiguity and not sparse
    fits = (each for each in formats if asked and result.is_contiguous(memory_format=each))
    return TensorMetadata(
        shape=result.shape,
        dtype=result.dtype,
        requires_grad=result.requires_grad,
        stride=() if sparse else result.stride(),
        memory_format=next(fits, None),
        is_quantized=result.is_quantized,
        qparams={},
    )


class ShapeProp(Interpreter):
    """Runs a graph and notes the result of each node: meta['tensor_meta'] and meta['type'].

    Args:
        gm: the graph's module
        fake_mode: torch's FakeTensorMode, which is not here

    Raises: NotImplementedError for a fake mode.

    Source: torch.fx.passes.shape_prop.ShapeProp.
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError(
                "torch.fx.passes.shape_prop.ShapeProp(fake_mode=...) is not implemented by "
                "minitorch"
            )
        self.fake_module = self.fake_mode = None
        self.real_module = self.module

    def run_node(self, n: Node) -> Any:
        """A node's value, noted in its `meta`. RuntimeError if the node raises."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(
                f"ShapeProp error for: node={n.format_node()} with meta={n.meta}"
            ) from error
        tensors = []

        def describe(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            tensors.append(value)
            return _extract_tensor_metadata(value)

        described = map_aggregate(result, describe)
        if tensors:
            n.meta["tensor_meta"] = described
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """The graph's result for sample inputs; its nodes know their values from then on."""
        return super().run(*args)
