"""Plain pickles of tensors, storages and dtypes as torch makes them, where minitorch stands for it.

`pickle.dumps(x)` holds a tensor as a call of `torch._utils._rebuild_tensor_v2` with its storage,
and a storage as the bytes of a file that `torch.save` writes. Either library then loads what the
other has pickled. Where minitorch goes by its own name, core/tensor/pickling.py has another form.
"""

from __future__ import annotations

import copyreg
import io
from collections import OrderedDict
from importlib import import_module
from typing import Any

from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.size import Size
from minitorch.core.tensor import pickling
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage
from minitorch.core.tensor.tensor import Tensor


def install() -> None:
    """Lets plain pickles be torch's from now on."""
    pickling.PUBLIC[:] = [reduce_tensor]
    for kind in (TypedStorage, UntypedStorage):
        copyreg.pickle(kind, _reduce_storage)  # type: ignore[arg-type]
    copyreg.pickle(dtypes.dtype, _reduce_dtype)  # type: ignore[arg-type]
    copyreg.pickle(devices.device, _reduce_device)  # type: ignore[arg-type]
    copyreg.pickle(Size, _reduce_size)
    copyreg.pickle(devices.layout, _reduce_layout)  # type: ignore[arg-type]


def reduce_tensor(self: Any) -> tuple[Any, ...] | None:
    """A function of torch's and its arguments, which make the tensor again.

    None for a tensor that is pickled otherwise: one without numbers, or of a sparse layout.
    """
    rebuilding: Any = import_module("minitorch._utils_rebuilding")
    extra = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
    if isinstance(self, Parameter):
        hooks: Any = OrderedDict()
        if extra:
            arguments = (self.data, self.requires_grad, hooks, extra)
            return rebuilding._rebuild_parameter_with_state, arguments
        return rebuilding._rebuild_parameter, (self.data, self.requires_grad, hooks)
    if self.layout is not devices.strided or self.device.type != "cpu":
        return None
    storage = TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True)
    geometry = (self.storage_offset(), tuple(self.size()), self.stride())
    arguments = (storage, *geometry, self.requires_grad, OrderedDict())
    bits = [name for name in ("conj", "neg") if getattr(self, f"is_{name}")()]
    if bits:
        arguments += (dict.fromkeys(bits, True),)
    if type(self) is Tensor and not extra:
        return rebuilding._rebuild_tensor_v2, arguments
    again: Any = import_module("minitorch._tensor")._rebuild_from_type_v2
    return again, (rebuilding._rebuild_tensor_v2, type(self), arguments, extra)


def _reduce_storage(self: Any) -> tuple[Any, ...]:
    file = io.BytesIO()
    writing: Any = import_module("minitorch.serialization")
    writing.save(self, file, _use_new_zipfile_serialization=False)
    return import_module("minitorch.storage")._load_from_bytes, (file.getvalue(),)


def _reduce_dtype(self: Any) -> str:
    return str(self.name)


def _reduce_device(self: Any) -> tuple[Any, ...]:
    return devices.device, (self.type,) if self.index is None else (self.type, self.index)


def _reduce_size(self: Any) -> tuple[Any, ...]:
    return Size, (tuple(self),)


def _reduce_layout(self: Any) -> tuple[Any, ...]:
    return import_module("minitorch.serialization")._get_layout, (str(self),)
