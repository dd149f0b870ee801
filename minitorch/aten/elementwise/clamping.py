"""The greater, the lesser, and what is kept between two bounds: maximum, clamp, relu, threshold."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.in_formulas import after, both, either, is_seen, number_like
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.blocks import beside_number, between
from minitorch.core.arrays.questions import every
from minitorch.core.arrays.scalars import NUMBERS, scalar_like
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.families import (
    EVERYWHERE,
    alias,
    binary,
    composite,
    operator,
    pointwise,
    unary,
)
from minitorch.core.declare.general.elementwise import checks, refused, unsupported
from minitorch.core.declare.out import BY_ELEMENT, FOUND, InPlace, Out
from minitorch.core.declare.row import ELEMENTWISE, ufunc
from minitorch.core.declare.vmap import BROADCASTS
from minitorch.core.declare.wording.out_rules import unbroadcast
from minitorch.core.declare.wording.signatures import FITS, mismatch
from minitorch.core.numbers.dispatch import FLOATING, HALVES, INTEGRAL
from minitorch.core.numbers.dtype import Kind, float64
from minitorch.core.numbers.scalars import fitted

# NumPy's own module is slow to ask (40 ns a name), because it has a __getattr__; and to look for
# other kinds of arrays first takes putmask 100 ns of 260.
_ndarray, _less_equal = numpy.ndarray, numpy.less_equal
_putmask = getattr(numpy.putmask, "_implementation", numpy.putmask)
_single, _double = numpy.dtype("float32"), numpy.dtype("float64")
_single_zero, _double_zero = numpy.zeros((), "float32"), numpy.zeros((), "float64")


def kept(F: Any, grad: Any, zero: Any, mask: Any) -> Any:
    """`grad` where `mask` is true, `zero` elsewhere, which torch makes before it compares."""
    return F.where(mask, grad, zero)


def halved(F: Any, grad: Any, self: Any, other: Any) -> Any:
    """`grad`, half of it where both operands are equal."""
    half = grad / 2
    return F.where(self == other, half, grad)


def extreme(name: str, self_loses: Any, other_loses: Any) -> Any:
    """maximum or minimum. Of (self, other), each says where it is not the result; equals share
    gradients."""
    return binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        node=f"{name.capitalize()}Backward0",
        forward=ufunc(name),
        tensors_only=True,
        check=refused(Kind.COMPLEX, f"{name} not implemented for complex tensors."),
        self=lambda F, grad, self, other: F.masked_fill_(
            halved(F, grad, self, other), self_loses(self, other), 0
        ),
        other=lambda F, grad, self, other: F.masked_fill_(
            halved(F, grad, self, other), other_loses(self, other), 0
        ),
        result=ELEMENTWISE,
        variants=("out",),
    )


maximum = extreme("maximum", lambda a, b: a < b, lambda a, b: a > b)
minimum = extreme("minimum", lambda a, b: a > b, lambda a, b: a < b)


def extreme_number(name: str, kernel: str, wins: Any) -> Any:
    """fmax or fmin: NaN loses against every number."""

    of_numpy = getattr(numpy, name)

    def forward(xp: Any, self: Any, other: Any, dtype: Any) -> Any:
        if type(self) is _ndarray and type(other) is _ndarray:
            found = of_numpy(self, other, out=...)
            # To ask takes 0.2 us, to choose 2. Integers have one zero.
            if every(found) or self.dtype.kind in "iub":
                return found
        else:
            found = getattr(xp, name)(self, other)
        # Of two zeros ATen takes the first; where bfloat16 is converted, the second.
        second = dtype.itemsize == 2 and dtype.name == "bfloat16"
        return xp.where(self == other, other if second else self, found)

    return binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        node=f"{name.capitalize()}Backward0",
        forward=forward,
        kernel=kernel,
        tensors_only=True,
        check=refused(Kind.COMPLEX, f"{name} not implemented for complex tensors."),
        self=lambda F, grad, self, other: F.masked_fill(
            grad,
            after(F, "logical_not", after(F, "logical_or", wins(self, other), F.isnan(other))),
            0,
        ),
        other=lambda F, grad, self, other: F.masked_fill(
            grad, after(F, "logical_or", wins(self, other), F.isnan(other)), 0
        ),
        result=ELEMENTWISE,
        variants=("out",),
    )


fmax = extreme_number("fmax", "maximum_cpu", lambda a, b: a >= b)
fmin = extreme_number("fmin", "minimum_cpu", lambda a, b: a <= b)


def bounded(xp: Any, self: Any, min: Any, max: Any) -> Any:
    """min(max(self, lower), upper) with bounds that may be missing; NaN stays NaN."""
    x = self
    if min is not None and max is not None:
        return between(xp, x, bound(xp, min, x), bound(xp, max, x))
    if min is not None:
        x = beside_number(xp, xp.maximum, bound(xp, min, x), x)  # -0 stays as it is
    if max is not None:
        x = beside_number(xp, xp.minimum, bound(xp, max, x), x)
    return x


def bound(xp: Any, value: Any, x: Any) -> Any:
    """A bound as an array."""
    return value if hasattr(value, "dtype") else scalar_like(value, x.dtype, xp)


_NO_COMPLEX = ("clamp is not supported",)
NO_COMPLEX = refused(Kind.COMPLEX, "clamp is not supported for complex types", NotImplementedError)


def no_complex(row: Any, common: Any, operands: Any, **bounds: Any) -> None:
    """NotImplementedError with torch's text for complex numbers between whatever bounds."""
    NO_COMPLEX(row, operands[0].dtype, operands)


def check_numbers(row: Any, common: Any, operands: Any, min: Any = None, max: Any = None) -> None:
    """Raises torch's error for bounds that the dtype cannot hold, and for truth between bounds."""
    kernel = "clamp_max" if min is None else "clamp_min" if max is None else "clamp"
    unsupported(f"{kernel}_scalar_cpu", Kind.BOOL)(row, common, operands)
    if not operands[0].dtype.is_floating_point:
        NO_COMPLEX(row, common, operands)
    for each in (min, max):
        if each is not None:
            fitted(each, float64 if common.is_complex else common)


def check_tensors(row: Any, common: Any, operands: Any) -> None:
    """NotImplementedError in the name of the kernel for the bounds that there are."""
    if None not in operands:
        unsupported("clamp_cpu", Kind.BOOL, Kind.COMPLEX)(row, common, operands)
    unsupported(f"{'minimum' if operands[1] is None else 'maximum'}_cpu", Kind.COMPLEX)(
        row, common, operands
    )


def inside(F: Any, self: Any, min: Any, max: Any) -> Any:
    """Where self lies between the bounds, both included."""
    if min is None:
        return self <= max
    mask = self >= min
    if max is None:
        return mask
    below = self <= max
    if is_seen(F, self) and not isinstance(min, TensorBase):
        return after(F, "logical_and", mask, below)
    if getattr(self, "_level", None) is not None or is_seen(F, self):
        return both(F, mask, below)
    if below.shape != mask.shape:  # torch combines them in place
        shape = layout.broadcast(mask.shape, below.shape)
        if shape != mask.shape:
            raise unbroadcast(mask.shape, shape)
    mask &= below
    return mask


def clamp_tangent(
    F: Any, self_p: Any, self_t: Any, min_p: Any, min_t: Any, max_p: Any, max_t: Any
) -> Any:
    """As clamp_jvp of torch/csrc/autograd/FunctionsManual.cpp."""
    if max_p is None:
        return F.where(self_p > min_p, self_t, min_t)
    if min_p is None:
        return F.where(self_p < max_p, self_t, max_t)
    inside = F.where(self_p < min_p, min_t, F.where(self_p > max_p, max_t, self_t))
    return F.where(min_p > max_p, max_t, inside)


def clamp_backward(F: Any, grad: Any, self: Any, min: Any, max: Any, wanted: Any) -> Any:
    """The gradients of what lies between two tensors, and of these. As clamp_backward and
    clamp_backward_min_max of torch/csrc/autograd/FunctionsManual.cpp."""
    by_self = by_min = by_max = None
    if wanted[1] or wanted[2]:
        zero = number_like(F, grad, 0.0)
        if wanted[1]:
            mask = self < min
            if max is not None:
                mask = both(F, mask, min < max)
            by_min = kept(F, grad, zero, mask)
        if wanted[2]:
            mask = self > max if min is None else either(F, self > max, max < min)
            by_max = kept(F, grad, zero, mask)
    if wanted[0]:
        by_self = kept(F, grad, number_like(F, grad, 0.0), inside(F, self, min, max))
    return by_self, by_min, by_max


clamp_number = unary(
    "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    converts={"min": "scalar_t", "max": "scalar_t"},
    node="ClampBackward1",
    forward=bounded,
    check=check_numbers,
    self=lambda F, grad, self, min, max: kept(
        F, grad, number_like(F, grad, 0.0), inside(F, self, min, max)
    ),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

clamp_tensor = pointwise(
    "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    node="ClampBackward0",
    forward=bounded,
    check=checks(no_complex, check_tensors),
    inputs=lambda F, grad, self, min, max, grad_input_mask: clamp_backward(
        F, grad, self, min, max, grad_input_mask
    ),
    result=clamp_tangent,
    on=("F",),
    variants=(),
)


def forward_min(xp: Any, self: Any, min: Any) -> Any:
    return bounded(xp, self, min, None)


def forward_max(xp: Any, self: Any, max: Any) -> Any:
    return bounded(xp, self, None, max)


clamp_min_number = unary(
    "clamp_min(Tensor self, Scalar min) -> Tensor",
    converts={"min": "scalar_t"},
    node="ClampMinBackward0",
    forward=forward_min,
    check=checks(NO_COMPLEX, unsupported("clamp_min_scalar_cpu", Kind.BOOL)),
    self=lambda F, grad, self, min: kept(F, grad, number_like(F, grad, 0.0), self >= min),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

clamp_min_tensor = binary(
    "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
    node="ClampMinBackward1",
    forward=forward_min,
    check=unsupported("maximum_cpu", Kind.COMPLEX),
    self=lambda F, grad, self, min: kept(F, grad, number_like(F, grad, 0.0), self >= min),
    min=lambda F, grad, self, min: kept(F, grad, number_like(F, grad, 0.0), self < min),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

clamp_max_number = unary(
    "clamp_max(Tensor self, Scalar max) -> Tensor",
    converts={"max": "scalar_t"},
    node="ClampMaxBackward0",
    forward=forward_max,
    check=checks(NO_COMPLEX, unsupported("clamp_max_scalar_cpu", Kind.BOOL)),
    self=lambda F, grad, self, max: kept(F, grad, number_like(F, grad, 0.0), self <= max),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

clamp_max_tensor = binary(
    "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
    node="ClampMaxBackward1",
    forward=forward_max,
    check=unsupported("minimum_cpu", Kind.COMPLEX),
    self=lambda F, grad, self, max: kept(F, grad, number_like(F, grad, 0.0), self <= max),
    max=lambda F, grad, self, max: kept(F, grad, number_like(F, grad, 0.0), self > max),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)


@composite(
    "clamp",
    out=Out(FOUND, operands=1, overlap=BY_ELEMENT, refused_first=("torch.clamp: At least",)),
    inplace=EVERYWHERE,
    in_place=InPlace(falls_back=("Tensor", ""), clamps=2, refused_first=_NO_COMPLEX),
)
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """`input` with the elements outside [min, max] moved to the bounds."""
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        if all([each is None or isinstance(each, TensorBase) for each in (min, max)]):
            return clamp_tensor(input, min, max)
        if not (FITS["Number"](min) and FITS["Number"](max)):
            raise wrong_clamp(min, max)
        min, max = [x.item() if isinstance(x, TensorBase) else x for x in (min, max)]
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return clamp_number(input, min, max)


def wrong_clamp(*bounds: Any) -> TypeError:
    """The error for a number as one bound and a tensor as the other."""
    given = ", ".join(
        ["Tensor" if isinstance(each, TensorBase) else type(each).__name__ for each in bounds]
    )
    marked = ", ".join([f"!{each}!" for each in given.split(", ")])
    wrong = "      didn't match because some of the arguments have invalid types:"
    return TypeError(
        f"clamp() received an invalid combination of arguments - got ({given}), but expected one "
        f"of:\n * (Tensor min = None, Tensor max = None)\n{wrong} ({marked})\n"
        f" * (Number min = None, Number max = None)\n{wrong} ({marked})\n"
    )


def check_input(name: str, bound: str, input: Any, value: Any) -> None:
    """TypeError with torch's text unless `input` is a tensor, and `value` that or a number."""
    if not (
        isinstance(input, TensorBase) and (isinstance(value, TensorBase) or FITS["Number"](value))
    ):
        texts = [
            f"Tensor input, {kind} {bound}, *, Tensor out = None" for kind in ("Tensor", "Number")
        ]
        raise mismatch(name, tuple(texts), (input, value), {})


@composite(
    "clamp_min",
    out=Out(FOUND, operands=1, overlap=BY_ELEMENT),
    inplace=EVERYWHERE,
    in_place=InPlace(clamps=1, refused_first=_NO_COMPLEX, aligns=True),
)
def clamp_min(input: Any, min: Any) -> Any:
    """The greater of `input` and `min`."""
    check_input("clamp_min", "min", input, min)
    return (clamp_min_tensor if isinstance(min, TensorBase) else clamp_min_number)(input, min)


@composite(
    "clamp_max",
    out=Out(FOUND, operands=1, overlap=BY_ELEMENT),
    inplace=EVERYWHERE,
    in_place=InPlace(clamps=1, refused_first=_NO_COMPLEX, aligns=True),
)
def clamp_max(input: Any, max: Any) -> Any:
    """The lesser of `input` and `max`."""
    check_input("clamp_max", "max", input, max)
    return (clamp_max_tensor if isinstance(max, TensorBase) else clamp_max_number)(input, max)


alias("clip", clamp)

relu = unary(
    "relu(Tensor self) -> Tensor",
    kernel="clamp_min_scalar_cpu",
    doc="""max(x, 0).

    Args:
        input: real, of any shape.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for bools.
        NotImplementedError: for complex numbers.

    As torch.relu (ATen/native/Activation.cpp).
    """,
    node="ReluBackward0",
    forward=ufunc("elementary.relu"),
    check=checks(refused(Kind.BOOL, "Boolean inputs not supported for relu"), NO_COMPLEX),
    self=lambda F, grad, result: F.threshold_backward(grad, result, 0),
    result=ELEMENTWISE,
    variants=("inplace",),
)


def arrays_threshold_backward(grad: Any, x: Any, threshold: float) -> Any:
    """The gradient where x > threshold or is NaN; 0 elsewhere, even where it is infinite.

    A copy and putmask take 0.58 us for a few elements, numpy.where 1.2, a product with a mask 1.25.
    """
    if type(grad) is _ndarray and x.size < 1024 and x.flags.c_contiguous:
        kind = x.dtype
        zero = _single_zero if kind is _single else _double_zero if kind is _double else None
        if zero is not None:
            out = grad.copy()  # row by row, as x lies
            bound = zero if threshold == 0 else NUMBERS[type(threshold)][kind, threshold]
            _putmask(out, _less_equal(x, bound), zero)
            return out
    return namespace(grad).threshold_backward(grad, x, threshold)


def threshold_backward_forward(xp: Any, grad_output: Any, self: Any, threshold: Any) -> Any:
    """The gradient where self > threshold or is NaN; 0 elsewhere, even where it is infinite."""
    return xp.threshold_backward(grad_output, self, threshold)


threshold_backward = operator(
    "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
    node="ThresholdBackwardBackward0",
    forward=threshold_backward_forward,
    kernel="threshold_cpu",
    knows=INTEGRAL | FLOATING | HALVES,
    grad_output=lambda F, grad, self, threshold: F.threshold_backward(grad, self, threshold),
    self=lambda F, grad: F.zeros_like(grad),
    result=lambda F, call, grad_output_t, self_t: (
        F.zeros_like(self_t) + call(grad_output=grad_output_t)
    ),
    on=("F",),
    raw=arrays_threshold_backward,
    elementwise=True,
    preserves=True,
    backwards=True,
    vmap=BROADCASTS,
)


def threshold_forward(xp: Any, self: Any, threshold: Any, value: Any) -> Any:
    return xp.as_array(xp.where(self <= threshold, scalar_like(value, self.dtype, xp), self))


threshold = unary(
    "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
    converts={"threshold": "opmath_t", "value": "scalar_t"},
    node="ThresholdBackward0",
    forward=threshold_forward,
    dtype="same",
    check=unsupported("threshold_cpu", Kind.BOOL, Kind.COMPLEX),
    self=lambda F, grad, self, threshold: F.threshold_backward(grad, self, threshold),
    result=ELEMENTWISE,
    variants=("out",),
    on=("function",),
)

unary(
    "threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)",
    doc="""x where it is above `threshold`, else `value`.

    Args:
        input: real, of any shape.
        threshold: the number that an element must exceed to stay.
        value: the number that takes the place of the others.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for bools and complex numbers.

    As torch.threshold (ATen/native/Activation.cpp).
    """,
    converts={"threshold": "opmath_t", "value": "scalar_t"},
    node="ThresholdBackward1",
    forward=threshold_forward,
    dtype="same",
    check=unsupported("threshold_cpu", Kind.BOOL, Kind.COMPLEX),
    self=lambda F, grad, self, threshold: F.threshold_backward(grad, self, threshold),
    result=ELEMENTWISE,
    variants=("inplace",),
    on=("F",),
    inplace_on=("function",),
    in_place=InPlace(overlaps=True),
)
