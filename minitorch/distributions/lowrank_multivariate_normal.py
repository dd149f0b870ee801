"""torch.distributions.lowrank_multivariate_normal: normal vectors of few causes."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.multivariate_normal import _batch_mahalanobis, _batch_mv
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    _standard_normal,
    lazy_property,
    quantity,
)

__all__ = ["LowRankMultivariateNormal"]


def _factor_with_identity(matrix):
    """The Cholesky factor of I + matrix, of batches."""
    n = matrix.size(-1)
    matrix = matrix.contiguous()
    matrix.view(-1, n * n)[:, :: n + 1] += 1
    return torch.linalg.cholesky(matrix)


def _batch_capacitance_tril(W, D):
    """The Cholesky factor of I + W^T D^-1 W."""
    return _factor_with_identity(torch.matmul(W.mT / D.unsqueeze(-2), W))


def _batch_lowrank_logdet(W, D, capacitance_tril):
    """log det(W W^T + D) by the matrix determinant lemma."""
    of_capacitance = 2 * capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return of_capacitance + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W, D, x, capacitance_tril):
    """x^T (W W^T + D)^-1 x by the Woodbury identity."""
    along = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, along)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors of n numbers with covariance W W^T + D.

    Args:
        loc: the mean, (..., n).
        cov_factor: W, (..., n, m) with m much less than n.
        cov_diag: the diagonal of D, (..., n), positive.

    Raises:
        ValueError: where these do not fit each other.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        cov_factor: Tensor,
        cov_diag: Tensor,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(
                f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m"
            )
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            columns, self.cov_factor, diagonals = torch.broadcast_tensors(
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1)
            )
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = columns[..., 0], diagonals[..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        names = ("loc", "cov_diag", "cov_factor")
        new = self._expanded(LowRankMultivariateNormal, batch_shape, _instance, *names)
        new._unbroadcasted_cov_factor = self._unbroadcasted_cov_factor
        new._unbroadcasted_cov_diag = self._unbroadcasted_cov_diag
        new._capacitance_tril = self._capacitance_tril
        return new

    mean = mode = quantity(lambda self: self.loc)

    @lazy_property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1)
        shape = self._batch_shape + self._event_shape
        return (squares + self._unbroadcasted_cov_diag).expand(shape)

    def _as_matrix(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance: D^1/2 times that of I + D^-1/2 W W^T D^-1/2."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._as_matrix(root * _factor_with_identity(torch.matmul(scaled, scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        low_rank = torch.matmul(factor, factor.mT)
        return self._as_matrix(low_rank + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance, by the Woodbury identity."""
        factor, diagonal = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        scaled = factor.mT / diagonal.unsqueeze(-2)
        a = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._as_matrix(torch.diag_embed(diagonal.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        like = {"dtype": self.loc.dtype, "device": self.loc.device}
        causes = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], **like)
        noise = _standard_normal(shape, **like)
        moved = self.loc + _batch_mv(self._unbroadcasted_cov_factor, causes)
        return moved + self._unbroadcasted_cov_diag.sqrt() * noise

    def _parts(self):
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_lowrank_mahalanobis(
            *self._parts(), value - self.loc, self._capacitance_tril
        )
        log_det = _batch_lowrank_logdet(*self._parts(), self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self):
        log_det = _batch_lowrank_logdet(*self._parts(), self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
