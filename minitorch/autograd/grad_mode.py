"""no_grad, enable_grad, set_grad_enabled, inference_mode: as contexts and as decorators."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from minitorch.core.base import modes
from minitorch.core.base.fields import TensorBase, version_of
from minitorch.core.declare.wording.signatures import for_no_arguments, mismatch, without_arguments
from minitorch.utils._contextlib import (
    _DecoratorContextManager,
    _NoParamDecoratorContextManager,
)

__all__ = [
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def is_grad_enabled(*args: Any) -> bool:
    """Whether operators on this thread are recorded. Inference mode may be asked to, in vain."""
    if args:  # 80 ns less than without_arguments takes
        raise for_no_arguments("torch.is_grad_enabled", args, {})  # type: ignore[misc]
    return _asked().get()


def _asked() -> ContextVar[bool]:
    """The variable that contexts like enable_grad set: inference mode records in none of them."""
    return modes.grad_in_inference if modes.inference_mode.get() else modes.grad_mode


@without_arguments("torch.is_inference_mode_enabled")
def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on in this thread."""
    return modes.inference_mode.get()


class no_grad(_NoParamDecoratorContextManager):
    """Operators inside are not recorded.

    A context, or a decorator of functions and generators.

    As torch.autograd.no_grad.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        asked = _asked()
        self.prev = asked.get()
        asked.set(False)

    def __exit__(self, *exception: object) -> None:
        _asked().set(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Operators inside are recorded, also within no_grad.

    Args:
        orig_func: a function to decorate, without a call of the decorator itself.

    As torch.autograd.enable_grad.
    """

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self) -> None:
        asked = _asked()
        self.prev = asked.get()
        asked.set(True)

    def __exit__(self, *exception: object) -> None:
        _asked().set(self.prev)


class _Switch(_DecoratorContextManager):
    """Sets a mode: at once as a function, and until exit as a context.

    variable: the context variable of the mode.
    setter: the function that torch's error for a value that is not a bool names.
    """

    variable: ContextVar[bool]
    setter: str

    def __init__(self, mode: bool) -> None:
        if type(mode) is not bool:
            refusal = mismatch(self.setter, ("bool enabled",), (mode,), {})
            if refusal is not None:
                raise refusal
        self.prev = self.variable.get()
        self.mode = mode
        self._set(mode)

    def _set(self, mode: bool) -> None:
        self.variable.set(mode)

    def __call__(self, orig_func: Callable[..., Any]) -> Callable[..., Any]:
        self._set(self.prev)
        return super().__call__(orig_func)

    def __enter__(self) -> None:
        self._set(self.mode)

    def __exit__(self, *exception: object) -> None:
        self._set(self.prev)

    def clone(self) -> Any:
        return self.__class__(self.mode)


class set_grad_enabled(_Switch):
    """Switches recording on or off.

    Args:
        mode: whether operators are recorded: at once, and until exit if it is a context.

    Raises:
        TypeError: for what is no bool.

    As torch.autograd.set_grad_enabled.
    """

    __module__ = "torch.autograd.grad_mode"
    setter = "set_grad_enabled"

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)

    @property
    def variable(self) -> ContextVar[bool]:  # type: ignore[override]
        """The variable that is set: another one in inference mode."""
        return _asked()

    def __repr__(self) -> str:
        return f"{self.__module__}.set_grad_enabled(mode={self.mode})"


class set_multithreading_enabled(_Switch):
    """Sets whether backward may use its own threads; on the CPU it runs on the caller's thread.

    Args:
        mode: whether it may: at once, and until exit if it is a context.

    Raises:
        TypeError: for what is no bool.

    As torch.autograd.set_multithreading_enabled.
    """

    __module__ = "torch.autograd.grad_mode"
    variable: ContextVar[bool] = ContextVar("multithreading", default=True)
    setter = "set_multithreading_enabled"

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)

    def __call__(self, orig_func: Callable[..., Any]) -> Callable[..., Any]:
        return _DecoratorContextManager.__call__(self, orig_func)

    def __enter__(self) -> None:
        pass


class enforce_grad_layout_policy(_Switch):
    """Sets whether a first gradient gets the strides of its leaf even if it need not be copied.

    Args:
        enable: whether it does: at once, and until exit if it is a context.

    Raises:
        TypeError: for what is no bool.

    As torch.autograd.enforce_grad_layout_policy.
    """

    __module__ = "torch.autograd.grad_mode"
    variable, setter = modes.grad_layout, "set_grad_layout_enforcement_enabled"

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)

    def __enter__(self) -> None:
        pass


class _force_original_view_tracking(_Switch):
    """Sets whether a view is replayed by the operators that made it once its base was written."""

    __module__ = "torch.autograd.grad_mode"
    variable, setter = modes.view_tracking, "set_view_replay_enabled"

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)

    def _set(self, mode: bool) -> None:
        modes.watch(mode - self.variable.get())
        self.variable.set(mode)


class _unsafe_preserve_version_counter(_DecoratorContextManager):
    """Writes to `tensors` inside are not counted."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, tensors: Any) -> None:
        self.tensors = (tensors,) if isinstance(tensors, TensorBase) else tensors
        if not isinstance(self.tensors, tuple):
            raise AssertionError("Expected tensors to be a tuple")
        self.prev_versions = tuple([each._version for each in self.tensors])

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        for each, version in zip(self.tensors, self.prev_versions, strict=True):
            version_of(each)[0] = version


class inference_mode(_DecoratorContextManager):
    """Operators inside are not recorded, and nodes may not save their results.

    Args:
        mode: whether it is on inside; or a function to decorate.

    As torch.autograd.inference_mode.
    """

    __module__ = "torch.autograd.grad_mode"

    def __new__(cls, mode: Any = True) -> Any:
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def clone(self) -> Any:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self.before = [each.get() for each in _OF_INFERENCE]
        for variable, value in zip(_OF_INFERENCE, (self.mode, not self.mode, False), strict=True):
            variable.set(value)
        modes.watch(+1)
        modes.ACTIVE_CONTEXTS.append(None)

    def __exit__(self, *exception: object) -> None:
        modes.watch(-1)
        modes.ACTIVE_CONTEXTS.pop()
        for variable, value in zip(_OF_INFERENCE, self.before, strict=True):
            variable.set(value)


_OF_INFERENCE = modes.inference_mode, modes.grad_mode, modes.grad_in_inference
