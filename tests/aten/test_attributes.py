"""Rarely used attributes of tensors, and Python functions of their elements."""

import pytest

import minitorch as torch


def test_the_order_of_dimensions_goes_by_their_strides():
    x = torch.zeros(2, 3, 4, 5)
    assert x.dim_order() == (0, 1, 2, 3)
    assert x.contiguous(memory_format=torch.channels_last).dim_order() == (0, 2, 3, 1)
    assert x[0].permute(2, 0, 1).dim_order() == (1, 2, 0)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        torch.zeros(1, 1).dim_order(ambiguity_check=True)


def test_functions_of_elements_see_what_was_written_before():
    x = torch.arange(4.0)
    assert x.apply_(lambda v: v + 1) is x
    assert x.map_(x[0], lambda a, b: a + b).tolist() == [2, 4, 5, 6]
    assert x.map2_(x, x, lambda a, b, c: a).tolist() == [2, 4, 5, 6]


def test_functions_of_elements_are_not_differentiated():
    with pytest.raises(RuntimeError, match=r"Can't call apply_\(\) on Variable that requires grad"):
        torch.ones(2, requires_grad=True).apply_(abs)


def test_nonzero_static_cuts_and_fills():
    x = torch.tensor([0, 3, 0, 4])
    assert x.nonzero_static(size=1).tolist() == [[1]]
    assert x.nonzero_static(size=3).tolist() == [[1], [3], [-1]]


def test_what_is_sparse_alone_is_refused():
    for name in ("coalesce", "indices", "values", "crow_indices", "row_indices"):
        with pytest.raises(RuntimeError, match=f"{name} expected sparse"):
            getattr(torch.ones(2), name)()


def test_removed_functions_say_what_to_use():
    with pytest.raises(RuntimeError, match=r"torch\.linalg\.solve"):
        torch.solve(torch.ones(2, 2), torch.ones(2, 2))
    with pytest.raises(RuntimeError, match="eigvalsh"):
        torch.ones(2, 2).symeig()
