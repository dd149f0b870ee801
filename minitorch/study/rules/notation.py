"""Formulas as they are shown: ∂L/∂w = xᵀ @ G, with the reader's own names."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from minitorch.study.rules.words import dims_of

# How tightly the parts of an expression hold together.
CHOICE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)

LEVELS: dict[type[ast.AST], tuple[int, str]] = {
    ast.Add: (SUM, " + "),
    ast.Sub: (SUM, " − "),
    ast.Mult: (PRODUCT, " · "),
    ast.MatMult: (PRODUCT, " @ "),
    ast.Div: (PRODUCT, " / "),
    ast.FloorDiv: (PRODUCT, " // "),
    ast.Mod: (PRODUCT, " % "),
    ast.BitAnd: (AND, " and "),
    ast.BitOr: (OR, " or "),
}
SIGNS: dict[type[ast.AST], tuple[int, str]] = {
    ast.USub: (SIGN, "−"),
    ast.Invert: (NOT, "not "),
    ast.Not: (NOT, "not "),
}
COMPARISONS: dict[type[ast.AST], str] = {
    ast.Lt: " < ",
    ast.LtE: " ≤ ",
    ast.Gt: " > ",
    ast.GtE: " ≥ ",
    ast.Eq: " == ",
    ast.NotEq: " ≠ ",
    ast.Is: " is ",
    ast.IsNot: " is not ",
    ast.In: " in ",
    ast.NotIn: " not in ",
}
SYMBOLS = {"grad": "G", "grads": "G", "pi": "π", "inf": "∞"}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# Words that show only their first arguments: the others say where, not what.
BRIEF = {
    "spread": 1,
    "keep_dim": 1,
    "one_hot": 1,
    "per_channel": 1,
    "last_mean": 1,
    "conv_input": 2,
    "conv_weight": 2,
    "pool_input": 1,
    "slope_of_norm": 2,
    "add_copies": 1,
    "put_back": 2,
    "to_classes": 1,
    "split_like": 2,
    "share": 1,
    "reduced": 1,
}
OPAQUE = object()  # stands for a value that is not known


class Part(NamedTuple):
    """A piece of text, and how tightly it holds together."""

    text: str
    level: int = ATOM

    def inside(self, level: int) -> str:
        """The text as an operand of an operator of this level."""
        return self.text if self.level >= level else f"({self.text})"


class Notation:
    """Writes expressions in mathematical form for the known facts of a call."""

    def __init__(
        self,
        names: Mapping[str, str],
        shapes: Mapping[str, Sequence[int]],
        constants: Mapping[str, Any],
        where: Mapping[str, str],
        has_broadcasts: bool = True,
    ) -> None:
        self.names, self.constants, self.where = names, constants, where
        self.shapes = {name: tuple(shape) for name, shape in shapes.items()}
        self.has_broadcasts = has_broadcasts

    def equations(self, formulas: Mapping[str, str]) -> dict[str, str]:
        """An equation for the gradient of each argument, and those of the definitions they use."""
        found = {}
        for name, text in formulas.items():
            found[name] = f"{self.left_side(name)} = {self.expression(text)}"
        for each in self.definitions(formulas.values()):
            found[each] = f"{each} = {self.expression(self.where[each])}"
        return found

    def left_side(self, name: str) -> str:
        """∂L/∂x for the argument x; x.grad where that is what a rule is for."""
        own, dot, attribute = name.partition(".")
        text = self.name(own).inside(POWER)
        return f"{text}.{attribute}" if dot else f"∂L/∂{text}"

    def expression(self, text: str) -> str:
        """An expression in mathematical form."""
        return _number(self.part(ast.parse(text, mode="eval").body)).text

    def definitions(self, texts: Iterable[str]) -> list[str]:
        """The definitions that expressions use, those first that they use themselves."""
        found: list[str] = []
        waiting = list(texts)
        while waiting:
            tree = self.folded(ast.parse(waiting.pop(0), mode="eval").body)
            for each in ast.walk(tree):
                if isinstance(each, ast.Name) and each.id in self.where and each.id not in found:
                    found.append(each.id)
                    waiting.append(self.where[each.id])
        return found

    def folded(self, tree: ast.AST) -> ast.AST:
        """An expression without the branches that are known not to be taken."""
        return _Folding(self).visit(tree)

    def part(self, tree: ast.AST) -> Part:
        """One node of an expression, written."""
        write = getattr(self, f"part_of_{type(tree).__name__.lower()}", None)
        return write(tree) if write is not None else Part(ast.unparse(tree))

    def name(self, name: str) -> Part:
        """The notation for a name."""
        if name in self.names:
            text = self.names[name]
            bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", text)
            return Part(text, CHOICE if " " in bare else ATOM)
        if name in self.constants:
            return self.constant(self.constants[name])
        return Part(SYMBOLS.get(name, name))

    def constant(self, value: Any) -> Part:
        """A number, or another value that is no tensor."""
        if isinstance(value, float):
            text = f"{value:g}"
            return Part(text.replace("-", "−"), SIGN if value < 0 else ATOM)
        if isinstance(value, int) and value < 0:
            return Part(f"−{-value}", SIGN)
        return Part(repr(value) if isinstance(value, str) else str(value))

    def known(self, tree: ast.AST) -> Any:
        """The value of an expression of constants, and of tensors where only None is asked for."""
        if isinstance(tree, ast.Constant):
            return tree.value
        if isinstance(tree, ast.Name):
            there = tree.id in self.names or tree.id in self.shapes
            return self.constants.get(tree.id, True if there else OPAQUE)
        if isinstance(tree, ast.Attribute):
            return self.constants.get(ast.unparse(tree), OPAQUE)
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
            sides = [self.known(tree.left), self.known(tree.comparators[0])]
            if any(each is OPAQUE for each in sides):
                return OPAQUE
            if isinstance(tree.ops[0], (ast.Is, ast.Eq)):
                return sides[0] == sides[1]
        return OPAQUE

    # ---- kinds of nodes

    def part_of_name(self, tree: ast.Name) -> Part:
        return self.name(tree.id)

    def part_of_constant(self, tree: ast.Constant) -> Part:
        return self.constant(tree.value)

    def part_of_attribute(self, tree: ast.Attribute) -> Part:
        base = self.part(tree.value)
        if tree.attr in ("T", "mT"):
            return Part(base.inside(ATOM) + "ᵀ")
        if tree.attr == "shape" and isinstance(tree.value, ast.Name):
            shape = self.shapes.get(tree.value.id)
            return Part(f"{base.inside(ATOM)}.shape" if shape is None else str(shape))
        return Part(f"{base.inside(ATOM)}.{tree.attr}")

    def part_of_binop(self, tree: ast.BinOp) -> Part:
        if isinstance(tree.op, ast.Pow):
            return self.power(tree)
        left, right = self.part(tree.left), self.part(tree.right)
        if isinstance(tree.op, ast.Mult) and left.text == "1":
            return right
        if isinstance(tree.op, (ast.Mult, ast.Div)) and right.text == "1":
            return left
        level, sign = LEVELS[type(tree.op)]
        apart = not isinstance(tree.op, (ast.Add, ast.BitAnd, ast.BitOr))
        is_product = isinstance(tree.op, ast.Mult) and " / " not in right.text
        least = level + 1 if apart and not is_product else level
        return Part(f"{left.inside(level)}{sign}{right.inside(least)}", level)

    def power(self, tree: ast.BinOp) -> Part:
        base, exponent = self.part(tree.left), self.part(tree.right)
        if exponent.text == "1":
            return base
        if re.fullmatch(r"−?\d+", exponent.text):
            raised = exponent.text.replace("−", "-").translate(SUPERSCRIPTS)
            return Part(base.inside(ATOM) + raised, POWER)
        if exponent.text == "0.5":
            return Part(f"√{base.inside(ATOM)}", POWER)
        return Part(f"{base.inside(ATOM)}^{exponent.inside(ATOM)}", POWER)

    def part_of_unaryop(self, tree: ast.UnaryOp) -> Part:
        level, sign = SIGNS[type(tree.op)]
        return Part(sign + self.part(tree.operand).inside(level), level)

    def part_of_compare(self, tree: ast.Compare) -> Part:
        sides = [self.part(each).inside(SUM) for each in (tree.left, *tree.comparators)]
        signs = [COMPARISONS[type(each)] for each in tree.ops]
        return Part(sides[0] + "".join([a + b for a, b in zip(signs, sides[1:])]), COMPARISON)

    def part_of_boolop(self, tree: ast.BoolOp) -> Part:
        level, sign = (AND, " and ") if isinstance(tree.op, ast.And) else (OR, " or ")
        return Part(sign.join([self.part(each).inside(level) for each in tree.values]), level)

    def part_of_ifexp(self, tree: ast.IfExp) -> Part:
        test = self.known(tree.test)
        if test is not OPAQUE:
            return self.part(tree.body if test else tree.orelse)
        return self.choice(tree.test, tree.body, tree.orelse)

    def choice(self, test: ast.AST, body: ast.AST, orelse: ast.AST) -> Part:
        """One of two values."""
        then, other = [_number(self.part(each)) for each in (body, orelse)]
        return Part(f"{then.inside(OR)} if {self.part(test).text} else {other.text}", CHOICE)

    def part_of_call(self, tree: ast.Call) -> Part:
        if isinstance(tree.func, ast.Attribute):
            return self.method(tree.func, tree.args)
        name, arguments = ast.unparse(tree.func), tree.args
        if name == "where":
            return self.choice(*arguments)
        if name == "abs":
            return Part(f"|{self.part(arguments[0]).text}|")
        if name == "sqrt":
            return Part(f"√{self.part(arguments[0]).inside(ATOM)}", POWER)
        if name == "zeros":
            return Part("zeros")
        if name == "sum_to" and self.fits(arguments[1]):
            return self.part(arguments[0])
        if name == "share" and "reduction" in self.constants:
            is_mean = self.constants["reduction"] == 1
            shared = ast.BinOp(arguments[0], ast.Div(), arguments[2])
            return self.part(shared if is_mean else arguments[0])
        if name == "count":
            number = self.count(*arguments)
            return Part(f"count({self.listed(arguments[1:])})") if number is None else number
        return Part(f"{name}({self.listed(arguments[: BRIEF.get(name)])})")

    def method(self, called: ast.Attribute, arguments: Sequence[ast.AST]) -> Part:
        """The call of a method."""
        if called.attr == "numel" and isinstance(called.value, ast.Name):
            shape = self.shapes.get(called.value.id)
            if shape is not None:
                return Part(str(math.prod(shape)))
        base = self.part(called.value).inside(ATOM)
        return Part(f"{base}.{called.attr}({self.listed(arguments)})")

    def count(self, shape: ast.AST, dim: ast.AST) -> Part | None:
        """The number of elements in a reduction, where shape and dimensions are known."""
        of = shape.value.id if isinstance(shape, ast.Attribute) else ""  # type: ignore[attr-defined]
        along = self.known(dim)
        if of not in self.shapes or along is OPAQUE:
            return None
        sizes = self.shapes[of]
        return Part(str(math.prod([sizes[each] for each in dims_of(along, len(sizes))])))

    def fits(self, shape: ast.AST) -> bool:
        """Whether the input whose `shape` is written has the shape of the result."""
        if not (isinstance(shape, ast.Attribute) and isinstance(shape.value, ast.Name)):
            return False
        if not self.has_broadcasts:
            return True
        own = self.shapes.get(shape.value.id)
        return own is not None and own == self.shapes.get("result")

    def listed(self, trees: Sequence[ast.AST]) -> str:
        """Arguments without keywords, which only say how the operator computes."""
        return ", ".join([self.part(each).text for each in trees])

    def part_of_subscript(self, tree: ast.Subscript) -> Part:
        return Part(f"{self.part(tree.value).inside(ATOM)}[{self.part(tree.slice).text}]")

    def part_of_starred(self, tree: ast.Starred) -> Part:
        return Part(f"*{self.part(tree.value).inside(ATOM)}")

    def part_of_tuple(self, tree: ast.Tuple) -> Part:
        return Part(f"({self.listed(tree.elts)})")

    def part_of_list(self, tree: ast.List) -> Part:
        return Part(f"[{self.listed(tree.elts)}]")


def _number(part: Part) -> Part:
    """Zeros of some shape as the number that they are, where nothing is done with the shape."""
    return Part("0") if part.text == "zeros" else part


class _Folding(ast.NodeTransformer):
    """Drops the branches of an expression that are known not to be taken."""

    def __init__(self, notation: Notation) -> None:
        self.notation = notation

    def visit_IfExp(self, tree: ast.IfExp) -> ast.AST:
        test = self.notation.known(tree.test)
        if test is OPAQUE:
            return self.generic_visit(tree)
        return self.visit(tree.body if test else tree.orelse)
