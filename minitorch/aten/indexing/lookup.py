"""Tables looked up by row: embedding, bags of embeddings, one_hot. As ATen/native/Embedding.cpp."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy

from minitorch.aten.in_formulas import options_of
from minitorch.aten.indexing.gathering import index_select_forward
from minitorch.core.arrays import layout, on_numpy, scatter
from minitorch.core.arrays.bags import bags_of
from minitorch.core.arrays.missing import is_numberless, no_item
from minitorch.core.arrays.on_numpy import own
from minitorch.core.arrays.questions import largest_of, least_of
from minitorch.core.base.fields import sees_operators
from minitorch.core.base.fields import tensor as made_of
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, FormulaMode, GradMode, recording
from minitorch.core.declare.families import (
    composite,
    not_differentiable,
    not_implemented,
    operator,
)
from minitorch.core.declare.protocols.mode_stack import STACK, is_seen_by
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.graph.views import check_writable, note_write, requires_grad
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import EVERY, FLOATING, HALVES, LATE_UNSIGNED
from minitorch.core.numbers.promotion import promote_types
from minitorch.core.warning import warn


def _sparse_gradients() -> Any:
    """The module of sparse gradients, without which a backward does not take them."""
    from minitorch.aten.sparse import gradients  # start-up: 9 ms

    return gradients


def embedding_forward(xp: Any, weight: Any, indices: Any, sparse: bool) -> Any:
    if sparse:
        _sparse_gradients()
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_positions("embedding", 1, indices)
    own = xp.fused
    if own is not None and own.is_supported(weight) and indices.size and not own.blocking:
        return own.lookup(weight, indices)
    count = weight.shape[0]
    if own is not None or not scatter.are_within(indices, count):  # first: 0.1 us less
        indices, wrong = scatter.looked_at(xp, indices, count)
        if wrong is not None:
            index_select_forward(xp, weight, 0, indices.reshape(-1))  # refuses it
    return weight.take(indices, 0)


def check_positions(name: str, number: int, indices: Any) -> None:
    """RuntimeError in torch's words unless argument `number` of `name` is int64 or int32."""
    if indices.dtype not in dtypes.POSITIONS:
        raise RuntimeError(
            f"Expected tensor for argument #{number} 'indices' to have one of the following scalar "
            f"types: Long, Int; but got {dtypes.legacy_type(dtypes.of(indices))} instead (while "
            f"checking arguments for {name})"
        )


def embedding_gradient(
    F: Any,
    grad: Any,
    indices: Any,
    weight_sym_argsize_0: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Any:
    if sparse:
        return _sparse_gradients().embedding(
            grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq
        )
    return F.embedding_dense_backward(
        grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq
    )


embedding = operator(
    "embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1,"
    " bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
    node="EmbeddingBackward0",
    forward=embedding_forward,
    weight=embedding_gradient,
    result=LINEAR,
    on=("function",),
    real_gradients=True,
    vmap=VMap("embedding"),
)


def embedding_dense_double_backward(F: Any, grad: Any, indices: Any, padding_idx: int) -> Any:
    """As embedding_dense_double_backward of torch/csrc/autograd/FunctionsManual.cpp."""
    flat = F.reshape(indices, (-1,))
    out = F.index_select(grad, 0, flat)
    if padding_idx >= 0:
        out = F.masked_fill(out, F.unsqueeze(F.eq(flat, padding_idx), 1), 0)
    return F.reshape(out, (*indices.shape, grad.shape[1]))


embedding_dense_backward = operator(
    "embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights,"
    " SymInt padding_idx, bool scale_grad_by_freq) -> Tensor",
    node="EmbeddingDenseBackwardBackward0",
    kernel="add_stub",
    knows=EVERY - LATE_UNSIGNED,
    forward=lambda xp, grad_output, indices, num_weights, padding_idx, scale_grad_by_freq: (
        scatter.embedding_backward(
            xp, grad_output, indices, num_weights, padding_idx, scale_grad_by_freq
        )
    ),
    grad_output=embedding_dense_double_backward,
    result=LINEAR,
    on=("F",),
)


def _range_of(tensor: Any) -> tuple[int, int]:
    """The least and the largest element."""
    if is_seen_by(tensor):
        least, most = OPS.aminmax(tensor)
        return least.item(), most.item()
    x = tensor._array
    return int(least_of(x)), int(largest_of(x))


@composite("one_hot", on=("F",), vmap=VMap("one_hot"))
def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """1 at the class that each element names, 0 at all others, in a new last dimension.

    Args:
        tensor: int64, of any shape, from 0 to num_classes - 1.
        num_classes: -1 for one more than the largest class.

    Returns:
        int64, of shape (*tensor.shape, num_classes).

    Raises:
        RuntimeError: for another dtype, and classes that are negative or too large.

    As torch.nn.functional.one_hot, ATen/native/Onehot.cpp.
    """
    x = tensor._array
    if x.dtype != dtypes.int64.numpy:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if x.size == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return OPS.new_zeros(tensor, (*x.shape, num_classes))
    if is_numberless(x):
        if num_classes == -1:
            raise no_item()
        return OPS.new_zeros(tensor, (*x.shape, num_classes))
    if sees_operators(tensor):
        count = tensor.max().item() + 1 if num_classes == -1 else num_classes
        return tensor.unsqueeze(-1).eq(OPS.arange(count)).to(dtypes.int64)
    least, most = _range_of(tensor)
    if least < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = most + 1
    elif most >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    if type(x) is numpy.ndarray and not ASSEMBLED_GLOBALS["WATCHED"]:
        hot = on_numpy.zeros((*x.shape, num_classes), x.dtype)
        hot.reshape(x.size, num_classes)[numpy.arange(x.size), x.reshape(-1)] = 1
        made = made_of(own(hot))
        made._cell = [2]  # as if it had been filled with zeros, then written at the classes
        return made
    if is_seen_by(tensor):  # modes see torch's call
        options = options_of(tensor)
        with FormulaMode(True):
            out = OPS.zeros((*x.shape, num_classes), **options)
    else:
        out = OPS.new_empty(tensor, (*x.shape, num_classes)).zero_()
    return out.scatter_(-1, OPS.unsqueeze(tensor, -1), 1)


@composite("embedding_renorm_", on=("function",), vmap=VMap("renormalised", makes=True))
def embedding_renorm_(input: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Scales down, in place, those rows of `input` among `indices` whose norm exceeds max_norm."""
    x, dtype = input._array, input.dtype
    check_writable(input, recording() and requires_grad(input))
    if x.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {x.ndim}-dimensional tensor for argument #1 "
            "'self' (while checking arguments for embedding_renorm_)"
        )
    check_positions("embedding_renorm_", 2, indices._array)
    if is_numberless(x):
        return input
    with GradMode(False):
        for i in sorted(set(indices._array.reshape(-1).tolist())):
            row = OPS.select(input, 0, i)
            if not (dtype.is_floating_point or dtype.is_complex):
                raise RuntimeError(
                    "norm(): input dtype should be either floating point or complex. Got "
                    f"{dtype.scalar_name} instead."
                )
            norm = OPS.linalg_vector_norm(row, norm_type).item()
            if norm > max_norm:
                x[i] = OPS.mul(row, max_norm / (norm + 1e-7))._array
    note_write(input, None)
    return input


def functional_embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """The rows of `weight` at `input`, of the shape (*input.shape, weight.shape[1]).

    Args:
        input: numbers of rows, int64 or int32, of any shape.
        weight: the rows, (rows, size).
        padding_idx: the row that gets no gradient; negative from the end.
        max_norm: rows that are looked up are first scaled, in place, to at most this norm.
        norm_type: the exponent of that norm.
        scale_grad_by_freq: divide gradients by how often each row was looked up.
        sparse: whether the gradient of `weight` is a sparse tensor.

    Returns:
        (*input.shape, size), of the dtype of `weight`.

    Raises:
        IndexError: for a row that `weight` has not.
        RuntimeError: for an input of another dtype, or a weight of other than two dimensions.
        AssertionError: if `weight` has no row `padding_idx`.

    As torch.nn.functional.embedding (ATen/native/Embedding.cpp).
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.size(0)
        if padding_idx > 0:
            if padding_idx >= rows:
                raise AssertionError("Padding_idx must be within num_embeddings")
        elif padding_idx < 0:
            if padding_idx < -rows:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx = rows + padding_idx
    if max_norm is not None:
        input = input.contiguous()
        embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


# ---- bags of rows


SUM, MEAN, MAX = 0, 1, 2
_CHECKING = "(while checking arguments for embedding_bag)"
_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def expected(condition: str) -> RuntimeError:
    return RuntimeError(
        f"Expected {condition} to be true, but got false.  (Could this error message be improved?  "
        "If so, please report an enhancement request to PyTorch.)"
    )


def check_bags(weight: Any, indices: Any, offsets: Any, mode: int, weights: Any) -> None:
    """RuntimeError in torch's words for arguments that do not fit together."""
    if not 1 <= indices.ndim <= 2:
        raise RuntimeError(
            f"input has to be a 1D or 2D Tensor, but got Tensor of dimension {indices.ndim}"
        )
    if indices.ndim == 1 != offsets.ndim:
        raise RuntimeError(
            f"offsets has to be a 1D Tensor, but got Tensor of dimension {offsets.ndim}"
        )
    if weight.ndim != 2:
        raise RuntimeError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}"
        )
    for x in (indices, offsets):
        if x.dtype.kind not in "iu":  # both have their common dtype by then
            common = promote_types(dtypes.of(indices), dtypes.of(offsets)).numpy
            check_positions("embedding_bag", 1, x.astype(common))
    if dtypes.of(weight) not in _FLOATS:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: "
            f"Half, BFloat16, Float, Double; but got {dtypes.legacy_type(dtypes.of(weight))} "
            f"instead {_CHECKING}"
        )
    if offsets.size and offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {offsets[0]}\n[ "
            f"{dtypes.legacy_type(dtypes.of(offsets))}{{}} ]"
        )
    if offsets.size and offsets[-1] > len(indices):
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {len(indices)} but got "
            f"offsets[-1] of {offsets[-1]}"
        )
    if mode not in (SUM, MEAN, MAX):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    if weights is None:
        return
    if mode != SUM:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
    if weights.dtype != weight.dtype:
        own, other = (dtypes.legacy_type(dtypes.of(x)) for x in (weight, weights))
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument "
            f"#1 'per_sample_weights'; but type {own} does not equal {other} {_CHECKING}"
        )
    if weights.ndim != 1:
        raise expected("per_sample_weights.value().dim() == 1")
    if weights.size != indices.size:
        raise expected("per_sample_weights.value().numel() == indices.numel()")


def embedding_bag_forward(
    xp: Any,
    weight: Any,
    indices: Any,
    offsets: Any,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int,
) -> tuple[Any, ...]:
    if sparse:
        _sparse_gradients()
    check_bags(weight, indices, offsets, mode, per_sample_weights)
    indices = indices.reshape(-1)
    if indices.dtype != offsets.dtype:
        indices, offsets = indices.astype(xp.int64), offsets.astype(xp.int64)
    if include_last_offset and not offsets.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    columns = layout.strides_of(weight)[1] == 1
    fast = mode != MAX and padding_idx < 0 and weight.dtype.char != "d" and columns
    indices, wrong = scatter.looked_at(xp, indices, len(weight))
    if wrong is not None:
        i = int(((indices < 0) | (indices >= len(weight))).argmax())
        raise RuntimeError(
            f"Index {i} of input takes value {indices[i]} which is not in the valid range "
            f"[0, {len(weight)})"
            if fast
            else "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be "
            f"{indices[i]}"
        )
    starts = offsets[:-1] if include_last_offset else offsets
    number = len(starts)
    bags = bags_of(xp, indices, starts)
    counted = indices != padding_idx
    sizes = xp.zeros(number, offsets.dtype)
    if mode != SUM:
        sizes[:] = xp.concatenate([starts[1:], xp.full(min(number, 1), indices.size)]) - starts
        xp.subtract.at(sizes, bags[~counted], 1)
    out = xp.zeros((number, weight.shape[1]), weight.dtype)
    # Kernels that are fast leave what is behind the last offset out, others put it in the last bag.
    kept = counted
    if fast and include_last_offset:
        kept = counted & (xp.arange(indices.size) < offsets[-1])
    rows, bag = weight.take(indices[kept], 0), bags[kept]
    if mode == MAX:
        places = take_largest(xp, out, rows, bag, indices[kept])
        return out, bags, sizes, places
    if weight.dtype.itemsize == 2:  # ATen weighs and adds half types in single precision
        rows, out = rows.astype(xp.float32), out.astype(xp.float32)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[kept].astype(rows.dtype)[:, None]
    out = scatter.index_add(xp, out, 0, bag, rows).astype(weight.dtype, copy=False)
    if mode == MEAN:
        out = out / xp.maximum(sizes, 1)[:, None].astype(out.dtype)
    elif fast:  # then only a gradient needs the bags, and finds them itself
        bags = bags[:0].copy()
    return out, bags, sizes, sizes.copy()


def take_largest(xp: Any, out: Any, rows: Any, bag: Any, indices: Any) -> Any:
    """Fills each bag's row of `out` with its largest elements; returns the indices they are from.

    Of equal ones the first: the first rows of all bags compete, then the second ones, and so on.
    """
    places = xp.zeros(out.shape, indices.dtype)
    turn = xp.arange(bag.size) - xp.searchsorted(bag, bag)
    for now in range(int(largest_of(turn)) + 1 if bag.size else 0):
        its = turn == now
        here, row = bag[its], rows[its]
        wins = row > out[here] if now else xp.ones(row.shape, bool)
        out[here] = xp.where(wins, row, out[here])
        places[here] = xp.where(wins, indices[its][:, None], places[here])
    return places


def embedding_bag_gradient(
    F: Any,
    grad: Any,
    indices: Any,
    offsets: Any,
    result1: Any,
    result2: Any,
    result3: Any,
    weight_sym_argsize_0: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    padding_idx: int,
) -> Any:
    if sparse:
        return _sparse_gradients().bag(
            grad,
            indices,
            offsets,
            result1,
            result2,
            weight_sym_argsize_0,
            scale_grad_by_freq,
            mode == MEAN,
            per_sample_weights,
            padding_idx,
        )
    return F._embedding_bag_backward(
        grad,
        indices,
        offsets,
        result1,
        result2,
        result3,
        weight_sym_argsize_0,
        scale_grad_by_freq,
        mode,
        sparse,
        per_sample_weights,
        padding_idx,
    )


_embedding_bag = operator(
    "_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False,"
    " int mode=0, bool sparse=False, Tensor? per_sample_weights=None,"
    " bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
    node="EmbeddingBagBackward0",
    forward=embedding_bag_forward,
    weight=embedding_bag_gradient,
    per_sample_weights=lambda F, grad, weight, indices, offsets, result1, mode, padding_idx: (
        F._embedding_bag_per_sample_weights_backward(
            grad, weight, indices, offsets, result1, mode, padding_idx
        )
    ),
    differentiable=(True, False, False, False),
    on=("function",),
)


def embedding_bag_backward(
    xp: Any,
    grad: Any,
    indices: Any,
    offsets: Any,
    offset2bag: Any,
    bag_size: Any,
    maximum_indices: Any,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Any,
    padding_idx: int,
) -> Any:
    if xp.device_type == "meta":
        return xp.zeros((num_weights, grad.shape[1]), grad.dtype)
    if mode == MAX:
        rows = (bag_size > 0).nonzero()[0]
        columns = xp.broadcast_to(xp.arange(grad.shape[1]), (len(rows), grad.shape[1]))
        out = xp.zeros((num_weights, grad.shape[1]), grad.dtype)
        xp.add.at(out, (maximum_indices[rows], columns), grad[rows])
        return out
    indices = indices.reshape(-1)
    bags = offset2bag if offset2bag.size else bags_of(xp, indices, offsets)
    scale = xp.ones(indices.size) if per_sample_weights is None else per_sample_weights
    scale = scale.astype(xp.float64)
    if scale_grad_by_freq:
        scale = scale / xp.bincount(indices, minlength=num_weights)[indices]
    if mode == MEAN:
        scale = scale / xp.maximum(bag_size[bags], 1)
    rows = grad.take(bags, 0) * scale.astype(grad.dtype)[:, None]
    return scatter.embedding_backward(xp, rows, indices, num_weights, padding_idx, False)


_embedding_bag_backward = operator(
    "_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag,"
    " Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq,"
    " int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
    node="EmbeddingBagBackwardBackward0",
    forward=embedding_bag_backward,
    grad=not_implemented("_embedding_bag_backward"),
    per_sample_weights=not_implemented("_embedding_bag_backward"),
    on=("F",),
)


def weights_backward(
    xp: Any,
    grad: Any,
    weight: Any,
    indices: Any,
    offsets: Any,
    offset2bag: Any,
    padding_idx: int,
) -> Any:
    indices = indices.reshape(-1)
    bags = offset2bag if offset2bag.size else bags_of(xp, indices, offsets)
    wide = xp.float64 if weight.dtype.char == "d" else xp.float32
    both = (x.take(at, 0).astype(wide) for x, at in ((grad, bags), (weight, indices)))
    out = xp.einsum("ij,ij->i", *both)
    out[indices == padding_idx] = 0
    return out.astype(weight.dtype, copy=False)


_embedding_bag_per_sample_weights_backward = operator(
    "_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices,"
    " Tensor offsets, Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor",
    node="NotImplemented",
    forward=weights_backward,
    kernel="_embedding_bag_per_sample_weights_backward_cpu",
    knows=FLOATING | HALVES,
    grad=not_differentiable("_embedding_bag_per_sample_weights_backward"),
    weight=not_differentiable("_embedding_bag_per_sample_weights_backward"),
    on=("F",),
)


@composite(
    "embedding_bag",
    on=("function",),
    vmap=VMap("warned", overload="padding_idx"),
)
@overloads(
    "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, "
    "bool sparse, Tensor per_sample_weights, bool include_last_offset, int padding_idx",
    "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq = False, int mode = 0, "
    "bool sparse = False, Tensor per_sample_weights = None, bool include_last_offset = False",
)
def embedding_bag(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The sum, mean or maximum of each bag's rows; the indices' bags, the bags' sizes, and where
    the largest elements are.

    padding_idx: the row that counts nothing.
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        n = weight.size(0)
        if not -n <= padding_idx < n:
            raise RuntimeError(
                f"padding_idx must be within the number of embeddings, -{n} through {n - 1}, but "
                f"got {padding_idx}"
            )
        padding_idx %= n
    offsets = offsets.contiguous()  # first, as C++ evaluates arguments
    indices = indices.contiguous()
    options = (scale_grad_by_freq, mode, sparse, per_sample_weights)
    with FormulaMode(True) if STACK.get() else nullcontext():  # a tensor may be undefined
        return _embedding_bag(weight, indices, offsets, *options, include_last_offset, padding_idx)


_MODES = {"sum": SUM, "mean": MEAN, "max": MAX}


def functional_embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The sum, mean or maximum of the rows of `weight` in each bag of indices.

    Args:
        input: (B, N), bags of one size, or all indices, (N,), of bags that begin at `offsets`.
        weight: the rows, (rows, size).
        offsets: where each bag begins, (B,), for indices of one dimension; the first is 0.
        max_norm: rows that are looked up are first scaled, in place, to at most this norm.
        norm_type: the exponent of that norm.
        scale_grad_by_freq: divide gradients by how often each row was looked up; not with 'max'.
        mode: 'sum', 'mean' or 'max'.
        sparse: whether the gradient of `weight` is a sparse tensor; not with 'max'.
        per_sample_weights: of the shape of `input`, a factor of each row; with 'sum' alone.
        include_last_offset: whether the last of `offsets` is where the last bag ends.
        padding_idx: the row that counts nothing.

    Returns:
        (B, size), of the dtype of `weight`.

    Raises:
        ValueError: for shapes, offsets or a mode other than these.
        NotImplementedError: for `per_sample_weights` with another mode than 'sum'.
        RuntimeError: for rows that `weight` has not.

    As torch.nn.functional.embedding_bag (ATen/native/EmbeddingBag.cpp).
    """
    if weight.dtype is dtypes.int64 and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage "
            "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
            "`embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    weights, rank = per_sample_weights, input.dim()
    if weights is not None and input.size() != weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({weights.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}"
        )
    if rank == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        options = {"dtype": input.dtype, "device": input.device}
        offsets = OPS.arange(0, input.numel(), input.size(1), **options)
        include_last_offset, input = False, input.reshape(-1)
        weights = None if weights is None else weights.reshape(-1)
    elif rank == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {rank}")
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    if weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    return embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _MODES[mode],
        sparse,
        weights,
        include_last_offset,
        padding_idx,
    )[0]


functional_embedding.__name__ = "embedding"  # as programs see them
functional_embedding_bag.__name__ = "embedding_bag"
