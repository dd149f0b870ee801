"""Checks that are operators: of an element, of a number, of a tensor's metadata."""

import importlib

import pytest

import minitorch as torch


def test_assert_async_refuses_an_element_that_is_zero():
    assert torch._assert_async(torch.tensor(0.5)) is None
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value, but got"):
        torch._assert_async(torch.tensor([0]))
    with pytest.raises(RuntimeError, match="my text"):
        torch._assert_async(torch.tensor(False), "my text")
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        torch._assert_async(torch.ones(2))
    with pytest.raises(TypeError, match=r"argument 'assert_msg' .* must be str, not int"):
        torch._assert_async(torch.ones(1), 3)


def test_assert_scalar_refuses_zero():
    assert torch._assert_scalar(2, "my text") is None
    with pytest.raises(RuntimeError, match="my text"):
        torch._assert_scalar(0, "my text")


def test_assert_tensor_metadata_names_what_differs():
    x = torch.ones(2, 3)
    torch._assert_tensor_metadata(x, (2, 3), [3, 1], torch.float32, layout=torch.strided)
    for given, text in (
        ({"size": [3]}, r"sizes mismatch! Expected: \[3\], Got: \[2, 3\]"),
        ({"stride": [1]}, r"strides mismatch! Expected: \[1\], Got: \[3, 1\]"),
        ({"dtype": torch.int64}, "dtype mismatch! Expected: Long, Got: float"),
        ({"device": "cuda:0"}, "device mismatch! Expected: cuda:0, Got: cpu"),
        ({"layout": torch.sparse_coo}, "layout mismatch! Expected: Sparse, Got: Strided"),
    ):
        with pytest.raises(RuntimeError, match=f"Tensor {text}"):
            torch._assert_tensor_metadata(x, **given)


def test_out_dtype_computes_an_operator_in_another_dtype():
    out_dtype = importlib.import_module("minitorch._higher_order_ops.out_dtype").out_dtype
    x = torch.tensor([[100, 100]], dtype=torch.int8)
    assert out_dtype(torch.ops.aten.mm.default, torch.int32, x, x.t()).tolist() == [[20000]]
    with pytest.raises(ValueError, match="first argument must be an OpOverload"):
        out_dtype(torch.mm, torch.int32, x, x.t())
    with pytest.raises(ValueError, match=r"return a single tensorInstead got \[Tensor, Tensor\]"):
        out_dtype(torch.ops.aten.topk.default, torch.int32, x, 2)
    with pytest.raises(NotImplementedError, match="out_dtype of what has a gradient"):
        out_dtype(torch.ops.aten.neg.default, torch.float64, torch.ones(2, requires_grad=True))


def test_assert_scalar_and_tensor_metadata_take_numbers_and_tensors():
    with pytest.raises(TypeError, match=r"argument 'self' \(position 1\) must be Number, not str"):
        torch._assert_scalar("x", "my text")
    with pytest.raises(TypeError, match=r"argument 'a' \(position 1\) must be Tensor, not str"):
        torch._assert_tensor_metadata("x")
