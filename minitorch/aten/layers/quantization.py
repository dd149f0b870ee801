"""Fake quantization: numbers rounded to multiples of a scale, for training that knows of it."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays.floating_point import Silence
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.tensor.conversion import wrap_dim


def check_range(low: int, high: int, zero_points: Any = ()) -> None:
    if low > high:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")
    if any(not low <= zero <= high for zero in zero_points):
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def quantized(
    xp: Any, kernel: str, x: Any, scale: Any, zero: Any, low: int, high: int, inside: bool = False
) -> tuple[Any, Any]:
    """`x` on the grid, and which elements lie in its range.

    inside: whether the zero point is added before numbers are rounded.
    """
    if dtypes.of(x).number_kind is not Kind.FLOATING:
        raise dtypes.unknown_to(kernel, x)
    scale = xp.asarray(scale, "float32")
    with Silence():
        steps = x.astype("float64" if x.dtype.itemsize == 8 else "float32") * (1 / scale)
        places = xp.rint(steps + zero) if inside else xp.rint(steps) + zero
        out = (xp.fmin(xp.fmax(places, low), high) - zero) * scale
    return xp.as_array(out.astype(x.dtype)), xp.as_array((places >= low) & (places <= high))


_PARTS: dict[str, Any] = {
    "self": lambda F, grad, mask: grad * mask,
    "differentiable": (True, False),
    "on": ("F",),
}
_KERNEL = "fake_quantize_tensor_cachemask_kernel_type_handling"


def by_numbers(
    xp: Any, self: Any, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Any:
    check_range(quant_min, quant_max, (zero_point,))
    return quantized(xp, _KERNEL, self, scale, zero_point, quant_min, quant_max)


_by_numbers = operator(
    "fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point,"
    " int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    node="FakeQuantizePerTensorAffineCachemaskBackward0",
    forward=by_numbers,
    **_PARTS,
)


def by_tensors(
    xp: Any, self: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Any:
    check_range(quant_min, quant_max)
    for x in (zero_point, scale):  # as C++ evaluates arguments
        if x.size != 1:
            raise RuntimeError(f"a Tensor with {x.size} elements cannot be converted to Scalar")
    zero = int(zero_point.reshape(())[()])
    return quantized(xp, _KERNEL, self, scale.reshape(()), zero, quant_min, quant_max)


_by_tensors = operator(
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale,"
    " Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max)"
    " -> (Tensor output, Tensor mask)",
    node="FakeQuantizePerTensorAffineCachemaskTensorQparamsBackward0",
    forward=by_tensors,
    constant=("scale", "zero_point"),
    **{**_PARTS, "on": ("function",)},
)


@composite("fake_quantize_per_tensor_affine", on=("function",))
@overloads(
    "Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max",
    "Tensor input, float scale, int zero_point, int quant_min, int quant_max",
)
def fake_quantize_per_tensor_affine(
    input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Any:
    """`input` as multiples of `scale`, from quant_min - zero_point to quant_max - zero_point.

    Gradients go straight through, but for elements outside.
    """
    if isinstance(scale, TensorBase):
        on = zero_point.new_ones(1)
        return _by_tensors(input, scale, zero_point, on, quant_min, quant_max)[0]
    return _by_numbers(input, scale, zero_point, quant_min, quant_max)[0]


def by_channel(
    xp: Any, self: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Any:
    names = dtypes.of(scale).scalar_name, dtypes.of(zero_point).scalar_name
    if names[0] not in ("Float", "BFloat16"):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {names[0]}")
    if names[1] not in ("Int", "Float", "Half"):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {names[1]}")
    for x, name in ((scale, "scale"), (zero_point, "zero point")):
        if x.ndim != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    if scale.size != zero_point.size:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if scale.size != self.shape[wrap_dim(axis, self.ndim)]:
        raise RuntimeError(
            "dimensions of scale and zero-point are not consistent with input tensor"
        )
    whole = zero_point.dtype.kind == "i"
    check_range(quant_min, quant_max, zero_point.tolist() if whole else ())
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    along = (-1, *[1] * (self.ndim - axis - 1))
    zero = zero_point.astype("float32").reshape(along)
    scale = scale.astype("float32").reshape(along)
    kernel = "fake_quantize_channel_cachemask_cpu_type_handling"
    return quantized(xp, kernel, self, scale, zero, quant_min, quant_max, not whole)


_by_channel = operator(
    "fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point,"
    " int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    node="FakeQuantizePerChannelAffineCachemaskBackward0",
    forward=by_channel,
    constant=("scale", "zero_point"),
    **_PARTS,
)


@composite("fake_quantize_per_channel_affine", on=("function",))
def fake_quantize_per_channel_affine(
    input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Any:
    """Fake quantization with a scale and a zero point for each channel, along `axis`."""
    return _by_channel(input, scale, zero_point, axis, quant_min, quant_max)[0]


# ---- the range of a grid of few bits


def elements_at_start(x: Any, count: int) -> Any:
    """The elements that the first `count` places of `x` in memory hold."""
    reach = 1 + sum([(n - 1) * s // x.itemsize for n, s in zip(x.shape, x.strides, strict=True)])
    if x.flags.c_contiguous or reach < count:
        return x.reshape(-1)[:count]
    return numpy.lib.stride_tricks.as_strided(x, (count,), (x.itemsize,))


def quantization_loss(x: Any, low: Any, high: Any, bit_width: int) -> Any:
    """How far `x` is, as a vector, from the nearest points of a grid from `low` to `high`."""
    single = numpy.float32
    low = single(numpy.float16(low))
    extent = high - low
    levels = 1 << bit_width % 32  # as C's int
    most = single((levels if levels < 2**31 else 2**31) - 1)
    scale = single(1) if extent == 0 else single(numpy.float16(extent / most))
    inverse = single(1) if scale == 0 else single(1) / scale
    steps = numpy.rint((x - low) * inverse)
    places = numpy.where(steps == steps, numpy.clip(steps, single(0), max(most, single(0))), 0)
    misses = x - (places.astype(single) * scale + low)
    squares = misses * misses
    total = numpy.add.accumulate(squares)[-1] if squares.size else single(0)  # one after the other
    return numpy.sqrt(total)


def best_range(x: Any, low: Any, high: Any, n_bins: int, ratio: float, bit_width: int) -> Any:
    """The ends of the grid with the least loss, as far as a greedy search finds it."""
    single = numpy.float32
    step = (high - low) / single(n_bins)
    least = n_bins * (1.0 - float(single(ratio)))
    least = int(least) if -(2.0**31) <= least < 2.0**31 else -(2**31)  # as C's int
    apart = single(least) * step
    left, right = low, high
    best = loss = quantization_loss(x, low, high, bit_width)
    while left + apart < right:
        from_left = quantization_loss(x, left + step, right, bit_width)
        from_right = quantization_loss(x, left, right - step, bit_width)
        if loss < from_left and loss < from_right and loss < best:
            best, low, high = loss, left, right
        if from_left < from_right:
            left, loss = left + step, from_left
        else:
            right, loss = right - step, from_right
    return low, high


def choose_qparams_forward(
    xp: Any, input: Any, numel: int, n_bins: int, ratio: float, bit_width: int
) -> Any:
    if input.dtype.name != "float32":
        raise RuntimeError(f"expected scalar type Float but found {dtypes.of(input).scalar_name}")
    if not input.size:
        raise ValueError("input tensor is empty and has no data")
    if not 0 <= numel <= input.size:
        raise RuntimeError("numel is out of the bound of input tensor")
    here = xp.to_numpy(input)  # the search asks for a number after each step
    seen = elements_at_start(here, max(numel, 1))
    # As C++ looks for them: a NaN counts only where it comes first.
    low, high = (seen[0],) * 2 if seen[0] != seen[0] else (numpy.nanmin(seen), numpy.nanmax(seen))
    with Silence():
        low, high = best_range(here.reshape(-1)[:numel], low, high, n_bins, ratio, bit_width)
    kind = dtypes.get_default_dtype().numpy
    return xp.full(1, high, kind), xp.full(1, low, kind)


choose_qparams_optimized = operator(
    "choose_qparams_optimized(Tensor input, int numel, int n_bins, float ratio, int bit_width)"
    " -> (Tensor, Tensor)",
    forward=choose_qparams_forward,
    on=("function",),
)
