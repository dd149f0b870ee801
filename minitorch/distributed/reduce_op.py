"""What reductions compute, backends by name, and the options of operations."""

from __future__ import annotations

import datetime
import enum
from typing import Any, ClassVar, NoReturn

default_pg_timeout = datetime.timedelta(minutes=30)


class RedOpType(enum.IntEnum):
    """What a reduction computes."""

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
    """What a reduction computes, as an object: ReduceOp.SUM and its kin are its kinds."""

    __module__ = "torch.distributed"
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

    @classmethod
    def register_backend(cls, name: str, func: Any, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses: there is nothing that a backend could work for."""
        raise NotImplementedError(
            "torch.distributed.Backend.register_backend is not implemented by minitorch"
        )


def kind_of(op: Any, options: str) -> str:
    """The name of a reduction.

    Args:
        options: the class in C++ that takes it, for the error.

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
        f"Invoked with: <{home} object at {id(op):#x}>, {op!r}"
    )


def _make_nccl_premul_sum(factor: Any) -> ReduceOp:
    """A sum of values that are multiplied before. As torch's _make_nccl_premul_sum."""
    op = ReduceOp(RedOpType.PREMUL_SUM)
    op.factor = factor
    return op
