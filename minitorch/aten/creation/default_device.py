"""The default device as a mode: DeviceContext, which hands it to the functions that make tensors.

`with torch.device(...)` enters one above all modes, `torch.set_default_device` one below them. So
torch's functions ask for modes while there is a default device, and pass calls through it.
"""

from __future__ import annotations

import threading
from typing import Any

from minitorch.core.declare.protocols import function_modes
from minitorch.core.numbers import device as devices

# The public functions to which it hands the device, by name.
_MAKERS = frozenset(
    """empty empty_permuted empty_strided empty_quantized ones arange bartlett_window
    blackman_window eye fftfreq rfftfreq full hamming_window hann_window kaiser_window linspace
    logspace nested_tensor rand randn randint randperm range sparse_coo_tensor
    sparse_compressed_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor
    sparse_bsc_tensor tril_indices triu_indices zeros asarray tensor as_tensor scalar_tensor
    """.split()
)


class DeviceContext(function_modes.TorchFunctionMode):
    """A block whose tensors are made on a device, unless their calls name another.

    It is the outermost mode while it lasts, in the place of another DeviceContext if that was.
    As torch.utils._device.DeviceContext.
    """

    __module__ = "torch.utils._device"

    def __init__(self, device: Any) -> None:
        self.device = devices.device(device)
        self.prev_mode: DeviceContext | None = None

    def __enter__(self) -> None:
        self.old_device = devices.set_chosen(self.device)
        inner = [function_modes.pop() for _ in function_modes.stack()]
        function_modes.push(self)
        for mode in reversed(inner):
            if isinstance(mode, DeviceContext):
                self.prev_mode = mode
            else:
                function_modes.push(mode)

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        devices.set_chosen(self.old_device)
        inner = []
        for _ in function_modes.stack()[1:]:
            mode = function_modes.pop()
            if isinstance(mode, DeviceContext):
                raise AssertionError(
                    "Found nested DeviceContext on the mode stack where none expected"
                )
            inner.append(mode)
        if function_modes.stack() and not isinstance(function_modes.pop(), DeviceContext):
            raise AssertionError("Expected a DeviceContext at the bottom of the mode stack")
        if self.prev_mode is not None:
            function_modes.push(self.prev_mode)
        for mode in reversed(inner):
            function_modes.push(mode)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("device") is None and getattr(func, "__name__", "") in _MAKERS:
            try:
                return func(*args, **{**kwargs, "device": self.device})
            except TypeError:  # torch's parser refuses a call before a mode sees it
                pass
        return func(*args, **kwargs)


class _Global(threading.local):
    context: DeviceContext | None = None


_global = _Global()


def set_default_device(device: Any) -> None:
    """Makes it the device of tensors made without one; None restores the CPU. For this thread."""
    if _global.context is not None:
        _global.context.__exit__(None, None, None)
    _global.context = None if device is None else DeviceContext(device)
    if _global.context is not None:
        _global.context.__enter__()


devices.ENTERED.push = lambda device: function_modes.push(DeviceContext(device))
devices.ENTERED.pop = function_modes.pop
