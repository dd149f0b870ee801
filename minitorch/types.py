"""torch.types: names for what arguments may be."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias, Union

from minitorch._public.refused import refused
from minitorch._public.symbolic_int import SymInt
from minitorch.core.numbers.device import device, layout, qscheme
from minitorch.core.numbers.dtype import dtype
from minitorch.core.numbers.size import Size
from minitorch.core.tensor.storage import UntypedStorage as Storage
from minitorch.core.tensor.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = Union[str, os.PathLike[str], IO[bytes]]  # noqa: UP007

DispatchKey = _dispatchkey = refused("DispatchKey")
SymBool, SymFloat = map(refused, ("SymBool", "SymFloat"))
py_sym_types = (SymInt, SymFloat, SymBool)
PySymType: TypeAlias = Any
BoolLikeType = IntLikeType = FloatLikeType = Any

_Number = (builtins.int, builtins.float, builtins.bool)
_bool, _int, _float, _complex = builtins.bool, builtins.int, builtins.float, builtins.complex
_bytes, _str = builtins.bytes, builtins.str
_dtype, _device, _layout, _qscheme = dtype, device, layout, qscheme
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_symsize: TypeAlias = Size | Sequence[Any]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Any]
_TensorOrTensorsOrGradEdge: TypeAlias = Any
