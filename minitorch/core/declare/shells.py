"""Shells: what gives the failing calls of composite operators torch's refusals.

A composite is called straight away; only when that fails does torch's parser look at the call. So
a call that fits pays for nothing but the shell, 0.1 us, which stands where the wrappers of NumPy's
names and of overloads stood.
"""

from __future__ import annotations

import functools
from typing import Any

from minitorch.core.declare.arguments import NUMPY_NAMES
from minitorch.core.declare.signatures import refusal, signatures_at, with_dtypes


def shelled(path: str, function: Any, method: bool) -> Any:
    """`function`, refusing in torch's words what the parser of 'torch.sum' or 'Tensor.sum' refuses;
    itself if torch has no such function, or writes it in Python."""
    if not signatures_at(path):
        return function
    inner = function
    while is_shell(inner):
        inner = inner.__wrapped__

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return inner(*args, **kwargs)
        except Exception as error:
            given = args[1:] if method else args
            refused = refusal(path, given, kwargs)
            if refused is not None:
                raise refused from None
            renamed = in_own_names(kwargs) if type(error) is TypeError else kwargs
            again = with_dtypes(args, renamed)
            if again is None and renamed.keys() == kwargs.keys():
                raise
            args, kwargs = again or (args, renamed)
        return inner(*args, **kwargs)

    called.shell = called  # type: ignore[attr-defined]
    return called


def is_shell(function: Any) -> bool:
    """Whether a wrapper does nothing but what a shell does: not if it wraps such a one."""
    return getattr(function, "shell", None) is function


def in_own_names(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keywords in torch's spelling that may be in NumPy's."""
    return {NUMPY_NAMES.get(name, name): value for name, value in kwargs.items()}
