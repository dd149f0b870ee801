"""Nodes of Functions: they record a call of `MyFunction.apply`, and run its backward.

The user sees the ctx in place of the node everywhere: as grad_fn, and among next_functions. Its
attributes may have any names, so the node is a separate object, which holds the ctx. The ctx holds
only the State, from which the node is made again if it died before the ctx: so they make no cycle.
As torch/csrc/autograd/python_function.cpp and custom_function.cpp.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from minitorch.aten.shape.views import view_forward
from minitorch.autograd.function_tangents import push
from minitorch.core.arrays import namespace
from minitorch.core.base.fields import NOWHERE, TensorBase, is_leaf, is_wrapper, laid_out, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import FormulaMode, GradMode, grad_in_inference, recording
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.graph.fit import check
from minitorch.core.graph.forward import LEVELS
from minitorch.core.graph.hooks import ANY_HOOKS, retain_at
from minitorch.core.graph.node import FREED, Node, next_order, save_input, save_output
from minitorch.core.graph.saved_hooks import HOOKS, pack_input, pack_output
from minitorch.core.graph.views import (
    CUSTOM,
    MULTIPLE,
    check_writable,
    edge_of,
    is_view,
    note_write,
    rebase,
    recorded_edge,
    view_of,
)
from minitorch.core.numbers.device import strided
from minitorch.core.warning import warn


class State:
    """The state that a ctx keeps of its node.

    node: a weak reference to the node, None while nothing is recorded.
    arguments: for each argument of apply, whether it was a Tensor.
    forms: shape, dtype and array namespace of each output; None for outputs that are not Tensors.
    """

    materialize = True
    saved: Any = ()
    edges: tuple[Any, ...] = ()
    arguments: tuple[bool, ...] = ()
    forms: tuple[Any, ...] = ()
    hooks: Any = None
    node: Any = None
    notes: Any = None

    def __init__(self) -> None:
        self.order = next_order()

    @property
    def metadata(self) -> dict[Any, Any]:
        """The user's own notes, and those of anomaly mode."""
        if self.notes is None:
            self.notes = getattr(self.order, "notes", {})
        return self.notes


class FunctionNode(Node):
    """The node of one call of a Function: runs its `backward`."""

    __slots__ = ("ctx", "state")
    skips_unwanted = False
    complex_only = True

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx
        state = self.state = ctx._call_state
        state.node = weakref.ref(self)
        self.edges, self.order = state.edges, state.order
        if state.forms:
            self.set_forms()

    def set_forms(self) -> None:
        """Sets the forms of the outputs, which are known after forward."""
        forms = self.state.forms
        self.outputs = len(forms)
        if len(forms) == 1 and forms[0] is not None:
            self.shape, self.dtype, _ = forms[0]
            return
        known = [each or ((), None, None) for each in forms]
        shapes, dtypes = tuple([each[0] for each in known]), tuple([each[1] for each in known])
        self.shape, self.dtype = (shapes[0], dtypes[0]) if len(forms) == 1 else (shapes, dtypes)

    @property
    def public_node(self) -> Any:
        return self.ctx

    @property
    def hooks(self) -> Any:
        return self.state.hooks

    @hooks.setter
    def hooks(self, hooks: Any) -> None:
        self.state.hooks = hooks

    @property
    def metadata(self) -> dict[Any, Any]:
        return self.state.metadata

    def name(self) -> str:
        return type(self.ctx).__name__

    def only_wanted(self, grads: tuple[Any, ...], wanted: list[bool]) -> tuple[Any, ...]:
        return grads  # the unchanged result of the user's backward

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        grads = grad if self.outputs > 1 else [grad]
        grads = self.run([None if g is None else laid_out(g) for g in grads], retain)
        return tuple([None if g is None else g._array for g in grads])

    def apply_graph(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        return self.run(list(grad) if self.outputs > 1 else [grad], retain)

    def apply_nothing(self, retain: bool, create_graph: bool) -> tuple[Any, ...]:
        nothing = [None] * self.outputs if self.outputs > 1 else None
        return self.apply_graph(nothing, retain) if create_graph else self.apply(nothing, retain)

    def run(self, grads: list[Any], retain: bool) -> tuple[Any, ...]:
        """The gradients of the Tensor arguments, from the user's backward."""
        ctx, state = self.ctx, self.state
        if state.materialize:
            grads = [self._zeros(i) if g is None else g for i, g in enumerate(grads)]
        with FormulaMode(None):
            returned = ctx.apply(*grads)
        grads = self._checked(returned if isinstance(returned, tuple) else (returned,))
        if not retain:
            self.release()
        return grads

    def release(self) -> None:
        if self.state.saved is not None:  # freed already
            self.state.saved = FREED

    def _zeros(self, i: int) -> Any:
        form = self.state.forms[i]
        if form is None:
            return None
        zeros = tensor(form[2].zeros(*form[:2]))
        if STACK.get():  # torch calls zeros here
            how = {"dtype": zeros.dtype, "layout": strided, "device": zeros.device}
            return OPS.zeros(zeros.shape, **how)
        return zeros

    def _checked(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        arguments = self.state.arguments
        expected = len(arguments)
        if len(grads) > expected and all(grad is None for grad in grads[expected:]):
            grads = grads[:expected]
        if len(grads) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected "
                f"{expected}, got {len(grads)})"
            )
        result = []
        for i, (grad, is_tensor) in enumerate(zip(grads, arguments)):
            if not is_tensor:
                if grad is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at "
                        f"position {i + 1}, but the corresponding forward input was not a Variable"
                    )
            elif grad is not None and not isinstance(grad, TensorBase):
                raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
            else:
                result.append(grad)
        for i, (edge, grad) in enumerate(zip(self.edges, result, strict=True)):
            if grad is None or edge is None or edge is NOWHERE:
                continue
            into, number = edge if type(edge) is tuple else (edge, None)
            like = into._array if isinstance(into, TensorBase) else into
            shape = like.shape if number is None else like.shape[number]
            if grad._array.shape != shape:
                check(grad._array.shape, shape, self, i)
        return tuple(result)


def prepare(kind: Any, args: tuple[Any, ...]) -> tuple[Any, FunctionNode | None]:
    """The ctx of a call with these arguments, of the class `kind`; and the node of the call, if the
    call is recorded."""
    tensors = tuple([isinstance(each, TensorBase) for each in args])
    if not (recording() or grad_in_inference.get()):  # then no view needs a new edge
        needed = tuple([tensors[i] and x.requires_grad for i, x in enumerate(args)])
        edges: list[Any] = []
    else:  # new edges of views are older than the call
        edges = [recorded_edge(each) if tensors[i] else None for i, each in enumerate(args)]
        needed = tuple([edge is not None for edge in edges])
    ctx = kind()
    state = ctx._call_state
    state.arguments, ctx.needs_input_grad = tensors, needed
    if not (edges and True in needed):
        return ctx, None
    state.edges = tuple(edges if all(tensors) else itertools.compress(edges, tensors))
    return ctx, FunctionNode(ctx)


def finish(ctx: Any, node: Any, args: tuple[Any, ...], outputs: Any, apart: bool) -> Any:
    """The outputs of apply: those of forward, with their history. Saves the tensors of ctx.

    apart: whether the class has a setup_context apart from forward.
    """
    inputs = [each for each in args if isinstance(each, TensorBase)]
    if node is not None:
        ctx._call_state.forms = tuple([_form(each) for each in outputs])
        node.set_forms()
    dirty, fixed = _marked(ctx, *_DIRTY), _marked(ctx, *_FIXED)
    for each in dirty:
        note_write(each, None)
    apart_saved = ctx.to_save or () if apart else ()
    results, flowing = [], 0
    for number, each in enumerate(outputs):
        if not isinstance(each, TensorBase):
            results.append(each)
            continue
        flows = node is not None and each._array.dtype.kind in "fcV" and not _among(each, fixed)
        flowing += flows
        given, modified = _among(each, inputs), _among(each, dirty)
        kept = _among(each, apart_saved)
        result = _connected(each, number, node if flows else None, given, modified, kept)
        if is_view(result) and not (given and modified):
            _originate(result, CUSTOM)
        results.append(result)
    if flowing > 1:
        for result in results:
            if isinstance(result, TensorBase) and is_view(result):
                _originate(result, MULTIPLE)
    if not all([_among(each, outputs) for each in dirty]):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. "
            "The inputs that are modified inplace must all be outputs of the Function."
        )
    if LEVELS:
        push(ctx, args, outputs, results, dirty, fixed)
    if node is not None:
        _save(ctx, node)
    ctx.to_save = ctx.saved_for_forward = ctx.dirty_tensors = ctx.non_differentiable = None
    return results


def _form(output: Any) -> Any:
    """Shape, dtype and array namespace of an output; None if it is no Tensor."""
    if not isinstance(output, TensorBase):
        return None
    x = output._array
    return x.shape, x.dtype, namespace(x)


def _among(self: Any, tensors: Any) -> bool:
    return any([each is self for each in tensors])  # `in` would compare elements


_DIRTY = "dirty_tensors", "mark_dirty can only accept variables, but argument "
_FIXED = "non_differentiable", "mark_non_differentiable only accepts variable arguments, but got "


def _marked(ctx: Any, name: str, refusal: str) -> tuple[Any, ...]:
    """The tensors that forward marked; RuntimeError if any mark is no tensor."""
    marked = getattr(ctx, name)
    if marked is None:
        return ()
    _check_tuple(name, marked)
    if not all([isinstance(each, TensorBase) for each in marked]):
        raise RuntimeError(refusal)
    return marked


def _check_tuple(name: str, value: Any) -> None:
    if not isinstance(value, tuple):
        raise RuntimeError(
            f"autograd internal error: {name} attribute is expected to be a tuple but is "
        )


def _viewed(self: Any) -> Any:
    """The array of self.view_as(self)."""
    return view_forward(namespace(self._array), self._array, self._array.shape)


def _originate(self: Any, origin: str) -> None:
    """Sets the reason why a view must not be written."""
    self._view = (*self._view[:2], origin, *self._view[3:])


def _connected(self: Any, number: int, node: Any, given: bool, modified: bool, kept: bool) -> Any:
    """An output as apply returns it.

    node: its history, None if no gradient flows through it.
    given, modified: whether it is an input, and whether that input is marked as written.
    kept: whether it is saved by a setup_context that is apart from forward.
    """
    if node is None and self.requires_grad:
        if given:
            return self.detach()
        if not is_view(self):
            self._edge = None
        return self
    if given and not modified:
        if kept:
            raise RuntimeError(
                "An input that has been returned as-is as output is being saved for backward. This "
                "is not supported if you override setup_context. You should return and save a view "
                "of the input instead, e.g. with x.view_as(x) or setup ctx inside the forward "
                "function itself."
            )
        if is_wrapper(self):
            with GradMode(False):
                view = OPS.view_as(self, self)
            view._edge = _edge(node, number)
            return view
        with GradMode(node is not None):
            return view_of(self, _viewed(self), _edge(node, number))
    if node is not None and modified:
        _check_modified(self, node, given)
        self._grad = None  # also if the write is refused
        check_writable(self, True)
        if is_view(self):
            rebase(self, node)
            return self
        before, self._edge = self._edge, _edge(node, number)
        if ANY_HOOKS:
            retain_at(self._edge, before)
    elif node is not None:
        self._edge = _edge(node, number)
        if is_view(self):  # a write within forward is part of what `node` does
            self._view = (self._view[0], self._cell[0], *self._view[2:])
    return self


def _edge(node: Any, number: int) -> Any:
    return node if node is None or node.outputs == 1 else (node, number)


def _check_modified(self: Any, node: Any, given: bool) -> None:
    """RuntimeError for a tensor marked as written whose history cannot be changed."""
    if is_leaf(self) and self.requires_grad:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation."
        )
    if not given:
        warn(
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that "
            "have been mutated should be passed to ctx.mark_dirty()."
        )
    if is_view(self) and node.outputs > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your "
            "Function cannot return more than one Tensor. This is not supported by the current "
            "autograd engine. You should either make sure the input is not a view (using "
            ".clone() for example) or make your Function only return one Tensor (potentially "
            "splitting it into two Functions: one doing the inplace that returns a single "
            "Tensor and a second one that does the other operations). You can ask on the forum "
            "https://discuss.pytorch.org/ if you need help to do this change."
        )


def _save(ctx: Any, node: Any) -> None:
    """Keeps the tensors of save_for_backward; of an output only its array, to make no cycle."""
    tensors = () if ctx.to_save is None else ctx.to_save
    _check_tuple("to_save", tensors)
    hooks, kept = HOOKS.get(), []
    for i, self in enumerate(tensors):
        if self is not None and not isinstance(self, TensorBase):
            raise TypeError(
                "save_for_backward can only save variables, but argument "
                f"{i} is of type {type(self).__name__}"
            )
        edge = None if self is None else edge_of(self)
        into, number = edge if type(edge) is tuple else (edge, 0)
        output = into is node
        saved = save_output(self, number) if output else save_input(self)
        if hooks and output:
            saved = pack_output(saved, node, self, hooks[-1])
        elif hooks:
            saved = pack_input(saved, hooks[-1])
        kept.append(saved)
    ctx._call_state.saved = tuple(kept)


class Error(Node):
    """The history of gradients that must not be differentiated again; it has no edges."""

    __module__ = "builtins"
    __slots__ = ("text",)

    def __init__(self, text: str, tensors: list[Any]) -> None:
        self.text = text
        self.edges = tuple(tensors)
        self.order = next_order()
        self.outputs = len(tensors)
        shapes = tuple([() if each is None else each._array.shape for each in tensors])
        dtypes = tuple([None if each is None else each._array.dtype for each in tensors])
        one = len(tensors) == 1
        self.shape, self.dtype = (shapes[0], dtypes[0]) if one else (shapes, dtypes)

    def name(self) -> str:
        return "torch::autograd::Error"

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        raise RuntimeError(self.text)

    apply_graph = apply

    def outcome(self) -> Any:
        """Copies of the tensors, with this node as their history."""
        results = [
            None if each is None else tensor(each._array, self if self.outputs == 1 else (self, i))
            for i, each in enumerate(self.edges)
        ]
        return tuple(results) if len(results) > 1 else results[0]
