"""finfo and iinfo: the range and precision of floating-point and integer dtypes."""

from __future__ import annotations

from typing import Any, NoReturn

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.closed import Closed, assign, refuse_subclasses
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

_INTEGERS = {each.name for each in dtypes.DTYPES if each.number_kind is Kind.INTEGER}


class _Limits(Closed):
    __slots__ = ("_dtype", "bits", "max", "min")

    _dtype: dtypes.dtype

    @property
    def dtype(self) -> str:
        """The name of the dtype, such as "float32". NotImplementedError for a quantized one."""
        if self._dtype.name.startswith("q"):
            raise dtypes.unknown_to("dtype", self._dtype)
        return self._dtype.name

    def _keep(self, **values: Any) -> None:
        for name, value in values.items():
            assign(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._dtype is other._dtype

    __hash__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"cannot pickle 'torch.{type(self).__name__}' object")


def _asked(function: str, given: tuple[Any, ...], named: dict[str, Any]) -> dtypes.dtype:
    """The one argument of finfo and iinfo, called `type`. TypeError in torch's words for others."""
    if function == "finfo" and len(given) + len(named) > 1:
        values = [*map(_kind, given), *[f"{name}={_kind(x)}" for name, x in named.items()]]
        raise TypeError(
            f"finfo() received an invalid combination of arguments - got ({', '.join(values)}), "
            "but expected one of:\n * (torch.dtype type)\n * ()\n"
        )
    if len(given) > 1:
        raise TypeError(f"{function}() takes 1 positional argument but {len(given)} were given")
    if not given and "type" not in named:
        raise TypeError(f'{function}() missing 1 required positional arguments: "type"')
    if given and named:
        what = "multiple values for" if "type" in named else "an unexpected keyword"
        raise TypeError(f"{function}() got {what} argument '{next(iter(named))}'")
    return dtypes.meant(function, "type", given[0] if given else named["type"], len(given))


def _kind(x: Any) -> str:
    return "torch.dtype" if type(x) is dtypes.dtype else type(x).__name__


class finfo(_Limits):
    """Limits of a floating-point dtype, of a complex dtype's parts, or of the default dtype.

    bits, min, max; eps: the step above 1; tiny, smallest_normal: the smallest normal number;
    resolution: the decimal step that is always representable. As torch/csrc/TypeInfo.cpp.
    """

    __module__ = "torch"
    __init_subclass__ = refuse_subclasses
    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")

    def __new__(cls, *given: Any, **named: Any) -> finfo:
        asked = get_default_dtype()
        if given or named:
            single = type(given[0]) is dtypes.dtype if len(given) == 1 and not named else False
            asked = given[0] if single else _asked("finfo", given, named)
        # One object for each dtype: models ask for it in each step, and to make one takes 3 us.
        if asked in _MADE:
            return _MADE[asked]
        self = object.__new__(cls)
        if asked.number_kind < Kind.FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        self._describe(asked.to_real())
        return _MADE.setdefault(asked, self)

    def _describe(self, real: dtypes.dtype) -> None:
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


_MADE: dict[Any, finfo] = {}


class iinfo(_Limits):
    """Limits of an integer dtype: bits, min, max. As torch/csrc/TypeInfo.cpp."""

    __module__ = "torch"
    __init_subclass__ = refuse_subclasses
    __slots__ = ()

    def __init__(self, *given: Any, **named: Any) -> None:
        asked = _asked("iinfo", given, named)
        if asked.number_kind is Kind.BOOL:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        quantized = asked.name.startswith("q")
        if not quantized and (asked.number_kind >= Kind.FLOATING or asked.name not in _INTEGERS):
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        bits = asked.itemsize * 8
        signed = asked.name.startswith("qint") if quantized else asked.is_signed
        least = -(1 << (bits - 1)) if signed else 0
        self._keep(_dtype=asked, bits=bits, min=least, max=least + (1 << bits) - 1)

    def __repr__(self) -> str:
        # Through a double, as torch prints them.
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"
