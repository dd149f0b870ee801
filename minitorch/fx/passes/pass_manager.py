"""torch.fx.passes.pass_manager: passes that return the changed module, run one by one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from inspect import unwrap
from typing import Any

__all__ = [
    "PassManager",
    "inplace_wrapper",
    "log_hook",
    "loop_pass",
    "this_before_that_pass_constraint",
    "these_before_those_pass_constraint",
]

logger = logging.getLogger(__name__)

Pass = Callable[..., Any]
Constraint = Callable[[Pass, Pass], bool]


def inplace_wrapper(fn: Pass) -> Pass:
    """A pass that returns its argument, from one that writes it.

    Source: torch.fx.passes.pass_manager.inplace_wrapper.
    """

    @wraps(fn)
    def wrapped_fn(gm: Any, *args: Any, **kwargs: Any) -> Any:
        fn(gm, *args, **kwargs)
        return gm

    return wrapped_fn


def log_hook(fn: Pass, level: int = logging.INFO) -> Pass:
    """A pass that logs its result, at a level of `logging`.

    Source: torch.fx.passes.pass_manager.log_hook.
    """

    @wraps(fn)
    def wrapped_fn(*args: Any, **kwargs: Any) -> Any:
        result = fn(*args, **kwargs)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, result)
        return result

    return wrapped_fn


def loop_pass(
    base_pass: Pass, n_iter: int | None = None, predicate: Callable[[Any], bool] | None = None
) -> Pass:
    """A pass that runs another one several times.

    Args:
        base_pass: the other pass
        n_iter: how often
        predicate: or as long as this is true of the result

    Raises: AssertionError for both or neither of them.

    Source: torch.fx.passes.pass_manager.loop_pass.
    """
    if (n_iter is not None) == (predicate is not None):
        raise AssertionError("Exactly one of `n_iter`or `predicate` must be specified.")

    @wraps(base_pass)
    def new_pass(source: Any) -> Any:
        if n_iter is not None and n_iter > 0:
            for _ in range(n_iter):
                source = base_pass(source)
        elif predicate is not None:
            while predicate(source):
                source = base_pass(source)
        else:
            raise RuntimeError(
                f"loop_pass must be given positive int n_iter (given {n_iter}) xor predicate "
                f"(given {predicate})"
            )
        return source

    return new_pass


def check_order(constraint: Constraint, passes: list[Pass], place: str) -> None:
    """RuntimeError unless all pairs of passes may follow each other; it says `place` of the second
    one before its index."""
    for i, first in enumerate(passes):
        for j, second in enumerate(passes[i + 1 :]):
            if not constraint(first, second):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {first} before {second} but "
                    f"found {first} at index {i} and {second} at {place}{j} in pass list."
                )


def _validate_pass_schedule_constraint(constraint: Constraint, passes: list[Pass]) -> None:
    """RuntimeError unless all pairs of passes may follow each other."""
    check_order(constraint, passes, "index")  # without a space, as torch says it


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Constraint:
    """A constraint: `that` may not run before `this`."""

    def depends_on(a: Pass, b: Pass) -> bool:
        return a != that or b != this

    return depends_on


def these_before_those_pass_constraint(these: Pass, those: Pass) -> Constraint:
    """A constraint: no wrapped form of `those` may run before one of `these`."""

    def depends_on(a: Pass, b: Pass) -> bool:
        return unwrap(a) != those or unwrap(b) != these

    return depends_on


class PassManager:
    """Runs passes one after the other, if constraints allow their order.

    Args:
        passes: each takes an object and returns the changed one
        constraints: each takes two passes; whether the first may run before the second

    Source: torch.fx.passes.pass_manager.PassManager.
    """

    passes: list[Pass]
    constraints: list[Constraint]
    _validated = False

    def __init__(
        self, passes: list[Pass] | None = None, constraints: list[Constraint] | None = None
    ) -> None:
        self.passes = passes or []
        self.constraints = constraints or []

    @classmethod
    def build_from_passlist(cls, passes: list[Pass]) -> PassManager:
        """A manager of passes."""
        return PassManager(passes)

    def add_pass(self, _pass: Pass) -> None:
        """Adds a pass behind the others."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Constraint) -> None:
        """Adds a constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def remove_pass(self, _passes: list[str]) -> None:
        """Removes the passes of these names."""
        if _passes is not None:
            self._set([each for each in self.passes if each.__name__ not in _passes])

    def replace_pass(self, _target: Pass, _replacement: Pass) -> None:
        """Replaces the passes that have the name of `_target`."""
        name = _target.__name__
        self._set([_replacement if each.__name__ == name else each for each in self.passes])

    def _set(self, passes: list[Pass]) -> None:
        self.passes = passes
        self._validated = False

    def validate(self) -> None:
        """Checks the order of the passes. RuntimeError if a constraint does not allow it."""
        if not self._validated:
            for constraint in self.constraints:
                _validate_pass_schedule_constraint(constraint, self.passes)
        self._validated = True

    def __call__(self, source: Any) -> Any:
        """An object after all passes."""
        self.validate()
        for each in self.passes:
            source = each(source)
        return source
