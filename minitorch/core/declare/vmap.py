"""What a row or composite says of vmap, and of the other function transforms: VMap.

Most say nothing: rows of the element-wise families broadcast, others run once for each example, and
composites are what they are made of. The rules themselves are in minitorch/func, which looks there
by the name that is said here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.declare.struct import Struct


class VMap(Struct):
    """What is true of an operator under vmap.

    rule: the name of its rule in func/mapping: rules.py, layer_rules.py, random_numbers.py.
    formula: what batched tensors have in its place: a function of its arguments by the names of
        the schema.
    condition: of `elementwise`, that its first tensor is a condition, and the others promote.
    vectors: of `naming`, that numbers count as vectors of one, though there is no keepdim.
    one_rank: of `naming`, that each example is computed alone if its tensors differ in rank.
    named: of `naming`, that each example is computed alone if no dimension is named.
    grows: of `naming`, how many more dimensions the named ones count than its tensor has.
    views: of `naming`, that what it gets is a view, also where the examples lie in front.
    none: of `naming`, that naming no dimension means none, not all.
    permutes: of `naming`, that the dimensions are an order of all.
    numbers: of `loss`, that one of a number is reduced, too.
    warns: of `one_by_one`, that torch warns, as it has no rule either.
    shaped: of `drawn`, where the size is: "last" of the arguments, or "spread" over them.
    rows: of `drawn`, that matrices of several examples are drawn from as one.
    apart: of `drawn`, that one draw of a batch is not several draws.
    features: of `dropped`, that whole features are dropped.
    makes: whether a composite makes a tensor of its own, of which every transform has to know.
    masks: of a composite, that it multiplies by what it makes of ones.
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
# Rows that run once for each example, of which torch warns, as it has no rule either.
WARNS = VMap("one_by_one", warns=True)
# What torch cannot batch, for each example may give another size.
SIZES_DIFFER = VMap("dynamic")

NOTHING_SAID = VMap()
VMAP_OF_ROWS: dict[str, VMap] = {}  # by the key of the row
VMAP_OF_COMPOSITES: dict[str, VMap] = {}  # by the name of the function


def made_of(function: Callable[..., Any]) -> VMap:
    """Lets batched tensors have other operators in place of a row's: a function of its arguments
    by the names of the schema."""
    return VMap("made_of", formula=function)
