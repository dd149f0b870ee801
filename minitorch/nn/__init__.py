"""torch.nn: modules, their parameters, and what initialises them."""

from typing import Any as _Any

from minitorch.nn import functional, init, modules, utils
from minitorch.nn.modules import *  # noqa: F403
from minitorch.nn.parameter import (
    Buffer,
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
)


def __getattr__(name: str) -> _Any:
    return getattr(modules, name)
