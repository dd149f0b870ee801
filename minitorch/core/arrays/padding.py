"""Padding by reflection and by repetition of the border, with the gradients.

Both are gathers along one axis after the other.
"""

from __future__ import annotations

from typing import Any

_Ints = tuple[int, ...]


def _sources(xp: Any, size: int, before: int, after: int, mode: str) -> Any:
    """For each position of the padded axis, the position of the image that it repeats."""
    places = xp.arange(-before, size + after)
    if mode == "replicate":
        return xp.minimum(xp.maximum(places, 0), size - 1)
    places = xp.abs(places)
    return xp.minimum(places, 2 * (size - 1) - places)


def _axes(rank: int, padding: _Ints) -> list[tuple[int, int, int]]:
    """(axis, before, after) of each padded axis."""
    return [(rank - 1 - i, padding[2 * i], padding[2 * i + 1]) for i in range(len(padding) // 2)]


def pad(xp: Any, x: Any, padding: _Ints, mode: str) -> Any:
    """`x` padded by 'reflect' or 'replicate'; padding is (before, after), the last axis first.

    As ATen/native/cpu/PaddingKernel.cpp.
    """
    for axis, before, after in _axes(x.ndim, padding):
        x = x.take(_sources(xp, x.shape[axis], before, after, mode), axis)
    return xp.ascontiguousarray(x)


def pad_backward(xp: Any, grad: Any, shape: _Ints, padding: _Ints, mode: str) -> Any:
    """The gradient of `pad` for an input of `shape`: what each pixel was repeated to, added up."""
    for axis, before, after in reversed(_axes(len(shape), padding)):
        out = xp.zeros((*grad.shape[:axis], shape[axis], *grad.shape[axis + 1 :]), grad.dtype)
        lead = (slice(None),) * axis
        xp.add.at(out, (*lead, _sources(xp, shape[axis], before, after, mode)), grad)
        grad = out
    return grad
