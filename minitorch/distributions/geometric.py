"""torch.distributions.geometric: failures before the first success."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import (
    NO_SHAPE,
    Number,
    Tensor,
    batch_shape_of,
    binary_logits,
    binary_probs,
    broadcast_all,
    check_one_of,
    quantity,
)
from minitorch.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Geometric"]


class Geometric(Distribution):
    """The number of failures before the first success.

    Args:
        probs: the chance of a success, more than zero.
        logits: the logarithm of its odds; one of both is given.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(
        self,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        check_one_of(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        (parameter,) = broadcast_all(given)
        setattr(self, name, parameter)
        super().__init__(batch_shape_of(parameter, given), validate_args=validate_args)
        if self._validate_args and probs is not None:
            self._check_positive()

    def _check_positive(self) -> None:
        value = self.probs
        valid = value > 0
        if not valid.all():
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"of distribution {self!r} to be positive but found invalid values:\n"
                f"{value.data[~valid]}"
            )

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Geometric, batch_shape, _instance, "probs", "logits")

    logits, probs = binary_logits, binary_probs
    mean = quantity(lambda self: 1.0 / self.probs - 1.0)
    mode = quantity(lambda self: torch.zeros_like(self.probs))
    variance = quantity(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape=NO_SHAPE):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            u = self.probs.new(shape).uniform_(torch.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone(memory_format=torch.contiguous_format)
        probs[(probs == 1) & (value == 0)] = 0  # 0 * log(0) is 0 here
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        both = binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
        return both / self.probs
