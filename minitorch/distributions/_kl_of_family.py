"""Divergences of two distributions of one class, or of one kind."""

import minitorch as torch
from minitorch.distributions._kl_dispatch import kl_divergence, register_kl
from minitorch.distributions.bernoulli import Bernoulli
from minitorch.distributions.beta import Beta
from minitorch.distributions.binomial import Binomial
from minitorch.distributions.categorical import Categorical
from minitorch.distributions.cauchy import Cauchy
from minitorch.distributions.continuous_bernoulli import ContinuousBernoulli
from minitorch.distributions.dirichlet import Dirichlet
from minitorch.distributions.exp_family import ExponentialFamily
from minitorch.distributions.exponential import Exponential
from minitorch.distributions.gamma import Gamma
from minitorch.distributions.geometric import Geometric
from minitorch.distributions.gumbel import Gumbel
from minitorch.distributions.half_normal import HalfNormal
from minitorch.distributions.independent import Independent
from minitorch.distributions.laplace import Laplace
from minitorch.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from minitorch.distributions.multivariate_normal import MultivariateNormal, _batch_mahalanobis
from minitorch.distributions.normal import Normal
from minitorch.distributions.one_hot_categorical import OneHotCategorical
from minitorch.distributions.pareto import Pareto
from minitorch.distributions.poisson import Poisson
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.uniform import Uniform
from minitorch.distributions.utils import _sum_rightmost, euler_constant
from minitorch.nn.functional import softplus


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p, q):
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = torch.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = torch.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Beta, Beta)
def _kl_beta_beta(p, q):
    of_p = p.concentration1 + p.concentration0
    of_q = q.concentration1 + q.concentration0
    t1 = q.concentration1.lgamma() + q.concentration0.lgamma() + of_p.lgamma()
    t2 = p.concentration1.lgamma() + p.concentration0.lgamma() + of_q.lgamma()
    t3 = (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
    t5 = (of_q - of_p) * torch.digamma(of_p)
    return t1 - t2 + t3 + t4 + t5


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    beyond = p.total_count > q.total_count
    kl[beyond] = torch.full_like(kl[beyond], torch.inf)
    return kl


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = torch.inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p, q):
    t1 = p.mean * (p.logits - q.logits)
    t2 = p._cont_bern_log_norm() + torch.log1p(-p.probs)
    t3 = -q._cont_bern_log_norm() - torch.log1p(-q.probs)
    return t1 + t2 + t3


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p, q):
    of_p, of_q = p.concentration.sum(-1), q.concentration.sum(-1)
    t1 = of_p.lgamma() - of_q.lgamma()
    t2 = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    t3 = p.concentration - q.concentration
    t4 = p.concentration.digamma() - of_p.digamma().unsqueeze(-1)
    return t1 - t2 + (t3 * t4).sum(-1)


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p, q):
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot"
            + " " * 29
            + "be computed using Bregman divergences"
        )
    of_p = [parameter.detach().requires_grad_() for parameter in p._natural_params]
    of_q = q._natural_params
    normalizer = p._log_normalizer(*of_p)
    slopes = torch.autograd.grad(normalizer.sum(), of_p, create_graph=True)
    result = q._log_normalizer(*of_q) - normalizer
    for own, other, slope in zip(of_p, of_q, slopes):
        result -= _sum_rightmost((other - own) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(p, q):
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    t3 = (p.concentration - q.concentration) * torch.digamma(p.concentration)
    t4 = (q.rate - p.rate) * (p.concentration / p.rate)
    return t1 + t2 + t3 + t4


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p, q):
    ratio, of_q, of_p = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t1 = -ratio.log() - of_q + of_p
    t2 = ratio * euler_constant
    t3 = torch.exp(of_q + (1 + ratio).lgamma() - of_p)
    return t1 + t2 + t3 - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _kl_halfnormal_halfnormal(p, q):
    return _kl_normal_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(p, q):
    ratio = p.scale / q.scale
    apart = (p.loc - q.loc).abs()
    t3 = ratio * torch.exp(-apart / p.scale)
    return -ratio.log() + apart / q.scale + t3 - 1


@register_kl(Normal, Normal)
def _kl_normal_normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    apart = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + apart - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p, q):
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(p, q):
    scales, alphas = p.scale / q.scale, q.alpha / p.alpha
    result = q.alpha * scales.log() + -alphas.log() + alphas - 1
    result[p.support.lower_bound < q.support.lower_bound] = torch.inf
    return result


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p, q):
    if p.transforms != q.transforms:
        raise NotImplementedError
    if p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = torch.inf
    return result


@register_kl(Independent, Independent)
def _kl_independent_independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    result = kl_divergence(p.base_dist, q.base_dist)
    return _sum_rightmost(result, p.reinterpreted_batch_ndims)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p, q):
    # Chyzak and Nielsen: A closed-form formula for the Kullback-Leibler divergence between Cauchy
    # distributions, 2019.
    t1 = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return t1 - (4 * p.scale * q.scale).log()


# ---- normal vectors


def _batch_trace_XXT(bmat):
    """The trace of X X^T, of batches of matrices X."""
    rows, columns = bmat.shape[-2:]
    return bmat.reshape(-1, columns * rows).pow(2).sum(-1).reshape(bmat.shape[:-2])


def _check_events(p, q, kind):
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kind}Multivariate Normals with"
            + " " * 26
            + "different event shapes cannot be computed"
        )


def _low_rank(each):
    return each._unbroadcasted_cov_factor, each._unbroadcasted_cov_diag


def _log_det(each):
    return _batch_lowrank_logdet(*_low_rank(each), each._capacitance_tril)


def _log_diagonal(each):
    return each._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _distance(p, q):
    return _batch_lowrank_mahalanobis(*_low_rank(q), q.loc - p.loc, q._capacitance_tril)


def _half_precision(q):
    """A with q's precision D^-1 - A^T A."""
    factor, diagonal = _low_rank(q)
    scaled = factor.mT / diagonal.unsqueeze(-2)
    return torch.linalg.solve_triangular(q._capacitance_tril, scaled, upper=False)


def _common_batch(one, other):
    """The shape of the batches of two tensors of matrices, together."""
    return torch.broadcast_shapes(one.shape[:-2], other.shape[:-2])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_lowrankmultivariatenormal_lowrankmultivariatenormal(p, q):
    _check_events(p, q, "Low Rank ")
    t1, t3 = _log_det(q) - _log_det(p), _distance(p, q)
    a = _half_precision(q)
    (factor, diagonal), of_q = _low_rank(p), q._unbroadcasted_cov_diag
    t2 = (
        (diagonal / of_q).sum(-1)
        + _batch_trace_XXT(factor * of_q.rsqrt().unsqueeze(-1))
        - _batch_trace_XXT(a * diagonal.sqrt().unsqueeze(-2))
        - _batch_trace_XXT(a.matmul(factor))
    )
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrankmultivariatenormal(p, q):
    _check_events(p, q, "(Low Rank) ")
    t1, t3 = _log_det(q) - 2 * _log_diagonal(p), _distance(p, q)
    a, factor = _half_precision(q), p._unbroadcasted_scale_tril
    scaled = factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)
    t2 = _batch_trace_XXT(scaled) - _batch_trace_XXT(a.matmul(factor))
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrankmultivariatenormal_multivariatenormal(p, q):
    _check_events(p, q, "(Low Rank) ")
    of_q, (factor, diagonal) = q._unbroadcasted_scale_tril, _low_rank(p)
    t1 = 2 * _log_diagonal(q) - _log_det(p)
    t3 = _batch_mahalanobis(of_q, q.loc - p.loc)
    batch, n = _common_batch(of_q, factor), p.event_shape[0]
    of_q = of_q.expand((*batch, n, n))
    factor = factor.expand((*batch, n, p.cov_factor.size(-1)))
    roots = torch.diag_embed(diagonal.sqrt()).expand((*batch, n, n))
    t2 = _batch_trace_XXT(
        torch.linalg.solve_triangular(of_q, factor, upper=False)
    ) + _batch_trace_XXT(torch.linalg.solve_triangular(of_q, roots, upper=False))
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p, q):
    _check_events(p, q, "")
    of_p, of_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    half_t1 = _log_diagonal(q) - _log_diagonal(p)
    batch, n = _common_batch(of_q, of_p), p.event_shape[0]
    solved = torch.linalg.solve_triangular(
        of_q.expand((*batch, n, n)), of_p.expand((*batch, n, n)), upper=False
    )
    t2, t3 = _batch_trace_XXT(solved), _batch_mahalanobis(of_q, q.loc - p.loc)
    return half_t1 + 0.5 * (t2 + t3 - n)
