"""Functions of torch.optim that optimizers and schedulers of other packages import."""

import pytest

import minitorch as torch
from minitorch.optim import lr_scheduler, optimizer


def test_steps_record_gradients_if_they_are_differentiable():
    class Mine(torch.optim.Optimizer):
        @optimizer._use_grad_for_differentiable
        def step(self):
            return torch.is_grad_enabled()

    weight = torch.nn.Parameter(torch.ones(1))
    assert Mine([weight], {"differentiable": True}).step()
    assert not Mine([weight], {"differentiable": False}).step()
    assert torch.is_grad_enabled()


def test_values_are_taken_out_of_tensors():
    assert optimizer._get_value(torch.tensor(3.0)) == 3.0
    assert optimizer._get_value(2) == 2
    assert optimizer._stack_if_compiling(2) == 2
    assert optimizer._to_scalar(torch.ones(1)).shape == ()
    assert optimizer._get_scalar_dtype() is torch.float32


def test_complex_parameters_are_seen_as_real():
    params, grads = [torch.ones(2, dtype=torch.complex64), torch.ones(1)], [torch.zeros(2) + 1j] * 2
    optimizer._view_as_real(params, grads)
    assert [each.shape for each in params] == [(2, 2), (1,)]
    assert grads[0].shape == (2, 2)
    assert grads[1].is_complex()


def test_the_cpu_updates_one_tensor_after_the_other():
    params = [torch.nn.Parameter(torch.ones(1))]
    assert optimizer._default_to_fused_or_foreach(params, False) == (False, False)
    assert optimizer._default_to_fused_or_foreach(params, False, use_fused=True) == (True, False)
    assert optimizer._default_to_fused_or_foreach(params, True, use_fused=True) == (False, False)
    optimizer._device_dtype_check_for_fused(params[0])
    with pytest.raises(RuntimeError, match="requires all the params to be floating point"):
        optimizer._device_dtype_check_for_fused(torch.ones(1).long())


def test_decorators_for_the_compiler_change_nothing():
    assert optimizer._disable_dynamo_if_unsupported(single_tensor_fn=None)(len) is len


def test_contexts_of_schedulers():
    class Mine:
        pass

    scheduler = Mine()
    with lr_scheduler._enable_get_lr_call(scheduler):
        assert scheduler._get_lr_called_within_step
    assert not scheduler._get_lr_called_within_step
    with lr_scheduler._initial_mode(scheduler):
        assert scheduler._is_initial
    assert not scheduler._is_initial


def test_schedulers_warn_outside_of_a_step():
    steps = lr_scheduler.StepLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0), 1)
    with pytest.warns(UserWarning, match="To get the last learning rate computed"):
        lr_scheduler._warn_get_lr_called_within_step(steps)


@pytest.mark.parametrize("default", [torch.bfloat16, torch.float64])
def test_steps_are_counted_beyond_what_a_default_dtype_can_count(default):
    torch.set_default_dtype(default)
    try:
        p = torch.nn.Parameter(torch.ones(2, dtype=torch.float32))
        p.grad = torch.ones(2, dtype=torch.float32)
        made = torch.optim.RMSprop([p])
        made.step()
        made.state[p]["step"].fill_(256)
        made.step()
        fused = torch.optim.Adam([p], fused=True)
        fused.step()
    finally:
        torch.set_default_dtype(torch.float32)
    assert made.state[p]["step"].item() == 257
    assert fused.state[p]["step"].dtype is torch.float32
