"""The tests of torch.library.opcheck: that an operator does as its schema says."""

from __future__ import annotations

from typing import Any

from minitorch._public.custom_operators import Operator
from minitorch.core.tensor.tensor import Tensor

CHECKS = ("test_schema", "test_autograd_registration")


class OpCheckError(Exception):
    """The error that `opcheck` raises for an operator that does not do as its schema says."""

    __module__ = "torch.testing._internal.optests.generate_tests"


def checked(
    operator: Operator, args: Any, kwargs: Any, tests: Any, raise_exception: bool
) -> dict[str, Any]:
    """Results of tests of one call by their names, "SUCCESS" or the error.

    Args:
        tests: the name of one, or several.
        raise_exception: whether a failure is raised, not returned.

    Raises:
        OpCheckError: for a failure. NotImplementedError: for a test that needs fake tensors.
    """
    results: dict[str, Any] = {}
    for name in [tests] if isinstance(tests, str) else list(tests):
        if name not in CHECKS:
            raise NotImplementedError(
                f"torch.library.opcheck: {name} needs fake tensors, which minitorch does not have"
            )
        try:
            if name == "test_schema":
                _check_schema(operator, args, kwargs)
            results[name] = "SUCCESS"
        except Exception as error:
            failure = OpCheckError(f"opcheck(op, ...): {name} failed with {error}")
            if raise_exception:
                raise failure from error
            results[name] = failure
    return results


def _check_schema(operator: Operator, args: Any, kwargs: Any) -> None:
    """RuntimeError if a call writes into an argument whose schema does not say so."""
    values = operator.bound(args, kwargs)
    before = [x.detach().clone() if isinstance(x, Tensor) else None for x in values]
    operator(*args, **kwargs)
    for argument, value, old in zip(operator.schema.arguments, values, before, strict=True):
        if old is not None and "!" not in argument.alias and not bool((value == old).all()):
            raise RuntimeError(
                f"Argument {argument.name} is not defined as mutable but was mutated"
            )
