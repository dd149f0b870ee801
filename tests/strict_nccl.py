"""A stand-in for cupy.cuda.nccl: ranks are threads, and each call is noted and checked.

Signatures, keywords and constants are those of cupy_backends/cuda/libs/nccl.pyx of CuPy 14.2:
https://docs.cupy.dev/en/stable/reference/generated/cupy.cuda.nccl.NcclCommunicator.html. Calls take
addresses and numbers of elements, so that a wrong count reads or writes other memory than it
should, and a wrong type other numbers. What NCCL forbids fails here: ranks whose calls, counts,
types, reductions or roots differ, messages that nobody sends, streams that are not the current one.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections import defaultdict, deque
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy

_LIMIT = 30.0  # seconds until ranks that wait for one another give up
CONSTANTS = {
    "NCCL_SUM": 0,
    "NCCL_PROD": 1,
    "NCCL_MAX": 2,
    "NCCL_MIN": 3,
    "NCCL_AVG": 4,
    "NCCL_INT8": 0,
    "NCCL_CHAR": 0,
    "NCCL_UINT8": 1,
    "NCCL_INT32": 2,
    "NCCL_INT": 2,
    "NCCL_UINT32": 3,
    "NCCL_INT64": 4,
    "NCCL_UINT64": 5,
    "NCCL_FLOAT16": 6,
    "NCCL_HALF": 6,
    "NCCL_FLOAT32": 7,
    "NCCL_FLOAT": 7,
    "NCCL_FLOAT64": 8,
    "NCCL_DOUBLE": 8,
    "NCCL_BFLOAT16": 9,
}
_DTYPES = [numpy.dtype(each) for each in "b B i I q Q e f d".split()]
_DTYPES.append(numpy.dtype(ml_dtypes.bfloat16))
_UFUNCS = (numpy.add, numpy.multiply, numpy.maximum, numpy.minimum, numpy.add)
_GROUPS = threading.local()


class NcclError(RuntimeError):
    """An error of NCCL, as CuPy raises it."""

    def __init__(self, status: int) -> None:
        self.status = status
        texts = {2: "NCCL_ERROR_SYSTEM_ERROR", 5: "NCCL_ERROR_INVALID_USAGE"}
        super().__init__(f"{texts[status]}: unhandled")


def _array(address: int, count: int, datatype: int) -> Any:
    """The memory at an address as numbers."""
    dtype = _DTYPES[datatype]
    if not count:
        return numpy.empty(0, dtype)
    held = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return numpy.frombuffer(held, dtype)


class _Meeting:
    """The data that the ranks of one communicator give to one another."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.news = threading.Condition()
        self.given: defaultdict[int, dict[int, Any]] = defaultdict(dict)
        self.letters: defaultdict[tuple[int, int], deque[Any]] = defaultdict(deque)

    def meet(self, number: int, rank: int, call: Any, data: Any) -> list[Any]:
        """The data of all ranks in a collective. AssertionError if their calls differ."""
        with self.news:
            self.given[number][rank] = call, data
            self.news.notify_all()
            there = lambda: len(self.given[number]) == self.size
            assert self.news.wait_for(there, _LIMIT), f"a rank does not come: {call}"
            calls = {each for each, _ in self.given[number].values()}
            assert len(calls) == 1, f"ranks differ: {calls}"
            return [self.given[number][each][1] for each in range(self.size)]


def _groups() -> list[list[Any]]:
    if not hasattr(_GROUPS, "open"):
        _GROUPS.open = []
    return _GROUPS.open


def module(streams: Any) -> ModuleType:
    """The module cupy.cuda.nccl, with lists `log` of each rank's calls by its thread's name.

    Args:
        streams: tests.strict_streams, whose streams may be named.
    """
    nccl: Any = ModuleType("cupy.cuda.nccl")
    meetings: dict[bytes, _Meeting] = {}
    numbers = itertools.count()
    nccl.log = defaultdict(list)
    nccl.failure = None
    nccl.available, nccl.NcclError = True, NcclError
    nccl.__dict__.update(CONSTANTS)
    nccl.get_version = lambda: 22703
    nccl.get_build_version = lambda: 22703
    nccl.get_unique_id = lambda: (b"\0id%d" % next(numbers)).ljust(128, b"\xff")

    def note(*call: Any) -> None:
        nccl.log[threading.current_thread().name].append(call)

    def groupStart() -> None:
        note("groupStart")
        _groups().append([])

    def groupEnd() -> None:
        note("groupEnd")
        queued = _groups().pop()
        if _groups():
            _groups()[-1].extend(queued)
            return
        # Of several calls all messages are sent before the first is awaited.
        for each in sorted(queued, key=lambda call: call.awaits):
            each()

    nccl.groupStart, nccl.groupEnd = groupStart, groupEnd

    class NcclCommunicator:
        def __init__(self, ndev: int, commId: bytes, rank: int, config: Any = None) -> None:
            assert type(commId) is bytes
            assert len(commId) == 128
            assert not _groups(), "a communicator within a group of calls"
            assert 0 <= rank < ndev
            note("NcclCommunicator", ndev, rank)
            self._meeting = meetings.setdefault(commId, _Meeting(ndev))
            self._rank, self._size, self._count, self._ended = rank, ndev, 0, False
            self._meeting.meet(-1, rank, "init", None)

        def _do(self, awaits: bool, run: Any, *call: Any) -> None:
            assert not self._ended, "a communicator that was destroyed"
            stream = call[-1]
            assert streams.get_current_stream().ptr == stream, "work beside the stream"
            note(*call)
            streams.get_current_stream().told.append(call)
            run.__dict__["awaits"] = awaits
            if _groups():
                _groups()[-1].append(run)
            else:
                run()

        def _meet(self, call: Any, data: Any) -> list[Any]:
            self._count += 1
            return self._meeting.meet(self._count, self._rank, call, data)

        def _reduced(self, call: Any, sendbuf: int, count: int, datatype: int, op: int) -> Any:
            given = _array(sendbuf, count, datatype).copy()
            parts = self._meet((*call, count, datatype, op), given)
            with numpy.errstate(all="ignore"):
                total = parts[0]
                for each in parts[1:]:
                    total = _UFUNCS[op](total, each)
                return (total / self._size).astype(total.dtype) if op == 4 else total

        def allReduce(
            self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, stream: int
        ) -> None:
            def run() -> None:
                total = self._reduced(("allReduce",), sendbuf, count, datatype, op)
                _array(recvbuf, count, datatype)[...] = total

            self._do(True, run, "allReduce", count, datatype, op, stream)

        def reduce(
            self,
            sendbuf: int,
            recvbuf: int,
            count: int,
            datatype: int,
            op: int,
            root: int,
            stream: int,
        ) -> None:
            def run() -> None:
                total = self._reduced(("reduce", root), sendbuf, count, datatype, op)
                if self._rank == root:
                    _array(recvbuf, count, datatype)[...] = total

            self._do(True, run, "reduce", count, datatype, op, root, stream)

        def broadcast(
            self, sendbuff: int, recvbuff: int, count: int, datatype: int, root: int, stream: int
        ) -> None:
            def run() -> None:
                own = _array(sendbuff, count, datatype).copy() if self._rank == root else None
                parts = self._meet(("broadcast", count, datatype, root), own)
                _array(recvbuff, count, datatype)[...] = parts[root]

            self._do(True, run, "broadcast", count, datatype, root, stream)

        def reduceScatter(
            self, sendbuf: int, recvbuf: int, recvcount: int, datatype: int, op: int, stream: int
        ) -> None:
            def run() -> None:
                whole = recvcount * self._size
                total = self._reduced(("reduceScatter",), sendbuf, whole, datatype, op)
                part = total[self._rank * recvcount :][:recvcount]
                _array(recvbuf, recvcount, datatype)[...] = part

            self._do(True, run, "reduceScatter", recvcount, datatype, op, stream)

        def allGather(
            self, sendbuf: int, recvbuf: int, count: int, datatype: int, stream: int
        ) -> None:
            def run() -> None:
                own = _array(sendbuf, count, datatype).copy()
                parts = self._meet(("allGather", count, datatype), own)
                whole = numpy.concatenate(parts)
                _array(recvbuf, count * self._size, datatype)[...] = whole

            self._do(True, run, "allGather", count, datatype, stream)

        def send(self, sendbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
            assert 0 <= peer < self._size

            def run() -> None:
                with self._meeting.news:
                    letter = datatype, _array(sendbuf, count, datatype).copy()
                    self._meeting.letters[self._rank, peer].append(letter)
                    self._meeting.news.notify_all()

            self._do(False, run, "send", count, datatype, peer, stream)

        def recv(self, recvbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
            assert 0 <= peer < self._size

            def run() -> None:
                letters = self._meeting.letters[peer, self._rank]
                with self._meeting.news:
                    assert self._meeting.news.wait_for(lambda: letters, _LIMIT), "no message"
                    kind, came = letters.popleft()
                assert (kind, came.size) == (datatype, count), "a message of another kind"
                _array(recvbuf, count, datatype)[...] = came

            self._do(True, run, "recv", count, datatype, peer, stream)

        def check_async_error(self) -> None:
            if nccl.failure is not None:
                raise NcclError(nccl.failure)

        def destroy(self) -> None:
            note("destroy")
            self._ended = True

        def abort(self) -> None:
            note("abort")
            self._ended = True

    nccl.NcclCommunicator = NcclCommunicator
    return nccl
