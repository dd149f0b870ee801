"""`torch.load`: what torch or this library saved, in both file formats."""

from __future__ import annotations

import contextlib
import io
import mmap as memory
import os
import pickle
import re
import struct
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from minitorch.aten.creation.from_data import from_numpy
from minitorch.core.arrays import namespace
from minitorch.core.base.above import from_above
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage
from minitorch.serialization import settings, unpickler
from minitorch.serialization.archive import SCRIPT, Archive, is_archive, unreadable
from minitorch.serialization.names import found
from minitorch.serialization.places import restoring
from minitorch.serialization.writing import MAGIC_NUMBER, PROTOCOL_VERSION

_UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will "
    "likely succeed, but it can result in arbitrary code execution. Do it only if you got the file "
    "from a trusted source."
)
_DOCUMENTATION = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Loads an object from a file that `save` wrote.

    f: a path, or a file object with `read`, `readline`, `seek` and `tell`.
    map_location: where storages go: None (where they were), a device or its name, a dict of names,
        or a function of a storage and its place that returns a storage or None.
    weights_only: True (the default): nothing but tensors, numbers, text and containers of them.
        False runs whatever the file says.
    mmap: storages stay in the file until they are used.
    As https://docs.pytorch.org/docs/stable/generated/torch.load.html.
    """
    weights_only = _weights_only(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    pickle_load_args.setdefault("encoding", "utf-8")
    if isinstance(f, (str, os.PathLike)) and os.fspath(f).endswith(".safetensors"):
        return _load_safetensors(os.fspath(f), map_location)
    with opened(f) as file:
        try:
            if is_archive(file):
                return _load_archive(
                    f, file, map_location, pickle_module, weights_only, mmap, pickle_load_args
                )
            if mmap:
                name = f"{f}, " if isinstance(f, str) else ""
                raise RuntimeError(
                    "mmap can only be used with files saved with "
                    f"`torch.save({name}_use_new_zipfile_serialization=True), please torch.save "
                    "your checkpoint with this option in order to use mmap."
                )
            return _OldFile(
                file, map_location, pickle_module, weights_only, pickle_load_args
            ).load()
        except pickle.UnpicklingError as error:
            if not weights_only:
                raise
            raise pickle.UnpicklingError(_told(str(error))) from None


def _weights_only(asked: bool | None, pickle_module: Any) -> bool:
    """Whether nothing of a file may run."""
    forced, forbidden = (
        os.getenv(f"TORCH_FORCE_{name}", "0").lower() in ("1", "y", "yes", "true")
        for name in ("WEIGHTS_ONLY_LOAD", "NO_WEIGHTS_ONLY_LOAD")
    )
    if forced and forbidden:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
            "should be set, but both were set."
        )
    if forced:
        return True
    if asked is None and forbidden:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the"
            "`weights_only` argument was not explicitly passed to `torch.load`, forcing "
            "weights_only=False.",
            stacklevel=3,
        )
        return False
    return pickle_module is None if asked is None else asked


def _told(message: str) -> str:
    """The message of `load` for what the unpickler of weights says."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two "
            "options, \033[1mdo those steps only if you trust the source of the checkpoint\033[0m."
            f" \n\t(1) {_UNSAFE}\n\t(2) Alternatively, to load with `weights_only=True` please "
            "check the recommended steps in the following error message.\n\tWeightsUnpickler "
            f"error: {message}{_DOCUMENTATION}"
        )
    wish = (
        "Please file an issue with the following so that we can make `weights_only=True` "
        "compatible with your use case: WeightsUnpickler error: "
    )
    if re.search(r"whose module (\S+) is blocked", message):
        wish = ""
    return f"Weights only load failed. {_UNSAFE}\n{wish}\n\n{message}{_DOCUMENTATION}"


@contextlib.contextmanager
def opened(f: Any) -> Iterator[Any]:
    """The file that is at a path, or `f` itself, which has to be one that can be gone about in."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file
        return
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if not re.search("seek|tell", str(error)):
            raise
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the "
            "data into a buffer like io.BytesIO and try to load from it instead."
        ) from None
    yield f


def _load_safetensors(path: str, map_location: Any) -> Any:
    """The tensors of a file of the safetensors package."""
    if isinstance(map_location, dict) or callable(map_location):
        kind = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {kind} map_location is not supported. Use a device "
            "string or torch.device instead."
        )
    try:
        from safetensors.numpy import load_file
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. Please "
            "install safetensors with: pip install safetensors"
        ) from error
    return {name: from_numpy(x).to(map_location or "cpu") for name, x in load_file(path).items()}


class _Trusting(pickle.Unpickler):
    """Unpickles any object in a file; names of torch stand for this library's objects."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return found("torch._tensor" if module == "torch.tensor" else module, name)
        except LookupError:
            return super().find_class(module, name)


def _unpickler(
    file: Any, module: Any, weights_only: bool, arguments: dict[str, Any], storages: Any
) -> Any:
    """An unpickler for a file; it takes the storages from `storages`."""
    if weights_only:
        reader: Any = unpickler.Unpickler(file, **arguments)
    elif module in (None, pickle):
        reader = _Trusting(file, **arguments)
    else:
        raise NotImplementedError("torch.load(pickle_module=...)")
    if storages is not None:
        reader.persistent_load = storages
    return reader


def decoded(text: str | bytes) -> str:
    """Text that Python 2 may have written."""
    return text.decode("ascii") if isinstance(text, bytes) else text


# ---- archives


def _load_archive(
    f: Any,
    file: Any,
    map_location: Any,
    pickle_module: Any,
    weights_only: bool,
    mmap: bool | None,
    arguments: dict[str, Any],
) -> Any:
    start = file.tell()
    archive = Archive(file)
    if "constants.pkl" in archive or SCRIPT in archive:
        file.seek(start)
        return _load_script(file, map_location, weights_only)
    rest = pickle_module, weights_only, mmap, arguments
    return _load_records(f, file, archive, map_location, *rest)


def load_script_records(file: Any, map_location: Any) -> Any:
    """The records of a file of torch.jit.save, without the mark that makes it a script."""
    return _load_records(file, file, Archive(file), map_location, None, True, None, {})


def _load_records(
    f: Any,
    file: Any,
    archive: Archive,
    map_location: Any,
    pickle_module: Any,
    weights_only: bool,
    mmap: bool | None,
    arguments: dict[str, Any],
) -> Any:
    mapped = None
    if mmap:
        if not isinstance(f, (str, os.PathLike)):
            raise ValueError("f must be a file path in order to use the mmap argument")
        shared = settings.get_default_mmap_options() == memory.MAP_SHARED
        access = memory.ACCESS_WRITE if shared else memory.ACCESS_COPY
        with contextlib.ExitStack() as stack:
            source = stack.enter_context(open(f, "r+b")) if shared else file
            mapped = memory.mmap(source.fileno(), 0, access=access)
    restore, swapped = restoring(map_location), _byte_order(archive) != sys.byteorder
    loaded: dict[Any, TypedStorage] = {}

    def storage_of(key: Any) -> Any:
        if not isinstance(key, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(key).__name__}")
        what, (kind, name, location, count) = decoded(key[0]), key[1:]
        if what != "storage":
            raise AssertionError(
                f"Unknown typename for persistent_load, expected 'storage' but got '{what}'"
            )
        dtype = None if kind is UntypedStorage else kind.dtype
        if name not in loaded:
            x = _record(archive, f"data/{name}", mapped)
            size = count * (1 if dtype is None else dtype.itemsize)
            if x.nbytes < size or size < 0:
                raise unreadable(f"data/{name}")
            if swapped and dtype is not None:
                x = turned(x, dtype)
            storage = restore(UntypedStorage(x[:size]), decoded(location))
            loaded[name] = _typed(storage, dtype or dtypes.uint8)
        return loaded[name]

    pickled = io.BytesIO(archive.record("data.pkl").tobytes())
    return _unpickler(pickled, pickle_module, weights_only, arguments, storage_of).load()


def _load_script(file: Any, map_location: Any, weights_only: bool) -> Any:
    """The object that torch.jit.load reads from a file of torch.jit.save."""
    warnings.warn(
        "'torch.load' received a zip file that looks like a TorchScript archive dispatching to "
        "'torch.jit.load' (call 'torch.jit.load' directly to silence this warning)",
        UserWarning,
        stacklevel=4,
    )
    if weights_only:
        raise RuntimeError(
            "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. "
            + _UNSAFE
        )
    return from_above("jit:load")(file, map_location=map_location)


def _typed(storage: UntypedStorage, dtype: Any) -> TypedStorage:
    return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def _record(archive: Archive, name: str, mapped: Any) -> Any:
    """The bytes of a record: of its own, or where the file is mapped."""
    if mapped is None:
        return archive.record(name)
    start, size = archive.place(name)
    if start + size > len(mapped):
        raise unreadable(name)
    return numpy.frombuffer(mapped, "u1", size, start)


def _byte_order(archive: Archive) -> str:
    """The order of bytes in an archive's storages."""
    if "byteorder" in archive:
        order = archive.record("byteorder").tobytes().decode()
        if order not in ("little", "big"):
            raise ValueError(f"Unknown endianness type: {order}")
        return str(order)
    chosen = settings.get_default_load_endianness()
    if chosen is settings.LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if chosen is settings.LoadEndianness.BIG else "little"


def turned(x: Any, dtype: Any) -> Any:
    """Bytes with those of each number in the other order, the two of a complex one apart."""
    width = dtype.itemsize // (2 if dtype.is_complex else 1)
    whole = len(x) // width * width
    return x[:whole].reshape(-1, width)[:, ::-1].reshape(-1)


# ---- the format before archives


class _OldFile:
    """A file of pickles, one after another, and the storages behind them."""

    def __init__(
        self, file: Any, map_location: Any, module: Any, weights_only: bool, arguments: Any
    ) -> None:
        self.file = file
        self.restore = restoring(map_location)
        self.next: Callable[[Any], Any] = lambda storages: _unpickler(
            file, module, weights_only, arguments, storages
        ).load()
        self.stored: dict[Any, TypedStorage] = {}
        start = file.tell()
        self.size = file.seek(0, 2)
        file.seek(start)

    def load(self) -> Any:
        """The object."""
        if self.next(None) != MAGIC_NUMBER:
            raise RuntimeError("Invalid magic number; corrupt file?")
        version = self.next(None)
        if version != PROTOCOL_VERSION:
            raise RuntimeError(f"Invalid protocol version: {version}")
        self.next(None)
        result = self.next(self.storage_of)
        for key in self.next(None):
            if key not in self.stored:
                raise AssertionError(f"storage key {key!r} not found in deserialized_objects")
            self.fill(self.stored[key])
        return result

    def storage_of(self, key: Any) -> Any:
        """A storage, which is filled later; or the class of a module."""
        if not isinstance(key, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(key).__name__}")
        what = decoded(key[0])
        if what == "module":
            return key[1]
        if what != "storage":
            raise RuntimeError(f"Unknown saved id type: {key[0]}")
        kind, name, location, count, view = key[1:]
        if kind is UntypedStorage:
            raise AttributeError(
                "type object 'torch.storage.UntypedStorage' has no attribute 'dtype'"
            )
        dtype = kind.dtype
        if name not in self.stored:
            size = count * dtype.itemsize
            if not 0 <= size <= self.size:
                raise RuntimeError(f"storage has wrong byte size: expected at most {self.size}")
            storage = self.restore(UntypedStorage(numpy.empty(size, "u1")), decoded(location))
            self.stored[name] = _typed(storage, dtype)
        if view is None:
            return self.stored[name]
        name_of_view, offset, length = view
        width = dtype.itemsize
        if name_of_view not in self.stored:
            whole = self.stored[name]._untyped_storage._owner
            part = whole[offset * width : (offset + length) * width]
            self.stored[name_of_view] = _typed(UntypedStorage(part), dtype)
        return self.stored[name_of_view]

    def fill(self, stored: TypedStorage) -> None:
        """Reads the numbers of a storage."""
        (count,) = struct.unpack("<q", self.file.read(8))
        owner = stored._untyped_storage._owner
        width = stored.dtype.itemsize
        if count * width != owner.nbytes:
            raise RuntimeError(
                f"storage has wrong byte size: expected {owner.nbytes} got {count * width}"
            )
        data = self.file.read(owner.nbytes)
        if len(data) != owner.nbytes:
            raise RuntimeError(
                f"unexpected EOF, expected {owner.nbytes - len(data)} more bytes. The file might "
                "be corrupted."
            )
        owner[:] = namespace(owner).asarray(numpy.frombuffer(data, "u1"))


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names of the globals in a file that `load(weights_only=True)` would refuse.

    f: a path or a file object.
    """
    with opened(f) as file:
        if not is_archive(file):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        listing = unpickler.Listing(io.BytesIO(Archive(file).record("data.pkl").tobytes()))
    listing.load()
    return list(listing.globals.difference(listing.allowed))
