"""The named tuples that operators return, such as torch.return_types.max."""

from __future__ import annotations

from typing import Any

from minitorch import aten
from minitorch.core.declare.install import ROWS
from minitorch.core.declare.returns import RETURN_TYPES, return_type


def __getattr__(name: str) -> Any:
    row_name = name.removesuffix("_out")
    if name not in RETURN_TYPES:
        aten.load_all()
        for row in ROWS.values():
            if row.name == row_name and row.schema.names_outputs:
                return return_type(name, row.schema.outputs)
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")
    return RETURN_TYPES[name]


def __dir__() -> list[str]:
    aten.load_all()
    names = {row.name for row in ROWS.values() if row.schema.names_outputs}
    return sorted({*globals(), *RETURN_TYPES, *names})
