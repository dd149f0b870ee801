"""Operations of a group of ranks, and what gloo checks before they start."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import cache
from typing import Any

import numpy

import minitorch
from minitorch.core.arrays.namespaces import NAMESPACES
from minitorch.distributed import steps as gloo
from minitorch.distributed.agreement import Call, Check
from minitorch.distributed.binding import seconds
from minitorch.distributed.debug_level import DebugLevel, get_debug_level
from minitorch.distributed.engine import ENGINE
from minitorch.distributed.monitored_barrier import meet
from minitorch.distributed.reduce_op import RedOpType, kind_of
from minitorch.distributed.work import Work, started

Array = Any
Tensor = Any
# The dtypes that gloo takes, and what C++ calls them.
_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int32": "int",
    "int64": "long",
    "bool": "bool",
}
_INTEGERS = ("int8", "uint8", "int32", "int64", "bool")
_BITS = ("BAND", "BOR", "BXOR")


def _with_events(steps: Iterator[Any], events: Iterable[tuple[str, Any]]) -> Iterator[Any]:
    """The steps of an operation with its events in open profiles: see profiler.with_events.

    No profile can be open before the profiler is loaded, which takes 5 ms of a start.
    """
    profiler = sys.modules.get("minitorch.autograd.profiler")
    return steps if profiler is None else profiler.with_events(steps, events)


class Flat:
    """The memory of a tensor as a flat array: its own, or a copy that is written back.

    The memory of a CUDA device is copied to the host, as ProcessGroupGloo does it: at once, so that
    what was queued on the current stream is waited for.

    Args:
        name: of the operation, for the error.
        as_stored: whether a tensor without gaps is taken in the order of its memory, as gloo does
            where one tensor is read and written: where the ring cuts it depends on that.

    Raises:
        NotImplementedError: the tensor is sparse, or has no memory.
    """

    def __init__(self, tensor: Tensor, name: str, as_stored: bool = False) -> None:
        array = tensor._array
        self.device = None if type(array) is numpy.ndarray else _of_device(array)
        if type(array) is not numpy.ndarray and self.device is None:
            raise NotImplementedError(
                f"torch.distributed.{name} is not implemented by minitorch for tensors of layout "
                f"{tensor.layout} on {tensor.device.type}"
            )
        self.home = array
        if as_stored and not self.home.flags.c_contiguous:
            order = numpy.argsort(self.home.strides, kind="stable")[::-1].tolist()
            self.home = self.home.transpose(order)
        self.own = bool(self.home.flags.c_contiguous) and self.device is None
        held = self.home if self.device is None else self.device.to_numpy(self.home)
        self.array = held.reshape(-1) if self.own else held.flatten()

    def write_back(self) -> None:
        """Copies the computed array into the tensor."""
        if self.device is not None:
            self.device.overwrite(self.home, self.array.reshape(self.home.shape))
        elif not self.own:
            self.home[...] = self.array.reshape(self.home.shape)


def _of_device(array: Array) -> Any:
    """The namespace of an array on a CUDA device; None for any other kind."""
    xp = NAMESPACES.get(type(array))
    return xp if xp is not None and xp.device_type == "cuda" else None


@cache
def _name(dtype: Any) -> str:
    """NumPy's name of a dtype: 4 us less than asking NumPy each time."""
    return dtype.name


def _check_dtype(tensor: Tensor) -> None:
    array = tensor._array
    known = type(array) is numpy.ndarray or _of_device(array) is not None
    if known and _name(array.dtype) not in _NAMES:
        raise RuntimeError("Invalid scalar type")


def _call(kind: str, tensors: list[Tensor], more: str = "") -> Call:
    """The call that all ranks must make: as many elements of this dtype, in any shape."""
    shapes = tuple([each._array.shape for each in tensors])
    count = sum([each._array.size for each in tensors])
    return Call(kind, _name(tensors[0]._array.dtype), count, more, shapes)


def _dims(tensor: Tensor) -> str:
    return ", ".join(map(str, tensor.shape))


def _shape(tensor: Tensor) -> str:
    return f"({_dims(tensor)})"


def _options(tensor: Tensor) -> str:
    name = _NAMES.get(tensor._array.dtype.name, tensor._array.dtype.name)
    return (
        f"TensorOptions(dtype={name}, device={tensor.device}, layout=Strided, "
        "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
    )


def _check_like(tensors: list[Tensor], model: Tensor, name: str) -> None:
    """Checks that tensors have the dtype, device and shape of another one."""
    for i, each in enumerate(tensors):
        if each.dtype != model.dtype or each.device != model.device:
            raise RuntimeError(
                f"ProcessGroupGloo::{name}: invalid tensor type at index {i} (expected "
                f"{_options(model)}, got {_options(each)})"
            )
        if each.shape != model.shape:
            raise RuntimeError(
                f"ProcessGroupGloo::{name}: invalid tensor size at index {i} (expected "
                f"{_shape(model)}, got {_shape(each)})"
            )


class Operations:
    """The operations of a group of ranks, over the channel of their backend.

    Args:
        communicator: mpi.Communicator; None in a world of one.
        rank, size: of this process in the group, and how many there are.
        timeout: how many seconds an operation may take.
        backend: the name of the group's backend.
        steps: the operations of the group's backend, as those of minitorch.distributed.steps.
    """

    supports_coalescing = False

    def __init__(
        self,
        communicator: Any,
        rank: int,
        size: int,
        timeout: float,
        backend: str,
        steps: Any = gloo,
    ) -> None:
        self._steps, self.channel = steps, steps.Channel(communicator, rank, size)
        self._limit, self._backend = timeout, backend
        # With it ranks compare shapes, too, before anything is sent, and go on if those differ.
        detail = get_debug_level() is DebugLevel.DETAIL
        self._strict = detail and hasattr(communicator, "inner")
        self._agreed = 0  # operations that were compared so
        self.count = 0  # operations over all ranks

    def rank(self) -> int:
        """The rank of this process in the group."""
        return self.channel.rank

    def size(self) -> int:
        """The number of ranks."""
        return self.channel.size

    def name(self) -> str:
        """The name of the backend."""
        return self._backend

    def of(self, kind: str) -> Operations:
        """The operations for tensors of a kind of device: these."""
        return self

    def abort(self) -> None:
        """Does nothing: operations that go on end by themselves or at their time limit."""

    def shutdown(self) -> None:
        """Does nothing: the communicator lives as long as the process."""

    def set_limit(self, timeout: timedelta | float) -> None:
        """Sets how long an operation may take."""
        self._limit = seconds(timeout)

    def _check_root(self, root: int, name: str) -> None:
        if not 0 <= root < self.size():
            raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {root}")

    def _start(
        self,
        name: str,
        call: Call,
        make: Callable[..., Iterator[Any]],
        tensors: list[Tensor],
        result: list[Tensor] | None = None,
        events: Iterable[tuple[str, list[Tensor]]] = (),
    ) -> Work:
        """Starts an operation over the arrays of tensors.

        Args:
            call: what the other ranks must run, too.
            make: from the arrays to the generator of requests.
            result: the tensors that it writes, which the handle tells; if it tells none, it
                writes the first one.
            events: what profiles show of it.
        """
        flats = [Flat(each, name, as_stored=len(tensors) == 1) for each in tensors]
        outputs = {id(each) for each in (tensors[:1] if result is None else result)}
        written = [flat for each, flat in zip(tensors, flats) if id(each) in outputs]
        self._agree(name, call)

        def steps() -> Iterator[Any]:
            try:
                yield from make(*[each.array for each in flats])
            except RuntimeError as error:
                if self.channel.failure:  # its frames have memory that MPI may still write into
                    ENGINE.lost.append(error)
                raise
            finally:  # an average of integers fails after the sum is there
                for each in written:
                    each.write_back()

        return started(_with_events(steps(), events), (tensors, flats), name, self._limit, result)

    def _agree(self, name: str, call: Call) -> None:
        """Raises what an operation of this group must not start after, or against."""
        self.count += 1
        channel = self.channel
        if self._strict:
            check = Check(channel, call, self._agreed, strict=True)
            started(check.steps(), check, name, self._limit).wait()
            self._agreed += 1
        if channel.failure:
            raise RuntimeError(channel.failure)

    # ---- reductions

    def _reduction(self, op: Any, options: str, tensors: list[Tensor]) -> str:
        """The name of a reduction, if gloo has it for the dtypes of the tensors."""
        kind = kind_of(op, options)
        for each in tensors:
            _check_dtype(each)
            if kind in _BITS and _name(each._array.dtype) not in _INTEGERS:
                raise RuntimeError(f"Cannot use ReduceOp.{kind} with non-integral dtype")
        if kind == RedOpType.PREMUL_SUM.name:
            raise RuntimeError("Cannot use ReduceOp.PREMUL_SUM with Gloo")
        return kind

    def allreduce(self, tensors: list[Tensor], op: Any = RedOpType.SUM) -> Work:
        """Reduces a tensor over all ranks, in place."""
        if tensors[0].layout == minitorch.sparse_coo:
            return self._sparse_sum(tensors, op)
        kind = self._reduction(op, "AllreduceOptions", tensors)
        call = _call("ALLREDUCE", tensors[:1], f"ReduceOp={kind}")
        make = lambda array: self._steps.all_reduce(self.channel, call, array, kind)
        events = [("gloo:all_reduce", tensors[:1])]
        return self._start("all_reduce", call, make, tensors[:1], tensors, events)

    def _sparse_sum(self, tensors: list[Tensor], op: Any) -> Work:
        (tensor,) = tensors
        if kind_of(op, "AllreduceOptions") != "SUM":
            raise RuntimeError(
                "ProcessGroupGloo::allreduce: unsupported reduction operation (allreduce of sparse "
                "tensors only works with ReduceOp.SUM)"
            )
        dtype = tensor._values()._array.dtype
        if _name(dtype) not in _NAMES:
            raise RuntimeError("Invalid scalar type")
        call = Call("ALLREDUCE", _name(dtype), tensor.dim(), "ReduceOp=SUM", (tuple(tensor.shape),))
        self._agree("all_reduce", call)
        steps = self._steps.sparse_sum(self.channel, call, tensor)
        steps = _with_events(steps, [("gloo:sparse_all_reduce", tensors)])
        return started(steps, tensors, "all_reduce", self._limit, tensors)

    def allreduce_coalesced(self, tensors: list[Tensor], op: Any = RedOpType.SUM) -> Work:
        """Reduces several tensors as if they were one."""
        kind = self._reduction(op, "AllreduceCoalescedOptions", tensors)
        if (device := tensors[0].device.type) != "cpu":
            raise RuntimeError(
                f"ProcessGroupGloo::allreduce_coalesced: unsupported device type {device}"
            )
        call = _call("ALLREDUCE_COALESCED", tensors, f"ReduceOp={kind}")

        def make(*arrays: Array) -> Iterator[Any]:
            whole, at = numpy.concatenate(arrays), 0
            yield from self._steps.all_reduce(self.channel, call, whole, kind)
            for each in arrays:
                each[...] = whole[at : at + each.size]
                at += each.size

        events = [("gloo:all_reduce", tensors)]
        return self._start("all_reduce_coalesced", call, make, tensors, tensors, events)

    def reduce(
        self, tensors: list[Tensor], root: int, op: Any = RedOpType.SUM, pairs: bool = False
    ) -> Work:
        """Reduces a tensor to one rank, in place. `pairs` as in reduce_scatter."""
        self._check_root(root, "reduce")
        kind = self._reduction(op, "ReduceOptions", tensors)
        call = _call("REDUCE", tensors, f"ReduceOp={kind}, Root={root}")

        def make(array: Array) -> Iterator[Any]:
            sums = "SUM" if pairs and kind == "AVG" else kind
            yield from self._steps.reduce(self.channel, call, array, sums, root)
            self._average_pairs(array, kind != sums)

        return self._start("reduce", call, make, tensors, tensors, [("gloo:reduce", tensors)])

    def reduce_scatter(
        self, output: Tensor, inputs: list[Tensor], op: Any, pairs: bool = False
    ) -> Work:
        """Reduces a list of tensors; each rank gets the sum of its own.

        Args:
            pairs: whether they are pairs of numbers, which are averaged as complex ones.
        """
        kind = self._reduction(op, "ReduceScatterOptions", inputs)
        if len(inputs) != self.size():
            raise RuntimeError("invalid input tensor list size, must be world size")
        for each in inputs:
            if each.shape != output.shape:
                raise RuntimeError(
                    "Check failed: outputs[0].sizes().vec() == inputs[0][i].sizes().vec() "
                    f"({_dims(output)} vs. {_dims(each)}). "
                )
        _check_like(inputs, output, "reduce_scatter")

        call = _call("REDUCE_SCATTER", [output], f"ReduceOp={kind}")

        def make(out: Array, *parts: Array) -> Iterator[Any]:
            given = list(parts)
            sums = "SUM" if pairs and kind == "AVG" else kind
            yield from self._steps.reduce_scatter(self.channel, call, given, out, sums, False)
            self._average_pairs(out, kind != sums)

        # gloo reduces each of the tensors.
        shown = [minitorch.view_as_complex(each) if pairs else each for each in inputs]
        events = [("gloo:all_reduce", [each]) for each in shown]
        return self._start("reduce_scatter", call, make, [output, *inputs], events=events)

    def _average_pairs(self, array: Array, averages: bool) -> None:
        """Divides sums of complex numbers, as complex numbers are divided."""
        if averages:
            whole = array.view(numpy.result_type(array.dtype, numpy.complex64))
            minitorch.from_numpy(whole).div_(self.size())

    def reduce_scatter_single(
        self, output: Tensor, source: Tensor, op: Any, pairs: bool = False
    ) -> Work:
        """Reduces a tensor; rank k gets part k of the sum. `pairs` as in reduce_scatter."""
        kind = self._reduction(op, "ReduceScatterOptions", [source])
        length, whole = output.shape[0] * self.size(), source.shape[0]
        if length != whole:
            raise RuntimeError(
                "Check failed: outputShape[0] * worldSize == inputShape[0] "
                f"({length} vs. {whole}). "
            )

        call = _call("_REDUCE_SCATTER_BASE", [output], f"ReduceOp={kind}")

        def make(out: Array, array: Array) -> Iterator[Any]:
            parts = list(array.reshape(self.size(), -1))
            sums = "SUM" if pairs and kind == "AVG" else kind
            yield from self._steps.reduce_scatter(self.channel, call, parts, out, sums, True)
            self._average_pairs(out, kind != sums)

        events = [("gloo:all_reduce", [source])]
        return self._start("reduce_scatter_single", call, make, [output, source], events=events)

    # ---- moving data

    def broadcast(self, tensors: list[Tensor], root: int) -> Work:
        """Gives all ranks the root's tensor."""
        self._check_root(root, "broadcast")
        _check_dtype(tensors[0])
        call = _call("BROADCAST", tensors, f"Root={root}")
        make = lambda array: self._steps.broadcast(self.channel, call, array, root)
        return self._start("broadcast", call, make, tensors, tensors, [("gloo:broadcast", tensors)])

    def allgather(self, outputs: list[Tensor], source: Tensor, kind: str = "ALLGATHER") -> Work:
        """Gives all ranks the tensors of all."""
        if len(outputs) != self.size():
            raise RuntimeError(
                "ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected "
                f"length {self.size()}, got {len(outputs)})"
            )
        _check_like(outputs, source, "allgather")
        _check_dtype(source)
        call = _call(kind, [source])

        def make(array: Array, *outs: Array) -> Iterator[Any]:
            rows = numpy.empty((self.size(), array.size), array.dtype)
            yield from self._steps.all_gather(self.channel, call, array, rows)
            for each, row in zip(outs, rows):
                each[...] = row

        events = [("gloo:all_gather", [source])]
        return self._start("all_gather", call, make, [source, *outputs], outputs, events)

    def allgather_coalesced(self, outputs: list[list[Tensor]], sources: list[Tensor]) -> Work:
        """Gives all ranks the lists of tensors of all."""
        name = "ProcessGroupGloo::allgather_coalesced"
        if len(outputs) != self.size():
            raise RuntimeError(f"{name}: output lists should be equal to world size")
        for given in outputs:
            if len(given) != len(sources):
                raise RuntimeError(
                    f"{name}: invalid output size: (expected length {len(sources)}, got "
                    f"{len(given)})"
                )
            for i, (each, model) in enumerate(zip(given, sources)):
                if each.shape != model.shape:
                    raise RuntimeError(
                        f"{name}: invalid size of output tensor at index {i} (expected length "
                        f"{_shape(model)}, got {_shape(each)})"
                    )
        flat = [each for given in outputs for each in given]
        for i, each in enumerate(flat):
            if each.dtype != sources[0].dtype:
                raise RuntimeError(
                    f"{name}: invalid tensor type at index {i % len(sources)} (expected "
                    f"{sources[0].type()}, got {each.type()})"
                )
        _check_dtype(sources[0])
        call = _call("ALLGATHER_COALESCED", sources)

        def make(*arrays: Array) -> Iterator[Any]:
            whole, outs = numpy.concatenate(arrays[: len(sources)]), arrays[len(sources) :]
            rows = numpy.empty((self.size(), whole.size), whole.dtype)
            yield from self._steps.all_gather(self.channel, call, whole, rows)
            came, at = rows.reshape(-1), 0
            for each in outs:
                each[...] = came[at : at + each.size]
                at += each.size

        events = [("gloo:all_gather", sources)]
        return self._start("all_gather_coalesced", call, make, [*sources, *flat], flat, events)

    def all_gather_single(self, output: Tensor, source: Tensor) -> Work:
        """Gives all ranks the tensors of all, one after another in one tensor."""
        outputs = list(output.chunk(self.size())) if output.dim() else [output]
        return self.allgather(outputs, source, "_ALLGATHER_BASE")

    def gather(self, outputs: list[Tensor] | None, source: Tensor, root: int) -> Work:
        """Gives the root the tensors of all; `outputs` is None elsewhere."""
        self._check_root(root, "gather")
        if outputs is not None:
            if len(outputs) != self.size():
                raise RuntimeError(
                    "ProcessGroupGloo::gather: Incorrect output list size "
                    f"{len(outputs)}. Output list size should be {self.size()}, same as size of "
                    "the process group."
                )
            _check_like(outputs, source, "gather")
        _check_dtype(source)
        call = _call("GATHER", [source], f"Root={root}")

        def make(array: Array, *outs: Array) -> Iterator[Any]:
            rows = numpy.empty((self.size(), array.size), array.dtype) if outs else None
            yield from self._steps.gather(self.channel, call, array, rows, root)
            if rows is not None:
                for each, row in zip(outs, rows):
                    each[...] = row

        given = outputs or []
        events = [("gloo:gather", [source])]
        return self._start("gather", call, make, [source, *given], given, events)

    def scatter(self, output: Tensor, inputs: list[Tensor] | None, root: int) -> Work:
        """Gives rank k tensor k of the root's; `inputs` is None elsewhere."""
        self._check_root(root, "scatter")
        if inputs is not None:
            if len(inputs) != self.size():
                raise RuntimeError(
                    f"ProcessGroupGloo::scatter: Incorrect input list size {len(inputs)}. Input "
                    f"list size should be {self.size()}, same as size of the process group."
                )
            _check_like(inputs, output, "scatter")
        _check_dtype(output)
        call = _call("SCATTER", [output], f"Root={root}")

        def make(out: Array, *parts: Array) -> Iterator[Any]:
            rows = numpy.stack(parts) if parts else None
            yield from self._steps.scatter(self.channel, call, rows, out, root)

        given = inputs or []
        events = [("gloo:scatter", given)]
        return self._start("scatter", call, make, [output, *given], [output], events)

    def all_to_all_single(
        self, output: Tensor, source: Tensor, out_sizes: list[int], in_sizes: list[int]
    ) -> Work:
        """Gives each rank a part of each rank's tensor, cut along the first dimension."""
        _check_dtype(source)
        if not out_sizes and not in_sizes and output.numel() != source.numel():
            raise RuntimeError("in->size == out->size. ")
        outs, ins = self._elements(output, out_sizes), self._elements(source, in_sizes)

        call = Call("ALLTOALL_BASE", _name(source._array.dtype))

        def make(out: Array, array: Array) -> Iterator[Any]:
            yield from self._steps.all_to_all(self.channel, call, array, ins, out, outs)

        events = [("gloo:all_to_all", [source])]
        return self._start("all_to_all_single", call, make, [output, source], [output], events)

    def _elements(self, tensor: Tensor, sizes: list[int]) -> list[int]:
        """The numbers of elements of a tensor that go to each rank, or come from it."""
        rows = tensor.shape[0] if tensor.dim() else 1
        if not sizes:
            if rows % self.size():
                raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
            return [tensor.numel() // self.size()] * self.size()
        if len(sizes) != self.size():
            raise RuntimeError("Number of tensor splits not equal to group size")
        if sum(sizes) != rows:
            raise RuntimeError("Split sizes doesn't match total dim 0 size")
        return [size * (tensor.numel() // rows if rows else 0) for size in sizes]

    def alltoall(self, outputs: list[Tensor], inputs: list[Tensor]) -> Work:
        """Gives each rank one tensor of each rank."""
        for word, tensors in (("input", inputs), ("output", outputs)):
            if len(tensors) != self.size():
                raise RuntimeError(
                    f"ProcessGroupGloo::alltoall: {word} tensor list size {len(tensors)} does not "
                    f"match world size {self.size()}"
                )
        for each in inputs:
            _check_dtype(each)

        call = Call("ALLTOALL", _name(inputs[0]._array.dtype))

        def make(*arrays: Array) -> Iterator[Any]:
            outs, ins = arrays[: self.size()], arrays[self.size() :]
            sizes = [each.size for each in outs]
            came = numpy.empty(sum(sizes), ins[0].dtype)
            sent = numpy.concatenate(ins)
            lengths = [each.size for each in ins]
            yield from self._steps.all_to_all(self.channel, call, sent, lengths, came, sizes)
            at = 0
            for each in outs:
                each[...] = came[at : at + each.size]
                at += each.size

        events = [("gloo:all_to_all", inputs)]
        return self._start("all_to_all", call, make, [*outputs, *inputs], outputs, events)

    def barrier(self, device: Any = None) -> Work:
        """A work that is done as soon as all ranks have called barrier()."""
        call = Call("BARRIER")
        make = lambda: self._steps.barrier(self.channel, call)
        return self._start("barrier", call, make, [], [], [("gloo:barrier", [])])

    def monitored_barrier(
        self, store: Any, timeout: timedelta | None, wait_all_ranks: bool
    ) -> None:
        """Returns as soon as all ranks have called it. RuntimeError with those that have not."""
        timeout = timedelta(seconds=self._limit) if timeout is None else timeout
        key = f"monitored_barrier/{self.channel.number()}"
        meet(store, key, self.rank(), self.size(), timeout, wait_all_ranks)

    # ---- messages

    def _message(self, tensor: Tensor, rank: int | None, tag: int, word: str) -> Flat:
        if tag < 0:
            raise RuntimeError("Tag must be nonnegative")
        if rank is not None and not 0 <= rank < self.size():
            raise ValueError(f"Invalid {word} rank: {rank}")
        flat = Flat(tensor, "send")
        if not flat.home.flags.c_contiguous:
            raise RuntimeError("input tensor has to be contiguous")
        if self.size() == 1 or rank == self.rank():
            raise RuntimeError(
                "torch.distributed.send and recv of a rank with itself are not supported: "
                "Pair is not connected"
            )
        return flat

    def send(self, tensors: list[Tensor], to: int, tag: int) -> Work:
        """Sends a tensor to a rank."""
        array = self._message(tensors[0], to, tag, "destination").array
        steps = self._steps.send(self.channel, array, to, tag)
        steps = _with_events(steps, [("gloo:send", tensors)])
        return started(steps, tensors, "send", self._limit)

    def recv(self, tensors: list[Tensor], source: int | None, tag: int) -> Work:
        """Receives a tensor from a rank; None stands for any."""
        flat = self._message(tensors[0], source, tag, "source")
        seen: list[Any] = []

        def receive() -> Iterator[Any]:
            yield from self._steps.receive(self.channel, flat.array, source, tag, seen)
            flat.write_back()

        steps = receive()
        word = "recvAnySource" if source is None else "recv"
        steps = _with_events(steps, [(f"gloo:{word}", tensors)])
        sender = lambda: seen[0].source if seen else source
        return started(steps, tensors, "recv", self._limit, source=sender)
