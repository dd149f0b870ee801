"""torch.nn.parallel: what of it there is without several devices."""

from importlib import import_module as _import_module
from typing import Any as _Any

from minitorch._later import missing as _missing
from minitorch.nn.parallel.data_parallel import DataParallel as DataParallel
from minitorch.nn.parallel.data_parallel import data_parallel as data_parallel

# Names by the module that has them, which is imported when one is asked for.
_ELSEWHERE = {
    "DistributedDataParallel": "distributed",
    "distributed": "",
    "gather": "scatter_gather",
    "scatter": "scatter_gather",
    "scatter_gather": "",
    "comm": "",
    "parallel_apply": "parallel_apply",
    "replicate": "replicate",
}


def __getattr__(name: str) -> _Any:
    if name not in _ELSEWHERE:
        return _missing("torch.nn.parallel", name)
    module = _import_module(f"minitorch.nn.parallel.{_ELSEWHERE[name] or name}")
    found = getattr(module, name) if _ELSEWHERE[name] else module
    globals()[name] = found  # over the module of that name
    return found
