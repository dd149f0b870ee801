"""The modes that see the calls of public functions: objects with a __torch_function__.

Each thread has a stack of them. The innermost mode sees a call first. It is off the stack while it
handles the call, so that its own calls reach the next mode.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

from minitorch.core.tensor.tensor import Tensor

_stack: ContextVar[tuple[Any, ...]] = ContextVar("function_modes", default=())
all_off: ContextVar[bool] = ContextVar("torch_function_all_off", default=False)
# Attributes of Tensor call modes while a thread has one: property -> its functions otherwise.
_plain: dict[property, tuple[Any, Any]] = {}
_lock = threading.Lock()
_entered = [0]  # modes on the stacks of all threads


def active() -> tuple[Any, ...]:
    """The active modes of this thread, the outermost first."""
    stack = _stack.get()
    return () if stack and all_off.get() else stack


def stack() -> tuple[Any, ...]:
    """The modes of this thread, even while they are switched off."""
    return _stack.get()


def push(mode: Any) -> None:
    """Makes a mode the innermost of this thread. From the first on, functions check for modes."""
    ASKING.everywhere()
    _stack.set((*_stack.get(), mode))
    with _lock:
        _entered[0] += 1
        if _entered[0] == 1:
            _let_attributes_ask()


def pop() -> Any:
    """Takes the innermost mode away, and returns it. RuntimeError if there is none."""
    modes = _stack.get()
    if not modes:
        raise RuntimeError("trying to pop from empty mode stack")
    _stack.set(modes[:-1])
    with _lock:
        _entered[0] -= 1
        if _entered[0] == 0:
            _let_attributes_rest()
    return modes[-1]


@contextmanager
def without_innermost() -> Iterator[Any]:
    """A block in which the innermost mode is off the stack; `as` gives the mode."""
    modes = _stack.get()
    token = _stack.set(modes[:-1])
    try:
        yield modes[-1]
    finally:
        _stack.reset(token)


def seen_by_mode(function: Any, types: tuple[type, ...], args: Any, kwargs: Any) -> Any:
    """The innermost mode's result for a call; NotImplemented if there is no mode.

    kwargs: None if the function is C++ in torch and was called without keywords.
    """
    if not active():
        return NotImplemented
    with without_innermost() as mode:
        if kwargs is None:
            return mode.__torch_function__(function, types, args)
        return mode.__torch_function__(function, types, args, kwargs)


# ---- attributes of Tensor

# everywhere() makes all public functions check for modes, accessor(...) a getter or setter;
# core/declare/protocols/torch_function.py sets both.
ASKING = SimpleNamespace(everywhere=None, accessor=None)


def _let_attributes_ask() -> None:
    asking = ASKING.accessor
    for name, value in list(vars(Tensor).items()):
        if type(value) is property:
            _plain[value] = value.fget, value.fset
            set_ = None if value.fset is None else asking(value.__set__, value.fset)
            _become(name, value, asking(value.__get__, value.fget), set_)


def _let_attributes_rest() -> None:
    for name, value in list(vars(Tensor).items()):
        if type(value) is property and value in _plain:
            _become(name, value, *_plain.pop(value))


def _become(name: str, value: property, get: Any, set_: Any) -> None:
    """Gives a property other functions; the property object stays, since programs may hold it."""
    value.__init__(get, set_, value.fdel, value.__doc__)  # type: ignore[misc]
    setattr(Tensor, name, value)  # Python's caches may have kept the functions


class TorchFunctionMode:
    """A context whose __torch_function__ sees each call of a public function of this thread.

    As torch.overrides.TorchFunctionMode.
    """

    __module__ = "torch.overrides"
    inner: TorchFunctionMode

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The result of a call. Subclasses define it.

        func: the function, method, or `__get__` or `__set__` of an attribute.
        types: the classes of the arguments that take calls over themselves.
        args, kwargs: the call as it was made.
        """
        raise NotImplementedError

    def __enter__(self) -> Any:
        push(self)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        pop()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """A new mode, made by the constructor. Deprecated."""
        import warnings

        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`",
            stacklevel=2,
        )
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))
