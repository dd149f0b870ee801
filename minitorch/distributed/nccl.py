"""NCCL through CuPy: what it calls dtypes and reductions, and the communicators of a group.

Functions of CuPy's communicators take addresses, numbers of elements and streams:
https://docs.cupy.dev/en/stable/reference/generated/cupy.cuda.nccl.NcclCommunicator.html. The rules
are those of torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from minitorch.cuda.nccl import library, version
from minitorch.distributed.errors import DistBackendError
from minitorch.distributed.reduce_op import RedOpType, ReduceOp, kind_of

Array = Any
Tensor = Any
_BYTES = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")  # moved, not added
_TYPES = {
    "int8": "NCCL_INT8",
    "uint8": "NCCL_UINT8",
    "bool": "NCCL_UINT8",
    "int32": "NCCL_INT32",
    "int64": "NCCL_INT64",
    "float16": "NCCL_FLOAT16",
    "bfloat16": "NCCL_BFLOAT16",
    "float32": "NCCL_FLOAT32",
    "float64": "NCCL_FLOAT64",
    **dict.fromkeys(_BYTES, "NCCL_UINT8"),
}
_REDUCTIONS = {
    "SUM": "NCCL_SUM",
    "PREMUL_SUM": "NCCL_SUM",
    "AVG": "NCCL_AVG",
    "PRODUCT": "NCCL_PROD",
    "MIN": "NCCL_MIN",
    "MAX": "NCCL_MAX",
}
_SCALED = ("float16", "bfloat16", "float32", "float64")  # that PREMUL_SUM takes


def _dtype_name(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def type_of(tensor: Tensor) -> int:
    """NCCL's number of the dtype of a tensor. TypeError if it has none."""
    name = _TYPES.get(_dtype_name(tensor))
    if name is None:
        raise TypeError(
            "Input tensor data type is not supported for NCCL process group: "
            f"{tensor.dtype.scalar_name}"
        )
    return getattr(library(), name)


def reduction_of(op: Any, tensor: Tensor, options: str) -> tuple[int, Any]:
    """NCCL's number of a reduction, and the factor by which values are multiplied before, or None.

    Args:
        op: a RedOpType or a ReduceOp.
        tensor: that is reduced.
        options: the class in C++ that takes the reduction, for the error.

    Raises:
        TypeError, ValueError, RuntimeError: NCCL has none for this dtype.
    """
    kind, dtype = kind_of(op, options), _dtype_name(tensor)
    if dtype in _BYTES:
        raise RuntimeError("Unsupported Float8 type for NCCL reduction")
    type_of(tensor)
    if dtype == "bool" and kind == RedOpType.AVG.name:
        raise TypeError("Cannot use ReduceOp.AVG with Boolean inputs")
    if kind not in _REDUCTIONS:
        raise ValueError(f"Cannot use ReduceOp.{kind} with NCCL")
    if dtype == "bool" and kind == RedOpType.SUM.name:
        kind = RedOpType.MAX.name  # both are "or", and this one cannot overflow
    factor = None
    if kind == RedOpType.PREMUL_SUM.name:
        if dtype not in _SCALED:
            raise TypeError("PreMulSum Data type must be half, float, bfloat16 or double")
        factor = op.factor if isinstance(op, ReduceOp) else None
    return getattr(library(), _REDUCTIONS[kind]), factor


# ---- calls


@contextlib.contextmanager
def errors_of(what: str) -> Iterator[None]:
    """Turns an error of NCCL into torch's. DistBackendError.

    Args:
        what: was called, for the text.
    """
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "NcclError":
            raise
        number = ".".join(map(str, version()))
        raise DistBackendError(f"NCCL error in: {what}, {error}, NCCL version {number}") from None


ALL = "0"  # the name of a group's communicator of all ranks
_OPEN = threading.local()  # how many groups of calls the thread has begun, as NCCL counts them


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Has NCCL start the calls of a block as one."""
    start()
    try:
        yield
    finally:
        end()


def start() -> None:
    """Begins a group of calls."""
    with errors_of("ncclGroupStart"):
        library().groupStart()
    _OPEN.count = getattr(_OPEN, "count", 0) + 1


def end() -> None:
    """Ends a group of calls, which NCCL starts now."""
    _OPEN.count -= 1
    with errors_of("ncclGroupEnd"):
        library().groupEnd()


class Communicators:
    """The communicators of one group: of all its ranks, and of pairs that send messages.

    Each is made when it is first needed, by all of its ranks: the first of them puts NCCL's id into
    the store, where the others find it.

    Args:
        store: of the group's ranks alone.
        rank, size: of this process in the group, and how many there are.
    """

    def __init__(self, store: Any, rank: int, size: int) -> None:
        self.store, self.rank, self.size = store, rank, size
        self.made: dict[str, Any] = {}

    def of_all(self) -> Any:
        """The communicator of all ranks."""
        return self._get(ALL, self.rank, self.size)

    def key_of_pair(self, peer: int) -> str:
        """The name of the communicator of this rank and another one."""
        low, high = sorted((self.rank, peer))
        return f"{low}:{high}"

    def of_pair(self, peer: int) -> tuple[Any, int]:
        """The communicator of this rank and another one, and the number of that one in it."""
        low, high = sorted((self.rank, peer))
        own = int(self.rank == high and low != high)
        made = self._get(self.key_of_pair(peer), own, 1 if low == high else 2)
        return made, int(peer == high != low)

    def _get(self, key: str, rank: int, size: int) -> Any:
        if key not in self.made:
            # NCCL makes no communicator within a group of calls that waits for its end.
            pending = getattr(_OPEN, "count", 0)
            for _ in range(pending):
                end()
            identity = self._identity(key, rank)
            with errors_of("ncclCommInitRank"):
                self.made[key] = library().NcclCommunicator(size, identity, rank)
            for _ in range(pending):
                start()
        return self.made[key]

    def _identity(self, key: str, rank: int) -> bytes:
        """NCCL's id of a communicator, from its first rank. DistBackendError if none comes."""
        if rank == 0:
            with errors_of("ncclGetUniqueId"):
                identity = bytes(library().get_unique_id())
            self.store.set(key, identity)
            return identity
        try:
            return bytes(self.store.get(key))
        except Exception as error:
            raise DistBackendError(
                f"[{self.rank}] is setting up NCCL communicator and retrieving ncclUniqueId from "
                f"[0] via c10d key-value store by key '{key}', but store->get('{key}') got error: "
                f"{error}. This may indicate a possible application crash on rank 0 or a network "
                "set up issue."
            ) from error

    def check(self) -> None:
        """Raises the error of an operation that failed after it was started. DistBackendError."""
        for each in list(self.made.values()):
            with errors_of("ncclCommGetAsyncError"):
                each.check_async_error()

    def abort(self) -> None:
        """Ends what is on its way, and all communicators."""
        for each in self._forget():
            each.abort()

    def destroy(self) -> None:
        """Ends all communicators."""
        for each in self._forget():
            each.destroy()

    def _forget(self) -> list[Any]:
        ended, self.made = list(self.made.values()), {}
        return ended
