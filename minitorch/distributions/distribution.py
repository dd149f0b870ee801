"""The base of all distributions."""

from __future__ import annotations

import warnings
from typing import Any

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.utils import lazy_property


class Distribution:
    """A batch of distributions of events.

    As https://docs.pytorch.org/docs/stable/distributions.html.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check what they are given if they are not told."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Any = torch.Size(),  # noqa: B008
        event_shape: Any = torch.Size(),  # noqa: B008
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            wanted = {}
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints "
                "= {}` or initialize the distribution with `validate_args=False` to turn off "
                "validation.",
                stacklevel=2,
            )
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in vars(self) and isinstance(getattr(type(self), name), lazy_property):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distributions for a larger batch."""
        new = self.__new__(type(self)) if _instance is None else _instance
        shape = torch.Size(batch_shape)
        rank = len(self._batch_shape)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                value = value.expand(shape + value.shape[rank:])
            setattr(new, name, value)
        new._batch_shape = shape
        return new

    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the parameters.")
    event_shape = property(lambda self: self._event_shape, doc="The shape of one event.")

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """Where the parameters must lie."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """Where the samples lie."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most likely event."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = torch.Size()) -> Any:  # noqa: B008
        """Draws `sample_shape` batches of events."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = torch.Size()) -> Any:  # noqa: B008
        """Draws them such that gradients reach the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the chance, or of its density, at `value`."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The chance of an event up to `value`."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The inverse of cdf."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """All events that there are, along the first dimension."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The entropy, of the shape of the batch."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        return torch.Size(sample_shape) + self._batch_shape + self._event_shape

    def _enumerated(self, values: Any, expand: bool) -> Any:
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _validate_sample(self, value: Any) -> None:
        """ValueError if `value` is no sample of this distribution, and such are looked for."""
        if not self._validate_args:
            return
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        given, wanted = value.size(), self._batch_shape + self._event_shape
        if given[len(given) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{given} vs {self._event_shape}."
            )
        if any(1 != i != j != 1 for i, j in zip(given[::-1], wanted[::-1], strict=False)):
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {given} vs {wanted}."
            )
        if not self.support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(given)}) to be "
                f"within the support ({self.support!r}) of the distribution {self!r}, but found "
                f"invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        given = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        values = (f"{name}: {v if v.numel() == 1 else v.size()}" for name, v in given.items())
        return f"{type(self).__name__}({', '.join(values)})"
