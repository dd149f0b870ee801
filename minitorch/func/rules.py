"""The rules of vmap: what operators make of batched tensors.

A few kinds of rules cover the rows, told by what a row declares: element-wise ones broadcast; those
that name dimensions or sizes take one dimension more in front. Operators of which torch has none
either, or whose arguments fit no rule, run once for each example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from minitorch.core.declare.registry import ROWS, function_of_row
from minitorch.core.declare.row import Row
from minitorch.core.declare.tangents import bind
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers.promotion import result_type
from minitorch.core.tensor.base import TensorBase
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.core.warning import warn_once
from minitorch.func.drawing import DRAWING
from minitorch.func.levels import mapped, tensors_of

Rule = Callable[..., Any]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Rows of family 'operator' that broadcast as the element-wise ones do.
ELEMENTWISE = words(
    "angle complex polar isnan isinf isfinite nan_to_num tanh_backward sigmoid_backward "
    "threshold_backward where_self masked_fill_Scalar elu_backward "
    "softplus_backward log_sigmoid_forward log_sigmoid_backward hardsigmoid_backward "
    "hardswish_backward gelu_backward leaky_relu_backward hardtanh_backward softshrink_backward "
    "hardshrink_backward _prelu_kernel polygamma frexp_Tensor mvlgamma"
)
# Rows of one tensor that keep its sizes, or work on the last dimensions alone.
KEEPING = words(
    "alias _conj _neg_view clone _to_copy view_as_real view_as_complex tril triu constant_pad_nd "
    "fill_Scalar zero_ fill__Scalar fill__Tensor"
)
# Rows whose tensors have the same dimensions, some of which their arguments name.
NAMING = words(
    "unsqueeze squeeze_dims select_int select_backward slice_Tensor slice_backward "
    "diagonal diagonal_copy diagonal_backward unfold unfold_backward select_scatter slice_scatter "
    "diagonal_scatter permute transpose_int flip roll rot90 cat stack unbind_int split_Tensor "
    "split_with_sizes unsafe_split_Tensor unsafe_split_with_sizes diag_embed sum_dim_IntList "
    "nansum mean_dim prod_dim_int all_dims any_dims logsumexp gather count_nonzero max_dim min_dim "
    "amax amin aminmax argmax argmin scatter_src scatter_value scatter_reduce scatter_value_reduce "
    "scatter_add scatter_reduce_two sort sort_stable topk kthvalue median_dim nanmedian_dim mode "
    "cumsum cumprod cummax cummin logcumsumexp var_correction std_correction var_mean_correction "
    "std_mean_correction linalg_vector_norm _softmax _softmax_backward_data _log_softmax "
    "_log_softmax_backward_data _safe_softmax glu glu_backward"
)
# Of these, those without keepdim that take numbers as vectors.
ORDERING = words(
    "sort sort_stable topk cumsum cumprod cummax cummin logcumsumexp _softmax _log_softmax "
    "_softmax_backward_data _log_softmax_backward_data _safe_softmax count_nonzero gather "
    "scatter_src scatter_value scatter_add var_correction std_correction"
)
# The same, unless an index is batched as well.
INDEXED = words("index_select index_fill_int_Scalar index_add index_copy")
# Those that take a number beside vectors of one.
UNEQUAL = words("gather scatter_src scatter_value scatter_add scatter_reduce_two cat")
# Those that torch warns of, for it has no rule for them either.
SLOW = words(
    "masked_fill_Tensor take put bincount _scaled_dot_product_flash_attention_for_cpu "
    "_scaled_dot_product_flash_attention_for_cpu_backward"
)
# Which arguments name dimensions, and in how many dimensions more than `self` has.
DIMS = words("dim dims dim0 dim1 dim2 dimension")
GROWING = {"unsqueeze": 1, "stack": 1, "diag_embed": 1}
# What torch cannot batch, for each example may give another size.
DYNAMIC = {
    "nonzero": "nonzero",
    "_unique2": "_unique2",
    "unique_dim": "unique_dim",
    "unique_consecutive": "unique_consecutive",
}


def rule_for(level: Any, row: Row, batched: bool) -> Rule:
    """The rule for a call of `row`; batched: whether an argument is."""
    if not batched:
        return below
    if row.family != "operator" or row.key in ELEMENTWISE:
        return elementwise
    if row.key in NAMING:
        return naming
    if row.key in RULES:
        return RULES[row.key]
    if row.key in KEEPING:
        return keeping
    if row.key in INDEXED:
        return indexed
    if row.key in DYNAMIC:
        raise RuntimeError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted "
            f"to vmap over aten::{DYNAMIC[row.key]}. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues if you need this feature."
        )
    return one_by_one


def below(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Nothing is batched: the level below does it."""
    with level.below():
        return function(*args, **kwargs)


def warn_of_drop(name: str) -> None:
    warn_once(
        "There is a performance drop because we have not yet implemented the batching rule for "
        f"aten::{name}. Please file us an issue on GitHub so that we can prioritize its "
        "implementation."
    )


def one_by_one(level: Any, row: Row | None, function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the operator for each example, and stacks the results."""
    if not level.size:
        raise RuntimeError(
            "The fallback path does not support vmap over dims of size 0. Calling "
            f"aten::{function.__name__}"
        )
    if row is not None and row.key in SLOW:
        warn_of_drop(row.key.replace("_Tensor", ".Tensor"))
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


def elementwise(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Broadcasts: examples of fewer dimensions get some of size 1."""
    tensors = tensors_of((args, kwargs))
    rank = max([x._array.ndim for x in tensors])
    common = None
    promotes = row.dtype in ("promote", "float") and row.family != "operator"
    promotes = promotes or row.key == "where_self"
    numbers = [x for x in tensors if level.is_batched(x) and not x._array.ndim]
    beside = [x for x in args if isinstance(x, (int, float, complex))]
    if row.family != "binary" or not numbers or level.writing:
        beside = []
    if promotes and numbers and (len(tensors) > 1 or beside):
        if not level.size and row.family == "binary" and len(numbers) < len(tensors) + len(beside):
            # torch asks the first example for its dtype
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

    keep = row.key == "where_self"
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


def keeping(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Passes the tensor on with a dimension more in front."""
    bound = bind(row, args, kwargs)
    if any([level.is_batched(x) for x in tensors_of(bound)[1:]]):
        return one_by_one(level, row, function, args, kwargs)
    with level.below():
        return called(level, row, function, {n: mapped(level.front, x) for n, x in bound.items()})


def indexed(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """As `naming`, for tensors of whose examples each is indexed alike."""
    if level.is_batched(bind(row, args, kwargs)["index"]):
        return one_by_one(level, row, function, args, kwargs)
    return naming(level, row, function, args, kwargs)


def naming(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Counts the dimension in front where the arguments name dimensions or sizes."""
    bound = bind(row, args, kwargs)
    tensors = tensors_of(bound)
    sizes = bound.get("input_sizes")
    rank = tensors[0]._array.ndim if sizes is None else len(sizes)
    shared = row.key not in INDEXED
    if sizes is None and row.key in UNEQUAL and len({x._array.ndim for x in tensors}) > 1:
        return one_by_one(level, row, function, args, kwargs)
    single = not rank and ("keepdim" in bound or row.key in ORDERING)
    unnamed = row.key in ("argmax", "argmin", "aminmax") and bound["dim"] is None
    if unnamed or not (rank or single or row.key in GROWING):
        return one_by_one(level, row, function, args, kwargs)
    if row.key == "roll" and not bound["dims"]:
        return one_by_one(level, row, function, args, kwargs)
    for name in DIMS.intersection(bound):
        grown = max(rank, single) + GROWING.get(row.key, 0)
        bound[name] = _shifted(bound[name], grown, row.key)
    if sizes is not None:
        bound["input_sizes"] = (level.size, *sizes)
    whole = level.full
    if row.key == "stack":
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


def _shifted(dims: Any, rank: int, key: str) -> Any:
    """The dimensions that `dims` names, with one more in front of them; all if it names none."""
    if isinstance(dims, int):
        return wrap_dim(dims, rank) + 1
    if dims is None or (not dims and key not in ("squeeze_dims", "permute", "flip")):
        return list(range(1, rank + 1))
    shifted = [wrap_dim(dim, rank) + 1 for dim in dims]
    return [0, *shifted] if key == "permute" else shifted


# ---- rules of one row

RULES: dict[str, Rule] = {}
# Those of operators that are made of others; the others are called with batched tensors.
COMPOSITE: dict[str, Callable[..., Any]] = dict(DRAWING)


def rule(*keys: str) -> Callable[[Rule], Rule]:
    """Gives rows a rule of their own."""

    def declare(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(keys, function))
        return function

    return declare


def made_of(*keys: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Lets batched tensors have other operators in place of a row's: a function of its arguments by
    the names of the schema."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(level: Any, row: Row, called: Any, args: Any, kwargs: Any) -> Any:
            bound = bind(row, args, kwargs)
            bound.pop("out", None)
            return function(**bound)

        RULES.update(dict.fromkeys(keys, run))
        return function

    return declare


def _all(self: Any) -> tuple[int, ...]:
    return tuple(range(self._array.ndim))


made_of("sum")(lambda self, dtype: OPS.sum_dim_IntList(self, _all(self), False, dtype=dtype))
made_of("mean")(lambda self, dtype: OPS.mean_dim(self, _all(self), False, dtype=dtype))
made_of("prod")(lambda self, dtype: OPS.prod_dim_int(self.flatten(), 0, False, dtype=dtype))
made_of("max")(lambda self: OPS.max_dim(self.flatten(), 0, False)[0])
made_of("min")(lambda self: OPS.min_dim(self.flatten(), 0, False)[0])
made_of("median")(lambda self: OPS.median_dim(self.flatten(), 0, False)[0])
made_of("nanmedian")(lambda self: OPS.nanmedian_dim(self.flatten(), 0, False)[0])
made_of("trace")(lambda self: self.diagonal().sum())
made_of("t")(lambda self: self.transpose(0, self._array.ndim - 1) if self._array.ndim else self)
made_of("addmm")(
    lambda self, mat1, mat2, beta, alpha: OPS.add(
        OPS.mul_Scalar(self, beta), OPS.mm(mat1, mat2), alpha=alpha
    )
)
made_of("addmv")(lambda self, mat, vec, beta, alpha: _added(self, OPS.mv(mat, vec), beta, alpha))
made_of("baddbmm")(
    lambda self, batch1, batch2, beta, alpha: _added(self, OPS.bmm(batch1, batch2), beta, alpha)
)
made_of("addbmm")(
    lambda self, batch1, batch2, beta, alpha: _added(
        self, OPS.bmm(batch1, batch2).sum(0), beta, alpha
    )
)
made_of("addr")(
    lambda self, vec1, vec2, beta, alpha: _added(self, vec1.unsqueeze(-1) * vec2, beta, alpha)
)
made_of("vdot")(lambda self, other: OPS.dot(self.conj(), other))
made_of("dist")(lambda self, other, p: OPS.linalg_vector_norm(self - other, p))


def _added(self: Any, product: Any, beta: Any, alpha: Any) -> Any:
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else (self if beta == 1 else self * beta) + product


made_of("squeeze_dim")(lambda self, dim: OPS.squeeze_dims(self, [dim]))


@rule("squeeze")
def squeeze(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Leaves out the sizes of one that examples have."""
    (self,) = bind(row, args, kwargs).values()
    with level.below():
        size = [n for n in self._array.shape if n != 1]
        return level.outputs(OPS.view(level.front(self), (level.size, *size)))


@rule("view", "_unsafe_view", "expand", "repeat")
def resized(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Takes the sizes of examples."""
    bound = bind(row, args, kwargs)
    name = "repeats" if row.key == "repeat" else "size"
    self, size = bound["self"], tuple(bound[name])
    dtype = size and not isinstance(size[0], int)
    with level.below():
        whole = level.front(self)
        if row.key == "_unsafe_view":
            whole = whole.contiguous()
        elif row.key == "repeat":
            for _ in range(len(size) - self._array.ndim):
                whole = whole.unsqueeze(1)
        elif row.key == "expand" and len(size) >= self._array.ndim:
            ones = (1,) * (len(size) - self._array.ndim)
            whole = OPS.view(whole, (level.size, *ones, *self._array.shape))
        bound["self"] = whole
        bound[name] = size if dtype else (1 if row.key == "repeat" else level.size, *size)
        return called(level, row, function, bound)


def _matrices(level: Any, row: Row, args: Any, kwargs: Any) -> list[Any]:
    bound = bind(row, args, kwargs)
    return [level.front(bound[a.name]) for a in row.schema.tensors]


@rule("mm", "bmm")
def products(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Matrix products of batches."""
    with level.below():
        return level.outputs(OPS.matmul(*_matrices(level, row, args, kwargs)))


@rule("mv", "dot")
def vector_products(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Products with vectors, which are matrices with one column."""
    self, other = bind(row, args, kwargs).values()
    with level.below():
        a, b = level.front(self), level.front(other)
        if row.key == "mv" and not level.is_batched(other):
            return level.outputs(OPS.matmul(a, b))
        if row.key == "mv" and level.is_batched(self):
            a = OPS.movedim(self._value, self._bdim, -3)
        b = b.unsqueeze(-1)  # before the other, as torch's C++ does it
        a = a if row.key == "mv" else a.unsqueeze(-2)
        result = OPS.matmul(a, b).squeeze(-1)
        return level.outputs(result if row.key == "mv" else result.squeeze(-1))


@rule("index_Tensor", "index_put")
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
    puts = row.key == "index_put"
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
        if first is not None and start:  # torch puts what is indexed apart in front
            order = list(range(1, rank + 1)), list(range(start + 1, start + rank + 1))
            return level.batched(OPS.movedim(result._value, *order))
        return result if level.is_batched(self) else level.batched(result._value, start)


@rule("masked_select")
def masked_select(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """What masks of their own select has another size for each example."""
    if not level.is_batched(bind(row, args, kwargs)["mask"]):
        return one_by_one(level, row, function, args, kwargs)
    raise RuntimeError(
        "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support "
        "this because for each batch this would return a differently shaped Tensor. Please file an "
        "issue at https://github.com/pytorch/pytorch/issues if you need this feature."
    )


@rule("as_strided")
def as_strided(level: Any, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
    """Examples lie as far apart as before."""
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


def one_hot(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Ones where the classes are, which must be counted."""
    x, count = [*args, *kwargs.values(), -1][:2]
    if count <= 0:
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive "
            "num_classes argument."
        )
    return (x.unsqueeze(-1) == OPS.arange(count, device=x.device)).long()


def nonzero(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    if kwargs.get("as_tuple"):
        raise RuntimeError(
            "Batching rule not implemented for aten::nonzero_numpy. We could not generate a "
            "fallback."
        )
    return function_of_row(ROWS["nonzero"])(args[0])


def renormalised(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Shortens the vectors that are looked up, in one table or in that of each example."""
    weight, indices, *rest = args
    with level.below():
        if not level.is_batched(weight):
            function(weight, level.front(indices), *rest, **kwargs)
        else:
            for each, i in zip(level.front(weight), level.full(indices), strict=True):
                function(each, i, *rest, **kwargs)
    return weight


def argwhere(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    return one_by_one(level, None, function, args, kwargs)


def without_rule(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> NoReturn:
    """What torch refuses as well."""
    if name == "allclose":
        raise RuntimeError(
            "vmap over torch.allclose isn't supported yet. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues if you need this feature."
        )
    raise RuntimeError(
        f"Batching rule not implemented for aten::{name}. We could not generate a fallback."
    )


def cell(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    warn_of_drop(name)
    return one_by_one(level, None, function, args, kwargs)


def recurrent(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> NoReturn:
    packed = len(args) > 3 and isinstance(args[3], (list, tuple))
    without_rule(level, f"{name}.{'data' if packed else 'input'}", function, args, kwargs)


COMPOSITE.update(dict.fromkeys(("allclose", "equal", "column_stack", "lstm_cell"), without_rule))
COMPOSITE.update(dict.fromkeys(("gru_cell", "rnn_tanh_cell", "rnn_relu_cell"), cell))
COMPOSITE.update(dict.fromkeys(("lstm", "gru", "rnn_tanh", "rnn_relu"), recurrent))
COMPOSITE.update(
    argwhere=argwhere, one_hot=one_hot, nonzero=nonzero, embedding_renorm_=renormalised
)
