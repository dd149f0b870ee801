"""Questions to rooms above."""

import pytest

import minitorch as torch
from minitorch.core.base.above import from_above


def test_a_listed_path_gives_the_object_of_a_room_above():
    assert from_above("linalg:vector_norm") is torch.linalg.vector_norm
    assert from_above("compiler").__name__ == "minitorch.compiler"


def test_a_path_that_is_not_listed_is_refused():
    with pytest.raises(LookupError, match="nn:Linear is not listed"):
        from_above("nn:Linear")
