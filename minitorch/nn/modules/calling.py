"""Calling a module that has forward hooks, and keeping those hooks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from minitorch.core.graph.hooks import RemovableHandle


def add_hook(hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool = False) -> Any:
    """Puts `hook` behind (or before) the others and returns its handle."""
    handle = RemovableHandle(hooks)  # type: ignore[arg-type]
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The output of `module` after its forward pre-hooks and forward hooks.

    Hooks that were registered with always_call run also where something before them raised.
    """
    called: set[int] = set()
    result = None
    try:
        args, kwargs = _before(module, args, kwargs)
        result = module.forward(*args, **kwargs)
        for number, hook in list(module._forward_hooks.items()):
            called.add(number)
            returned = _call(module, number, hook, args, kwargs, result)
            if returned is not None:
                result = returned
    except Exception:
        for number, hook in list(module._forward_hooks.items()):
            if number in module._forward_hooks_always_called and number not in called:
                try:
                    returned = _call(module, number, hook, args, kwargs, result)
                    if returned is not None:
                        result = returned
                except Exception as error:
                    _warn_silenced(error)
        raise
    return result


def _call(module: Any, number: int, hook: Any, args: Any, kwargs: Any, result: Any) -> Any:
    if number in module._forward_hooks_with_kwargs:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _before(module: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    for number, hook in list(module._forward_pre_hooks.items()):
        if number in module._forward_pre_hooks_with_kwargs:
            returned = hook(module, args, kwargs)
            if returned is None:
                continue
            if not (isinstance(returned, tuple) and len(returned) == 2):
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but "
                    f"got {returned}."
                )
            args, kwargs = returned
        else:
            returned = hook(module, args)
            if returned is not None:
                args = returned if isinstance(returned, tuple) else (returned,)
    return args, kwargs


def _warn_silenced(error: Exception) -> None:
    import warnings

    warnings.warn(
        "module forward hook with ``always_call=True`` raised an exception that was silenced as "
        f"another error was raised in forward: {error}",
        stacklevel=3,
    )
