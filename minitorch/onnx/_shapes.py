"""Operators that change shapes, choose, or take sums and the like, in ONNX."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy

from minitorch.onnx._graph import Graph
from minitorch.onnx._translators import (
    TRANSLATORS,
    Names,
    Translator,
    Unsupported,
    each_of,
    translates,
)

END = 2**63 - 1  # ONNX's end of a slice that has none


@translates("view", "_unsafe_view", "reshape", "_reshape_alias", "squeeze", "unsqueeze", "flatten")
def reshape(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if out[0].dtype != a.self.dtype:
        raise Unsupported("it looks at the same bytes as another dtype")
    return g.add("Reshape", g.name(a.self), g.constant(list(out[0].shape)))


@translates("t", "t_")
def t(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Transpose", g.name(a.self), perm=list(range(a.self.dim()))[::-1])


@translates("transpose.int", "transpose_")
def transpose(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    order = list(range(a.self.dim()))
    order[a.dim0], order[a.dim1] = order[a.dim1], order[a.dim0]
    return g.add("Transpose", g.name(a.self), perm=order)


@translates("permute")
def permute(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Transpose", g.name(a.self), perm=[each % a.self.dim() for each in a.dims])


@translates("expand")
def expand(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Expand", g.name(a.self), g.constant(list(out[0].shape)))


@translates("cat")
def cat(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    parts = [g.operand(each, out[0]) for each in a.tensors if tuple(each.shape) != (0,)]
    return g.add("Concat", *parts, axis=a.dim)


@translates("stack")
def stack(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    axis = g.constant([a.dim])
    parts = [g.add("Unsqueeze", g.operand(each, out[0]), axis) for each in a.tensors]
    return g.add("Concat", *parts, axis=a.dim)


@translates("split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes", "chunk")
def split(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    sizes = g.constant([each.shape[a.dim] for each in out])
    return g.many("Split", [g.name(a.self), sizes], len(out), axis=a.dim)


@translates("unbind.int")
def unbind(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    x = g.name(a.self)
    return [g.add("Gather", x, g.constant(place), axis=a.dim) for place in range(len(out))]


@translates("select.int")
def select(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    place = a.index % a.self.shape[a.dim]
    return g.add("Gather", g.name(a.self), g.constant(place), axis=a.dim)


@translates("slice.Tensor")
def slice_(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    start, end = a.start or 0, END if a.end is None else a.end
    places = [g.constant([each]) for each in (start, end, a.dim, a.step)]
    return g.add("Slice", g.name(a.self), *places)


@translates("repeat")
def repeat(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    shape = [1] * (len(a.repeats) - a.self.dim()) + list(a.self.shape)
    x = g.add("Reshape", g.name(a.self), g.constant(shape))
    return g.add("Tile", x, g.constant(list(a.repeats)))


@translates("index_select")
def index_select(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Gather", g.name(a.self), g.name(a.index), axis=a.dim)


@translates("gather")
def gather(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if any(new != old for new, old in zip(out[0].shape, a.self.shape, strict=True)):
        x = g.name(a.self)
        for dim, size in enumerate(out[0].shape):
            if dim != a.dim % a.self.dim():  # ONNX wants the same sizes in all others
                x = g.add("Slice", x, *[g.constant([each]) for each in (0, size, dim)])
        return g.add("GatherElements", x, g.name(a.index), axis=a.dim)
    return g.add("GatherElements", g.name(a.self), g.name(a.index), axis=a.dim)


@translates("flip")
def flip(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    dims = list(a.dims)
    places = [[each] * len(dims) for each in (-1, -END)]
    steps = g.constant([-1] * len(dims))
    return g.add("Slice", g.name(a.self), *map(g.constant, places), g.constant(dims), steps)


@translates("topk")
def topk(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    settings = {"axis": a.dim, "largest": int(a.largest), "sorted": int(a.sorted)}
    return g.many("TopK", [g.name(a.self), g.constant([a.k])], 2, **settings)


# --- sums and the like ---


def _variance(g: Graph, a: SimpleNamespace) -> str:
    dims = list(range(a.self.dim())) if a.dim is None else each_of(a.dim, 1)
    axes = g.constant(dims)
    x = g.name(a.self)
    away = g.add("Sub", x, g.add("ReduceMean", x, axes, keepdims=1))
    total = g.add("ReduceSumSquare", away, axes, keepdims=int(a.keepdim))
    count = int(numpy.prod([a.self.shape[each] for each in dims]))
    correction = 1 if a.correction is None else a.correction
    return g.add("Div", total, g.operand(count - correction, a.self))


@translates("var.correction")
def var(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _variance(g, a)


@translates("std.correction")
def std(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Sqrt", _variance(g, a))


@translates("linalg_vector_norm")
def linalg_vector_norm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _norm(g, a, a.ord, out[0])


@translates("norm.ScalarOpt_dim")
def norm(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _norm(g, a, 2 if a.p is None else a.p, out[0])


def _norm(g: Graph, a: SimpleNamespace, order: float, like: Any) -> str:
    if order not in (1, 2):
        raise Unsupported(f"the order is {order}")
    axes = [g.constant(each_of(a.dim, 1))] if a.dim else []
    if a.dim == 0:
        axes = [g.constant([0])]
    node = f"ReduceL{int(order)}"
    return g.add(node, g.operand(a.self, like), *axes, keepdims=int(a.keepdim))


def _reduced(node: str) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        dim = getattr(a, "dim", None)
        dims = [] if dim is None else each_of(dim, 1)
        axes = [g.constant(dims)] if dims else []
        keep = int(getattr(a, "keepdim", False))
        return g.add(node, g.operand(a.self, out[0]), *axes, keepdims=keep)

    return write


for name, node in {
    "mean": "ReduceMean", "sum": "ReduceSum", "amax": "ReduceMax", "amin": "ReduceMin",
    "logsumexp": "ReduceLogSumExp", "prod": "ReduceProd",
}.items():  # fmt: skip
    TRANSLATORS[f"aten::{name}"] = _reduced(node)


def _extreme(node: str, place: str) -> Translator:
    """The largest or smallest of a dimension and where it is; or of all."""

    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        if not hasattr(a, "dim"):
            return g.add(node, g.name(a.self), keepdims=0)
        x, keep = g.name(a.self), int(a.keepdim)
        value = g.add(node, x, g.constant([a.dim]), keepdims=keep)
        return [value, g.add(place, x, axis=a.dim, keepdims=keep)]

    return write


for name, (node, place) in {
    "max": ("ReduceMax", "ArgMax"),
    "min": ("ReduceMin", "ArgMin"),
}.items():
    for overload in ("", ".dim"):
        TRANSLATORS[f"aten::{name}{overload}"] = _extreme(node, place)


def _place_of(node: str) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        x = g.name(a.self)
        if a.dim is not None:
            return g.add(node, x, axis=a.dim, keepdims=int(a.keepdim))
        if a.keepdim:
            raise Unsupported("keepdim without dim")
        flat = g.add("Reshape", x, g.constant([-1]))
        return g.add(node, flat, axis=0, keepdims=0)

    return write


TRANSLATORS["aten::argmax"] = _place_of("ArgMax")
TRANSLATORS["aten::argmin"] = _place_of("ArgMin")


@translates("cumsum")
def cumsum(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("CumSum", g.operand(a.self, out[0]), g.constant(a.dim))
