"""Schedules of learning rates: the rate at each step, resumed, composed, refused."""

import copy
import math
import warnings

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.optim import lr_scheduler


@pytest.fixture
def optimizer():
    weight, bias = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(1))
    return torch.optim.SGD([{"params": [weight], "lr": 0.5}, {"params": [bias]}], 1.0, momentum=0.5)


def rates(optimizer, scheduler, steps=6, *metrics):
    seen = [scheduler.get_last_lr()]
    for _ in range(steps):
        optimizer.step()
        scheduler.step(*metrics)
        seen.append(scheduler.get_last_lr())
    return seen


CLOSED = [
    (lambda o: lr_scheduler.StepLR(o, 2, 0.1), lambda e: 0.1 ** (e // 2)),
    (
        lambda o: lr_scheduler.MultiStepLR(o, [1, 4], 0.5),
        lambda e: 0.5 ** ((e >= 1) + (e >= 4)),
    ),
    (lambda o: lr_scheduler.ConstantLR(o, 0.25, 3), lambda e: 0.25 if e < 3 else 1),
    (lambda o: lr_scheduler.LinearLR(o, 0.5, 1.0, 4), lambda e: 0.5 + 0.5 * min(e, 4) / 4),
    (lambda o: lr_scheduler.ExponentialLR(o, 0.9), lambda e: 0.9**e),
    (lambda o: lr_scheduler.PolynomialLR(o, 4, 2.0), lambda e: (1 - min(e, 4) / 4) ** 2),
    (
        lambda o: lr_scheduler.CosineAnnealingLR(o, 10),
        lambda e: (1 + math.cos(math.pi * e / 10)) / 2,
    ),
    (
        lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 3),
        lambda e: (1 + math.cos(math.pi * (e % 3) / 3)) / 2,
    ),
    (lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (1 + e)), lambda e: 1 / (1 + e)),
    (lambda o: lr_scheduler.MultiplicativeLR(o, lambda e: 0.5), lambda e: 0.5**e),
]


@pytest.mark.parametrize(("make", "factor"), CLOSED)
def test_a_schedule_multiplies_the_first_rate_of_each_group(optimizer, make, factor):
    for epoch, seen in enumerate(rates(optimizer, make(optimizer))):
        assert seen == pytest.approx([0.5 * factor(epoch), factor(epoch)])
    assert [group["lr"] for group in optimizer.param_groups] == seen


@pytest.mark.parametrize("make", [make for make, _ in CLOSED])
def test_a_schedule_goes_on_from_its_state(optimizer, make):
    whole = rates(optimizer, make(optimizer), 6)
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"]
    first = make(optimizer)
    rates(optimizer, first, 3)
    state = copy.deepcopy(first.state_dict())
    again = copy.copy(first)
    again.load_state_dict(state)
    assert rates(optimizer, again, 3) == whole[3:]


def test_plateaus_reduce_the_rate_after_patience(optimizer):
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    seen = []
    for metric in [3.0, 2.0, 2.0, 2.0, torch.tensor(2.0), 1.0]:
        scheduler.step(metric)
        seen.append(optimizer.param_groups[1]["lr"])
    assert seen == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5]


def test_cycles_raise_the_rate_and_lower_momentum(optimizer):
    scheduler = lr_scheduler.CyclicLR(optimizer, 0.1, 0.3, step_size_up=2, base_momentum=0.6)
    momenta = [optimizer.param_groups[0]["momentum"]]
    seen = [scheduler.get_last_lr()[0]]
    for _ in range(4):
        optimizer.step()
        scheduler.step()
        seen.append(scheduler.get_last_lr()[0])
        momenta.append(optimizer.param_groups[0]["momentum"])
    assert seen == pytest.approx([0.1, 0.2, 0.3, 0.2, 0.1])
    assert momenta == pytest.approx([0.9, 0.75, 0.6, 0.75, 0.9])


def test_one_cycle_ends_far_below_where_it_began(optimizer):
    seen = rates(optimizer, lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=10), 9)
    assert max(each[0] for each in seen) == pytest.approx(1.0)
    assert seen[0][0] == pytest.approx(1 / 25)
    assert seen[-1][0] == pytest.approx(1 / 25 / 1e4)


def test_schedules_follow_one_another_and_work_together(optimizer):
    parts = [
        lr_scheduler.ConstantLR(optimizer, 0.1, total_iters=9),
        lr_scheduler.ExponentialLR(optimizer, 0.5),
    ]
    seen = rates(optimizer, lr_scheduler.SequentialLR(optimizer, parts, [2]), 4)
    assert [each[1] for each in seen] == pytest.approx([0.1, 0.1, 1.0, 0.5, 0.25])
    chained = lr_scheduler.ChainedScheduler([lr_scheduler.ExponentialLR(optimizer, 0.5)] * 2)
    before = optimizer.param_groups[1]["lr"]
    rates(optimizer, chained, 1)
    assert optimizer.param_groups[1]["lr"] == pytest.approx(before / 4)


def test_a_tensor_rate_keeps_its_identity():
    rate = torch.tensor(0.5)
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=rate)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is rate
    assert rate.item() == 0.25


def test_stepping_the_schedule_first_is_warned_of(optimizer):
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    with pytest.warns(UserWarning, match="before `optimizer.step\\(\\)`"):
        scheduler.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler.step()


def test_what_is_no_optimizer_is_refused():
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        lr_scheduler.StepLR(3, 3)
