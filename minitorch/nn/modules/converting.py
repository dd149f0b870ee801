"""Casting and moving the parameters and buffers of a module in place."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from minitorch.aten.creation import copies
from minitorch.autograd.grad_mode import no_grad
from minitorch.core.arrays.missing import NO_DATA
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.conversion import has_memory_of_a_kind
from minitorch.core.tensor.parameter import Parameter


def convert(module: Any, fn: Callable[[Any], Any]) -> None:
    """Replaces the memory of each parameter, of its gradient, and each buffer by fn of it.

    Parameters and gradients stay the objects they are, so that optimizers still hold them. Only
    where memory of another kind takes their place, as on the way to or from meta, they are new.
    """
    for name, parameter in list(module._parameters.items()):
        if parameter is None:
            continue
        if swaps():
            _swap(parameter, fn, f"{module._get_name()}.{name}")
            continue
        with no_grad():
            made = fn(parameter)
            if _overwrites() or not has_memory_of_a_kind(parameter, made):
                module._parameters[name] = _replacement(parameter, made, fn)
                continue
            parameter.data = made
            grad = parameter.grad
            if grad is not None:
                grad.data = fn(grad)
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = fn(buffer)


def _overwrites() -> bool:
    """Whether torch.__future__ asks for new parameters; a program that never imported it does
    not."""
    future = sys.modules.get("minitorch.__future__")
    return future is not None and future.get_overwrite_module_params_on_conversion()


def swaps() -> bool:
    """Whether torch.__future__ asks for parameters that change places with new ones."""
    future = sys.modules.get("minitorch.__future__")
    return future is not None and future.get_swap_module_params_on_conversion()


def _swap(parameter: Any, fn: Callable[[Any], Any], name: str) -> None:
    """Puts the results of `fn` into a parameter and its gradient; both stay the objects they are.

    Raises:
        RuntimeError: one of them is used by a graph, a view or a weak reference.
    """
    with no_grad():
        made = fn(parameter)
    grad, parameter.grad = parameter.grad, None  # which counts as a use of the gradient
    try:
        swap_tensors(parameter, Parameter(made, requires_grad=parameter.requires_grad))
    except Exception as error:
        parameter.grad = grad
        raise RuntimeError(f"_apply(): Couldn't swap {name}") from error
    if grad is None:
        return
    with no_grad():
        made = fn(grad)
    made.requires_grad_(grad.requires_grad)
    try:
        swap_tensors(grad, made)
    except Exception as error:
        raise RuntimeError(f"_apply(): Couldn't swap {name}.grad") from error
    parameter.grad = grad


def swap_loaded(member: Any, given: Any, assign: bool) -> None:
    """Puts the result of `module_load` for a loaded tensor into a parameter or buffer."""
    made = member.module_load(given, assign=assign)
    if made is given or made is member:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() the result if returning "
            "one of the inputs in module_load"
        )
    if isinstance(member, Parameter):
        if isinstance(made, Parameter):
            made.requires_grad_(member.requires_grad)
        else:
            made = Parameter(made, requires_grad=member.requires_grad)
    swap_tensors(member, made)


def swap_tensors(t1: Any, t2: Any) -> None:
    """torch.utils.swap_tensors, which few programs load."""
    from minitorch.utils import swapping  # start-up: 1 ms

    swapping.swap_tensors(t1, t2)


def _replacement(parameter: Any, made: Any, fn: Callable[[Any], Any]) -> Any:
    """A new Parameter of the tensor that `fn` made of one, with its gradient."""
    result = Parameter(made, parameter.requires_grad)
    grad = parameter.grad
    if grad is not None:
        result.grad = fn(grad).requires_grad_(grad.requires_grad)
    return result


_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some "
    "modules might not work as expected when using complex tensors as parameters or buffers. "
    "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
    "if a complex module does not work as expected."
)


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
    if dtype is not None and dtype.is_complex:
        warnings.warn(_COMPLEX, stacklevel=3)  # at the call of Module.to

    def converted(t: Any) -> Any:
        cast = dtype if t.is_floating_point() or t.is_complex() else None
        options: dict[str, Any] = {}
        if memory_format is not None and t.dim() in (4, 5):
            options["memory_format"] = memory_format
        if device is not None:
            options["device"] = device
        if cast is not None:
            options["dtype"] = cast
        try:
            return t.to(**options) if options else t
        except NotImplementedError as error:
            if str(error) != NO_DATA:
                raise
            raise NotImplementedError(
                f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() "
                "when moving module from meta to a different device."
            ) from None

    return converted


def empty_on(t: Any, device: Any) -> Any:
    """An uninitialised tensor like `t` on a device."""
    return OPS.empty_like(t, device=device)


def replica(module: Any) -> Any:
    """A copy of a module with tables of its own: no parameters, the same buffers and modules."""
    made = module.__new__(type(module))
    made.__dict__ = module.__dict__.copy()
    made._parameters = {}
    made._buffers = made._buffers.copy()
    made._modules = made._modules.copy()
    made._is_replica = True
    return made
