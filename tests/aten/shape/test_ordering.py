"""Entries in another order: where the results of roll lie in memory."""

import pytest

import minitorch as torch


@pytest.mark.parametrize(
    ("shifts", "dims", "last"),
    [(1, 1, True), ((1, 2), (0, 3), True), (4, 1, False), (2, (), False), (0, 1, False)],
)
def test_roll_keeps_channels_last_where_both_parts_have_them(shifts, dims, last):
    x = torch.arange(2 * 4 * 3 * 5).reshape(2, 4, 3, 5)
    image = x.contiguous(memory_format=torch.channels_last)
    result = image.roll(shifts, dims)
    assert torch.equal(result, x.roll(shifts, dims))
    assert result.is_contiguous(memory_format=torch.channels_last) is last
    assert result.is_contiguous() is not last
