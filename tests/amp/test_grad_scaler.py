"""GradScaler: scaling, unscaling, skipped steps, growth, and the order of its calls."""

import copy
import pickle

import pytest

import minitorch as torch


def weights():
    return torch.ones(2, requires_grad=True)


def trained(steps, **options):
    """The weights, and the scale after each step; a step is the factor of its loss."""
    w = weights()
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", **options)
    scales = []
    for factor in steps:
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    return w.tolist(), scales


def test_steps_are_those_without_a_scaler():
    assert trained([1.0, 2.0])[0] == [-2.0, -2.0]


def test_a_step_that_is_not_finite_is_skipped_and_the_scale_shrinks():
    w, scales = trained([1.0, float("inf"), 1.0], init_scale=8.0)
    assert w == [-1.0, -1.0]
    assert scales == [8.0, 4.0, 4.0]


def test_the_scale_grows_after_steps_in_a_row():
    nan = float("nan")
    _, scales = trained([1, 1, nan, 1, 1, 1], init_scale=4.0, growth_interval=2)
    assert scales == [4.0, 8.0, 4.0, 4.0, 8.0, 8.0]


def test_a_scale_never_grows_to_infinity():
    _, scales = trained([0.0], init_scale=2.0**127, growth_interval=1)
    assert scales == [2.0**127]


def test_gradients_can_be_unscaled_once_before_the_step():
    w = weights()
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(w.sum()).backward()
    assert w.grad.tolist() == [4.0, 4.0]
    scaler.unscale_(optimizer)
    assert w.grad.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="has already been called on this optimizer"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="called since the last update"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="is being called after step"):
        scaler.unscale_(optimizer)


def test_it_must_have_scaled_something_first():
    with pytest.raises(AssertionError, match="Attempted step but _scale is None"):
        torch.amp.GradScaler("cpu").step(torch.optim.SGD([weights()], lr=1.0))


def test_disabled_it_does_nothing():
    w = weights()
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    loss = w.sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert (w.tolist(), scaler.get_scale(), scaler.state_dict()) == ([0.0, 0.0], 1.0, {})


def test_without_cuda_it_is_disabled_with_a_warning(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.warns(UserWarning, match="CUDA is not available"):
        assert not torch.amp.GradScaler().is_enabled()


def test_it_goes_on_from_a_state_and_as_a_copy():
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=3)
    w = weights()
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    with pytest.raises(AssertionError, match="at the beginning of an iteration"):
        copy.copy(scaler)
    scaler.update()
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    for each in (other, copy.copy(scaler)):
        assert each.state_dict() == scaler.state_dict()
    assert scaler.state_dict()["_growth_tracker"] == 1


def test_gradients_in_float16_are_refused():
    w = weights().detach().half().requires_grad_()
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(w.sum()).backward()
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.step(torch.optim.SGD([w], lr=1.0))


def test_a_scaler_is_pickled():
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    assert pickle.loads(pickle.dumps(scaler)).get_scale() == 8.0
