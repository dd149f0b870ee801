"""The backend nccl: operations of a group of ranks whose tensors lie on CUDA devices.

An operation goes to a stream of the group, which waits for what the current stream was given so
far; behind it is an event, for which streams wait that need its results. The host goes on at once.
Checks, texts and the calls that each operation makes are those of
torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp and torch/csrc/cuda/nccl.cpp.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, NoReturn

import minitorch
from minitorch.core import arrays
from minitorch.distributed import nccl, nccl_checks
from minitorch.distributed.binding import seconds
from minitorch.distributed.nccl import ALL
from minitorch.distributed.nccl_watch import Watch
from minitorch.distributed.nccl_work import NcclWork, current_stream, new_event
from minitorch.distributed.reduce_op import RedOpType
from minitorch.distributed.work import Work

Array = Any
Tensor = Any


def _address(tensor: Tensor) -> int:
    array = tensor._array
    return arrays.namespace(array).pointer(array)


def _copy(source: Tensor, target: Tensor) -> None:
    """Copies numbers on the current stream; versions of tensors stay as they are, as in torch."""
    target._array[...] = source._array


def _as_pairs(tensors: list[Tensor]) -> list[Tensor]:
    """Complex tensors as pairs of numbers; others as they are."""
    return [minitorch.view_as_real(each) if each.is_complex() else each for each in tensors]


class NcclOperations:
    """The operations of a group of ranks by NCCL, as those of Operations.

    Args:
        store: of the group's ranks alone.
        rank, size: of this process in the group, and how many there are.
        timeout: how many seconds an operation may take.

    Raises:
        ValueError: there is no CUDA device.
    """

    supports_coalescing = True

    def __init__(self, store: Any, rank: int, size: int, timeout: float) -> None:
        nccl_checks.check_devices()
        self._communicators = nccl.Communicators(store, rank, size)
        self._watch = Watch(self._communicators)
        self._limit, self.count = timeout, 0
        self._streams: dict[str, Any] = {}
        self._block: NcclWork | None = None  # of operations that start as one
        self._later: list[Callable[[], None]] = []  # what is done behind them

    def of(self, kind: str) -> NcclOperations:
        """The operations for tensors of a kind of device."""
        return self

    def rank(self) -> int:
        """The rank of this process in the group."""
        return self._communicators.rank

    def size(self) -> int:
        """The number of ranks."""
        return self._communicators.size

    def name(self) -> str:
        """The name of the backend."""
        return "nccl"

    def set_limit(self, timeout: timedelta | float) -> None:
        """Sets how long an operation may take."""
        self._limit = seconds(timeout)

    def connect(self) -> None:
        """Makes the communicator of all ranks, which the first operation makes otherwise."""
        self._communicators.of_all()

    def abort(self) -> None:
        """Ends what is on its way."""
        self._watch.stop()
        self._communicators.abort()

    def shutdown(self) -> None:
        """Ends the communicators."""
        self._watch.stop()
        self._communicators.destroy()

    # ---- starting

    def _stream(self, key: str) -> Any:
        """The group's stream for a communicator, or for callbacks."""
        if key not in self._streams:
            self._streams[key] = arrays.cuda().cupy.cuda.Stream(non_blocking=True)
        return self._streams[key]

    def _start(
        self,
        name: str,
        tensors: list[Tensor],
        result: list[Tensor],
        run: Callable[[Any, Any], Any],
        peer: int | None = None,
        is_barrier: bool = False,
        after: Callable[[], None] | None = None,
    ) -> NcclWork:
        """Gives an operation to NCCL.

        Args:
            name: of the operation, in torch's texts.
            tensors, result: it reads, and writes.
            run: makes the calls, from the communicator and the address of the stream; gives the
                temporary tensor that they read or write, if there is one.
            peer: the other rank of a message, with which it shares a communicator of two.
            after: copies what the calls have written.
        """
        if self._watch.failure is not None:
            raise self._watch.failure
        if peer is None:
            communicator, stream = self._communicators.of_all(), self._stream(ALL)
        else:
            communicator, _ = self._communicators.of_pair(peer)
            stream = self._stream(self._communicators.key_of_pair(peer))
        self.count += 1
        stream.wait_event(current_stream().record(new_event()))
        work = self._block
        if work is None:
            callbacks = self._stream("callbacks")
            work = NcclWork(name, self.count, tensors, result, self._limit, callbacks, is_barrier)
        else:
            work.keep += [*tensors, *result]
            work._result += result
        # What an operation allocates on its stream is not given to another stream while it runs.
        with stream, nccl.errors_of(name):
            work.keep.append(run(communicator, stream.ptr))
            if after is not None and self._block is None:
                after()
        if self._block is None:
            work.done = stream.record(new_event())
            self._watch.add(work)
        elif after is not None:
            self._later.append(after)
        return work

    def start_coalescing(self) -> None:
        """Begins a block of operations that NCCL starts as one, at its end."""
        nccl.start()
        callbacks = self._stream("callbacks")
        self._block = NcclWork("COALESCED", self.count + 1, [], [], self._limit, callbacks)

    def end_coalescing(self) -> NcclWork | None:
        """Ends the block; the handle of its operations, None if there were none."""
        work, self._block = self._block, None
        later, self._later = self._later, []
        nccl.end()
        if work is None or not work.keep:
            return None
        stream = self._stream(ALL)
        with stream:
            for after in later:
                after()
        work.done = stream.record(new_event())
        self._watch.add(work)
        return work

    @contextlib.contextmanager
    def _as_one(self) -> Iterator[list[Any]]:
        """A block of operations that start as one; the list gets their handle."""
        handle: list[Any] = []
        outer = self._block is not None
        if not outer:
            self.connect()
            self.start_coalescing()
        try:
            yield handle
        finally:
            handle.append(self._block if outer else self.end_coalescing())

    # ---- reductions

    def allreduce(self, tensors: list[Tensor], op: Any = RedOpType.SUM) -> Work:
        """Reduces a tensor over all ranks, in place."""
        nccl_checks.check_one(tensors)
        (tensor,) = _as_pairs(tensors)
        nccl_checks.check_tensor(tensor)
        return self._all_reduce(tensor, op, tensors, "AllreduceOptions")

    def _all_reduce(
        self, tensor: Tensor, op: Any, result: Any, options: str, is_barrier: bool = False
    ) -> Work:
        kind, factor = nccl.reduction_of(op, tensor, options)
        dtype = nccl.type_of(tensor)

        def run(communicator: Any, stream: int) -> Any:
            given = self._scaled(tensor, factor)
            ends = _address(given), _address(tensor)
            communicator.allReduce(*ends, tensor.numel(), dtype, kind, stream)
            return given

        return self._start("ALLREDUCE", [tensor], result, run, is_barrier=is_barrier)

    def _scaled(self, tensor: Tensor, factor: Any) -> Tensor:
        """A tensor, multiplied by a factor unless that is None; NCCL's own rounds likewise."""
        if factor is None:
            return tensor
        with minitorch.no_grad():
            return tensor.detach() * factor

    def allreduce_coalesced(self, tensors: list[Tensor], op: Any = RedOpType.SUM) -> Work:
        """Reduces several tensors over all ranks, in place, as one operation."""
        nccl_checks.check_several(tensors)
        with self._as_one() as handle:
            for each in tensors:
                self._all_reduce(each, op, [each], "AllreduceCoalescedOptions")
        return handle[0]

    def reduce(
        self, tensors: list[Tensor], root: int, op: Any = RedOpType.SUM, pairs: bool = False
    ) -> Work:
        """Reduces a tensor to one rank, in place."""
        nccl_checks.check_one(tensors)
        (tensor,) = _as_pairs(tensors)
        nccl_checks.check_tensor(tensor)
        return self._reduce(tensor, tensor, root, op)

    def _reduce(self, source: Tensor, target: Tensor, root: int, op: Any) -> Work:
        kind, factor = nccl.reduction_of(op, source, "ReduceOptions")
        dtype = nccl.type_of(source)

        def run(communicator: Any, stream: int) -> Any:
            given = self._scaled(source, factor)
            ends = _address(given), _address(target)
            communicator.reduce(*ends, source.numel(), dtype, kind, root, stream)
            return given

        return self._start("REDUCE", [source], [target], run)

    def reduce_scatter(
        self, output: Tensor, inputs: list[Tensor], op: Any, pairs: bool = False
    ) -> Work:
        """Reduces a list of tensors; each rank gets the sum of its own."""
        nccl_checks.check_tensor(output)
        nccl_checks.check_list(inputs, self.size())
        if any(each.shape != inputs[0].shape for each in inputs):
            with self._as_one() as handle:
                for root, each in enumerate(inputs):
                    self._reduce(each, output if root == self.rank() else each, root, op)
            return handle[0]
        kind, factor = nccl.reduction_of(op, output, "ReduceScatterOptions")
        dtype = nccl.type_of(output)

        def run(communicator: Any, stream: int) -> Any:
            rows = self._rows(inputs)
            for row, each in zip(rows, inputs):
                _copy(each, row)
            given = self._scaled(rows, factor)
            ends = _address(given), _address(output)
            communicator.reduceScatter(*ends, output.numel(), dtype, kind, stream)
            return given

        return self._start("REDUCE_SCATTER", inputs, [output], run)

    def reduce_scatter_single(
        self, output: Tensor, source: Tensor, op: Any, pairs: bool = False
    ) -> Work:
        """Reduces a tensor; rank k gets part k of the sum."""
        nccl_checks.check_scattered(source, output, self.size())
        kind, factor = nccl.reduction_of(op, source, "ReduceScatterOptions")
        dtype = nccl.type_of(source)

        def run(communicator: Any, stream: int) -> Any:
            given = self._scaled(source, factor)
            ends = _address(given), _address(output)
            communicator.reduceScatter(*ends, output.numel(), dtype, kind, stream)
            return given

        return self._start("_REDUCE_SCATTER_BASE", [source], [output], run)

    # ---- moving data

    def broadcast(self, tensors: list[Tensor], root: int) -> Work:
        """Gives all ranks the root's tensor."""
        nccl_checks.check_one(tensors)
        (tensor,) = _as_pairs(tensors)
        nccl_checks.check_tensor(tensor)
        return self._broadcast(tensor, tensor, root, tensors)

    def _broadcast(self, source: Tensor, target: Tensor, root: int, result: list[Tensor]) -> Work:
        dtype = nccl.type_of(source)

        def run(communicator: Any, stream: int) -> Any:
            ends = _address(source), _address(target)
            communicator.broadcast(*ends, source.numel(), dtype, root, stream)

        return self._start("BROADCAST", [source], result, run)

    def allgather(self, outputs: list[Tensor], source: Tensor, kind: str = "ALLGATHER") -> Work:
        """Gives all ranks the tensors of all."""
        nccl_checks.check_tensor(source)
        nccl_checks.check_list(outputs, self.size())
        if any(each.shape != outputs[0].shape for each in outputs):
            with self._as_one() as handle:
                for root, each in enumerate(outputs):
                    own = source if root == self.rank() else each
                    self._broadcast(own, each, root, [each])
            return handle[0]
        dtype = nccl.type_of(source)

        found: list[Tensor] = []

        def run(communicator: Any, stream: int) -> Any:
            rows = self._rows(outputs)
            communicator.allGather(_address(source), _address(rows), source.numel(), dtype, stream)
            found.extend(rows)
            return rows

        def share() -> None:
            for row, each in zip(found, outputs):
                _copy(row, each)

        return self._start(kind, [source], outputs, run, after=share)

    def _rows(self, tensors: list[Tensor]) -> Tensor:
        """Memory for several tensors of one shape, one behind the other, each laid out likewise."""
        first = tensors[0]
        shape, strides = (len(tensors), *first.shape), (first.numel(), *first.stride())
        return minitorch.empty_strided(shape, strides, dtype=first.dtype, device=first.device)

    def allgather_coalesced(self, outputs: Any, sources: Any) -> NoReturn:
        """Refuses, as torch's does."""
        raise NotImplementedError("ProcessGroupNCCL does not support allgather_coalesced")

    def all_gather_single(self, output: Tensor, source: Tensor) -> Work:
        """Gives all ranks the tensors of all, one after another in one tensor."""
        nccl_checks.check_gathered(source, output, self.size())
        dtype = nccl.type_of(source)

        def run(communicator: Any, stream: int) -> Any:
            ends = _address(source), _address(output)
            communicator.allGather(*ends, source.numel(), dtype, stream)

        return self._start("_ALLGATHER_BASE", [source], [output], run)

    def gather(self, outputs: list[Tensor] | None, source: Tensor, root: int) -> Work:
        """Gives the root the tensors of all; `outputs` is None elsewhere."""
        nccl_checks.check_root(root, self.size(), "gather")
        if self.rank() == root:
            nccl_checks.check_parts(outputs, source, self.size(), "gather", "output")
        elif outputs:
            raise ValueError("ProcessGroupNCCL::gather: requires empty output on non-root")
        nccl_checks.check_tensor(source)
        dtype, given = nccl.type_of(source), outputs or []

        def run(communicator: Any, stream: int) -> Any:
            with nccl.together():
                if self.rank() != root:
                    communicator.send(_address(source), source.numel(), dtype, root, stream)
                for rank, each in enumerate(given):
                    if rank != root:
                        communicator.recv(_address(each), each.numel(), dtype, rank, stream)
                    else:
                        _copy(source, each)

        return self._start("GATHER", [source], given, run)

    def scatter(self, output: Tensor, inputs: list[Tensor] | None, root: int) -> Work:
        """Gives rank k tensor k of the root's; `inputs` is None elsewhere."""
        nccl_checks.check_root(root, self.size(), "scatter")
        if self.rank() == root:
            nccl_checks.check_parts(inputs, output, self.size(), "scatter", "input")
        elif inputs:
            raise ValueError("ProcessGroupNCCL::scatter: requires empty input on non-root")
        nccl_checks.check_tensor(output)
        dtype, given = nccl.type_of(output), inputs or []

        def run(communicator: Any, stream: int) -> Any:
            with nccl.together():
                for rank, each in enumerate(given):
                    if rank != root:
                        communicator.send(_address(each), each.numel(), dtype, rank, stream)
                    else:
                        _copy(each, output)
                if self.rank() != root:
                    communicator.recv(_address(output), output.numel(), dtype, root, stream)

        return self._start("SCATTER", given, [output], run)

    def all_to_all_single(
        self, output: Tensor, source: Tensor, out_sizes: list[int], in_sizes: list[int]
    ) -> Work:
        """Gives each rank a part of each rank's tensor, cut along the first dimension."""
        nccl_checks.check_tensor(output)
        nccl_checks.check_tensor(source)
        outs = nccl_checks.split_sizes(output, out_sizes, self.size())
        ins = nccl_checks.split_sizes(source, in_sizes, self.size())
        dtype = nccl.type_of(source)

        def run(communicator: Any, stream: int) -> Any:
            to, at = _address(source), _address(output)
            with nccl.together():
                for rank, (sent, came) in enumerate(zip(ins, outs)):
                    if sent:
                        communicator.send(to, sent, dtype, rank, stream)
                    if came:
                        communicator.recv(at, came, dtype, rank, stream)
                    to += sent * source.element_size()
                    at += came * output.element_size()

        return self._start("ALLTOALL_BASE", [source], [output], run)

    def alltoall(self, outputs: list[Tensor], inputs: list[Tensor]) -> Work:
        """Gives each rank one tensor of each rank."""
        for each in (*outputs, *inputs):
            nccl_checks.check_tensor(each)
        nccl_checks.check_list(outputs, self.size())
        nccl_checks.check_list(inputs, self.size())
        dtypes = [nccl.type_of(each) for each in inputs]

        def run(communicator: Any, stream: int) -> Any:
            with nccl.together():
                for rank, (to, source, dtype) in enumerate(zip(outputs, inputs, dtypes)):
                    if source.numel():
                        communicator.send(_address(source), source.numel(), dtype, rank, stream)
                    if to.numel():
                        communicator.recv(_address(to), to.numel(), dtype, rank, stream)

        return self._start("ALLTOALL", inputs, outputs, run)

    # ---- meeting, and messages

    def barrier(self, device: Any = None) -> Work:
        """A work that is done as soon as all ranks have called it: the host waits for that."""
        one = minitorch.zeros(1, dtype=minitorch.float32, device=device or "cuda")
        return self._all_reduce(one, RedOpType.SUM, [one], "AllreduceOptions", is_barrier=True)

    def monitored_barrier(self, store: Any, timeout: Any, wait_all_ranks: bool) -> NoReturn:
        """Refuses, as torch's does."""
        raise RuntimeError(
            "Backend nccl does not support monitoredBarrier, only GLOO supports monitored barrier."
        )

    def _message(self, name: str, tensor: Tensor, peer: int, sends: bool) -> Work:
        nccl_checks.check_message(tensor)
        dtype, count = nccl.type_of(tensor), tensor.numel()
        # In a block of messages the group's communicator has all of them, and starts them as one.
        other, number = None, peer
        if self._block is None:
            other, number = peer, self._communicators.of_pair(peer)[1]

        def run(communicator: Any, stream: int) -> Any:
            call = communicator.send if sends else communicator.recv
            call(_address(tensor), count, dtype, number, stream)

        return self._start(name, [tensor] if sends else [], [tensor], run, other)

    def send(self, tensors: list[Tensor], to: int, tag: int) -> Work:
        """Sends a tensor to a rank; tags have no meaning for NCCL."""
        nccl_checks.check_one(tensors)
        return self._message("SEND", tensors[0], to, True)

    def recv(self, tensors: list[Tensor], source: int | None, tag: int) -> Work:
        """Receives a tensor from a rank."""
        nccl_checks.check_one(tensors)
        if source is None:
            raise RuntimeError("Backend nccl does not support recvAnysource")
        return self._message("RECV", tensors[0], source, False)
