"""The features that all distributions share: names, copies, subclasses, checks."""

import copy
import math
import pickle

import pytest

import minitorch as torch
from minitorch import distributions
from minitorch.distributions import constraints, utils


def examples():
    half, vector = torch.full((2,), 0.5), torch.tensor([0.2, 0.3, 0.5])
    d = distributions
    return [
        *(d.Bernoulli(half), d.Beta(half, 2.0), d.Binomial(3, half), d.Categorical(vector)),
        *(d.Cauchy(half, 1.0), d.Chi2(half), d.ContinuousBernoulli(half), d.Dirichlet(vector)),
        *(d.Exponential(half), d.FisherSnedecor(half, 3.0), d.Gamma(half, 1.0), d.Geometric(half)),
        *(d.GeneralizedPareto(0.0, half, 0.1), d.Gumbel(half, 1.0), d.HalfCauchy(half)),
        *(d.HalfNormal(half), d.Independent(d.Normal(half, 1.0), 1), d.InverseGamma(half, 1.0)),
        *(d.Kumaraswamy(half, 1.0), d.LKJCholesky(3, half), d.Laplace(half, 1.0)),
        *(d.LogNormal(half, 1.0), d.LogisticNormal(half, 1.0), d.Multinomial(4, vector)),
        d.LowRankMultivariateNormal(half, half.unsqueeze(1), half),
        d.MixtureSameFamily(d.Categorical(half), d.Normal(half, 1.0)),
        *(d.MultivariateNormal(half, torch.eye(2)), d.NegativeBinomial(3, half)),
        *(d.Normal(half, 1.0), d.OneHotCategorical(vector), d.Pareto(half, 1.0), d.Poisson(half)),
        d.OneHotCategoricalStraightThrough(vector),
        d.RelaxedBernoulli(torch.tensor(1.0), half),
        d.RelaxedOneHotCategorical(torch.tensor(1.0), vector),
        *(d.StudentT(half), d.Uniform(0.0, half), d.VonMises(half, 1.0), d.Weibull(half, 1.0)),
        d.Wishart(torch.tensor([3.0, 5.0]), torch.eye(2)),
    ]


EXAMPLES = examples()
# The results of real torch.
SLOPES = (
    [37.03476728802637, 0.9366198345654156, 1.3672391086493698, 0.9762076987046984],
    [0.035938570944557095, 0.05189192037981533, 0.09938082348552477, 0.05061829617857558],
)


def name_of(example):
    return type(example).__name__


def test_every_public_name_of_distributions_is_there():
    assert len(distributions.__all__) == 67
    for name in distributions.__all__:
        assert getattr(distributions, name) is not None


@pytest.mark.filterwarnings("ignore:Singular sample detected")
@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_samples_of_a_distribution_lie_in_its_support(example):
    torch.manual_seed(0)
    sample = example.sample((3,))
    assert sample.shape == (3, *example.batch_shape, *example.event_shape)
    assert example.support.check(sample).all()
    assert example.log_prob(sample).shape == (3, *example.batch_shape)


@pytest.mark.filterwarnings("ignore:Singular sample detected")
# Pickles of transforms hold no inverses, as in torch, and Gumbel is made of two.
@pytest.mark.parametrize(
    "example", [each for each in EXAMPLES if name_of(each) != "Gumbel"], ids=name_of
)
def test_copies_and_pickles_of_a_distribution_draw_alike(example):
    torch.manual_seed(1)
    expected = example.sample()  # before the copies: some compute parameters of others for it
    for each in (pickle.loads(pickle.dumps(example)), copy.deepcopy(example)):
        assert type(each) is type(example)
        assert repr(each) == repr(example)
        torch.manual_seed(1)
        assert torch.equal(each.sample(), expected)


@pytest.mark.filterwarnings("ignore:Singular sample detected")
@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_expand_gives_a_distribution_of_a_larger_batch(example):
    larger = example.expand((4, *example.batch_shape))
    assert type(larger) is type(example)
    assert larger.batch_shape == (4, *example.batch_shape)
    assert larger.sample().shape == (4, *example.batch_shape, *example.event_shape)


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_a_distribution_says_torchs_module(example):
    assert type(example).__module__.startswith("torch.distributions.")


class Shifted(distributions.Distribution):
    arg_constraints = {"start": constraints.positive}

    def __init__(self, start, validate_args=None):
        (self.start,) = utils.broadcast_all(start)
        super().__init__(self.start.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.greater_than(self.start)

    @utils.lazy_property
    def twice(self):
        return self.start * 2

    def log_prob(self, value):
        self._validate_sample(value)
        return self.start - value


def test_a_distribution_of_a_program_is_checked():
    d = Shifted(torch.tensor([1.0, 2.0]))
    assert repr(d) == "Shifted(start: torch.Size([2]))"
    assert constraints.is_dependent(Shifted.support)
    assert d.twice is d.twice
    assert d.log_prob(torch.tensor(3.0)).tolist() == [-2, -1]
    with pytest.raises(ValueError, match="to be within the support"):
        d.log_prob(torch.tensor(1.5))
    with pytest.raises(ValueError, match="to satisfy the constraint GreaterThan"):
        Shifted(-1.0)
    with pytest.raises(NotImplementedError):
        d.expand((2, 2))


def test_a_subclass_with_its_own_init_must_expand_itself():
    class Mine(distributions.Normal):
        def __init__(self, loc):
            super().__init__(loc, 1.0)

    with pytest.raises(NotImplementedError, match="Subclass Mine of Normal that defines"):
        Mine(0.0).expand((2,))


def test_gradients_reach_the_concentration_through_a_gamma_sample():
    a = torch.tensor([0.01, 0.5, 3.0, 1000.0], requires_grad=True)
    torch.manual_seed(0)
    distributions.Gamma(a, 1.0).rsample().sum().backward()
    assert (a.grad > 0).all()


def test_gamma_and_dirichlet_slopes_are_those_of_torch():
    double = {"dtype": torch.float64}
    a, x = torch.tensor([0.01, 2.0, 5.0, 100.0], **double), torch.tensor([0.3, 1.5, 9.0, 95.0])
    slopes = torch._standard_gamma_grad(a, x.double()).tolist()
    assert slopes == pytest.approx(SLOPES[0], rel=1e-10)
    share, total = torch.tensor([0.001, 0.4, 0.6, 0.95], **double), torch.full((4,), 20.0, **double)
    a = torch.tensor([0.1, 8.0, 3.0, 19.5], **double)
    assert torch._dirichlet_grad(share, a, total).tolist() == pytest.approx(SLOPES[1], rel=1e-10)


def test_a_divergence_is_found_by_the_narrowest_classes():
    normal = distributions.Normal(0.0, 1.0)
    kl = distributions.kl_divergence
    assert kl(normal, distributions.Normal(1.0, 1.0)).item() == 0.5
    assert kl(normal, distributions.Gamma(1.0, 1.0)).item() == math.inf
    chi = distributions.Chi2(torch.tensor(3.0))
    assert kl(chi, chi).item() == pytest.approx(0, abs=1e-6)
    with pytest.raises(NotImplementedError, match="No KL"):
        kl(normal, distributions.VonMises(0.0, torch.tensor(1.0)))


def test_two_divergences_that_fit_as_well_give_a_warning():
    class Mine(distributions.Normal):
        pass

    registry = distributions.kl._KL_REGISTRY
    distributions.register_kl(Mine, distributions.Normal)(lambda p, q: 1)
    distributions.register_kl(distributions.Normal, Mine)(lambda p, q: 2)
    try:
        with pytest.warns(RuntimeWarning, match="Ambiguous kl_divergence"):
            assert distributions.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)) == 1
    finally:
        del registry[Mine, distributions.Normal], registry[distributions.Normal, Mine]
        distributions.kl._KL_MEMOIZE.clear()
