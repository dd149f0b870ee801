"""The backends that are there for processes to work together, and what a launcher has said."""

from __future__ import annotations

import os
from importlib.util import find_spec

from minitorch.cuda import nccl
from minitorch.distributed.backends import by_device
from minitorch.distributed.reduce_op import Backend


def is_available() -> bool:
    """Whether several processes can work together: where mpi4py is installed, or NCCL."""
    return is_mpi_available() or is_nccl_available()


def is_gloo_available() -> bool:
    """Whether the backend 'gloo' can have several ranks."""
    return is_mpi_available()


def is_mpi_available() -> bool:
    """Whether the backend 'mpi' can have several ranks."""
    return find_spec("mpi4py") is not None


def is_nccl_available() -> bool:
    """Whether there is the backend 'nccl': CuPy, NCCL and a CUDA device."""
    return nccl.is_usable()


def is_ucc_available() -> bool:
    """Whether there is the backend 'ucc': no."""
    return False


def is_xccl_available() -> bool:
    """Whether there is the backend 'xccl': no."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether there are the backends of a name such as "gloo" or "cpu:gloo,cuda:nccl"."""
    known = {
        Backend.GLOO: is_gloo_available,
        Backend.MPI: is_mpi_available,
        Backend.FAKE: is_available,
        Backend.NCCL: is_nccl_available,
    }
    names = by_device(backend).values() if ":" in backend else [backend.lower()]
    return all(each in known and known[each]() for each in names)


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


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
