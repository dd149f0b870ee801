"""Fake quantization: numbers rounded to multiples of a scale, for training that knows of it."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.tensor.base import TensorBase
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
    if dtypes.of(x).kind is not Kind.FLOATING:
        raise dtypes.unknown_to(kernel, x)
    scale = xp.asarray(scale, "float32")
    with numpy.errstate(all="ignore"):
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
    for x in (scale, zero_point):
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
