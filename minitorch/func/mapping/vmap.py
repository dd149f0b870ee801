"""vmap: functions of one example, applied to many at once. As torch/_functorch/vmap.py.

This module is torch._functorch.vmap, too: programs replace its functions for arguments and results
(as tensordict does for its dictionaries), and every vmap runs the replacements.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.graph.backward import grad, root_gradient
from minitorch.core.tensor.tensor import Tensor
from minitorch.func.levels.base import mapped, unwrap_ended
from minitorch.func.levels.batch import BatchLevel, running_level
from minitorch.random import get_rng_state, set_rng_state
from minitorch.utils._pytree import (
    TreeSpec,
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_map_,
    tree_unflatten,
)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """`func` for tensors that have a dimension more, over which it is mapped.

    Args:
        func: takes Tensors, in any containers, and returns Tensors.
        in_dims: the mapped dimension of each argument; None if all examples share the argument.
        out_dims: the place of that dimension in the results.
        randomness: the mode of random numbers in `func`: 'error', 'different' for each example or
            the 'same'.
        chunk_size: how many examples are computed at once, if not all.

    Returns:
        A function of the arguments of `func`.

    Raises:
        RuntimeError: for another `randomness`; by the function, for random numbers under 'error'.
        ValueError: if `chunk_size` is not positive; by the function, for different numbers of
            examples, missing dimensions, and results that are not Tensors.

    As torch.func.vmap.
    """
    _check_randomness_arg(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return vmap_impl(func, in_dims, out_dims, randomness, chunk_size, *args, **kwargs)

    return wrapped


def vmap_impl(
    func: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    chunk_size: int | None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """One call of a function that is mapped over `args`, not over `kwargs`. As vmap."""
    _check_out_dims_is_int_or_int_pytree(out_dims, func)
    size, dims, flat, spec = _process_batched_inputs(in_dims, args, func)
    if chunk_size is None:
        return _flat_vmap(func, size, dims, flat, spec, out_dims, randomness, **kwargs)
    chunks = _get_chunked_inputs(flat, dims, size, chunk_size)
    return _chunked_vmap(func, dims, chunks, spec, out_dims, randomness, **kwargs)


def _flat_vmap(
    func: Callable[..., Any],
    batch_size: int,
    flat_in_dims: list[Any],
    flat_args: list[Any],
    args_spec: TreeSpec,
    out_dims: Any,
    randomness: str,
    **kwargs: Any,
) -> Any:
    with vmap_increment_nesting(batch_size, randomness) as level:
        inputs = _create_batched_inputs(flat_in_dims, flat_args, level, args_spec)
        outputs = func(*inputs, **kwargs)
        return _unwrap_batched(outputs, out_dims, level, batch_size, func)


@contextmanager
def vmap_increment_nesting(batch_size: int, randomness: str) -> Iterator[int]:
    """A block in which a vmap of this many examples runs; yields the number of its level."""
    with BatchLevel(batch_size, randomness) as level:
        yield level.number


# ---- checks of arguments


def _check_randomness_arg(randomness: str) -> None:
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )


def _check_int_or_none(x: Any, func: Callable[..., Any], out_dims: Any) -> None:
    if not isinstance(x, int) and x is not None:
        raise ValueError(
            f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None "
            "or a python collection of ints representing where in the outputs the vmapped "
            "dimension should appear."
        )


def _check_out_dims_is_int_or_int_pytree(out_dims: Any, func: Callable[..., Any]) -> None:
    if not isinstance(out_dims, int):
        tree_map_(lambda dim: _check_int_or_none(dim, func, out_dims), out_dims)


def _get_name(func: Any) -> str:
    """The name of a function in messages."""
    name = getattr(func, "__name__", None)
    if name is not None:
        return name
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return repr(func)


def _process_batched_inputs(
    in_dims: Any, args: tuple[Any, ...], func: Callable[..., Any]
) -> tuple[int, list[Any], list[Any], TreeSpec]:
    """The number of examples, the mapped dimension of each leaf of the arguments, these leaves, and
    their structure."""
    name = _get_name(func)
    title = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{title}expected `in_dims` to be int or a (potentially nested) tuple matching the "
            f"structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
            "trying to vmap over a function with no inputs. The latter is unsupported."
        )
    flat, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{title}in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    dims = [_input_dim(title, *each) for each in zip(flat, dims, strict=True)]
    return _validate_and_get_batch_size(dims, flat), dims, flat, spec


def _input_dim(title: str, arg: Any, dim: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{title}Got in_dim={dim} for an input but in_dim must be either an integer "
            "dimension or None."
        )
    if not isinstance(arg, Tensor):
        raise ValueError(
            f"{title}Got in_dim={dim} for an input but the input is of type {type(arg)}. We "
            "cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
        )
    rank = arg.dim()
    if not -rank <= dim < rank:
        raise ValueError(
            f"{title}Got in_dim={dim} for some input, but that input is a Tensor of "
            f"dimensionality {rank} so expected in_dim to satisfy -{rank} <= in_dim < {rank}."
        )
    return dim % rank


def _validate_and_get_batch_size(flat_in_dims: list[Any], flat_args: list[Any]) -> int:
    sizes = [x.size(d) for x, d in zip(flat_args, flat_in_dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any([size != sizes[0] for size in sizes]):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got "
            f"sizes {sizes} for the mapped dimension"
        )
    return int(sizes[0])


# ---- tensors with and without the mapped dimension


def _create_batched_inputs(
    flat_in_dims: Sequence[Any], flat_args: Sequence[Any], vmap_level: int, args_spec: TreeSpec
) -> Any:
    """The arguments of the mapped function: each batched tensor looks like one example."""
    level = running_level(vmap_level, "_create_batched_inputs")
    return tree_unflatten(batched(level, flat_args, flat_in_dims), args_spec)


def _unwrap_batched(
    batched_outputs: Any,
    out_dims: Any,
    vmap_level: int,
    batch_size: int,
    func: Callable[..., Any],
) -> Any:
    """The results of the mapped function, with all examples."""
    flat, spec = tree_flatten(batched_outputs)
    if not isinstance(batched_outputs, Tensor):
        dims = _broadcast_to_and_flatten(out_dims, spec)
    else:
        single = isinstance(out_dims, tuple) and len(out_dims) == 1
        dims = list(out_dims) if single else None
        dims = [out_dims] if out_dims is None or isinstance(out_dims, int) else dims
    name = _get_name(func)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            f"the structure of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but "
            f"outputs has structure {spec}."
        )
    found = [
        _maybe_remove_batch_dim(name, x, vmap_level, batch_size, dim)
        for x, dim in zip(flat, dims, strict=True)
    ]
    return tree_unflatten(found, spec)


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    """A result with all examples along `out_dim`; None demands a result without examples."""
    x = batched_output
    if out_dim is None:
        if isinstance(x, Tensor) and isinstance(getattr(x, "_level", None), BatchLevel):
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return x
    if not isinstance(x, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(x)}. Did you "
            "mean to set out_dims= to None for output?"
        )
    return _remove_batch_dim(x, vmap_level, batch_size, out_dim)


def _add_batch_dim(self: Any, batch_dim: int, level: int) -> Any:
    """The tensor of the vmap at this level whose examples lie along a dimension of `self`."""
    return running_level(level, "_add_batch_dim").batched(self, batch_dim % self.dim())


def _remove_batch_dim(self: Any, level: int, batch_size: int, out_dim: int) -> Any:
    """The tensor of all examples of the vmap at this level, which lie along `out_dim`."""
    mapping = running_level(level, "_remove_batch_dim")
    with mapping.below():
        return whole(mapping, unwrap_ended(self), out_dim)


# ---- some examples at a time


def get_chunk_sizes(total_elems: int, chunk_size: int) -> list[int]:
    """The sizes of the chunks of `total_elems` elements, each at most `chunk_size`."""
    whole_chunks, rest = divmod(total_elems, chunk_size)
    return [chunk_size] * whole_chunks + [rest] * (rest > 0)


def _get_chunked_inputs(
    flat_args: list[Any], flat_in_dims: list[Any], batch_size: int, chunk_size: int | None
) -> Iterator[tuple[Any, ...]]:
    """The leaves of the arguments of each chunk; if `chunk_size` is None, there is one chunk."""
    sizes = [batch_size] if chunk_size is None else get_chunk_sizes(batch_size, chunk_size)
    parts = [
        [x] * len(sizes) if dim is None else x.split(sizes, dim)
        for x, dim in zip(flat_args, flat_in_dims, strict=True)
    ]
    return zip(*parts, strict=True)


def _chunked_vmap(
    func: Callable[..., Any],
    flat_in_dims: list[Any],
    chunks_flat_args: Iterable[tuple[Any, ...]],
    args_spec: TreeSpec,
    out_dims: Any,
    randomness: str,
    **kwargs: Any,
) -> Any:
    state = get_rng_state() if randomness == "same" else None
    chunks = []
    for flat in chunks_flat_args:
        if state is not None:
            set_rng_state(state)
        size = _validate_and_get_batch_size(flat_in_dims, list(flat))
        given = func, size, flat_in_dims, list(flat), args_spec, out_dims, randomness
        chunks.append(_flat_vmap(*given, **kwargs))
    parts, spec = _flatten_chunks_output(chunks)
    return tree_unflatten(_concat_chunked_outputs(out_dims, spec, parts), spec)


def _flatten_chunks_output(chunks_output_: list[Any]) -> tuple[list[Any], TreeSpec]:
    """The parts of each leaf of the results, and their structure."""
    flat = [tree_flatten(each) for each in chunks_output_]
    return list(zip(*[leaves for leaves, _ in flat], strict=True)), flat[0][1]


def _concat_chunked_outputs(
    out_dims: Any, arg_spec: TreeSpec, flat_output_chunks: list[Any]
) -> list[Any]:
    """The leaves of the results of all chunks."""
    dims = _broadcast_to_and_flatten(out_dims, arg_spec) or []
    return [OPS.cat(list(parts), dim) for parts, dim in zip(flat_output_chunks, dims, strict=True)]


# ---- within a call of a Function


def restore_vmap(
    func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str
) -> Callable[..., tuple[Any, Any]]:
    """`func` under a vmap without checks: it returns the tensors below its results, which may be of
    any type, and the dimension of the examples in each; None without examples."""

    def inner(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        with vmap_increment_nesting(batch_size, randomness) as level:
            outputs = func(*wrap_batched(args, in_dims, level), **kwargs)
            return unwrap_batched(mapped(unwrap_ended, outputs), level)

    return inner


def wrap_batched(args: Any, bdims: Any, level: int) -> Any:
    """A tree of tensors, each batched for the vmap at this level."""
    flat, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(bdims, spec)
    if dims is None:
        raise AssertionError("flat_bdims must not be None")
    return _create_batched_inputs(dims, flat, level, spec)


def unwrap_batched(args: Any, level: int) -> tuple[Any, Any]:
    """A tree's tensors below the vmap at this level, and the dimension of the examples in each."""
    flat, spec = tree_flatten(args)
    if not flat:
        return args, ()
    mapping = running_level(level, "unwrap_batched")
    known = [mapping.is_batched(x) for x in flat]
    values = [x._value if k else x for x, k in zip(flat, known, strict=True)]
    dims = [x._bdim if k else None for x, k in zip(flat, known, strict=True)]
    return tree_unflatten(values, spec), tree_unflatten(dims, spec)


# ---- by the level itself


def batched(level: BatchLevel, flat: Sequence[Any], dims: Sequence[Any]) -> list[Any]:
    """Tensors of `level` for the tensors whose dimension is given."""
    return [x if dim is None else level.batched(x, dim) for x, dim in zip(flat, dims, strict=True)]


def whole(level: BatchLevel, x: Any, dim: int) -> Any:
    """The tensor below `x`, with its examples along `dim`; to be called below."""
    if level.is_batched(x):
        same = dim in (x._bdim, x._bdim - x._value.dim())
        return x._value if same else OPS.movedim(x._value, x._bdim, dim)
    size = [*x.shape]
    dim = dim if dim >= 0 else dim + len(size) + 1
    size.insert(dim, level.size)
    return OPS.expand(OPS.unsqueeze(x, dim), size)


def grad_of_batch(
    outputs: Any,
    inputs: Any,
    gradients: Any,
    keep: bool,
    create_graph: bool,
    allow_unused: bool | None,
    materialize_grads: bool,
) -> tuple[Any, ...]:
    """autograd.grad for gradients with a dimension more: the walk is mapped over that dimension."""
    gradients = list(gradients)
    for i, (output, gradient) in enumerate(zip(outputs, gradients, strict=False)):
        if gradient is None:
            gradients[i] = root_gradient(i, output, None)
        elif gradient[0].shape != output.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                "match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{i}] has a shape of {gradient.shape[2:]} and output[{i}] has a shape "
                f"of {output.shape}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap."
            )

    def walk(mapped: list[Any]) -> Any:
        return grad(
            outputs,
            inputs,
            mapped,
            retain_graph=keep,
            create_graph=create_graph,
            allow_unused=allow_unused,
        )

    grads = _walk_of_batch(gradients, walk)
    if materialize_grads:
        grads = [
            OPS.zeros_like(x, requires_grad=create_graph) if g is None else g
            for g, x in zip(grads, inputs, strict=True)
        ]
    return tuple(grads)


def _walk_of_batch(gradients: Sequence[Any], walk: Callable[[list[Any]], Any]) -> list[Any]:
    """The results of a walk, each for a batch of gradients."""
    for gradient in gradients:
        if gradient.dim() == 0:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input "
                "is a Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
    examples = _validate_and_get_batch_size([0] * len(gradients), [*gradients])
    with BatchLevel(examples, legacy=True) as level:
        found = walk(batched(level, gradients, [0] * len(gradients)))
        with level.below():
            return [None if each is None else whole(level, each, 0) for each in found]
