"""Backends by name: the operations of each, and what its ranks reach one another by."""

from __future__ import annotations

import importlib
from typing import Any

import minitorch
from minitorch.distributed.reduce_op import Backend

# The modules with the steps of each backend but nccl, whose operations are its own; the testing
# module of threads adds its own.
BACKENDS = {
    Backend.GLOO: "minitorch.distributed.steps",
    Backend.MPI: "minitorch.distributed.mpi_steps",
    Backend.FAKE: "minitorch.distributed.fake_steps",
}
_BY_MPI = (Backend.GLOO, Backend.MPI)
# The errors of torch have the line breaks and blanks of its source.
_GAP = " " * 37
_INVALID = "The custom backend string argument is invalid: "
_FORM = (
    ".\n                Custom backend string is an experimental feature where the backend string "
    'must be in the format:\n                "<device_type1>:<backend1>,<device_type2>:<backend2>'
    "...\". e.g. 'cpu:gloo,cuda:nccl'"
)


def by_device(name: str) -> dict[str, str]:
    """The backend of each kind of device: {"cpu": "gloo", "cuda": "nccl"} of "cpu:gloo,cuda:nccl".

    No name, "undefined", stands for the backend of the accelerator that is there, or of the CPU.

    Raises:
        ValueError: a part of the name is not a device and a backend, or a device is there twice.

    As torch.distributed.distributed_c10d.BackendConfig.
    """
    if name == Backend.UNDEFINED:
        device = "cuda" if minitorch.cuda.is_available() else "cpu"
        return {device: Backend.default_device_backend_map[device]}
    if ":" not in name:
        return dict.fromkeys(Backend.backend_capability.get(name, ["cpu", "cuda"]), name)
    found: dict[str, str] = {}
    for pair in name.lower().split(","):
        device, *backends = pair.split(":")
        if len(backends) != 1:
            raise ValueError(
                f"Invalid device:backend pairing: {_GAP}{pair}. {_INVALID}{name}{_FORM}"
            )
        if device in found:
            raise ValueError(
                f"Duplicate device type {device} {_GAP}in backend string: {backends[0]}. "
                f"{_INVALID}{name}{_FORM}"
            )
        found[device] = Backend(backends[0])
    return found


def needs_mpi(backends: dict[str, str]) -> bool:
    """Whether several ranks need MPI for one of the backends."""
    return any(each in _BY_MPI for each in backends.values())


def operations(name: str) -> Any:
    """The module with the operations of a backend."""
    # start-up: most worlds use one of them
    return importlib.import_module(BACKENDS[name])


def among_threads(name: str, store: Any, group: str) -> Any:
    """The object that the threads of a group share; None for backends whose ranks share nothing."""
    share = getattr(operations(name), "shared_by", None)
    return None if share is None else share(store, group)
