"""Grad modes: what inference mode makes of the tensors that are made in it."""

import pytest

import minitorch as torch


def made_in_inference_mode():
    with torch.inference_mode():
        return torch.ones(2) * 2


def test_tensors_of_inference_mode_cannot_be_saved_for_backward():
    x = torch.ones(2, requires_grad=True)
    y = made_in_inference_mode()
    assert (x + y).requires_grad  # which saves nothing
    for function in (torch.mul, torch.dot):
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            function(x, y)
    assert (x * y.clone()).requires_grad


def test_tensors_of_inference_mode_are_written_in_that_mode_only():
    y = made_in_inference_mode()
    for write in (lambda: y.add_(1), lambda: y[0].zero_(), lambda: y.requires_grad_(True)):
        with pytest.raises(RuntimeError, match="outside InferenceMode is not allowed"):
            write()
    with torch.inference_mode():
        assert y.add_(1).tolist() == [1.0, 4.0]  # the refusals came after the writes, as in torch
    with pytest.raises(RuntimeError, match="do not track version counter"):
        _ = y._version


def test_views_of_a_tensor_are_inference_tensors_if_it_is_one():
    y = made_in_inference_mode()
    x = torch.ones(2, requires_grad=True)
    assert [each.is_inference() for each in (y, y[0], y.detach())] == [True, True, True]
    with torch.inference_mode():
        view, product, itself = x.view(2), x * 2, x.contiguous()
    assert [each.is_inference() for each in (view, product, itself)] == [False, True, False]
