"""Hooks: keeping them on tensors and nodes, and calling them during a backward."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from minitorch.core.base.fields import laid_out
from minitorch.core.base.formulas import OPS
from minitorch.core.base.latches import Latch
from minitorch.core.base.modes import TAKEN_UP, FormulaMode
from minitorch.core.numbers import device as devices
from minitorch.core.public_pickles import rebuild
from minitorch.core.tensor.conversion import native_type_name

# The dictionaries of hooks of nodes and leaves, the NodeHooks that retain a gradient, and the kinds
# of walks that observe each node. While there is none, the engine does not look for hooks (10 us a
# step of a small network, 1 us a node).
ANY_HOOKS = Latch()
# The latches that dictionaries of hooks close.
_CLOSED_BY_HOOKS = [ANY_HOOKS]
# Held while a hook is added or removed: a latch must not open when another thread adds one.
_CHANGING = threading.RLock()


def latch_of_hooks() -> Latch:
    """A new latch for `insert_hook`; the handle that removes the last hook opens it."""
    latch = Latch()
    _CLOSED_BY_HOOKS.append(latch)
    return latch


def insert_hook(hooks: OrderedDict[int, Any], number: int, hook: Any, latch: Latch) -> None:
    """Puts a hook into a dictionary by the number of its handle, and closes `latch`."""
    with _CHANGING:
        hooks[number] = hook
        if id(hooks) not in latch:
            latch.hold(hooks)


class RemovableHandle:
    """The handle that registering a hook returns; remove() takes the hook away.

    hooks_dict: the dictionary of the hook, by the handle's id.
    extra_dict: a dictionary, or a list of them, from which remove() deletes the id as well.
    """

    __module__ = "torch.utils.hooks"

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or ()
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.extra_dict_ref = tuple([weakref.ref(each) for each in extra])

    def remove(self) -> None:
        """Takes the hook away, if it is still there."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None and self.id in hooks:
                with _CHANGING:
                    del hooks[self.id]
                    if not hooks:
                        for latch in _CLOSED_BY_HOOKS:
                            latch.pop(id(hooks), None)  # 0.1 us sooner than release

    def __reduce__(self) -> Any:
        cls = type(self)
        module = cls.__module__
        path = f"mini{module}" if module.startswith("torch.") else module
        return rebuild, (path, cls.__name__), self.__getstate__()

    def __getstate__(self) -> Any:
        return self.hooks_dict_ref(), self.id, tuple([ref() for ref in self.extra_dict_ref])

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, *extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple([weakref.ref(each) for each in (extra and extra[0]) or ()])
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a hook that may be lost without a warning when its tensor is pickled."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warns of the hooks of a tensor that is about to be pickled without them."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                "suppress this warning",
                stacklevel=2,
            )


class NodeHooks:
    """The hooks around one node.

    tensors: {output number: hooks of the tensor that is this output}
    retained: {output number: weak reference to the tensor that retains its grad}
    pre, post: the node's own hooks, before and after it runs
    """

    __slots__ = ("__weakref__", "post", "pre", "retained", "tensors")

    def __init__(self) -> None:
        self.tensors: dict[int, OrderedDict[int, Any]] = {}
        self.retained: dict[int, Any] = {}
        self.pre: OrderedDict[int, Any] | None = None
        self.post: OrderedDict[int, Any] | None = None

    def are_left(self) -> bool:
        """Whether any hook is left, or any gradient to retain."""
        return bool(self.pre or self.post or self.retained or any(self.tensors.values()))

    def retain(self, number: int, tensor: Any) -> None:
        """Stores the gradients of an output in the tensor that this weak reference refers to."""
        self.retained[number] = tensor
        ANY_HOOKS.hold(self)


def hooks_of(node: Any) -> NodeHooks:
    """The hooks around `node`, made on first need."""
    if node.hooks is None:
        node.hooks = NodeHooks()
    return node.hooks


def add_hook(owner: Any, field: str, hook: Callable[..., Any]) -> RemovableHandle:
    """Appends `hook` to the hooks `owner.<field>`, made on first need."""
    hooks = getattr(owner, field)
    if hooks is None:
        hooks = OrderedDict()
        setattr(owner, field, hooks)
    return append_hook(hooks, hook)


def append_hook(hooks: OrderedDict[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    """Appends `hook` and returns its handle."""
    handle = RemovableHandle(hooks)
    insert_hook(hooks, handle.id, hook, ANY_HOOKS)
    return handle


def _wrap(grad: Any, create_graph: bool) -> Any:
    return grad if create_graph or grad is None else laid_out(grad)


def _unwrap(grad: Any, create_graph: bool) -> Any:
    return grad if create_graph or grad is None else grad._array


def called(hook: Callable[..., Any], *given: Any) -> Any:
    """The result of a program's hook. Modes below autograd see its calls as the program's own."""
    if TAKEN_UP:
        with FormulaMode(None):
            return hook(*given)
    return hook(*given)


def checked(hook: Callable[[Any], Any], grad: Any) -> Any:
    """The gradient that a tensor's hook returns in place of `grad`; `grad` if it returns None."""
    result = called(hook, grad)
    if result is None:
        return grad
    _check_kept(hook, grad, result)
    return result


def checked_tuple(hook: Callable[..., Any], grads: tuple[Any, ...], *others: Any) -> Any:
    """The gradients that a node's hook returns in place of `grads`; `grads` if it returns None."""
    results = called(hook, grads, *others)
    if results is None:
        return grads
    if not isinstance(results, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(results).__name__}'")
    if len(results) != len(grads):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values "
            f"(got {len(results)}, but expected {len(grads)})"
        )
    for grad, result in zip(grads, results, strict=True):
        if result is not None:
            _check_kept(hook, grad, result)
    return results


def _check_kept(hook: Callable[..., Any], grad: Any, result: Any) -> None:
    """Raises if a hook returned a gradient of another type, dtype or shape than it got. As
    check_single_result of torch/csrc/autograd/python_hook.cpp."""
    if not hasattr(result, "_array"):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if grad is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if result._array.dtype != grad._array.dtype:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value "
            f"(was {native_type_name(grad)} got {native_type_name(result)})"
        )
    if result._array.shape != grad._array.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")


def _name(hook: Callable[..., Any]) -> str:
    return getattr(hook, "__name__", "<unknown>")


def call_leaf_hooks(leaf: Any, grad: Any, create_graph: bool) -> Any:
    """The gradient of a leaf after its hooks."""
    wrapped = _wrap(grad, create_graph)
    for hook in list(leaf._hooks.values()):
        wrapped = checked(hook, wrapped)
    return _unwrap(wrapped, create_graph)


def call_tensor_hooks(node: Any, grad: Any, create_graph: bool) -> Any:
    """The gradients of a node's outputs after those tensors' hooks; retained ones are stored."""
    return _received(grad, _after_tensor_hooks(node, grad, create_graph), create_graph)


def call_pre_hooks(node: Any, grad: Any, create_graph: bool) -> Any:
    """The gradients after the hooks of the outputs, then after the node's own pre-hooks."""
    wrapped = _after_tensor_hooks(node, grad, create_graph)
    for hook in list((node.hooks.pre or {}).values()):
        wrapped = list(checked_tuple(hook, tuple(wrapped)))
    return _received(grad, wrapped, create_graph)


def _after_tensor_hooks(node: Any, grad: Any, create_graph: bool) -> list[Any]:
    grads = _all_of(node, grad)
    wrapped = [_wrap(each, create_graph) for each in grads]
    around = node.hooks
    for number, hooks in around.tensors.items():
        for hook in list(hooks.values()):
            wrapped[number] = checked(hook, wrapped[number])
    for number, reference in around.retained.items():
        self = reference()
        if self is not None and wrapped[number] is not None:
            retain(self, wrapped[number], create_graph)
    return wrapped


def _all_of(node: Any, grad: Any) -> list[Any]:
    """The gradients of all outputs as a list; a node of several outputs gets a list, or None."""
    if type(grad) is list:
        return grad
    return [grad] if node.outputs == 1 else [None] * node.outputs


def _received(grad: Any, wrapped: list[Any], create_graph: bool) -> Any:
    """Gradients in the form of `grad`: a list for a node of several outputs; or None."""
    grads = [_unwrap(each, create_graph) for each in wrapped]
    if type(grad) is not list and len(grads) == 1:
        return grads[0]
    return grads if any([each is not None for each in grads]) else None


def retain(self: Any, grad: Any, create_graph: bool) -> None:
    """Stores the gradient of a non-leaf that retains it."""
    if self._grad is None:
        strided = grad.layout is devices.strided
        self._grad = OPS.clone(
            grad, memory_format=devices.contiguous_format if strided else devices.preserve_format
        )
    else:
        self._grad = self._grad + grad


def retain_at(edge: Any, before: Any) -> None:
    """Moves the retaining of a tensor's gradient from the edge `before` to `edge`."""
    node, number = before if type(before) is tuple else (before, 0)
    around = getattr(node, "hooks", None)
    if around is not None and number in around.retained:
        into, output = edge if type(edge) is tuple else (edge, 0)
        hooks_of(into).retain(output, around.retained.pop(number))


def call_hooks(node: Any, grads: Any, outputs: Any, create_graph: bool) -> Any:
    """The gradients of a node's inputs after its own hooks."""
    wrapped = tuple([_wrap(each, create_graph) for each in grads])
    received = tuple([_wrap(each, create_graph) for each in _all_of(node, outputs)])
    for hook in list((node.hooks.post or {}).values()):
        wrapped = checked_tuple(hook, wrapped, received)
    return tuple([_unwrap(each, create_graph) for each in wrapped])
