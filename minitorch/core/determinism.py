"""Deterministic results: alerts of operators whose results need not repeat, fills of new memory.

`FILLING` has an entry while memory that nothing has written yet is filled with NaN or the largest
number; settings.py sets it, factories ask it.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays.missing import STANDING_IN
from minitorch.core.warning import warn

_state = {"demanded": False, "warn_only": False, "fill": True}
FILLING: list[bool] = []
_ADVICE = (
    "You can{} file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize "
    "adding deterministic support for this operation."
)


def mode() -> int:
    """0, 1 or 2: nothing demanded, warnings, errors."""
    return 0 if not _state["demanded"] else 1 if _state["warn_only"] else 2


def warns_only() -> bool:
    """Whether warnings were asked for, also while nothing is demanded."""
    return _state["warn_only"]


def demand(demanded: bool, warn_only: bool) -> None:
    """Sets whether results must repeat, and whether an operator then warns or raises."""
    _state.update(demanded=demanded, warn_only=warn_only)
    FILLING[:] = [True] if demanded and _state["fill"] else []


def fills_memory() -> bool:
    """Whether memory is filled while results must repeat."""
    return _state["fill"]


def set_fills_memory(fill: bool) -> None:
    """Sets whether memory is filled while results must repeat."""
    _state["fill"] = fill
    demand(_state["demanded"], _state["warn_only"])


def alert(name: str) -> None:
    """Warns or raises, as demanded, that results of torch's operator `name` need not repeat."""
    if not _state["demanded"] or STANDING_IN:  # torch has another kernel for meta tensors
        return
    text = f"{name} does not have a deterministic implementation, but you set "
    if _state["warn_only"]:
        switch = "'torch.use_deterministic_algorithms(True, warn_only=True)'. "
        warn(text + switch + _ADVICE.format(""))
        return
    raise RuntimeError(
        f"{text}'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for "
        "this operation, or you can use the 'warn_only=True' option, if that's acceptable for your "
        f"application. {_ADVICE.format(' also')}"
    )


def fill(x: Any) -> None:
    """Fills an array with NaN, or the largest number of its dtype, or True."""
    kind = x.dtype.kind
    if kind == "b":
        x[...] = True
    elif kind in "iu":
        x[...] = numpy.iinfo(x.dtype).max
    elif x.dtype.names is None:
        x[...] = numpy.nan
