"""torch._C._functorch: what a transform has made of a tensor, for code that looks beneath vmap."""

from __future__ import annotations

from typing import Any

from minitorch._public import outlines
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import transforms


def _level_of(x: Any) -> Any:
    """The level of a tensor that wraps another one, None for others."""
    return getattr(x, "_level", None) if isinstance(x, TensorBase) else None


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    """Whether a transform wraps another tensor in this one."""
    return _level_of(tensor) is not None


def is_batchedtensor(tensor: Any) -> bool:
    """Whether vmap maps over a dimension that this tensor does not show."""
    return _level_of(tensor) is not None and hasattr(tensor, "_bdim")


def is_gradtrackingtensor(tensor: Any) -> bool:
    """Whether grad or jvp follows computations on this tensor."""
    return _level_of(tensor) is not None and not hasattr(tensor, "_bdim")


def is_legacy_batchedtensor(tensor: Any) -> bool:
    """Whether the vmap of torch's early days made it: it is gone."""
    return False


def is_functionaltensor(tensor: Any) -> bool:
    """Whether functionalize wraps it: its tensors are plain ones here."""
    return False


def is_dead_tensor_wrapper(tensor: Any) -> bool:
    """Whether the transform that made it is over."""
    level = _level_of(tensor)
    return level is not None and not level.running


def unwrap_if_dead(tensor: Any) -> Any:
    """The tensor beneath the transforms that are over."""
    while is_dead_tensor_wrapper(tensor):
        tensor = tensor._value
    return tensor


def get_unwrapped(tensor: Any) -> Any:
    """The tensor beneath the innermost transform. RuntimeError if there is none."""
    if _level_of(tensor) is None:
        raise RuntimeError("No wrappers present!")
    return tensor._value


def maybe_get_bdim(tensor: Any) -> int:
    """The dimension that vmap maps over; -1 if there is none."""
    return tensor._bdim if is_batchedtensor(tensor) else -1


def maybe_get_level(tensor: Any) -> int:
    """The number of the transform that made a tensor; -1 if none did."""
    level = _level_of(tensor)
    return -1 if level is None else level.number if level.running else -2


def get_dynamic_layer_stack_depth() -> int:
    """The number of transforms that run."""
    return len(transforms.get())


def maybe_current_level() -> int | None:
    """The number of the innermost transform that runs; None outside of any."""
    running = transforms.get()
    return running[-1].number if running else None


def current_level() -> int:
    """The number of the innermost transform that runs. RuntimeError outside of any."""
    number = maybe_current_level()
    if number is None:
        raise RuntimeError("torch._C._functorch.current_level: no transform is running")
    return number


def peek_interpreter_stack() -> Any:
    """The innermost transform that runs; None outside of any."""
    running = transforms.get()
    return running[-1] if running else None


def get_interpreter_stack() -> Any:
    """The transforms that run, the outermost first; None outside of any."""
    return list(transforms.get()) or None


def _unwrap_batched(tensor: Any, level: int) -> tuple[Any, int | None]:
    """The tensor that the vmap of that level wraps, and its mapped dimension, or None."""
    found = _level_of(tensor)
    if found is None or not hasattr(tensor, "_bdim") or found.number != level:
        return tensor, None
    return tensor._value, tensor._bdim


def _vmap_increment_nesting(batch_size: int, randomness: str) -> int:
    """Begins a vmap of that many examples, and returns its level."""
    from minitorch.func.levels.batch import BatchLevel  # start-up: 31 ms

    return BatchLevel(batch_size, randomness).__enter__().number


def _vmap_decrement_nesting() -> int:
    """Ends the innermost vmap, and returns its level."""
    level = transforms.get()[-1]
    level.__exit__(None, None, None)
    return level.number


def get_single_level_autograd_function_allowed() -> bool:
    """Whether a Function without setup_context may run in a transform: no."""
    return False


def get_inplace_requires_grad_allowed() -> bool:
    """Whether requires_grad_ may be called in a transform: no."""
    return False


def _is_vmap_fallback_enabled() -> bool:
    """Whether vmap runs operators without a rule of their own one example at a time."""
    return True


# The functions by which vmap wraps tensors, imported when the first is asked for.
_OF_VMAP = ("_add_batch_dim", "_remove_batch_dim")


def __getattr__(name: str) -> Any:
    if name in _OF_VMAP:
        from minitorch.func.mapping import vmap  # start-up: 30 ms

        return getattr(vmap, name)
    return outlines.find("torch._C._functorch", name)
