"""Buffers of modules that are assigned as attributes: `module.name = value`."""

from __future__ import annotations

import inspect
from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.core.tensor.type_names import typename
from minitorch.nn.parameter import Buffer


def assign_buffer(module: Any, name: str, value: Any, plain: Any) -> None:
    """Registers `value` as the buffer `name`, by the register_buffer of the module's class.

    value: a Buffer, or a Tensor or None in place of a buffer, which stays as persistent as it is.
    plain: Module.register_buffer. TypeError for another value, RuntimeError if a register_buffer
    without `persistent` is to register a buffer that is not.
    """
    if not (value is None or isinstance(value, Tensor) or hasattr(value, "__torch_function__")):
        wanted = "torch.nn.Buffer, torch.Tensor or None expected"
        raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' ({wanted})")
    if isinstance(value, Buffer):
        persistent = value.persistent
    else:
        persistent = name not in module._non_persistent_buffers_set
    register = module.register_buffer
    own = getattr(register, "__func__", None) is not plain
    if not own or "persistent" in inspect.signature(register).parameters:
        register(name, value, persistent)
    elif persistent:
        register(name, value)
    else:
        raise RuntimeError(
            "Registering a non-persistent buffer on a Module subclass that implements "
            "register_buffer() without the persistent argument is not allowed."
        )
