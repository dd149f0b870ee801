"""torch._nested_view_from_jagged and its like: the operators with which NestedTensors are made and
taken apart, and the derivatives that torch has of other operators for nested tensors alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minitorch as torch
from minitorch.core.base.modes import GradMode
from minitorch.core.declare.families import not_differentiable
from minitorch.core.declare.general.recording import record_outputs
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_dispatch import Call, wrapping
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import Row
from minitorch.core.declare.schema import Schema
from minitorch.nested._internal.above import above
from minitorch.nested._internal.nested_tensor import _nt_view_dummy

# By the names of torch's overloads.
NESTED_ROWS: dict[str, Row] = {}


def nested_row(schema: str, node: str | None, **gradients: Callable[..., Any]) -> Row:
    """A row of nested tensors; its formulas run on Tensors."""
    row = Row(Schema.parse(schema), node, None, gradients, overloads={})
    row.__dict__["key"] = f"nested_{row.key}"
    NESTED_ROWS[f"{row.name}.{row.schema.overload or 'default'}"] = row
    return row


def overload_named(name: str) -> Any:
    """The overload of torch.ops.aten of a name, "sum.dim_IntList"."""
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload)


def with_row(row: Row, bound: dict[str, Any], compute: Callable[[], Any]) -> Any:
    """The result of compute(), with the node of `row` as its history if it needs a gradient."""
    with GradMode(False):
        result = compute()
    record_outputs(row, bound, [result])
    edge = result._edge
    if edge is not None:
        (edge[0] if type(edge) is tuple else edge).__dict__["wraps"] = True
    return result


def called(name: str, *args: Any, **kwargs: Any) -> Any:
    """The result of an operator, computed by the classes of the nested tensors in its arguments."""
    op = overload_named(name)
    packet, _, overload = name.partition(".")
    known = ROWS.get(packet if overload == "default" else f"{packet}_{overload}")
    call = Call(op, NESTED_ROWS.get(name, known), op, args, kwargs)
    call.types = wrapping(args, kwargs)
    return call.run(STACK.get())


# ---- making jagged tensors, and taking them apart


def _as_jagged(grad: Any, self: Any) -> Any:
    """A gradient of values as a NestedTensor as ragged as `self`."""
    return _nested_view_from_jagged(
        grad,
        self._offsets,
        _nt_view_dummy(),
        self._lengths,
        self._ragged_idx,
        self._min_seqlen_tensor,
        self._max_seqlen_tensor,
    )


def _unpadded_gradient(grad: Any, self: Any) -> Any:
    if self.layout != torch.jagged:
        return torch._nested_from_padded(grad, self._nested_tensor_size())
    return _nested_from_padded_tensor(
        grad,
        self._offsets,
        _nt_view_dummy(),
        self._ragged_idx,
        self._min_seqlen_tensor,
        self._max_seqlen_tensor,
        self._values.size(0),
    )


nested_row(
    "_nested_view_from_jagged(Tensor self, Tensor offsets, Tensor dummy, Tensor? lengths=None, "
    "int ragged_idx=1, Tensor? min_seqlen=None, Tensor? max_seqlen=None) -> Tensor",
    "NestedViewFromJaggedBackward0",
    self=lambda grad: grad.values(),
)
nested_row(
    "_nested_get_values(Tensor self) -> Tensor",
    "NestedGetValuesBackward0",
    self=lambda grad, self: _as_jagged(grad, self),
)
nested_row(
    "_nested_from_padded_tensor(Tensor padded, Tensor offsets, Tensor dummy, int ragged_idx=1, "
    "Tensor? min_seqlen=None, Tensor? max_seqlen=None, SymInt? sum_S=None) -> Tensor",
    "NestedFromPaddedTensorBackward0",
    padded=lambda grad, padded_sym_sizes: grad.to_padded_tensor(0.0, padded_sym_sizes),
)
nested_row(
    "to_padded_tensor(Tensor self, float padding, SymInt[]? output_size=None) -> Tensor",
    "ToPaddedTensorBackward0",
    self=lambda grad, self: _unpadded_gradient(grad, self),
)


def _nested_view_from_jagged(self: Any, offsets: Any, dummy: Any, *args: Any) -> Any:
    """A NestedTensor that is a view of values."""
    return called("_nested_view_from_jagged.default", self, offsets, dummy, *args)


def _nested_get_values(self: Any) -> Any:
    """The values of a NestedTensor: a view."""
    return called("_nested_get_values.default", self)


def _nested_from_padded_tensor(padded: Any, offsets: Any, dummy: Any, *args: Any) -> Any:
    """A NestedTensor of the elements of a dense tensor that lie before the ends of its rows."""
    return called("_nested_from_padded_tensor.default", padded, offsets, dummy, *args)


def _nested_get_offsets(self: Any) -> Any:
    """The offsets at which the rows of the batch begin, and at which the last one ends."""
    return called("_nested_get_offsets.default", self)


def _nested_get_lengths(self: Any) -> Any:
    """The lengths of the rows; None if the offsets determine them."""
    return called("_nested_get_lengths.default", self)


def _nested_get_ragged_idx(self: Any) -> Any:
    """The number of the ragged dimension."""
    return called("_nested_get_ragged_idx.default", self)


def _nested_get_min_seqlen(self: Any) -> Any:
    """The length of the shortest as the size of a tensor, if it is known."""
    return called("_nested_get_min_seqlen.default", self)


def _nested_get_max_seqlen(self: Any) -> Any:
    """The length of the longest as the size of a tensor, if it is known."""
    return called("_nested_get_max_seqlen.default", self)


# ---- what has other derivatives, or one at all, for nested tensors


def _of_parts(grads: Any, self: Any) -> Any:
    """The gradients of all of the batch, zeros where there is none."""
    if self.layout != torch.jagged:
        return type(self)._of_parts(grads, self)
    result = torch.zeros_like(self)
    for part, grad in zip(result.unbind(), grads):
        if grad is not None:
            part.copy_(grad)
    return result


def _unsqueezed(grad: Any, dim: Any, ndim: int) -> Any:
    for place in sorted([d + ndim if d < 0 else d for d in dim]):
        grad = grad.unsqueeze(place)
    return grad


def _of_batches(grads: Any, self: Any) -> Any:
    """The gradient of parts of the batch, zeros for those without one."""
    result = torch.zeros_like(self)
    for part, grad in zip(result.chunk(len(grads), 0), grads):
        if grad is not None:
            part._values.copy_(grad._values)
    return result


def _joined(grads: Any, self: Any, chunks: int, dim: int) -> Any:
    if self.layout != torch.jagged:
        raise RuntimeError(
            "self.layout() == c10::kJagged INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/torch/csrc/autograd/FunctionsManual.cpp":2202, please report a '
            "bug to PyTorch. Nested Strided Tensor doesn't support chunk backward."
        )
    known = next(grad for grad in grads if grad is not None)
    if dim == 0:
        parts = [t for grad in grads for t in ([] if grad is None else grad.unbind())]
        return _of_parts(parts, self) if len(parts) == self.size(0) else _of_batches(grads, self)
    parts = self.detach().chunk(chunks, dim)
    filled = [
        torch.zeros_like(part, dtype=known.dtype) if grad is None else grad
        for grad, part in zip(grads, parts)
    ]
    return torch.cat(filled, dim)


nested_row(
    "unbind.int(Tensor self, int dim=0) -> Tensor[]",
    "UnbindBackwardAutogradNestedTensor0",
    self=lambda grads, self: _of_parts(grads, self),
)
nested_row(
    "select.int(Tensor self, int dim, SymInt index) -> Tensor",
    "SelectBackwardAutogradNestedTensor0",
    self=lambda grad, self, dim, index: called(
        "_nested_select_backward.default", grad, self, dim, index
    ),
)
nested_row(
    "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    "SumBackwardAutogradNestedTensor0",
    self=lambda grad, self: torch.ones_like(self) * grad,
)
nested_row(
    "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
    "-> Tensor",
    "SumBackwardAutogradNestedTensor1",
    self=lambda grad, self, dim, keepdim: called(
        "_nested_sum_backward.default", grad, self, dim, keepdim
    ),
)
nested_row(
    "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    "MeanBackwardAutogradNestedTensor0",
    self=lambda grad, self: (torch.ones_like(self) * grad) / self.numel(),
)
nested_row(
    "squeeze.dim(Tensor self, int dim) -> Tensor",
    "SqueezeBackwardAutogradNestedTensor0",
    self=lambda grad, dim: grad.unsqueeze(dim),
)
nested_row(
    "squeeze.dims(Tensor self, int[] dim) -> Tensor",
    "SqueezeBackwardAutogradNestedTensor1",
    self=lambda grad, dim, self_dim: _unsqueezed(grad, dim, self_dim),
)
nested_row(
    "view(Tensor self, SymInt[] size) -> Tensor",
    "ViewBackwardAutogradNestedTensor0",
    self=lambda grad, self: grad.reshape_as(self),
)
nested_row(
    "chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
    "ChunkBackwardAutogradNestedTensor0",
    self=lambda grads, self, chunks, dim: _joined(grads, self, chunks, dim),
)
nested_row(
    "split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
    "SplitWithSizesBackwardAutogradNestedTensor0",
    self=lambda grads, self, split_sizes, dim: _resplit(grads, self, split_sizes, dim),
)
nested_row(
    "narrow(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
    "NotImplemented",
    self=not_differentiable("narrow"),
)
nested_row(
    "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    "LinearBackward0",
    inputs=lambda grad, input, weight, grad_input_mask: called(
        "linear_backward.default", input, grad, weight, grad_input_mask
    ),
)
nested_row(
    "matmul(Tensor self, Tensor other) -> Tensor",
    "MatmulBackward0",
    inputs=lambda grad, self, other, grad_input_mask: called(
        "matmul_backward.default", grad, self, other, grad_input_mask
    ),
)


def _resplit(grads: Any, self: Any, sizes: Any, dim: int) -> Any:
    if self.layout == torch.jagged:
        raise NotImplementedError("the gradient of split_with_sizes of nested tensors")
    return type(self)._split_backward(grads, self, sizes)


above.called = called
above.get_values = _nested_get_values
above.view_from_jagged = _nested_view_from_jagged
above.from_padded_tensor = _nested_from_padded_tensor
