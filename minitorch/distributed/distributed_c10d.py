"""torch.distributed.distributed_c10d: names of process groups, of which this process has none.

A collective function says, as torch's does, that no group was initialised.
"""

from __future__ import annotations

import enum
import os
from typing import Any, ClassVar, NoReturn

from minitorch import outlines
from minitorch.distributed.store import PrefixStore, Store  # noqa: F401  part of this module

__all__ = outlines.names("torch.distributed.distributed_c10d")

_NO_GROUP = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)


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
        self.op = RedOpType(red_op)

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


class group:
    """The group of all processes, which is not there."""

    __module__ = "torch.distributed.distributed_c10d"
    WORLD = None


class GroupMember:
    """What stands for the group of all processes, and for none."""

    __module__ = "torch.distributed.distributed_c10d"
    WORLD = None
    NON_GROUP_MEMBER = -100


def is_available() -> bool:
    """Whether processes can work together: no."""
    return False


is_nccl_available = is_gloo_available = is_mpi_available = is_available
is_ucc_available = is_xccl_available = is_available


def is_backend_available(backend: str) -> bool:
    """Whether processes can work together through that library: no."""
    return False


def is_initialized() -> bool:
    """Whether a group of processes was set up: no."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def get_pg_count() -> int:
    """How many groups there are: none."""
    return 0


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The number of this process on its machine, from $LOCAL_RANK, or `fallback_rank`."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work, assuming you are not running in a multi-device context and "
        "want the code to run locally instead."
    )


def _rank_not_in_group(group: Any) -> bool:
    """Whether this process is outside a group; None stands for the group of all."""
    return group == GroupMember.NON_GROUP_MEMBER if group is not None else False


def destroy_process_group(group: Any = None) -> None:
    """Ends a group, of which there is none."""
    if group == GroupMember.NON_GROUP_MEMBER and group is not None:
        return
    raise AssertionError("Process group cannot be None")


class P2POp:
    """A message to send or receive: it needs a group."""

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ValueError(_NO_GROUP)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.distributed_c10d")
