"""Calls while somebody watches: inference mode, tensor subclasses with __torch_function__."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.elementwise import write
from minitorch.core.graph.modes import ASSEMBLED, inference_mode
from minitorch.core.tensor.base import TensorBase


def observed(row: Any, call: Any) -> Any:
    """Calls the function of `row` on behalf of whoever watches."""
    from minitorch.core.declare.install import function_of_row

    args, kwargs = call
    function = function_of_row(row)
    handler = overriding(args, kwargs)
    if handler is not None:
        result = handler.__torch_function__(
            function, tuple({type(each) for each in tensors_in(args, kwargs)}), args, kwargs
        )
        if result is not NotImplemented:
            return result
        raise TypeError(
            f"Multiple dispatch failed for 'torch.{row.name}'; all __torch_function__ handlers "
            "returned NotImplemented"
        )
    result = unwatched(row)(*args, **kwargs)
    if inference_mode.get():
        for each in result if isinstance(result, tuple) else (result,):
            if isinstance(each, TensorBase):
                each._inference = True
    return result


def observed_write(row: Any, call: Any) -> Any:
    """Calls the in-place variant of `row` on behalf of whoever watches."""
    args, kwargs = call
    handler = overriding(args, kwargs)
    if handler is not None:
        method = getattr(type(args[0]), row.name + "_")
        return handler.__torch_function__(
            method, tuple({type(each) for each in tensors_in(args, kwargs)}), args, kwargs
        )
    extra = {a.name: eval(a.default) for a in row.schema.arguments if a.default} | kwargs
    return write(row, args[: len(row.schema.tensors)], **extra)


def unwatched(row: Any) -> Any:
    """The function of `row` without its question whether anybody watches."""
    from minitorch.core.declare.assemble import define, function_source, prepare

    name = f"{prepare(row)}_unwatched"
    if name not in ASSEMBLED:
        text = function_source(row, name)
        kept = [line for line in text.splitlines() if not line.startswith("    if WATCHED:")]
        define(f"{row.key} unwatched", "\n".join(kept) + "\n")
    return ASSEMBLED[name]


def tensors_in(args: Any, kwargs: Any) -> list[Any]:
    """The tensors among the arguments, those in lists included."""
    values = [*args, *kwargs.values()]
    flat = [t for each in values for t in (each if isinstance(each, (list, tuple)) else (each,))]
    return [t for t in flat if hasattr(type(t), "__torch_function__") or isinstance(t, TensorBase)]


def overriding(args: Any, kwargs: Any) -> Any:
    """The argument whose __torch_function__ takes the call; None if all are plain."""
    for each in tensors_in(args, kwargs):
        if getattr(type(each), "__torch_function__", None) is not None:
            return each
    return None
