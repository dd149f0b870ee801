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


READ_ONLY = (
    "shape dtype device grad_fn is_leaf T mT H mH name ndim layout is_sparse is_nested is_xla "
    "_cdata _version retains_grad output_nr nbytes _has_symbolic_sizes_strides"
).split()


@pytest.mark.parametrize("name", READ_ONLY)
def test_attributes_that_are_only_read_are_neither_written_nor_deleted(name):
    words = f"^attribute '{name}' of 'torch._C.TensorBase' objects is not writable$"
    with pytest.raises(AttributeError, match=words):
        setattr(torch.ones(2), name, None)
    with pytest.raises(AttributeError, match=words):
        delattr(torch.ones(2), name)


def test_backward_hooks_of_a_leaf_are_forgotten_by_writing_None():
    seen = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(seen.append)
    hooks, x._backward_hooks = x._backward_hooks, None
    x.sum().backward()
    assert seen == []
    assert x._backward_hooks is None
    x._backward_hooks = hooks
    x.sum().backward()
    assert len(seen) == 1


@pytest.mark.parametrize("name", ["_backward_hooks", "_post_accumulate_grad_hooks"])
def test_hooks_of_a_tensor_are_not_deleted(name):
    with pytest.raises(RuntimeError, match=r"^Deletion of \w+ not allowed!$"):
        delattr(torch.ones(2), name)


def test_the_private_grad_fn_is_replaced_by_None_alone():
    x = torch.ones(2, requires_grad=True) * 2
    assert x._grad_fn is x.grad_fn
    with pytest.raises(RuntimeError, match="can be only set to None"):
        x._grad_fn = 3
    with pytest.raises(RuntimeError, match="Detach tensor instead!"):
        del x._grad_fn
    x._grad_fn = None
    assert x.is_leaf
    assert not x.requires_grad


def test_parts_of_complex_numbers_are_written_with_numbers_and_tensors():
    x = torch.zeros(2, dtype=torch.complex64)
    x.real, x.imag = torch.ones(2), torch.tensor(3.0)
    assert x.tolist() == [1 + 3j, 1 + 3j]
    with pytest.raises(TypeError, match=r"^can't assign a str to a torch\.FloatTensor$"):
        x.imag = "a"


def test_the_gradient_of_a_class_that_takes_calls_over_is_deleted():
    class Own(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Own).requires_grad_()
    x.sum().backward()
    del x.grad
    assert x.grad is None
