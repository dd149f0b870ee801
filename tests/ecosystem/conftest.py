"""The setting of every test here: other packages take minitorch for torch."""

from collections.abc import Iterator

import pytest

import minitorch


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    """Lets packages that look for a module named torch find minitorch."""
    with minitorch.installed_as_torch():
        yield
