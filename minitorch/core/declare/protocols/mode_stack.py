"""The modes that see the operators below autograd that this thread calls: see torch_dispatch.py."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from minitorch.core.base.fields import sees_operators
from minitorch.core.base.modes import in_formula
from minitorch.core.graph import current_backward

STACK: ContextVar[tuple[Any, ...]] = ContextVar("dispatch_modes", default=())
# The modes that see the operators inside an operator, while an operator that is C++ in torch runs.
NATIVE: ContextVar[tuple[Any, ...] | None] = ContextVar("native_modes", default=None)
# Whether classes with a __torch_dispatch__ are passed over, inside the one of Tensor.
classes_off: ContextVar[bool] = ContextVar("classes_off", default=False)
# The function that shows modes a tensor made from a program's numbers, once a mode has existed
# (minitorch/utils/_python_dispatch.py).
LIFT: list[Callable[[Any], Any]] = []


def is_seen_by(*tensors: Any) -> bool:
    """Whether modes see the operators that a function is made of, or the tensors' classes do."""
    return bool(STACK.get()) or any(map(sees_operators, tensors))


def calls_from_formula() -> bool:
    """Whether the caller is a formula, which is C++ in torch, not a program inside a backward."""
    formula = in_formula()
    return bool(formula) or (formula is not None and current_backward.task_id() is not None)


def calls_from_native() -> bool:
    """Whether the caller is C++ in torch: a formula, or an operator that is made of others."""
    modes = NATIVE.get()
    return (modes is not None and modes is STACK.get()) or calls_from_formula()
