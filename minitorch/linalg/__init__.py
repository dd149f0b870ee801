"""torch.linalg: linear algebra; its operators are in minitorch/aten/linalg."""

from __future__ import annotations

from typing import Any

from minitorch import aten as _aten
from minitorch._public.later import names_of as _names_of
from minitorch.aten.linalg.pseudo_inverse import linalg_pinv as pinv
from minitorch.aten.reduction.norms import vector_norm as _vector_norm
from minitorch.core.arrays.lapack import _LinAlgError as LinAlgError
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.expose import aliased as _aliased
from minitorch.core.declare.expose import shelled as _shelled
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for
from minitorch.core.declare.registry import FUNCTIONS

_NAMES = (
    "_powsum cond lstsq matrix_rank tensorinv tensorsolve vander "
    "cholesky cholesky_ex cross det eig eigh eigvals eigvalsh householder_product inv inv_ex "
    "ldl_factor ldl_factor_ex ldl_solve lu lu_factor lu_factor_ex lu_solve matrix_exp matrix_norm "
    "matrix_power multi_dot norm qr slogdet solve solve_ex solve_triangular svd svdvals vecdot"
)

for _family in _aten.WAITING:
    if _family.startswith("linalg.") and _family != "linalg.einsum":  # which torch.linalg lacks
        _aten.load(_family)
matmul = _aliased(FUNCTIONS["matmul"], "matmul", "linalg.linalg_matmul")
matmul.__module__, matmul.__qualname__ = "minitorch.linalg", "matmul"
for _name in _NAMES.split():
    globals()[_name] = getattr(OPS, f"linalg_{_name}")


def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonal of the matrices `A`, a view."""
    return OPS.diagonal(A, offset, dim1, dim2)


vector_norm = _shelled("linalg.linalg_vector_norm", _vector_norm)
vector_norm.__module__ = "minitorch.linalg"
diagonal = _shelled("linalg.linalg_diagonal", diagonal)
_asked_for("torch.linalg", globals())


# Sentences that torch puts into the descriptions of several of these functions.
common_notes = {
    "experimental_warning": (
        'This function is "experimental" and it may change in a future PyTorch release.'
    ),
    "sync_note": (
        "When inputs are on a CUDA device, this function synchronizes that device with the CPU."
    ),
    "sync_note_ex": (
        "When the inputs are on a CUDA device, this function synchronizes only when "
        r":attr:`check_errors`\ `= True`."
    ),
    "sync_note_has_ex": (
        "When inputs are on a CUDA device, this function synchronizes that device with the CPU. "
        "For a version of this function that does not synchronize, see :func:`{}`."
    ),
}


__getattr__ = _names_of("torch.linalg")
