"""Regions in which parameters and samples of a distribution must lie."""

from __future__ import annotations

from typing import Any


class Constraint:
    """A region. `event_dim`: how many of the last dimensions make one event."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Any) -> Any:
        """Which events of `value` lie inside, as a tensor of truth values."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """A region that other parameters decide."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented):
        self._known = {"is_discrete": is_discrete, "event_dim": event_dim}

    def _ask(self, name: str) -> Any:
        if self._known[name] is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return self._known[name]

    is_discrete = property(lambda self: self._ask("is_discrete"))
    event_dim = property(lambda self: self._ask("event_dim"))

    def __call__(self, **known: Any) -> Any:
        return _Dependent(**self._known | known)

    def check(self, x: Any) -> Any:
        """Cannot be said: ValueError."""
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property of an object, and of its class a region that depends."""

    def __init__(
        self,
        fn: Any = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        _Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __call__(self, fn: Any) -> Any:
        return _DependentProperty(fn, **self._known)


def is_dependent(constraint: Any) -> bool:
    """Whether other parameters decide what `constraint` is."""
    return isinstance(constraint, _Dependent)


class _IndependentConstraint(Constraint):
    """A region of events of more dimensions, inside which every part must be."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(
        lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims
    )

    def check(self, value: Any) -> Any:
        """Which events lie inside in all their parts."""
        result = self.base_constraint.check(value)
        kept = result.dim() - self.reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[:kept], -1)).all(-1)

    def __repr__(self) -> str:
        name = type(self).__name__[1:]
        return f"{name}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Bounded(Constraint):
    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Above(_Bounded):
    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound


class _Between(_Bounded):
    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound


class _GreaterThan(_Above):
    def check(self, value: Any) -> Any:
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    def check(self, value: Any) -> Any:
        return self.lower_bound <= value


class _IntegerGreaterThan(_Above):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _LessThan(_Bounded):
    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return value < self.upper_bound


class _Interval(_Between):
    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Between):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        return value == value  # False for NaN


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)


dependent, dependent_property, independent = (
    _Dependent(),
    _DependentProperty,
    _IndependentConstraint,
)
boolean, real, simplex = _Boolean(), _Real(), _Simplex()
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
positive, nonnegative = _GreaterThan(0.0), _GreaterThanEq(0.0)
nonnegative_integer, positive_integer = _IntegerGreaterThan(0), _IntegerGreaterThan(1)
unit_interval, real_vector = _Interval(0.0, 1.0), independent(real, 1)
