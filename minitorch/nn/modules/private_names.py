"""The private names of torch.nn.modules.module that libraries read, and clear by assignment.

The dictionaries of global hooks belong to `calling`. A program that assigns one to torch's module
means that one, so the module has a class of its own that passes the assignment on.
"""

from __future__ import annotations

from collections import OrderedDict
from types import ModuleType
from typing import Any

from minitorch._public.private_names import find
from minitorch.nn.modules import calling, state

_AROUND_CALLS = (
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
    "_global_forward_pre_hooks",
    "_global_forward_hooks",
)
_IS_FULL = "_global_is_full_backward_hook"


class HookedModule(ModuleType):
    """torch.nn.modules.module: its dictionaries of hooks are those of `calling`."""

    def __getattr__(self, name: str) -> Any:
        if name == _IS_FULL:
            return calling._full[0] if calling._full else None
        if name.startswith("_global_") and hasattr(calling, name):
            return getattr(calling, name)
        if name in _OTHERS:
            return _OTHERS[name]()
        return find("torch.nn.modules.module", name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == _IS_FULL:
            calling._full[:] = [] if value is None else [bool(value)]
        elif name in _AROUND_CALLS:
            hooks = calling.CallHooks(value)
            setattr(calling, name, hooks)
            if not hooks:
                return
            calling.ANY_GLOBAL.hold(hooks)
        elif name.startswith("_global_") and hasattr(calling, name):
            setattr(calling, name, OrderedDict(value))
        else:
            super().__setattr__(name, value)


def _addindent(s_: str, numSpaces: int) -> str:
    """A text whose lines but the first are moved to the right."""
    return s_.replace("\n", "\n" + numSpaces * " ")


def _has_any_global_hook() -> bool:
    """Whether a hook around the calls of all modules is registered."""
    return any(getattr(calling, name) for name in _AROUND_CALLS)


def _backward_hook() -> Any:
    from minitorch.utils.hooks import BackwardHook  # start-up: 1 ms

    return BackwardHook


_OTHERS: dict[str, Any] = {
    "BackwardHook": _backward_hook,
    "_EXTRA_STATE_KEY_SUFFIX": lambda: state.EXTRA,
    "_IncompatibleKeys": lambda: state._IncompatibleKeys,
    "_WrappedHook": lambda: calling.WrappedHook,
    "_addindent": lambda: _addindent,
    "_grad_t": lambda: Any,
    "_has_any_global_hook": lambda: _has_any_global_hook,
}
