"""The words of rows and composites for out=, in-place variants, vmap and calls."""

import pytest

from minitorch.core.declare.calls import CALLS
from minitorch.core.declare.out import IN_PLACE, OUT
from minitorch.core.declare.registry import load_families
from minitorch.core.declare.vmap import VMAP_OF_COMPOSITES, VMAP_OF_ROWS


@pytest.mark.parametrize("table", [OUT, IN_PLACE, VMAP_OF_ROWS, VMAP_OF_COMPOSITES, CALLS])
def test_no_row_says_a_word_that_nothing_reads(table):
    load_families()
    assert table
    said = {name: set(vars(each)) - set(type(each).__annotations__) for name, each in table.items()}
    assert {name: words for name, words in said.items() if words} == {}
