"""Backends by name: the operations of each, and what its ranks reach one another by."""

from __future__ import annotations

import importlib
from typing import Any

from minitorch.distributed.reduce_op import Backend

# The modules with the operations of each backend; the testing module of threads adds its own.
BACKENDS = {
    Backend.GLOO: "minitorch.distributed.steps",
    Backend.UNDEFINED: "minitorch.distributed.steps",
    Backend.MPI: "minitorch.distributed.mpi_steps",
    Backend.FAKE: "minitorch.distributed.fake_steps",
}
_BY_MPI = (Backend.GLOO, Backend.UNDEFINED, Backend.MPI)


def of_cpu(name: str) -> str:
    """The backend of tensors on the CPU, of a name such as "cpu:gloo,cuda:nccl"."""
    for each in name.split(","):
        device, colon, own = each.rpartition(":")
        if not colon or device == "cpu":
            return own
    return Backend.UNDEFINED


def needs_mpi(name: str) -> bool:
    """Whether several ranks of a backend need MPI."""
    return of_cpu(name) in _BY_MPI


def operations(name: str) -> Any:
    """The module with the operations of a backend."""
    # start-up: most worlds use one of them
    return importlib.import_module(BACKENDS[of_cpu(name)])


def among_threads(name: str, store: Any, group: str) -> Any:
    """The object that the threads of a group share; None for backends whose ranks share nothing."""
    share = getattr(operations(name), "shared_by", None)
    return None if share is None else share(store, group)
