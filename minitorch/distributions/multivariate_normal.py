"""torch.distributions.multivariate_normal: normal vectors."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    _standard_normal,
    lazy_property,
    quantity,
)

__all__ = ["MultivariateNormal"]


def _batch_mv(bmat, bvec):
    return torch.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(bL, bx):
    """|L^-1 x|**2 of batches of factors L (..., n, n) and of vectors x (..., n).

    Every batch dimension of x is a multiple of that of L, and x may have more of them. Those that
    go with one factor are gathered, so that each factor is solved with once.
    """
    n, batch = bx.size(-1), bx.shape[:-1]
    ranks = bL.dim() - 2
    outer = len(batch) - ranks
    split = bx.shape[:outer]
    for of_L, of_x in zip(bL.shape[:-2], bx.shape[outer:-1]):
        split += (of_x // of_L, of_L)
    last = outer + 2 * ranks
    leading = list(range(outer))
    order = [*leading, *range(outer, last, 2), *range(outer + 1, last, 2), last]
    bx = bx.reshape((*split, n)).permute(order)
    factors = bL.reshape(-1, n, n)
    vectors = bx.reshape(-1, factors.size(0), n).permute(1, 2, 0)
    squares = torch.linalg.solve_triangular(factors, vectors, upper=False).pow(2).sum(-2)
    back = leading + [place + i for i in range(ranks) for place in (outer, outer + ranks)]
    return squares.t().reshape(bx.shape[:-1]).permute(back).reshape(batch)


def _precision_to_scale_tril(P):
    # With J the reversal of rows, JPJ = LL^T gives P^-1 = (J L^-T J)(J L^-T J)^T.
    reversed_factor = torch.linalg.cholesky(torch.flip(P, (-2, -1)))
    inverse = torch.transpose(torch.flip(reversed_factor, (-2, -1)), -2, -1)
    identity = torch.eye(P.shape[-1], dtype=P.dtype, device=P.device)
    return torch.linalg.solve_triangular(inverse, identity, upper=False)


def _half_log_det(scale_tril):
    return scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MultivariateNormal(Distribution):
    """Normal vectors of n numbers.

    Args:
        loc: the mean, (..., n).
        covariance_matrix: (..., n, n), positive definite.
        precision_matrix: its inverse.
        scale_tril: its Cholesky factor, with a positive diagonal; one of the three is given.

    Raises:
        ValueError: unless just one is given, and where there are too few dimensions.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {
            "scale_tril": scale_tril,
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
        }
        given = [name for name, matrix in matrices.items() if matrix is not None]
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        name, matrix = given[0], matrices[given[0]]
        if matrix.dim() < 2:
            called = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{called} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = scale_tril
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(covariance_matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(precision_matrix)

    def expand(self, batch_shape, _instance=None):
        names = ("loc", "covariance_matrix", "scale_tril", "precision_matrix")
        new = self._expanded(MultivariateNormal, batch_shape, _instance, *names)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new

    def _as_matrix(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._as_matrix(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_scale_tril
        return self._as_matrix(torch.matmul(factor, factor.mT))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._as_matrix(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    mean = mode = quantity(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = _half_log_det(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det

    def entropy(self):
        half_log_det = _half_log_det(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
