"""Plans: a second call of a kind computes what the first did, without finding it out again."""

import pytest

import minitorch as torch
from minitorch.core.declare.general import plans


def same(first, second):
    assert (first.dtype, first.shape, first.stride()) == (
        second.dtype,
        second.shape,
        second.stride(),
    )
    assert torch.equal(first, second)


CALLS = [
    lambda x, y: torch.lerp(x, y.t().contiguous().t(), 0.3),
    lambda x, y: torch.addcmul(x.t(), y.t(), y.t(), value=2),
    lambda x, y: torch.add(x, y, alpha=3),
    lambda x, y: torch.clamp(x.t(), y.t(), y.t() + 1),
    lambda x, y: x.double() * y,
    lambda x, y: x.t() / y.t(),
    lambda x, y: x * y[:, :1],
    lambda x, y: x.int() + y,
    lambda x, y: torch.div(x, 2, rounding_mode="floor"),
]


@pytest.fixture(autouse=True)
def no_plans():
    plans._PLANS.clear()


@pytest.mark.parametrize("call", CALLS)
def test_calls_with_a_plan_give_what_the_general_way_gives(call):
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    first = call(x, y)
    assert plans._PLANS
    same(first, call(x, y))
    other = torch.randn(3, 4)
    with_plan = call(other, y)
    plans._PLANS.clear()
    same(with_plan, call(other, y))


@pytest.mark.parametrize("call", CALLS[:7])
def test_gradients_are_those_of_the_general_way(call):
    y = torch.randn(3, 4)
    gradients = []
    for _ in range(2):
        x = torch.ones(3, 4, requires_grad=True)
        call(x, y).sum().backward()
        gradients.append(x.grad)
    assert torch.equal(*gradients)


def test_a_call_of_a_known_kind_is_refused_as_any_other():
    x = torch.ones(2, dtype=torch.int64)
    torch.div(x, x, rounding_mode="floor")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.div(x, x * 0, rounding_mode="floor")
    y = torch.ones(2)
    torch.add(y, y, alpha=2)
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without over"):
        torch.add(y, y, alpha=1e50)


def test_another_default_dtype_makes_another_result():
    x = torch.arange(3)
    assert (x * torch.tensor(2) / 3).dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert (x * torch.tensor(2) / 3).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_plans_do_not_grow_without_end(monkeypatch):
    monkeypatch.setattr(plans, "_MOST", 3)
    for n in range(1, 9):
        torch.lerp(torch.ones(n), torch.zeros(n), 0.5)
        assert len(plans._PLANS) <= 3


def test_an_assembled_function_learns_dtypes_that_its_kernel_does():
    x = torch.tensor([1, 2, 3], dtype=torch.int16)
    first = torch.bitwise_and(x, x)
    plans._PLANS.clear()
    again = torch.bitwise_and(x, x)
    assert not plans._PLANS  # without the general way
    same(first, again)


def test_small_integers_are_asked_whether_a_factor_fits():
    x = torch.ones(3, dtype=torch.int8)
    torch.addcmul(x, x, x)
    torch.addcmul(x, x, x)
    with pytest.raises(RuntimeError, match="value cannot be converted to type int8_t without"):
        torch.addcmul(x, x, x, value=300)
