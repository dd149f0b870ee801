"""The setting of every test: seed 0, the fast path, and examples that repeat."""

import gc
import sys
from collections.abc import Iterator

import hypothesis
import pytest

import minitorch
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.graph.views import INTEGER_HISTORY

hypothesis.settings.register_profile(
    "minitorch",
    deadline=None,  # a busy machine is not a bug
    derandomize=True,  # the same examples in every run: a red test stays red until it is mended
)
hypothesis.settings.load_profile("minitorch")


def pytest_collection_finish() -> None:
    """Keeps the collected tests out of garbage collections, which would look at them each time.

    They are half a million objects that stay to the end.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def seed() -> None:
    """Starts each test at seed 0, so that no test depends on which ran before it."""
    minitorch.manual_seed(0)


@pytest.fixture(autouse=True)
def validation() -> Iterator[None]:
    """Has distributions validate their arguments after each test: a test that compiles ends it."""
    yield
    loaded = sys.modules.get("minitorch.distributions.distribution")
    if loaded is not None:
        loaded.Distribution.set_default_validate_args(True)


class Standing:
    """The number of watchers of calls that outlive a test, as for a module's sparse tensor."""

    count = 0


@pytest.fixture(autouse=True)
def nobody_watching() -> Iterator[None]:
    """Starts each test on the fast path: what modules of tests hold would end it for all of them.

    Garbage is collected first where the count has changed: a watcher that died within the test
    would hide one of its own.
    """
    INTEGER_HISTORY.end()
    if ASSEMBLED_GLOBALS["WATCHED"] != Standing.count:
        gc.collect()
        Standing.count = ASSEMBLED_GLOBALS["WATCHED"]
    ASSEMBLED_GLOBALS["WATCHED"] = 0
    yield
    assert ASSEMBLED_GLOBALS["WATCHED"] >= 0, "more watchers of calls went than came"
    ASSEMBLED_GLOBALS["WATCHED"] += Standing.count


@pytest.fixture
def no_garbage(nobody_watching: None) -> None:
    """Collects what earlier tests left: a lazy parameter that dies within a test counts there."""
    before = ASSEMBLED_GLOBALS["WATCHED"]
    gc.collect()
    Standing.count += ASSEMBLED_GLOBALS["WATCHED"] - before
    ASSEMBLED_GLOBALS["WATCHED"] = before
