"""The kinds of reductions, backends by name, and the options of operations."""

from __future__ import annotations

import datetime
import enum
import warnings
from typing import Any, ClassVar, NamedTuple

default_pg_timeout = datetime.timedelta(minutes=30)
default_pg_nccl_timeout = datetime.timedelta(minutes=10)


class RedOpType(enum.IntEnum):
    """The kinds of reductions."""

    __module__ = "torch.distributed"

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


class ReduceOp:
    """A kind of reduction as an object: ReduceOp.SUM and its kin are the kinds."""

    __module__ = "torch.distributed.distributed_c10d"
    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType

    def __init__(self, red_op: Any = RedOpType.SUM) -> None:
        if not isinstance(red_op, RedOpType):
            raise TypeError(
                "__init__(): incompatible constructor arguments. The following argument types are "
                "supported:\n    1. torch._C._distributed_c10d.ReduceOp(arg0: "
                f"c10d::ReduceOp::RedOpType)\n\nInvoked with: {red_op!r}"
            )
        self.op = red_op
        self.factor: Any = None

    def __eq__(self, other: object) -> bool:
        return self.op == getattr(other, "op", other)

    def __hash__(self) -> int:
        return hash(self.op)


class BackendType(enum.IntEnum):
    """Backends by number: torch.distributed.ProcessGroup.BackendType."""

    UNDEFINED = 0
    GLOO = 1
    NCCL = 2
    XCCL = 5
    UCC = 3
    MPI = 4
    CUSTOM = 6


class Backend(str):
    """The name of a backend, in small letters: Backend('GLOO') is 'gloo'."""

    __slots__ = ()
    __module__ = "torch.distributed.distributed_c10d"
    UNDEFINED, GLOO, NCCL, XCCL = "undefined", "gloo", "nccl", "xccl"
    UCC, MPI, FAKE = "ucc", "mpi", "fake"
    backend_list: ClassVar[list[str]] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return str.__new__(cls, getattr(cls, name.upper(), name.lower()))

    class _BackendPlugin(NamedTuple):
        creator_fn: Any
        extended_api: bool

    _plugins: ClassVar[dict[str, Any]] = {}
    default_device_backend_map: ClassVar[dict[str, str]] = {
        "cpu": GLOO,
        "cuda": NCCL,
        "xpu": XCCL,
        "mps": GLOO,
    }
    backend_capability: ClassVar[dict[str, list[str]]] = {
        GLOO: ["cpu", "cuda"],
        NCCL: ["cuda"],
        XCCL: ["xpu"],
        UCC: ["cpu", "cuda"],
        MPI: ["cpu", "cuda"],
        FAKE: ["cpu", "cuda", "hpu", "xpu"],
    }
    backend_type_map: ClassVar[dict[str, BackendType]] = {
        UNDEFINED: BackendType.UNDEFINED,
        GLOO: BackendType.GLOO,
        NCCL: BackendType.NCCL,
        XCCL: BackendType.XCCL,
        UCC: BackendType.UCC,
        MPI: BackendType.MPI,
        FAKE: BackendType.CUSTOM,
    }

    @classmethod
    def register_backend(
        cls,
        name: str,
        func: Any,
        extended_api: bool = False,
        devices: str | list[str] | None = None,
    ) -> None:
        """Makes a backend known that is written in Python.

        Args:
            name: what init_process_group takes.
            func: from a store, a rank, the number of ranks and a time limit to the ProcessGroup,
                whose class overrides the operations.
            extended_api: whether it takes options of a backend instead, which are refused when a
                group is made.
            devices: whose tensors it takes.

        As torch.distributed.Backend.register_backend.
        """
        own = name.lower()
        if not hasattr(Backend, name.upper()):
            setattr(Backend, name.upper(), own)
        if own not in Backend.backend_list:
            Backend.backend_list.append(own)
        for device in devices or ():
            if Backend.default_device_backend_map.get(device, Backend.FAKE) == Backend.FAKE:
                Backend.default_device_backend_map[device] = own
        Backend.backend_type_map[own] = BackendType.CUSTOM
        if devices is None:
            warnings.warn(
                f"Device capability of {name} unspecified, assuming `cpu` and `cuda` or `xpu`. "
                "Please specify it via the `devices` argument of `register_backend`.",
                stacklevel=2,
            )
        listed = ["cpu", "cuda"] if devices is None else devices
        Backend.backend_capability[own] = [listed] if isinstance(listed, str) else listed
        Backend._plugins[name.upper()] = Backend._BackendPlugin(func, extended_api)


def kind_of(op: Any, options: str, owner: Any = None) -> str:
    """The name of a reduction.

    Args:
        options: the class in C++ that takes it, for the error.
        owner: the object of that class.

    Raises:
        TypeError: it is no reduction, or one that needs a factor and has none.
    """
    if isinstance(op, ReduceOp):
        return op.op.name
    if isinstance(op, RedOpType) and op is not RedOpType.PREMUL_SUM:
        return op.name
    home = f"torch.distributed.distributed_c10d.{options}"
    raise TypeError(
        "(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. (self: torch._C._distributed_c10d.{options}, arg0: "
        "torch._C._distributed_c10d.ReduceOp) -> None\n\n"
        f"Invoked with: <{home} object at {id(owner or op):#x}>, {op!r}"
    )


def _make_nccl_premul_sum(factor: Any) -> ReduceOp:
    """A sum of values that are multiplied before. As torch's _make_nccl_premul_sum."""
    op = ReduceOp(RedOpType.PREMUL_SUM)
    op.factor = factor
    return op
