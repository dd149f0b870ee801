"""torch.autograd.graph: functions to read the graph, and to change how it is recorded."""

from __future__ import annotations

import abc
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from minitorch.autograd.function import BackwardCFunction
from minitorch.core.base.fields import NOWHERE, TensorBase
from minitorch.core.base.modes import BEFORE_WRITES, RUNNING, GradMode
from minitorch.core.graph import node as nodes
from minitorch.core.graph import saved_hooks
from minitorch.core.graph.current_backward import current_node
from minitorch.core.graph.hooks import RemovableHandle
from minitorch.core.graph.node import GradientEdge, accumulator
from minitorch.core.graph.views import note_write

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "region_activation_memory_budget",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class Node(abc.ABC):
    """The base class of the nodes of the graph; `grad_fn` is one.

    As torch.autograd.graph.Node.
    """

    __module__ = "torch.autograd.graph"

    @abc.abstractmethod
    def name(self) -> str:
        """The name, as torch prints it."""
        raise NotImplementedError

    @property
    @abc.abstractmethod
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        raise NotImplementedError

    @abc.abstractmethod
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes."""
        raise NotImplementedError

    @abc.abstractmethod
    def _sequence_nr(self) -> int:
        raise NotImplementedError

    @property
    @abc.abstractmethod
    def _input_metadata(self) -> list[Any]:
        raise NotImplementedError

    @abc.abstractmethod
    def _register_hook_dict(self, tensor: Any) -> None:
        raise NotImplementedError

    @abc.abstractmethod
    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Calls fn(grad_inputs, grad_outputs) after this node ran."""
        raise NotImplementedError

    @abc.abstractmethod
    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Calls fn(grad_outputs) before this node runs."""
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, subclass: type) -> bool:
        kinds = nodes.Node, BackwardCFunction
        return True if cls is Node and issubclass(subclass, kinds) else NotImplemented


def _node_of(tensor: Any) -> Any:
    if isinstance(tensor, GradientEdge):
        return tensor.node
    node = tensor.grad_fn
    if node is None and tensor.requires_grad and tensor._edge is not NOWHERE:
        node = accumulator(tensor)
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The place in the graph where the gradient of `tensor` is computed: grad() takes either.

    Args:
        tensor: a Tensor that requires grad.

    Returns:
        A GradientEdge, which keeps the node alive.

    Raises:
        RuntimeError: if `tensor` does not require grad.

    As torch.autograd.graph.get_gradient_edge.
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    node, token = _node_of(tensor), None
    if isinstance(node, BackwardCFunction):
        with GradMode(True):
            token = tensor.view_as(tensor).grad_fn
    return GradientEdge(node, tensor.output_nr, ownership_token=token)


def increment_version(tensor: Any) -> None:
    """Counts a write, which autograd could not see, into a tensor or into each of several.

    Args:
        tensor: a Tensor, or an iterable of them; inference tensors are left as they are.

    Raises:
        RuntimeError: for what is neither.

    As torch.autograd.graph.increment_version.
    """
    if isinstance(tensor, TensorBase):
        tensor = (tensor,)
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in tensor:
        if not isinstance(each, TensorBase):
            raise RuntimeError(
                "increment_version expects each element of the iterable to be a tensor"
            )
        if not each.is_inference():
            note_write(each, None)


class saved_tensors_hooks:
    """Inside, nodes keep pack_hook(tensor) in place of a tensor; unpack_hook restores the tensor.

    Args:
        pack_hook: takes a tensor that a node saves, and returns any object.
        unpack_hook: takes that object in backward, and returns a tensor of the same values.

    As https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.saved_tensors_hooks.
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        saved_hooks.push(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception: object) -> None:
        saved_hooks.pop()


class save_on_cpu(saved_tensors_hooks):
    """Inside, nodes keep tensors in the memory of the CPU; backward brings them back.

    Args:
        pin_memory: accepted; copies are made before the call returns.
        device_type: accepted: the kind of device that memory is pinned for.

    As torch.autograd.graph.save_on_cpu.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack_to_cpu(tensor: Any) -> tuple[Any, Any]:
            return tensor.device, tensor.clone() if pin_memory and tensor.is_cpu else tensor.cpu()

        def unpack_from_cpu(packed: tuple[Any, Any]) -> Any:
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack_to_cpu, unpack_from_cpu)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, entering saved_tensors_hooks raises a RuntimeError with this message.

    Args:
        error_message: the error's text.

    Raises:
        RuntimeError: if such hooks are active already.
        TypeError: for what is no str.

    As torch.autograd.graph.disable_saved_tensors_hooks.
    """
    before = saved_hooks.DISABLED.get()
    try:
        if not isinstance(error_message, str):
            signature = "error_message: str, fail_if_non_empty: bool = True"
            raise saved_hooks.incompatible(
                "_saved_tensors_hooks_disable", signature, (error_message,)
            )
        if saved_hooks.HOOKS.get():
            raise RuntimeError(error_message)
        saved_hooks.DISABLED.set(error_message)
        yield
    finally:
        saved_hooks.DISABLED.set(before)


def region_activation_memory_budget(budget: float) -> Any:
    """How much a compiled region may keep for backward; without a compiler, an error.

    Args:
        budget: the part that is kept, from 0 to 1.

    Raises:
        TypeError: for what is no number.
        ValueError: if it is out of range.
        RuntimeError: otherwise, since there is no compiled region.

    As torch.autograd.graph.region_activation_memory_budget.
    """
    name = "torch.autograd.graph.region_activation_memory_budget"
    if isinstance(budget, bool) or not isinstance(budget, (int, float)):
        raise TypeError(f"{name}: expects a float, got {type(budget).__name__}")
    if not 0.0 <= budget <= 1.0:
        raise ValueError(f"{name}: must be in [0, 1], got {budget}")
    raise RuntimeError(
        f"{name} can only be used inside a torch.compile region; it has no effect in eager mode."
    )


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Whether to warn of streams that differ; there is one stream here.

    Args:
        enabled: accepted.

    Raises:
        RuntimeError: for what is no bool.

    As torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch.
    """
    _check_switch(enabled)


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Chooses how stale streams are treated while a CUDA graph is captured; none is captured here.

    Args:
        enabled: accepted.

    Raises:
        RuntimeError: for what is no bool.

    As torch.autograd.graph.set_override_stale_capture_stream.
    """
    _check_switch(enabled)


def _check_switch(enabled: Any) -> None:
    if not isinstance(enabled, bool):
        raise RuntimeError(f"enabled must be a bool, but got {type(enabled).__name__}")


class _MultiHandle(RemovableHandle):
    """The handles of one hook on several tensors, as one."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> Any:
        return self.handles

    def __setstate__(self, state: Any) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[[Any], None], *, mode: str = "all"
) -> RemovableHandle:
    """Calls fn once in a backward: with the gradients of all `tensors` (None for a tensor without
    one), or under mode 'any' with the first gradient of one of them.

    Args:
        tensors: Tensors that require grad.
        fn: takes the list of gradients under 'all', one gradient under 'any'; its result is
            ignored.
        mode: 'all' or 'any'.

    Returns:
        A handle, whose `remove()` takes the hook away.

    Raises:
        ValueError: for another `mode`.
        AssertionError: under 'all', for a Tensor that does not require grad.

    As torch.autograd.graph.register_multi_grad_hook.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock = threading.Lock()
    if mode == "any":
        ran = set()

        @wraps(fn)
        def first(grad: Any) -> None:
            number = _walk().number
            with lock:
                if number in ran:
                    return
                ran.add(number)
            fn(grad)

        return _MultiHandle(tuple([t.register_hook(first) for t in tensors if t.requires_grad]))

    waited_for = [_node_of(each) for each in tensors]
    received: dict[int, list[Any]] = {}  # walk -> the gradients so far
    missing: dict[int, int] = {}  # walk -> how many are still to come

    def receive(i: int, grad: Any) -> None:
        walk = _walk()
        with lock:
            if walk.number not in received:
                received[walk.number] = [None] * len(waited_for)
                missing[walk.number] = sum(map(walk.executes, waited_for))
            received[walk.number][i] = grad
            missing[walk.number] -= 1
            last = missing[walk.number] == 0
        if last:
            del missing[walk.number]
            fn(received.pop(walk.number))

    return _MultiHandle(
        tuple([t.register_hook(partial(receive, i)) for i, t in enumerate(tensors)])
    )


def _walk() -> Any:
    walk = RUNNING.get()
    if walk is None:
        raise AssertionError("expected this hook to be called inside a backward call")
    return walk


def _register_logging_hooks_on_whole_graph(t_outputs: Sequence[Any]) -> Callable[[], None]:
    """Logs which nodes run, and with which gradients; returns a function that removes the hooks."""
    import logging  # 3 ms and 0.6 MiB

    def form(gradient: Any) -> str:
        if gradient is None:
            return "None"
        return f"{gradient.dtype.abbr}[{', '.join(map(str, gradient.shape))}]"

    def prehook(gradients: Any) -> None:
        forms = ",".join(map(form, gradients))
        logging.getLogger("torch.autograd.graph").debug(
            f"Executing: {current_node()} with grad_outputs: [{forms}]"
        )

    found = dict.fromkeys([_node_of(each) for each in t_outputs])
    waiting = list(found)
    for node in waiting:
        for following, _ in node.next_functions:
            if following is not None and following not in found:
                found[following] = None
                waiting.append(following)
    handle = _MultiHandle(tuple([node.register_prehook(prehook) for node in found]))
    return handle.remove


# ---- writing saved tensors

_mutable = False  # whether a block of the process allows writes


class _Handle:
    """A placeholder in a node for a saved tensor that may be written."""


class _AllowMutationOnSavedContext:
    """The tensors saved inside one block: the tensors themselves, or clones once they were written.

    tid: a tensor at a version; sid: memory at a version.
    """

    __module__ = "torch.autograd.graph"

    def __init__(self) -> None:
        self.cloned: MutableMapping[_Handle, Any] = WeakKeyDictionary()
        self.original: MutableMapping[_Handle, Any] = WeakKeyDictionary()
        self.tid_to_weakhandle: MutableMapping[Any, _Handle] = WeakValueDictionary()
        self.sid_to_tid: dict[Any, set[Any]] = defaultdict(set)

    def clear(self) -> None:
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()

    def pack(self, tensor: Any) -> _Handle:
        """The handle of a tensor that a node saves."""
        sid = tensor.data_ptr(), tensor._version
        tid = (id(tensor), *sid)
        self.sid_to_tid[sid].add(tid)
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None:
            handle = self.tid_to_weakhandle[tid] = _Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle: _Handle) -> Any:
        """The tensor, or its clone."""
        found = self.cloned.get(handle, self.original.get(handle))
        if not _mutable or found is None:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        return found

    def clone_before_write(self, tensor: Any) -> None:
        """Clones the saved tensors in the memory of `tensor`, which is about to be written."""
        # Another tensor may have the same address and version once the written one is gone.
        for tid in self.sid_to_tid.pop((tensor.data_ptr(), tensor._version), ()):
            handle = self.tid_to_weakhandle.pop(tid, None)
            if handle is not None and handle not in self.cloned:
                self.cloned[handle] = self.original[handle].clone()
                del self.original[handle]


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Inside, saved tensors are cloned when they are written, so that backward may still run.

    Raises:
        RuntimeError: inside another such block.

    As torch.autograd.graph.allow_mutation_on_saved_tensors.
    """
    global _mutable
    # start-up: 6 ms for modes that see operators
    clones = import_module("minitorch.autograd.saved_writes").CloneBeforeWrite
    context = _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context.pack, context.unpack), clones(context):
        if _mutable:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        _mutable = True
        BEFORE_WRITES.append(context.clone_before_write)
        try:
            yield context
        finally:
            BEFORE_WRITES.remove(context.clone_before_write)
            context.clear()
            _mutable = False
