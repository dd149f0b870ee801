"""torch.testing._utils: functions run with a seed that nothing else notices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import minitorch


def wrapper_set_seed(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result of a function that draws after the seed 42; the generator stays as it was."""
    with freeze_rng_state():
        minitorch.manual_seed(42)
        return op(*args, **kwargs)


@contextmanager
def freeze_rng_state() -> Iterator[None]:
    """Gives the generator back the state that it had before a `with` block."""
    state = minitorch.get_rng_state()
    try:
        yield
    finally:
        minitorch.set_rng_state(state)
