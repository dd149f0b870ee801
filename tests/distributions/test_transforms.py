"""torch.distributions.transforms and the registries."""

import pickle

import pytest

import minitorch as torch
from minitorch import distributions
from minitorch.distributions import biject_to, constraints, transform_to, transforms

NUMBERS = torch.tensor([[-1.5, -0.2, 0.3], [0.9, 2.0, 4.0]], dtype=torch.float64)
BIJECTIONS = [
    transforms.AffineTransform(1.0, -2.0),
    transforms.ComposeTransform([transforms.AffineTransform(1.0, 3.0), transforms.TanhTransform()]),
    transforms.CorrCholeskyTransform(),
    transforms.CumulativeDistributionTransform(distributions.Normal(0.5, 2.0)),
    transforms.ExpTransform(),
    transforms.IndependentTransform(transforms.TanhTransform(), 1),
    transforms.ReshapeTransform((3,), (3, 1)),
    transforms.SigmoidTransform(),
    transforms.SoftplusTransform(),
    transforms.StackTransform([transforms.ExpTransform(), transforms.TanhTransform()]),
    transforms.StickBreakingTransform(),
    transforms.CatTransform([transforms.ExpTransform(), transforms.TanhTransform()]),
]


@pytest.mark.parametrize("transform", BIJECTIONS, ids=lambda t: type(t).__name__)
def test_the_inverse_of_a_transform_leads_back(transform):
    y = transform(NUMBERS)
    torch.testing.assert_close(transform.inv(y), NUMBERS, rtol=1e-6, atol=1e-6)
    assert transform.inv.inv is transform
    slope = transform.log_abs_det_jacobian(NUMBERS, y)
    torch.testing.assert_close(transform.inv.log_abs_det_jacobian(y, NUMBERS), -slope)
    again = pickle.loads(pickle.dumps(transform))
    assert torch.equal(again(NUMBERS), y)


def test_a_cache_remembers_one_value():
    transform = transforms.ExpTransform(cache_size=1)
    x = torch.ones(2)
    y = transform(x)
    assert transform(x) is y
    assert transform.inv(y) is x
    with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
        transforms.ExpTransform(2)


REGIONS = [
    *(constraints.real, constraints.positive, constraints.unit_interval, constraints.simplex),
    *(constraints.greater_than(2.0), constraints.less_than(2.0), constraints.interval(1.0, 3.0)),
    *(constraints.corr_cholesky, constraints.independent(constraints.positive, 1)),
    constraints.stack([constraints.positive, constraints.real]),
    constraints.cat([constraints.positive, constraints.real]),
]


@pytest.mark.parametrize("region", REGIONS, ids=repr)
@pytest.mark.parametrize("registry", [biject_to, transform_to], ids=["biject_to", "transform_to"])
def test_a_registered_transform_leads_into_its_region(registry, region):
    assert region.check(registry(region)(NUMBERS)).all()


def test_a_region_without_a_transform_is_refused():
    with pytest.raises(NotImplementedError, match="Cannot transform _Boolean constraints"):
        biject_to(constraints.boolean)


def test_matrices_lead_into_triangular_and_positive_definite_ones():
    square = torch.tensor([[1.0, 0.2], [0.3, 2.0]])
    for region in (constraints.lower_cholesky, constraints.positive_definite):
        assert region.check(transform_to(region)(square)).all()
