"""`torch.save`: pickles in which torch finds its own names, in both of its file formats."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import pickle
import struct
import sys
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from minitorch._public.reducers import REDUCERS
from minitorch.core.arrays.layout import memory_of
from minitorch.core.declare.protocols.torch_function import DisableTorchFunctionSubclass, is_taker
from minitorch.core.numbers.device import strided
from minitorch.core.numbers.dtype import dtype
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.pickling import PUBLIC
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage
from minitorch.core.tensor.tensor import Tensor
from minitorch.nn import Module
from minitorch.optim import Optimizer
from minitorch.serialization import storages
from minitorch.serialization.archive import Writer
from minitorch.serialization.names import WRITTEN
from minitorch.serialization.places import location_tag
from minitorch.serialization.storages import StorageType, Stored

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
ABOUT_SYSTEM = {
    "protocol_version": PROTOCOL_VERSION,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Saves an object to a file that torch can load.

    f: a path, or a file object with `write`.
    As https://docs.pytorch.org/docs/stable/generated/torch.save.html.
    """
    if pickle_module is not pickle:
        raise NotImplementedError("torch.save(pickle_module=...)")
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    if isinstance(f, os.PathLike):
        f = os.fspath(f)
    if not _use_new_zipfile_serialization:
        with _opened(f) as file:
            _save_old(obj, file, pickle_protocol)
        return
    if isinstance(f, str) and not os.path.isdir(os.path.dirname(f) or "."):
        raise RuntimeError(f"Parent directory {os.path.dirname(f)} does not exist.")
    pickled = io.BytesIO()
    pickler = TorchPickler(pickled, pickle_protocol)
    pickler.dump(obj)
    with Writer(f) as archive:
        archive.write("data.pkl", pickled.getvalue())
        archive.write_about()
        for key, stored in pickler.stored.items():
            archive.write(f"data/{key}", contents(stored))


def contents(stored: Stored) -> Any:
    """The bytes of a storage."""
    owner = stored.storage._owner
    if stored.storage.device.type != "cpu":
        owner = owner.get()
    return memoryview(memory_of(owner).view("u1"))


@contextlib.contextmanager
def _opened(f: Any) -> Iterator[Any]:
    if isinstance(f, str):
        with open(f, "wb") as file:
            yield file
    else:
        yield f


class TorchPickler(pickle._Pickler):
    """Pickles with torch's names for this library's objects, storages left out.

    Python's own pickler in C looks up every name that it writes, and would find none of torch.
    """

    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.stored: OrderedDict[str, Stored] = OrderedDict()
        self.keys: dict[Any, str] = {}
        self.dtypes: dict[int, Any] = {}

    def persistent_id(self, obj: Any) -> Any:
        """The persistent id of a storage; None for everything else."""
        if isinstance(obj, UntypedStorage):
            obj = Stored(obj, None)
        elif isinstance(obj, TypedStorage):
            obj = Stored(obj._untyped_storage, obj.dtype)
        if not isinstance(obj, Stored):
            return None
        pointer = obj.storage.data_ptr()
        if pointer and self.dtypes.setdefault(pointer, obj.dtype) is not obj.dtype:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different "
                "types"
            )
        key = self.key_of(obj)
        self.stored.setdefault(key, obj)
        return ("storage", obj.type, key, location_tag(obj.storage), obj.numel())

    def key_of(self, stored: Stored) -> str:
        """The name of a storage in this file."""
        return self.keys.setdefault(stored.key, str(len(self.keys)))

    def reducer_override(self, obj: Any) -> Any:
        """The pickled form of an object of this library; NotImplemented for other objects."""
        if isinstance(obj, Tensor):
            return self._reduced(obj)
        if type(obj) in REDUCERS:
            return REDUCERS[type(obj)](obj)
        if isinstance(obj, StorageType):
            return obj.__name__
        if isinstance(obj, (Module, Optimizer)):  # their own __reduce_ex__ has this library's names
            return object.__reduce_ex__(obj, 2)
        return NotImplemented

    def _reduced(self, obj: Any) -> Any:
        """The function that makes a tensor again, with arguments. A subclass is asked for it."""
        if type(obj) is Tensor or not is_taker(obj):
            return reduced(obj)
        if PUBLIC:  # its way of plain pickling is that of files
            return obj.__reduce_ex__(self.proto)  # type: ignore[attr-defined]
        with DisableTorchFunctionSubclass():
            return reduced(obj)

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Writes a name: torch's name for an object of this library."""
        path = WRITTEN.get(obj) if getattr(obj, "__hash__", None) else None
        if isinstance(obj, dtype):
            path = f"torch.{name}"
        elif path is None:
            module = getattr(obj, "__module__", None) or ""
            head, _, rest = module.partition(".")
            own = name or getattr(obj, "__qualname__", "")
            if head in ("minitorch", "torch") and "<locals>" not in own:
                path = ".".join(filter(None, ("torch", rest, own)))
        if path is None:
            try:
                super().save_global(obj, name)
            except pickle.PicklingError as error:
                raise _error_in_c(obj, error) from None
            return
        module, _, name = path.rpartition(".")
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    dispatch = {**pickle._Pickler.dispatch, type(save): save_global}

    def save_type(self, obj: Any) -> None:
        if obj in (type(None), type(NotImplemented), type(...)):
            super().save_type(obj)
        else:
            self.save_global(obj)

    dispatch[type] = save_type


def _error_in_c(obj: Any, error: Exception) -> Exception:
    """The error of Python's pickler in C, which torch uses, for what has no name to go by."""
    try:
        pickle.dumps(obj)
    except (pickle.PicklingError, AttributeError) as same:
        return same
    return error


def reduced(self: Any) -> tuple[Any, tuple[Any, ...]]:
    """The function that makes a tensor of any kind again, and its arguments."""
    state = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
    hooks: OrderedDict[Any, Any] = OrderedDict()
    if isinstance(self, Parameter):  # of a derived class, too, as in torch
        arguments = (self.data, self.requires_grad, hooks)
        if state:
            return storages.rebuild_parameter_with_state, (*arguments, state)
        return storages.rebuild_parameter, arguments
    if self.layout is not strided:
        return storages.described_sparse(self)
    function, arguments = storages.described(self)
    if type(self) is Tensor and not state:
        return function, arguments
    return storages.rebuild_from_type_v2, (function, type(self), arguments, state)


class _OldPickler(TorchPickler):
    """Pickles for the format before zip: keys are addresses, modules' classes come with source."""

    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.classes: set[type] = set()

    def key_of(self, stored: Stored) -> str:
        return str(stored.key[0])

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, type) and issubclass(obj, Module):
            if obj in self.classes:
                return None
            self.classes.add(obj)
            file = source = None
            if not obj.__module__.startswith("torch."):
                try:
                    source, file = inspect.getsource(obj), inspect.getsourcefile(obj)
                except (OSError, TypeError):
                    warnings.warn(
                        f"Couldn't retrieve source code for container of type {obj.__name__}. It "
                        "won't be checked for correctness upon loading.",
                        stacklevel=2,
                    )
            return ("module", obj, file, source)
        key = super().persistent_id(obj)
        return None if key is None else (*key, None)


def _save_old(obj: object, file: Any, protocol: int) -> None:
    for each in (MAGIC_NUMBER, PROTOCOL_VERSION, ABOUT_SYSTEM):
        pickle.dump(each, file, protocol)
    pickler = _OldPickler(file, protocol)
    pickler.dump(obj)
    keys = sorted(pickler.stored)
    pickle.dump(keys, file, protocol)
    file.flush()
    for key in keys:
        stored = pickler.stored[key]
        file.write(struct.pack("<q", stored.numel()))
        file.write(contents(stored))
