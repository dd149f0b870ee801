"""torch.testing._internal.common_dtype: groups of dtypes to run tests with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minitorch as torch


class _dispatch_dtypes(tuple[Any, ...]):
    """A tuple of dtypes that stays of this class when another one is added."""

    def __add__(self, other: Any) -> _dispatch_dtypes:
        assert isinstance(other, tuple)
        return _dispatch_dtypes(tuple.__add__(self, other))


def _validate_dtypes(*dtypes: Any) -> tuple[Any, ...]:
    """The dtypes; AssertionError if one of them is something else."""
    for each in dtypes:
        assert isinstance(each, torch.dtype)
    return dtypes


def _group(*dtypes: Any) -> _dispatch_dtypes:
    return _dispatch_dtypes(dtypes)


_empty_types = _group()
_floating_types = _group(torch.float32, torch.float64)
_floating_types_and_half = _floating_types + (torch.half,)
_complex_types = _group(torch.cfloat, torch.cdouble)
_floating_and_complex_types = _floating_types + _complex_types
_double_types = _group(torch.float64, torch.complex128)
_integral_types = _group(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
_all_types = _floating_types + _integral_types
_all_types_and_complex = _all_types + _complex_types
_all_types_and_half = _all_types + (torch.half,)
_float8_types = _group(
    torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz
)
_all_mps_types = _group(torch.float16, torch.bfloat16, torch.float32) + _group(
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
)


def _giving(name: str, group: _dispatch_dtypes) -> Callable[[], _dispatch_dtypes]:
    def given() -> _dispatch_dtypes:
        return group

    given.__name__ = given.__qualname__ = name
    given.__doc__ = "The dtypes of the group."
    return given


def _extending(name: str, group: _dispatch_dtypes) -> Callable[..., _dispatch_dtypes]:
    def extended(*dtypes: Any) -> _dispatch_dtypes:
        return group + _validate_dtypes(*dtypes)

    extended.__name__ = extended.__qualname__ = name
    extended.__doc__ = "The dtypes of the group, and others."
    return extended


empty_types = _giving("empty_types", _empty_types)
floating_types = _giving("floating_types", _floating_types)
floating_types_and_half = _giving("floating_types_and_half", _floating_types_and_half)
complex_types = _giving("complex_types", _complex_types)
floating_and_complex_types = _giving("floating_and_complex_types", _floating_and_complex_types)
double_types = _giving("double_types", _double_types)
integral_types = _giving("integral_types", _integral_types)
all_types = _giving("all_types", _all_types)
all_types_and_complex = _giving("all_types_and_complex", _all_types_and_complex)
all_types_and_half = _giving("all_types_and_half", _all_types_and_half)
float8_types = _giving("float8_types", _float8_types)
all_mps_types = _giving("all_mps_types", _all_mps_types)
floating_types_and = _extending("floating_types_and", _floating_types)
complex_types_and = _extending("complex_types_and", _complex_types)
floating_and_complex_types_and = _extending(
    "floating_and_complex_types_and", _floating_and_complex_types
)
integral_types_and = _extending("integral_types_and", _integral_types)
all_types_and = _extending("all_types_and", _all_types)
all_types_and_complex_and = _extending("all_types_and_complex_and", _all_types_and_complex)
all_types_complex_float8_and = _extending(
    "all_types_complex_float8_and", _all_types + _complex_types + _float8_types
)
float8_types_and = _extending("float8_types_and", _float8_types)
all_mps_types_and = _extending("all_mps_types_and", _all_mps_types)
custom_types = _extending("custom_types", _empty_types)


def get_all_dtypes(
    include_half: bool = True,
    include_bfloat16: bool = True,
    include_bool: bool = True,
    include_complex: bool = True,
    include_complex32: bool = False,
    include_qint: bool = False,
) -> list[Any]:
    """All dtypes of the kinds that are asked for."""
    dtypes = get_all_int_dtypes() + get_all_fp_dtypes(include_half, include_bfloat16)
    if include_bool:
        dtypes.append(torch.bool)
    if include_complex:
        dtypes += get_all_complex_dtypes(include_complex32)
    if include_qint:
        dtypes += get_all_qint_dtypes()
    return dtypes


def get_all_math_dtypes(device: Any) -> list[Any]:
    """The dtypes with which a device calculates."""
    halves = get_all_fp_dtypes(include_half=str(device).startswith("cuda"), include_bfloat16=False)
    return get_all_int_dtypes() + halves + get_all_complex_dtypes()


def get_all_complex_dtypes(include_complex32: bool = False) -> list[Any]:
    """The complex dtypes."""
    rare = [torch.complex32] if include_complex32 else []
    return [*rare, torch.complex64, torch.complex128]


def get_all_int_dtypes() -> list[Any]:
    """The dtypes of whole numbers."""
    return [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]


def get_all_fp_dtypes(include_half: bool = True, include_bfloat16: bool = True) -> list[Any]:
    """The dtypes of floating-point numbers."""
    dtypes = [torch.float32, torch.float64]
    if include_half:
        dtypes.append(torch.float16)
    if include_bfloat16:
        dtypes.append(torch.bfloat16)
    return dtypes


def get_all_qint_dtypes() -> list[Any]:
    """The dtypes of quantised numbers."""
    return [torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4]


def highest_precision_float(device: Any) -> Any:
    """The widest dtype of floating-point numbers on a device."""
    return torch.float32 if torch.device(device).type == "mps" else torch.float64


def highest_precision_complex(device: Any) -> Any:
    """The widest complex dtype on a device."""
    return torch.complex64 if torch.device(device).type == "mps" else torch.complex128


float_to_corresponding_complex_type_map = {
    torch.float16: torch.complex32,
    torch.float32: torch.complex64,
    torch.float64: torch.complex128,
}
