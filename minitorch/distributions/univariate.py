"""The distributions of a number, and of one of several classes."""

from __future__ import annotations

import math
from typing import Any

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import (
    Distribution,
    batch_shape,
    broadcast_all,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
)
from minitorch.nn.functional import binary_cross_entropy_with_logits


class Normal(Distribution):
    """Normal distributions of mean `loc` and standard deviation `scale`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape(self.loc, loc, scale), validate_args=validate_args)

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape, loc = self._extended_shape(sample_shape), self.loc
        return loc + torch.empty(shape, dtype=loc.dtype, device=loc.device).normal_() * self.scale

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        squares = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        distance = (value - self.loc) * self.scale.reciprocal() / math.sqrt(2)
        return 0.5 * (1 + torch.erf(distance))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)


class Uniform(Distribution):
    """Uniform distributions from `low` to below `high`."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_shape(self.low, low, high), validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: math.nan * self.high)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: (self.high - self.low).pow(2) / 12)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape, low = self._extended_shape(sample_shape), self.low
        return low + torch.rand(shape, dtype=low.dtype, device=low.device) * (self.high - low)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return torch.log(self.high - self.low)


class _OfChances(Distribution):
    """Distributions that are given by chances or by logarithms of them."""

    has_enumerate_support = True
    _binary = False

    def _choose(self, probs: Any, logits: Any) -> Any:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return ("logits", logits) if probs is None else ("probs", probs)

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs, self._binary)

    @lazy_property
    def probs(self) -> Any:
        return logits_to_probs(self.logits, self._binary)

    param_shape = property(lambda self: self._param.size())


class Bernoulli(_OfChances):
    """One with the chance `probs`, else zero; `logits` are the logarithms of the odds."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    _binary = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = self._choose(probs, logits)
        (self._param,) = broadcast_all(given)
        setattr(self, name, self._param)
        super().__init__(batch_shape(self._param, given), validate_args=validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self) -> Any:
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = math.nan
        return mode

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Any:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Any:
        kind, device = self._param.dtype, self._param.device
        return self._enumerated(torch.arange(2, dtype=kind, device=device), expand)


class Categorical(_OfChances):
    """One of the classes along the last dimension, by chances that need not add up to 1."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = self._choose(probs, logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            self._param = given / given.sum(-1, keepdim=True)
        else:
            self._param = given - given.logsumexp(dim=-1, keepdim=True)
        setattr(self, name, self._param)
        *batch, self._num_events = self._param.size()
        super().__init__(torch.Size(batch), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Any:
        probs = self.probs
        shape = self._extended_shape()
        return torch.full(shape, math.nan, dtype=probs.dtype, device=probs.device)

    variance = mean
    mode = property(lambda self: self.probs.argmax(dim=-1))

    def sample(self, sample_shape: Any = ()) -> Any:
        rows, count = self.probs.reshape(-1, self._num_events), torch.Size(sample_shape).numel()
        samples = torch.multinomial(rows, count, True).T
        return samples.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        value, chances = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return chances.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = torch.arange(self._num_events, dtype=torch.int64, device=self._param.device)
        return self._enumerated(values, expand)


for _each in (Normal, Uniform, Bernoulli, Categorical):
    _each.__module__ = f"torch.distributions.{_each.__name__.lower()}"
