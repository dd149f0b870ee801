"""finfo and iinfo: the range and precision of floating-point and integer dtypes."""

from __future__ import annotations

from typing import Any

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.closed import Closed, assign
from minitorch.core.numbers.dtype import Kind, get_default_dtype

# Bits of the mantissa, greatest exponent, and the decimal digits that always survive.
_FORMATS = {
    dtypes.float16: (10, 15, 3),
    dtypes.bfloat16: (7, 127, 2),
    dtypes.float32: (23, 127, 6),
    dtypes.float64: (52, 1023, 15),
}


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
        mantissa, exponent, digits = _FORMATS[real]
        eps, tiny = 2.0**-mantissa, 2.0 ** (1 - exponent)
        most = (2 - eps) * 2.0**exponent
        self._keep(_dtype=real, bits=real.itemsize * 8, eps=eps, max=most, min=-most)
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
        if asked.kind >= Kind.FLOATING:
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
