"""torch's own databases of operators, modules and optimizers, of whichever version is installed."""

import sys
import unittest
from importlib.util import find_spec
from types import ModuleType


def _without_expecttest() -> None:
    """Lets the databases be imported where expecttest is not installed.

    The module that they share with torch's tests asks for a base class of these, and nothing else.
    """
    if find_spec("expecttest") is None:
        stand_in = ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in


_without_expecttest()

from torch.testing._internal import common_utils  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.testing._internal.common_modules import (  # noqa: E402
    FunctionInput,
    ModuleErrorEnum,
    ModuleInfo,
    ModuleInput,
    module_db,
)
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db  # noqa: E402
from torch.testing._internal.opinfo.core import UnaryUfuncInfo  # noqa: E402

__all__ = [
    "FunctionInput",
    "ModuleErrorEnum",
    "ModuleInfo",
    "ModuleInput",
    "OptimizerErrorEnum",
    "UnaryUfuncInfo",
    "module_db",
    "op_db",
    "optim_db",
]

# Each list of samples looks on the stack for a test of torch's own, to leave a note there. There is
# none, and the look takes 3 % of the time of the source opinfo.
common_utils.extract_test_fn = lambda: None
