"""autograd.Function under function transforms. As torch/_functorch/autograd_function.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minitorch.autograd.function import ON_LEVEL, Function, _SingleLevelFunction
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import transforms
from minitorch.func.levels.base import Level, PassThrough, TrackingLevel, mapped, unwrap_ended
from minitorch.func.levels.batch import BatchLevel
from minitorch.func.levels.dual import DualLevel
from minitorch.func.mapping.vmap import batched, restore_vmap, unwrap_batched, vmap
from minitorch.utils._pytree import (
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_leaves,
    tree_unflatten,
)

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """The information about a vmap that the vmap staticmethod of a Function gets."""

    batch_size: int
    randomness: str


def call_function(level: Level, cls: Any, args: Any, kwargs: Any) -> Any:
    """cls.apply(*args, **kwargs) on the innermost level."""
    args = mapped(unwrap_ended, args)
    if isinstance(level, PassThrough):
        with level.below():
            return cls.apply(*args, **kwargs)
    if isinstance(level, DualLevel):
        return pushed_function(level, cls, args)
    if isinstance(level, TrackingLevel):
        return tracked_function(level, cls, args)
    return mapped_function(level, cls, args, kwargs)


def like_inputs(outputs: Any, values: Any, args: Any, wrapped: Callable[..., Any]) -> Any:
    """`outputs`, each wrapped; outputs that are unchanged arguments stay these arguments."""
    known = {
        id(value): arg
        for value, arg in zip(tree_leaves(values), tree_leaves(args), strict=True)
        if isinstance(value, TensorBase)
    }
    flat, spec = tree_flatten(outputs)
    return tree_unflatten(
        [
            known[id(x)] if id(x) in known else wrapped(x, i) if isinstance(x, TensorBase) else x
            for i, x in enumerate(flat)
        ],
        spec,
    )


def tracked_function(level: Any, cls: Any, args: Any) -> Any:
    """Runs `cls` one level below, and records it here as a Function with the same backward."""

    def forward(*args: Any) -> Any:
        values = mapped(level.value, args)
        with level.below():
            outputs = cls.apply(*values)
        return like_inputs(outputs, values, args, lambda x, i: level.lifted(x))

    members = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(cls.setup_context),
        "backward": staticmethod(cls.backward),
        "jvp": staticmethod(cls.jvp),
    }
    generated: Any = type(f"{cls.__name__}Generated", (_SingleLevelFunction,), members)
    return generated.apply(*mapped(level.captured, args))


def pushed_function(level: Any, cls: Any, args: Any) -> Any:
    """Runs `cls` one level below; its jvp gives the tangents."""
    values = mapped(level.value, args)
    with level.below():
        outputs = cls.apply(*values)
        given = [level.tangent(x) if isinstance(x, TensorBase) else None for x in args]
        tangents: Any = None
        if any([tangent is not None for tangent in given]):
            ctx = cls._backward_cls()
            ctx.needs_input_grad = tuple([tangent is not None for tangent in given])
            cls.setup_context(ctx, values, outputs)
            if ctx._call_state.materialize:
                given = [
                    OPS.zeros_like(x) if t is None and isinstance(x, TensorBase) else t
                    for x, t in zip(values, given, strict=True)
                ]
            tangents = ctx.apply_jvp(*given)
            tangents = tangents if isinstance(tangents, tuple) else (tangents,)

    def dual(x: Any, i: int) -> Any:
        result = level.lifted(x)
        if tangents is not None and tangents[i] is not None:
            result._pushed = tangents[i]
        return result

    return like_inputs(outputs, values, args, dual)


# ---- vmap


def mapped_function(level: Any, cls: Any, args: Any, kwargs: Any) -> Any:
    """Runs the vmap staticmethod of `cls`, or a rule made from its methods, one level below."""
    name = cls.__name__
    own = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and own:
        raise RuntimeError(
            f"You tried to vmap over {name}, but it has both generate_vmap_rule=True and an "
            "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the "
            f"overridden vmap staticmethod to avoid ambiguity. {_MORE}"
        )
    if not (cls.generate_vmap_rule or own):
        raise RuntimeError(
            f"You tried to vmap over {name}, but it does not have vmap support. Please override "
            f"and implement the vmap staticmethod or set generate_vmap_rule=True. {_MORE}"
        )
    values, dims = unwrap_batched(args, level.number)
    if cls.generate_vmap_rule:
        function, state = generated(level, cls, dims)
        with level.below():
            outputs = function.apply(*values)
        flat, spec = tree_flatten(outputs)
        places = _broadcast_to_and_flatten(state["outputs"], spec) or []
        return tree_unflatten(batched(level, flat, places), spec)
    if all([dim is None for dim in tree_leaves(dims)]):
        with level.below():
            return cls.apply(*args, **kwargs)
    with level.below():
        result = cls.vmap(VmapInfo(level.size, level.randomness), dims, *values, **kwargs)
    wanted = (
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
        "structure compatible with the output. Got "
    )
    if not isinstance(result, tuple):
        raise RuntimeError(f"{wanted}a {type(result)} instead")
    if len(result) != 2:
        raise RuntimeError(f"{wanted}{len(result)} returns instead")
    outputs, out_dims = result
    spec = tree_flatten(outputs)[1]
    flat_dims = _broadcast_to_and_flatten(out_dims, spec)
    if flat_dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, "
            f"out_dims) tuple. Expected out_dims={out_dims} to be compatible with the structure "
            f"of `output`. out_dims has structure {tree_flatten(out_dims)[1]} but output has "
            f"structure {spec}. {_MORE}"
        )
    return like_inputs(outputs, values, args, lambda x, i: batched(level, [x], [flat_dims[i]])[0])


class Within:
    """The ctx of a method under vmap: the ctx of the call, whose tensors have no batch."""

    def __init__(self, ctx: Any, level: Any = None, saved: Any = ()) -> None:
        self.__dict__.update(_ctx=ctx, _level=level, _dims=(), saved_tensors=saved)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._ctx, name, value)

    def save_for_backward(self, *tensors: Any) -> None:
        values, self.__dict__["_dims"] = unwrap_batched(tensors, self._level.number)
        self._ctx.save_for_backward(*values)

    def save_for_forward(self, *tensors: Any) -> None:
        values, self.__dict__["_dims"] = unwrap_batched(tensors, self._level.number)
        self._ctx.save_for_forward(*values)


def generated(level: BatchLevel, cls: Any, in_dims: Any) -> tuple[Any, dict[str, Any]]:
    """A Function of batches whose methods run the methods of `cls` under vmap; and the dimensions
    of examples in its outputs, once it has run."""
    state: dict[str, Any] = {}

    def restored(function: Any, dims: Any) -> Any:
        """`function` of batches under a vmap like `level`."""
        return restore_vmap(function, dims, level.size, level.randomness)

    def forward(*args: Any) -> Any:
        outputs, state["outputs"] = restored(cls.forward, in_dims)(*args)
        return outputs

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        def run(inputs: Any, output: Any) -> None:
            within = Within(ctx, transforms.get()[-1])
            cls.setup_context(within, inputs, output)
            state["shapes"] = [x.shape if isinstance(x, TensorBase) else None for x in inputs]
            state["saved"] = within._dims

        restored(run, (in_dims, state["outputs"]))(inputs, output)

    def several(dims: Any) -> tuple[Any, ...]:
        return dims if isinstance(dims, tuple) else (dims,)

    def differentiated(method: Any, ctx: Any, given: Any, dims: Any) -> Any:
        dims = tuple([None if x is None else d for x, d in zip(given, dims, strict=True)])

        def run(saved: Any, given: Any) -> Any:
            return method(Within(ctx, saved=saved), *given)

        found, places = restored(run, (state["saved"], dims))(ctx.saved_tensors, given)
        return several(found), several(places)

    def backward(ctx: Any, *grads: Any) -> Any:
        found, places = differentiated(cls.backward, ctx, grads, several(state["outputs"]))
        every = zip(found, places, several(in_dims), state["shapes"], strict=False)
        return tuple([fitted(level, *each) for each in every])

    def jvp(ctx: Any, *tangents: Any) -> Any:
        found, places = differentiated(cls.jvp, ctx, tangents, several(in_dims))
        every = zip(found, places, several(state["outputs"]), strict=True)
        result = tuple([fitted(level, *each, None) for each in every])
        return result if isinstance(state["outputs"], tuple) else result[0]

    members = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(setup_context),
        "backward": staticmethod(backward),
        "jvp": staticmethod(jvp),
        "generate_vmap_rule": True,
    }
    return type(f"Vmapped{cls.__name__}", (Function,), members), state


def fitted(level: BatchLevel, x: Any, at: int | None, dim: int | None, shape: Any) -> Any:
    """A gradient with its examples moved from dimension `at` to `dim`, each summed to `shape`; the
    sum of all examples if the input has none."""
    if x is None or (at is None and dim is None):
        return x
    if dim is None:
        return x.sum(at)
    if at is None:
        size = [*x.shape]
        size.insert(dim, level.size)
        x, at = x.unsqueeze(dim).expand(size), dim
    if shape is not None:
        return vmap(lambda each: each.sum_to_size(shape), in_dims=at, out_dims=dim)(x)
    return x if at == dim else x.movedim(at, dim)


ON_LEVEL[:] = [call_function]
