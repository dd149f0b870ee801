"""A graph of ONNX while it is written: values have names, constants become initializers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy

import minitorch
from minitorch.core.tensor.tensor import Tensor


class Graph:
    """Nodes and initializers, and the name of each tensor that they stand for.

    Args:
        parameters: names of tensors that the module owns
    """

    def __init__(self, parameters: dict[str, Any]) -> None:
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}
        self.owned = {id(tensor): name for name, tensor in reversed(parameters.items())}
        self.names: dict[int, str] = {}  # by id of a tensor
        self.taken: Counter[str] = Counter()

    def free(self, name: str) -> str:
        """A name that nothing has: the second is called name_1."""
        number = self.taken[name]
        self.taken[name] += 1
        return self.free(f"{name}_{number}") if number else name

    def name(self, value: Any) -> str:
        """The name of a tensor's value; of parameters and constants, which are written now."""
        known = self.names.get(id(value))
        if known is None:
            known = self.free(self.owned.get(id(value), "constant"))
            self.names[id(value)] = known
            self._initialize(known, value.detach().cpu().resolve_conj().numpy())
        return known

    def constant(self, value: Any, dtype: Any = "int64") -> str:
        """The name of a new constant: of integers, or of another dtype of NumPy's."""
        name = self.free("value")
        self._initialize(name, numpy.asarray(value, dtype=dtype))
        return name

    def _initialize(self, name: str, array: numpy.ndarray) -> None:
        from onnx import numpy_helper  # start-up: only exports need it

        self.initializers[name] = numpy_helper.from_array(numpy.array(array, order="C"), name)

    def many(self, op: str, inputs: list[str], count: int, **attributes: Any) -> list[str]:
        """The names of the results of a new node; an input that is left out is an empty name."""
        from onnx import helper  # start-up: only exports need it

        outputs = [self.free(op.lower()) for _ in range(count)]
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return outputs

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        """The name of the one result of a new node."""
        return self.many(op, list(inputs), 1, **attributes)[0]

    def operand(self, value: Any, like: Any) -> str:
        """The name of a number or a tensor, cast to the dtype of tensor `like`."""
        if not isinstance(value, Tensor):
            return self.constant(value, numpy_dtype(like.dtype))
        return self.cast(self.name(value), value.dtype, like.dtype)

    def cast(self, name: str, before: Any, after: Any) -> str:
        """The name of a value in another dtype; the same if it has it."""
        return name if before == after else self.add("Cast", name, to=element_type(after))


def numpy_dtype(dtype: Any) -> numpy.dtype:
    """NumPy's dtype of a dtype."""
    return minitorch.empty(0, dtype=dtype).numpy().dtype


def element_type(dtype: Any) -> int:
    """ONNX's number of a dtype."""
    from onnx import helper  # start-up: only exports need it

    return helper.np_dtype_to_tensor_dtype(numpy_dtype(dtype))
