"""Enumerations that torch makes in C++: members are no integers, though they stand for some."""

from __future__ import annotations

import enum


class _Kind(enum.EnumMeta):
    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__qualname__}'>"


class Enumeration(enum.Enum, metaclass=_Kind):
    """Like an enumeration of pybind11: a member equals itself alone, and can be an index."""

    def __int__(self) -> int:
        return self.value

    __index__ = __int__

    def __hash__(self) -> int:
        return self.value


class AggregationType(Enumeration):
    """The operations that combine the values of an event."""

    SUM = 0
    AVG = 1


_TAGS = (
    "core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated "
    "inplace inplace_view maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides "
    "needs_fixed_stride_order nondeterministic_bitwise nondeterministic_seeded out out_variant "
    "pointwise pt2_compliant_tag reduction view_copy"
)
# What can be said of an operator.
Tag = Enumeration(  # type: ignore[call-overload]
    "Tag", {name: i for i, name in enumerate(_TAGS.split())}, module="torch"
)


class _BlasBackend(Enumeration):
    """The libraries that multiply matrices on a GPU."""

    Default = 0
    Cublas = 1
    Cublaslt = 2
    Ck = 3


class _LinalgBackend(Enumeration):
    """The libraries that solve systems on a GPU."""

    Default = 0
    Cusolver = 1
    Magma = 2


class _ROCmFABackend(Enumeration):
    """The libraries that compute attention on a GPU by AMD."""

    Default = 0
    AOTriton = 1
    Ck = 2


SUM, AVG = AggregationType  # names of torch as well
AggregationType.__module__ = "torch"
for _each in (_BlasBackend, _LinalgBackend, _ROCmFABackend):
    _each.__module__ = "torch._C"
