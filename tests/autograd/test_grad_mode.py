"""Grad modes: what inference mode makes of the tensors that are made in it."""

import asyncio
import contextlib

import pytest

import minitorch as torch
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.graph import engine
from minitorch.utils._contextlib import context_decorator


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


def test_a_decorated_class_becomes_a_function_of_it():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.no_grad()
        class Maker:
            def __init__(self):
                self.made = torch.is_grad_enabled()

            def now(self):
                return torch.is_grad_enabled()

    assert (Maker().made, Maker().now()) == (False, True)


def test_the_body_of_a_decorated_coroutine_runs_outside():
    @torch.no_grad()
    async def ask():
        return torch.is_grad_enabled()

    assert asyncio.run(ask())


def test_context_decorator_refuses_what_is_ambiguous():
    with pytest.raises(AssertionError, match="both callable and also a valid context manager"):
        context_decorator(torch.no_grad(), print)
    with pytest.raises(RuntimeError, match="Cannot decorate classes"):
        context_decorator(lambda: torch.no_grad(), int)
    assert context_decorator(contextlib.nullcontext(), abs)(-3) == 3


@pytest.mark.parametrize(
    "switch",
    [
        torch.autograd.set_multithreading_enabled,
        torch.autograd.enforce_grad_layout_policy,
        torch.autograd._force_original_view_tracking,
    ],
)
def test_switches_set_and_restore(switch):
    before = switch.variable.get()
    with switch(False):
        assert switch.variable.get() is False
    assert switch.variable.get() is before
    assert switch(False)(switch.variable.get)() is False
    switch.variable.set(before)
    with pytest.raises(TypeError, match="must be bool"):
        switch(3)


@pytest.mark.usefixtures("no_garbage")
def test_a_tracked_view_is_taken_again_by_the_operators_that_took_it():
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 1
    with torch.autograd._force_original_view_tracking(True):
        tracked = y[1:].t()
    usual = y[1:].t()
    y.mul_(2)
    assert tracked.grad_fn.name() == "TBackward0"
    assert tracked.grad_fn.next_functions[0][0].name() == "SliceBackward0"
    assert usual.grad_fn.name() == "AsStridedBackward0"
    tracked.sum().backward()
    assert x.grad.tolist() == [[0.0] * 3, [2.0] * 3]
    assert not ASSEMBLED_GLOBALS["WATCHED"]


def test_a_first_gradient_keeps_its_layout_where_that_is_allowed(monkeypatch):
    monkeypatch.setattr(engine, "ANY_HOOKS", {})  # the walk with hooks takes no gradient over
    leaf = torch.ones(2, 3).t().requires_grad_()
    for enforced, strides in ((True, (1, 3)), (False, (2, 1))):
        leaf.grad = None
        with torch.autograd.enforce_grad_layout_policy(enforced):
            (leaf * torch.ones(3, 2)).sum().backward()
        assert leaf.grad.stride() == strides


def test_writes_can_be_left_uncounted():
    x = torch.ones(2)
    with torch.autograd._unsafe_preserve_version_counter(x):
        x.add_(1)
        assert x._version == 1
    assert x._version == 0
    with pytest.raises(AssertionError, match="to be a tuple"):
        torch.autograd._unsafe_preserve_version_counter([x])


def test_variable_as_tensors_were_made_once():
    assert torch.autograd.variable.Variable is torch.autograd.Variable
    with pytest.raises(RuntimeError, match=r"use torch\.tensor"):
        torch.autograd.variable(1)


def test_an_inference_tensor_with_other_data_counts_nothing():
    with torch.inference_mode():
        x = torch.ones(2)
    x.data = torch.zeros(2)
    assert not x.is_inference()
    for ask in (lambda: x._version, lambda: x[:1], lambda: str(x)):
        with pytest.raises(RuntimeError, match="do not track version counter"):
            ask()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        x.add_(1)
    assert x.tolist() == [1, 1]  # too late, as in torch


def test_in_inference_mode_enable_grad_is_asked_for_and_records_nothing():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        with torch.enable_grad():
            assert torch.is_grad_enabled()
            assert (x * 2).grad_fn is None
            with torch.no_grad():
                assert not torch.is_grad_enabled()
            with torch.inference_mode(False):
                assert (x * 2).requires_grad
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad
