"""torch.ops._c10d_functional: collectives that return new tensors, with their derivatives.

An operator starts a collective and returns its result at once; wait_tensor waits until it is
there. Which Work a result waits for is known by its memory, so that views of it find it, too.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import minitorch
from minitorch.distributed.collectives import (
    all_gather_single,
    all_reduce,
    all_to_all_single,
    reduce_scatter_single,
)
from minitorch.distributed.collectives import broadcast as broadcast_in_place
from minitorch.distributed.group_names import _resolve_process_group
from minitorch.distributed.reduce_op import RedOpType
from minitorch.library import Library, register_autograd

Tensor = Any
_WORKS: dict[int, tuple[Any, Any]] = {}  # by the memory of a result: that, weakly, and its Work
_LIBRARY = Library("_c10d_functional", "DEF")


def _memory(tensor: Tensor) -> Any:
    """The array that has the memory of a tensor."""
    array = tensor._array
    while type(array.base) is type(array):
        array = array.base
    return array


def _started(tensor: Tensor, work: Any) -> Tensor:
    """A result whose Work is remembered until it is waited for, or the result is gone.

    On a device it is waited for at once, which under nccl is the stream's business: views of CuPy's
    memory do not lead back to one array.
    """
    if tensor.device.type == "cuda":
        work.wait()
        return tensor
    memory = _memory(tensor)
    key = id(memory)
    forget = lambda reference, works=_WORKS: works.pop(key, None)  # at exit, names are gone
    _WORKS[key] = weakref.ref(memory, forget), work
    return tensor


def _waited(tensor: Tensor) -> Tensor:
    """The tensor, once what writes it is done."""
    if _WORKS:
        found = _WORKS.pop(id(_memory(tensor)), None)
        if found is not None:
            found[1].wait()
    return tensor


def _reduction(name: str) -> Any:
    """The reduction of a name. RuntimeError if there is none."""
    known = getattr(RedOpType, name.upper(), None)
    if known is None or known is RedOpType.PREMUL_SUM:
        raise RuntimeError(f"Unrecognized reduce_op: {name}")
    return known


# ---- forward


def _all_reduced(input: Tensor, reduce_op: str, group_name: str) -> Tensor:
    output = input.detach().clone(memory_format=minitorch.contiguous_format)
    group = _resolve_process_group(group_name)
    return _started(output, all_reduce(output, _reduction(reduce_op), group, async_op=True))


def _all_reduced_in_place(input: Tensor, reduce_op: str, group_name: str) -> Tensor:
    group = _resolve_process_group(group_name)
    return _started(input, all_reduce(input, _reduction(reduce_op), group, async_op=True))


def _broadcast(input: Tensor, src: int, group_name: str) -> Tensor:
    output = input.detach().clone(memory_format=minitorch.contiguous_format)
    return _broadcast_in_place(output, src, group_name)


def _broadcast_in_place(input: Tensor, src: int, group_name: str) -> Tensor:
    group = _resolve_process_group(group_name)
    return _started(input, broadcast_in_place(input, group=group, async_op=True, group_src=src))


def _gathered(input: Tensor, group_size: int, group_name: str) -> Tensor:
    sizes = list(input.shape) or [1]
    output = input.new_empty([sizes[0] * group_size, *sizes[1:]])
    group = _resolve_process_group(group_name)
    return _started(output, all_gather_single(output, input.contiguous(), group, async_op=True))


def _scattered(input: Tensor, reduce_op: str, group_size: int, group_name: str) -> Tensor:
    if input.size(0) % group_size:
        raise RuntimeError("reduce_scatter_tensor: input.size(0) must be a multiple of group_size")
    output = input.new_empty([input.size(0) // group_size, *input.shape[1:]])
    group, op = _resolve_process_group(group_name), _reduction(reduce_op)
    work = reduce_scatter_single(output, input.contiguous(), op, group, async_op=True)
    return _started(output, work)


def _swapped(
    input: Tensor, output_split_sizes: list[int], input_split_sizes: list[int], group_name: str
) -> Tensor:
    output = input.new_empty([sum(output_split_sizes), *input.shape[1:]])
    group = _resolve_process_group(group_name)
    sizes = list(output_split_sizes), list(input_split_sizes)
    work = all_to_all_single(output, input.contiguous(), *sizes, group, async_op=True)
    return _started(output, work)


# ---- backward


def _sums_only(ctx: Any, name: str) -> None:
    if ctx.reduce_op != "sum":
        name += "_coalesced" if getattr(ctx, "is_list", False) else ""
        raise RuntimeError(f"{name} backward only supports 'sum' reduction, got '{ctx.reduce_op}'")


def _all_reduce_backward(ctx: Any, grad: Tensor) -> Any:
    _sums_only(ctx, "all_reduce")
    ops = minitorch.ops._c10d_functional
    return _waited(ops.all_reduce(grad.contiguous(), ctx.reduce_op, ctx.group_name)), None, None


def _gather_backward(ctx: Any, grad: Tensor) -> Any:
    ops = minitorch.ops._c10d_functional
    sizes = ctx.group_size, ctx.group_name
    return _waited(ops.reduce_scatter_tensor(grad.contiguous(), "sum", *sizes)), None, None


def _scatter_backward(ctx: Any, grad: Tensor) -> Any:
    _sums_only(ctx, "reduce_scatter_tensor")
    ops = minitorch.ops._c10d_functional
    sizes = ctx.group_size, ctx.group_name
    return _waited(ops.all_gather_into_tensor(grad.contiguous(), *sizes)), None, None, None


def _swap_backward(ctx: Any, grad: Tensor) -> Any:
    ops = minitorch.ops._c10d_functional
    sizes = ctx.input_split_sizes, ctx.output_split_sizes, ctx.group_name
    return _waited(ops.all_to_all_single(grad.contiguous(), *sizes)), None, None, None


def _passed(ctx: Any, grad: Tensor) -> Tensor:
    return grad


def _keep(*names: str) -> Callable[..., None]:
    """Has the context of a derivative keep arguments, by their names; "" for none."""

    def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        for name, value in zip(names, inputs):
            if name:
                setattr(ctx, name, value.lower() if name == "reduce_op" else value)

    return keep


# ---- the operators


def _each(function: Any) -> Callable[..., list[Tensor]]:
    return lambda inputs, *more: [function(each, *more) for each in inputs]


_GROUP = "str group_name"
_OPERATORS: dict[str, tuple[str, Any]] = {
    "all_reduce": (f"Tensor input, str reduce_op, {_GROUP}) -> Tensor", _all_reduced),
    "all_reduce_": (
        f"Tensor(a!) input, str reduce_op, {_GROUP}) -> Tensor(a!)",
        _all_reduced_in_place,
    ),
    "all_reduce_coalesced": (
        f"Tensor[] inputs, str reduce_op, {_GROUP}) -> Tensor[]",
        _each(_all_reduced),
    ),
    "all_gather_into_tensor": (f"Tensor input, int group_size, {_GROUP}) -> Tensor", _gathered),
    "all_gather_into_tensor_coalesced": (
        f"Tensor[] inputs, int group_size, {_GROUP}) -> Tensor[]",
        _each(_gathered),
    ),
    "reduce_scatter_tensor": (
        f"Tensor input, str reduce_op, int group_size, {_GROUP}) -> Tensor",
        _scattered,
    ),
    "reduce_scatter_tensor_coalesced": (
        f"Tensor[] inputs, str reduce_op, int group_size, {_GROUP}) -> Tensor[]",
        _each(_scattered),
    ),
    "all_to_all_single": (
        (
            "Tensor input, SymInt[] output_split_sizes, SymInt[] input_split_sizes, "
            f"{_GROUP}) -> Tensor"
        ),
        _swapped,
    ),
    "broadcast": (f"Tensor input, int src, {_GROUP}) -> Tensor", _broadcast),
    "broadcast_": (f"Tensor(a!) input, int src, {_GROUP}) -> Tensor(a!)", _broadcast_in_place),
    "wait_tensor": ("Tensor tensor) -> Tensor", _waited),
}
_DERIVATIVES: dict[str, tuple[Any, Any]] = {
    "all_reduce": (_all_reduce_backward, _keep("", "reduce_op", "group_name")),
    "all_gather_into_tensor": (_gather_backward, _keep("", "group_size", "group_name")),
    "reduce_scatter_tensor": (
        _scatter_backward,
        _keep("", "reduce_op", "group_size", "group_name"),
    ),
    "all_to_all_single": (
        _swap_backward,
        _keep("", "output_split_sizes", "input_split_sizes", "group_name"),
    ),
    "wait_tensor": (_passed, _keep()),
}


def wrapper(wrap: Any) -> None:
    """Adds the operator that wraps a result into a tensor that waits when it is first used."""
    _LIBRARY.define("_wrap_tensor_autograd(Tensor input) -> Tensor")
    _LIBRARY.impl("_wrap_tensor_autograd", wrap, "CompositeExplicitAutograd")
    name = "_c10d_functional::_wrap_tensor_autograd"
    register_autograd(name, _passed, setup_context=_keep())


for _name, (_schema, _function) in _OPERATORS.items():
    _LIBRARY.define(f"{_name}({_schema}")
    _LIBRARY.impl(_name, _function, "CompositeExplicitAutograd")


def _of_each(backward: Any) -> Callable[..., Any]:
    """The derivative of an operator on lists."""

    def run(ctx: Any, grads: list[Tensor]) -> Any:
        ctx.is_list = True
        pairs = [backward(ctx, grad) for grad in grads]
        return [grad for grad, *_ in pairs], *pairs[0][1:]

    return run


for _name, (_backward, _setup) in _DERIVATIVES.items():
    register_autograd(f"_c10d_functional::{_name}", _backward, setup_context=_setup)
    if f"{_name}_coalesced" in _OPERATORS:
        _path = f"_c10d_functional::{_name}_coalesced"
        register_autograd(_path, _of_each(_backward), setup_context=_setup)
