"""The older name of vmap."""

import pytest

import minitorch as torch
from minitorch._vmap_internals import _vmap, vmap


def test_a_function_is_mapped_over_a_dimension():
    x = torch.arange(6.0).reshape(2, 3)
    assert _vmap(lambda row: row.sum())(x).tolist() == [3.0, 12.0]
    assert _vmap(torch.dot, (1, 1))(x, x).tolist() == [9.0, 17.0, 29.0]


def test_none_passes_through_where_it_may():
    w, unused = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
    y = w * torch.tensor([1.0, 2.0, 3.0])

    def product(v):
        return torch.autograd.grad(y, (w, unused), v, retain_graph=True, allow_unused=True)

    rows, none = _vmap(product, allow_none_pass_through=True)(torch.eye(3))
    assert rows.diagonal().tolist() == [1.0, 2.0, 3.0]
    assert none is None


def test_the_public_form_says_that_it_is_deprecated():
    with pytest.warns(FutureWarning, match=r"Please use `torch\.vmap`"):
        assert vmap(torch.neg)(torch.ones(2)).tolist() == [-1.0, -1.0]
