"""Vectors that are defined only up to a factor: eigenvectors and singular vectors.

Their signs, and the phases of complex ones, are left open; "different hardware and software may
compute different eigenvectors" (torch.linalg.eigh), and torch's own tests do not look at them
(`output_process_fn_grad`). So each library's vectors are turned to the same side before they are
compared. Singular vectors are turned in pairs, so that U S Vh stays what it is.
"""

from collections.abc import Sequence
from typing import Any

import numpy

from conformance.cases.reach import EXPRESSIONS

# The outputs that are vectors, by expression: their number and the axis along which each lies.
# The first of a pair says how both are turned.
_EIGENVECTORS = ((1, -2),)
_BY_COLUMNS = ((0, -2), (2, -2))
VECTORS: dict[str, Sequence[tuple[int, int]]] = {
    "torch.linalg.eigh": _EIGENVECTORS,
    "torch.linalg.eig": _EIGENVECTORS,
    "torch.linalg.svd": ((0, -2), (2, -1)),
    "torch.svd": _BY_COLUMNS,
    "torch.Tensor.svd": _BY_COLUMNS,
    **{EXPRESSIONS[name]: _BY_COLUMNS for name in ("svd_lowrank", "pca_lowrank")},
}

# The same for saved values of nodes.
SAVED = {
    ("LinalgEighBackward0", "_saved_eigenvectors"): -2,
    ("LinalgEigBackward0", "_saved_eigenvectors"): -2,
    ("LinalgSvdBackward0", "_saved_U"): -2,
    ("LinalgSvdBackward0", "_saved_Vh"): -1,
}


def turn_of(vectors: numpy.ndarray, axis: int) -> numpy.ndarray:
    """Returns the factors that bring vectors to one side of a plane, which none is likely to lie
    in; their shape is that of the vectors, with 1 for the axis."""
    size = vectors.shape[axis]
    normal = numpy.cos(numpy.arange(size) * 1.7 + 0.3)
    normal = normal[:, None] if axis == -2 else normal
    height = (vectors * normal).sum(axis=axis, keepdims=True)
    length = abs(height)
    return numpy.where(length == 0, 1, numpy.conj(height) / numpy.where(length == 0, 1, length))


def _numbers(tensor: Any) -> numpy.ndarray | None:
    tensor = tensor.detach().resolve_conj().clone()
    if "bfloat16" in str(tensor.dtype):  # of autocast
        tensor = tensor.float()
    numbers = tensor.numpy(force=True)
    return numbers if numbers.ndim > 1 else None


def turns(expression: str, outputs: list) -> list[numpy.ndarray | None]:
    """Returns for each output the factors to turn it by; None for those that are not turned."""
    found: list[numpy.ndarray | None] = [None] * len(outputs)
    pair = VECTORS.get(expression, ())
    if len(outputs) <= max([number for number, _ in pair], default=-1):
        return found
    for number, axis in pair:
        vectors = _numbers(outputs[number])
        if vectors is None:
            return found
        own = turn_of(vectors, axis)
        if len(pair) == 2:
            count = outputs[1].shape[-1]
            other = own
            if number != pair[0][0]:  # as far as there are pairs, as its first is turned
                other = found[pair[0][0]]
                other = other if axis == -2 else numpy.conj(numpy.swapaxes(other, -1, -2))
            own = _joined(own, other, count, -1 if axis == -2 else -2)
        found[number] = own
    return found


def _joined(own: numpy.ndarray, other: numpy.ndarray, count: int, along: int) -> numpy.ndarray:
    """Returns the first factors of `other`, and of the vectors that remain those of a single one;
    of several only the space that they span is defined, so that they are not compared."""
    own, other = numpy.moveaxis(own, along, 0).copy(), numpy.moveaxis(other, along, 0)
    own[:count] = other[:count]
    if len(own) > count + 1:
        own[count:] = 0
    return numpy.moveaxis(own, 0, along)


def saved_turn(node: str, name: str, tensor: Any, least: int) -> numpy.ndarray | None:
    """Returns the factors to turn by what a node saved; there are `least` pairs of vectors."""
    axis = SAVED.get((node, name))
    vectors = None if axis is None else _numbers(tensor)
    if vectors is None:
        return None
    turn = turn_of(vectors, axis)
    along = -1 if axis == -2 else -2
    return _joined(turn, turn, min(least, turn.shape[along]), along)


def turned(numbers: numpy.ndarray, turn: numpy.ndarray | None) -> numpy.ndarray:
    """Returns vectors turned, in their own dtype."""
    return numbers if turn is None else (numbers * turn).astype(numbers.dtype)
