"""no_grad, enable_grad, set_grad_enabled, inference_mode: as contexts and as decorators."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from minitorch.core.declare.signatures import mismatch
from minitorch.core.graph import modes


def is_grad_enabled() -> bool:
    """Whether operators on this thread are recorded."""
    return modes.grad_mode.get()


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on in this thread."""
    return modes.inference_mode.get()


class ContextDecorator:
    """A context manager that also decorates functions, generators and classes.

    A generator function runs each of its steps inside the context. As torch.utils._contextlib.
    """

    def clone(self) -> Any:
        """A fresh context of the same kind."""
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        raise NotImplementedError

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            raise RuntimeError(
                "Cannot decorate classes; it is ambiguous whether or not only the constructor or "
                "all methods should have the context manager applied; additionally, decorating a "
                "class at definition-site will prevent use of the identifier as a conventional "
                "type.  To specify which methods to decorate, decorate each of them individually."
            )
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def _wrap_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            try:
                with self.clone():
                    response = generator.send(None)
                while True:
                    try:
                        request = yield response
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException:
                        with self.clone():
                            response = generator.throw(*sys.exc_info()[1:2])
                    else:
                        with self.clone():
                            response = generator.send(request)
            except StopIteration as stop:
                return stop.value

        return wrapped


class _Setting(ContextDecorator):
    """Sets grad mode to `on` between enter and exit."""

    on = True

    def __enter__(self) -> None:
        self.before = modes.grad_mode.get()
        modes.grad_mode.set(self.on)

    def __exit__(self, *exception: object) -> None:
        modes.grad_mode.set(self.before)


class _OptionalCall(_Setting):
    """`@no_grad` without parentheses decorates too."""

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        self = super().__new__(cls)
        return self if orig_func is None else self(orig_func)


class no_grad(_OptionalCall):
    """Operators inside are not recorded. As torch.no_grad."""

    __module__ = "torch.autograd.grad_mode"
    on = False

    def __init__(self) -> None:
        pass  # what it takes, as inspect.signature sees it


class enable_grad(_OptionalCall):
    """Operators inside are recorded, also within no_grad. As torch.enable_grad."""

    __module__ = "torch.autograd.grad_mode"
    on = True


class set_grad_enabled(_Setting):
    """Switches recording on or off: at once as a function, and until exit as a context."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        if type(mode) is not bool:
            refusal = mismatch("set_grad_enabled", ("bool enabled",), (mode,), {})
            if refusal is not None:
                raise refusal
        self.before = modes.grad_mode.get()
        self.mode = self.on = mode
        modes.grad_mode.set(mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        modes.grad_mode.set(self.before)
        return super().__call__(function)

    def __enter__(self) -> None:
        modes.grad_mode.set(self.mode)

    def clone(self) -> Any:
        return type(self)(self.mode)

    def __repr__(self) -> str:
        return f"{self.__module__}.set_grad_enabled(mode={self.mode})"


class inference_mode(ContextDecorator):
    """Operators inside are not recorded, nor may their results be. As torch.inference_mode."""

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
        self.before = _get(modes.inference_mode), _get(modes.grad_mode)
        modes.inference_mode.set(self.mode)
        modes.grad_mode.set(not self.mode)
        modes.watch(+1)
        modes.MARKING.append(None)

    def __exit__(self, *exception: object) -> None:
        modes.watch(-1)
        modes.MARKING.pop()
        inference, grad = self.before
        modes.inference_mode.set(inference)
        modes.grad_mode.set(grad)


def _get(mode: ContextVar[bool]) -> bool:
    return mode.get()
