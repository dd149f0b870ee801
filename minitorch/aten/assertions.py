"""Checks that stand in graphs as operators: of a tensor's one element, of a number, of a shape."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.families import composite
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.scalars import is_number
from minitorch.core.tensor.tensor import Tensor

_FUNCTION = ("function",)


@composite("_assert_async", on=_FUNCTION)
@overloads("Tensor input", "Tensor input, str assert_msg")
def _assert_async(input: Any, assert_msg: str | None = None) -> None:
    """Raises a RuntimeError, with this text, if the one element of a tensor is 0."""
    if not isinstance(input, Tensor) or not isinstance(assert_msg, str | None):
        raise TypeError  # in the words of `overloads`
    if not (input.is_meta or input.is_nonzero()):
        raise RuntimeError(
            "Expected Tensor with single nonzero value, but got zero"
            if assert_msg is None
            else assert_msg
        )


@composite("_assert_scalar", on=_FUNCTION)
def _assert_scalar(self: Any, assert_msg: str) -> None:
    """Raises a RuntimeError, with this text, if a number is 0."""
    # Symbolic numbers are those of torch.fx: they have a node.
    if not (is_number(self) or hasattr(self, "node")) or not isinstance(assert_msg, str):
        raise TypeError  # worded by the signature
    if not self:
        raise RuntimeError(assert_msg)


@composite("_assert_tensor_metadata", on=_FUNCTION)
def _assert_tensor_metadata(
    a: Any,
    size: Any = None,
    stride: Any = None,
    dtype: Any = None,
    *,
    device: Any = None,
    layout: Any = None,
) -> None:
    """Raises a RuntimeError if a tensor has another size, stride, dtype, device or layout."""
    if not isinstance(a, TensorBase):
        raise TypeError  # worded by the signature
    wanted = (
        ("sizes", size, lambda: a.shape, list, list),
        ("strides", stride, lambda: a.stride(), list, list),
        ("dtype", dtype, lambda: a.dtype, _scalar_name, _c_name),
        ("device", device, lambda: a.device, devices.device, str),
        ("layout", layout, lambda: a.layout, _layout_name, _layout_name),
    )
    for what, expected, ask, expected_words, words in wanted:
        if expected is None:
            continue
        got = ask()
        if what in ("sizes", "strides"):
            differs = list(got) != list(expected)
        else:
            differs = got != (devices.device(expected) if what == "device" else expected)
        if differs:
            raise RuntimeError(
                f"Tensor {what} mismatch! Expected: {expected_words(expected)}, Got: {words(got)}"
            )


def _scalar_name(dtype: Any) -> str:
    return dtype.scalar_name


def _c_name(dtype: Any) -> str:
    return dtype.c_name


def _layout_name(layout: Any) -> str:
    return "".join(map(str.capitalize, str(layout).removeprefix("torch.").split("_"))).replace(
        "SparseCoo", "Sparse"
    )
