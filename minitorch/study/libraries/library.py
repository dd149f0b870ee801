"""The questions of the tools that minitorch and real torch answer alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any, Protocol

from minitorch.study.libraries.swapping import Swap, swapped_apply


class Listener(Protocol):
    """The recorder, as an adapter calls it."""

    def is_busy(self) -> bool:
        """Whether an operator of this thread is being computed, inside which nothing is noted."""

    def call(self, name: str, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Computes an operator, and notes the call."""

    def call_function(self, kind: type, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Calls a program's own Function, inside which operators are noted as well."""

    def assign_grad(self, tensor: Any, grad: Any, assign: Callable[[], None]) -> None:
        """Assigns to a .grad, and notes if that clears it."""

    def begin_backward(self, name: str, roots: list[Any], keep: bool, create: bool) -> None:
        """Notes that a backward starts at the nodes `roots`."""

    def call_transform(self, name: str, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Calls a function transform, inside which nothing is noted."""

    def end_backward(self, results: Sequence[Any] = ()) -> None:
        """Notes that it ended, and the gradients that it returns."""

    def run_node(self, number: int, grads_in: Any, grads_out: Any) -> None:
        """Notes the gradients of a node's inputs, and of its outputs."""

    def number_of_node(self, node: Any) -> int:
        """The number of a node."""

    def receive(self, number: int, gradient: Any) -> None:
        """Notes the gradient that comes to a leaf, before it is added."""

    def accumulate(self, number: int, leaf: Any) -> None:
        """Notes that it was added to the leaf's .grad."""


class Library(ABC):
    """One library, as the tools see it.

    module: its top module.  Tensor, Parameter: its classes.
    """

    name: str
    module: ModuleType
    Tensor: type
    Parameter: type

    @property
    @abstractmethod
    def version_text(self) -> str:
        """The library's name and version, "torch 2.13.0"."""

    # ---- tensors

    def is_tensor(self, thing: Any) -> bool:
        """Whether `thing` is a tensor of this library."""
        return isinstance(thing, self.Tensor)

    def is_parameter(self, thing: Any) -> bool:
        """Whether `thing` is a parameter of this library."""
        return isinstance(thing, self.Parameter)

    def is_module(self, thing: Any) -> bool:
        """Whether `thing` is a module of this library."""
        return isinstance(thing, self.module.nn.Module)

    @abstractmethod
    def is_transformed(self, tensor: Any) -> bool:
        """Whether a function transform runs through a tensor, whose numbers are not to be had."""

    @abstractmethod
    def array(self, tensor: Any) -> Any:
        """The numbers of a tensor as a NumPy array to be read at once; it may share its memory.
        Half precision comes as float32, what is sparse as the numbers it keeps; None if there are
        no numbers (the device "meta")."""

    @abstractmethod
    def storage_owner(self, tensor: Any) -> Any:
        """The object that dies when the memory of a tensor is freed."""

    @abstractmethod
    def storage_bytes(self, tensor: Any) -> int:
        """The bytes of the memory of a tensor, all of it if it is a view."""

    @abstractmethod
    def version(self, tensor: Any) -> int:
        """The number of writes into the memory of a tensor; 0 if they are not counted."""

    @abstractmethod
    def device(self, tensor: Any) -> str | None:
        """The device of a tensor, None for the CPU."""

    def dtype(self, tensor: Any) -> str:
        """The dtype of a tensor, "float32"."""
        return str(tensor.dtype).removeprefix("torch.")

    def is_grad_enabled(self) -> bool:
        """Whether operators are recorded for backward."""
        return bool(self.module.is_grad_enabled())

    def quiet(self) -> AbstractContextManager[Any]:
        """A block in which the tools look at tensors without being seen."""
        return _NOTHING

    # ---- nodes

    def is_node(self, thing: Any) -> bool:
        """Whether `thing` is a node of this library's graphs."""
        return isinstance(thing, self.module.autograd.graph.Node)

    def node_name(self, node: Any) -> str:
        """A node's name, "ReluBackward0", "AccumulateGrad"."""
        return str(node.name()).rpartition("::")[2]

    def sequence_number(self, node: Any) -> int:
        """The age of a node: the larger, the later it was made; -1 for an AccumulateGrad."""
        return -1 if hasattr(node, "variable") else int(node._sequence_nr())

    # ---- watching

    @abstractmethod
    def attach(self, listener: Callable[[], Listener | None]) -> Callable[[], None]:
        """Tells a listener of all operators and nodes from now on.

        Args:
            listener: gives it, or None once it is gone: what is attached does not keep it alive.

        Returns:
            What puts everything back as it was.
        """

    @abstractmethod
    def number_of(self, node: Any) -> int | None:
        """The number that number() gave a node."""

    @abstractmethod
    def number(self, node: Any, number: int) -> None:
        """Gives a node a number, and lets the listener see it run. Does not keep it alive."""


def watched_apply(kind: Any, listener: Callable[[], Listener | None]) -> Swap:
    """Tells a listener of calls of a program's own Functions.

    Args:
        kind: the class Function of either library.
        listener: gives the listener, or None once it is gone.
    """

    def watched(cls: Any, apply: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        to = listener()
        if to is None:
            return apply(*args, **kwargs)
        return to.call_function(cls, apply, args, kwargs)

    return swapped_apply(kind, watched)


class _Nothing:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


_NOTHING = _Nothing()
