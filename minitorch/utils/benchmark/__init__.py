"""torch.utils.benchmark: how long statements take, tables of that, and tensors to try them on."""

from __future__ import annotations

from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.utils.benchmark.utils.common import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from minitorch.utils.benchmark.utils.compare import Colorize, Compare
from minitorch.utils.benchmark.utils.fuzzer import (
    FuzzedParameter,
    FuzzedTensor,
    Fuzzer,
    ParameterAlias,
)
from minitorch.utils.benchmark.utils.sparse_fuzzer import FuzzedSparseTensor
from minitorch.utils.benchmark.utils.timer import Language, Timer, timer
from minitorch.utils.benchmark.utils.valgrind_wrapper.timer_interface import (
    CallgrindStats,
    CopyIfCallgrind,
    FunctionCount,
    FunctionCounts,
)

__all__ = [
    "CallgrindStats",
    "Colorize",
    "Compare",
    "CopyIfCallgrind",
    "FunctionCount",
    "FunctionCounts",
    "FuzzedParameter",
    "FuzzedSparseTensor",
    "FuzzedTensor",
    "Fuzzer",
    "Language",
    "Measurement",
    "ParameterAlias",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
    "utils",
]


__getattr__ = _names_of("torch.utils.benchmark")
