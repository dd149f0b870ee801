"""torch.sparse.check_sparse_tensor_invariants: whether indices are looked at where a sparse tensor
is made."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitorch.aten.sparse.creation import CHECKS


class check_sparse_tensor_invariants:
    """Turns checks of sparse tensors' invariants on or off: by a call, a context or a decorator.

    Args:
        enable: whether to look at indices.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse.check_sparse_tensor_invariants.html.
    """

    __module__ = "torch.sparse"

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether invariants are checked."""
        return bool(CHECKS[0])

    @staticmethod
    def enable() -> None:
        """Checks invariants from here on, in each constructor that is not told otherwise."""
        CHECKS[0] = True

    @staticmethod
    def disable() -> None:
        """Checks them no longer."""
        CHECKS[0] = False

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context "
                "manager instance for context nesting."
            )
        self.saved_state = self.is_enabled()
        CHECKS[0] = self.state

    def __exit__(self, *exception: object) -> None:
        CHECKS[0] = self.saved_state
        self.saved_state = None

    def __call__(self, mth: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(mth)
        def test_mth(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth
