"""Options of the operations of a process group: reductions, roots and time limits, by attribute."""

from __future__ import annotations

import datetime
from copy import copy
from typing import Any, ClassVar

from minitorch.distributed.reduce_op import RedOpType, ReduceOp, kind_of

UNSET = datetime.timedelta(milliseconds=-1)  # then the limit of the group holds


class _Options:
    """Attributes with defaults: `timeout`, `asyncOp` (the caller goes on), and those of a class."""

    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        cls.__module__ = "torch.distributed.distributed_c10d"

    def __init__(self) -> None:
        for name, value in {"asyncOp": True, "timeout": UNSET, **self._defaults}.items():
            setattr(self, name, copy(value))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "reduceOp":
            kind_of(value, type(self).__name__, self)
            value = value if isinstance(value, ReduceOp) else ReduceOp(value)
        elif name == "timeout" and not isinstance(value, datetime.timedelta):
            value = datetime.timedelta(seconds=value)
        elif name not in {"asyncOp", "timeout", *self._defaults}:
            raise AttributeError(
                f"'torch._C._distributed_c10d.{type(self).__name__}' object has no attribute "
                f"'{name}'"
            )
        object.__setattr__(self, name, value)


class AllreduceOptions(_Options):
    """Options of ProcessGroup.allreduce."""

    _defaults: ClassVar = {"reduceOp": RedOpType.SUM}


class AllreduceCoalescedOptions(_Options):
    """Options of ProcessGroup.allreduce_coalesced."""

    _defaults: ClassVar = {"reduceOp": RedOpType.SUM}


class ReduceScatterOptions(_Options):
    """Options of ProcessGroup.reduce_scatter and its kin."""

    _defaults: ClassVar = {"reduceOp": RedOpType.SUM}


class ReduceOptions(_Options):
    """Options of ProcessGroup.reduce."""

    _defaults: ClassVar = {"reduceOp": RedOpType.SUM, "rootRank": 0, "rootTensor": 0}


class BroadcastOptions(_Options):
    """Options of ProcessGroup.broadcast."""

    _defaults: ClassVar = {"rootRank": 0, "rootTensor": 0}


class GatherOptions(_Options):
    """Options of ProcessGroup.gather."""

    _defaults: ClassVar = {"rootRank": 0}


class ScatterOptions(_Options):
    """Options of ProcessGroup.scatter."""

    _defaults: ClassVar = {"rootRank": 0}


class AllgatherOptions(_Options):
    """Options of ProcessGroup.allgather and its kin."""


class AllToAllOptions(_Options):
    """Options of ProcessGroup.alltoall and its kin."""


class BarrierOptions(_Options):
    """Options of ProcessGroup.barrier."""

    _defaults: ClassVar = {"device": None, "device_ids": []}
