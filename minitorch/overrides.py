"""torch.overrides: functions of one's own that ask for __torch_function__ as torch's do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from minitorch.core.declare.overriding import (
    ask_everywhere,
    functions_off,
    handled_in_python,
    is_tensor_like,
    overriding,
)
from minitorch.core.tensor.tensor import Tensor

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


ask_everywhere()


def has_torch_function(relevant_args: Iterable[Any], /) -> bool:
    """Whether one of the arguments takes calls over: its class has a __torch_function__."""
    return not functions_off.get() and bool(overriding(tuple(relevant_args), {}))


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the arguments' __torch_function__ makes of a call, subclasses asked first.

    TypeError if every class that was asked declines.
    """
    path = f"{public_api.__module__}.{public_api.__name__}"
    return handled_in_python(public_api, path, relevant_args, args, kwargs)


def wrap_torch_function(
    dispatcher: Callable[..., Iterable[Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function asks first whether what `dispatcher` gives takes the call over."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def asking(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(asking, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return asking

    return wrap


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor, or what reads one of its properties."""
    name = getattr(func, "__name__", "")
    return name == "__get__" or getattr(Tensor, name, None) is func


def resolve_name(f: Callable[..., Any]) -> str | None:
    """The name by which torch knows a function: 'torch.add', 'torch.Tensor.add'."""
    import minitorch

    name = getattr(f, "__name__", None)
    if name is None:
        return None
    for owner, path in (
        (minitorch, "torch"),
        (minitorch.nn.functional, "torch.nn.functional"),
        (Tensor, "torch.Tensor"),
    ):
        if getattr(owner, name, None) is f:
            return f"{path}.{name}"
    return None
