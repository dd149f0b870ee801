"""torch.distributions.transformed_distribution: functions of what another distribution draws."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.independent import Independent
from minitorch.distributions.transforms import ComposeTransform, Transform
from minitorch.distributions.utils import NO_SHAPE, Tensor, _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """y = f(x) of x drawn from another distribution.

    Args:
        base_distribution: the distribution of x.
        transforms: f, or a list of functions, the first first.

    Raises:
        ValueError: for other types, and where x has fewer dimensions than f takes.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_dim = len(base_distribution.event_shape)
        whole = ComposeTransform(transforms)
        taken, given = whole.domain.event_dim, whole.codomain.event_dim
        if len(base_shape) < taken:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {taken}, "
                f"but got {base_shape}."
            )
        shape = whole.forward_shape(base_shape)
        wanted = whole.inverse_shape(shape)
        if base_shape != wanted:
            base_distribution = base_distribution.expand(wanted[: len(wanted) - base_dim])
        if taken > base_dim:
            base_distribution = Independent(base_distribution, taken - base_dim)
        self.base_dist = base_distribution
        event_dim = max(given, base_dim + given - taken)
        if len(shape) < event_dim:
            raise AssertionError(
                f"forward_shape length {len(shape)} must be >= event_dim {event_dim}"
            )
        cut = len(shape) - event_dim
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(TransformedDistribution, _instance)
        batch_shape = torch.Size(batch_shape)
        shape = batch_shape + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        cut = len(shape) - len(self.base_dist.event_shape)
        new.base_dist, new.transforms = self.base_dist.expand(shape[:cut]), self.transforms
        return self._finish(TransformedDistribution, new, batch_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        """The codomain of the last function, with all dimensions of an event."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> bool:
        return self.base_dist.has_rsample

    def sample(self, sample_shape=NO_SHAPE):
        # Not rsample: the base may have a way to draw that needs none.
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self.event_shape)
        log_prob: Tensor | float = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            slopes = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(slopes, event_dim - transform.domain.event_dim)
            y = x
        of_base = self.base_dist.log_prob(y)
        return log_prob + _sum_rightmost(of_base, event_dim - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value):
        """The chance of less where the functions together fall, else the chance itself."""
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
