"""dtype: the number types of torch, each one object, and the default floating-point type."""

from __future__ import annotations

import builtins
from enum import IntEnum
from functools import cache
from typing import Any, NoReturn

import numpy as np

from minitorch.core.numbers.closed import Closed, assign, refuse_subclasses


class Kind(IntEnum):
    """The four kinds of number, in the order in which promotion climbs them."""

    BOOL = 0
    INTEGER = 1
    FLOATING = 2
    COMPLEX = 3


class dtype(Closed):
    """A number type such as `torch.float32`. There is one object of each, compared by identity.

    name: "float32".  itemsize: bytes of one element.  is_floating_point, is_complex, is_signed.
    numpy: the `np.dtype` that holds it; bfloat16 loads ml_dtypes when this is first read.
    scalar_name: ATen's ScalarType ("Float").  c_name: the C++ type ("float").
    abbr: the short form ("f32").  number_kind: bool, integer, floating or complex, in promotion
    order; not called `kind`, by which programs recognise NumPy's dtypes.

    As c10/core/ScalarType.h and torch/csrc/Dtype.cpp.
    """

    __module__ = "torch"
    __slots__ = (
        "abbr",
        "c_name",
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "name",
        "number_kind",
        "numpy",
        "scalar_name",
    )

    name: str
    itemsize: builtins.int
    is_floating_point: builtins.bool
    is_complex: builtins.bool
    is_signed: builtins.bool
    scalar_name: str
    c_name: str
    abbr: str
    number_kind: Kind
    numpy: np.dtype

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("cannot create 'torch.dtype' instances")

    __init_subclass__ = refuse_subclasses

    def to_real(self) -> dtype:
        """The dtype of the real part: float32 for complex64, itself for every real dtype."""
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex dtype whose parts hold this one: complex64 for float32 and bfloat16."""
        if self not in _COMPLEX:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar_name}")
        return _COMPLEX[self]

    def __getattr__(self, attribute: str) -> Any:
        # Reached only while the slot `numpy` is empty: the other dtypes pay a plain slot read.
        if attribute == "numpy" and self is bfloat16:
            import ml_dtypes

            return _bind(self, np.dtype(ml_dtypes.bfloat16))
        if attribute == "numpy" and self is complex32:  # two fields, without arithmetic in NumPy
            return _bind(self, np.dtype([("real", np.float16), ("imag", np.float16)]))
        if attribute == "numpy" and self in PACKED:  # a byte; of two fields NumPy makes no number
            return _bind(self, np.dtype([(self.name, np.uint8), ("opaque", "V0")]))
        if attribute == "numpy":
            raise NotImplementedError(f"tensors of {self!r} are not implemented")
        if attribute == "is_signed":
            raise RuntimeError(
                "Bits types are undefined"
                if self.name.startswith("bits")
                else "isSignedType not supported for quantized types"
            )
        return super().__getattr__(attribute)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return by_name, (self.name,)

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> dtype:
        return self


_new: Any = object.__new__  # past dtype.__new__, which refuses


def _bind(self: dtype, numpy: np.dtype) -> np.dtype:
    """Ties a dtype and its np.dtype to each other."""
    assign(self, "numpy", numpy)
    FROM_NUMPY[numpy] = self
    return numpy


def _declare(
    name: str, kind: Kind, bits: builtins.int, scalar_name: str, c_name: str, abbr: str
) -> dtype:
    self = declare_without_numpy(name, kind, bits, scalar_name, abbr)
    assign(self, "c_name", c_name)
    if name not in ("bfloat16", "complex32"):
        _bind(self, np.dtype(name))
    DTYPES.append(self)
    return self


def declare_without_numpy(
    name: str, kind: Kind, bits: builtins.int, scalar_name: str, abbr: str
) -> dtype:
    """A new dtype that no array has."""
    self: dtype = _new(dtype)
    assign(self, "name", name)
    assign(self, "itemsize", bits // 8)
    assign(self, "is_floating_point", kind is Kind.FLOATING)
    assign(self, "is_complex", kind is Kind.COMPLEX)
    if not name.startswith(("bits", "q")):
        unsigned = kind is Kind.BOOL or name.startswith("u") or name == "float8_e8m0fnu"
        assign(self, "is_signed", not unsigned)
    assign(self, "scalar_name", scalar_name)
    assign(self, "c_name", f"c10::{scalar_name}")
    assign(self, "abbr", abbr)
    assign(self, "number_kind", kind)
    return self


def by_name(name: str) -> dtype:
    """The dtype called "float32", "int64", ...; KeyError for other names."""
    return _BY_NAME[name] if name in _BY_NAME else rare()[name]


# Every dtype, in ATen's order of ScalarType where it has one; and the way back from NumPy, in
# which bfloat16 appears only once it is in use.
DTYPES: list[dtype] = []
FROM_NUMPY: dict[np.dtype, dtype] = {}

bool = _declare("bool", Kind.BOOL, 8, "Bool", "bool", "b8")
uint8 = _declare("uint8", Kind.INTEGER, 8, "Byte", "unsigned char", "u8")
uint16 = _declare("uint16", Kind.INTEGER, 16, "UInt16", "short unsigned int", "u16")
uint32 = _declare("uint32", Kind.INTEGER, 32, "UInt32", "unsigned int", "u32")
uint64 = _declare("uint64", Kind.INTEGER, 64, "UInt64", "long unsigned int", "u64")
int8 = _declare("int8", Kind.INTEGER, 8, "Char", "signed char", "i8")
int16 = _declare("int16", Kind.INTEGER, 16, "Short", "short int", "i16")
int32 = _declare("int32", Kind.INTEGER, 32, "Int", "int", "i32")
int64 = _declare("int64", Kind.INTEGER, 64, "Long", "long int", "i64")
float16 = _declare("float16", Kind.FLOATING, 16, "Half", "c10::Half", "f16")
bfloat16 = _declare("bfloat16", Kind.FLOATING, 16, "BFloat16", "c10::BFloat16", "bf16")
float32 = _declare("float32", Kind.FLOATING, 32, "Float", "float", "f32")
float64 = _declare("float64", Kind.FLOATING, 64, "Double", "double", "f64")
complex32 = _declare("complex32", Kind.COMPLEX, 32, "ComplexHalf", "c10::complex<c10::Half>", "c32")
complex64 = _declare("complex64", Kind.COMPLEX, 64, "ComplexFloat", "c10::complex<float>", "c64")
complex128 = _declare(
    "complex128", Kind.COMPLEX, 128, "ComplexDouble", "c10::complex<double>", "c128"
)

# Floats of 8 bits: kept in them, and computed with elsewhere.
FLOAT8 = frozenset(
    declare_without_numpy(name, Kind.FLOATING, 8, f"F{name[1:]}", f"f{name[5:].replace('_', '')}")
    for name in (
        *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
    )
)

# The dtypes that NumPy moves and does not compute with.
PACKED = FLOAT8 | {complex32}

# They came late to torch: few kernels compute with them, and they promote with floats alone.
LATE_UNSIGNED = frozenset((uint16, uint32, uint64))

half, float, double = float16, float32, float64
chalf, cfloat, cdouble = complex32, complex64, complex128
short, int, long = int16, int32, int64


@cache
def rare() -> dict[str, dtype]:
    """The dtypes that few programs ask for, by name; and complex32 by both its names.

    They are floats of 8 bits; and integers of 1 to 7 bits, raw bits, quantised integers and floats
    of 4 bits, tensors of which are refused by NotImplementedError. To make them takes 0.3 ms.
    """
    few_bits = [
        (f"{sign}int{bits}", f"{large}Int{bits}", f"{sign}int{bits}", 8)
        for sign, large in (("", ""), ("u", "U"))
        for bits in range(1, 8)
    ]
    made = {
        name: declare_without_numpy(name, kind, bits, scalar_name, abbr)
        for kind, each in ((Kind.INTEGER, [*few_bits, *_BITS]), (Kind.FLOATING, _SMALLER_FLOATS))
        for name, scalar_name, abbr, bits in each
    }
    made |= {each.name: each for each in FLOAT8}
    return made | {"bit": made["uint1"], "complex32": complex32, "chalf": complex32}


# Each with its name in ATen, its short form, and its bits.
_BITS = (
    ("bits16", "Bits16", "b16x1", 16),
    ("bits8", "Bits8", "b8x1", 8),
    ("bits1x8", "Bits1x8", "b1x8", 8),
    ("bits2x4", "Bits2x4", "b2x4", 8),
    ("bits4x2", "Bits4x2", "b4x2", 8),
    ("qint8", "QInt8", "qint8", 8),
    ("qint32", "QInt32", "qint32", 32),
    ("quint8", "QUInt8", "quint8", 8),
    ("quint4x2", "QUInt4x2", "quint4x2", 8),
    ("quint2x4", "QUInt2x4", "quint2x4", 8),
)
_SMALLER_FLOATS = (("float4_e2m1fn_x2", "Float4_e2m1fn_x2", "f4e2m1fnx2", 8),)

_BY_NAME = {each.name: each for each in DTYPES}
_REAL = {complex32: float16, complex64: float32, complex128: float64}
_COMPLEX = {
    float16: complex32,
    bfloat16: complex64,
    float32: complex64,
    float64: complex128,
    complex32: complex32,
    complex64: complex64,
    complex128: complex128,
}

_SUPPORTED = (
    "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32,"
    " uint16, uint8, and bool"
)


# The NumPy dtypes of indices. To compare names would take longer: NumPy makes one in 2 us.
POSITIONS = frozenset((int64.numpy, int32.numpy))


def of(array: Any) -> dtype:
    """The dtype of a NumPy or CuPy array; TypeError for strings, objects, dates."""
    try:
        return FROM_NUMPY[array.dtype]
    except KeyError:
        pass
    if array.dtype.name == "bfloat16" and array.dtype == bfloat16.numpy:
        return bfloat16
    raise TypeError(
        f"can't convert np.ndarray of type {array.dtype.type.__module__}."
        f"{array.dtype.type.__name__}. The only supported types are: {_SUPPORTED}."
    )


def unknown_to(kernel: str, x: Any) -> NotImplementedError:
    """The error of a kernel that does not implement a dtype, or the dtype of an array."""
    kind = x if isinstance(x, dtype) else of(x)
    return NotImplementedError(f"\"{kernel}\" not implemented for '{kind.scalar_name}'")


# Python's types that torch's parser takes for dtypes.
FROM_PYTHON: dict[Any, dtype] = {
    builtins.bool: bool,
    builtins.int: int64,
    builtins.float: float64,
    complex: complex128,
}


def meant(function: str, argument: str, kind: Any, position: builtins.int = 0) -> dtype:
    """`kind`, or the dtype for which Python's bool, int, float or complex stands.

    For other values TypeError with torch's text, which names the function, its argument and the
    argument's position (0: given by name alone).
    """
    found: Any = FROM_PYTHON.get(kind) if type(kind) is type else kind
    if type(found) is not dtype:
        where = f" (position {position})" if position else ""
        raise TypeError(
            f"{function}(): argument '{argument}'{where} must be torch.dtype, "
            f"not {type(kind).__name__}"
        )
    return found


_default = float32


_WITH_A_TENSOR_TYPE = "Float Double Half Byte Char Short Int Long".split()


def legacy_type(d: dtype) -> str:
    """The name of a CPU tensor in ATen's older errors: torch.FloatTensor, but CPUBoolType."""
    name = d.scalar_name
    return f"torch.{name}Tensor" if name in _WITH_A_TENSOR_TYPE else f"CPU{name}Type"


def get_default_dtype() -> dtype:
    """The dtype of floating-point tensors made without one; float32 at the start."""
    return _default


def set_default_dtype(d: dtype, /) -> None:
    """Makes the floating-point dtype `d` the default one; TypeError for any other kind.

    As torch/csrc/tensor/python_tensor.cpp.
    """
    global _default
    complaint = "only floating-point types are supported as the default type"
    if type(d) is not dtype:
        raise TypeError(f"invalid dtype object: {complaint}")
    if not d.is_floating_point:
        raise TypeError(complaint)
    if d not in DTYPES:
        raise TypeError(f"couldn't find storage object {d.scalar_name}Storage")
    _default = d
