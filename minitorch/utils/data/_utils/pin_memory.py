"""torch.utils.data._utils.pin_memory: batches in memory that a device reads directly."""

from __future__ import annotations

import queue
from collections.abc import Mapping, Sequence
from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch._utils import ExceptionWrapper
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils.data import _utils
from minitorch.utils.data._utils.collate import _like_mapping, _like_sequence


def pin_memory(data: Any, device: Any = None) -> Any:
    """`data` with each tensor in pinned memory, in whatever containers."""
    if isinstance(data, Tensor) or hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: pin_memory(each, device) for key, each in data.items()})
    if isinstance(data, tuple):
        parts = [pin_memory(each, device) for each in data]
        return type(data)(*parts) if hasattr(data, "_fields") else type(data)(parts)
    if isinstance(data, Sequence):
        return _like_sequence(data, [pin_memory(each, device) for each in data])
    return data


def _pin_memory_loop(
    in_queue: Any, out_queue: Any, device_id: Any, done_event: Any, device: Any
) -> None:
    """Pins what comes from one queue and puts it into another, until the event is set."""
    while not done_event.is_set():
        try:
            number, data = in_queue.get(timeout=_utils.MP_STATUS_CHECK_INTERVAL)
        except queue.Empty:
            continue
        if not isinstance(data, ExceptionWrapper):
            try:
                data = pin_memory(data, device)
            except Exception:
                data = ExceptionWrapper(where=f"in pin memory thread for device {device_id}")
        while not done_event.is_set():
            try:
                out_queue.put((number, data), timeout=_utils.MP_STATUS_CHECK_INTERVAL)
                break
            except queue.Full:
                continue


__getattr__ = _names_of("torch.utils.data._utils.pin_memory")
