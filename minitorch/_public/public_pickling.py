"""Plain pickles of tensors, storages and dtypes as torch makes them, where minitorch stands for it.

`pickle.dumps(x)` holds a tensor as the call that a file of `torch.save` has for it, and a storage
as the bytes of such a file. Either library then loads what the other has pickled. Where minitorch
goes by its own name, core/tensor/pickling.py has another form.
"""

from __future__ import annotations

import copyreg
import io
from importlib import import_module
from types import FunctionType
from typing import Any

from minitorch._public.reducers import REDUCERS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor import pickling
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage


def install() -> None:
    """Lets plain pickles be torch's from now on."""
    pickling.PUBLIC[:] = [reduce_tensor]
    for kind, reduce in REDUCERS.items():
        copyreg.pickle(kind, reduce)  # type: ignore[arg-type]
    for each in (TypedStorage, UntypedStorage):
        copyreg.pickle(each, _reduce_storage)  # type: ignore[arg-type]


def reduce_tensor(self: Any) -> tuple[Any, ...]:
    """The function of torch's that makes a tensor again, and its arguments."""
    function, arguments = import_module("minitorch.serialization.writing").reduced(self)
    return _public(function), tuple(map(_public, arguments))


def _public(thing: Any) -> Any:
    """The part of a plain pickle for a part that a file of torch.save has for a tensor."""
    if isinstance(thing, FunctionType):
        path = import_module("minitorch.serialization.names").WRITTEN[thing]
        module, _, name = path.rpartition(".")
        return getattr(import_module(f"mini{module}"), name)
    if type(thing) is tuple:
        return tuple(map(_public, thing))
    if isinstance(thing, import_module("minitorch.serialization.storages").Stored):
        dtype = thing.dtype or dtypes.uint8
        return TypedStorage(wrap_storage=thing.storage, dtype=dtype, _internal=True)
    return thing


def _reduce_storage(self: Any) -> tuple[Any, ...]:
    file = io.BytesIO()
    save: Any = import_module("minitorch.serialization").save
    save(self, file, _use_new_zipfile_serialization=False)
    return import_module("minitorch.storage")._load_from_bytes, (file.getvalue(),)
