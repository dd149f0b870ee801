"""Sparse tensors made of indices and values."""

import pytest

import minitorch as torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8, torch.int32, torch.bool])
def test_indices_of_any_dtype_become_positions(dtype):
    places = torch.tensor([[0, 1], [1, 0]]).to(dtype)
    x = torch.sparse_coo_tensor(places, torch.tensor([1.0, 2.0]), check_invariants=True)
    assert (x.shape, x._indices().dtype) == ((2, 2), torch.int64)
    assert x.to_dense().tolist() == [[0.0, 1.0], [2.0, 0.0]]
