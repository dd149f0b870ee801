"""VMap: how vmap and other transforms treat an operator, as its row or composite declares it.

Most rows need none: element-wise rows broadcast, others run once for each example, and composites
follow the operators that they are made of. The rules themselves are in minitorch/func, which finds
them by the name that is declared here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.declare.struct import Struct


class VMap(Struct):
    """How vmap treats an operator.

    rule: the name of its rule in func/mapping: rules.py, layer_rules.py, random_numbers.py.
    formula: a function that replaces it on batched tensors; it takes the arguments by the names of
        the schema.
    condition: rule `elementwise`: whether its first tensor is a condition, and the others promote.
    vectors: rule `naming`: whether numbers count as vectors of one, though there is no keepdim.
    one_rank: rule `naming`: whether each example is computed alone if its tensors differ in rank.
    named: rule `naming`: whether each example is computed alone if no dimension is named.
    grows: rule `naming`: how many more dimensions its arguments can name than its tensor has.
    views: rule `naming`: whether it gets a view of its tensor, also if the examples lie in front.
    none: rule `naming`: whether naming no dimension means none, not all.
    permutes: rule `naming`: whether its dimensions are a permutation of all.
    numbers: rule `loss`: whether the loss of a number is reduced, too.
    warns: whether torch warns that it runs for each example, as it has no rule.
    overload: rule `warned`: the overload that torch names in this warning; or (the arguments) ->
        the overload.
    shaped: rule `drawn`: where the size is: "last" of the arguments, or "spread" over them.
    rows: rule `drawn`: whether matrices of several examples are drawn from as one.
    apart: rule `drawn`: whether one draw of a batch differs from one draw for each example.
    features: rule `dropped`: whether whole features are dropped.
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
    overload: str | Callable[..., str] = ""
    shaped: str = "last"
    rows: bool = False
    apart: bool = False
    features: bool = False
    numbers: bool = False
    makes: bool = False
    masks: bool = False
    replaced: str = ""


# Rows of family 'operator' that broadcast as element-wise rows do.
BROADCASTS = VMap("elementwise")
# Element-wise rows of which torch warns that they run for each example, as it has no rule.
BROADCASTS_WITH_WARNING = VMap("elementwise", warns=True)
# Rows of one tensor that keep its sizes, or work on the last dimensions alone.
KEEPS_DIMS = VMap("keeping")
# Rows whose tensors have the same dimensions, some of which their arguments name.
NAMES_DIMS = VMap("naming")
# As the rows before, unless an index is batched as well.
SHARES_INDEX = VMap("indexed")
# Rows that run once for each example; torch warns of them, as it has no rule either.
WARNS = VMap("one_by_one", warns=True)
# Rows that torch cannot batch, as each example's result may have another size.
SIZES_DIFFER = VMap("dynamic")

NOTHING_SAID = VMap()
VMAP_OF_ROWS: dict[str, VMap] = {}  # by the key of the row
VMAP_OF_COMPOSITES: dict[str, VMap] = {}  # by the name of the function


def made_of(function: Callable[..., Any]) -> VMap:
    """The VMap of a row that other operators compute on batched tensors, in a function that takes
    the row's arguments by the names of the schema."""
    return VMap("made_of", formula=function)
