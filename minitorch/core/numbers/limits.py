"""finfo and iinfo: the range and precision of floating-point and integer dtypes."""

from __future__ import annotations

from typing import Any

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind, get_default_dtype

# Bits of the mantissa, greatest exponent, and the decimal digits that always survive.
_FORMATS = {
    dtypes.float16: (10, 15, 3),
    dtypes.bfloat16: (7, 127, 2),
    dtypes.float32: (23, 127, 6),
    dtypes.float64: (52, 1023, 15),
}


class _Limits:
    __slots__ = ("_dtype", "bits", "max", "min")

    _dtype: dtypes.dtype

    def _asked(self, arguments: tuple[Any, ...]) -> dtypes.dtype:
        type_ = arguments[0]
        if type(type_) is not dtypes.dtype:
            raise TypeError(
                f"{type(self).__name__}(): argument 'type' (position 1) must be torch.dtype, "
                f"not {type(type_).__name__}"
            )
        return type_

    @property
    def dtype(self) -> str:
        """The name of the dtype, such as "float32"."""
        return self._dtype.name

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
        self._dtype = asked.to_real()
        mantissa, exponent, digits = _FORMATS[self._dtype]
        self.bits = self._dtype.itemsize * 8
        self.eps = 2.0**-mantissa
        self.max = (2 - self.eps) * 2.0**exponent
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - exponent)
        self.resolution = float(f"1e-{digits}")

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
        self._dtype = self._asked(type)
        if self._dtype.kind is Kind.BOOL:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if self._dtype.kind >= Kind.FLOATING:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        self.bits = self._dtype.itemsize * 8
        self.min = -(1 << (self.bits - 1)) if self._dtype.is_signed else 0
        self.max = self.min + (1 << self.bits) - 1

    def __repr__(self) -> str:
        # Through a double, as torch prints them.
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"
