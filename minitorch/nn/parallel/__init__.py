"""torch.nn.parallel: what of it there is without several devices."""

from typing import Any as _Any

from minitorch.nn.parallel.data_parallel import DataParallel


def __getattr__(name: str) -> _Any:
    from importlib import import_module

    from minitorch.namespace import missing

    if name in ("DistributedDataParallel", "distributed"):
        module = import_module("minitorch.nn.parallel.distributed")
        return module if name == "distributed" else module.DistributedDataParallel

    return missing("torch.nn.parallel", name)
