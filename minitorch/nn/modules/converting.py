"""Casting and moving the parameters and buffers of a module in place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minitorch.aten import copies
from minitorch.autograd.grad_mode import no_grad
from minitorch.core.graph.formulas import OPS
from minitorch.core.tensor.parameter import Parameter


def convert(module: Any, fn: Callable[[Any], Any]) -> None:
    """Replaces the memory of each parameter, of its gradient, and each buffer by fn of it.

    Parameters and gradients stay the objects they are, so that optimizers still hold them.
    """
    for name, parameter in list(module._parameters.items()):
        if parameter is None:
            continue
        if _overwrites():
            module._parameters[name] = _replacement(parameter, fn)
            continue
        with no_grad():
            parameter.data = fn(parameter)
            grad = parameter.grad
            if grad is not None:
                grad.data = fn(grad)
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = fn(buffer)


def _overwrites() -> bool:
    """Whether torch.__future__ asks for new parameters; who never imported it did not."""
    future = sys.modules.get("minitorch.__future__")
    return future is not None and future.get_overwrite_module_params_on_conversion()


def _replacement(parameter: Any, fn: Callable[[Any], Any]) -> Any:
    """A new Parameter of what `fn` makes of one, with its gradient."""
    with no_grad():
        made = Parameter(fn(parameter), parameter.requires_grad)
        grad = parameter.grad
        if grad is not None:
            made.grad = fn(grad).requires_grad_(grad.requires_grad)
    return made


def parsed_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Any], Any]:
    """The conversion of one tensor that `Module.to` with these arguments asks for.

    TypeError for dtypes that are neither floating point nor complex, RuntimeError for a copy.
    """
    device, dtype, _, memory_format = copies.parsed_module_to(args, kwargs)
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(
            "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            f"dtype={dtype}"
        )

    def converted(t: Any) -> Any:
        cast = dtype if t.is_floating_point() or t.is_complex() else None
        options: dict[str, Any] = {}
        if memory_format is not None and t.dim() in (4, 5):
            options["memory_format"] = memory_format
        if device is not None:
            options["device"] = device
        if cast is not None:
            options["dtype"] = cast
        return t.to(**options) if options else t

    return converted


def empty_on(t: Any, device: Any) -> Any:
    """An uninitialised tensor like `t` on a device."""
    return OPS.empty_like(t, device=device)
