"""torch.distributions.distribution: the base of all distributions.

As https://docs.pytorch.org/docs/stable/distributions.html.
"""

import warnings
from typing import Any

import minitorch as torch
from minitorch.core.public_pickles import reduced
from minitorch.distributions import constraints
from minitorch.distributions._pickling import publish
from minitorch.distributions.utils import NO_SHAPE, Tensor, lazy_property

__all__ = ["Distribution"]

_size = torch.Size | list[int] | tuple[int, ...]


class Distribution:
    """A batch of distributions of events, the base of all others.

    Args:
        batch_shape: the shape of the parameters.
        event_shape: the shape of one event.
        validate_args: whether parameters and values are checked; by default as
            `set_default_validate_args` says.

    Raises:
        ValueError: where a parameter lies outside its constraint.
    """

    __module__ = "torch.distributions.distribution"
    __reduce_ex__ = reduced

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        publish(cls)

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check their arguments by default."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: torch.Size = NO_SHAPE,
        event_shape: torch.Size = NO_SHAPE,
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            try:
                wanted = self.arg_constraints
            except NotImplementedError:
                wanted = {}
                warnings.warn(
                    f"{self.__class__} does not define `arg_constraints`. Please set "
                    "`arg_constraints = {}` or initialize the distribution with "
                    "`validate_args=False` to turn off validation.",
                    stacklevel=2,
                )
            for name, constraint in wanted.items():
                self._check_parameter(name, constraint)
        super().__init__()

    def _check_parameter(self, name: str, constraint: Any) -> None:
        if constraints.is_dependent(constraint):
            return
        if name not in vars(self) and isinstance(getattr(type(self), name), lazy_property):
            return
        value = getattr(self, name)
        if not torch.all(constraint.check(value)):
            raise ValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape "
                f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                f"{constraint!r}, but found invalid values:\n{value}"
            )

    def expand(self, batch_shape: _size, _instance=None):
        """Returns these distributions for a larger batch, without copies.

        Args:
            batch_shape: the wanted shape of the batch.
            _instance: the instance to fill, from a subclass that overrides this method.
        """
        raise NotImplementedError

    def _expanded(self, cls: type, batch_shape: Any, instance: Any, *names: str) -> Any:
        """The result of `expand` of `cls`: of the attributes `names`, those that are set, expanded.

        Each attribute is a tensor or a distribution whose shape begins with that of the batch.
        """
        new = self._get_checked_instance(cls, instance)
        batch_shape, rank = torch.Size(batch_shape), len(self._batch_shape)
        for name in names:
            if name in vars(self):
                value = vars(self)[name]
                shape = value._batch_shape if isinstance(value, Distribution) else value.shape
                setattr(new, name, value.expand(batch_shape + shape[rank:]))
                if name in ("probs", "logits") and "_param" in vars(self):
                    new._param = getattr(new, name)
        return self._finish(cls, new, batch_shape)

    def _finish(self, cls: type, new: Any, batch_shape: torch.Size) -> Any:
        super(cls, new).__init__(batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def batch_shape(self) -> torch.Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> torch.Size:
        """The shape of one event."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraints of the parameters, by their names."""
        raise NotImplementedError

    @property
    def support(self) -> constraints.Constraint | None:
        """The constraint of the samples."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most likely event."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        """Draws `sample_shape` batches of events, without gradients."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        """Draws `sample_shape` batches of events such that gradients reach the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Draws `n` batches of events. Deprecated: use `sample((n,))`."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.",
            FutureWarning,
            stacklevel=2,
        )
        return self.sample(torch.Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the chance, or of its density, at `value`."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The chance of an event up to `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of cdf."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All events that there are, along a new first dimension.

        Args:
            expand: whether the others have the sizes of the batch, or 1.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, of the shape of the batch."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: _size = NO_SHAPE) -> torch.Size:
        if not isinstance(sample_shape, torch.Size):
            sample_shape = torch.Size(sample_shape)
        return torch.Size(sample_shape + self._batch_shape + self._event_shape)

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _validate_sample(self, value: Tensor) -> None:
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        given, wanted = value.size(), self._batch_shape + self._event_shape
        if given[len(given) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{given} vs {self._event_shape}."
            )
        if any(1 != i != j != 1 for i, j in zip(given[::-1], wanted[::-1])):
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {given} vs {wanted}."
            )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=2,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not torch.all(support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(given)}) to be "
                f"within the support ({support!r}) of the distribution {self!r}, but found "
                f"invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ "
                "method must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        own = vars(self)
        given = {name: own[name] for name in self.arg_constraints if name in own}
        values = (f"{name}: {v if v.numel() == 1 else v.size()}" for name, v in given.items())
        return f"{self.__class__.__name__}({', '.join(values)})"
