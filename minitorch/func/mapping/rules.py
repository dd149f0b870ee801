"""The rules of vmap: the results of operators on batched tensors.

A few kinds of rules cover the rows; a row's declaration chooses the kind. Element-wise rows
broadcast; rows that name dimensions or sizes take one dimension more in front. Operators without a
rule in torch, or whose arguments fit no rule, run once for each example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.registry import ROWS, function_of_row
from minitorch.core.declare.row import Row
from minitorch.core.declare.vmap import NOTHING_SAID, VMAP_OF_COMPOSITES, VMAP_OF_ROWS, VMap
from minitorch.core.numbers.promotion import result_type
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.core.warning import warn
from minitorch.func.levels.base import mapped, tensors_of
from minitorch.func.mapping.random_numbers import DRAWING

Rule = Callable[..., Any]


# Which arguments name dimensions.
DIMS = frozenset(("dim", "dims", "dim0", "dim1", "dim2", "dimension"))
# The rules by the names that rows declare: see VMap in minitorch/core/declare/vmap.py.
RULES: dict[str, Rule] = {}
# The rules of composites by declared name; other composites are called with batched tensors.
COMPOSITE: dict[str, Callable[..., Any]] = dict(DRAWING)


def rule(function: Rule) -> Rule:
    """Makes a function the rule of the rows that declare its name."""
    RULES[function.__name__] = function
    return function


def composite_rule(function: Rule) -> Rule:
    """Makes a function the rule of the composites that declare its name."""
    COMPOSITE[function.__name__] = function
    return function


def said_of(row: Row) -> VMap:
    """The VMap of a row."""
    return VMAP_OF_ROWS.get(row.key, NOTHING_SAID)


def rule_for(level: Any, row: Row, batched: bool) -> Rule:
    """The rule for a call of `row`; batched: whether an argument is batched."""
    if not batched:
        return below
    said = VMAP_OF_ROWS.get(row.key)
    if said is not None:
        return RULES[said.rule]
    return one_by_one if row.family == "operator" else elementwise


@rule
def dynamic(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> NoReturn:
    """Raises for an operator whose results may differ in size between examples."""
    raise RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted "
        f"to vmap over aten::{row.key}. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues if you need this feature."
    )


def below(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the operator one level below, since nothing is batched."""
    with level.below():
        return function(*args, **kwargs)


def warn_of_drop(name: str, overload: str = "") -> None:
    """Warns that an operator runs for each example, for want of a rule."""
    name = f"{name}.{overload}" if overload else name
    warn(
        "There is a performance drop because we have not yet implemented the batching rule for "
        f"aten::{name}. Please file us an issue on GitHub so that we can prioritize its "
        "implementation."
    )


def check_examples(level: Any, name: str, overload: str) -> None:
    """RuntimeError in torch's words if there is no example for an operator without a rule."""
    if not level.size:
        name = f"{name}.{overload}" if overload else name
        raise RuntimeError(
            f"Batching rule not implemented for aten::{name}. The fallback path does not support "
            "vmap over dims of size 0."
        )


def as_views(level: Any, result: Any) -> Any:
    """Batched results as views of what was stacked, which is what torch returns without a rule."""

    def viewed(x: Any) -> Any:
        if not level.is_batched(x):
            return x
        with level.below():
            return level.batched(OPS.view(x._value, x._value.shape), x._bdim)

    return mapped(viewed, result)


@rule
def one_by_one(level: Any, row: Row | None, function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the operator for each example, and stacks the results."""
    if not level.size:
        raise RuntimeError(
            "The fallback path does not support vmap over dims of size 0. Calling "
            f"aten::{function.__name__}"
        )
    with level.below():
        results = []
        for i in range(level.size):
            given = mapped(
                lambda x: OPS.select(x._value, x._bdim, i) if level.is_batched(x) else x,  # noqa: B023
                (args, kwargs),
            )
            results.append(function(*given[0], **given[1]))
        stacked = _stacked(results)
    return level.outputs(stacked)


def _stacked(results: list[Any]) -> Any:
    if isinstance(results[0], TensorBase):
        return OPS.stack(results, 0)
    if results[0] is None:
        return None
    parts = [_stacked(list(each)) for each in zip(*results, strict=True)]
    return type(results[0])(parts)


@rule
def elementwise(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Broadcasts: examples of fewer dimensions get some of size 1."""
    tensors = tensors_of((args, kwargs))
    rank = max([x._array.ndim for x in tensors])
    common = None
    promotes = row.dtype in ("promote", "float") and row.family != "operator"
    keep = row.family == "operator" and said_of(row).condition
    promotes = promotes or keep
    numbers = [x for x in tensors if level.is_batched(x) and not x._array.ndim]
    beside = [x for x in args if isinstance(x, (int, float, complex))]
    if row.family != "binary" or not numbers or level.writing:
        beside = []
    if promotes and numbers and (len(tensors) > 1 or beside):
        if not level.size and row.family == "binary" and len(numbers) < len(tensors) + len(beside):
            # torch takes the dtype of the first example
            shape = list(numbers[0]._value._array.shape)
            raise IndexError(
                f"select(): index 0 out of range for tensor of size {shape} at dimension 0"
            )
        # as examples promote
        common = result_type(*[(x.dtype, x._array.ndim) for x in tensors], *beside)
    if len(tensors) == 1:
        (x,) = tensors

        def cast(x: Any) -> Any:
            value = x._value if row.family == "unary" else level.front(x)
            return value if common is None or x.dtype is common else value.to(common)

        with level.below():
            plain, named = mapped(cast, (args, kwargs))
            if common is not None:  # the number beside it is a tensor of this dtype
                plain = [
                    x if isinstance(x, TensorBase) else OPS.full((), x, dtype=common) for x in plain
                ]
            dim = x._bdim if row.family == "unary" else 0
            return level.outputs(function(*plain, **named), dim)

    def below(x: Any) -> Any:
        x = level.aligned(x, rank)
        return x if common is None or x.dtype is common else x.to(common)

    with level.below():
        given = mapped(
            lambda x: level.aligned(x, rank) if keep and x is tensors[0] else below(x),
            (args, kwargs),
        )
        return level.outputs(function(*given[0], **given[1]))


def called(level: Any, row: Row, function: Any, bound: dict[str, Any]) -> Any:
    """Calls the operator below with these arguments, whose tensors have the examples in front."""
    plain, named = [], {}
    for a in row.schema.arguments:
        if a.name not in bound:
            continue
        if a.keyword_only or a.name == row.varargs:
            named[a.name] = bound[a.name]
        else:
            plain.append(bound[a.name])
    if "out" in row.variants:
        named["out"] = None
    return level.outputs(function(*plain, **named))


@rule
def keeping(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the operator on the tensor with its dimension of examples in front."""
    bound = bind(row, args, kwargs)
    if any([level.is_batched(x) for x in tensors_of(bound)[1:]]):
        return one_by_one(level, row, function, args, kwargs)
    with level.below():
        return called(level, row, function, {n: mapped(level.front, x) for n, x in bound.items()})


@rule
def indexed(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """`naming`, or each example alone if the index is batched."""
    if level.is_batched(bind(row, args, kwargs)["index"]):
        return one_by_one(level, row, function, args, kwargs)
    return naming(level, row, function, args, kwargs)


@rule
def naming(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Counts the dimension in front for arguments that name dimensions or sizes."""
    bound = bind(row, args, kwargs)
    tensors = tensors_of(bound)
    sizes = bound.get("input_sizes")
    rank = tensors[0]._array.ndim if sizes is None else len(sizes)
    said = said_of(row)
    shared = said.rule == "naming"
    if sizes is None and said.one_rank and len({x._array.ndim for x in tensors}) > 1:
        return one_by_one(level, row, function, args, kwargs)
    single = not rank and ("keepdim" in bound or said.vectors)
    named = [bound[name] for name in DIMS.intersection(bound)]
    unnamed = said.named and any([dims is None or dims in ((), []) for dims in named])
    if unnamed or not (rank or single or said.grows):
        return one_by_one(level, row, function, args, kwargs)
    for name in DIMS.intersection(bound):
        bound[name] = _shifted(bound[name], max(rank, single) + said.grows, said)
    if sizes is not None:
        bound["input_sizes"] = (level.size, *sizes)
    whole = level.full
    if said.views:
        whole = lambda x: level.apart(x, 0) if level.is_batched(x) else level.full(x)
    with level.below():
        for name, value in bound.items():
            keeps = not shared and name == "index"
            bound[name] = mapped(level.front if keeps else whole, value)
            if single:  # numbers as vectors of one
                bound[name] = mapped(lambda x: OPS.unsqueeze(x, -1), bound[name])
        result = called(level, row, function, bound)
        if single:
            result = mapped(
                lambda x: level.batched(x._value.squeeze(-1)) if x._array.ndim else x, result
            )
        return result


def _shifted(dims: Any, rank: int, said: VMap) -> Any:
    """The dimensions that `dims` names, with one more in front of them; all if it names none."""
    if isinstance(dims, int):
        return wrap_dim(dims, rank) + 1
    if dims is None or (not dims and not said.none):
        return list(range(1, rank + 1))
    shifted = [wrap_dim(dim, rank) + 1 for dim in dims]
    return [0, *shifted] if said.permutes else shifted


@rule
def made_of(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the function that the row declares, which is made of other operators."""
    bound = bind(row, args, kwargs)
    bound.pop("out", None)
    formula: Any = said_of(row).formula
    return formula(**bound)


# ---- rules of one row


@rule
def squeeze(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Removes the dimensions of size 1 of the examples."""
    (self,) = bind(row, args, kwargs).values()
    with level.below():
        size = [n for n in self._array.shape if n != 1]
        return level.outputs(OPS.view(level.front(self), (level.size, *size)))


def _resized(level: Any, row: Row, function: Any, bound: Any, whole: Any) -> Any:
    """Calls the operator on `whole`, the examples in front, with their number before the size."""
    bound["self"] = whole
    bound["size"] = (level.size, *bound["size"])
    return called(level, row, function, bound)


@rule
def view(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Takes the sizes as sizes of examples; a dtype is passed unchanged."""
    bound = bind(row, args, kwargs)
    size = tuple(bound["size"])
    with level.below():
        whole = level.front(bound["self"])
        if size and not isinstance(size[0], int):
            return called(level, row, function, {"self": whole, "size": size})
        return _resized(level, row, function, bound, whole)


@rule
def unsafe_view(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Takes the sizes as sizes of examples, which it lays out in order."""
    bound = bind(row, args, kwargs)
    with level.below():
        return _resized(level, row, function, bound, level.front(bound["self"]).contiguous())


@rule
def expand(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Takes the sizes as sizes of examples; further sizes in front are new dimensions."""
    bound = bind(row, args, kwargs)
    self = bound["self"]
    new = len(bound["size"]) - self._array.ndim
    with level.below():
        whole = level.front(self)
        if new >= 0:
            whole = OPS.view(whole, (level.size, *(1,) * new, *self._array.shape))
        return _resized(level, row, function, bound, whole)


@rule
def repeat(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Repeats each example along its dimensions."""
    bound = bind(row, args, kwargs)
    self, repeats = bound["self"], tuple(bound["repeats"])
    with level.below():
        whole = level.front(self)
        for _ in range(len(repeats) - self._array.ndim):
            whole = whole.unsqueeze(1)
        return called(level, row, function, {"self": whole, "repeats": (1, *repeats)})


def _matrices(level: Any, row: Row, args: Any, kwargs: Any) -> list[Any]:
    bound = bind(row, args, kwargs)
    return [level.front(bound[a.name]) for a in row.schema.tensors]


@rule
def products(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Matrix products of batches."""
    with level.below():
        return level.outputs(OPS.matmul(*_matrices(level, row, args, kwargs)))


@rule
def product_with_vector(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Matrices times vectors, which are matrices with one column."""
    self, other = bind(row, args, kwargs).values()
    with level.below():
        a, b = level.front(self), level.front(other)
        if not level.is_batched(other):
            return level.outputs(OPS.matmul(a, b))
        if level.is_batched(self):
            a = OPS.movedim(self._value, self._bdim, -3)
        return level.outputs(OPS.matmul(a, b.unsqueeze(-1)).squeeze(-1))


@rule
def product_of_vectors(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Vectors times vectors, matrices with one row and with one column."""
    self, other = bind(row, args, kwargs).values()
    with level.below():
        a, b = level.front(self), level.front(other)
        b = b.unsqueeze(-1)  # before the other, as in torch's C++
        return level.outputs(OPS.matmul(a.unsqueeze(-2), b).squeeze(-1).squeeze(-1))


@rule
def index(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Indexes each example, batched positions beside the number of the example."""
    bound = bind(row, args, kwargs)
    indices = list(bound["indices"])
    given = [i for i, each in enumerate(indices) if each is not None]
    masks = [i for i in given if indices[i]._array.dtype.kind == "b"]
    if any([level.is_batched(indices[i]) for i in masks]):
        raise RuntimeError(
            "vmap: We do not support batching operators that can support dynamic shape. Attempting "
            "to batch over indexing with a boolean mask."
        )
    batched = any([level.is_batched(indices[i]) for i in given])
    together = given == list(range(given[0], given[-1] + 1))
    self, start = bound["self"], given[0]
    puts = "values" in bound
    if masks or not together or (puts and (start or not level.is_batched(self))):
        return one_by_one(level, row, function, args, kwargs)
    rank = max([indices[i]._array.ndim for i in given])
    with level.below():
        bound["self"] = level.front(self)
        if batched:
            indices = [None if i is None else level.aligned(i, rank) for i in indices]
        first = None
        if batched and level.is_batched(self):
            first = OPS.arange(level.size, device=self.device).view((level.size, *(1,) * rank))
        bound["indices"] = [first, *indices] if level.is_batched(self) else indices
        if puts:
            bound["values"] = level.aligned(bound["values"], rank + self._array.ndim - len(given))
            return called(level, row, function, bound)
        result = called(level, row, function, bound)
        if first is not None and start:  # torch puts dimensions of separated indices in front
            order = list(range(1, rank + 1)), list(range(start + 1, start + rank + 1))
            return level.batched(OPS.movedim(result._value, *order))
        return result if level.is_batched(self) else level.batched(result._value, start)


@rule
def masked_select(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Raises for batched masks: the result would have another size for each example."""
    if not level.is_batched(bind(row, args, kwargs)["mask"]):
        return one_by_one(level, row, function, args, kwargs)
    raise RuntimeError(
        "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support "
        "this because for each batch this would return a differently shaped Tensor. Please file an "
        "issue at https://github.com/pytorch/pytorch/issues if you need this feature."
    )


@rule
def as_strided(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Keeps the distance of examples in memory."""
    bound = bind(row, args, kwargs)
    with level.below():
        whole = level.front(bound["self"])
        offset = bound["storage_offset"]
        bound |= {
            "self": whole,
            "size": (level.size, *bound["size"]),
            "stride": (whole.stride(0), *bound["stride"]),
            "storage_offset": whole.storage_offset() if offset is None else offset,
        }
        return called(level, row, function, bound)


# ---- operators that are made of others


@composite_rule
def one_hot(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Ones at the classes, whose number must be given."""
    x, count = [*args, *kwargs.values(), -1][:2]
    if count <= 0:
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive "
            "num_classes argument."
        )
    return (x.unsqueeze(-1) == OPS.arange(count, device=x.device)).long()


@composite_rule
def nonzero(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the row of the name, which has a rule; RuntimeError for `as_tuple`, which has none."""
    if kwargs.get("as_tuple"):
        raise RuntimeError(
            "Batching rule not implemented for aten::nonzero_numpy. We could not generate a "
            "fallback."
        )
    return function_of_row(ROWS[name])(args[0])


@composite_rule
def renormalised(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Shortens the vectors that are looked up, in one table or in each example's table."""
    weight, indices, *rest = args
    with level.below():
        if not level.is_batched(weight):
            function(weight, level.front(indices), *rest, **kwargs)
        else:
            for each, i in zip(level.front(weight), level.full(indices), strict=True):
                function(each, i, *rest, **kwargs)
    return weight


@composite_rule
def without_rule(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> NoReturn:
    """Raises torch's error for an operator without a rule."""
    overload = VMAP_OF_COMPOSITES[name].overload if name in VMAP_OF_COMPOSITES else ""
    if callable(overload):
        name = f"{name}.{overload(*args, **kwargs)}".removesuffix(".")
    raise RuntimeError(
        f"Batching rule not implemented for aten::{name}. We could not generate a fallback."
    )


@composite_rule
def warned(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the composite for each example, with torch's warning that it has no rule."""
    overload = VMAP_OF_COMPOSITES[name].overload
    overload = overload(*args, **kwargs) if callable(overload) else overload
    warn_of_drop(name, overload)
    check_examples(level, name, overload)
    return as_views(level, one_by_one(level, None, function, args, kwargs))


@composite_rule
def recurrent(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> NoReturn:
    """Raises torch's error for a recurrent layer, with the overload: of packed sequences or not."""
    packed = len(args) > 3 and isinstance(args[3], (list, tuple))
    without_rule(level, f"{name}.{'data' if packed else 'input'}", function, args, kwargs)


@composite_rule
def not_yet(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> NoReturn:
    """Raises torch's error for a random operator that it does not map."""
    name += "_" * level.writing
    raise RuntimeError(f"vmap: we do not yet support aten::{name}. Please file an issue")


@composite_rule
def special(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> NoReturn:
    """Raises torch's error for an operator whose arguments say where elements are in memory."""
    raise RuntimeError(
        f"Error: aten::{name} requires special handling, and does not yet have a batching rule. "
        "Feel free to file a github issue!"
    )


@composite_rule
def unsupported(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> NoReturn:
    """Raises the operator's own error, as torch does."""
    raise RuntimeError(
        f"vmap over torch.{name} isn't supported yet. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues if you need this feature."
    )
