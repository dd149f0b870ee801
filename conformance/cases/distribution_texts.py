"""The examples of the source `distributions`: parameters, transforms, constraints, programs."""

MATRIX = [[2.0, 0.5, 0.1], [0.5, 1.5, 0.3], [0.1, 0.3, 1.0]]
OTHER = [[1.0, 0.2, 0.0], [0.2, 3.0, -0.4], [0.0, -0.4, 2.0]]
FACTOR = [[1.2, 0.0, 0.0], [0.4, 0.8, 0.0], [-0.3, 0.2, 1.1]]
COLUMNS = [[1.0, 0.5], [0.2, -0.3], [0.7, 0.1]]
CHANCES = [[0.2, 0.3, 0.5], [0.0, 0.4, 0.6]]
ODDS = [[0.1, -0.5, 1.0], [2.0, 0.0, -1.0]]

# Lists become tensors with a gradient; other values stand as they are.
_ODDS_OF_ONE = ({"probs": [0.2, 0.7]}, {"logits": [[0.3], [-1.5]]}, {"probs": 0.5})
_CLASSES = ({"probs": CHANCES}, {"logits": ODDS}, {"probs": [1.0, 2.0, 1.0]})
_LOC_SCALE = (
    {"loc": [0.5, -1.0], "scale": [1.0, 2.0]},
    {"loc": 0.3, "scale": 1.5},
    {"loc": [0.5, -1.0, 2.0], "scale": [[0.5], [3.0]]},
    {"loc": 0, "scale": [0.7]},
)
_TWO = (
    {"concentration1": [0.5, 2.0], "concentration0": [1.5, 3.0]},
    {"concentration1": 2.0, "concentration0": 0.7},
    {"concentration1": [[0.9], [30.0]], "concentration0": 12.0},
)
_SHAPE_RATE = (
    {"concentration": [0.5, 3.0], "rate": [1.0, 2.0]},
    {"concentration": 2.0, "rate": 0.7},
    {"concentration": [[0.1], [40.0]], "rate": [1.0, 0.5, 3.0]},
)

DISTRIBUTIONS: dict[str, tuple[dict[str, object], ...]] = {
    "Bernoulli": _ODDS_OF_ONE,
    "Beta": _TWO,
    "Binomial": (
        {"total_count": 5, "probs": [0.2, 0.7]},
        {"total_count": "torch.tensor([3.0, 8.0])", "logits": [[0.3], [-1.5]]},
        {"total_count": 30, "probs": [0.5]},
    ),
    "Categorical": _CLASSES,
    "Cauchy": _LOC_SCALE,
    "Chi2": ({"df": [1.0, 5.0]}, {"df": 3.0}),
    "ContinuousBernoulli": (*_ODDS_OF_ONE, {"probs": [0.4995, 0.1]}),
    "Dirichlet": (
        {"concentration": [0.5, 1.0, 3.0]},
        {"concentration": [[2.0, 1.5, 8.0], [0.3, 0.2, 0.9]]},
        {"concentration": [[20.0, 9.0, 8.0]]},
    ),
    "Exponential": ({"rate": [0.5, 2.0]}, {"rate": 1.5}),
    "FisherSnedecor": (
        {"df1": [1.0, 5.0], "df2": [3.0, 8.0]},
        {"df1": 3.0, "df2": 2.5},
    ),
    "Gamma": _SHAPE_RATE,
    "distributions.generalized_pareto.GeneralizedPareto": (
        {"loc": [0.0, 1.0], "scale": [1.0, 2.0], "concentration": [0.3, -0.2]},
        {"loc": 0.0, "scale": 1.0, "concentration": 0.0},
    ),
    "Geometric": _ODDS_OF_ONE,
    "Gumbel": _LOC_SCALE,
    "HalfCauchy": ({"scale": [0.5, 2.0]}, {"scale": 1.5}),
    "HalfNormal": ({"scale": [0.5, 2.0]}, {"scale": 1.5}),
    "Independent": (
        {"base_distribution": "Normal(torch.zeros(3, 2), 1.0)", "reinterpreted_batch_ndims": 1},
        {"base_distribution": "Bernoulli(torch.ones(2) / 3)", "reinterpreted_batch_ndims": 0},
        {"base_distribution": "Gamma(torch.ones(3, 2), 1.0)", "reinterpreted_batch_ndims": 2},
    ),
    "InverseGamma": _SHAPE_RATE,
    "Kumaraswamy": _TWO,
    "LKJCholesky": (
        {"dim": 3, "concentration": [0.5, 2.0]},
        {"dim": 2},
        {"dim": 4, "concentration": 1.5},
    ),
    "Laplace": _LOC_SCALE,
    "LogNormal": _LOC_SCALE,
    "LogisticNormal": (*_LOC_SCALE[:1], *_LOC_SCALE[2:], {"loc": 0.3, "scale": 1.5}),
    "LowRankMultivariateNormal": (
        {"loc": [0.5, -1.0, 2.0], "cov_factor": COLUMNS, "cov_diag": [1.0, 0.5, 2.0]},
        {"loc": [[0.5, 1.0, 2.0], [0.0, 0.0, 1.0]], "cov_factor": COLUMNS, "cov_diag": [1.0] * 3},
    ),
    "MixtureSameFamily": (
        {
            "mixture_distribution": "Categorical(torch.tensor([0.2, 0.3, 0.5]))",
            "component_distribution": "Normal(torch.tensor([-1.0, 0.0, 2.0]), 0.5)",
        },
        {
            "mixture_distribution": "Categorical(torch.ones(2, 3))",
            "component_distribution": "Independent(Normal(torch.zeros(2, 3, 2), 0.5), 1)",
        },
    ),
    "Multinomial": tuple({"total_count": 4, **each} for each in _CLASSES),
    "MultivariateNormal": (
        {"loc": [0.5, -1.0, 2.0], "covariance_matrix": MATRIX},
        {"loc": [[0.5, -1.0, 2.0], [0.0, 0.0, 1.0]], "scale_tril": FACTOR},
        {"loc": [0.5, -1.0, 2.0], "precision_matrix": [MATRIX, OTHER]},
    ),
    "NegativeBinomial": (
        {"total_count": 5, "probs": [0.2, 0.7]},
        {"total_count": "torch.tensor([3.0, 0.0])", "logits": [[0.3], [-1.5]]},
    ),
    "Normal": _LOC_SCALE,
    "OneHotCategorical": _CLASSES,
    "OneHotCategoricalStraightThrough": _CLASSES,
    "Pareto": (
        {"scale": [1.0, 2.0], "alpha": [0.8, 3.0]},
        {"scale": 1.0, "alpha": 1.5},
    ),
    "Poisson": ({"rate": [0.5, 20.0]}, {"rate": 1.5}, {"rate": [0.0]}),
    "RelaxedBernoulli": tuple({"temperature": [0.7], **each} for each in _ODDS_OF_ONE),
    "distributions.relaxed_bernoulli.LogitRelaxedBernoulli": tuple(
        {"temperature": [0.7], **each} for each in _ODDS_OF_ONE
    ),
    "RelaxedOneHotCategorical": tuple({"temperature": [0.7], **each} for each in _CLASSES),
    "distributions.relaxed_categorical.ExpRelaxedCategorical": tuple(
        {"temperature": "torch.tensor(1.5)", **each} for each in _CLASSES
    ),
    "StudentT": (
        {"df": [1.5, 5.0]},
        {"df": 3.0, "loc": 1.0, "scale": 2.0},
        {"df": [0.8, 2.0, 9.0], "loc": [[1.0], [2.0]], "scale": 0.5},
    ),
    "TransformedDistribution": (
        {
            "base_distribution": "Normal(torch.zeros(2), 1.0)",
            "transforms": "[AffineTransform(1.0, -2.0), ExpTransform()]",
        },
        {
            "base_distribution": "Uniform(torch.zeros(3), 1.0)",
            "transforms": "SigmoidTransform().inv",
        },
        {
            "base_distribution": "Normal(torch.zeros(2, 3), 1.0)",
            "transforms": "[ExpTransform(), StickBreakingTransform()]",
        },
        {"base_distribution": "Normal(torch.zeros(2), 1.0)", "transforms": "()"},
    ),
    "Uniform": (
        {"low": [0.1, -1.0], "high": [0.9, 2.0]},
        {"low": 0.0, "high": 1.5},
        {"low": [[0.1], [0.2]], "high": [0.5, 0.9]},
    ),
    "VonMises": (
        {"loc": [0.5, -1.0], "concentration": [0.3, 9.0]},
        {"loc": 0.3, "concentration": 1.5},
        {"loc": [0.3], "concentration": [1e-7]},
    ),
    "Weibull": (
        {"scale": [0.5, 2.0], "concentration": [1.5, 3.0]},
        {"scale": 1.0, "concentration": 0.7},
    ),
    "Wishart": (
        {"df": [5.0], "covariance_matrix": MATRIX},
        {"df": 4.5, "scale_tril": FACTOR},
        {"df": [6.0, 4.0], "precision_matrix": [MATRIX, OTHER]},
    ),
}

_ONE_OF_BOTH = ("", "probs=torch.tensor(0.5), logits=torch.tensor(0.5)", "'half'")
_CLASSES_REFUSED = (
    *_ONE_OF_BOTH[:1],
    "torch.tensor(1.0)",
    "logits=torch.tensor(1.0)",
    "torch.tensor([-1.0, 2.0])",
    "torch.tensor([[0.0, 0.0]])",
    "logits=torch.tensor([torch.nan, 0.0])",
)
_LOC_SCALE_REFUSED = (
    "0.0, -1.0",
    "torch.nan, 1.0",
    "torch.zeros(2), torch.tensor([1.0, 0.0])",
    "torch.zeros(2), torch.ones(3)",
    "'zero', 1.0",
    "0.0",
    "0, 1",
    "torch.zeros(2, dtype=torch.int64), 1",
)
_POSITIVE_REFUSED = ("-1.0", "torch.tensor([1.0, 0.0])", "torch.nan", "'one'", "", "2")

REFUSED: dict[str, tuple[str, ...]] = {
    "Bernoulli": (*_ONE_OF_BOTH, "1.5", "torch.tensor([0.5, -0.1])", "logits=torch.nan"),
    "Beta": ("1.0, -1.0", "torch.ones(2), torch.ones(3)", "1.0", "torch.ones(2), 0.0"),
    "Binomial": (*_ONE_OF_BOTH, "-1, torch.tensor(0.5)", "2.5, torch.tensor(0.5)", "3, 0.5", "3"),
    "Categorical": _CLASSES_REFUSED,
    "Cauchy": _LOC_SCALE_REFUSED,
    "Chi2": _POSITIVE_REFUSED,
    "ContinuousBernoulli": (*_ONE_OF_BOTH, "1.5", "1.5, validate_args=True"),
    "Dirichlet": ("torch.tensor(1.0)", "torch.tensor([1.0, -1.0])", "1.0"),
    "Exponential": _POSITIVE_REFUSED,
    "FisherSnedecor": _LOC_SCALE_REFUSED[:5],
    "Gamma": _LOC_SCALE_REFUSED,
    "Geometric": (*_ONE_OF_BOTH, "1.5", "0.0", "torch.tensor([0.0, 0.5])", "1"),
    "Gumbel": _LOC_SCALE_REFUSED,
    "HalfCauchy": _POSITIVE_REFUSED,
    "HalfNormal": _POSITIVE_REFUSED,
    "Independent": ("Normal(0.0, 1.0), 1", "Normal(torch.zeros(2), 1.0), -1", "3, 1"),
    "Kumaraswamy": _LOC_SCALE_REFUSED,
    "LKJCholesky": ("1", "2, -1.0", "3, torch.tensor([1.0, 0.0])"),
    "Laplace": _LOC_SCALE_REFUSED,
    "LogNormal": _LOC_SCALE_REFUSED,
    "LogisticNormal": _LOC_SCALE_REFUSED,
    "LowRankMultivariateNormal": (
        "torch.tensor(1.0), torch.ones(1, 1), torch.ones(1)",
        "torch.ones(2), torch.ones(2), torch.ones(2)",
        "torch.ones(2), torch.ones(3, 1), torch.ones(2)",
        "torch.ones(2), torch.ones(2, 1), torch.ones(3)",
        "torch.ones(3, 2), torch.ones(4, 2, 1), torch.ones(2)",
        "torch.ones(2), torch.ones(2, 1), -torch.ones(2)",
    ),
    "MixtureSameFamily": (
        "Normal(0.0, 1.0), Normal(torch.zeros(2), 1.0)",
        "Categorical(torch.ones(2)), 3",
        "Categorical(torch.ones(2)), Normal(torch.zeros(3), 1.0)",
        "Categorical(torch.ones(4, 2)), Normal(torch.zeros(3, 2), 1.0)",
        "Categorical(torch.ones(2)), Normal(0.0, 1.0)",
    ),
    "Multinomial": (*_CLASSES_REFUSED, "1.5, torch.ones(2)", "-1, torch.ones(2)"),
    "MultivariateNormal": (
        "torch.tensor(1.0), torch.eye(2)",
        "torch.ones(2)",
        "torch.ones(2), torch.eye(2), torch.eye(2)",
        "torch.ones(2), torch.ones(2)",
        "torch.ones(2), scale_tril=torch.ones(2)",
        "torch.ones(2), precision_matrix=torch.ones(2)",
        "torch.ones(2), torch.ones(2, 2)",
        "torch.ones(2), -torch.eye(2)",
        "torch.ones(2), scale_tril=torch.ones(2, 2)",
        "torch.ones(2), torch.eye(3)",
        "torch.ones(3, 2), torch.eye(2).expand(4, 2, 2)",
        "torch.ones(2), torch.tensor([[1.0, 0.5], [0.0, 1.0]])",
        "torch.tensor([torch.nan, 1.0]), torch.eye(2)",
    ),
    "NegativeBinomial": (*_ONE_OF_BOTH, "-1, torch.tensor(0.5)", "3, torch.tensor(1.0)", "3, 0.5"),
    "Normal": _LOC_SCALE_REFUSED,
    "OneHotCategorical": _CLASSES_REFUSED,
    "OneHotCategoricalStraightThrough": _CLASSES_REFUSED,
    "Pareto": _LOC_SCALE_REFUSED,
    "Poisson": _POSITIVE_REFUSED,
    "RelaxedBernoulli": ("torch.tensor(1.0)", "torch.tensor(1.0), 1.5", "1.0, 0.5"),
    "RelaxedOneHotCategorical": ("torch.tensor(1.0)", "torch.tensor(1.0), torch.tensor(1.0)"),
    "StudentT": (*_POSITIVE_REFUSED, "1.0, 0.0, -1.0", "torch.ones(2), torch.ones(3)"),
    "TransformedDistribution": (
        "Normal(0.0, 1.0), 3",
        "Normal(0.0, 1.0), [3]",
        "Normal(0.0, 1.0), StickBreakingTransform()",
        "Normal(0.0, 1.0), ReshapeTransform((2, 3), (6,))",
    ),
    "Uniform": ("1.0, 0.0", "torch.zeros(2), torch.tensor([1.0, 0.0])", "0.0", "0, 1", "0.0, 0.0"),
    "VonMises": _LOC_SCALE_REFUSED,
    "Weibull": _LOC_SCALE_REFUSED,
    "Wishart": (
        "torch.tensor(3.0)",
        "torch.tensor(3.0), torch.eye(2), torch.eye(2)",
        "torch.tensor(3.0), torch.ones(2)",
        "torch.tensor(1.0), torch.eye(2)",
        "torch.tensor(1.5), torch.eye(2)",
        "1, torch.eye(2)",
        "torch.tensor(3.0), torch.ones(2, 2)",
    ),
}

_NUMBERS = [[-1.5, -0.2, 0.3], [0.9, 2.0, 25.0]]
_SHARES = [[0.1, 0.2, 0.3], [0.9, 0.5, 0.7]]
_SQUARES = [[[1.0, 0.2], [0.3, 2.0]], [[0.5, -1.0], [0.0, 0.1]]]

TRANSFORMS: dict[str, object] = {
    "AbsTransform()": _NUMBERS,
    "AffineTransform(1.0, -2.0)": _NUMBERS,
    "AffineTransform(torch.tensor([1.0, 2.0, 3.0]), 2)": _NUMBERS,
    "AffineTransform(0, torch.tensor([1.0, -2.0, 3.0]), event_dim=1)": _NUMBERS,
    "CatTransform([ExpTransform(), TanhTransform()], dim=0)": _SHARES,
    "CatTransform([ExpTransform(), identity_transform], dim=-1, lengths=[1, 2])": _SHARES,
    "CatTransform([SoftmaxTransform(), StickBreakingTransform().inv], dim=0)": _SHARES,
    "ComposeTransform([])": _NUMBERS,
    "ComposeTransform([AffineTransform(1.0, 3.0), TanhTransform()])": _NUMBERS,
    "ComposeTransform([ExpTransform(), StickBreakingTransform()])": _SHARES,
    "CorrCholeskyTransform()": _NUMBERS,
    "CumulativeDistributionTransform(Normal(0.5, 2.0))": _NUMBERS,
    "ExpTransform()": _NUMBERS,
    "ExpTransform().inv": _SHARES,
    "IndependentTransform(TanhTransform(), 1)": _NUMBERS,
    "LowerCholeskyTransform()": _SQUARES,
    "PositiveDefiniteTransform()": _SQUARES,
    "PowerTransform(torch.tensor(0.5))": _SHARES,
    "PowerTransform(torch.tensor([2.0, -1.0, 3.0]))": _SHARES,
    "PowerTransform(3)": _SHARES,
    "ReshapeTransform((3,), (3, 1))": _NUMBERS,
    "ReshapeTransform((2, 3), (6,))": _NUMBERS,
    "ReshapeTransform((2, 3), (5,))": _NUMBERS,
    "SigmoidTransform()": _NUMBERS,
    "SoftmaxTransform()": _NUMBERS,
    "SoftplusTransform()": _NUMBERS,
    "StackTransform([ExpTransform(), TanhTransform()], dim=0)": _SHARES,
    "StackTransform([ExpTransform(), TanhTransform()], dim=-1)": _SHARES,
    "StickBreakingTransform()": _SHARES,
    "TanhTransform()": _NUMBERS,
    "TanhTransform(cache_size=1)": _NUMBERS,
    "TanhTransform(cache_size=3)": _NUMBERS,
    "Transform()": _NUMBERS,
}

CONSTRAINTS = (
    *("boolean", "corr_cholesky", "dependent", "lower_cholesky", "lower_triangular"),
    *("nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite"),
    *("positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square"),
    *("symmetric", "unit_interval", "greater_than(0.5)", "greater_than_eq(1)", "less_than(2.0)"),
    *("interval(-1.0, 2)", "half_open_interval(0.0, 1.0)", "integer_interval(0, 2)"),
    *("multinomial(3)", "independent(distributions.constraints.positive, 1)"),
    "independent(distributions.constraints.positive, -1)",
    "independent(3, 1)",
    "interval(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))",
    "MixtureSameFamilyConstraint(distributions.constraints.positive)",
    "MixtureSameFamilyConstraint(distributions.constraints.simplex)",
    "cat([distributions.constraints.positive, distributions.constraints.real], -1, [1, 1])",
    "cat([distributions.constraints.positive, distributions.constraints.real], 5)",
    "cat([distributions.constraints.positive], lengths=[1, 2])",
    "stack([distributions.constraints.positive, distributions.constraints.real], -1)",
    "stack([distributions.constraints.positive, 3])",
    "dependent(is_discrete=True, event_dim=0)",
    "dependent_property(is_discrete=True)",
    "_IntegerLessThan(2)",
)
VALUES = (
    2.0,
    [0.0, 1.0],
    [[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]],
    [[1.0, 3.0], [-1.0, 2.0]],
    [[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.5], [0.5, 2.0]]],
    0.5,
    [0.5, -0.5],
    [[0.5, -0.5], [1.0, 2.0]],
)

PIECES: dict[str, tuple[str, ...]] = {
    "utils": (
        "x = distributions.utils.broadcast_all(1, torch.ones(2), 3.0)",
        "x = distributions.utils.broadcast_all(1, 2)",
        "x = distributions.utils.broadcast_all('one', 2)",
        "x = distributions.utils.broadcast_all(torch.ones(2), torch.ones(3))",
        "x = distributions.utils.broadcast_all(True, torch.ones(2, dtype=torch.int64))",
        "x = distributions.utils.clamp_probs(torch.tensor([0.0, 0.5, 1.0]))",
        "x = distributions.utils.logits_to_probs(torch.tensor([0.0, 0.5, 1.0]))",
        "x = distributions.utils.logits_to_probs(torch.tensor([0.0, 0.5, 1.0]), is_binary=True)",
        "x = distributions.utils.probs_to_logits(torch.tensor([0.0, 0.5, 1.0]))",
        "x = distributions.utils.probs_to_logits(torch.tensor([0.0, 0.5, 1.0]), True)",
        *(
            f"x = distributions.utils.tril_matrix_to_vec(torch.arange(9.0).view(3, 3), {diagonal})"
            for diagonal in (-3, -2, -1, 0, 1, 2, 3, -4)
        ),
        *(
            f"x = distributions.utils.vec_to_tril_matrix(torch.arange({count}.0), {diagonal})"
            for count in (1, 3, 4, 6)
            for diagonal in (-2, -1, 0, 1)
        ),
        "print(distributions.utils.euler_constant, distributions.utils.__all__)",
    ),
    "registries": (
        "print(len(biject_to._registry), len(transform_to._registry))",
        "biject_to(distributions.constraints.boolean)",
        "biject_to.register(int, lambda c: None)",
        "transform_to.register(3)(lambda c: None)",
        "print(distributions.constraint_registry.ConstraintRegistry.__module__)",
    ),
    "divergences": (
        "class Mine(Normal):\n    pass\n\nx = kl_divergence(Mine(0.0, 1.0), Normal(0.0, 2.0))",
        "register_kl(3, Normal)",
        "register_kl(Normal, Normal(0.0, 1.0))",
        "register_kl(int, Normal)",
        """class Mine(Normal):
    pass

@register_kl(Mine, Normal)
def first(p, q):
    return 1

@register_kl(Normal, Mine)
def second(p, q):
    return 2

print(kl_divergence(Mine(0, 1), Mine(0, 1)))
distributions.kl._KL_REGISTRY.pop((Mine, Normal))
distributions.kl._KL_REGISTRY.pop((Normal, Mine))
""",
        "x = kl_divergence(Binomial(3, torch.tensor(0.5)), Binomial(4, torch.tensor(0.5)))",
        "x = kl_divergence(Binomial(4, torch.tensor(0.5)), Binomial(3, torch.tensor(0.5)))",
        """p = MultivariateNormal(torch.zeros(2), torch.eye(2))
q = MultivariateNormal(torch.zeros(3), torch.eye(3))
x = kl_divergence(p, q)
""",
        """p = MultivariateNormal(torch.zeros(3, 2), torch.eye(2).expand(3, 2, 2))
q = MultivariateNormal(torch.zeros(4, 2), torch.eye(2).expand(4, 2, 2))
x = kl_divergence(p, q)
""",
        """p = TransformedDistribution(Normal(0.0, 1.0), AffineTransform(1, 2))
q = TransformedDistribution(Normal(0.0, 2.0), AffineTransform(1, 3))
x = kl_divergence(p, q)
""",
        """p = Bernoulli(torch.tensor([0.0, 1.0, 0.5, 0.0, 1.0]))
q = Bernoulli(torch.tensor([0.0, 1.0, 0.0, 1.0, 0.5]))
x = kl_divergence(p, q)
""",
        "print(len(distributions.kl._KL_REGISTRY))",
        """print(sorted((a.__name__, b.__name__) for a, b in distributions.kl._KL_REGISTRY))
""",
    ),
    "programs": (
        """class Mine(Distribution):
    arg_constraints = {"rate": distributions.constraints.positive}

    @distributions.constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return distributions.constraints.greater_than(self.rate)

    def __init__(self, rate, validate_args=None):
        self.rate, = distributions.utils.broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @distributions.utils.lazy_property
    def twice(self):
        return self.rate * 2

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return value - self.rate

d = Mine(torch.tensor([1.0, 2.0]))
print(d, Mine.support, Mine.twice.__class__.__name__)
print(distributions.constraints.is_dependent(Mine.support))
x, y, z = d.twice, d.log_prob(torch.tensor(3.0)), d.twice is d.twice
d.log_prob(torch.tensor(0.5))
""",
        "d = Distribution()\nprint(d)",
        "d = Distribution(validate_args=False)\nprint(d.batch_shape)\nd.expand((2,))",
        "d = Distribution(torch.Size([2]), validate_args=False)\nd.mode",
        "d = Distribution(torch.Size([2]), validate_args=False)\nd.rsample()",
        """class Mine(Distribution):
    arg_constraints = {}
    def __init__(self):
        super().__init__()
    def log_prob(self, value):
        self._validate_sample(value)
        return value

x = Mine().log_prob(torch.tensor(1.0))
""",
        "Distribution.set_default_validate_args(3)",
        """Distribution.set_default_validate_args(False)
d = Normal(0.0, -1.0)
Distribution.set_default_validate_args(True)
print(d)
d = Normal(0.0, -1.0)
""",
        """class Base(Normal):
    def __init__(self, a, b):
        super().__init__(a, b)

Base(0.0, 1.0).expand((2,))
""",
        """class Squared(Transform):
    bijective = False
    domain = distributions.constraints.real
    codomain = distributions.constraints.nonnegative
    def _call(self, x):
        return x ** 2
    def _inverse(self, y):
        return y.sqrt()

t = Squared()
print(t, t.inv, t.with_cache(1), t.event_dim)
x = TransformedDistribution(Normal(torch.zeros(2), 1.0), t).sample()
t.sign
""",
        """class Weighted(Transform):
    def __init__(self, w, cache_size=0):
        super().__init__(cache_size=cache_size)

Weighted(2).with_cache(1)
""",
        """import inspect
for name in sorted(distributions.__all__):
    each = getattr(distributions, name)
    if isinstance(each, type):
        print(name, each.__module__, list(inspect.signature(each.__init__).parameters))
""",
        """import inspect
for name in sorted(distributions.__all__):
    each = getattr(distributions, name)
    if isinstance(each, type):
        print(name, sorted(n for n in dir(each) if not n.startswith('_')))
""",
        """a = torch.logspace(-3, 5, 30)
x = torch._standard_gamma_grad(a.unsqueeze(1), a)
""",
        """a = torch.logspace(-3, 5, 30)
shares = torch.tensor([0.001, 0.1, 0.4, 0.6, 0.95]).view(5, 1, 1)
x = torch._dirichlet_grad(shares, a, a.unsqueeze(1) + a)
""",
        """a = torch.tensor([2.0, 3.0], requires_grad=True)
torch._dirichlet_grad(torch.tensor([0.4, 0.6]), a, torch.full((2,), 5.0)).sum().backward()
""",
        """torch.manual_seed(0)
m = torch.randn(3, 3)
m = (m @ m.mT + torch.eye(3)).requires_grad_()
d = MultivariateNormal(torch.zeros(3), m)
x = d.log_prob(torch.ones(3))
x.backward()
g = m.grad
""",
        """torch.manual_seed(0)
x = LKJCholesky(3).sample((4,))
y = LKJCholesky(3, 2.0).log_prob(x)
m = x @ x.mT
""",
        """logits = torch.zeros(4, 3, requires_grad=True)
d = Categorical(logits=logits)
loss = -(d.log_prob(torch.tensor([0, 1, 2, 0])) * torch.arange(4.0)).mean() - d.entropy().mean()
loss.backward()
g = logits.grad
""",
        """from torch.distributions.normal import Normal as N
from torch.distributions.kl import kl_divergence as k
import torch.distributions.transforms as T
import torch.distributions as D
x = k(N(0.0, 1.0), N(1.0, 1.0))
print(T.ExpTransform() == T.ExpTransform(), D.normal.Normal is N, D.studentT.StudentT)
""",
    ),
}
