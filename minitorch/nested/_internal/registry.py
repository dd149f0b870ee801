"""The table of operators that NestedTensors compute, and its helpers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minitorch as torch
from minitorch.nested._internal.nested_tensor import NestedTensor

Function = Callable[..., Any]

# By the names of torch's overloads, "sum.dim_IntList": functions of the overload and its arguments.
JAGGED_OPS_TABLE: dict[str, Function] = {}

_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "t": ("tensor", lambda x: isinstance(x, torch.Tensor) and not isinstance(x, NestedTensor)),
    "jt": (
        "contiguous jagged layout NestedTensor",
        lambda x: isinstance(x, NestedTensor) and x._lengths is None and x._ragged_idx == 1,
    ),
    "jt_all": ("jagged layout NestedTensor", lambda x: isinstance(x, NestedTensor)),
    "any": ("<any type>", lambda x: True),
}


def check_schema(schema: str, name: str, args: Any) -> None:
    """ValueError with torch's texts unless the arguments are of the kinds of `schema`: of "jt", a
    NestedTensor without holes, ragged next to the batch; of "jt_all", any; of "t", a dense one."""
    parts = schema.split(", ")
    if parts[-1] == "...":
        parts = parts[:-1]
    else:
        least = len(parts) - sum(part.endswith("?") for part in parts)
        if not least <= len(args) <= len(parts):
            raise ValueError(
                f"NestedTensor {name}({schema}): expected at least {least} arguments and at most "
                f"{len(parts)} arguments, but got: {len(args)} arguments"
            )
    for i, part in enumerate(parts):
        argument, kind = part.split(": ")
        optional, kind = kind.endswith("?"), kind.removesuffix("?")
        if i >= len(args):
            if not optional:
                raise ValueError(
                    f"NestedTensor {name}({schema}) missing required argument: {argument}"
                )
            continue
        described, fits = _KINDS[kind]
        if not ((optional and args[i] is None) or fits(args[i])):
            wanted = f"optional {described}" if optional else described
            raise ValueError(f"NestedTensor {name}({schema}): expected {argument} to be a {wanted}")


def jagged(*operators: str, schema: str) -> Callable[[Function], Function]:
    """Puts a function into the table, which gets the overload and arguments that fit `schema`."""

    def put(function: Function) -> Function:
        def checked(operator: Function) -> Function:
            def call(*args: Any, **kwargs: Any) -> Any:
                check_schema(schema, function.__name__, args)
                return function(operator, *args, **kwargs)

            return call

        for name in operators:
            JAGGED_OPS_TABLE[name] = checked(Overload(name))
        return function

    return put


class Overload:
    """An operator of torch.ops.aten, looked up when it is called."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def found(self) -> Any:
        packet, _, overload = self.name.partition(".")
        return getattr(getattr(torch.ops.aten, packet), overload)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.found(*args, **kwargs)


def extract_kwargs(arg: Any) -> dict[str, Any]:
    """The keyword arguments that make another NestedTensor of the same raggedness."""
    return {
        "offsets": arg.offsets(),
        "lengths": arg.lengths(),
        "_metadata_cache": arg._metadata_cache,
        "_ragged_idx": arg._ragged_idx,
    }


def like(values: Any, arg: Any) -> Any:
    """A NestedTensor of other values, as ragged as `arg`."""
    return NestedTensor(values, **extract_kwargs(arg))


def is_same_raggedness(nt: Any, size: Any) -> bool:
    """Whether a shape begins as that of a NestedTensor does, up to its ragged dimension; -1 stands
    for any size."""
    end = nt._ragged_idx + 1
    return len(size) >= end and all(
        own == other or other == -1 for own, other in zip(nt._size[:end], size[:end])
    )


# ---- dimensions


def canonical(ndim: int, dim: Any) -> int:
    """A dimension counted from the front. IndexError with torch's text if there is none such."""
    span = max(ndim, 1)
    if not -span <= dim < span:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], "
            f"but got {dim})"
        )
    return int(dim) + span if dim < 0 else int(dim)


def inner(dim: int, ragged: int) -> int:
    """The dimension of the values that belongs to one of a NestedTensor: to the batch, the ragged
    one."""
    return ragged - 1 if dim == 0 else dim - 1


def inner_dim(nt: Any, dim: int, name: str, ndim: int | None = None, ragged: bool = False) -> int:
    """The dimension of the values that belongs to one that is not the batch.

    name: whose error it is. ndim: of the result, where that has more dimensions.
    ragged: whether it may be the ragged one; RuntimeError if not.
    """
    place = canonical(len(nt._size) if ndim is None else ndim, dim)
    if place == nt._ragged_idx and not ragged:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    if place == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    return inner(place, nt._ragged_idx)


def inner_or_batch(nt: Any, dim: int, name: str) -> tuple[int, bool]:
    """As `inner_dim`, where it may be the batch; and whether it is."""
    if canonical(len(nt._size), dim) == 0:
        return nt._ragged_idx - 1, True
    return inner_dim(nt, dim, name), False


class Reduced:
    """The dimensions of a reduction: the batch, the ragged dimension, and others.

    dims: the dimensions of the values, each once.
    """

    __slots__ = ("batch", "dims", "others", "ragged")

    def __init__(self, nt: Any, dims: Any) -> None:
        places = [canonical(len(nt._size), dim) for dim in dims]
        self.batch, self.ragged = 0 in places, nt._ragged_idx in places
        self.others = any(place not in (0, nt._ragged_idx) for place in places)
        self.dims = list(dict.fromkeys([inner(place, nt._ragged_idx) for place in places]))
