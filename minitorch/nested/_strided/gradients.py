"""The derivatives of operators of strided nested tensors: which row a call is recorded with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from minitorch.core.base.modes import recording
from minitorch.core.declare.general.recording import leads
from minitorch.core.declare.row import Row
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.nested._internal.functions import NESTED_ROWS, nested_row
from minitorch.nested._strided.tensor import NO_SIZES, StridedNested, nested

nested_row(
    "values(Tensor self) -> Tensor",
    "ValuesBackwardAutogradNestedTensor0",
    self=lambda grad, self: nested(grad.contiguous().detach(), self._geometry),
)
_SIZES = ("_sym_sizes", "_args_sizes")
# Gradients without a kernel in torch, and those of functions that ask for sizes.
_REFUSED: dict[str, Callable[[], Exception]] = {
    "tanh": lambda: no_kernel("tanh_backward", "NestedTensorCPU"),
    "sgn": lambda: RuntimeError(NO_SIZES),
}


def row_for(name: str, row: Row | None, given: Any) -> Row | None:
    """The row of a call of the overload of this name, whose own is `row`.

    RuntimeError with torch's text if its node would save the sizes of a nested tensor.
    """
    if name in NESTED_ROWS:
        return NESTED_ROWS[name]
    if row is None or row.node is None:
        return row
    sizes = any(saved.endswith(_SIZES) for saved in row.saved)
    if sizes and row.family == "operator" and recording() and any(map(leads, given)):
        raise RuntimeError(NO_SIZES)
    if row.family == "operator":
        return row
    return _on_buffers(row)


@cache
def _on_buffers(row: Row) -> Row:
    """An element-wise row whose formulas run on the buffers of nested tensors."""
    formulas = {name: _of_buffers(formula, row) for name, formula in row.formulas.items()}
    own = row.but(formulas=formulas)
    own.__dict__["key"] = f"strided_{row.key}"
    return own


def _of_buffers(formula: Callable[..., Any], row: Row) -> Callable[..., Any]:
    refused = _REFUSED.get(row.name)

    @wraps(formula)
    def computed(*args: Any, **kwargs: Any) -> Any:
        if refused is not None:
            raise refused()
        given = [*args, *kwargs.values()]
        parts = [x for x in given if isinstance(x, StridedNested)]
        alike = len({x._geometry for x in parts}) == 1
        if not alike or recording():
            return formula(*args, **kwargs)
        result = formula(*map(_buffer, args), **{n: _buffer(x) for n, x in kwargs.items()})
        geometry = parts[0]._geometry
        if isinstance(result, tuple):
            return tuple([x if x is None else nested(x, geometry) for x in result])
        return result if result is None else nested(result, geometry)

    return computed


def _buffer(x: Any) -> Any:
    return x._buffer if isinstance(x, StridedNested) else x
