"""torch.autograd.graph: what a program may know and change of the graph while it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitorch.core.graph import packing

__all__ = ["disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]


class saved_tensors_hooks:
    """Inside, pack_hook(tensor) says what nodes keep of tensors, and unpack_hook gives them back.

    As https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.saved_tensors_hooks.
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        packing.push(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception: object) -> None:
        packing.pop()


class save_on_cpu(saved_tensors_hooks):
    """Inside, nodes keep tensors in the memory of the CPU; backward brings them back.

    pin_memory: accepted; copies are made before the call returns.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack_to_cpu(tensor: Any) -> tuple[Any, Any]:
            return tensor.device, tensor.clone() if pin_memory and tensor.is_cpu else tensor.cpu()

        def unpack_from_cpu(packed: tuple[Any, Any]) -> Any:
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack_to_cpu, unpack_from_cpu)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, whoever enters saved_tensors_hooks gets a RuntimeError with this message."""
    before = packing.DISABLED.get()
    try:
        if not isinstance(error_message, str):
            signature = "error_message: str, fail_if_non_empty: bool = True"
            raise packing.incompatible("_saved_tensors_hooks_disable", signature, (error_message,))
        if packing.HOOKS.get():
            raise RuntimeError(error_message)
        packing.DISABLED.set(error_message)
        yield
    finally:
        packing.DISABLED.set(before)
