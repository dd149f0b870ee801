"""torch.distributions."""

import math

import pytest

import minitorch as torch
from minitorch.distributions import Bernoulli, Categorical, Distribution, Normal, Uniform


@pytest.mark.parametrize(
    "one",
    [
        Normal(torch.zeros(3), torch.ones(3)),
        Uniform(0.0, torch.ones(3)),
        Bernoulli(torch.full((3,), 0.3)),
        Categorical(torch.ones(3, 4)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_samples_have_the_shape_of_the_batch_and_lie_in_the_support(one):
    sample = one.sample((2, 5))
    assert sample.shape == (2, 5, 3)
    assert one.support.check(sample).all()
    assert one.log_prob(sample).shape == (2, 5, 3)
    larger = one.expand((4, 3))
    assert larger.sample().shape == (4, 3)
    assert larger.batch_shape == (4, 3)


def test_likelihoods_are_those_of_the_formulas():
    assert Normal(1.0, 2.0).log_prob(torch.tensor(3.0)).item() == pytest.approx(
        -0.5 - math.log(2) - 0.5 * math.log(2 * math.pi)
    )
    assert Uniform(0.0, 4.0).log_prob(torch.tensor(1.0)).item() == pytest.approx(-math.log(4))
    assert Bernoulli(0.25).log_prob(torch.tensor(1.0)).item() == pytest.approx(math.log(0.25))
    chances = Categorical(torch.tensor([1.0, 3.0]))
    assert chances.log_prob(torch.tensor(1)).item() == pytest.approx(math.log(0.75))
    assert chances.entropy().item() == pytest.approx(-0.25 * math.log(0.25) - 0.75 * math.log(0.75))


def test_a_sample_can_carry_gradients_to_the_parameters():
    mean, spread = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    Normal(mean, spread).rsample().backward()
    assert mean.grad == 1
    assert not Normal(mean, spread).sample().requires_grad


def test_what_lies_outside_is_refused_unless_nobody_looks():
    with pytest.raises(ValueError, match="to satisfy the constraint GreaterThan"):
        Normal(0.0, -1.0)
    assert Normal(0.0, -1.0, validate_args=False).loc == 0
    with pytest.raises(ValueError, match="to be within the support"):
        Bernoulli(0.5).log_prob(torch.tensor(3.0))
    Distribution.set_default_validate_args(False)
    try:
        Normal(0.0, -1.0)
    finally:
        Distribution.set_default_validate_args(True)


def test_shares_add_up_to_one():
    shares = torch._sample_dirichlet(torch.full((4, 3), 0.5, dtype=torch.float64))
    torch.testing.assert_close(shares.sum(-1), torch.ones(4, dtype=torch.float64))
    assert (shares > 0).all()
