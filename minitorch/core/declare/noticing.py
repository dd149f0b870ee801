"""Notices classes with a `__torch_function__` as a program makes them: functions of torch then ask.

torch looks at each argument of each call. Here only programs with such a class pay for that, so it
must be known when one is made. Subclasses of Tensor tell it themselves; for other classes, the
`class` statement looks through the code that it stands in. Its builtin is an object whose
`__call__` is a property: that runs before the class is built and gives Python's own function, so
that errors in the body of a class show no frame of this library. A class statement takes 0.45 us
more.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

_NAME = "__torch_function__"


class Noticing:
    """What builds the class of a `class` statement: Python's own function, after a look.

    notice: what is called when the code around may make a class with a `__torch_function__`.
    """

    def __init__(self, plain: Callable[..., Any], notice: Callable[[], None]) -> None:
        self._plain = plain
        self._notice = notice
        self._seen: CodeType | None = None

    @property
    def __call__(self) -> Callable[..., Any]:
        frame = sys._getframe(1)
        if frame.f_code is not self._seen:  # a module has many classes
            self._seen = frame.f_code
            if may_take_over(frame.f_code) and _is_of_program(frame.f_globals):
                self._notice()
        return self._plain


def may_take_over(code: CodeType) -> bool:
    """Whether code names `__torch_function__`: itself, or in the body of one of its classes."""
    if _NAME in code.co_names or _NAME in code.co_consts:
        return True
    return any([type(each) is CodeType and _NAME in each.co_names for each in code.co_consts])


def _is_of_program(names: dict[str, Any]) -> bool:
    """Whether code with these global names is none of this library."""
    return str(names.get("__name__")).partition(".")[0] not in ("minitorch", "torch")


def start(notice: Callable[[], None]) -> None:
    """Calls notice() when such a class may be made, and now if code that runs may have made one."""
    plain = builtins.__build_class__
    builtins.__build_class__ = Noticing(getattr(plain, "_plain", plain), notice)
    frame = sys._getframe(1)
    while frame is not None:
        if may_take_over(frame.f_code) and _is_of_program(frame.f_globals):
            notice()
            return
        frame = frame.f_back  # type: ignore[assignment]
