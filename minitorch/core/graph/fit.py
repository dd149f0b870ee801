"""Fitting a gradient to the input of its edge: sums over broadcast dimensions, casts of dtypes."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays import NAMESPACES, namespace, on_numpy, summation
from minitorch.core.arrays.layout import with_default_strides
from minitorch.core.base.fields import NOWHERE, TensorBase
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.latches import Latch
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.dtype import FROM_NUMPY

# Objects whose shape changed, but not their history: leaves, the nodes of other tensors, and former
# ends of the graph at leaves whose dtype changed. Gradients may not fit then, and a node has to
# keep its saved values until its gradients are checked (2.7 us a node).
SHAPES_CHANGED = Latch()


def fit_gradient(grad: Any, shape: Any, dtype: Any, node: Any, index: int = 0) -> Any:
    """`grad` (an array, or a Tensor under create_graph) summed to `shape` and cast to `dtype`.

    index: the number of the edge. RuntimeError with torch's text if `grad` cannot be summed to
        that shape.
    """
    if type(grad) is numpy.ndarray:
        if grad.dtype is dtype and grad.ndim == 2 and grad.shape[1:] == shape:
            # A bias was added to a batch. torch sums to (1, n), and views it.
            return summation.sum_rows_up(on_numpy, grad)[:]
    elif isinstance(grad, TensorBase):
        return _fit_tensor(grad, shape, dtype, node, index)
    elif type(grad) not in NAMESPACES:  # NumPy makes scalars of 0-d results
        grad = numpy.asarray(grad)
    elif getattr(grad, "kind", None) is not None:
        check_layout(grad.layout, node, index)
    if grad.dtype.kind == "c" and dtype.kind != "c":
        check_real(node)
        grad = grad if grad.size else with_default_strides(namespace(grad), grad)
        grad = grad.real  # a view, as in torch
    if grad.shape != shape:
        check(grad.shape, shape, node, index)
        grad = summation.sum_to(namespace(grad), grad, shape)
    return grad if grad.dtype == dtype else RAW._to_copy(grad, dtype=FROM_NUMPY[dtype])


def fit_gradients(grads: Any, node: Any) -> tuple[Any, ...]:
    """The gradients of `node`, each fitted to its edge's input, as hooks of the node see them."""
    pairs = enumerate(zip(node.edges, grads))
    return tuple([_fit_to_edge(edge, grad, node, index) for index, (edge, grad) in pairs])


def _fit_to_edge(edge: Any, grad: Any, node: Any, index: int) -> Any:
    if grad is None or edge is None:
        return grad
    if edge is NOWHERE:
        return None if node.skips_unwanted else grad
    return fit_gradient(grad, *_form(edge), node, index)


def summed_all(grads: Any, node: Any) -> list[Any]:
    """The gradients `grads` of `node`, each summed over the dimensions that were broadcast.

    Dtypes are left to the engine, which skips edges that are not wanted: their gradients may be
    complex although the input is real.
    """
    return [_summed(edge, grad, node, i) for i, (edge, grad) in enumerate(zip(node.edges, grads))]


def _summed(edge: Any, grad: Any, node: Any, index: int) -> Any:
    if grad is None or edge is None or edge is NOWHERE:
        return grad
    shape, dtype = _form(edge)
    if grad._array.shape == shape or (grad._array.dtype.kind == "c" and dtype.kind != "c"):
        return grad
    check(grad._array.shape, shape, node, index)
    return OPS.sum_to_size(grad, shape)


def _form(edge: Any) -> tuple[Any, Any]:
    """The shape and dtype of gradients along an edge."""
    if type(edge) is tuple:
        into, number = edge
        return into.shape[number], into.dtype[number]
    like = expected_by(edge) if isinstance(edge, TensorBase) else edge
    return like.shape, like.dtype


def expected_by(leaf: Any) -> Any:
    """An object with the shape and dtype that the gradient of a leaf must have.

    This is the AccumulateGrad of the leaf if one exists, which may be older than the leaf's present
    shape and dtype; else the array of the leaf."""
    node = leaf._accumulator() if leaf._accumulator is not None else None
    return leaf._array if node is None else node


def release_fitting() -> None:
    """Forgets the leaves of changed shape that no older graph leads to any more."""
    for reference in list(SHAPES_CHANGED.values()):
        leaf = reference()
        if isinstance(leaf, TensorBase):
            shape = leaf._array.shape
            grad = shape if leaf._grad is None else leaf._grad._array.shape
            if expected_by(leaf).shape == shape == grad:
                SHAPES_CHANGED.release(leaf)


def _fit_tensor(grad: Any, shape: Any, dtype: Any, node: Any, index: int) -> Any:
    if getattr(grad._array, "kind", None) is not None:
        check_layout(grad.layout, node, index)
    if grad._array.dtype.kind == "c" and dtype.kind != "c":
        check_real(node)
        grad = OPS.real(grad)
    if grad._array.shape != shape:
        check(grad._array.shape, shape, node, index)
        grad = OPS.sum_to_size(grad, shape)
    if grad._array.dtype != dtype:
        grad = OPS._to_copy(grad, dtype=FROM_NUMPY[dtype])
    return grad


def check_layout(layout: Any, node: Any, index: int) -> None:
    """Raises RuntimeError if a gradient of a compressed layout goes to a tensor of another layout.

    Dense, COO and nested gradients go to any tensor.
    """
    if layout not in devices.COMPRESSED:
        return
    edges = getattr(node, "edges", ())  # a root has none
    edge = edges[index] if index < len(edges) else None
    if edge is None or edge is NOWHERE:
        return
    if isinstance(edge, TensorBase):
        expected = getattr(edge._array, "layout", devices.strided)
    else:
        into, number = edge if type(edge) is tuple else (edge, 0)
        expected = into.__dict__.get("layouts", {}).get(number, devices.strided)
    if expected is not layout:
        raise RuntimeError(
            f"Function {node.name()} returned an invalid gradient at index {index} - expected "
            f"layout {devices.title_of(expected)} but got {devices.title_of(layout)}"
        )


def check_real(node: Any) -> None:
    """Raises torch's RuntimeError if a complex gradient of `node` must not go to a real input: if
    torch's formulas for this node do not take the real part."""
    if node.complex_only:
        raise RuntimeError(
            "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) "
            "to be true, but got false.  (Could this error message be improved?  If so, please "
            "report an enhancement request to PyTorch.)"
        )


def check(got: tuple[int, ...], shape: tuple[int, ...], node: Any, index: int = 0) -> None:
    """Raises RuntimeError unless an array of shape `got` can be summed to `shape`."""
    lead = len(got) - len(shape)
    if lead < 0 or any(n not in (1, got[lead + i]) for i, n in enumerate(shape)):
        name = node.name()
        raise RuntimeError(
            f"{f'Function {name} returned an ' if name else ''}invalid gradient at index {index} "
            f"- got {list(got)} but expected shape compatible with {list(shape)}"
        )
