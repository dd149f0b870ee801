"""Warnings for functions and classes that torch is about to remove, as typing_extensions gives."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

DEPRECATION_WARNING = (
    "torch.ao.quantization is deprecated and will be removed in 2.10. \n"
    "For migrations of users: \n"
    "1. Eager mode quantization (torch.ao.quantization.quantize, "
    "torch.ao.quantization.quantize_dynamic), please migrate to use torchao eager mode "
    "quantize_ API instead \n"
    "2. FX graph mode quantization (torch.ao.quantization.quantize_fx.prepare_fx,"
    "torch.ao.quantization.quantize_fx.convert_fx, please migrate to use torchao pt2e "
    "quantization API instead (prepare_pt2e, convert_pt2e) \n"
    "3. pt2e quantization has been migrated to torchao "
    "(https://github.com/pytorch/ao/tree/main/torchao/quantization/pt2e) \n"
    "see https://github.com/pytorch/ao/issues/2259 for more details"
)


def deprecated(
    message: str, category: type[Warning] = DeprecationWarning
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator of functions and of classes, which warn when they are called.

    Args:
        message: the text of the warning.
        category: its class.
    """

    def decorate(thing: Any) -> Any:
        if isinstance(thing, type):
            return _deprecated_class(thing, message, category)

        @functools.wraps(thing)
        def call(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(message, category, stacklevel=2)
            return thing(*args, **kwargs)

        thing.__deprecated__ = call.__deprecated__ = message  # type: ignore[attr-defined]
        return call

    return decorate


def _deprecated_class(thing: Any, message: str, category: type[Warning]) -> Any:
    plain = thing.__new__

    @functools.wraps(plain)
    def make(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        if cls is thing:
            warnings.warn(message, category, stacklevel=2)
        return plain(cls, *args, **kwargs)

    thing.__new__ = staticmethod(make)
    thing.__deprecated__ = message
    return thing
