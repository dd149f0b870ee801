"""Operators that work element by element, in ONNX."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from minitorch.core.numbers.dtype import bool as bool_
from minitorch.core.tensor.tensor import Tensor
from minitorch.onnx._graph import Graph, element_type
from minitorch.onnx._translators import TRANSLATORS, Names, Translator, Unsupported, translates

_OF_BOOLS = ("And", "Or", "Xor", "Not")


def _plain(node: str) -> Translator:
    """The function of one tensor that ONNX has, too: integers are cast first, as torch does."""

    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        if node in _OF_BOOLS and a.self.dtype != bool_:
            raise Unsupported(f"it is of {a.self.dtype}")
        return g.add(node, g.operand(a.self, out[0]))

    return write


for name, node in {
    "relu": "Relu", "relu_": "Relu", "sigmoid": "Sigmoid", "sigmoid_": "Sigmoid", "tanh": "Tanh",
    "tanh_": "Tanh", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "neg": "Neg", "abs": "Abs",
    "erf": "Erf", "sin": "Sin", "cos": "Cos", "tan": "Tan", "floor": "Floor", "ceil": "Ceil",
    "round": "Round", "sign": "Sign", "reciprocal": "Reciprocal", "mish": "Mish",
    "logical_not": "Not", "bitwise_not": "Not", "clone": "Identity", "detach": "Identity",
    "alias": "Identity", "lift_fresh": "Identity", "lift_fresh_copy": "Identity",
    "contiguous": "Identity", "hardswish": "HardSwish", "hardswish_": "HardSwish",
}.items():  # fmt: skip
    TRANSLATORS[f"aten::{name}"] = _plain(node)


def _of_two(node: str) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        if node in _OF_BOOLS and (a.self.dtype != bool_ or out[0].dtype != bool_):
            raise Unsupported(f"it is of {a.self.dtype}")
        return g.add(node, g.operand(a.self, out[0]), g.operand(a.other, out[0]))

    return write


for name, node in {
    "mul": "Mul", "mul_": "Mul", "maximum": "Max", "minimum": "Min", "max.other": "Max",
    "min.other": "Min", "logical_and": "And",
    "logical_or": "Or", "logical_xor": "Xor", "bitwise_and": "And", "bitwise_or": "Or",
    "bitwise_xor": "Xor",
}.items():  # fmt: skip
    TRANSLATORS[f"aten::{name}"] = _of_two(node)


def _scaled(node: str, reversed_order: bool = False) -> Translator:
    """Sums and differences, whose second operand is multiplied by alpha."""

    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        first, second = g.operand(a.self, out[0]), g.operand(a.other, out[0])
        if reversed_order:
            first, second = second, first
        if a.alpha != 1:
            subtracted = g.operand(a.alpha, out[0])
            second = g.add("Mul", second, subtracted)
        return g.add(node, first, second)

    return write


for name in ("add", "add_"):
    TRANSLATORS[f"aten::{name}"] = _scaled("Add")
for name in ("sub", "sub_"):
    TRANSLATORS[f"aten::{name}"] = _scaled("Sub")
TRANSLATORS["aten::rsub"] = _scaled("Sub", reversed_order=True)


@translates("div", "div_")
def div(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    mode = getattr(a, "rounding_mode", None)
    if mode is not None and not out[0].is_floating_point():
        raise Unsupported(f"rounding_mode is {mode}, of {out[0].dtype}")
    quotient = g.add("Div", g.operand(a.self, out[0]), g.operand(a.other, out[0]))
    if mode == "trunc":
        return _truncated(g, quotient)
    return g.add("Floor", quotient) if mode else quotient


def _truncated(g: Graph, name: str) -> str:
    """A number without what stands behind the point, which ONNX has for positive ones alone."""
    return g.add("Mul", g.add("Sign", name), g.add("Floor", g.add("Abs", name)))


@translates("trunc")
def trunc(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _truncated(g, g.name(a.self))


@translates("pow", "pow_")
def power(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Pow", g.operand(a.self, out[0]), g.operand(a.exponent, out[0]))


def _compared(node: str, negated: bool = False) -> Translator:
    def write(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
        common = a.self
        if isinstance(a.other, Tensor):
            if a.other.dtype != a.self.dtype:
                raise Unsupported(f"it compares {a.self.dtype} with {a.other.dtype}")
        elif isinstance(a.other, float) and not a.self.is_floating_point():
            raise Unsupported(f"it compares {a.self.dtype} with a float")
        found = g.add(node, g.name(a.self), g.operand(a.other, common))
        return g.add("Not", found) if negated else found

    return write


for name, node in {
    "eq": "Equal", "gt": "Greater", "lt": "Less", "ge": "GreaterOrEqual", "le": "LessOrEqual",
}.items():  # fmt: skip
    TRANSLATORS[f"aten::{name}"] = _compared(node)
TRANSLATORS["aten::ne"] = _compared("Equal", negated=True)


@translates("rsqrt")
def rsqrt(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Reciprocal", g.add("Sqrt", g.operand(a.self, out[0])))


@translates("gelu")
def gelu(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Gelu", g.name(a.self), approximate=a.approximate)


@translates("silu", "silu_")
def silu(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    x = g.name(a.self)
    return g.add("Mul", x, g.add("Sigmoid", x))


@translates("leaky_relu", "leaky_relu_")
def leaky_relu(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("LeakyRelu", g.name(a.self), alpha=float(a.negative_slope))


@translates("elu", "elu_")
def elu(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if a.scale == 1 and a.input_scale == 1:
        return g.add("Elu", g.name(a.self), alpha=float(a.alpha))
    if a.input_scale != 1:
        raise Unsupported("input_scale is not 1")
    alpha, gamma = float(a.alpha), float(a.scale)
    return g.add("Selu", g.name(a.self), alpha=alpha, gamma=gamma)


@translates("hardsigmoid", "hardsigmoid_")
def hardsigmoid(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("HardSigmoid", g.name(a.self), alpha=1 / 6, beta=0.5)


@translates("softplus")
def softplus(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if a.beta != 1:
        raise Unsupported("beta is not 1")
    x = g.name(a.self)
    beyond = g.add("Greater", x, g.operand(a.threshold, a.self))
    return g.add("Where", beyond, x, g.add("Softplus", x))


@translates("hardtanh", "hardtanh_")
def hardtanh(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _between(g, a.self, a.min_val, a.max_val)


@translates("clamp", "clamp_", "clamp_min", "clamp_max", "clamp_min_", "clamp_max_")
def clamp(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return _between(g, a.self, getattr(a, "min", None), getattr(a, "max", None), out[0])


def _between(g: Graph, x: Any, least: Any, most: Any, out: Any = None) -> str:
    like = x if out is None else out
    found = g.operand(x, like)
    if least is not None:
        found = g.add("Max", found, g.operand(least, like))
    return found if most is None else g.add("Min", found, g.operand(most, like))


@translates("_to_copy")
def to_copy(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Cast", g.name(a.self), to=element_type(out[0].dtype))


@translates("where.self")
def where(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    chosen = g.operand(a.self, out[0]), g.operand(a.other, out[0])
    return g.add("Where", g.name(a.condition), *chosen)


@translates(
    "masked_fill.Scalar", "masked_fill_.Scalar", "masked_fill.Tensor", "masked_fill_.Tensor"
)
def masked_fill(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Where", g.name(a.mask), g.operand(a.value, out[0]), g.name(a.self))


@translates("log1p")
def log1p(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Log", g.add("Add", g.operand(a.self, out[0]), g.operand(1, out[0])))


@translates("floor_divide")
def floor_divide(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    if not out[0].is_floating_point():
        raise Unsupported(f"it is of {out[0].dtype}")
    return g.add("Floor", g.add("Div", g.operand(a.self, out[0]), g.operand(a.other, out[0])))


@translates("remainder")
def remainder(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    x, y = g.operand(a.self, out[0]), g.operand(a.other, out[0])
    if not out[0].is_floating_point():
        return g.add("Mod", x, y)
    return g.add("Sub", x, g.add("Mul", y, g.add("Floor", g.add("Div", x, y))))


@translates("_prelu_kernel")
def prelu(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("PRelu", g.name(a.self), g.name(a.weight))


@translates("celu", "celu_")
def celu(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Celu", g.name(a.self), alpha=float(a.alpha))


@translates("glu")
def glu(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    first, second = g.many("Split", [g.name(a.self)], 2, axis=a.dim, num_outputs=2)
    return g.add("Mul", first, g.add("Sigmoid", second))


@translates("log_sigmoid_forward")
def log_sigmoid(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Neg", g.add("Softplus", g.add("Neg", g.name(a.self))))


@translates("hardshrink")
def hardshrink(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Shrink", g.name(a.self), lambd=float(a.lambd), bias=0.0)


@translates("softshrink")
def softshrink(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    return g.add("Shrink", g.name(a.self), lambd=float(a.lambd), bias=float(a.lambd))


@translates("threshold", "threshold_")
def threshold(g: Graph, a: SimpleNamespace, out: list[Any]) -> Names:
    x = g.name(a.self)
    above = g.add("Greater", x, g.operand(a.threshold, a.self))
    return g.add("Where", above, x, g.operand(a.value, a.self))
