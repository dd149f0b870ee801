"""torch.linalg: linear algebra. So far what the core operators share with it."""

from __future__ import annotations

from typing import Any

from minitorch.aten.norms import vector_norm
from minitorch.core.declare.install import FUNCTIONS, place
from minitorch.core.graph.formulas import OPS

place(globals(), "matmul", FUNCTIONS["matmul"])
place(globals(), "vector_norm", vector_norm)
for _name in ("cross", "vecdot"):
    place(globals(), _name, getattr(OPS, f"linalg_{_name}"))


def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonal of the matrices `A`, a view."""
    return OPS.diagonal(A, offset, dim1, dim2)


def __getattr__(name: str) -> Any:
    from minitorch.namespace import missing

    return missing("torch.linalg", name)
