"""The language of the gradient rules: what a rule is, the tags it may have, the words it may use.

A formula is one Python expression for the gradient of an input. It may use

    grad, grads    the gradient of the output, of the first if there are several; the list of all
    NAME           an argument of the operator or an output, as torch's schema calls it, if the node
                   keeps it: `self`, `other`, `dim`, `result`; of other tensors the shape alone
    definitions    the names in `where` of the rule
    words          the methods of `Words` in words.py
    exp, where     every other name is a function of torch

and methods and attributes of tensors. One text is read by people and run by tests, on both
libraries. Numbers are real: between complex ones torch takes the conjugates of all values that
stand beside grad.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any

from minitorch.study.rules.notation import Notation
from minitorch.study.rules.words import WORDS, Shape, Words

# How a gradient goes through a node, in one word.
TAGS = {
    "distributes": "It goes on unchanged, up to a sign or a number, to every input.",
    "swaps": "Each input gets it times the other input.",
    "scales": "It is multiplied by the local gradient, which depends on the input's value.",
    "gates": "It passes where the gate was open, and is 0 where the gate was closed.",
    "routes": "It goes to the elements that were chosen; all others get 0.",
    "spreads": "Each element that went into a sum or a mean gets a share of it.",
    "accumulates": "The gradients of all copies of a value are added up.",
    "moves": "Its elements go back to the places that the values came from.",
    "mixes": "Each element of an input gets something from many elements of it.",
    "stops": "It ends here: small changes of the input change nothing, or are not followed.",
    "computes": "By the operator's own formula, for which there is no word.",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule by which the gradient goes back through the nodes of one name.

    name: of the node, "MmBackward0".
    tag: one of `TAGS`.
    forward: what the operator computes, as an expression of its arguments; "" if unknown.
    sentence: the rule in plain words.
    formulas: for each input that gets a gradient an expression for it; "variable.grad" for a leaf.
    where: definitions that the formulas share, in order.
    """

    name: str
    tag: str
    forward: str
    sentence: str
    formulas: dict[str, str]
    where: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.tag not in TAGS:
            raise ValueError(f"{self.name}: no tag is called {self.tag!r}")

    @property
    def shown(self) -> dict[str, str]:
        """The formulas as they are shown where nothing is known of the call."""
        return self.with_names({})

    def with_names(
        self,
        names: Mapping[str, str],
        shapes: Mapping[str, Shape] | None = None,
        constants: Mapping[str, Any] | None = None,
    ) -> dict[str, str]:
        """The formulas in mathematical form, `∂L/∂w1 = xᵀ @ G`, with the reader's own names.

        G is the gradient of the output.

        Args:
            names: names of arguments and outputs, and what to write for them.
            shapes: shapes of arguments, and of the output as "result". Sums over dimensions that
                were not broadcast are left out then.
            constants: arguments that are no tensors, with their values: `1 · x` becomes `x`.

        Returns:
            For each input its equation, then each definition that these use, by its name.
        """
        notation = Notation(names, shapes or {}, constants or {}, self.where)
        return notation.equations(self.formulas)

    def gradients(
        self, values: Mapping[str, Any], library: Any, inputs: Iterable[str] | None = None
    ) -> dict[str, Any]:
        """The gradients of inputs, computed by their formulas.

        Args:
            values: grad (or grads) and the values of the names in the formulas.
            library: the module torch or minitorch, whose tensors the values are.
            inputs: the names of the inputs that are asked for; all if there are none.

        Raises:
            NameError: if a formula uses a name without a value.
        """
        scope = Scope(values, self.where, library)
        wanted = self.formulas if inputs is None else inputs
        return {name: scope.value(self.formulas[name]) for name in wanted}


def rule(
    name: str,
    tag: str,
    forward: str,
    sentence: str,
    /,
    where: dict[str, str] | None = None,
    **formulas: str,
) -> Rule:
    """A rule, its formulas as keywords."""
    return Rule(name, tag, forward, sentence, formulas, where or {})


def broadcast_rule(
    name: str,
    tag: str,
    forward: str,
    sentence: str,
    /,
    where: dict[str, str] | None = None,
    **formulas: str,
) -> Rule:
    """A rule of an operator that broadcasts: gradients are summed to the shapes of their inputs."""
    summed = {each: f"sum_to({text}, {each}.shape)" for each, text in formulas.items()}
    return Rule(name, tag, forward, sentence, summed, where or {})


class Outline:
    """The form of a tensor whose elements a formula may not use, because the node keeps none."""

    def __init__(self, tensor: Any) -> None:
        self.shape, self.dtype, self.device = tensor.shape, tensor.dtype, tensor.device

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


def kept_values(node: Any) -> dict[str, Any]:
    """The values that a node of either library keeps, by the names that formulas use.

    torch shows negative ints as 64 unsigned bits; here they are signed again.

    Raises:
        RuntimeError: if the values were freed already.
    """
    saved = [name for name in dir(node) if name.startswith("_saved_")]
    return {name.removeprefix("_saved_"): _signed(getattr(node, name)) for name in saved}


def _signed(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)([_signed(each) for each in value])
    is_wrapped = type(value) is int and value >= 1 << 63
    return value - (1 << 64) if is_wrapped else value


class Scope:
    """The values of the names in one rule's formulas."""

    def __init__(self, values: Mapping[str, Any], where: Mapping[str, str], library: Any) -> None:
        self.known, self.where, self.library = dict(values), where, library
        self.words = Words(library, values)

    def value(self, text: str) -> Any:
        """The value of an expression."""
        code, names = compiled(text)
        # The expressions are those of this package's own tables.
        return eval(code, {name: self.meaning(name) for name in names})

    def meaning(self, name: str) -> Any:
        """The meaning of one name: a value, a definition, a word, or a function of torch."""
        if name not in self.known:
            if name in self.where:
                self.known[name] = self.value(self.where[name])
            else:
                held = self.words if name in WORDS else self.library
                if not hasattr(held, name):
                    raise NameError(f"a formula uses {name!r}, which has no value here")
                self.known[name] = getattr(held, name)
        return self.known[name]


@lru_cache(None)
def compiled(text: str) -> tuple[CodeType, tuple[str, ...]]:
    """The code of an expression, and the names in it."""
    tree = ast.parse(text, mode="eval")
    names = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    return compile(tree, f"<formula {text}>", "eval"), tuple(sorted(names))
