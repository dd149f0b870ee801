"""The adapter of minitorch: seeing its operators and nodes, and looking at its tensors."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy

import minitorch
import minitorch.amp.casting  # whose watcher has to stand before the recorder's
from minitorch.autograd.function import Function
from minitorch.core.arrays import namespace
from minitorch.core.arrays.floating_point import readable
from minitorch.core.arrays.lazy import raw_of
from minitorch.core.base.fields import TensorBase, laid_out
from minitorch.core.base.modes import WALK_CLASSES, recording, rest, transforms, watch
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.graph import backward
from minitorch.core.graph.anomaly import AnomalyWalk
from minitorch.core.graph.hooks import ANY_HOOKS, hooks_of
from minitorch.core.graph.node import Node, accumulator, node_of
from minitorch.core.tensor.parameter import Parameter
from minitorch.func import transforms as functions
from minitorch.func.mapping import vmap
from minitorch.study.libraries.library import Library, Listener, watched_apply
from minitorch.study.libraries.swapping import Step, Swap, undo
from minitorch.study.libraries.transforms import Transform, swaps

_STUDY = -1  # the number of the recorder's hook, which no RemovableHandle has
# No operators here: methods and attributes that lead out of autograd.
_METHODS = ("detach", "detach_", "item", "tolist", "numpy", "__array__", "__float__")


_TRANSFORMS = [
    Transform(vmap, "vmap_impl", "vmap"),
    Transform(functions, "_grad", "grad"),
    Transform(functions, "_grad_and_value", "grad_and_value"),
    Transform(functions, "_vjp_with_argnums", "vjp"),
    Transform(functions, "_jvp", "jvp"),
    Transform(vmap, "_walk_of_batch", "grad"),
    *[Transform(owner, "linearize", "linearize") for owner in (minitorch.func, functions)],
    *[
        Transform(owner, name, name, True)
        for owner in (minitorch.func, functions)
        for name in ("jacrev", "jacfwd", "hessian", "functionalize")
    ],
]


class Minitorch(Library):
    """minitorch, as the tools see it."""

    name = "minitorch"
    module = minitorch
    Tensor = TensorBase
    Parameter = Parameter

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}

    @property
    def version_text(self) -> str:
        try:
            return f"minitorch {metadata.version('minitorch-eager')}"
        except metadata.PackageNotFoundError:  # run from its source, not installed
            return "minitorch"

    # ---- tensors

    def is_transformed(self, tensor: Any) -> bool:
        return tensor._level is not None

    def array(self, tensor: Any) -> Any:
        x = _values_of(tensor._array)
        x = namespace(x).to_numpy(x)
        return readable(x) if x.dtype.kind == "V" else x

    def storage_owner(self, tensor: Any) -> Any:
        x = raw_of(_values_of(tensor._array))
        owner = namespace(x).storage(x)
        is_shared = getattr(owner, "ndim", 1) == 0 and not owner.flags.writeable  # a ready number
        return tensor if is_shared or not type(owner).__weakrefoffset__ else owner

    def storage_bytes(self, tensor: Any) -> int:
        x = raw_of(_values_of(tensor._array))
        return int(getattr(namespace(x).storage(x), "nbytes", 0))

    def version(self, tensor: Any) -> int:
        cell = tensor._cell
        return 0 if cell is None else list.__getitem__(cell, 0)

    def device(self, tensor: Any) -> str | None:
        x = raw_of(_values_of(tensor._array))
        return None if type(x) is numpy.ndarray else _device_text(tensor)

    # ---- nodes

    def number_of(self, node: Any) -> int | None:
        known = self._numbers.get(id(node))
        return known[1] if known is not None and known[0]() is node else None

    def number(self, node: Any, number: int) -> None:
        key = id(node)
        numbers = self._numbers
        numbers[key] = weakref.ref(node, lambda _: numbers.pop(key, None)), number

    # ---- watching

    def attach(self, listener: Callable[[], Listener | None]) -> Callable[[], None]:
        self._numbers.clear()
        watcher, walk = _watcher(listener), _walk(listener)
        steps: list[Step] = [
            Swap(minitorch.Tensor, name, _method(name, listener)) for name in _METHODS
        ]
        steps.append(Swap(minitorch.Tensor, "data", _data(listener)))
        steps.append(Swap(minitorch.Tensor, "grad", _grad(listener)))
        steps.append(watched_apply(Function, listener))
        steps.append(Swap(backward, "walk_to", _walk_to(listener)))
        steps += swaps(_TRANSFORMS, listener)
        WATCHERS.append(watcher)
        WALK_CLASSES.append(walk)
        ANY_HOOKS.hold(walk)
        watch(+1)

        def detach() -> None:
            watch(-1)
            ANY_HOOKS.release(walk)
            WALK_CLASSES.remove(walk)
            WATCHERS.remove(watcher)
            undo(steps)
            rest()
            self._numbers.clear()

        return detach


def _values_of(array: Any) -> Any:
    """The array itself, or the numbers that a sparse one keeps."""
    return array.values if hasattr(type(array), "values") else array


def _device_text(tensor: Any) -> str | None:
    device = tensor.device
    return None if device.type == "cpu" else str(device)


def _watcher(listener: Callable[[], Listener | None]) -> Any:
    """A member of WATCHERS."""

    def watching(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        to = listener()
        if to is None:
            return compute
        return lambda *args, **kwargs: to.call(name, compute, args, kwargs)

    return watching


def _method(name: str, listener: Callable[[], Listener | None]) -> Any:
    original = minitorch.Tensor.__dict__[name]

    def seen(self: Any, *args: Any, **kwargs: Any) -> Any:
        to = listener()
        if to is None:
            return original(self, *args, **kwargs)
        return to.call(name, original, (self, *args), kwargs)

    seen.__name__, seen.__qualname__, seen.__doc__ = name, original.__qualname__, original.__doc__
    return seen


def _data(listener: Callable[[], Listener | None]) -> property:
    original = minitorch.Tensor.__dict__["data"]

    def seen(self: Any) -> Any:
        to = listener()
        return original.fget(self) if to is None else to.call("data", original.fget, (self,), {})

    return property(seen, original.fset, original.fdel, original.__doc__)


def _grad(listener: Callable[[], Listener | None]) -> property:
    original = minitorch.Tensor.__dict__["grad"]

    def assign(self: Any, grad: Any) -> None:
        to = listener()
        if to is None:
            original.fset(self, grad)
        else:
            to.assign_grad(self, grad, lambda: original.fset(self, grad))

    return property(original.fget, assign, original.fdel, original.__doc__)


def _nodes_of(roots: list[tuple[Any, Any]]) -> list[Any]:
    """The nodes at which a walk begins."""
    into = [node_of(target) for target, _ in roots]
    return [each.public_node if isinstance(each, Node) else accumulator(each) for each in into]


def _walk_to(listener: Callable[[], Listener | None]) -> Any:
    """A wrapper of the function that autograd.grad() calls, which reports to the listener."""
    original = backward.walk_to

    def walk_to(roots: Any, keep: Any, create_graph: Any, *more: Any) -> Any:
        to = None if transforms.get() else listener()
        if to is None:
            return original(roots, keep, create_graph, *more)
        to.begin_backward("grad", _nodes_of(roots), bool(keep), bool(create_graph))
        try:
            results = original(roots, keep, create_graph, *more)
        except BaseException:
            to.end_backward()
            raise
        to.end_backward(results)
        return results

    return walk_to


def _walk(listener: Callable[[], Listener | None]) -> type[AnomalyWalk]:
    """A member of WALK_CLASSES, which tells the listener of each node."""

    class StudyWalk(AnomalyWalk):
        """A walk that the recorder sees; without one it is anomaly mode's."""

        def start(self, roots: list[tuple[Any, Any]]) -> None:
            self.listener = to = None if transforms.get() else listener()
            # The beginning and the end of an autograd.grad are told of by walk_to().
            self.is_grad = self.wanted is not None and not self.accumulate_inputs
            if to is not None and not self.is_grad:
                keep, create = bool(self.keep_graph), recording()  # as create_graph says
                to.begin_backward("backward", _nodes_of(roots), keep, create)
            try:
                super().start(roots)
            except BaseException:
                self.end()
                raise

        def run(self, nodes: list[Node]) -> None:
            try:
                super().run(nodes)
            finally:
                self.end()

        def end(self) -> None:
            if self.listener is not None and not self.is_grad:
                self.listener.end_backward()

        def evaluate(self, node: Node, step: Callable[..., None], *args: Any) -> None:
            to = self.listener
            if to is None or hasattr(node, "variable"):
                super().evaluate(node, step, *args)
            else:
                self.evaluate_node(to, node, step, *args)

        def accumulate(self, leaf: Any, grad: Any, alone: Any = None, end: Any = None) -> None:
            to = self.listener
            if to is None or grad is None:
                super().accumulate(leaf, grad, alone, end)
                return
            number = to.number_of_node(accumulator(leaf))
            to.receive(number, grad if isinstance(grad, TensorBase) else laid_out(grad))
            super().accumulate(leaf, grad, alone, end)
            to.accumulate(number, leaf)

        def evaluate_node(self, to: Listener, node: Any, step: Any, *args: Any) -> None:
            number = to.number_of_node(node.public_node)
            fresh = node.hooks is None
            around = hooks_of(node)
            if around.post is None:
                around.post = OrderedDict()
            around.post[_STUDY] = lambda into, out_of: to.run_node(number, into, out_of)
            try:
                super().evaluate(node, step, *args)
            finally:
                around.post.pop(_STUDY, None)
                if fresh and node.hooks is around and not around.are_left():
                    node.hooks = None

    return StudyWalk
