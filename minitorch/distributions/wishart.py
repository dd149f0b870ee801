"""torch.distributions.wishart: covariances of normal vectors."""

import math
import warnings

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.chi2 import Chi2
from minitorch.distributions.distribution import _size
from minitorch.distributions.exp_family import ExponentialFamily
from minitorch.distributions.multivariate_normal import _half_log_det, _precision_to_scale_tril
from minitorch.distributions.utils import (
    NO_SHAPE,
    NUMBERS,
    Number,
    Tensor,
    lazy_property,
    quantity,
)

__all__ = ["Wishart"]

_log_2 = math.log(2)


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    halves = torch.arange(p, dtype=x.dtype, device=x.device).div(2).expand((*x.shape, -1))
    return torch.digamma(x.unsqueeze(-1) - halves).sum(-1)


class Wishart(ExponentialFamily):
    """Sums of products x x^T of `df` normal vectors x of p numbers around zero.

    Args:
        df: the degrees of freedom, more than p - 1.
        covariance_matrix: that of the vectors, (..., p, p).
        precision_matrix: its inverse.
        scale_tril: its Cholesky factor; one of the three is given.

    Raises:
        AssertionError: unless just one is given.
        ValueError: for a df that is too low, or a matrix of too few dimensions.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        """The constraints of the parameters, by their names."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Tensor | Number,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = [name for name, matrix in matrices.items() if matrix is not None]
        if len(given) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        name, matrix = given[0], matrices[given[0]]
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        batch_shape, event_shape = matrix.shape[:-2], matrix.shape[-2:]
        if isinstance(df, NUMBERS):
            self.df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = torch.broadcast_shapes(batch_shape, df.shape)
            self.df = df.expand(batch_shape)
        if self.df.le(event_shape[-1] - 1).any():
            raise ValueError(
                f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}."
            )
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        if self.df.lt(event_shape[-1]).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)
        self._prepare(batch_shape)

    def _prepare(self, batch_shape: torch.Size) -> None:
        """Bartlett's decomposition: the squared diagonal is Chi2 of df, df - 1 and so on."""
        self._batch_dims = [-(x + 1) for x in range(len(batch_shape))]
        factor = self._unbroadcasted_scale_tril
        less = torch.arange(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - less.expand((*batch_shape, -1)))

    def expand(self, batch_shape, _instance=None):
        _instance = self._get_checked_instance(Wishart, _instance)
        shape = torch.Size(batch_shape) + self.event_shape
        factor = self._unbroadcasted_scale_tril.expand(shape)
        names = ("df", "covariance_matrix", "scale_tril", "precision_matrix")
        new = self._expanded(Wishart, batch_shape, _instance, *names)
        new._unbroadcasted_scale_tril = factor
        Wishart._prepare(new, new._batch_shape)
        return new

    def _as_matrix(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._as_matrix(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the vectors."""
        factor = self._unbroadcasted_scale_tril
        return self._as_matrix(factor @ factor.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        factor = self._unbroadcasted_scale_tril
        identity = torch.eye(self._event_shape[-1], device=factor.device, dtype=factor.dtype)
        return self._as_matrix(torch.cholesky_solve(identity, factor))

    def _times(self, numbers: Tensor, matrix: Tensor) -> Tensor:
        return numbers.view(self._batch_shape + (1, 1)) * matrix

    mean = quantity(lambda self: self._times(self.df, self.covariance_matrix))

    @property
    def mode(self) -> Tensor:
        """NaN where df is p + 1 or less."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = torch.nan
        return self._times(factor, self.covariance_matrix)

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        products = torch.einsum("...i,...j->...ij", diagonal, diagonal)
        return self._times(self.df, v.pow(2) + products)

    def _bartlett_sampling(self, sample_shape=NO_SHAPE):
        p = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=torch.finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(p, p, offset=-1)
        shape = torch.Size(sample_shape) + self._batch_shape + (p * (p - 1) // 2,)
        noise[..., i, j] = torch.randn(shape, dtype=noise.dtype, device=noise.device)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.transpose(-2, -1)

    def rsample(self, sample_shape: _size = NO_SHAPE, max_try_correction=None) -> Tensor:
        """Draws matrices, and singular ones again.

        Args:
            max_try_correction: how often, by default 10 times.
        """
        sample = self._bartlett_sampling(torch.Size(sample_shape))
        # As torch has it: drawn again where they are *not* singular at first.
        again = self._any_of_batch(self.support.check(sample))
        if again.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(10 if max_try_correction is None else max_try_correction):
                new = self._bartlett_sampling(again[again].shape)
                sample[again] = new
                again[again.clone()] = self._any_of_batch(~self.support.check(new))
                if not again.any():
                    break
        return sample

    def _any_of_batch(self, flags: Tensor) -> Tensor:
        return flags.amax(self._batch_dims) if self._batch_shape else flags

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        solved = torch.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1)
        return (
            -nu * (p * _log_2 / 2 + _half_log_det(factor))
            - torch.mvlgamma(nu / 2, p=p)
            + (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet
            - solved.sum(dim=-1) / 2
        )

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        return (
            (p + 1) * (p * _log_2 / 2 + _half_log_det(self._unbroadcasted_scale_tril))
            + torch.mvlgamma(nu / 2, p=p)
            - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p)
            + nu * p / 2
        )

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        return (y + (p + 1) / 2) * (
            -torch.linalg.slogdet(-2 * x).logabsdet + _log_2 * p
        ) + torch.mvlgamma(y + (p + 1) / 2, p=p)
