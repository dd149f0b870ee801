"""The exceptions of torch.distributed for processes that cannot work together."""

from __future__ import annotations


class DistError(RuntimeError):
    """Processes cannot work together."""

    __module__ = "torch.distributed"


class DistBackendError(DistError):
    """A backend failed."""

    __module__ = "torch.distributed"


class DistNetworkError(DistError):
    """A connection failed."""

    __module__ = "torch.distributed"


class DistStoreError(DistError):
    """A store did not answer, or not in time."""

    __module__ = "torch.distributed"


class QueueEmptyError(DistStoreError):
    """A queue of a store has nothing in it."""

    __module__ = "torch.distributed"
