"""Sparse tensors that functions hand on as they are, copy, or give to operators that they have."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F

DENSE = torch.tensor([[0.0, 0, 3], [4, 0, 5]])
LAYOUTS = ["to_sparse", "to_sparse_csr", "to_sparse_csc"]
COPIES = "ignore:To copy construct"


@pytest.mark.parametrize("convert", LAYOUTS)
def test_dropout_hands_a_sparse_tensor_on_in_evaluation(convert):
    x = getattr(DENSE, convert)()
    assert F.dropout(x, 0.3, training=False) is x
    assert F.dropout(x, 0.0) is x
    with pytest.raises(NotImplementedError, match=r"bernoulli_\.float"):
        F.dropout(x, 0.5)
    with pytest.raises(RuntimeError, match="has to be between 0 and 1, but got 2"):
        torch.dropout(x, 2.0, False)


@pytest.mark.filterwarnings(COPIES)
@pytest.mark.parametrize("convert", LAYOUTS)
def test_tensor_and_as_tensor_take_sparse_tensors(convert):
    x = getattr(DENSE, convert)()
    assert torch.as_tensor(x) is x
    copy = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    assert (copy.layout, copy.dtype, copy.is_leaf) == (x.layout, torch.float64, True)
    assert copy.requires_grad
    assert torch.equal(copy.detach().to_dense(), DENSE.double())
    with pytest.raises(RuntimeError, match="pin_memory=True requires"):
        torch.tensor(x, pin_memory=True)


@pytest.mark.filterwarnings(COPIES)
def test_new_tensor_copies_coordinates_and_refuses_rows():
    x = DENSE.to_sparse()
    assert x.double().new_tensor(x).dtype is torch.float64
    with pytest.raises(RuntimeError, match="to a unique layout"):
        DENSE.to_sparse_csr().new_tensor(DENSE.to_sparse_csr())


def test_operators_made_of_others_take_coordinates():
    x = DENSE.to_sparse()
    assert torch.equal(torch.linalg.multi_dot([x, DENSE.mT]), DENSE @ DENSE.mT)
    assert [each.layout for each in torch.broadcast_tensors(x, x)] == [torch.sparse_coo] * 2
    with pytest.raises(NotImplementedError, match="aten::linalg_vector_norm"):
        torch.linalg.norm(x)


def test_pca_lowrank_takes_coordinates():
    found = torch.pca_lowrank(DENSE.to_sparse(), q=1)[1]
    assert torch.allclose(found, torch.pca_lowrank(DENSE, q=1)[1])
    stack = torch.stack([DENSE, DENSE]).to_sparse()
    with pytest.raises(ValueError, match="expected to be 2-dimensional"):
        torch.pca_lowrank(stack, q=1)
