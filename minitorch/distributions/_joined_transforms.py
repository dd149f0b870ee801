"""Transforms of the slices of a tensor."""

from collections.abc import Sequence
from typing import Any

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions._transform import Transform
from minitorch.distributions.utils import Tensor, _sum_rightmost, lazy_property


class _Joined(Transform):
    """Transforms of the slices along `dim`."""

    transforms: list[Transform]

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms, self.dim = list(tseq), dim

    @property
    def bijective(self) -> bool:
        """Whether all of them are."""
        return all(t.bijective for t in self.transforms)

    def _check(self, name: str, tensor: Tensor, called: str | None = None) -> None:
        rank, wanted = tensor.dim(), self._wanted()
        if not -rank <= self.dim < rank:
            raise AssertionError(
                f"dim {self.dim} out of range for {called or 'tensor'} with {rank} dimensions"
            )
        if tensor.size(self.dim) != wanted[0]:
            size = tensor.size(self.dim)
            raise AssertionError(f"{name}.size({self.dim}) = {size} must equal {wanted[1]}")

    def _call(self, x):
        self._check("x", x)
        return self._join([t(part) for t, part in zip(self.transforms, self._slice(x))])

    def _inverse(self, y):
        self._check("y", y)
        return self._join([t.inv(part) for t, part in zip(self.transforms, self._slice(y))])

    def _log_slopes(self, x: Any, y: Any) -> list[Any]:
        self._check("x", x, "x")
        self._check("y", y, "y")
        parts = zip(self.transforms, self._slice(x), self._slice(y))
        return [t.log_abs_det_jacobian(before, after) for t, before, after in parts]


class CatTransform(_Joined):
    """Transforms of slices of several sizes along one dimension.

    Args:
        tseq: the transforms.
        dim: the dimension.
        lengths: the sizes of the slices, by default 1 each.

    Raises:
        AssertionError: where tseq holds anything else, or lengths are more or fewer.
    """

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )

    @lazy_property
    def event_dim(self) -> int:
        """The most that one of them has."""
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> int:
        """The size of the dimension."""
        return sum(self.lengths)

    def _with_cache(self, cache_size):
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _wanted(self) -> tuple[int, str]:
        return self.length, f"length {self.length}"

    def _slice(self, tensor: Tensor) -> list[Tensor]:
        ends = [sum(self.lengths[: i + 1]) for i in range(len(self.lengths))]
        pairs = zip(ends, self.lengths)
        return [tensor.narrow(self.dim, end - length, length) for end, length in pairs]

    def _join(self, parts: list[Tensor]) -> Tensor:
        return torch.cat(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        terms = [
            _sum_rightmost(term, max(self.event_dim - t.event_dim, 0))
            for t, term in zip(self.transforms, self._log_slopes(x, y))
        ]
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self):
        """The domains of the slices."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        """The codomains of the slices."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Joined):
    """Transforms of the single slices along one dimension.

    Args:
        tseq: the transforms, as many as there are slices.
        dim: the dimension.

    Raises:
        AssertionError: where tseq holds anything else.
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def _with_cache(self, cache_size):
        return StackTransform(self.transforms, self.dim, cache_size)

    def _wanted(self) -> tuple[int, str]:
        count = len(self.transforms)
        return count, f"len(transforms) {count}"

    def _slice(self, z):
        return [z.select(self.dim, i) for i in range(z.size(self.dim))]

    def _join(self, parts: list[Tensor]) -> Tensor:
        return torch.stack(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        return torch.stack(self._log_slopes(x, y), dim=self.dim)

    @constraints.dependent_property
    def domain(self):
        """The domains of the slices."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        """The codomains of the slices."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
