"""The base of all distributions, and what they share."""

from __future__ import annotations

import warnings
from functools import update_wrapper
from typing import Any

import minitorch as torch
from minitorch.core.declare.overriding import is_tensor_like
from minitorch.distributions import constraints

_NUMBERS = (int, float)


def broadcast_all(*values: Any) -> Any:
    """Tensors and numbers as tensors of one shape; numbers of the first tensor's dtype."""
    if not all(is_tensor_like(v) or isinstance(v, _NUMBERS) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    first = next((v for v in values if isinstance(v, torch.Tensor)), None)
    like: dict[str, Any] = {"dtype": torch.get_default_dtype()}
    if first is not None:
        like = {"dtype": first.dtype, "device": first.device}
    tensors = [v if is_tensor_like(v) else torch.tensor(v, **like) for v in values]
    return torch.broadcast_tensors(*tensors)


def batch_shape(result: Any, *parameters: Any) -> Any:
    """The shape of `result`, or that of one number where all `parameters` were numbers."""
    numbers = all(isinstance(p, _NUMBERS) for p in parameters)
    return torch.Size() if numbers else result.size()


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Chances, of logarithms of odds if `is_binary`, else of chances."""
    return torch.sigmoid(logits) if is_binary else torch.nn.functional.softmax(logits, dim=-1)


def clamp_probs(probs: Any) -> Any:
    """`probs` kept away from 0 and 1."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """The inverse of logits_to_probs."""
    clamped = clamp_probs(probs)
    if is_binary:
        return torch.log(clamped) - torch.log1p(-clamped)
    return torch.log(clamped)


class lazy_property:
    """A value that is computed when it is first asked for, and then kept."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


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
