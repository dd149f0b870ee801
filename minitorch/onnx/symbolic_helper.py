"""torch.onnx.symbolic_helper: the decorators of functions that write operators as ONNX's.

Packages define such functions when they are imported. The exporter here does not call them, and a
call refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from minitorch._public import outlines


def _waiting(function: Callable[..., Any]) -> Callable[..., NoReturn]:
    @wraps(function)
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"{function.__name__} is called by torch.onnx.export, and minitorch's does not call it"
        )

    return refuse


def parse_args(*arg_descriptors: str) -> Callable[[Callable[..., Any]], Callable[..., NoReturn]]:
    """A decorator that notes the kinds of a function's arguments: "v", "i", "is", "f", "t", ..."""

    def decorate(function: Any) -> Callable[..., NoReturn]:
        function._arg_descriptors = arg_descriptors
        return _waiting(function)

    return decorate


def quantized_args(
    *arg_q_descriptors: bool,
    scale: float | None = None,
    zero_point: int | None = None,
    quantize_output: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., NoReturn]]:
    """A decorator that says which arguments of a function may be quantised."""
    return _waiting


__getattr__, __dir__ = outlines.rest_of("torch.onnx.symbolic_helper")
