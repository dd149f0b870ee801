"""finfo and iinfo: the range and precision of floating-point and integer dtypes."""

from __future__ import annotations

from typing import Any

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.closed import Closed, assign
from minitorch.core.numbers.dtype import Kind, get_default_dtype

# Bits of the mantissa, exponent of the smallest normal number, the greatest number in units of its
# last place as (units, exponent of a unit), and the decimal digits that always survive.
_FORMATS = {
    "float16": (10, -14, (0x7FF, 5), 3),
    "bfloat16": (7, -126, (0xFF, 120), 2),
    "float32": (23, -126, (0xFFFFFF, 104), 6),
    "float64": (52, -1022, (0x1FFFFFFFFFFFFF, 971), 15),
    "float8_e4m3fn": (3, -6, (14, 5), 0),  # 15 units would be its nan
    "float8_e4m3fnuz": (3, -7, (15, 4), 0),
    "float8_e5m2": (2, -14, (7, 13), 0),
    "float8_e5m2fnuz": (3, -15, (7, 13), 0),  # of 2 bits; torch states an eps of 1/8 nevertheless
    "float8_e8m0fnu": (0, -127, (1, 127), 0),  # powers of two, without a sign
}

_INTEGERS = {each.name for each in dtypes.DTYPES if each.kind is Kind.INTEGER}


class _Limits(Closed):
    __slots__ = ("_dtype", "bits", "max", "min")

    _dtype: dtypes.dtype

    def _asked(self, arguments: tuple[Any, ...]) -> dtypes.dtype:
        return dtypes.meant(type(self).__name__, "type", arguments[0], 1)

    @property
    def dtype(self) -> str:
        """The name of the dtype, such as "float32"."""
        return self._dtype.name

    def _keep(self, **values: Any) -> None:
        for name, value in values.items():
            assign(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._dtype is other._dtype

    __hash__ = None  # type: ignore[assignment]


class finfo(_Limits):
    """Limits of a floating-point dtype, of a complex dtype's parts, or of the default dtype.

    bits, min, max; eps: the step above 1; tiny, smallest_normal: the smallest normal number;
    resolution: the decimal step that is always representable. As torch/csrc/TypeInfo.cpp.
    """

    __module__ = "torch"
    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")

    def __init__(self, *type: dtypes.dtype) -> None:
        asked = self._asked(type) if type else get_default_dtype()
        if asked.kind < Kind.FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        real = asked.to_real()
        if real.name not in _FORMATS:
            raise dtypes.unknown_to("epsilon", real)
        mantissa, least, (units, exponent), digits = _FORMATS[real.name]
        eps, tiny, most = 2.0**-mantissa, 2.0**least, units * 2.0**exponent
        self._keep(_dtype=real, bits=real.itemsize * 8, eps=eps)
        self._keep(max=most, min=-most if real.is_signed else tiny)
        self._keep(tiny=tiny, smallest_normal=tiny, resolution=float(f"1e-{digits}"))

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.tiny:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


class iinfo(_Limits):
    """Limits of an integer dtype: bits, min, max. As torch/csrc/TypeInfo.cpp."""

    __module__ = "torch"
    __slots__ = ()

    def __init__(self, *type: dtypes.dtype) -> None:
        if not type:
            raise TypeError('iinfo() missing 1 required positional arguments: "type"')
        asked = self._asked(type)
        if asked.kind is Kind.BOOL:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if asked.name.startswith("q"):
            raise dtypes.unknown_to("dtype", asked)
        if asked.kind >= Kind.FLOATING or asked.name not in _INTEGERS:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        bits = asked.itemsize * 8
        least = -(1 << (bits - 1)) if asked.is_signed else 0
        self._keep(_dtype=asked, bits=bits, min=least, max=least + (1 << bits) - 1)

    def __repr__(self) -> str:
        # Through a double, as torch prints them.
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"
