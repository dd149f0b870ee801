"""Slopes of what was measured at points: gradient. As ATen/native/ReduceOps.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitorch.aten.arithmetic import mul_by_number
from minitorch.core.declare.families import composite
from minitorch.core.declare.signatures import overloads
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import TensorBase
from minitorch.core.tensor.conversion import wrap_dim


def check_gradient(
    self: Any, spaces: int | None, dim: Sequence[int] | None, edge_order: int
) -> None:
    """RuntimeError in torch's words for arguments that do not fit together."""
    if self.dtype is dtypes.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if spaces is not None and dim is None and spaces != self.dim():
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            f"equal to 'self.dim() = {self.dim()}', since dim argument was not given, but got a "
            f"list of length {spaces}"
        )
    if spaces is not None and dim is not None and spaces != len(dim):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            f"arguments to have the same length, but got a spacing argument of length {spaces} and "
            f"a dim argument of length {len(dim)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    seen: set[int] = set()
    for each in range(self.dim()) if dim is None else dim:
        axis = wrap_dim(each, self.dim())
        if axis in seen:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        seen.add(axis)
    for axis in seen:
        if self.shape[axis] < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1"
            )


def by_distance(self: Any, dx: Any, axis: int, edge_order: int) -> Any:
    """The slope along an axis of points at equal distances."""

    def at(start: int, end: int | None = None) -> Any:
        return OPS.slice(self, axis, start, end)

    def weighted(factor: float, start: int, end: int | None = None) -> Any:
        return mul_by_number(at(start, end), factor)

    centre = divided(at(2) - at(0, -2), dx)
    if edge_order == 1:
        first, last = at(1, 2) - at(0, 1), at(-1) - at(-2, -1)
    else:
        first = weighted(-1.5, 0, 1) + weighted(2, 1, 2) - weighted(0.5, 2, 3)
        last = weighted(0.5, -3, -2) - weighted(2, -2, -1) + weighted(1.5, -1)
    return OPS.cat([divided(first, dx), divided(centre, 2), divided(last, dx)], axis)


def divided(x: Any, number: Any) -> Any:
    """The quotient as C++ writes it; of integers too."""
    return OPS.div_Scalar(x, number)


def by_places(self: Any, places: Any, axis: int, edge_order: int) -> Any:
    """The slope along an axis of points at any places."""
    if places.dim() != 1:
        raise RuntimeError(
            "torch.gradient expected each element of spacing to have one dimension, but got an "
            f"element with {places.dim()} dimensions!"
        )

    def at(start: int, end: int | None = None) -> Any:
        return OPS.slice(self, axis, start, end)

    steps = OPS.diff(places)
    before, after = OPS.slice(steps, 0, 0, -1), OPS.slice(steps, 0, 1)
    shape = [-1 if i == axis else 1 for i in range(self.dim())]
    both = before + after
    a = (-after / (before * both)).reshape(shape)
    b = ((after - before) / (before * after)).reshape(shape)
    c = (before / (after * both)).reshape(shape)
    centre = a * at(0, -2) + b * at(1, -1) + c * at(2)
    if edge_order == 1:
        first = (at(1, 2) - at(0, 1)) / OPS.select(steps, 0, 0)
        last = (at(-1) - at(-2, -1)) / OPS.select(steps, 0, -1)
    else:
        h, k = [OPS.select(x, 0, 0) for x in (before, after)]
        a, b, c = -(2.0 * h + k) / h / (h + k), (h + k) / h / k, -h / k / (h + k)
        first = a * at(0, 1) + b * at(1, 2) + c * at(2, 3)
        h, k = [OPS.select(x, 0, -1) for x in (before, after)]
        a, b, c = k / h / (h + k), -(k + h) / h / k, (2 * k + h) / k / (h + k)
        last = a * at(-3, -2) + b * at(-2, -1) + c * at(-1)
    return OPS.cat([first, centre, last], axis)


@composite("gradient", on=("function",))
@overloads(
    "Tensor input, *, Number spacing = None, int dim = None, int edge_order = 1",
    "Tensor input, *, Number spacing, tuple of ints dim, int edge_order = 1",
    "Tensor input, *, tuple of ints dim, int edge_order = 1",
    "Tensor input, *, tuple of Scalars spacing, int dim = None, int edge_order = 1",
    "Tensor input, *, tuple of Scalars spacing, tuple of ints dim, int edge_order = 1",
    "Tensor input, *, tuple of Tensors spacing, int dim = None, int edge_order = 1",
    "Tensor input, *, tuple of Tensors spacing, tuple of ints dim, int edge_order = 1",
)
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """The slopes of `input` along each dimension, or those in `dim`, by central differences.

    spacing: the distance of the points, one for each dimension, or their places.
    edge_order: 1 or 2, of the differences at the ends.
    As https://docs.pytorch.org/docs/stable/generated/torch.gradient.html.
    """
    dims = [dim] if isinstance(dim, int) else dim
    given = list(spacing) if isinstance(spacing, (list, tuple)) else None
    check_gradient(input, None if given is None else len(given), dims, edge_order)
    axes = [wrap_dim(each, input.dim()) for each in (range(input.dim()) if dims is None else dims)]
    if given is None:
        given = [1.0 if spacing is None else spacing] * len(axes)
        given = [each.item() if isinstance(each, TensorBase) else each for each in given]
    return tuple(
        [
            (by_places if isinstance(each, TensorBase) else by_distance)(
                input, each, axis, edge_order
            )
            for each, axis in zip(given, axes, strict=True)
        ]
    )
