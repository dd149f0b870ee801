"""The traced value that each tensor stands for, while operators are traced.

A tensor is known by itself, and by the array that it holds: a tensor that an engine saves and loads
is another Tensor of the same array. Lists, tuples and dicts of tensors are followed inwards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_dispatch import WAITING
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx.passes.shape_prop import _extract_tensor_metadata
from minitorch.fx.proxy import Proxy


class _ProxyTensor(NamedTuple):
    """The Proxy that a tensor stands for, and the tensor's value if the program wrote it down."""

    proxy: Proxy
    constant: Tensor | None


class TensorTracker:
    """The traced values of tensors, which it keeps alive."""

    def __init__(self) -> None:
        self._by_tensor: dict[int, tuple[Tensor, _ProxyTensor]] = {}
        self._by_array: dict[int, tuple[Any, _ProxyTensor]] = {}

    def __setitem__(self, tensor: Tensor, value: _ProxyTensor) -> None:
        self._by_tensor[id(tensor)] = tensor, value
        array = _array_of(tensor)
        if array is not None:
            self._by_array[id(array)] = array, value

    def get(self, tensor: Tensor, default: Any = None) -> Any:
        """The traced value of a tensor."""
        found: Any = self._by_tensor.get(id(tensor))
        if found is None:
            found = self._by_array.get(id(_array_of(tensor)))
        return default if found is None else found[1]

    def __contains__(self, tensor: Tensor) -> bool:
        return self.get(tensor) is not None


def _array_of(tensor: Tensor) -> Any:
    """The array of a tensor; None for one that holds none."""
    return getattr(tensor, "_array", None)


_MISSING: Any = object()


def set_proxy_slot(obj: Tensor, tracer: Any, proxy: _ProxyTensor) -> None:
    """Has a tensor stand for a traced value."""
    if not isinstance(proxy, _ProxyTensor):
        raise AssertionError(f"Expected _ProxyTensor, got {type(proxy)}")
    tracer.tensor_tracker[obj] = proxy


def get_proxy_slot(
    obj: Tensor,
    tracer: Any,
    default: Any = _MISSING,
    transform: Callable[[Any], Any] = lambda x: x,
) -> Any:
    """The traced value that a tensor stands for, after `transform`.

    Returns `default` for a tensor that stands for no traced value; without a default, RuntimeError.
    """
    value = tracer.tensor_tracker.get(obj)
    if value is not None:
        return transform(value)
    if default is _MISSING:
        raise RuntimeError(f"{obj} ({type(obj)}, {id(obj)})is not tracked with proxy for {tracer}")
    return default


def has_proxy_slot(obj: Tensor, tracer: Any) -> bool:
    """Whether a tensor stands for a traced value."""
    return bool(get_proxy_slot(obj, tracer, False, lambda _: True))


def track_tensor(tensor: Tensor, proxy: Proxy, *, constant: Tensor | None, tracer: Any) -> None:
    """Has a tensor stand for the value of a Proxy."""
    set_proxy_slot(tensor, tracer, _ProxyTensor(proxy, constant))


def track_tensor_tree(inner_res: Any, proxy_res: Any, *, constant: Any, tracer: Any) -> Any:
    """Has the tensors of a result stand for the value of a Proxy, those of lists for its items.

    Args:
        inner_res: a tensor, or a list, tuple or dict of results
        proxy_res: the Proxy
        constant: values like the result's that the program wrote down, or None
        tracer: whose Proxy it is

    Returns: inner_res
    """
    if isinstance(inner_res, Tensor):
        track_tensor(inner_res, proxy_res, constant=constant, tracer=tracer)
        set_meta(proxy_res, inner_res)
    elif isinstance(inner_res, (list, tuple)):
        if isinstance(proxy_res, Proxy):
            set_meta(proxy_res, inner_res)
        for i, each in enumerate(inner_res):
            part = None if constant is None else constant[i]
            track_tensor_tree(each, proxy_res[i], constant=part, tracer=tracer)  # type: ignore
    elif isinstance(inner_res, dict):
        if isinstance(proxy_res, Proxy):
            set_meta(proxy_res, inner_res)
        for key, each in inner_res.items():
            track_tensor_tree(each, proxy_res[key], constant=None, tracer=tracer)  # type: ignore
    return inner_res


def set_meta(proxy: Proxy, val: Any) -> Proxy:
    """Notes dtype, shape and strides of a value at the node of its Proxy."""
    proxy.node.meta["val"] = extract_val(val)
    if isinstance(val, Tensor) and not val.is_sparse:
        proxy.node.meta["tensor_meta"] = _extract_tensor_metadata(val)
    return proxy


@cache
def _fake_mode() -> Any:
    """The mode that the tensors without numbers in traced graphs belong to."""
    from minitorch._subclasses.fake_tensor import FakeTensorMode  # start-up: it makes a subclass

    return FakeTensorMode()


def extract_val(val: Any, include_real: bool = False) -> Any:
    """A tensor without numbers like each of a value's; numbers and None as they are."""
    if isinstance(val, Tensor):
        stack, waiting = STACK.set(()), WAITING.set(None)
        try:
            return None if val.is_sparse else _fake_mode().from_tensor(val)
        finally:
            WAITING.reset(waiting)
            STACK.reset(stack)
    if isinstance(val, (list, tuple)):
        return type(val)([extract_val(each) for each in val])
    if isinstance(val, dict):
        return {key: extract_val(each) for key, each in val.items()}
    return val if isinstance(val, (int, float, bool)) else None
