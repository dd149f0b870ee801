"""Positions outside of an array: each function that meets one says so in torch's words."""

import pytest

import minitorch as torch

X = torch.zeros(3, 2)
FAR = torch.tensor([5])
ROW = torch.ones(1, 2)

WORDS = {
    "index 5 is out of bounds for dimension 0 with size 3": [
        lambda: X[FAR],
        lambda: X[5],
        lambda: X.index_fill(0, FAR, 1),
        lambda: X.index_reduce(0, FAR, ROW, "prod", include_self=False),
    ],
    "index_copy_(): index 5 is out of bounds for dimension 0 with size 3": [
        lambda: X.index_copy(0, FAR, ROW),
    ],
    "index out of range in self": [
        lambda: X.index_select(0, FAR),
        lambda: X.index_reduce(0, FAR, ROW, "prod"),
        lambda: X[:, 0].index_add(0, FAR, torch.ones(1)),
    ],
}


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("words", WORDS)
def test_positions_out_of_bounds_are_refused_in_one_place(words):
    for call in WORDS[words]:
        with pytest.raises(IndexError) as caught:
            call()
        assert str(caught.value) == words
