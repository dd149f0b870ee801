"""Tables looked up by row: embedding with its gradient; one_hot. As ATen/native/Embedding.cpp."""

from __future__ import annotations

from typing import Any

from minitorch.aten.gathering import index_select_forward
from minitorch.core.arrays import scatter
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.graph.formulas import OPS
from minitorch.core.graph.modes import GradMode
from minitorch.core.graph.views import written
from minitorch.core.numbers import dtype as dtypes

_POSITIONS = ("int64", "int32")


def embedding_forward(xp: Any, weight: Any, indices: Any, sparse: bool) -> Any:
    if sparse:
        import minitorch.aten.sparse_gradients  # noqa: F401  # whom backward asks
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_positions("embedding", 1, indices)
    if indices.size and (indices.min() < 0 or indices.max() >= weight.shape[0]):
        index_select_forward(xp, weight, 0, indices.reshape(-1))  # refuses it
    return weight.take(indices, 0)


def check_positions(name: str, number: int, indices: Any) -> None:
    """RuntimeError in torch's words unless argument `number` of `name` is int64 or int32."""
    if indices.dtype.name not in _POSITIONS:
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
        from minitorch.aten import sparse_gradients as gradients

        return gradients.embedding(
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
    forward=lambda xp, grad_output, indices, num_weights, padding_idx, scale_grad_by_freq: (
        scatter.embedding_backward(
            xp, grad_output, indices, num_weights, padding_idx, scale_grad_by_freq
        )
    ),
    grad_output=embedding_dense_double_backward,
    result=LINEAR,
    on=("F",),
)


@composite("one_hot", on=("F",))
def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """1 at the class that each element names, 0 at all others, in a new last dimension.

    Args:
        tensor: int64, of any shape, from 0 to num_classes - 1.
        num_classes: -1 for one more than the largest class.
    Returns: int64, of shape (*tensor.shape, num_classes).
    As torch.nn.functional.one_hot, ATen/native/Onehot.cpp.
    """
    x = tensor._array
    if x.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if x.size == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return OPS.new_zeros(tensor, (*x.shape, num_classes))
    if x.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    most = int(x.max())
    if num_classes == -1:
        num_classes = most + 1
    elif most >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    out = OPS.new_empty(tensor, (*x.shape, num_classes)).zero_()
    return out.scatter_(-1, OPS.unsqueeze(tensor, -1), 1)


@composite("embedding_renorm_", on=("function",))
def embedding_renorm_(input: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Scales down, in place, those rows of `input` among `indices` whose norm exceeds max_norm."""
    x, dtype = input._array, input.dtype
    if x.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {x.ndim}-dimensional tensor for argument #1 "
            "'self' (while checking arguments for embedding_renorm_)"
        )
    check_positions("embedding_renorm_", 2, indices._array)
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
    written(input, None)
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

    padding_idx: the row that gets no gradient.
    max_norm: rows that are looked up are first scaled, in place, to at most this norm.
    scale_grad_by_freq: divide gradients by how often each row was looked up.

    As torch.nn.functional.embedding.
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        input = input.contiguous()
        embedding_renorm_(weight, input, max_norm, norm_type)
    return embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
