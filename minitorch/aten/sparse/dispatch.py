"""Where calls with sparse tensors come to: what there is by the names of torch's operators, how it
is recorded, and how torch refuses what there is not."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitorch.aten.sparse.compressed_refusals import missing
from minitorch.aten.sparse.coordinates import Coordinates, Parts
from minitorch.aten.sparse.layouts import layout_name
from minitorch.aten.sparse.refusals import missing_operator, wrong_rank
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import GradMode, recording
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.declare.general.recording import leads, record, record_outputs, refuse_complex
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.protocols.torch_function import tensors_in
from minitorch.core.declare.registry import ROWS, load_families
from minitorch.core.declare.row import Row
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.graph.node import save_output
from minitorch.core.graph.views import (
    MULTIPLE,
    check_writable,
    note_write,
    requires_grad,
    view_of,
)

Function = Callable[..., Any]

# The operators of tensors of layout torch.sparse_coo, and of compressed ones.
COORDINATES: dict[str, Function] = {}
COMPRESSED: dict[str, Function] = {}
# Operators that torch makes of others, which find their way by themselves.
COMPOSED: set[str] = set()
# The rows of operators that torch has for sparse tensors alone.
SPARSE_ROWS: dict[str, Row] = {}

_BACKENDS = {Coordinates: "SparseCPU"}


def does(
    *names: str, row: str = "", table: Any = COORDINATES, view: bool = False
) -> Callable[[Function], Function]:
    """Puts a function into the table of operators, to be recorded as the row of this key.

    view: whether its results count as views of its first argument.
    """

    def put(function: Function) -> Function:
        entry = recorded(row, function, view) if row else function
        table.update(dict.fromkeys(names, entry))
        return entry

    return put


def composed(*names: str) -> None:
    """Says that these operators are made of others also for sparse tensors."""
    COMPOSED.update(names)


def formulas(schema: str, node: str, real_gradients: bool = False, **gradients: Function) -> Row:
    """A row whose formulas give the gradients of an operator of sparse tensors.

    An overload `sparse` stands before the row that dense tensors have.
    """
    row = Row(Schema.parse(schema), node, None, gradients, real_gradients=real_gradients)
    SPARSE_ROWS[row.key] = row
    return row


def row_of(key: str) -> Row:
    """The row of an operator, whose family may have to be imported first."""
    row = SPARSE_ROWS.get(f"{key}_sparse") or SPARSE_ROWS.get(key) or ROWS.get(key)
    if row is None:
        load_families()
        row = ROWS[key]
    return row


# ---- recording -----------------------------------------------------------------------------------


def recorded(key: str, function: Function, view: bool = False) -> Function:
    """The function, whose results get the node of a row as their history."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not (recording() and any(map(leads, (*args, *kwargs.values())))):
            result = function(*args, **kwargs)
            if view:
                count_as_views(args[0], result)
            return result
        with GradMode(False):
            result = function(*args, **kwargs)
        if view:
            count_as_views(args[0], result)
        return with_history(row_of(key), args, kwargs, result)

    return call


def count_as_views(self: Any, result: Any) -> None:
    """Notes that results, made of parts of `self`, are views: they share its versions."""
    several = isinstance(result, (list, tuple))
    for each in result if several else (result,):
        if each is not self:
            noted = view_of(self, each._array, None, MULTIPLE if several else None)
            each._cell, each._view = noted._cell, noted._view


def with_history(row: Row, args: Any, kwargs: Any, result: Any) -> Any:
    """The result of a call, with the node of `row` as its history if there is a gradient for it."""
    bound = arguments(row, args, kwargs)
    first = result[0] if isinstance(result, (tuple, list)) else result
    if row.real_gradients and first.dtype.is_complex:
        refuse_complex(row)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    given = [*args, *kwargs.values()]
    if any(each is x for each in outputs for x in given) or outputs[0].dtype.numpy.kind in "biu":
        return result
    listed = any(isinstance(bound[name], (list, tuple)) for name in row.inputs)
    if listed or row.schema.returns_list or len(outputs) > 1:
        record_outputs(row, bound, outputs)
    elif any(requires_grad(bound[name]) for name in row.inputs if is_tensor(bound[name])):
        record(row, bound, result)
    for output in outputs:
        if (edge := output._edge) is not None:
            mark(*(edge if type(edge) is tuple else (edge, 0)), output)
    return result


def arguments(row: Row, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by the names of the schema; `input` is another name of self."""
    named = dict(kwargs)
    if "input" in named:
        named["self"] = named.pop("input")
    return bind(row, args, named)


def mark(node: Any, number: int, output: Any) -> None:
    """Says of a node that its gradients may be sparse, which `gradients.meets` looks for, and which
    layout its output of this number has if that is not dense."""
    node.__dict__["sparse"] = True
    if is_sparse(output):
        node.__dict__.setdefault("layouts", {})[number] = output.layout


def written_as(self: Any, result: Any, key: str = "", *operands: Any, **attributes: Any) -> Any:
    """`self` after an operator wrote it in place: it holds what `result` does from now on."""
    row = (ROWS.get(f"{key}_") or row_of(key)) if key else None
    operands = (self, *operands)
    wanted = recording() and any(map(leads, operands))
    check_writable(self, wanted)
    node = None
    if wanted and row is not None and row.node is not None:
        before = self.detach() if is_sparse(self) else self.detach().clone()
        before._edge, before._cell = self._edge, None
        bound = arguments(row, (before, *operands[1:]), attributes)
        names = [a.name for a in row.schema.tensors]
        node = record(row, bound, result, edges_of=[bound[name] for name in names], written=True)
        mark(node, 0, result)
    if is_sparse(self):
        self._array = result._array
    else:
        self._array[...] = result._array
    note_write(self, node)
    if node is not None and "result" in row.saved:  # type: ignore[union-attr]
        node.saved_result = save_output(self)  # type: ignore[attr-defined]
    return self


# ---- calls ---------------------------------------------------------------------------------------


def is_tensor(each: Any) -> bool:
    return isinstance(each, TensorBase)


def is_sparse(each: Any) -> bool:
    """Whether it is a tensor of a sparse layout."""
    return is_tensor(each) and isinstance(each._array, Parts)


def watcher(name: str, compute: Function) -> Function:
    """The function of an operator, which calls that of the sparse tensors it is given."""

    def checked(*args: Any, **kwargs: Any) -> Any:
        given = [each for each in tensors_in(args, kwargs) if is_sparse(each)]
        return call(name, compute, given, args, kwargs) if given else compute(*args, **kwargs)

    return checked


WATCHERS.insert(0, watcher)


def _refuse_text(name: str, text: str) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(text)

    COORDINATES[name] = refuse


for _name in ("reshape", "flatten", "ravel", "reshape_as", "einsum", "outer", "ger"):
    _refuse_text(_name, "reshape is not implemented for sparse tensors")
_EXPANDED = "expand is unsupported for Sparse tensors"
for _name in ("expand", "expand_as", "broadcast_to"):
    _refuse_text(_name, _EXPANDED)


@does("repeat")
def repeat(self: Any, *sizes: Any, **named: Any) -> Any:
    given = named.get("repeats", sizes)
    given = given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else given
    if len(given) < self.dim():
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    raise RuntimeError(_EXPANDED)


def call(name: str, compute: Function, given: list[Any], args: Any, kwargs: Any) -> Any:
    """The result of an operator for arguments of which the tensors `given` are sparse."""
    compressed = any(type(each._array) is not Coordinates for each in given)
    table = COMPRESSED if compressed else COORDINATES
    found = table.get(name)
    named = {key: value for key, value in kwargs.items() if value is not None}
    if "input" in named:
        args, named = (named.pop("input"), *args), named
    if found is None and name in COMPOSED:
        return compute(*args, **kwargs)
    if found is None:
        if refused := wrong_rank(name, given[0].dim()):
            raise refused
        if compressed:
            raise compressed_refusal(name, compute, given, args, named)
        raise could_not_run(missing_operator(name, compute, args), given[0])
    out = named.pop("out", None)
    if out is None:
        return found(*args, **named)
    into_out = table.get(f"{name}.out")  # which checks more than what is written
    if recording() and any(map(leads, (out, *args, *named.values()))):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    return into(out, found(*args, **named)) if into_out is None else into_out(out, *args, **named)


def into(out: Any, result: Any) -> Any:
    """Puts an operator's result into `out`. RuntimeError if the layouts differ."""
    if not is_sparse(out) and is_sparse(result) and result.is_sparse:
        raise RuntimeError(
            "self.is_sparse() INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/SparseTensorUtils.h":28, please report a '
            "bug to PyTorch. _internal_get_SparseTensorImpl: not a sparse tensor"
        )
    if is_sparse(out) is not is_sparse(result):
        raise RuntimeError(
            f"Expected out tensor to have {layout_name(result)} layout, but got {layout_name(out)}"
        )
    if not is_sparse(out):
        OPS.resize_(out, result.shape)
        return out.copy_(result)
    out._array = result.to(out.dtype)._array
    note_write(out, None)
    return out


def compressed_refusal(
    name: str, compute: Function, given: list[Any], args: Any, named: Any
) -> Exception:
    """The error for an operator that tensors of compressed layouts do not have."""
    first = next(each for each in given if type(each._array) is not Coordinates)
    return missing(name, compute, first, args, named)


def could_not_run(name: str, given: Any) -> NotImplementedError:
    """The error for an operator that a layout does not have."""
    return no_kernel(name, _BACKENDS.get(type(given._array), "SparseCsrCPU"))
