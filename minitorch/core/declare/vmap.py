"""VMap: how vmap and other transforms treat an operator, as its row or composite declares it.

Most rows need none: element-wise ones broadcast, others run once for each example, and composites
do as the operators that they are made of. The rules themselves are in minitorch/func, which looks
them up there by the name that is declared here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.declare.struct import Struct


class VMap(Struct):
    """How vmap treats an operator.

    rule: the name of its rule in func/mapping: rules.py, layer_rules.py, random_numbers.py.
    formula: a function that runs in its place on batched tensors, of its arguments by the names of
        the schema.
    condition: of `elementwise`, that its first tensor is a condition, and the others promote.
    vectors: of `naming`, that numbers count as vectors of one, though there is no keepdim.
    one_rank: of `naming`, that each example is computed alone if its tensors differ in rank.
    named: of `naming`, that each example is computed alone if no dimension is named.
    grows: of `naming`, how many more dimensions its arguments can name than its tensor has.
    views: of `naming`, that it gets a view of its tensor, also if the examples lie in front.
    none: of `naming`, that naming no dimension means none, not all.
    permutes: of `naming`, that its dimensions are a permutation of all.
    numbers: of `loss`, that the loss of a number is reduced, too.
    warns: of `one_by_one`, that torch warns, as it has no rule either.
    shaped: of `drawn`, where the size is: "last" of the arguments, or "spread" over them.
    rows: of `drawn`, that matrices of several examples are drawn from as one.
    apart: of `drawn`, that one draw of a batch differs from one draw for each example.
    features: of `dropped`, that whole features are dropped.
    makes: whether a composite makes a new tensor, so that every transform must see its call.
    masks: whether a composite multiplies its argument by its own result for ones.
    replaced: the name of the function in layer_rules.py that takes its place wherever a transform
        runs.
    """

    rule: str = ""
    formula: Callable[..., Any] | None = None
    condition: bool = False
    vectors: bool = False
    one_rank: bool = False
    named: bool = False
    grows: int = 0
    views: bool = False
    none: bool = False
    permutes: bool = False
    warns: bool = False
    shaped: str = "last"
    rows: bool = False
    apart: bool = False
    features: bool = False
    numbers: bool = False
    makes: bool = False
    masks: bool = False
    replaced: str = ""


# Rows of family 'operator' that broadcast as the element-wise ones do.
BROADCASTS = VMap("elementwise")
# Rows of one tensor that keep its sizes, or work on the last dimensions alone.
KEEPS_DIMS = VMap("keeping")
# Rows whose tensors have the same dimensions, some of which their arguments name.
NAMES_DIMS = VMap("naming")
# As those, unless an index is batched as well.
SHARES_INDEX = VMap("indexed")
# Rows that run once for each example; torch warns of them, as it has no rule either.
WARNS = VMap("one_by_one", warns=True)
# Rows that torch cannot batch, as each example's result may have another size.
SIZES_DIFFER = VMap("dynamic")

NOTHING_SAID = VMap()
VMAP_OF_ROWS: dict[str, VMap] = {}  # by the key of the row
VMAP_OF_COMPOSITES: dict[str, VMap] = {}  # by the name of the function


def made_of(function: Callable[..., Any]) -> VMap:
    """Lets batched tensors have other operators in place of a row's: a function of its arguments
    by the names of the schema."""
    return VMap("made_of", formula=function)
