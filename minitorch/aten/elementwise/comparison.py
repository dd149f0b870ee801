"""Comparisons and logic: eq to ne, and/or/xor/not, isnan and its kin, equal, isclose, allclose."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.creation.copies import laid_out, strides_in
from minitorch.aten.in_formulas import zeros
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.floating_point import Silence, widened
from minitorch.core.arrays.missing import is_numberless, no_item, refuse_numberless
from minitorch.core.arrays.questions import every
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import FormulaMode
from minitorch.core.declare.families import METHOD, alias, binary, composite, operator, unary
from minitorch.core.declare.general.elementwise import python_operator, refused, unsupported
from minitorch.core.declare.out import (
    ALIGNED,
    BY_ELEMENT_AFTER_DTYPE,
    BY_OPERAND,
    FOUND,
    ONCE,
    InPlace,
    Out,
    exactly,
)
from minitorch.core.declare.protocols.mode_stack import STACK, is_seen_by
from minitorch.core.declare.row import Row, ufunc
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.vmap import BROADCASTS, VMap
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.graph.views import note_write
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import preserve_format
from minitorch.core.numbers.dispatch import EVERY, FLOAT8, LATE_UNSIGNED, USUAL
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.tensor.tensor import Tensor

_WITH_NUMBERS = (
    "Tensor input, Tensor other, *, Tensor out = None",
    "Number self, Tensor other",
    "Tensor input, Number other, *, Tensor out = None",
)


def vanishing_in_place(name: str) -> tuple[Row, Row]:
    """The rows of a comparison that is written into its first operand: with a number, and with a
    tensor. Bools have no gradient, but the tensor that is written over may: zeros."""
    rows = []
    for number, overload in enumerate(("Scalar", "Tensor")):
        formulas = {"self": lambda F, grad, self_info: zeros(F, grad, self_info)}
        if overload == "Tensor":
            formulas["other"] = lambda F, grad, other_info: zeros(F, grad, other_info)
        row = Row(
            Schema.parse(f"{name}_.{overload}(Tensor(a!) self, {overload} other) -> Tensor(a!)"),
            f"{name.title()}Backward{number}",
            None,
            formulas,
            lambda F, self_t: F.zeros_like(self_t),
        )
        rows.append(row)
    return rows[0], rows[1]


def comparison(name: str, function: str, dunder: str, *refused: Kind) -> Any:
    """A comparison of two tensors, or of a tensor and a number: bools, without a gradient."""
    return binary(
        f"{name}.Tensor(Tensor self, Tensor other) -> Tensor",
        forward=ufunc(function),
        dtype="bool",
        check=unsupported(f"{name}_cpu", *refused) if refused else None,
        signatures=_WITH_NUMBERS[::2],
        dunder=(dunder,),
        knows=USUAL if refused else EVERY | FLOAT8,
        out=Out(takes_grad=True),
        in_place=InPlace(rows=vanishing_in_place(name), falls_back=BY_OPERAND),
    )


eq = comparison("eq", "equal", "__eq__")
ne = comparison("ne", "not_equal", "__ne__")
lt = comparison("lt", "less", "__lt__", Kind.COMPLEX)
le = comparison("le", "less_equal", "__le__", Kind.COMPLEX)
gt = comparison("gt", "greater", "__gt__", Kind.COMPLEX)
ge = comparison("ge", "greater_equal", "__ge__", Kind.COMPLEX)

for _name, _function in (
    ("not_equal", ne),
    ("less", lt),
    ("less_equal", le),
    ("greater", gt),
    ("greater_equal", ge),
):
    alias(_name, _function)


def logical(name: str) -> Any:
    """and, or, xor of truth values: an element is true if it is not zero."""
    return binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        forward=ufunc(name),
        dtype="bool",
        tensors_only=True,
        writes_leaves=True,
        out=Out(resize=ONCE, takes_grad=True),
        in_place=ALIGNED,
    )


logical_and, logical_or, logical_xor = map(logical, ("logical_and", "logical_or", "logical_xor"))

logical_not = unary(
    "logical_not(Tensor self) -> Tensor",
    forward=ufunc("logical_not"),
    dtype="bool",
    inplace_on=METHOD,
    writes_leaves=True,
    out=Out(resize=ONCE, takes_grad=True),
)


def bitwise(name: str, function: str, kernel: str, *dunder: str) -> Any:
    """A bitwise operation on integers, most of them on bools too."""
    return binary(
        f"{name}.Tensor(Tensor self, Tensor other) -> Tensor",
        forward=ufunc(function),
        knows=USUAL | LATE_UNSIGNED,
        check=unsupported(kernel, Kind.FLOATING, Kind.COMPLEX),
        out=Out(autograd=False),
        in_place=ALIGNED,
        number_first=True,
        signatures=_WITH_NUMBERS,
        dunder=dunder,
    )


bitwise_and = bitwise(
    "bitwise_and", "bitwise_and", "bitwise_and_cpu", "__and__", "__rand__", "__iand__"
)
bitwise_or = bitwise("bitwise_or", "bitwise_or", "bitwise_or_cpu", "__or__", "__ror__", "__ior__")
bitwise_xor = bitwise(
    "bitwise_xor", "bitwise_xor", "bitwise_xor_cpu", "__xor__", "__rxor__", "__ixor__"
)


def shift(name: str, kernel: str, *dunder: str) -> Any:
    """A shift of the bits of integers."""
    return binary(
        f"{name}.Tensor(Tensor self, Tensor other) -> Tensor",
        forward=shifted_left if name.endswith("left_shift") else shifted_right,
        check=unsupported(kernel, Kind.BOOL, Kind.FLOATING, Kind.COMPLEX),
        out=Out(autograd=False),
        in_place=ALIGNED,
        number_first=True,
        signatures=_WITH_NUMBERS,
        dunder=dunder,
    )


def _reaches_all(count: Any, most: int) -> bool:
    """Whether C defines shifts by few counts, of which all are in [0, most)."""
    if type(count) is not numpy.ndarray or not 0 < count.size <= _FEW:
        return False
    if count.size == 1:
        return bool(0 <= count.item() < most)
    return bool(count.item(count.argmax()) < most and count.item(count.argmin()) >= 0)


_FEW = 4096


def shifted_left(xp: Any, self: Any, other: Any) -> Any:
    """self << other; 0 where C leaves it undefined."""
    bits = 8 * self.dtype.itemsize
    if self.dtype is other.dtype and _reaches_all(other, bits):
        return xp.left_shift(self, other, out=...)
    inside = (other >= 0) & (other < bits)
    if every(inside):
        return xp.left_shift(self, other, out=...).astype(self.dtype, copy=False)
    return xp.as_array(
        xp.where(inside, xp.left_shift(self, xp.where(inside, other, 0), out=...), 0)
    ).astype(self.dtype)


def shifted_right(xp: Any, self: Any, other: Any) -> Any:
    """self >> other; as far as the sign where C leaves it undefined."""
    most = 8 * self.dtype.itemsize - (self.dtype.kind == "i")
    if self.dtype is other.dtype and _reaches_all(other, most):
        return xp.right_shift(self, other, out=...)
    inside = (other >= 0) & (other < most)
    count = xp.where(inside, other, xp.asarray(most, dtype=other.dtype))
    return xp.as_array(xp.right_shift(self, count, out=...)).astype(self.dtype)


bitwise_left_shift = shift("bitwise_left_shift", "lshift_cpu", "__lshift__", "__ilshift__")
bitwise_right_shift = shift("bitwise_right_shift", "rshift_cpu", "__rshift__", "__irshift__")


@python_operator("__rlshift__")
def reversed_left_shift(self: Any, other: Any) -> Any:
    """other << self."""
    return bitwise_left_shift(other, self)


@python_operator("__rrshift__")
def reversed_right_shift(self: Any, other: Any) -> Any:
    """other >> self."""
    return bitwise_right_shift(other, self)


bitwise_not = unary(
    "bitwise_not(Tensor self) -> Tensor",
    inplace_on=METHOD,
    forward=ufunc("invert"),
    check=unsupported("bitwise_not_cpu", Kind.FLOATING, Kind.COMPLEX),
    out=Out(FOUND, operands=1, autograd=False),
)


def _invert(self: Any) -> Any:
    """~self. TypeError for anything but integers and bools."""
    if self._array.dtype.kind not in "biu":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return bitwise_not(self)


Tensor.__invert__ = _invert
_invert.__name__ = "__invert__"


def asked(function: Any, x: Any) -> Any:
    """A question about floats, asked about every element."""
    if x.dtype.names:
        x = widened(x)
    return layout.in_torch_layout(namespace(x), function(x, out=...), (x,))


# Floats of 8 bits that have an infinity, or whose kernel compares with one.
_INFINITE = {"isinf": ("float8_e5m2",), "isfinite": ("float8_e5m2", "float8_e8m0fnu")}


def asked_of_floats(name: str, function: Any, x: Any) -> Any:
    """A question about floats; the answer for integers is a constant in their memory order."""
    if x.dtype.names:
        kind = dtypes.of(x)
        if kind in dtypes.FLOAT8 and kind.name not in _INFINITE[name]:
            raise dtypes.unknown_to(name, kind)
        x = widened(x)
    out = function(x, out=...)
    return laid_out(namespace(x), out, strides_in(x, None)) if x.dtype.kind in "biu" else out


isnan = operator(
    "isnan(Tensor self) -> Tensor", forward=lambda xp, self: asked(xp.isnan, self), vmap=BROADCASTS
)
isinf = operator(
    "isinf(Tensor self) -> Tensor",
    forward=lambda xp, self: asked_of_floats("isinf", xp.isinf, self),
    vmap=BROADCASTS,
)
isfinite_row = operator(
    "isfinite(Tensor self) -> Tensor",
    forward=lambda xp, self: asked_of_floats("isfinite", xp.isfinite, self),
    on=("F",),
    vmap=BROADCASTS,
)


@composite("isfinite")
def isfinite(input: Any) -> Any:
    """Whether each element is neither infinite nor NaN."""
    found = isfinite_row(input)
    if input.is_complex():
        note_write(found, None)  # torch writes the answer for one part into that for the other
    return found


_OF_BOOLS = Out(
    exactly("{name} does not support non-boolean outputs."),
    overlap=BY_ELEMENT_AFTER_DTYPE,
    takes_grad=True,
)


def signed_infinity(name: str, function: str) -> Any:
    """Whether elements are +inf, or -inf."""
    return unary(
        f"{name}(Tensor self) -> Tensor",
        forward=lambda xp, self: xp.as_array(xp.isinf(self) & getattr(xp, function)(self, 0)),
        dtype="bool",
        knows=USUAL | LATE_UNSIGNED,
        check=refused(Kind.COMPLEX, f"{name} does not support complex inputs."),
        variants=("out",),
        out=_OF_BOOLS,
    )


isposinf, isneginf = signed_infinity("isposinf", "greater"), signed_infinity("isneginf", "less")


def signbit_forward(xp: Any, self: Any) -> Any:
    if self.dtype.kind == "V":
        self = self.astype(xp.float32)
    return xp.as_array(xp.signbit(self) if self.dtype.kind == "f" else self < 0)


signbit = unary(
    "signbit(Tensor self) -> Tensor",
    forward=signbit_forward,
    dtype="bool",
    knows=USUAL | LATE_UNSIGNED,
    check=refused(
        Kind.COMPLEX, "signbit is not implemented for complex tensors.", NotImplementedError
    ),
    variants=("out",),
    out=_OF_BOOLS,
)


@composite("isreal")
def isreal(input: Any) -> Any:
    """Where the imaginary part is 0: everywhere for real dtypes."""
    if input.is_complex():
        return OPS.imag(input) == 0
    return OPS.ones_like(input, dtype=dtypes.bool, memory_format=preserve_format)


@composite("equal", vmap=VMap("without_rule"))
def equal(input: Any, other: Any) -> bool:
    """Whether both have one shape and the same elements."""
    refuse_numberless("aten::equal", input._array, other._array)
    x, y = input._array, other._array
    if x.shape != y.shape:
        return False
    if x.dtype.names and (input is other or (is_complex_half(x.dtype) and x.dtype == y.dtype)):
        raise dtypes.unknown_to("equal_notnan_cpu" if input is other else "equal_cpu", x)
    if x.size > _FIRST and x.flags.c_contiguous and y.flags.c_contiguous and not STACK.get():
        # Most tensors that differ do so at once: nothing else is looked at.
        first = [each.reshape(-1)[:_FIRST] for each in (x, y)]
        if x.dtype == y.dtype and not namespace(x).equal(*first).all():
            return False
    return bool(OPS.eq(input, other)._array.all())


_FIRST = 1024  # elements that are compared before the others: 1 us


_CLOSE = (
    "Tensor input, Tensor other, float rtol = 1e-05, float atol = 1e-08, bool equal_nan = False"
)


def _close_by_operators(input: Any, other: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """isclose as torch makes it of other operators, which modes see."""
    close = input == other
    if equal_nan and (input.is_floating_point() or input.is_complex()):
        close = close.__ior__(OPS.bitwise_and(input.isnan(), other.isnan()))
    if not (rtol or atol):
        return close
    if input.dtype is dtypes.bool:  # bools cannot be subtracted
        input = OPS.to(input, dtypes.get_default_dtype())
    if not (other.is_floating_point() or other.is_complex()):
        other = OPS.to(other, dtypes.get_default_dtype())
    with FormulaMode(True):
        allowed = OPS.add(OPS.abs(OPS.mul(other, rtol)), atol)
    difference = OPS.abs(input - other)
    bounded = OPS.isfinite(difference)
    return close.__ior__(bounded.__iand__(difference <= allowed))


@composite(
    "isclose",
    vmap=VMap("warned"),
)
@overloads(_CLOSE)
def isclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Where |input - other| <= atol + rtol * |other|. As ATen/native/TensorCompare.cpp."""
    if not isinstance(input, TensorBase) or not isinstance(other, TensorBase):
        raise TypeError  # worded by the signature
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.scalar_name} did not match {other.dtype.scalar_name}")
    if isinstance(rtol, TensorBase) or isinstance(atol, TensorBase):
        rtol, atol = float(rtol), float(atol)
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(
                f"{name} must be greater than or equal to zero, but got {tolerance:g}"
            )
    if is_seen_by(input, other):
        return _close_by_operators(input, other, rtol, atol, equal_nan)
    a, b = input._array, other._array
    layout.broadcast(a.shape, b.shape)
    xp = namespace(a)
    if a.dtype.names:
        if (rtol or atol) and input.dtype in FLOAT8:
            raise dtypes.unknown_to("mul_cpu_reduced_float", a)
        a, b = widened(a), widened(b)
    equal = xp.as_array(xp.equal(a, b))
    alike = a.shape == b.shape or not b.ndim
    ordinary = alike and a.flags.c_contiguous and b.flags.c_contiguous
    if not ordinary or 1 in a.shape or 0 in a.shape:
        equal = layout.in_torch_layout(xp, equal, (a, b))
    close = tensor(equal)
    with Silence():
        if equal_nan and a.dtype.kind in "fcV":
            close._array |= (a != a) & (b != b)
            note_write(close, None)
        if rtol or atol:
            if a.dtype.kind in "biu":
                a, b = a.astype(xp.float64), b.astype(xp.float64)
            elif a.dtype.itemsize == 2:
                a, b = a.astype(xp.float32), b.astype(xp.float32)
            difference = xp.abs(a - b)
            allowed = atol + xp.abs(rtol * b)
            close._array |= xp.isfinite(difference) & (difference <= allowed)
            note_write(close, None)
    return close


@composite("allclose", vmap=VMap("unsupported"))
@overloads(_CLOSE)
def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close."""
    close = isclose(input, other, rtol, atol, equal_nan)._array
    if is_numberless(close):
        raise no_item()
    return bool(every(close))
