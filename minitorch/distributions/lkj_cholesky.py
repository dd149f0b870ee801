"""torch.distributions.lkj_cholesky: Cholesky factors of correlation matrices."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.beta import Beta
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import NO_SHAPE, Tensor, broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices M with a density of det(M)**(concentration - 1).

    Drawn by the onion method of Lewandowski, Kurowicka, Joe: Generating random correlation matrices
    based on vines and extended onion method, 2009.

    Args:
        dim: the number of rows, 2 or more.
        concentration: 1 for all matrices alike, more for those nearer to the identity.

    Raises:
        ValueError: for fewer rows.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(
        self,
        dim: int,
        concentration: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        like = {"dtype": self.concentration.dtype, "device": self.concentration.device}
        offset = torch.arange(dim - 1, **like)
        offset = torch.cat([offset.new_zeros((1,)), offset])
        # The squared length of each row below its diagonal; the first row's is not used.
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(LKJCholesky, batch_shape, _instance, "concentration", "_beta")
        new.dim = self.dim
        return new

    def sample(self, sample_shape=NO_SHAPE):
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        shape = self._extended_shape(sample_shape)
        normal = torch.randn(shape, dtype=y.dtype, device=y.device).tril(-1)
        on_sphere = normal / normal.norm(dim=-1, keepdim=True)
        on_sphere[..., 0, :].fill_(0.0)  # NaN: the first row has nothing left of its diagonal
        w = torch.sqrt(y) * on_sphere
        tiny = torch.finfo(w.dtype).tiny
        w += torch.diag_embed(torch.clamp(1 - torch.sum(w**2, dim=-1), min=tiny).sqrt())
        return w

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = torch.sum(order * diagonal.log(), dim=-1)
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        denominator = torch.lgamma(alpha) * less
        numerator = torch.mvlgamma(alpha - 0.5, less)
        constant = 0.5 * less * math.log(math.pi)
        return unnormalized - (constant + numerator - denominator)
