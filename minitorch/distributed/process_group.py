"""ProcessGroup: ranks that work together, with the methods that torch's bindings give it.

The operations are in operations.py; here they take what torch's overloads take: lists of tensors
and an object of options, or one tensor and plain values.
"""

from __future__ import annotations

import datetime
from typing import Any

import minitorch
from minitorch.distributed.binding import bound
from minitorch.distributed.overridden import Overridden
from minitorch.distributed.reduce_op import BackendType
from minitorch.distributed.work import Work

Tensor = Any
_TIME = "timeout: time | None = None"
_SUM = "op: ReduceOp = RedOpType.SUM"


def _optional(name: str) -> str:
    return f"opts: {name} = {name}()"


def _limit(options: Any) -> datetime.timedelta | None:
    """The time limit of options, or of a value; None if none is set."""
    value = getattr(options, "timeout", options)
    return value if isinstance(value, datetime.timedelta) and value.days >= 0 else None


def _is_sequence(value: Any) -> bool:
    return not isinstance(value, minitorch.Tensor)


def _last(works: list[Work], options: Any) -> Work:
    """The last of several handles, each with the time limit of options."""
    return [work.limited(_limit(options)) for work in works][-1]


class ProcessGroup:
    """Ranks that work together. As torch.distributed.ProcessGroup.

    A class of Python that derives from it and overrides its methods is a backend of its own: see
    Backend.register_backend.

    Args:
        rank, size: of this process in the group, and how many there are.
    """

    __module__ = "torch.distributed.distributed_c10d"
    BackendType = BackendType
    UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, CUSTOM = BackendType

    def __init__(self, *arguments: Any) -> None:
        self._rank, self._size = arguments[-2:]
        self.operations: Any = Overridden(self, ProcessGroup)
        self._group_name: str | None = None
        self.group_desc = "undefined"
        self.bound_device_id: Any = None
        self.use_pg_for_symm_mem_rendezvous = False
        self.devices = ["cuda", "cpu"]
        self.store: Any = None  # set where the group is registered

    @classmethod
    def of(cls, operations: Any, name: str, description: str, devices: list[str]) -> ProcessGroup:
        """The group of some operations.

        Args:
            operations: Operations, or others with its methods.
            name: what the ranks know the group by.
            description: what it is for.
            devices: the kinds of devices whose tensors it takes.
        """
        group = cls(operations.rank(), operations.size())
        group.operations, group._group_name, group.group_desc = operations, name, description
        group.devices = devices[::-1]  # as torch lists them
        return group

    def rank(self) -> int:
        """The rank of this process in the group."""
        return self._rank

    def size(self) -> int:
        """The number of ranks."""
        return self._size

    def name(self) -> str:
        """The name of the backend."""
        own = getattr(self, "getBackendName", None)
        return self.operations.name() if own is None else own()

    _get_backend_name = name

    @property
    def group_name(self) -> str:
        """The name by which the ranks know the group. RuntimeError if it has none."""
        if self._group_name is None:
            raise RuntimeError("ProcessGroup name not set")
        return self._group_name

    def _set_group_name(self, arg0: str) -> None:
        self._group_name = arg0

    def _set_group_desc(self, arg0: str) -> None:
        self.group_desc = arg0

    def __repr__(self) -> str:
        cls = type(self)
        return f"<{cls.__module__}.{cls.__qualname__} object at {id(self):#x}>"

    # ---- over all ranks

    @bound(
        "ProcessGroup",
        f"allreduce(tensors: Tensors, {_optional('AllreduceOptions')}) -> c10d::Work",
        f"allreduce(tensors: Tensors, {_SUM}, {_TIME}) -> c10d::Work",
        f"allreduce(tensor: Tensor, {_SUM}, {_TIME}) -> c10d::Work",
    )
    def allreduce(self, tensors: Any, opts: Any, timeout: Any = None) -> Work:
        """Reduces a tensor over all ranks, in place."""
        several = tensors if _is_sequence(tensors) else [tensors]
        work = self.operations.allreduce(several, getattr(opts, "reduceOp", opts))
        return work.limited(timeout or _limit(opts))

    @bound(
        "ProcessGroup",
        f"allreduce_coalesced(tensors: Tensors, {_optional('AllreduceCoalescedOptions')}) -> "
        "c10d::Work",
    )
    def allreduce_coalesced(self, tensors: Any, opts: Any) -> Work:
        """Reduces several tensors as if they were one."""
        return self.operations.allreduce_coalesced(tensors, opts.reduceOp).limited(_limit(opts))

    @bound(
        "ProcessGroup",
        f"reduce(tensors: Tensors, {_optional('ReduceOptions')}) -> c10d::Work",
        f"reduce(tensor: Tensor, root: int, {_SUM}, {_TIME}) -> c10d::Work",
    )
    def reduce(self, tensors: Any, root: Any, op: Any = None, timeout: Any = None) -> Work:
        """Reduces a tensor to one rank, in place."""
        if op is None:
            work = self.operations.reduce(tensors, root.rootRank, root.reduceOp)
            return work.limited(_limit(root))
        return self.operations.reduce([tensors], root, op).limited(timeout)

    @bound(
        "ProcessGroup",
        f"broadcast(tensors: Tensors, {_optional('BroadcastOptions')}) -> c10d::Work",
        f"broadcast(tensor: Tensor, root: int, {_TIME}) -> c10d::Work",
    )
    def broadcast(self, tensors: Any, root: Any, timeout: Any = None) -> Work:
        """Gives all ranks the tensor of one."""
        if _is_sequence(tensors):
            return self.operations.broadcast(tensors, root.rootRank).limited(_limit(root))
        return self.operations.broadcast([tensors], root).limited(timeout)

    @bound(
        "ProcessGroup",
        "allgather(output_tensors: TensorLists, input_tensors: Tensors, "
        f"{_optional('AllgatherOptions')}) -> c10d::Work",
        f"allgather(output_tensors: Tensors, input_tensor: Tensor, {_TIME}) -> c10d::Work",
    )
    def allgather(self, outputs: Any, source: Any, opts: Any) -> Work:
        """Gives each rank the tensors of all."""
        if _is_sequence(source):
            (outputs,), (source,) = outputs, source
        return self.operations.allgather(outputs, source).limited(_limit(opts))

    @bound(
        "ProcessGroup",
        "allgather_coalesced(output_lists: TensorLists, input_list: Tensors, "
        f"{_optional('AllgatherOptions')}) -> c10d::Work",
    )
    def allgather_coalesced(self, outputs: Any, sources: Any, opts: Any) -> Work:
        """Gives each rank several tensors of all."""
        return self.operations.allgather_coalesced(outputs, sources).limited(_limit(opts))

    @bound(
        "ProcessGroup",
        f"all_gather_single(output: Tensor, input: Tensor, {_optional('AllgatherOptions')}) -> "
        "c10d::Work",
    )
    def all_gather_single(self, output: Tensor, source: Tensor, opts: Any) -> Work:
        """Gives each rank the tensors of all, one behind the other."""
        return self.operations.all_gather_single(output, source).limited(_limit(opts))

    _allgather_base = all_gather_single

    @bound(
        "ProcessGroup",
        "gather(output_tensors: TensorLists, input_tensors: Tensors, "
        f"{_optional('GatherOptions')}) -> c10d::Work",
        f"gather(output_tensors: Tensors, input_tensor: Tensor, root: int, {_TIME}) -> c10d::Work",
    )
    def gather(self, outputs: Any, source: Any, root: Any, timeout: Any = None) -> Work:
        """Gives one rank the tensors of all."""
        if _is_sequence(source):
            outputs, (source,) = (outputs[0] if outputs else None), source
            timeout, root = _limit(root), root.rootRank
        return self.operations.gather(outputs or None, source, root).limited(timeout)

    @bound(
        "ProcessGroup",
        "scatter(output_tensors: Tensors, input_tensors: TensorLists, "
        f"{_optional('ScatterOptions')}) -> c10d::Work",
        f"scatter(output_tensor: Tensor, input_tensors: Tensors, root: int, {_TIME}) -> c10d::Work",
    )
    def scatter(self, output: Any, inputs: Any, root: Any, timeout: Any = None) -> Work:
        """Gives each rank its tensor of a list of one rank."""
        if _is_sequence(output):
            (output,), inputs = output, (inputs[0] if inputs else None)
            timeout, root = _limit(root), root.rootRank
        return self.operations.scatter(output, inputs or None, root).limited(timeout)

    @bound(
        "ProcessGroup",
        "reduce_scatter(output_tensors: Tensors, input_tensors: TensorLists, "
        f"{_optional('ReduceScatterOptions')}) -> c10d::Work",
        f"reduce_scatter(output: Tensor, input: Tensors, {_SUM}, {_TIME}) -> c10d::Work",
    )
    def reduce_scatter(self, output: Any, inputs: Any, op: Any, timeout: Any = None) -> Work:
        """Reduces a list of tensors; each rank gets the sum of its own."""
        if _is_sequence(output):
            (output,), (inputs,) = output, inputs
            timeout, op = _limit(op), op.reduceOp
        return self.operations.reduce_scatter(output, inputs, op).limited(timeout)

    @bound(
        "ProcessGroup",
        "reduce_scatter_single(outputTensor: Tensor, inputTensor: Tensor, "
        f"{_optional('ReduceScatterOptions')}) -> c10d::Work",
    )
    def reduce_scatter_single(self, output: Tensor, source: Tensor, opts: Any) -> Work:
        """Reduces a tensor; each rank gets the sum of its part."""
        work = self.operations.reduce_scatter_single(output, source, opts.reduceOp)
        return work.limited(_limit(opts))

    _reduce_scatter_base = reduce_scatter_single

    @bound(
        "ProcessGroup",
        "allgather_into_tensor_coalesced(outputs: Tensors, inputs: Tensors, "
        f"{_optional('AllgatherOptions')}) -> c10d::Work",
    )
    def allgather_into_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any) -> Work:
        """all_gather_single of several tensors; the handle is that of the last."""
        return _last(self.started_together("all_gather_single", list(zip(outputs, inputs))), opts)

    all_gather_single_coalesced = allgather_into_tensor_coalesced

    @bound(
        "ProcessGroup",
        "reduce_scatter_tensor_coalesced(outputs: Tensors, inputs: Tensors, "
        f"{_optional('ReduceScatterOptions')}) -> c10d::Work",
    )
    def reduce_scatter_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any) -> Work:
        """reduce_scatter_single of several tensors; the handle is that of the last."""
        calls = [(*each, opts.reduceOp) for each in zip(outputs, inputs)]
        return _last(self.started_together("reduce_scatter_single", calls), opts)

    reduce_scatter_single_coalesced = reduce_scatter_tensor_coalesced

    @bound(
        "ProcessGroup",
        "alltoall(output_tensors: Tensors, input_tensors: Tensors, "
        f"{_optional('AllToAllOptions')}) -> c10d::Work",
    )
    def alltoall(self, outputs: Any, inputs: Any, opts: Any) -> Work:
        """Gives each rank one tensor of each rank."""
        return self.operations.alltoall(outputs, inputs).limited(_limit(opts))

    @bound(
        "ProcessGroup",
        "all_to_all_single(output: Tensor, input: Tensor, output_split_sizes: ints, "
        f"input_split_sizes: ints, {_optional('AllToAllOptions')}) -> c10d::Work",
        "all_to_all_single(output: Tensor, input: Tensor, output_split_sizes: ints, "
        f"input_split_sizes: ints, {_TIME}) -> c10d::Work",
    )
    def all_to_all_single(
        self, output: Tensor, source: Tensor, out_sizes: Any, in_sizes: Any, opts: Any
    ) -> Work:
        """Gives each rank a part of each rank's tensor."""
        sizes = list(out_sizes), list(in_sizes)
        return self.operations.all_to_all_single(output, source, *sizes).limited(_limit(opts))

    alltoall_base = all_to_all_single

    @bound(
        "ProcessGroup",
        f"barrier({_optional('BarrierOptions')}) -> c10d::Work",
        f"barrier({_TIME}) -> c10d::Work",
    )
    def barrier(self, opts: Any) -> Work:
        """A work that is done as soon as all ranks have called barrier()."""
        device = getattr(opts, "device", None)
        return self.operations.barrier(device).limited(_limit(opts))

    @bound("ProcessGroup", f"monitored_barrier({_TIME}, wait_all_ranks: bool = False) -> None")
    def monitored_barrier(self, timeout: Any, wait_all_ranks: bool) -> None:
        """Returns as soon as all ranks have called it. RuntimeError with those that have not."""
        self.operations.monitored_barrier(self.store, timeout, wait_all_ranks)

    # ---- messages

    @bound("ProcessGroup", "send(tensors: Tensors, dstRank: int, tag: int) -> c10d::Work")
    def send(self, tensors: Any, to: int, tag: int) -> Work:
        """Sends a tensor to a rank."""
        return self.operations.send(tensors, to, tag)

    @bound("ProcessGroup", "recv(tensors: Tensors, srcRank: int, tag: int) -> c10d::Work")
    def recv(self, tensors: Any, source: int, tag: int) -> Work:
        """Receives a tensor from a rank."""
        return self.operations.recv(tensors, source, tag)

    @bound("ProcessGroup", "recv_anysource(arg0: Tensors, arg1: int) -> c10d::Work")
    def recv_anysource(self, tensors: Any, tag: int) -> Work:
        """Receives a tensor from any rank."""
        return self.operations.recv(tensors, None, tag)

    # ---- the group itself

    @bound("ProcessGroup", "set_timeout(timeout: time) -> None")
    def set_timeout(self, timeout: Any) -> None:
        """Sets how long an operation may take."""
        self.operations.set_limit(timeout)

    _set_default_timeout = set_timeout

    def _get_backend(self, device: Any) -> ProcessGroup:
        """This group, which does the work of its backends. RuntimeError if none is for a device."""
        self.operations.of(device.type)
        return self

    def abort(self) -> None:
        """Ends what is on its way by NCCL; others end by themselves or at their time limit."""
        self.operations.abort()

    def shutdown(self) -> None:
        """Ends the communicators of NCCL; MPI's live as long as the process."""
        self.operations.shutdown()

    def _wait_for_pending_works(self) -> None:
        raise RuntimeError(
            f"Only ProcessGrouppNCCL supports waitForPendingWorks, but got {self.name()} backend."
        )

    def get_group_store(self) -> Any:
        """The store that the ranks of the group share."""
        return self.store

    def _get_sequence_number_for_group(self) -> int:
        return self.operations.count

    def _set_sequence_number_for_group(self) -> None:
        """Does nothing: all ranks count from zero."""

    def _has_hooks(self) -> bool:
        return False

    def _id(self) -> int:
        return id(self)

    @property
    def _device_types(self) -> list[Any]:
        return [minitorch.device(each) for each in self.devices]

    def _coalescing(self, device: Any, word: str) -> Any:
        """The operations for a device, if they start several as one. RuntimeError if not."""
        operations = self.operations.of(device.type)
        if not operations.supports_coalescing:
            raise RuntimeError(f"Backend {operations.name()} does not implement {word}Coalescing")
        return operations

    def _start_coalescing(self, device_type: Any) -> None:
        self._coalescing(device_type, "start").start_coalescing()

    def _end_coalescing(self, device_type: Any) -> Any:
        return self._coalescing(device_type, "end").end_coalescing()

    def started_together(self, name: str, calls: list[Any]) -> list[Work]:
        """The handles of several calls of an operation, or one handle if they start as one.

        Args:
            name: of the operation.
            calls: the arguments of each call, the first a tensor.
        """
        operations = self.operations.of(calls[0][0].device.type)
        if not operations.supports_coalescing:
            return [getattr(operations, name)(*each) for each in calls]
        operations.start_coalescing()
        try:
            for each in calls:
                getattr(operations, name)(*each)
        finally:
            work = operations.end_coalescing()
        return [work]
