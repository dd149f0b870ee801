"""Orders, scatters, triangles, losses and questions about numbers, in ONNX."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from minitorch.core.numbers.dtype import bool as bool_
from minitorch.core.tensor.tensor import Tensor
from minitorch.onnx._graph import Graph
from minitorch.onnx._translators import TRANSLATORS, Names, Translator, Unsupported, translates


def _of_numbers(node: str) -> Translator:
    """The function of one tensor that ONNX has for floating numbers."""

    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        if not a.self.is_floating_point():
            raise Unsupported(f"it is of {a.self.dtype}")
        return g.add(node, g.name(a.self))

    return write


for name, node in {
    "isnan": "IsNaN", "isinf": "IsInf", "asin": "Asin", "acos": "Acos", "atan": "Atan",
    "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh",
}.items():  # fmt: skip
    TRANSLATORS[f"aten::{name}"] = _of_numbers(node)


@translates("fmod")
def fmod(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Mod", g.operand(a.self, out[0]), g.operand(a.other, out[0]), fmod=1)


@translates("lerp.Scalar", "lerp.Tensor")
def lerp(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    x, weight = g.operand(a.self, out[0]), g.operand(a.weight, out[0])
    return g.add("Add", x, g.add("Mul", weight, g.add("Sub", g.operand(a.end, out[0]), x)))


@translates("_safe_softmax")
def safe_softmax(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    found = g.add("Softmax", g.operand(a.self, out[0]), axis=a.dim)
    return g.add("Where", g.add("IsNaN", found), g.operand(0, out[0]), found)


def _question(node: str) -> Translator:
    """Whether any or all elements are true: the largest or smallest of ones and zeros."""

    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        truth = g.cast(g.name(a.self), a.self.dtype, bool_)
        dim = getattr(a, "dim", None)
        dims = [] if dim is None else list(dim) if isinstance(dim, (list, tuple)) else [dim]
        axes = [g.constant(dims)] if dims else []
        keep = int(getattr(a, "keepdim", False))
        numbers = g.add("Cast", truth, to=6)  # of int32, which all versions of ONNX reduce
        return g.add("Cast", g.add(node, numbers, *axes, keepdims=keep), to=9)

    return write


TRANSLATORS["aten::any"] = _question("ReduceMax")
TRANSLATORS["aten::all"] = _question("ReduceMin")


def _triangle(upper: int) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        return g.add("Trilu", g.name(a.self), g.constant(a.diagonal), upper=upper)

    return write


for name, upper in (("tril", 0), ("triu", 1)):
    TRANSLATORS[f"aten::{name}"] = TRANSLATORS[f"aten::{name}_"] = _triangle(upper)


@translates("sort")
def sort(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if not a.self.dim():
        raise Unsupported("it sorts a tensor without dimensions")
    settings = {"axis": a.dim, "largest": int(a.descending), "sorted": 1}
    count = g.constant([a.self.shape[a.dim]])
    return g.many("TopK", [g.name(a.self), count], 2, **settings)


@translates("roll")
def roll(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if not a.dims:
        raise Unsupported("it names no dimensions")
    found = g.name(a.self)
    for shift, dim in zip(a.shifts, a.dims, strict=True):
        size = a.self.shape[dim]
        places = [(each - shift) % size for each in range(size)]
        found = g.add("Gather", found, g.constant(places), axis=dim)
    return found


@translates("index.Tensor")
def index(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    given = [(dim, each) for dim, each in enumerate(a.indices) if each is not None]
    if len(given) != 1 or given[0][1].dtype == bool_:
        raise Unsupported("it is indexed by masks, or by several tensors")
    ((dim, where),) = given
    return g.add("Gather", g.name(a.self), g.name(where), axis=dim)


@translates("scatter.value", "scatter.src", "scatter_.value", "scatter_.src")
def scatter(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    sizes = list(a.index.shape)
    source = getattr(a, "src", None)
    if isinstance(source, Tensor):
        if list(source.shape) != sizes:
            raise Unsupported("its source has another shape than its index")
        values = g.name(source)
    else:
        values = g.add("Expand", g.operand(a.value, out[0]), g.constant(sizes))
    return g.add("ScatterElements", g.name(a.self), g.name(a.index), values, axis=a.dim)


@translates("mse_loss")
def mse_loss(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    difference = g.add("Sub", g.operand(a.self, out[0]), g.operand(a.target, out[0]))
    square = g.add("Mul", difference, difference)
    if a.reduction in (0, 1):
        node = "ReduceMean" if a.reduction else None
        return square if node is None else g.add(node, square, keepdims=0)
    return g.add("ReduceSum", square, keepdims=0)
