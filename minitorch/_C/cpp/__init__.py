"""torch.cpp: modules that are written in C++; Python can hold some and make none."""

from __future__ import annotations

from minitorch._C.cpp import nn as nn
from minitorch._C.cpp.nn import refuse


class OrderedTensorDict:
    """The parameters of a module in C++ by name."""

    __module__ = "torch._C.cpp"
    __new__ = refuse


class OrderedModuleDict:
    """The modules in a module in C++ by name."""

    __module__ = "torch._C.cpp"
    __new__ = refuse
