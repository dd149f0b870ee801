"""Enumerations that torch makes in C++: members are no integers, though they stand for some."""

from __future__ import annotations

import enum


class Enumeration(enum.Enum):
    """Like an enumeration of pybind11: a member equals itself alone, and can be an index."""

    def __int__(self) -> int:
        return self.value

    __index__ = __int__

    def __hash__(self) -> int:
        return self.value


class AggregationType(Enumeration):
    """How values of an event are taken together."""

    SUM = 0
    AVG = 1


class _BlasBackend(Enumeration):
    """Which library multiplies matrices on a GPU."""

    Default = 0
    Cublas = 1
    Cublaslt = 2
    Ck = 3


class _LinalgBackend(Enumeration):
    """Which library solves systems on a GPU."""

    Default = 0
    Cusolver = 1
    Magma = 2


class _ROCmFABackend(Enumeration):
    """Which library computes attention on a GPU by AMD."""

    Default = 0
    AOTriton = 1
    Ck = 2


SUM, AVG = AggregationType  # names of torch as well
AggregationType.__module__ = "torch"
for _each in (_BlasBackend, _LinalgBackend, _ROCmFABackend):
    _each.__module__ = "torch._C"
