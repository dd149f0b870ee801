"""vmap: functions of one example, applied to many at once. As torch/_functorch/vmap.py."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from minitorch.core.graph.formulas import OPS
from minitorch.core.tensor.base import TensorBase
from minitorch.func.batching import BatchLevel
from minitorch.func.levels import settled
from minitorch.random import get_rng_state, set_rng_state
from minitorch.utils._pytree import (
    TreeSpec,
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_map,
    tree_unflatten,
)


def name_of(func: Any) -> str:
    """How messages call a function."""
    return getattr(func, "__name__", None) or repr(func)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """`func` for tensors that have a dimension more, over which it is mapped.

    in_dims: that dimension of each argument, None for those that are the same for all examples.
    out_dims: where the results have it.  randomness: "error", "different" or "same" numbers for
    each example.  chunk_size: how many examples are computed at once, if not all.
    As torch.func.vmap.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        mapped = Mapped(func, in_dims, out_dims, randomness)
        return mapped(args, kwargs, chunk_size)

    return wrapped


class Mapped:
    """One call of a function that is mapped."""

    def __init__(self, func: Any, in_dims: Any, out_dims: Any, randomness: str) -> None:
        self.func, self.name = func, name_of(func)
        self.in_dims, self.out_dims, self.randomness = in_dims, out_dims, randomness

    def __call__(self, args: Any, kwargs: Any, chunk_size: int | None) -> Any:
        if not isinstance(self.out_dims, int):
            tree_map(self._check_out_dim, self.out_dims)
        dims, flat, spec = self._inputs(args)
        size = self._size(dims, flat)
        if chunk_size is None:
            return self._run(size, dims, flat, spec, kwargs)
        return self._run_chunks(size, chunk_size, dims, flat, spec, kwargs)

    def _check_out_dim(self, dim: Any) -> None:
        if not isinstance(dim, int) and dim is not None:
            raise ValueError(
                f"vmap({self.name}, ..., out_dims={self.out_dims}): `out_dims` must be an int, "
                "None or a python collection of ints representing where in the outputs the vmapped "
                "dimension should appear."
            )

    def _inputs(self, args: Any) -> tuple[list[Any], list[Any], TreeSpec]:
        """The mapped dimension of each leaf of the arguments, these leaves, and their structure."""
        in_dims = self.in_dims
        title = f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): "
        if not isinstance(in_dims, (int, tuple)):
            raise ValueError(
                f"{title}expected `in_dims` to be int or a (potentially nested) tuple matching the "
                f"structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or "
                "you are trying to vmap over a function with no inputs. The latter is unsupported."
            )
        flat, spec = tree_flatten(args)
        dims = _broadcast_to_and_flatten(in_dims, spec)
        if dims is None:
            raise ValueError(
                f"{title}in_dims is not compatible with the structure of `inputs`. in_dims has "
                f"structure {tree_flatten(in_dims)[1]} but inputs has structure {spec}."
            )
        return [self._input_dim(title, *each) for each in zip(flat, dims, strict=True)], flat, spec

    def _input_dim(self, title: str, arg: Any, dim: Any) -> int | None:
        if dim is None:
            return None
        if not isinstance(dim, int):
            raise ValueError(
                f"{title}Got in_dim={dim} for an input but in_dim must be either an integer "
                "dimension or None."
            )
        if not isinstance(arg, TensorBase):
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

    def _size(self, dims: Sequence[Any], flat: Sequence[Any]) -> int:
        sizes = [x.size(dim) for x, dim in zip(flat, dims, strict=True) if dim is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if any([size != sizes[0] for size in sizes]):
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got "
                f"sizes {sizes} for the mapped dimension"
            )
        return int(sizes[0])

    def _run(self, size: int, dims: Any, flat: Any, spec: TreeSpec, kwargs: Any) -> Any:
        with BatchLevel(size, self.randomness) as level:
            inputs = batched(level, flat, dims)
            return self._outputs(level, self.func(*tree_unflatten(inputs, spec), **kwargs))

    def _outputs(self, level: BatchLevel, outputs: Any) -> Any:
        flat, spec = tree_flatten(outputs)
        out_dims = self.out_dims
        if not isinstance(outputs, TensorBase):
            dims = _broadcast_to_and_flatten(out_dims, spec)
        else:
            single = isinstance(out_dims, tuple) and len(out_dims) == 1
            dims = list(out_dims) if single else None
            dims = [out_dims] if out_dims is None or isinstance(out_dims, int) else dims
        if dims is None:
            self._refuse_out_dims(spec)
        with level.below():
            flat = [self._output(level, *each) for each in zip(flat, dims, strict=True)]
        return tree_unflatten(flat, spec)

    def _refuse_out_dims(self, spec: TreeSpec) -> NoReturn:
        raise ValueError(
            f"vmap({self.name}, ..., out_dims={self.out_dims})(<inputs>): out_dims is not "
            f"compatible with the structure of `outputs`. out_dims has structure "
            f"{tree_flatten(self.out_dims)[1]} but outputs has structure {spec}."
        )

    def _output(self, level: BatchLevel, x: Any, dim: int | None) -> Any:
        if dim is None:
            if level.is_batched(x):
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when "
                    "out_dim is None"
                )
            return x
        if not isinstance(x, TensorBase):
            raise ValueError(
                f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type "
                f"{type(x)}. Did you mean to set out_dims= to None for output?"
            )
        return whole(level, settled(x), dim)

    def _run_chunks(
        self, size: int, chunk_size: int, dims: Any, flat: Any, spec: TreeSpec, kwargs: Any
    ) -> Any:
        sizes = chunk_sizes(size, chunk_size)
        parts = [
            [x] * len(sizes) if dim is None else x.split(sizes, dim)
            for x, dim in zip(flat, dims, strict=True)
        ]
        state = get_rng_state() if self.randomness == "same" else None
        chunks: list[Any] = []
        for n, chunk in zip(sizes, zip(*parts, strict=True), strict=True):
            if state is not None:
                set_rng_state(state)
            chunks.append(tree_flatten(self._run(n, dims, chunk, spec, kwargs)))
        structure = chunks[0][1]
        out_dims = _broadcast_to_and_flatten(self.out_dims, structure) or []
        joined = [
            OPS.cat(list(each), dim)
            for each, dim in zip(zip(*[leaves for leaves, _ in chunks]), out_dims, strict=True)
        ]
        return tree_unflatten(joined, structure)


def chunk_sizes(total: int, size: int) -> list[int]:
    """How many of `total` elements each chunk has, `size` at most."""
    sizes = [size] * (total // size)
    return [*sizes, total % size] if total % size else sizes


def batched(level: BatchLevel, flat: Sequence[Any], dims: Sequence[Any]) -> list[Any]:
    """Tensors of `level` for those whose dimension is named."""
    return [x if dim is None else level.batched(x, dim) for x, dim in zip(flat, dims, strict=True)]


def whole(level: BatchLevel, x: Any, dim: int) -> Any:
    """The tensor below that has the examples of `x` along `dim`; to be called below."""
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
    """autograd.grad for gradients with a dimension more, a graph for each of which is walked."""
    from minitorch.autograd import grad

    for i, (output, gradient) in enumerate(zip(outputs, gradients, strict=False)):
        if gradient is not None and gradient[0].shape != output.shape:
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
    """What a walk gives for each of a batch of gradients."""
    with BatchLevel(gradients[0].shape[0], legacy=True) as level:
        found = walk(batched(level, gradients, [None if g is None else 0 for g in gradients]))
        with level.below():
            return [None if each is None else whole(level, each, 0) for each in found]
