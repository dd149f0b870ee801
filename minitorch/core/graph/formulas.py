"""F, the language of formulas: every operator by name, on bare arrays (RAW) and on Tensors (OPS).

The operators themselves are declared layers above; they put themselves in here. `F.name` in an
ordinary backward is RAW's, under create_graph OPS's.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.numbers.dtype import Kind


def is_complex(x: Any) -> bool:
    """Whether an array or a Tensor, whichever a formula got, holds complex numbers."""
    return x.dtype.kind in ("c", Kind.COMPLEX)


class Language:
    """A namespace of operators. A missing name says so in one sentence.

    makers: name -> a function that makes the operator, called when it is first asked for.
    """

    def __init__(self) -> None:
        self.__dict__["makers"] = {}

    def __getattr__(self, name: str) -> Any:
        maker = self.makers.get(name)
        if maker is None:
            raise NotImplementedError(f"torch.{name} is not implemented yet (wanted by a formula)")
        function = self.__dict__[name] = maker()
        return function


RAW: Any = Language()
OPS: Any = Language()
