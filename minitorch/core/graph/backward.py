"""backward() and grad(): the two ways into the engine, with their checks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, namespace, on_numpy
from minitorch.core.arrays.lazy import raw_of
from minitorch.core.arrays.scalars import NUMBERS
from minitorch.core.base.fields import CLASSES, NOWHERE, TensorBase, laid_out, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import TAKEN_UP, TENSOR_FORMULAS, transforms
from minitorch.core.graph.engine import run_backward
from minitorch.core.graph.forward import LEVELS, active
from minitorch.core.graph.node import GradientEdge, Node
from minitorch.core.graph.roots import fit_root, target_of
from minitorch.core.graph.views import NO_GRAD, edge_of, view_of
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import preserve_format
from minitorch.core.numbers.size import size_of
from minitorch.core.warning import warn_once

for _kind in ("float32", "float64"):  # the gradient of a loss, ready-made
    _ = NUMBERS[float][numpy.dtype(_kind), 1.0]


def _tuple(tensors: Any) -> tuple[Any, ...]:
    return (tensors,) if isinstance(tensors, (TensorBase, GradientEdge)) else tuple(tensors)


def root_gradients(
    outputs: Sequence[Any], gradients: Sequence[Any], on_tensors: bool
) -> list[tuple[Any, Any]]:
    """The (target, gradient) pairs the engine starts from; ones where a scalar's gradient is None.

    RuntimeError with torch's texts for outputs without history and gradients that do not fit.
    """
    made = [
        root_gradient(i, output, gradient)
        for i, (output, gradient) in enumerate(zip(outputs, gradients, strict=False))
    ]
    if len(made) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(made)} gradients")
    roots = []
    for i, (output, gradient) in enumerate(zip(outputs, made, strict=True)):
        if isinstance(output, GradientEdge):
            roots.append((output.target, gradient if on_tensors else gradient._array))
            continue
        edge = edge_of(output)
        if edge is None or edge is NOWHERE:
            raise RuntimeError(
                f"element {i} of tensors does not require grad and does not have a grad_fn"
            )
        roots.append((target_of(edge, output), gradient if on_tensors else gradient._array))
    return roots


def root_gradient(i: int, output: Any, gradient: Any) -> Any:
    """The gradient from which output number `i` starts: the given one, or 1 for a scalar."""
    if isinstance(output, GradientEdge):
        like = output.node._input_metadata[output.output_nr]
        shape, dtype = tuple(like.shape), like.dtype
    elif isinstance(output, TensorBase):
        shape, dtype = output._array.shape, dtypes.of(output._array)
        if gradient is None and not output.requires_grad:  # type: ignore[attr-defined]
            return output  # the caller raises, once all gradients are checked
    else:
        raise AssertionError("Expected output to be a torch.Tensor")
    if gradient is None:
        if math.prod(shape) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not dtype.is_floating_point:
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got {dtype}"
            )
        if isinstance(output, GradientEdge):
            return OPS.ones(shape, dtype=dtype, device=like.device)
        x = output._array
        if TENSOR_FORMULAS:  # a mode sees torch's call
            return OPS.ones_like(output, memory_format=preserve_format)
        if shape or output._level is not None or type(x) in CLASSES:
            return OPS.ones_like(output)
        return tensor(namespace(x).ones((), x.dtype))
    if not isinstance(gradient, TensorBase):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__}"
        )
    if gradient._array.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {size_of(gradient._array.shape)} "
            f"and output[{i}] has a shape of {size_of(shape)}."
        )
    if dtype.is_complex != dtypes.of(gradient._array).is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output[{i}] has a dtype of {dtypes.of(gradient._array)} "
            f"and output[{i}] has a dtype of {dtype}."
        )
    if gradient._array.dtype != dtype.numpy:
        gradient = OPS._to_copy(gradient, dtype=dtype)
    return gradient


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Adds the gradients of `tensors` to the .grad of the leaves (or of `inputs` alone).

    Args:
        tensors: a Tensor or GradientEdge, or several, from which gradients flow.
        grad_tensors: their gradients, of their shapes; None means 1, for a Tensor of one element.
        retain_graph: whether backward may run again; as `create_graph` if None.
        create_graph: whether gradients are recorded, to differentiate them.
        grad_variables: an old name of grad_tensors, with a warning.
        inputs: the Tensors that get gradients, a sequence or a dict; all leaves if None.

    Raises:
        RuntimeError: for no history, no gradient of several elements, gradients of other shapes,
            and empty `inputs`.

    As https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html.
    """
    if transforms.get():
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use "
            "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
            "transforms."
        )
    if grad_variables is not None:
        grad_tensors = _renamed_gradients(grad_tensors, grad_variables)
    tensors = _tuple(tensors)
    gradients = (None,) * len(tensors) if grad_tensors is None else _tuple(grad_tensors)
    seen = LEVELS or TAKEN_UP
    if not create_graph and inputs is None and len(tensors) == 1 and gradients and not seen:
        root = _plain_root(tensors[0], gradients[0])
        if root is not None:
            run_backward([root], bool(retain_graph), False)
            return
    targets = None
    if inputs is not None:
        inputs = _inputs(inputs, "backward")
    roots = root_gradients(tensors, gradients, create_graph or bool(TAKEN_UP) or active())
    if inputs is not None:
        for each in inputs:
            if isinstance(each, TensorBase):
                edge_of(each)  # brings up to date whether it is a leaf
                each.retain_grad()  # type: ignore[attr-defined]
        targets = [_input_target(each) for each in inputs]
    if create_graph:
        for root in roots:
            fit_root(*root)  # gradients that do not fit raise before any warning
        warn_once(_CYCLE_TEXT, in_python=True)
    retain = create_graph if retain_graph is None else retain_graph
    run_backward(roots, retain, create_graph, targets, accumulate_inputs=True)


def _shown_of_backward(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of backward() that a class with __torch_function__ receives."""
    if options.get("inputs") is not None:
        options["inputs"] = _inputs(options["inputs"], "backward")
    return (_roots(args[0]), *args[1:])


def _shown_of_grad(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of grad() that a class with __torch_function__ receives."""
    alone = hasattr(args[1], "__torch_function__")
    inputs = (args[1],) if alone else _inputs(args[1], "grad")
    if options.get("allow_unused", False) is None:
        options["allow_unused"] = bool(options["materialize_grads"])
    return (_roots(args[0]), inputs, *args[2:])


def _asked_by_backward(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of backward() that may take it over."""
    return (*args[0], *(options["inputs"] or ()))


def _roots(tensors: Any) -> tuple[Any, ...]:
    return (tensors,) if hasattr(tensors, "__torch_function__") else _tuple(tensors)


def _inputs(inputs: Any, name: str) -> tuple[Any, ...]:
    """The inputs of backward() or grad() as a tuple. Raises torch's error if there are none."""
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(
                f"`inputs` argument to `{name}()` must be a dict, not {type(inputs).__name__}. "
                "Other Mapping types are not supported."
            )
        inputs = inputs.values()
    inputs = _tuple(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return inputs


def _renamed_gradients(grad_tensors: Any, grad_variables: Any) -> Any:
    warnings.warn(
        "`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=3
    )
    if grad_tensors is not None:
        raise RuntimeError(
            "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
            "`backward()`. Please only use `grad_tensors`."
        )
    return grad_variables


def _plain_root(output: Any, gradient: Any) -> Any:
    """(node, gradient) for an ordinary backward of training, which needs no checks but these."""
    if not isinstance(output, TensorBase):
        return None
    x, node = output._array, output._edge
    if output._view is not None or not isinstance(node, Node):
        return None
    if gradient is None:
        kept = NUMBERS[float].get((x.dtype, 1.0))
        return None if kept is None or x.ndim or kept.dtype.kind in "biuc" else (node, kept)
    if isinstance(gradient, TensorBase):
        grad = gradient._array
        if grad.shape == x.shape and grad.dtype is x.dtype:
            return node, grad
    return None


# The gradient, which has a history, holds the parameter that holds it.
_CYCLE_TEXT = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of the sum of `outputs` with respect to `inputs`.

    Args:
        outputs: a Tensor or GradientEdge, or several, from which gradients flow.
        inputs: Tensors or GradientEdges with a history, one, a sequence or a dict.
        grad_outputs: the gradients of outputs, of their shapes; None means 1, for a Tensor of one
            element.
        retain_graph: whether backward may run again; as `create_graph` if None.
        create_graph: whether gradients are recorded, to differentiate them.
        only_inputs: has no effect; False gives a warning.
        allow_unused: whether an input that no gradient reaches gets None; else it is an error.
        is_grads_batched: whether grad_outputs have a first dimension more, over which the call is
            mapped.
        materialize_grads: whether an input that no gradient reaches gets zeros.

    Returns:
        A tuple of Tensors of the shapes of `inputs`; a dict with the same keys if `inputs` is one.

    Raises:
        RuntimeError: for no history, no gradient of several elements, gradients of other shapes,
            empty `inputs`, and an input that no gradient reaches.
        ValueError: for `materialize_grads` beside allow_unused=False.

    As https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html.
    """
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    unused = bool(materialize_grads if allow_unused is None else allow_unused)
    names = list(inputs) if type(inputs) is dict else None
    outputs, inputs = _tuple(outputs), _inputs(inputs, "grad")
    gradients = (None,) * len(outputs) if grad_outputs is None else _tuple(grad_outputs)
    retain = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        found = OPS._grad_of_batch(
            outputs, inputs, gradients, retain, create_graph, allow_unused, materialize_grads
        )
        return found if names is None else dict(zip(names, found, strict=True))
    on_tensors = create_graph or active() or bool(TAKEN_UP or transforms.get())
    roots = root_gradients(outputs, gradients, on_tensors)
    found = walk_to(roots, retain, create_graph, inputs, gradients, unused)
    if materialize_grads:
        found = [
            _zeros(each, create_graph) if result is None else result
            for each, result in zip(inputs, found, strict=True)
        ]
    return tuple(found) if names is None else dict(zip(names, found, strict=True))


def walk_to(
    roots: Any,
    retain: bool,
    create_graph: bool,
    inputs: tuple[Any, ...],
    gradients: tuple[Any, ...],
    unused: bool,
) -> list[Any]:
    """The gradients of `inputs`, by a walk from the roots. `gradients` are the gradients that the
    caller passed for the roots; `unused` allows None for an input that no gradient reaches."""
    targets = [_input_target(each) for each in inputs]
    results = run_backward(roots, retain, create_graph, targets)
    sums = {id(each._array): each for each in results if isinstance(each, TensorBase)}
    known = _by_array(gradients) | sums
    return [_finished(i, result, known, unused) for i, result in enumerate(results)]


def _zeros(self: Any, requires_grad: bool) -> Any:
    if isinstance(self, GradientEdge):
        raise RuntimeError(
            "materialize_grads cannot be used when the given input is a GradientEdge"
        )
    return OPS.zeros_like(self, requires_grad=requires_grad)


def _input_target(self: Any) -> Any:
    if isinstance(self, GradientEdge):
        return self.target
    if not isinstance(self, TensorBase):
        raise RuntimeError(
            f"all inputs have to be Tensors or GradientEdges, but got {type(self).__name__}"
        )
    edge = edge_of(self)
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return target_of(edge, self)


def _finished(i: int, result: Any, known: dict[int, Any], unused: bool) -> Any:
    if result is None:
        if not unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        return None
    if isinstance(result, TensorBase):
        return result
    if id(result) not in known:
        whole = _owner(raw_of(result))
        if whole is not result:
            base = known.setdefault(id(whole), laid_out(whole))
            known[id(result)] = view_of(base, result, None, NO_GRAD)
        else:
            known[id(result)] = laid_out(result)
    return known[id(result)]


def _owner(x: Any) -> Any:
    """The array that `x` is a view of; `x` itself if it is no view, or made strided."""
    if type(x) is on_numpy.ndarray:
        while type(x.base) is on_numpy.ndarray:
            x = x.base
    elif type(x) in DEVICE_ARRAYS:
        return namespace(x).owner_of(x)
    return x


def _by_array(gradients: Sequence[Any]) -> dict[int, Any]:
    """The given gradients, and their bases, by their arrays: a gradient that reaches an input
    unchanged is returned as the same Tensor."""
    given = [each for each in gradients if each is not None]
    roots = [each if each._base is None else each._base for each in given]
    owned = {id(_owner(each._array)): each for each in roots}
    return owned | {id(each._array): each for each in given}


backward.shown_arguments = _shown_of_backward  # type: ignore[attr-defined]
backward.untold = ("grad_variables",)  # type: ignore[attr-defined]
backward.asked = _asked_by_backward  # type: ignore[attr-defined]
grad.shown_arguments = _shown_of_grad  # type: ignore[attr-defined]
grad.asked = lambda args, options: (*args[0], *args[1])  # type: ignore[attr-defined]
