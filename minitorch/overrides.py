"""torch.overrides: functions of one's own that ask for __torch_function__ as torch's do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from minitorch.core.base.above import from_above
from minitorch.core.declare.protocols import function_modes
from minitorch.core.declare.protocols.function_modes import (
    BaseTorchFunctionMode as BaseTorchFunctionMode,
)
from minitorch.core.declare.protocols.function_modes import TorchFunctionMode as TorchFunctionMode
from minitorch.core.declare.protocols.torch_function import (
    _each_class,
    functions_off,
    getters_as_they_are,
    handled_in_python,
    is_taken_over,
    takes_over,
)
from minitorch.core.declare.protocols.torch_function import is_tensor_like as is_tensor_like
from minitorch.core.tensor.tensor import Tensor

__all__ = (
    "enable_reentrant_dispatch get_ignored_functions get_overridable_functions "
    "get_testing_overrides handle_torch_function has_torch_function is_tensor_like "
    "is_tensor_method_or_property redispatch_function resolve_name wrap_torch_function"
).split()


def has_torch_function(relevant_args: Iterable[Any], /) -> bool:
    """Whether one of the arguments takes calls over, because its class has a __torch_function__, or
    a mode sees them."""
    return is_taken_over(relevant_args)


def has_torch_function_unary(obj: Any, /) -> bool:
    """Whether a thing takes calls over, or a mode sees them."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*relevant_args: Any) -> bool:
    """Whether one of the arguments takes calls over, or a mode sees them."""
    return has_torch_function(relevant_args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """The result of a call from the innermost mode, or from an argument's `__torch_function__`.

    Subclasses are asked before their bases. TypeError if all decline.
    """
    path = f"{public_api.__module__}.{public_api.__name__}"
    return handled_in_python(public_api, path, relevant_args, args, kwargs)


def wrap_torch_function(
    dispatcher: Callable[..., Iterable[Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function first asks the arguments that `dispatcher` returns to take over."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def asking(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(asking, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return asking

    return wrap


def redispatch_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """The result of a function that does not ask its arguments, while calls inside it ask theirs.

    Args:
        func, types, args, kwargs: the arguments that __torch_function__ got.

    As torch.overrides.redispatch_function.
    """
    plain = getattr(func, "_unasked", func)
    return plain(*args, **(kwargs or {}))


# ---- which functions there are


def _tables() -> Any:
    """The module that goes through all of torch."""
    return from_above("_public.override_tables")


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that can be taken over, by the module or class that has them; under each
    attribute of Tensor what reads it."""
    return _tables().overridable()[0]


def get_ignored_functions() -> set[Callable[..., Any]]:
    """The public functions that no class can take over."""
    return _tables().ignored()


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., int]]:
    """For each function that can be taken over one with its arguments, which returns -1."""
    return _tables().testing_overrides()


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """The getters of Tensor's attributes whose values are not made instances of a subclass."""
    return getters_as_they_are()


@functools.cache
def _get_tensor_methods() -> set[Callable[..., Any]]:
    return set(get_overridable_functions()[Tensor])


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor, or the getter of one of its attributes."""
    return func in _get_tensor_methods() or func.__name__ == "__get__"


def resolve_name(f: Callable[..., Any]) -> str | None:
    """The name by which torch knows a function: 'torch.add', 'torch.Tensor.add'; None for one that
    is none of torch's."""
    from minitorch._ops import OpOverload, OpOverloadPacket  # start-up: 1 ms

    if isinstance(f, (OpOverload, OpOverloadPacket)):
        return str(f)
    return _tables().overridable()[1].get(f)


# ---- the stack of modes


def _get_current_function_mode() -> Any:
    """The innermost mode of this thread; None if there is none."""
    modes = function_modes.stack()
    return modes[-1] if modes else None


def _get_current_function_mode_stack() -> list[Any]:
    """The modes of this thread, the outermost first."""
    return list(function_modes.stack())


_push_mode = function_modes.push
_pop_mode = function_modes.pop


@contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    """A block without the innermost mode, which it gets."""
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextmanager
def _enable_torch_function() -> Iterator[None]:
    """A block in which modes and subclasses see calls again, inside of one where they do not."""
    subclasses = functions_off.set(False)
    modes = function_modes.all_off.set(False)
    try:
        yield
    finally:
        function_modes.all_off.reset(modes)
        functions_off.reset(subclasses)


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """A block in which what stands above a __torch_dispatch__ is seen again."""
    yield


def _get_overloaded_args(
    relevant_args: Iterable[Any], get_type_fn: Callable[[Any], type] | None = None
) -> list[Any]:
    """One argument of each class that has a __torch_function__, subclasses before their bases."""
    if functions_off.get():
        return []
    given = [each for each in relevant_args if hasattr(type(each), "__torch_function__")]
    return _each_class([t for t in given if type(t) is Tensor or takes_over(type(t))])
