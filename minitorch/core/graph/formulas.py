"""F, the language of formulas: every operator by name, on bare arrays (RAW) and on Tensors (OPS).

The operators themselves are declared layers above; they put themselves in here. `F.name` in an
ordinary backward is RAW's, under create_graph OPS's.
"""

from __future__ import annotations

from typing import Any


class Language:
    """A namespace of operators. A missing name says so in one sentence."""

    def __init__(self, kind: str) -> None:
        self.__dict__["kind"] = kind

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"torch.{name} is not implemented yet (wanted by a formula)")


RAW: Any = Language("arrays")
OPS: Any = Language("Tensors")
