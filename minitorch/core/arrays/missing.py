"""Errors for arrays without numbers, and tests for such arrays that do not import their type.

The type of a meta tensor's array is in `NUMBERLESS` once such an array was made.
"""

from __future__ import annotations

from typing import Any

NO_DATA = "Cannot copy out of meta tensor; no data!"
NONZERO = (
    "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct "
    "data-independent implementation does not exist. This implementation returns a fake value, "
    "assuming all elements of the tensor are non-zero. To enable this registration, please set "
    "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
)
NUMBERLESS: list[type] = []
# Not empty while a function runs on ones in the place of missing numbers: stand_ins.py says so.
STANDING_IN: list[bool] = []


class NoNumbers(NotImplementedError):
    """The error for a call that reads the numbers of an array without numbers.

    It has the name of its base class, since programs print the type of an error.
    """

    def __init__(self, message: str = NO_DATA) -> None:
        super().__init__(message)


NoNumbers.__name__ = NoNumbers.__qualname__ = NotImplementedError.__name__
NoNumbers.__module__ = NotImplementedError.__module__


def is_numberless(x: Any) -> bool:
    """Whether the array `x` is a meta tensor's."""
    return type(x) in NUMBERLESS


def has_numbers(x: Any) -> bool:
    """Whether the array `x` is neither a meta tensor's nor ones that stand for such an array."""
    return not (STANDING_IN or is_numberless(x))


def is_true(condition: Any, otherwise: bool) -> bool:
    """Whether a tensor or array of one element is True; `otherwise` for a meta tensor."""
    return otherwise if is_numberless(getattr(condition, "_array", condition)) else bool(condition)


def slides_over(dims: int, *functions: Any) -> None:
    """Notes that windows slide over the last `dims` dimensions of the arrays of these functions."""
    for function in functions:
        function.slides = dims


def refuses_with(text: str, function: Any) -> None:
    """Notes the error text of a function for which the shape of the result depends on numbers."""
    function.refusal = text


def unknown_shape(name: str) -> NotImplementedError:
    """The error for an operator whose result has a shape that depends on numbers."""
    return NotImplementedError(
        f"{name}: attempted to run this operator with Meta tensors, but there was no fake impl or "
        "Meta kernel registered. You may have run into this message while using an operator with "
        "PT2 compilation APIs (torch.compile/torch.export); in order to use this operator with "
        "those APIs you'll need to add a fake impl. Please see the following for next steps:  "
        "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
    )


def refuse_numberless(name: str, *arrays: Any) -> None:
    """NotImplementedError with torch's text if one of the arrays is a meta tensor's."""
    if NUMBERLESS and any(map(is_numberless, arrays)):
        raise unknown_shape(name)


def wrong_device(found: str, expected: str) -> RuntimeError:
    """The error for tensors of which some are meta tensors and others are not."""
    return RuntimeError(f"Tensor on device {found} is not on the expected device {expected}!")


def of_two_devices(*places: str) -> str:
    """torch's text for tensors that should be on one device and are on two."""
    return (
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{' and '.join(places)}!"
    )


class MixedDevices(RuntimeError):
    """The error for arrays of fake tensors of different devices in one call."""

    def __init__(self, one: Any, other: Any) -> None:
        places = [str(getattr(each, "place", "meta")) for each in (one, other)]
        super().__init__(of_two_devices(*places))


def no_item() -> RuntimeError:
    """The error for a Python number of a meta tensor."""
    return RuntimeError("Tensor.item() cannot be called on meta tensors")
