"""torch.overrides: functions of one's own that ask for __torch_function__ as torch's do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from minitorch.core.declare import observe
from minitorch.core.tensor.tensor import Tensor

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


def has_torch_function(relevant_args: Iterable[Any], /) -> bool:
    """Whether one of the arguments takes calls over: its class has a __torch_function__."""
    return not observe._functions_off.get() and bool(observe.overriding(tuple(relevant_args), {}))


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the arguments' __torch_function__ makes of a call, subclasses asked first.

    TypeError if every class that was asked declines.
    """
    handlers: list[Any] = []
    for each in observe.tensors_in(tuple(relevant_args), {}):  # plain Tensors too, unlike operators
        kind = type(each)
        if all(type(other) is not kind for other in handlers):
            at = (i for i, other in enumerate(handlers) if issubclass(kind, type(other)))
            handlers.insert(next(at, len(handlers)), each)
    types = tuple(map(type, handlers))
    for each in handlers:
        result = type(each).__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{list(types)}"
    )


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


def is_tensor_like(inp: Any) -> bool:
    """Whether a thing is a Tensor or has a __torch_function__."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


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
