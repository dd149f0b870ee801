"""torch.nn.parallel: what of it there is without several devices."""

from typing import Any as _Any

from minitorch.nn.parallel.data_parallel import DataParallel


def __getattr__(name: str) -> _Any:
    from minitorch.namespace import missing

    return missing("torch.nn.parallel", name)
