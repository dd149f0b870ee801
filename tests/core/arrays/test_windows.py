"""Windows over images: counts, columns, and the way back."""

import numpy as np
import pytest

from minitorch.core.arrays import on_numpy as xp
from minitorch.core.arrays import windows


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ((5, 2, 2, 0), 2),
        ((5, 2, 2, 0, 1, True), 3),
        ((5, 3, 2, 1, 1, True), 3),
        ((4, 2, 3, 1, 1, True), 2),  # a third window would start in the padding behind the image
        ((7, 3, 1, 0, 2), 3),
        ((1, 3, 1, 0), -1),
    ],
)
def test_window_counts(arguments, count):
    assert windows.window_count(*arguments) == count


def test_im2col_lists_the_taps_of_each_window():
    x = np.arange(1.0, 10).reshape(1, 1, 3, 3)
    columns = windows.im2col(xp, x, (2, 2), (1, 1), (0, 0), (1, 1))
    expected = [[1, 2, 4, 5], [2, 3, 5, 6], [4, 5, 7, 8], [5, 6, 8, 9]]
    assert columns.tolist() == [expected]


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
def test_col2im_is_the_transpose_of_im2col(stride, dilation):
    rng = np.random.default_rng(0)
    geometry = ((2, 3), (dilation, 1), (1, 2), (stride, 1))
    x = rng.standard_normal((2, 3, 6, 5))
    columns = windows.im2col(xp, x, *geometry)
    other = rng.standard_normal(columns.shape)
    back = windows.col2im(xp, other, (6, 5), *geometry)
    assert back.shape == x.shape
    np.testing.assert_allclose((columns * other).sum(), (x * back).sum(), atol=1e-10)


def test_places_of_windows_are_the_pixels_in_order_and_then_the_padding():
    table, pads = windows.places((2, 3), (2, 2), (2, 2), (2, 2), (1, 0), (1, 1))
    assert table.tolist() == [[0, 1, 6, 6], [2, 6, 6, 6], [3, 4, 6, 6], [5, 6, 6, 6]]
    assert pads
    table, pads = windows.places((4,), (2,), (2,), (2,), (0,), (1,))
    assert (table.tolist(), pads) == ([[0, 1], [2, 3]], False)


def test_places_of_adaptive_windows_end_with_what_a_smaller_one_lacks():
    table, pads = windows.adaptive_places((4,), (3,))
    assert (table.tolist(), pads) == ([[0, 1], [1, 2], [2, 3]], False)
    table, pads = windows.adaptive_places((5,), (3,))
    assert (table.tolist(), pads) == ([[0, 1, 5], [1, 2, 3], [3, 4, 5]], True)
