"""What every test starts from: torch's seed 0, and examples that repeat."""

import hypothesis
import pytest

import minitorch

hypothesis.settings.register_profile(
    "minitorch",
    deadline=None,  # a busy machine is not a bug
    derandomize=True,  # the same examples in every run: a red test stays red until it is mended
)
hypothesis.settings.load_profile("minitorch")


@pytest.fixture(autouse=True)
def seed() -> None:
    """Starts each test at seed 0, so that no test depends on which ran before it."""
    minitorch.manual_seed(0)
