"""Attributes of tensors that few programs ask for."""

import pytest

import minitorch as torch


def test_grad_dtype_is_the_dtype_of_a_leaf():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert x.grad_dtype is torch.float64
    x.grad_dtype = torch.float64
    with pytest.raises(RuntimeError, match="can only be accessed on leaf tensors"):
        _ = (x * 2).grad_dtype


def test_another_grad_dtype_is_refused_by_name():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"torch\.Tensor.grad_dtype"):
        x.grad_dtype = torch.float64
    with pytest.raises(RuntimeError, match=r"grad_dtype must be a torch\.dtype or None"):
        x.grad_dtype = 3


def test_memory_of_the_cpu_has_no_cuda_array_interface():
    assert not hasattr(torch.ones(2), "__cuda_array_interface__")


def test_tensors_inherit_a_torch_dispatch_that_takes_nothing_over():
    result = torch.Tensor.__torch_dispatch__(torch.add, (), (torch.ones(2), 1))
    assert result.tolist() == [2, 2]


def test_index_is_a_method_beside_the_operator():
    with pytest.raises(NotImplementedError, match=r"torch\.Tensor.index"):
        torch.ones(2).index([0], [1])
    assert torch.ops.aten.index(torch.ones(2), [torch.tensor([0])]).tolist() == [1]


def test_cdata_tells_tensors_apart():
    x = torch.ones(2)
    alias = x.detach()
    assert x._cdata == x._cdata
    assert x._cdata != alias._cdata
