"""The dtypes that torch names and computes with nowhere on the CPU, or hardly: objects to compare.

Numbers of eight bits and fewer, of bits without a meaning, of quantised integers. There are no
arrays of them here: a tensor of such a dtype is refused by NotImplementedError.
"""

from __future__ import annotations

from minitorch.core.numbers.dtype import Kind, complex32, declare_without_numpy

_SHORT = {
    "bits16": "b16x1",
    "bits8": "b8x1",
    "bits1x8": "b1x8",
    "bits2x4": "b2x4",
    "bits4x2": "b4x2",
}
_FLOATS = (
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2"
)
_QUANTIZED = ("qint8", "qint32", "quint8", "quint4x2", "quint2x4")


def _scalar_name(name: str) -> str:
    """ATen's name: Int4 and UInt4, QInt8 and QUInt4x2, Bits8, Float8_e5m2."""
    for small in ("quint", "qint", "uint", "int", "bits", "float"):
        if name.startswith(small):
            large = {"quint": "QUInt", "qint": "QInt", "uint": "UInt"}.get(small, small.title())
            return large + name.removeprefix(small)
    raise KeyError(name)


_names = [
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)),
    *_SHORT,
    *_QUANTIZED,
    *_FLOATS.split(),
]
DTYPES = {
    name: declare_without_numpy(
        name,
        Kind.FLOATING if name.startswith("float") else Kind.INTEGER,
        {"bits16": 16, "qint32": 32}.get(name, 8),
        _scalar_name(name),
        _SHORT.get(name, name.replace("float", "f").replace("_", "")),
    )
    for name in _names
}
DTYPES |= {"bit": DTYPES["uint1"], "complex32": complex32, "chalf": complex32}
