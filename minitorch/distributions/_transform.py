"""The base of all transforms, and the transforms that are made of others."""

import functools
import operator
from typing import Any

import minitorch as torch
from minitorch.core.public_pickles import reduced
from minitorch.distributions import constraints
from minitorch.distributions.utils import _sum_rightmost, lazy_property


class Transform:
    """A function with an inverse and a known log determinant of its Jacobian.

    Subclasses define `_call`, and `_inverse` and `log_abs_det_jacobian` where they have them.

    Args:
        cache_size: 1 to remember the last value and its image, 0 not to.

    Raises:
        ValueError: for another cache_size.
    """

    __module__ = "torch.distributions.transforms"
    __reduce_ex__ = reduced

    bijective = False
    domain: constraints.Constraint
    codomain: constraints.Constraint

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("minitorch."):
            cls.__module__ = Transform.__module__

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._inv: Transform | None = None
        if cache_size == 1:
            self._cached_x_y = None, None
        elif cache_size != 0:
            raise ValueError("cache_size must be 0 or 1")
        super().__init__()

    def __getstate__(self):
        return vars(self) | {"_inv": None}

    @property
    def event_dim(self) -> int:
        """The number of dimensions of one event. ValueError if the image has another number."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> "Transform":
        """The inverse, whose inverse is this one again."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> int:
        """1 where it rises, -1 where it falls."""
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """The transform with a cache of this size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        return self._with_cache(cache_size)

    def _with_cache(self, cache_size):
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return not self.__eq__(other)

    def __call__(self, x):
        """The image of `x`."""
        if self._cache_size == 0:
            return self._call(x)
        known, image = self._cached_x_y
        if x is known:
            return image
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y):
        if self._cache_size == 0:
            return self._inverse(y)
        origin, known = self._cached_x_y
        if y is known:
            return origin
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """The logarithm of the determinant of dy/dx, without its sign."""
        raise NotImplementedError

    def __repr__(self):
        return self.__class__.__name__ + "()"

    def forward_shape(self, shape):
        """The shape of the image of a value of `shape`."""
        return shape

    def inverse_shape(self, shape):
        """The shape of the value whose image has `shape`."""
        return shape


class AnyInstance(Transform):
    """Transforms without parameters: two of a class are equal."""

    def __eq__(self, other):
        return isinstance(other, type(self))


def _of_inverse(name: str, kind: Any = property) -> Any:
    return kind(lambda self: getattr(self._known_inverse(), name))


class _InverseTransform(Transform):
    """The inverse of a transform that does not say what its inverse is."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    domain = _of_inverse("codomain", constraints.dependent_property(is_discrete=False))
    codomain = _of_inverse("domain", constraints.dependent_property(is_discrete=False))
    bijective, sign = _of_inverse("bijective"), _of_inverse("sign")

    def _known_inverse(self):
        if self._inv is None:  # a pickle holds transforms without their inverses
            raise AssertionError("_inv must not be None")
        return self._inv

    @property
    def inv(self) -> Transform:
        return self._inv

    def with_cache(self, cache_size=1):
        return self._known_inverse().with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._known_inverse() == other._inv

    def __repr__(self):
        return f"{self.__class__.__name__}({self._inv!r})"

    def __call__(self, x):
        return self._known_inverse()._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._known_inverse().log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


def of_events(constraint: Any, event_dim: int) -> Any:
    """`constraint` with events of `event_dim` dimensions."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


class ComposeTransform(Transform):
    """Transforms, one after the other.

    Args:
        parts: the transforms, the first first.
        cache_size: that of every part.
    """

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """The domain of the first part, with all dimensions of an event of the whole."""
        if not self.parts:
            return constraints.real
        domain, event_dim = self.parts[0].domain, self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return of_events(domain, event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """The codomain of the last part, with all dimensions of an event of the whole."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return of_events(self.parts[-1].codomain, event_dim)

    @lazy_property
    def bijective(self) -> bool:
        """Whether all parts are."""
        return all(p.bijective for p in self.parts)

    @lazy_property
    def sign(self) -> int:
        """The product of those of the parts."""
        return functools.reduce(operator.mul, [p.sign for p in self.parts], 1)

    @property
    def inv(self) -> Transform:
        """The inverses, in the other order."""
        if self._inv is None:
            self._inv = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def _with_cache(self, cache_size):
        return ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return torch.zeros_like(x)
        xs = [x]
        for part in self.parts[:-1]:
            xs.append(part(xs[-1]))
        terms, event_dim = [], self.domain.event_dim
        for part, before, after in zip(self.parts, xs, [*xs[1:], y]):
            term = part.log_abs_det_jacobian(before, after)
            terms.append(_sum_rightmost(term, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        parts = ",\n    ".join([p.__repr__() for p in self.parts])
        return f"{self.__class__.__name__}(\n    {parts}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform of events of more dimensions.

    Args:
        base_transform: the transform of their parts.
        reinterpreted_batch_ndims: how many more.
    """

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _with_cache(self, cache_size):
        return IndependentTransform(
            self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size
        )

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """The domain of the base, with more dimensions."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """The codomain of the base, with more dimensions."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:
        """Whether the base is."""
        return self.base_transform.bijective

    @property
    def sign(self) -> int:
        """The sign of the base."""
        return self.base_transform.sign

    def _call(self, x):
        check_dims(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y):
        check_dims(y.shape, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        result = self.base_transform.log_abs_det_jacobian(x, y)
        return _sum_rightmost(result, self.reinterpreted_batch_ndims)

    def __repr__(self):
        name = self.__class__.__name__
        return f"{name}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


def check_dims(shape: Any, least: int) -> None:
    if len(shape) < least:
        raise ValueError("Too few dimensions on input")
