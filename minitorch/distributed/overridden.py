"""The operations of a backend that is written in Python: a class that overrides ProcessGroup's."""

from __future__ import annotations

from typing import Any

import minitorch
from minitorch.distributed.options import (
    AllgatherOptions,
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
)

Tensor = Any


class Overridden:
    """The operations of a group whose class overrides the methods of ProcessGroup.

    Each makes the options that torch hands such a method, and refuses where the class has none.

    Args:
        group: of that class.
        base: ProcessGroup.
    """

    count = 0

    def __init__(self, group: Any, base: type) -> None:
        self.group, self.base = group, base

    def name(self) -> str:
        """What stands for the name of a backend that has none."""
        return "undefined"

    def set_limit(self, timeout: Any) -> None:
        """Does nothing: the group keeps its own limit."""

    def _method(self, name: str) -> Any:
        if getattr(type(self.group), name) is getattr(self.base, name):
            raise RuntimeError("No backend type associated with device type cpu")
        return getattr(self.group, name)

    @staticmethod
    def _reducing(options: Any, op: Any) -> Any:
        options.reduceOp = op
        return options

    @staticmethod
    def _rooted(options: Any, root: int) -> Any:
        options.rootRank = root
        return options

    def allreduce(self, tensors: Any, op: Any) -> Any:
        """Calls allreduce of the group."""
        return self._method("allreduce")(tensors, self._reducing(AllreduceOptions(), op))

    def allreduce_coalesced(self, tensors: Any, op: Any) -> Any:
        """Calls allreduce_coalesced of the group."""
        options = self._reducing(AllreduceCoalescedOptions(), op)
        return self._method("allreduce_coalesced")(tensors, options)

    def reduce(self, tensors: Any, root: int, op: Any, pairs: bool = False) -> Any:
        """Calls reduce of the group."""
        options = self._rooted(self._reducing(ReduceOptions(), op), root)
        return self._method("reduce")(tensors, options)

    def broadcast(self, tensors: Any, root: int) -> Any:
        """Calls broadcast of the group."""
        return self._method("broadcast")(tensors, self._rooted(BroadcastOptions(), root))

    def allgather(self, outputs: Any, source: Tensor) -> Any:
        """Calls allgather of the group."""
        return self._method("allgather")([outputs], [source], AllgatherOptions())

    def allgather_coalesced(self, outputs: Any, sources: Any) -> Any:
        """Calls allgather_coalesced of the group."""
        return self._method("allgather_coalesced")(outputs, sources, AllgatherOptions())

    def all_gather_single(self, output: Tensor, source: Tensor) -> Any:
        """Calls all_gather_single of the group."""
        return self._method("all_gather_single")(output, source, AllgatherOptions())

    def gather(self, outputs: Any, source: Tensor, root: int) -> Any:
        """Calls gather of the group."""
        lists = [] if outputs is None else [outputs]
        return self._method("gather")(lists, [source], self._rooted(GatherOptions(), root))

    def scatter(self, output: Tensor, inputs: Any, root: int) -> Any:
        """Calls scatter of the group."""
        lists = [] if inputs is None else [inputs]
        return self._method("scatter")([output], lists, self._rooted(ScatterOptions(), root))

    def reduce_scatter(self, output: Tensor, inputs: Any, op: Any, pairs: bool = False) -> Any:
        """Calls reduce_scatter of the group."""
        options = self._reducing(ReduceScatterOptions(), op)
        return self._method("reduce_scatter")([output], [inputs], options)

    def reduce_scatter_single(
        self, output: Tensor, source: Tensor, op: Any, pairs: bool = False
    ) -> Any:
        """Calls reduce_scatter_single of the group."""
        options = self._reducing(ReduceScatterOptions(), op)
        return self._method("reduce_scatter_single")(output, source, options)

    def alltoall(self, outputs: Any, inputs: Any) -> Any:
        """Calls alltoall of the group."""
        return self._method("alltoall")(outputs, inputs, AllToAllOptions())

    def all_to_all_single(
        self, output: Tensor, source: Tensor, out_sizes: Any, in_sizes: Any
    ) -> Any:
        """Calls all_to_all_single of the group."""
        method = self._method("all_to_all_single")
        return method(output, source, out_sizes, in_sizes, AllToAllOptions())

    def barrier(self) -> Any:
        """Calls barrier of the group."""
        options = BarrierOptions()
        options.device = minitorch.device("cpu")
        return self._method("barrier")(options)

    def send(self, tensors: Any, to: int, tag: int) -> Any:
        """Calls send of the group."""
        return self._method("send")(tensors, to, tag)

    def recv(self, tensors: Any, source: int | None, tag: int) -> Any:
        """Calls recv, or recv_anysource, of the group."""
        if source is None:
            return self._method("recv_anysource")(tensors, tag)
        return self._method("recv")(tensors, source, tag)
