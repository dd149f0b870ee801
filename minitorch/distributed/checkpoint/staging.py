"""Staging: copies of a state that are saved while the program goes on."""

from __future__ import annotations

import copy
import io
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import NoneType
from typing import Any, Protocol, runtime_checkable

import minitorch
from minitorch._public import outlines

__all__ = ["AsyncStager", "BlockingAsyncStager", "DefaultStager", "StagingOptions"]


@runtime_checkable
class AsyncStager(Protocol):
    """Copies a state for async_save. As torch.distributed.checkpoint.staging.AsyncStager."""

    _synchronize_after_execute: bool = True

    @property
    def should_synchronize_after_execute(self) -> bool:
        """Whether async_save waits for the copy once saving has begun."""
        return self._synchronize_after_execute

    def stage(self, state_dict: dict[str, Any]) -> Any:
        """A copy of the state, or a future of one, that later changes do not reach."""
        raise NotImplementedError(f"{self.__class__.__name__} must implement stage method")

    def synchronize_staging(self) -> None:
        """Waits until the copy is there."""

    def close(self) -> None:
        """Frees what the stager holds."""


@dataclass
class StagingOptions:
    """The options of a DefaultStager.

    Args:
        use_pinned_memory: whether into memory that a GPU reaches directly, where there is one.
        use_shared_memory: whether into memory that other processes see.
        use_async_staging: whether in a thread.
        use_non_blocking_copy: whether without waiting for a GPU.

    As torch.distributed.checkpoint.staging.StagingOptions.
    """

    use_pinned_memory: bool = True
    use_shared_memory: bool = True
    use_async_staging: bool = True
    use_non_blocking_copy: bool = True


class DefaultStager(AsyncStager):
    """Copies a state into the processor's memory, at once or in a thread.

    Raises:
        AssertionError: copies that do not wait are asked for where there is no GPU.

    As torch.distributed.checkpoint.staging.DefaultStager.
    """

    def __init__(self, config: StagingOptions | None = None) -> None:
        self._config = StagingOptions() if config is None else config
        self._executor = ThreadPoolExecutor(1) if self._config.use_async_staging else None
        if self._config.use_non_blocking_copy and not minitorch.accelerator.is_available():
            raise AssertionError(
                "Non-blocking copy requires that the current accelerator is available."
            )
        self._future: Future[Any] | None = None

    def stage(self, state_dict: dict[str, Any], **kwargs: Any) -> Any:
        """The copy; a future of it with use_async_staging."""
        if self._executor is None:
            return self._copied(state_dict)
        self._future = self._executor.submit(self._copied, state_dict)
        return self._future

    def _copied(self, state: Any) -> Any:
        copied = staged(state)
        if self._config.use_pinned_memory and minitorch.cuda.is_available():
            _pinned(copied)
        for each in tensors_in(copied) if self._config.use_shared_memory else ():
            each.share_memory_()
        return copied

    def synchronize_staging(self) -> None:
        """Waits until the last copy is there."""
        if self._future is not None:
            self._future.result()

    def close(self) -> None:
        """Ends the thread."""
        if self._executor is not None:
            self._executor.shutdown(wait=True)


class BlockingAsyncStager(AsyncStager):
    """Copies a state into the processor's memory before it returns.

    Args:
        cache_staged_state_dict: whether one copy is kept, in memory that a GPU reaches directly,
            and written again each time.
        type_check: whether stage refuses, by a ValueError, what is no tensor, number, text, bytes,
            None, or a dict, list or tuple of these.

    As torch.distributed.checkpoint.staging.BlockingAsyncStager.
    """

    _synchronize_after_execute: bool = False

    def __init__(self, cache_staged_state_dict: bool = False, type_check: bool = False) -> None:
        self.cache_staged_state_dict, self.type_check = cache_staged_state_dict, type_check
        self.state_dict_cache: Any = None

    def stage(self, state_dict: dict[str, Any]) -> Any:
        """The copy."""
        if self.cache_staged_state_dict and self.state_dict_cache is not None:
            self.state_dict_cache = _written(state_dict, self.state_dict_cache)
            return self.state_dict_cache
        if not self.cache_staged_state_dict:
            return staged(state_dict, self.type_check)
        self.state_dict_cache = _pinned(staged(state_dict))
        return self.state_dict_cache


def staged(value: Any, type_check: bool = False) -> Any:
    """A copy of tensors, and of the dicts, lists and tuples that hold them, on the CPU.

    type_check: as that of BlockingAsyncStager.
    """
    if isinstance(value, minitorch.Tensor):
        return value.detach().cpu().clone() if value.device.type == "cpu" else value.detach().cpu()
    if isinstance(value, dict):
        return {key: staged(each, type_check) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)([staged(each, type_check) for each in value])
    if type_check and not isinstance(value, (int, float, str, bytes, io.BytesIO, NoneType)):
        raise ValueError(f"Unexpected value type {type(value)}")
    return copy.deepcopy(value)


def tensors_in(value: Any) -> list[Any]:
    """The tensors in a copy."""
    if isinstance(value, minitorch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return []
    return [tensor for each in value for tensor in tensors_in(each)]


def _pinned(copied: Any) -> Any:
    """A copy, whose tensors are moved to memory that a GPU reaches directly."""
    for each in tensors_in(copied):
        each.data = each.pin_memory()
    return copied


def _written(value: Any, into: Any) -> Any:
    """A copy that writes tensors into those of an older one."""
    both = isinstance(value, minitorch.Tensor) and isinstance(into, minitorch.Tensor)
    if both and value.shape == into.shape:
        return into.copy_(value.detach())
    if isinstance(value, dict) and isinstance(into, dict):
        return {key: _written(each, into.get(key)) for key, each in value.items()}
    if type(value) in (list, tuple) and type(into) is type(value) and len(into) == len(value):
        return type(value)([_written(each, old) for each, old in zip(value, into)])
    return staged(value)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.staging")
