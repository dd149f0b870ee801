"""torch.functional, and the dtypes that have no tensors here."""

import pickle

import pytest

import minitorch as torch


def test_shapes_are_broadcast_without_tensors():
    assert torch.broadcast_shapes((2, 1), (3,), 1) == torch.Size([2, 3])
    assert torch.functional.broadcast_shapes() == torch.Size([])
    with pytest.raises(RuntimeError, match="Mismatching argument at index 1"):
        torch.broadcast_shapes((2, 2), (3,))


def test_combinations_are_rows_and_have_gradients():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.combinations(x)
    assert y.tolist() == [[1, 2], [1, 3], [2, 3]]
    y.prod(1).sum().backward()
    assert x.grad.tolist() == [5, 4, 3]


def test_places_are_unravelled_into_coordinates():
    rows, columns = torch.unravel_index(torch.tensor([5, 1]), (2, 3))
    assert (rows.tolist(), columns.tolist()) == ([1, 0], [2, 1])


def test_rare_dtypes_are_objects_that_no_tensor_has():
    assert torch.float8_e4m3fn.itemsize == 1
    assert pickle.loads(pickle.dumps(torch.uint4)) is torch.uint4
    with pytest.raises(NotImplementedError, match=r"tensors of torch\.float4_e2m1fn_x2"):
        torch.zeros(2, dtype=torch.float4_e2m1fn_x2)
    with pytest.raises(RuntimeError, match="isSignedType not supported"):
        _ = torch.qint8.is_signed


def test_functional_lists_its_names():
    for name in torch.functional.__all__:
        assert getattr(torch.functional, name) is getattr(torch, name)
