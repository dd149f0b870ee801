"""Faults in the source: small changes of syntax trees, by kind and by the files that they suit.

A change is a function of a node that yields expressions (or statements) to stand in its place.
"""

import ast
import copy
import math
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from conformance.mutants.fault import ROOT, Edit, Fault, tree

OPERATORS = ("aten/*.py", "aten/*/*.py")
FORMULAS = (
    *(*OPERATORS, "core/arrays/*.py", "autograd/*.py", "func/*.py", "func/*/*.py", "linalg/*.py"),
    *(
        "nn/*.py",
        "nn/_functional/*.py",
        "nn/modules/*.py",
        "nn/utils/*.py",
        "optim/*.py",
        "optim/lr_scheduler/*.py",
    ),
)
ADDING = tuple(f"core/graph/{name}.py" for name in ("accumulate", "*_walk", "hooks"))
ENGINE = ("core/base/*.py", "core/graph/*.py", "autograd/function.py")
HOOKS = ("core/graph/*.py", "nn/modules/module.py", "nn/modules/calling.py", "optim/optimizer.py")
SAMPLING = ("core/sampling/*.py",)
ERRORS = (
    *(*OPERATORS, "core/*/*.py", "core/declare/*/*.py", "autograd/*.py", "optim/*.py"),
    *("nn/*.py", "nn/_functional/*.py", "nn/modules/*.py"),
)
TEXTS = tuple(f"core/declare/codegen/{name}.py" for name in ("elementwise", "node", "operator"))
PROMOTION = ("core/numbers/promotion.py",)
NOT_HERE = ("core/arrays/on_cupy.py",)  # which no case runs without a GPU

_SIGNS: dict[type, type] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_REDUCTIONS = {
    "sum": "mean",
    "mean": "sum",
    "amax": "amin",
    "amin": "amax",
    "max": "min",
    "min": "max",
    "maximum": "minimum",
    "minimum": "maximum",
    "argmax": "argmin",
    "argmin": "argmax",
    "cumsum": "cumprod",
    "prod": "sum",
    "any": "all",
    "all": "any",
}
_ERRORS = {"RuntimeError": "ValueError", "ValueError": "RuntimeError", "TypeError": "RuntimeError"}
_OURS = re.compile(
    r"NotImplementedError\(f?['\"]((the (second )?gradient of )?(torch\.|{name} with)|Could not run"
    r"|tensors of|pickling a tensor|what this asks)|ImportError|minitorch"
)  # torch's own text of what could not run lists all its backends
_SYMMETRIC = ("add", "mul", "eq", "dot", "maximum", "minimum")
_BOUNDING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_WORD = 1 << 16  # from here on a number is a mask or a multiplier, which has bits
_ORDERED = (ast.Sub, ast.Div, ast.Pow, ast.MatMult, ast.FloorDiv, ast.Mod)


def flipped_sign(node: ast.AST) -> Iterator[ast.AST]:
    """a + b -> a - b; -a -> a."""
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS and not _is_text(node):
        yield ast.BinOp(node.left, _SIGNS[type(node.op)](), node.right)
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    if negated and not isinstance(node.operand, ast.Constant):
        yield node.operand


def dropped_term(node: ast.AST) -> Iterator[ast.AST]:
    """a + b -> a, or b."""
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS and not _is_text(node):
        yield node.left
        if isinstance(node.op, ast.Add):
            yield node.right


def dropped_factor(node: ast.AST) -> Iterator[ast.AST]:
    """a * b -> a, or b; a / b -> a."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        if _is_text(node) or isinstance(node.left, (ast.Tuple, ast.List)):
            return
        if not _counts(node.right):
            yield node.left
        if isinstance(node.op, ast.Mult) and not _counts(node.left):
            yield node.right


def swapped_inputs(node: ast.AST) -> Iterator[ast.AST]:
    """a - b -> b - a; F.f(a, b) -> F.f(b, a)."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ORDERED) and not _is_text(node):
        yield ast.BinOp(node.right, node.op, node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        formula = isinstance(owner, ast.Name) and owner.id == "F"
        if formula and len(node.args) >= 2 and node.func.attr not in _SYMMETRIC:
            first, second, *rest = node.args
            if isinstance(first, ast.Name) and isinstance(second, ast.Name):
                yield ast.Call(node.func, [second, first, *rest], node.keywords)


def wrong_reduction(node: ast.AST) -> Iterator[ast.AST]:
    """sum -> mean, keepdim=True -> False, axis=-1 -> 0."""
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr in _REDUCTIONS:
        other = ast.Attribute(node.func.value, _REDUCTIONS[node.func.attr])
        yield ast.Call(other, node.args, node.keywords)
    for number, keyword in enumerate(node.keywords):
        value = keyword.value
        if keyword.arg not in ("keepdims", "keepdim", "axis", "dim"):
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            changed: ast.expr = ast.Constant(not value.value)
        elif "dim" in str(keyword.arg) or ast.unparse(value) == "0":
            continue
        else:
            changed = ast.Constant(0)
        keywords = [*node.keywords]
        keywords[number] = ast.keyword(keyword.arg, changed)
        yield ast.Call(node.func, node.args, keywords)


def overwritten(node: ast.AST) -> Iterator[ast.AST]:
    """held + grad -> grad, held += grad -> held = grad, plus(held, grad) -> grad."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not _is_text(node):
        yield node.right
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and not _counts(node.value):
        yield ast.Assign([node.target], node.value, lineno=0)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("plus", "numpy.add"):
        yield node.args[1]


def missed_version(node: ast.AST) -> Iterator[ast.AST]:
    """cell[0] += 1 -> cell[0] += 0, also in the text of functions that are assembled."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        counts = isinstance(node.op, ast.Add) and _counts(node.value)
        yield from [ast.AugAssign(node.target, node.op, ast.Constant(0))] if counts else []
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "[0] += 1" in node.value:
        yield ast.Constant(node.value.replace("[0] += 1", "[0] += 0"))


def reversed_hooks(node: ast.AST) -> Iterator[ast.AST]:
    """for hook in list(hooks.values()) -> for hook in list(hooks.values())[::-1]."""
    if isinstance(node, (ast.For, ast.comprehension)) and "hook" in ast.unparse(node.target):
        changed = copy.copy(node)
        changed.iter = ast.parse(f"list({ast.unparse(node.iter)})[::-1]", mode="eval").body
        if isinstance(node, ast.For):
            yield changed


def wrong_class(node: ast.AST) -> Iterator[ast.AST]:
    """raise RuntimeError(...) -> raise ValueError(...)."""
    if _raises(node):
        name = ast.unparse(node.exc.func)
        if name.endswith("Error") and name != "AttributeError":
            other = ast.Name(_ERRORS.get(name, "RuntimeError"))
            yield ast.Raise(ast.Call(other, node.exc.args, node.exc.keywords), node.cause)


def wrong_text(node: ast.AST) -> Iterator[ast.AST]:
    """raise E("a text") -> raise E("a text indeed")."""
    if _raises(node):
        changed = copy.deepcopy(node)
        for each in ast.walk(changed):
            if (
                isinstance(each, ast.Constant)
                and isinstance(each.value, str)
                and each.value.strip()
            ):
                each.value += " indeed"
                yield changed
                return


def off_by_one(node: ast.AST) -> Iterator[ast.AST]:
    """16 -> 17; 0x80000000 -> 0x40000000; a < b -> a < b + 1."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1 if node.value < _WORD else node.value >> 1)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and not _chooses(node):
        bound = node.comparators[0]
        number = bound.value if isinstance(bound, ast.Constant) else 0.0
        number = math.inf if ast.unparse(bound).endswith(".inf") else number
        if isinstance(node.ops[0], _BOUNDING) and type(number) is float and number + 1 != number:
            farther = ast.BinOp(bound, ast.Add(), ast.Constant(1))
            yield ast.Compare(node.left, node.ops, [farther])


def lost_statement(node: ast.AST) -> Iterator[ast.AST]:
    """A call, or an assignment to something that others see, -> pass."""
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    stored = isinstance(node, ast.Assign) and isinstance(
        node.targets[0], (ast.Attribute, ast.Subscript)
    )
    if called or stored or isinstance(node, ast.AugAssign):
        yield ast.Pass()


def negated(node: ast.AST) -> Iterator[ast.AST]:
    """x if a else y -> x if not a else y, in conditions."""
    if isinstance(node, (ast.If, ast.IfExp)):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        yield changed


CHANGES: dict[str, tuple[tuple[str, ...], Callable[[ast.AST], Iterator[ast.AST]]]] = {
    "flipped sign": (FORMULAS, flipped_sign),
    "dropped term": (FORMULAS, dropped_term),
    "dropped factor": (FORMULAS, dropped_factor),
    "swapped inputs": (FORMULAS, swapped_inputs),
    "wrong reduction": (FORMULAS, wrong_reduction),
    "accumulation overwritten": (ADDING, overwritten),
    "missed version bump": (("core/graph/*.py", *TEXTS), missed_version),
    "hook order reversed": (HOOKS, reversed_hooks),
    "wrong error class": (ERRORS, wrong_class),
    "wrong error text": (ERRORS, wrong_text),
    "off by one in a random stream": (SAMPLING, off_by_one),
    "lost statement of the engine": (ENGINE, lost_statement),
    "wrong promotion": (PROMOTION, negated),
}


def _is_text(node: ast.BinOp) -> bool:
    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    return any(
        isinstance(each, texts) or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for side in (node.left, node.right)
        for each in ast.walk(side)
        if side is each or not isinstance(each, (ast.List, ast.Tuple))
    )


def _chooses(node: ast.Compare) -> bool:
    """Returns whether a size is compared with a constant, to choose the quicker of two ways."""
    constant = node.comparators[0]
    return isinstance(constant, ast.Name) and constant.id.startswith("_") and constant.id.isupper()


def _raises(node: Any) -> bool:
    """Returns whether an error of torch's is raised, not that something is missing here."""
    if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
        return False
    return not _OURS.search(ast.unparse(node.exc))


def _counts(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def faults() -> Iterator[Fault]:
    """Yields every fault of these kinds that can be made of the source."""
    for kind, (patterns, change) in CHANGES.items():
        for file in _files(patterns):
            for node in _inside_functions(file, errors=kind.startswith("wrong error")):
                for changed in change(node):
                    text = ast.unparse(ast.fix_missing_locations(changed))
                    if isinstance(node, ast.expr):
                        text = f"({text})"
                    yield Edit(file, node, _indented(text, node)).fault(kind)


def _indented(text: str, node: Any) -> str:
    """Returns the lines of a compound statement where the file has them."""
    return text.replace("\n", "\n" + " " * node.col_offset)


def _files(patterns: tuple[str, ...]) -> list[str]:
    names = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py"))
    return [
        name
        for name in names
        if name not in NOT_HERE
        and any(fnmatchcase(name, each) and name.count("/") == each.count("/") for each in patterns)
    ]


@cache  # most files are looked at for five kinds of faults or more
def _inside_functions(file: str, errors: bool) -> list[ast.AST]:
    """Returns the nodes of a file that run when a function does: no annotations, no defaults.

    Texts of errors are among them only where `errors` are asked for.
    """
    found: list[ast.AST] = []
    waiting: list[tuple[ast.AST, bool]] = [(tree(file), False)]
    while waiting:
        node, inside = waiting.pop()
        if inside:
            found.append(node)
        if isinstance(node, ast.Raise) and inside and not errors:
            continue
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            body = node.body if isinstance(node.body, list) else [node.body]
            waiting += [(each, True) for each in body if not _is_docstring(each)]
            continue
        if isinstance(node, ast.AnnAssign):
            waiting += [(node.value, inside)] if node.value else []
            continue
        if isinstance(node, ast.JoinedStr) or _points(node):
            continue
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


def _points(node: ast.AST) -> bool:
    """Returns whether a number counts nothing: -1 is the last or the rest, stacklevel blames."""
    if isinstance(node, ast.keyword):
        return node.arg == "stacklevel"
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    return negated and isinstance(node.operand, ast.Constant) and node.operand.value == 1


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
