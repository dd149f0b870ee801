"""The operations of a backend that is written in Python: a class that overrides ProcessGroup's."""

from __future__ import annotations

from typing import Any

import minitorch
from minitorch.distributed import options

Tensor = Any


def _with(options: Any, **values: Any) -> Any:
    """Options with some of their attributes set."""
    for name, value in values.items():
        setattr(options, name, value)
    return options


class Overridden:
    """The operations of a group whose class overrides the methods of ProcessGroup.

    Each makes the options that torch hands such a method, and refuses where the class has none.

    Args:
        group: of that class.
        base: ProcessGroup.
    """

    count = 0
    supports_coalescing = False

    def __init__(self, group: Any, base: type) -> None:
        self.group, self.base = group, base

    def name(self) -> str:
        """The name of a backend that has none of its own."""
        return "undefined"

    def of(self, kind: str) -> Overridden:
        """The operations for tensors of a kind of device: these."""
        return self

    def abort(self) -> None:
        """Does nothing: the group ends what it has started."""

    def shutdown(self) -> None:
        """Does nothing: the group ends itself."""

    def set_limit(self, timeout: Any) -> None:
        """Does nothing: the group keeps its own limit."""

    def _method(self, name: str) -> Any:
        if getattr(type(self.group), name) is getattr(self.base, name):
            raise RuntimeError("No backend type associated with device type cpu")
        return getattr(self.group, name)

    def allreduce(self, tensors: Any, op: Any) -> Any:
        """Calls allreduce of the group."""
        return self._method("allreduce")(tensors, _with(options.AllreduceOptions(), reduceOp=op))

    def allreduce_coalesced(self, tensors: Any, op: Any) -> Any:
        """Calls allreduce_coalesced of the group."""
        given = _with(options.AllreduceCoalescedOptions(), reduceOp=op)
        return self._method("allreduce_coalesced")(tensors, given)

    def reduce(self, tensors: Any, root: int, op: Any, pairs: bool = False) -> Any:
        """Calls reduce of the group."""
        given = _with(options.ReduceOptions(), reduceOp=op, rootRank=root)
        return self._method("reduce")(tensors, given)

    def broadcast(self, tensors: Any, root: int) -> Any:
        """Calls broadcast of the group."""
        return self._method("broadcast")(tensors, _with(options.BroadcastOptions(), rootRank=root))

    def allgather(self, outputs: Any, source: Tensor) -> Any:
        """Calls allgather of the group."""
        return self._method("allgather")([outputs], [source], options.AllgatherOptions())

    def allgather_coalesced(self, outputs: Any, sources: Any) -> Any:
        """Calls allgather_coalesced of the group."""
        return self._method("allgather_coalesced")(outputs, sources, options.AllgatherOptions())

    def all_gather_single(self, output: Tensor, source: Tensor) -> Any:
        """Calls all_gather_single of the group."""
        return self._method("all_gather_single")(output, source, options.AllgatherOptions())

    def gather(self, outputs: Any, source: Tensor, root: int) -> Any:
        """Calls gather of the group."""
        lists = [] if outputs is None else [outputs]
        return self._method("gather")(
            lists, [source], _with(options.GatherOptions(), rootRank=root)
        )

    def scatter(self, output: Tensor, inputs: Any, root: int) -> Any:
        """Calls scatter of the group."""
        lists = [] if inputs is None else [inputs]
        return self._method("scatter")(
            [output], lists, _with(options.ScatterOptions(), rootRank=root)
        )

    def reduce_scatter(self, output: Tensor, inputs: Any, op: Any, pairs: bool = False) -> Any:
        """Calls reduce_scatter of the group."""
        given = _with(options.ReduceScatterOptions(), reduceOp=op)
        return self._method("reduce_scatter")([output], [inputs], given)

    def reduce_scatter_single(
        self, output: Tensor, source: Tensor, op: Any, pairs: bool = False
    ) -> Any:
        """Calls reduce_scatter_single of the group."""
        given = _with(options.ReduceScatterOptions(), reduceOp=op)
        return self._method("reduce_scatter_single")(output, source, given)

    def alltoall(self, outputs: Any, inputs: Any) -> Any:
        """Calls alltoall of the group."""
        return self._method("alltoall")(outputs, inputs, options.AllToAllOptions())

    def all_to_all_single(
        self, output: Tensor, source: Tensor, out_sizes: Any, in_sizes: Any
    ) -> Any:
        """Calls all_to_all_single of the group."""
        method = self._method("all_to_all_single")
        return method(output, source, out_sizes, in_sizes, options.AllToAllOptions())

    def barrier(self, device: Any = None) -> Any:
        """Calls barrier of the group."""
        given = _with(options.BarrierOptions(), device=device or minitorch.device("cpu"))
        return self._method("barrier")(given)

    def send(self, tensors: Any, to: int, tag: int) -> Any:
        """Calls send of the group."""
        return self._method("send")(tensors, to, tag)

    def recv(self, tensors: Any, source: int | None, tag: int) -> Any:
        """Calls recv, or recv_anysource, of the group."""
        if source is None:
            return self._method("recv_anysource")(tensors, tag)
        return self._method("recv")(tensors, source, tag)
