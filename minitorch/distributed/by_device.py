"""Operations of a group that has a backend for each kind of device: "cpu:gloo,cuda:nccl"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import minitorch
from minitorch.distributed.work import Work


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, minitorch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)


def kind_of_device(*values: Any) -> str:
    """The kind of device whose backend takes tensors: "cuda" if one of them is there."""
    kinds = {each.device.type for each in _tensors(values)}
    return "cuda" if "cuda" in kinds else next(iter(kinds), "cpu")


def _routed(name: str) -> Callable[..., Work]:
    """A method that has the backend of its tensors' device do the operation."""

    def start(self: ByDevice, *args: Any, **kwargs: Any) -> Work:
        return getattr(self.of(kind_of_device(*args)), name)(*args, **kwargs)

    start.__name__, start.__qualname__ = name, f"ByDevice.{name}"
    start.__doc__ = f"Starts {name} of the backend that the tensors' device has."
    return start


class ByDevice:
    """The operations of a group, each by the backend of its tensors' device.

    Args:
        backends: from kinds of devices to operations.
    """

    def __init__(self, backends: dict[str, Any]) -> None:
        self.backends = backends
        # What torch calls the default backend: nccl, if there is one.
        self._main = backends.get("cuda") or next(iter(backends.values()))

    def of(self, kind: str) -> Any:
        """The operations for a kind of device. RuntimeError if there are none."""
        if kind not in self.backends:
            raise RuntimeError(f"No backend type associated with device type {kind}")
        return self.backends[kind]

    def rank(self) -> int:
        """The rank of this process in the group."""
        return self._main.rank()

    def size(self) -> int:
        """The number of ranks."""
        return self._main.size()

    def name(self) -> str:
        """The name of the default backend."""
        return self._main.name()

    @property
    def count(self) -> int:
        """The number of operations of the default backend."""
        return self._main.count

    def _all(self) -> list[Any]:
        return list({id(each): each for each in self.backends.values()}.values())

    def set_limit(self, timeout: Any) -> None:
        """Sets how long an operation may take."""
        for each in self._all():
            each.set_limit(timeout)

    def abort(self) -> None:
        """Ends what is on its way."""
        for each in self._all():
            each.abort()

    def shutdown(self) -> None:
        """Ends what the backends hold."""
        for each in self._all():
            each.shutdown()

    allreduce = _routed("allreduce")
    allreduce_coalesced = _routed("allreduce_coalesced")
    reduce = _routed("reduce")
    reduce_scatter = _routed("reduce_scatter")
    reduce_scatter_single = _routed("reduce_scatter_single")
    broadcast = _routed("broadcast")
    allgather = _routed("allgather")
    allgather_coalesced = _routed("allgather_coalesced")
    all_gather_single = _routed("all_gather_single")
    gather = _routed("gather")
    scatter = _routed("scatter")
    all_to_all_single = _routed("all_to_all_single")
    alltoall = _routed("alltoall")
    send = _routed("send")
    recv = _routed("recv")

    def barrier(self, device: Any = None) -> Work:
        """A work that is done as soon as all ranks have called barrier().

        Args:
            device: whose backend meets; the CPU's, if it has one, if none is given.
        """
        kind = "cpu" if device is None and "cpu" in self.backends else "cuda"
        if device is not None:
            kind = device.type
        return self.of(kind).barrier(device)

    def monitored_barrier(self, store: Any, timeout: Any, wait_all_ranks: bool) -> None:
        """Returns as soon as all ranks have called it. RuntimeError with those that have not."""
        main = self.backends.get("cpu") or self._main
        main.monitored_barrier(store, timeout, wait_all_ranks)
