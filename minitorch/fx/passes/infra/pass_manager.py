"""torch.fx.passes.infra.pass_manager: passes run in an order that constraints decide."""

from __future__ import annotations

import inspect
import logging
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any

from minitorch.fx.graph_module import GraphModule
from minitorch.fx.passes.infra.pass_base import PassResult
from minitorch.fx.passes.pass_manager import check_order, this_before_that_pass_constraint
from minitorch.nn.modules.module import Module

__all__ = ["pass_result_wrapper", "this_before_that_pass_constraint", "PassManager"]

logger = logging.getLogger(__name__)
logger.setLevel(logging.WARNING)

Pass = Callable[..., Any]
Constraint = Callable[[Pass, Pass], bool]


def _name_of(fn: Pass) -> str:
    return fn.__name__ if inspect.isfunction(fn) else type(fn).__name__


def pass_result_wrapper(fn: Any) -> Any:
    """A pass that returns a PassResult, from one that returns a module, or None after writing one.

    Source: torch.fx.passes.infra.pass_manager.pass_result_wrapper.
    """
    if fn is None:
        return None

    @wraps(fn)
    def wrapped_fn(gm: Any) -> PassResult | None:
        result = fn(gm)
        if result is None:
            return PassResult(gm, True)
        if isinstance(result, PassResult):
            return result
        return PassResult(result, True) if isinstance(result, Module) else None

    if not inspect.isfunction(fn):
        wrapped_fn.__name__ = _name_of(fn)
    return wrapped_fn


def _validate_pass_schedule_constraint(constraint: Constraint, passes: list[Pass]) -> None:
    """RuntimeError unless all pairs of passes may follow each other."""
    check_order(constraint, passes, "index ")


def _topological_sort_passes(passes: list[Pass], constraints: list[Constraint]) -> list[Pass]:
    """Passes in an order that all constraints allow. RuntimeError if there is none."""
    if not constraints:
        return passes
    behind: dict[Pass, list[Pass]] = {each: [] for each in passes}
    waits = dict.fromkeys(passes, 0)
    ready: deque[Pass] = deque()
    for later in passes:
        for first in passes:
            if later != first:
                refusals = sum(not allows(later, first) for allows in constraints)
                behind[first] += [later] * refusals
                waits[later] += refusals
        if not waits[later]:
            ready.append(later)
    order: list[Pass] = []
    while ready:
        done = ready.popleft()
        order.append(done)
        for later in behind[done]:
            waits[later] -= 1
            if not waits[later]:
                ready.append(later)
    left = [each for each, count in waits.items() if count]
    if left:
        raise RuntimeError(f"Circular dependency detected within the following passes: {left}")
    return order


class PassManager:
    """Runs passes over a module, in an order that constraints allow.

    Args:
        passes: each takes a module and returns a PassResult
        constraints: each takes two passes; whether the first may run before the second
        steps: how often all passes run, while they modify something
        run_checks_after_each_pass: whether the check runs after each pass too
        suppress_check_failures: kept as it is

    Source: torch.fx.passes.infra.pass_manager.PassManager.
    """

    passes: list[Pass]
    constraints: list[Constraint]
    _validated = False
    steps = 1

    def __init__(
        self,
        passes: list[Pass] | None = None,
        constraints: list[Constraint] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes = passes or []
        self.constraints = constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures

    def add_pass(self, _pass: Pass) -> None:
        """Adds a pass behind the others."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Constraint) -> None:
        """Adds a constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Checks the order of the passes. RuntimeError if a constraint does not allow it."""
        if not self._validated:
            for constraint in self.constraints:
                _validate_pass_schedule_constraint(constraint, self.passes)
        self._validated = True

    def solve_constraints(self) -> None:
        """Puts the passes in an order that is allowed. RuntimeError if there is none."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check: Callable[[Any], None]) -> None:
        """Sets what checks a module. TypeError unless it takes one argument."""
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.__dict__["check"] = check

    def check(self, module: Any) -> None:
        """Checks a module; what `add_checks` is given comes instead."""

    def __call__(self, module: Any) -> PassResult:
        """The module after all passes, and whether one of them modified it.

        Raises: Exception for what a pass raises, with the names of those before it.
        """
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        ever = False
        for _ in range(self.steps):
            modified = False
            for i, fn in enumerate(self.passes):
                try:
                    module, changed = self._run(fn, module)
                except Exception as error:
                    before = [_name_of(each) for each in self.passes[:i]]
                    raise Exception(
                        f"An error occurred when running the '{_name_of(fn)}' pass after the "
                        f"following passes: {before}"
                    ) from error
                modified = modified or changed
            ever = ever or modified
            if not modified:
                break
        return PassResult(module, ever)

    def _run(self, fn: Pass, module: Any) -> tuple[Any, bool]:
        logger.debug("Running pass '%s'", _name_of(fn))
        result = fn(module)
        if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
            raise TypeError(
                f"The result of the pass {_name_of(fn)} should be type PassResult."
                "Please wrap it with pass_result_wrapper()"
            )
        module = result.graph_module
        if isinstance(module, GraphModule):
            logger.debug("Graph after pass '%s': %s", _name_of(fn), module.graph)
            module.recompile()
        if self.run_checks_after_each_pass:
            self.check(module)
        return module, result.modified
