"""Fake quantization whose grid is learned, by gradients or by averages of what is seen.

As ATen/native/quantized/FakeQuantPerTensorAffine.cpp, FakeQuantPerChannelAffine.cpp and
FusedObsFakeQuant.cpp.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from minitorch.aten.elementwise.special import without_derivative_of
from minitorch.aten.layers.quantization import by_channel, by_numbers, by_tensors
from minitorch.aten.reduction.reduction import summed
from minitorch.aten.shape.slicing import select_forward
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import resize
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import wrap_dim

single = numpy.float32

# ---- a scale and a zero point that have gradients


def number_of(x: Any) -> Any:
    """The only element of an array. RuntimeError if there are more, or none."""
    if x.size != 1:
        raise RuntimeError(f"a Tensor with {x.size} elements cannot be converted to Scalar")
    return x.item()


def first_of(x: Any) -> Any:
    """The first entry of an array, which must be one number."""
    return number_of(select_forward(x, 0, 0))


def clipped(x: Any, low: int, high: int) -> int:
    """A number cut to a range, without its fraction; NaN becomes the lower end."""
    return int(min(max(single(low), x), single(high)))


def learnable_forward(
    xp: Any, self: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Any:
    step = float(single(first_of(scale)))
    zero = clipped(numpy.rint(single(first_of(zero_point))), quant_min, quant_max)
    return by_numbers(xp, self, step, zero, quant_min, quant_max)[0]


def check_single(grad: Any, self: Any, scale: Any, zero_point: Any) -> None:
    named = {"dY_": grad, "X_": self, "scale_": scale, "zero_point_": zero_point}
    for name, x in named.items():
        if x.dtype.name != "float32":
            raise RuntimeError(
                f"Expected {name}.scalar_type() == ScalarType::Float to be true, but got false.  "
                "(Could this error message be improved?  If so, please report an enhancement "
                "request to PyTorch.)"
            )


class Grid(NamedTuple):
    """A grid: its steps and its zeros, for all numbers or along the channels, and its ends."""

    scale: Any
    zero: Any
    low: int
    high: int


def learnable_gradients(xp: Any, grad: Any, x: Any, grid: Grid, factor: float) -> Any:
    """The gradients of numbers, and those of their scale and zero point before they are summed."""
    scale, zero, low, high = grid
    factor = single(factor)
    with Silence():
        inverse = 1 / scale
        places = xp.rint(zero + x * inverse)
        inside = (places >= low) & (places <= high)
        rounded = (xp.fmin(xp.fmax(places, low), high) - zero) * scale
        ends = xp.where(places < low, low - zero, high - zero).astype("float32")
        by_scale = xp.where(inside, grad * (rounded - x) * inverse * factor, grad * ends * factor)
        by_zero = xp.where(inside, single(0), -grad * scale * factor)
        return grad * inside, by_scale.astype("float32"), by_zero.astype("float32")


def learnable_backward(
    xp: Any,
    grad: Any,
    self: Any,
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> Any:
    step = single(first_of(scale))
    zero = clipped(single(first_of(zero_point)) + single(0.5), quant_min, quant_max)
    check_single(grad, self, scale, zero_point)
    if not quant_min <= 0 <= quant_max:
        raise RuntimeError(
            "`quant_min` should be less than or         equal to `quant_max`, and the quantization "
            "range should include 0."
        )
    if not self.size:
        return self, scale, zero_point
    grid = Grid(xp.asarray(step), xp.asarray(single(zero)), quant_min, quant_max)
    by_x, *others = learnable_gradients(xp, grad, self, grid, grad_factor)
    return by_x, *[summed(xp, each, None, False, None).reshape(1) for each in others]


_NUMBERS = "int quant_min, int quant_max, float grad_factor=1.0"
_ALL = ("self", "scale", "zero_point")

_learnable = operator(
    "_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point,"
    f" {_NUMBERS}) -> Tensor",
    node="FakeQuantizeLearnablePerTensorAffineBackward0",
    forward=learnable_forward,
    inputs=lambda F, grad, self, scale, zero_point, quant_min, quant_max, grad_factor: (
        F._fake_quantize_learnable_per_tensor_affine_backward(
            grad, self, scale, zero_point, quant_min, quant_max, grad_factor
        )
    ),
    joint=_ALL,
    on=("function",),
)

_learnable_backward = operator(
    "_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale,"
    f" Tensor zero_point, {_NUMBERS}) -> (Tensor, Tensor, Tensor)",
    node="NotImplemented",
    forward=learnable_backward,
    inputs=lambda F, grads: without_derivative_of(
        "_fake_quantize_learnable_per_tensor_affine_backward"
    ),
    joint=("grad", *_ALL),
    on=("F",),
)


def rounded_zeros(xp: Any, zero_point: Any, low: int, high: int) -> Any:
    return xp.minimum(xp.maximum(xp.rint(zero_point), low), high).astype(zero_point.dtype)


def channel_learnable_forward(
    xp: Any,
    self: Any,
    scale: Any,
    zero_point: Any,
    axis: int,
    quant_min: int,
    quant_max: int,
) -> Any:
    zeros = rounded_zeros(xp, zero_point, quant_min, quant_max).astype("int32")
    return by_channel(xp, self, scale, zeros, axis, quant_min, quant_max)[0]


def channel_learnable_backward(
    xp: Any,
    grad: Any,
    self: Any,
    scale: Any,
    zero_point: Any,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float,
) -> Any:
    check_single(grad, self, scale, zero_point)
    if not quant_min <= 0 <= quant_max:
        raise RuntimeError("Expecting `quant_min` <= 0 and `quant_max` >= 0")
    if not self.size:
        return self, scale, zero_point
    along = (-1, *[1] * (self.ndim - axis - 1))
    zeros = rounded_zeros(xp, zero_point, quant_min, quant_max)
    grid = Grid(scale.reshape(along), zeros.reshape(along), quant_min, quant_max)
    by_x, *others = learnable_gradients(xp, grad, self, grid, grad_factor)
    rest = tuple([dim for dim in range(self.ndim) if dim != axis])
    if not rest:
        return by_x, *others
    return by_x, *[summed(xp, each, rest, False, None) for each in others]


_channel_learnable = operator(
    "_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point,"
    f" int axis, {_NUMBERS}) -> Tensor",
    node="FakeQuantizeLearnablePerChannelAffineBackward0",
    forward=channel_learnable_forward,
    inputs=lambda F, grad, self, scale, zero_point, axis, quant_min, quant_max, grad_factor: (
        F._fake_quantize_learnable_per_channel_affine_backward(
            grad, self, scale, zero_point, axis, quant_min, quant_max, grad_factor
        )
    ),
    joint=_ALL,
    on=("function",),
)

_channel_learnable_backward = operator(
    "_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale,"
    f" Tensor zero_point, int axis, {_NUMBERS}) -> (Tensor, Tensor, Tensor)",
    node="NotImplemented",
    forward=channel_learnable_backward,
    inputs=lambda F, grads: without_derivative_of(
        "_fake_quantize_learnable_per_channel_affine_backward"
    ),
    joint=("grad", *_ALL),
    on=("F",),
)

# ---- a grid that follows moving averages of the range

_LEAST_SCALE = single(6.1e-5)


def halved(n: int) -> int:
    """Half of an integer, rounded towards zero as in C."""
    return int(n / 2)


def grid_of_ranges(low: Any, high: Any, qmin: int, qmax: int, symmetric: bool) -> Any:
    """The scales, as float64, and the zero points of ranges: numbers as vectors of float32.

    As ATen/native/quantized/cpu/QuantUtils.h, ChooseQuantizationParams.
    """
    span = qmax - qmin
    with Silence():
        if symmetric:
            least, most = -(halved(span) + 1), halved(span)
            widest = numpy.maximum(abs(low / single(least)), abs(high / single(most)))
            astride = (low < 0) & (high > 0)
            low = numpy.where(astride, widest.astype(float) * least, low).astype(single)
            high = numpy.where(astride, widest.astype(float) * most, high).astype(single)
        low, high = numpy.minimum(low, single(0)), numpy.maximum(high, single(0))
        scale = (high.astype(float) - low) / numpy.float64(span)
        shown = scale.astype(single)
        scale = numpy.where((shown == 0) | numpy.isinf(1 / shown), 0.1, scale)
        small = scale < _LEAST_SCALE
        wider = _LEAST_SCALE / scale.astype(single)
        reach = _LEAST_SCALE * single(span)
        low, high = (
            numpy.where(small, numpy.where(high == 0, -reach, low * wider), low),
            numpy.where(small, numpy.where(low == 0, reach, high * wider), high),
        )
        scale = numpy.where(small, float(_LEAST_SCALE), scale)
        from_low, from_high = qmin - low / scale, qmax - high / scale
        nearer = abs(qmin) - abs(low / scale) < abs(qmax) - abs(high / scale)
        zero = numpy.where(nearer, from_low, from_high)
        if symmetric:
            zero = numpy.where((low < 0) & (high > 0), (qmin + qmax) / 2, zero)
        zero = numpy.where(zero < qmin, qmin, numpy.where(zero > qmax, qmax, numpy.rint(zero)))
        return scale, numpy.where(zero == zero, zero, -(2.0**31)).astype("int64")


def check_all_single(*arrays: Any) -> None:
    for x in arrays:
        if x.dtype.name != "float32":
            raise RuntimeError(f"expected scalar type Float but found {dtypes.of(x).scalar_name}")


def observe(xp: Any, x: Any, low: Any, high: Any, constant: float, rows: bool, axis: int) -> None:
    """Moves averages of the least and the largest number, of `x` or of each of its rows."""
    axes = None
    if rows:
        if axis != 0:
            raise RuntimeError(
                "Per-channel FakeQuant in fused_moving_avg_obs_fake_quant is only supported on "
                "axis == 0"
            )
        axes = tuple(range(1, x.ndim))
    check_all_single(x, low, high)
    with Silence():
        for average, seen in (
            (low, xp.minimum.reduce(x, axes)),
            (high, xp.maximum.reduce(x, axes)),
        ):
            moved = average + single(constant) * (seen - average)
            average[...] = xp.where(xp.isinf(average), seen, moved).reshape(average.shape)


def fused_forward(
    xp: Any,
    self: Any,
    observer_on: Any,
    fake_quant_on: Any,
    running_min: Any,
    running_max: Any,
    scale: Any,
    zero_point: Any,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool,
    symmetric_quant: bool,
) -> Any:
    rows = per_row_fake_quant
    if int(number_of(observer_on)):
        observe(xp, self, running_min, running_max, averaging_const, rows, ch_axis)
    if not int(number_of(fake_quant_on)):
        return self.copy("K"), xp.full_like(self, True, "bool")
    if rows:
        check_all_single(running_min, running_max)
    ends = [xp.to_numpy(each).astype(single).reshape(-1) for each in (running_min, running_max)]
    scales, zeros = grid_of_ranges(*ends, quant_min, quant_max, symmetric_quant)
    count = len(scales) if rows else 1
    scale[:count] = xp.asarray(scales)
    zero_point[:count] = xp.asarray(zeros)
    if rows:
        return by_channel(xp, self, scale, zero_point, ch_axis, quant_min, quant_max)
    return by_tensors(xp, self, scale, zero_point, quant_min, quant_max)


fused_row = operator(
    "_fused_moving_avg_obs_fq_helper(Tensor self, Tensor observer_on, Tensor fake_quant_on,"
    " Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point,"
    " float averaging_const, int quant_min, int quant_max, int ch_axis,"
    " bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask)",
    node="FusedMovingAvgObsFqHelperBackward0",
    forward=fused_forward,
    self=lambda F, grad, mask: grad * mask,
    differentiable=(True, False),
    constant=(
        "observer_on",
        "fake_quant_on",
        "running_min",
        "running_max",
        "scale",
        "zero_point",
    ),
    on=("F",),
)


@composite("_fused_moving_avg_obs_fq_helper", on=("function",))
def fused_helper(
    input: Any,
    observer_on: Any,
    fake_quant_on: Any,
    running_min: Any,
    running_max: Any,
    scale: Any,
    zero_point: Any,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool = False,
    symmetric_quant: bool = False,
) -> Any:
    """fused_moving_avg_obs_fake_quant, and which numbers lie in the range of the grid."""
    if ch_axis >= input.dim():
        raise RuntimeError(
            "Error in fused_moving_avg_obs_fake_quant_cpu: ch_axis must be < self.dim()"
        )
    if per_row_fake_quant and not running_min._array.size:
        channels = (input._array.shape[wrap_dim(ch_axis, input.dim())],)
        for each in (running_min, running_max, scale, zero_point):
            resize(each, channels)
        running_min._array[...], running_max._array[...] = float("inf"), float("-inf")
    found = fused_row(
        input,
        observer_on,
        fake_quant_on,
        running_min,
        running_max,
        scale,
        zero_point,
        averaging_const,
        quant_min,
        quant_max,
        ch_axis,
        per_row_fake_quant,
        symmetric_quant,
    )
    return return_type("_fused_moving_avg_obs_fq_helper", ("output", "mask"))(found)


@composite("fused_moving_avg_obs_fake_quant", on=("function",))
def fused_moving_avg_obs_fake_quant(
    input: Any,
    observer_on: Any,
    fake_quant_on: Any,
    running_min: Any,
    running_max: Any,
    scale: Any,
    zero_point: Any,
    averaging_const: float,
    quant_min: int,
    quant_max: int,
    ch_axis: int,
    per_row_fake_quant: bool = False,
    symmetric_quant: bool = False,
) -> Any:
    """`input` on a grid for moving averages of its range, which the call moves.

    Args:
        input: a tensor of float32.
        observer_on, fake_quant_on: tensors of one element: whether the averages move, and whether
            numbers are rounded.
        running_min, running_max: the averages, one for each channel or for all; WRITTEN.
        scale, zero_point: the grid; WRITTEN.
        averaging_const: the share of the new range in the averages.
        quant_min, quant_max: the ends of the grid.
        ch_axis: the dimension of the channels.
        per_row_fake_quant: whether each channel has its own grid.
        symmetric_quant: whether zero lies in the middle.

    As ATen/native/quantized/FusedObsFakeQuant.cpp.
    """
    if not input.numel():
        return input.clone()
    given = (averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant, symmetric_quant)
    state = (running_min, running_max, scale, zero_point)
    return fused_helper(input, observer_on, fake_quant_on, *state, *given)[0]


# ---- a grid for one tensor


@composite("_choose_qparams_per_tensor", on=("function",))
def _choose_qparams_per_tensor(self: Any, reduce_range: bool = False) -> Any:
    """The scale and the zero point of unsigned bytes for the range of `self`, as numbers."""
    ends = [float(each()) for each in (self.min, self.max)]
    most = 127 if reduce_range else 255
    scale, zero = grid_of_ranges(*numpy.array(ends, single).reshape(2, 1), 0, most, False)
    return float(scale[0]), int(zero[0])
