"""torch.utils.data: nothing of it is there yet; every name says so."""

from typing import Any as _Any


def __getattr__(name: str) -> _Any:
    from minitorch.namespace import missing

    return missing("torch.utils.data", name)
