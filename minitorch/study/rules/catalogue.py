"""The rules by which the gradient goes back through each kind of node, by the nodes' names.

`rule_of(loss.grad_fn)` gives the rule of a node of either library. The commonest have one written
for readers (elements.py, layers.py, shapes.py); each of their formulas
is run by a test on all samples of its operator. All other nodes show the formula of their own row.

`python -m minitorch.study.rules` prints the table of all rules that is docs/study/rules.md.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from minitorch.core.declare.registry import ROWS, load_families
from minitorch.study.rules import elements, layers, shapes
from minitorch.study.rules.language import TAGS, Rule
from minitorch.study.rules.notation import Notation
from minitorch.study.rules.words import WORDS

CHAPTERS: dict[str, list[Rule]] = {
    "Arithmetic": elements.ARITHMETIC,
    "Powers, exponentials, logarithms": elements.POWERS,
    "Trigonometry and its relatives": elements.TRIGONOMETRY,
    "Comparisons, bounds, rounding": elements.COMPARISONS,
    "Activations": layers.ACTIVATIONS,
    "Matrix products": layers.PRODUCTS,
    "Layers": layers.LAYERS,
    "Losses": layers.LOSSES,
    "Reductions": shapes.REDUCTIONS,
    "Shapes": shapes.SHAPES,
    "Choosing elements": shapes.CHOICES,
    "Leaves": shapes.LEAVES,
}
# Nodes with the rule of another: of operators that write in place, and of views that copy.
TWINS = {
    "SqueezeBackward3": "SqueezeBackward0",
    "SqueezeBackward4": "SqueezeBackward1",
    "SqueezeBackward5": "SqueezeBackward2",
    "TBackward1": "TBackward0",
    "ThresholdBackward1": "ThresholdBackward0",
    "TransposeBackward1": "TransposeBackward0",
    "UnsqueezeBackward1": "UnsqueezeBackward0",
    "NativeBatchNormLegitBackward0": "NativeBatchNormBackward0",
    "UnsafeSplitBackward0": "SplitBackward0",
    "UnsafeSplitWithSizesBackward0": "SplitWithSizesBackward0",
    **{
        f"{each}Backward0_copy": f"{each}Backward0"
        for each in (
            *("Alias", "Diagonal", "Expand", "Permute", "Select", "Slice", "Split"),
            *("SplitWithSizes", "Squeeze", "T", "Transpose", "Unbind", "Unsqueeze", "View"),
        )
    },
    "SqueezeBackward1_copy": "SqueezeBackward1",
    "SqueezeBackward2_copy": "SqueezeBackward2",
}
RULES: dict[str, Rule] = {each.name: each for part in CHAPTERS.values() for each in part}
RULES.update({name: replace(RULES[twin], name=name) for name, twin in TWINS.items()})


def rule_of(node: Any) -> Rule:
    """The rule of a node.

    Args:
        node: a node of minitorch or torch, as `tensor.grad_fn` gives it, or its name.

    Returns:
        The rule that is written for its name, or one made of the formulas of minitorch's row. A
        node without a row, such as that of the reader's own Function, has a rule without formulas.

    Raises:
        TypeError: if `node` is neither a node nor a name.
    """
    name = node if isinstance(node, str) else _name_of(node)
    name = name.rpartition("::")[2]
    return RULES[name] if name in RULES else _declared_rule(name)


def _name_of(node: Any) -> str:
    if not hasattr(node, "next_functions"):
        raise TypeError(f"a node such as loss.grad_fn or its name is needed, not {node!r:.80}")
    return type(node).__name__ if not callable(getattr(node, "name", None)) else node.name()


@lru_cache(None)
def _declared_rule(name: str) -> Rule:
    """The rule of a node whose formulas stand in a row of the operators alone."""
    row = next((each for each in _rows().values() if each.node == name), None)
    if name in SENTENCES or row is None:
        return Rule(name, "computes", "", _sentence_without_row(name), {})
    given = {n: each for n, each in row.formulas.items() if not hasattr(each, "refuses")}
    if not given:
        return Rule(name, "computes", "", f"{row.schema.name} has no derivative.", {})
    formulas = {each: formula_text(formula) for each, formula in given.items()}
    if "inputs" in formulas:
        joint = formulas.pop("inputs")
        formulas = {each: f"{joint}[{i}]" for i, each in enumerate(row.inputs)}
    kept = f", from what it keeps: {', '.join(row.public_saved)}" if row.public_saved else ""
    return Rule(name, "computes", "", f"By the formula of {row.schema.name}{kept}.", formulas)


def _rows() -> Mapping[str, Any]:
    """All rows of minitorch's operators."""
    load_families()  # 200 ms, and only for nodes without a rule of their own
    return ROWS


def _sentence_without_row(name: str) -> str:
    own = name.removesuffix("Backward")
    if own != name:
        return f"{own} is a Function of the reader's own: its backward says how the gradient goes."
    return SENTENCES.get(name, f"No rule is known for {name}.")


# Nodes that are made otherwise than by one operator.
SENTENCES = {
    "CopySlices": "Part of a tensor was written in place: the gradient of this part goes back "
    "through the operator that wrote it, and the rest goes on as it is.",
    "NotImplemented": "The operator has no derivative.",
}


def formula_text(formula: Callable[..., Any]) -> str:
    """The expression that a formula of a row returns, or a call of it if it takes several steps.

    The language F of the rows is left out, and shapes are written as formulas for readers write
    them: `F.reshape(grad, self_sym_sizes)` becomes `reshape(grad, self.shape)`.
    """
    inner = getattr(formula, "__wrapped__", formula)
    code = inner.__code__
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    body = _body_of(inner, arguments)
    if body is None:
        # Functions made at run time have no name of their own, or that of their row.
        name = inner.__name__ if inner.__name__.isidentifier() else "backward"
        text = f"{name}({', '.join([each for each in arguments if each != 'F'])})"
    else:
        constants = inspect.getclosurevars(inner).nonlocals
        copied = ast.parse(ast.unparse(body), mode="eval")
        text = ast.unparse(_ForReaders(constants).visit(copied))
    for ending, spelling in DERIVED.items():
        text = re.sub(rf"\b([A-Za-z]\w*?){ending}\b", rf"\1{spelling}", text)
    return text


DERIVED = {"_sym_sizes": ".shape", "_sym_numel": ".numel()", "_sym_strides": ".stride()"}


def _body_of(formula: Callable[..., Any], arguments: tuple[str, ...]) -> ast.AST | None:
    """The result of a lambda or of a function of one statement, as a tree; None without source."""
    code = formula.__code__
    source = "".join(linecache.getlines(code.co_filename, formula.__globals__))
    for tree in ast.walk(_parsed(source)):
        if getattr(tree, "lineno", None) != code.co_firstlineno:
            continue
        if isinstance(tree, ast.Lambda):
            if (*_names(tree.args.args), *_names(tree.args.kwonlyargs)) == arguments:
                return tree.body
        elif isinstance(tree, ast.FunctionDef):
            steps = tree.body[1:] if ast.get_docstring(tree) else tree.body
            return steps[0].value if len(steps) == 1 and isinstance(steps[0], ast.Return) else None
    return None


def _names(arguments: list[ast.arg]) -> list[str]:
    return [each.arg for each in arguments]


_parsed = lru_cache(32)(ast.parse)


class _ForReaders(ast.NodeTransformer):
    """Writes `F.exp` and `getattr(F, "exp")` as `exp`, and leaves out conjugates."""

    def __init__(self, constants: Mapping[str, Any]) -> None:
        self.constants = {n: value for n, value in constants.items() if isinstance(value, str)}

    def visit_Attribute(self, tree: ast.Attribute) -> ast.AST:
        if isinstance(tree.value, ast.Name) and tree.value.id == "F":
            return _operator(tree.attr)
        return self.generic_visit(tree)

    def visit_Call(self, tree: ast.Call) -> ast.AST:
        called = ast.unparse(tree.func)
        if called == "getattr" and ast.unparse(tree.args[0]) == "F":
            text = ast.unparse(tree.args[1])
            for name, value in self.constants.items():
                text = repr(value) if text == name else text.replace(f"{{{name}}}", value)
            return _operator(text.removeprefix("f").strip("'\""))
        if isinstance(tree.func, ast.Attribute) and tree.func.attr == "conj":
            return self.visit(tree.func.value)
        tree.args = [each for each in tree.args if ast.unparse(each) != "F"]
        return self.generic_visit(tree)


def _operator(name: str) -> ast.Name:
    """An operator by its name without the overload: `mul` for `mul_Tensor`."""
    row = _rows().get(name)
    return ast.Name(name if row is None else row.name)


# ---- the table


INTRODUCTION = """\
# Local gradients: the rule of each node

`∂L/∂x` is the gradient of an input, `G` the gradient of the output, both of the loss `L`. `self`,
`other`, ... are the arguments as torch's signatures call them, `result` is the output. ᵀ
transposes, · multiplies element by element, @ is the product of matrices. Every formula is run by
a test, on minitorch and on real torch.

If an input was broadcast, its gradient is summed over the dimensions along which it was repeated:
`sum_to(x, shape)`. These sums are left out below. Numbers are real: between complex
numbers torch takes the conjugates of the values that stand beside G.

`l1_loss`, `kl_div`, `cross_entropy`, `matmul`, `linear` and `einsum` have no nodes of their names:
they are made of operators that are in the table. `rule_of(node)` of `minitorch.study` finds
the rule of a node; what is not in the table gets the formula of its row in `minitorch/aten`.
"""


def table() -> str:
    """The table of all rules as Markdown; docs/study/rules.md holds it."""
    tags = "\n".join([f"| {tag} | {text} |" for tag, text in TAGS.items()])
    words = "\n".join([f"| `{name}` | {_in_a_cell(text)} |" for name, text in WORDS.items()])
    parts = [
        INTRODUCTION,
        f"## Tags: how the gradient goes\n\n| tag | meaning |\n|---|---|\n{tags}\n",
    ]
    for title, rules in CHAPTERS.items():
        rows = "\n".join(map(_table_row, rules))
        head = "| node | forward | gradients | tag | in words |\n|---|---|---|---|---|"
        parts.append(f"## {title}\n\n{head}\n{rows}\n")
    parts.append(f"## Words of the formulas\n\n| word | meaning |\n|---|---|\n{words}\n")
    return "\n".join(parts)


def _table_row(rule: Rule) -> str:
    """One line of the table."""
    notation = Notation({}, {}, {}, rule.where, has_broadcasts=False)
    lines = notation.equations(rule.formulas)
    for each in notation.definitions([rule.forward]):
        lines.setdefault(each, f"{each} = {notation.expression(rule.where[each])}")
    forward = _in_a_cell(notation.expression(rule.forward))
    equations = "<br>".join([f"`{_in_a_cell(each)}`" for each in lines.values()])
    return f"| `{rule.name}` | `{forward}` | {equations} | {rule.tag} | {rule.sentence} |"


def _in_a_cell(text: str) -> str:
    """A text with its bars escaped, in one line."""
    return " ".join(text.split()).replace("|", "\\|")
