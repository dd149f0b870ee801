"""Examples of a hypothesis strategy as a plain list: the same ones for the same seed."""

from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy


def generated(strategy: SearchStrategy, count: int, number: int) -> list[Any]:
    """Returns `count` examples, or fewer where there are not so many; `number` is the seed."""
    found: list[Any] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: Any) -> None:
        found.append(example)

    collect()
    return found
