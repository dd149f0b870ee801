"""torch's texts for refused calls of storages, and the private names that packages use.

Some methods of a storage are Python in torch, whose errors name `_StorageBase.size()`; others are
C++, whose errors read `StorageBase.nbytes() takes no arguments`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor import storage_rare as rare

_WITHOUT_ARGUMENTS = "data_ptr element_size is_shared nbytes new resizable".split()
_WITHOUT_ARGUMENTS += ["_fix_weakref", "_get_shared_fd", "_shared_decref"]
_OF_ONE_ARGUMENT = ("_swap_data_ptr_", "fill_", "resize_")
_OPERATORS = {"__len__": 0, "__getitem__": 1, "__eq__": 1, "__setitem__": 2}


def _counted(count: int) -> str:
    return {1: "1 argument"}.get(count, f"{count} arguments")


def _like_c(name: str, function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A method that checks the number of its arguments as a C function does."""
    wanted = "no arguments" if count == 0 else "exactly one argument"

    @functools.wraps(function)
    def method(self: Any, *args: Any, **named: Any) -> Any:
        if named:
            raise TypeError(f"StorageBase.{name}() takes no keyword arguments")
        if len(args) != count:
            raise TypeError(f"StorageBase.{name}() takes {wanted} ({len(args)} given)")
        return function(self, *args)

    return method


def _like_operator(name: str, function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A method behind one of Python's operators, with the errors of a C slot."""

    @functools.wraps(function)
    def method(self: Any, *args: Any, **named: Any) -> Any:
        if named:
            raise TypeError(f"wrapper {name}() takes no keyword arguments")
        if len(args) != count:
            gap = " " if count == 2 else ""  # where the name of a C function would stand
            raise TypeError(f"{gap}expected {_counted(count)}, got {len(args)}")
        return function(self, *args)

    return method


# The members of storages with a dtype that warn of deprecation.
_DEPRECATED = frozenset(
    """
    __copy__ __deepcopy__ __getitem__ __iter__ __len__ __repr__ __setitem__ __sizeof__ bfloat16 bool
    byte char clone complex_double complex_float copy_ cpu cuda data_ptr device double element_size
    fill_ float from_buffer from_file get_device half hpu int is_cuda is_pinned is_shared long
    nbytes pickle_storage_type pin_memory resizable resize_ share_memory_ short size to tolist type
    untyped
    """.split()
)


def _warning(member: Any, warn: Callable[[], None]) -> Any:
    """A member of a class that warns, then does the same as another member."""
    if isinstance(member, property):
        return property(_warning(member.fget, warn), doc=member.__doc__)
    if isinstance(member, classmethod):
        return classmethod(_warning(member.__func__, warn))

    @functools.wraps(member)
    def method(*args: Any, **named: Any) -> Any:
        warn()
        return member(*args, **named)

    return method


def word(untyped: type, typed: type, warn: Callable[[], None]) -> None:
    """Gives the methods of both classes of storages torch's names and numbers of arguments.

    warn: called before members that torch deprecates.
    """
    members = {**vars(untyped.__base__), **vars(untyped)}
    for name, member in members.items():
        if not isinstance(member, type(word)):
            continue
        if name in _WITHOUT_ARGUMENTS or name in _OF_ONE_ARGUMENT:
            setattr(untyped, name, _like_c(name, member, int(name in _OF_ONE_ARGUMENT)))
        elif name in _OPERATORS:
            setattr(untyped, name, _like_operator(name, member, _OPERATORS[name]))
        elif name not in ("__init__", "__hash__"):
            member.__qualname__ = f"_StorageBase.{name}"
    for name, member in list(vars(typed).items()):
        if isinstance(member, type(word)):
            member.__qualname__ = f"TypedStorage.{name}"
        if name in _DEPRECATED:
            setattr(typed, name, _warning(member, warn))


def source_of_copy(is_storage: Callable[[Any], bool], *args: Any, **named: Any) -> Any:
    """The storage that copy_ is to copy. TypeError for arguments that it does not take."""
    if len(args) > 2:
        count = f"from 1 to 2 positional arguments but {len(args)} were given"
        raise TypeError(f"copy_() takes {count}")
    given = {**dict(zip(("src", "non_blocking"), args, strict=False)), **named}
    if "src" not in given:
        raise TypeError('copy_() missing 1 required positional arguments: "src"')
    for name in given:
        if name not in ("src", "non_blocking"):
            raise TypeError(f"copy_() got an unexpected keyword argument '{name}'")
    source, waits = given["src"], given.get("non_blocking")
    if not is_storage(source):
        text = f"must be torch.Storage, not {rare.shown(source)}"
        where = "" if "src" in named else " (position 1)"
        raise TypeError(f"copy_(): argument 'src'{where} {text}")
    if waits is not None and not isinstance(waits, bool):
        text = f"must be bool, not {rare.shown(waits)}"
        where = "" if "non_blocking" in named else " (position 2)"
        raise TypeError(f"copy_(): argument 'non_blocking'{where} {text}")
    return source


# ---- devices by method


def hpu(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    """Raises an error: the devices of Habana need their own package."""
    rare.device_index(device)
    raise AssertionError("HPU device module is not loaded")


def mps(self: Any) -> Any:
    """Raises an error: there is no device of Apple."""
    raise RuntimeError("torch.UntypedStorage(): Storage device not recognized: mps")


def checked_dtype(dtype: Any) -> Any:
    """A dtype to convert to. TypeError for anything else."""
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"Argument 'dtype' must be torch.dtype, not {type(dtype)}")
    return dtype


# ---- making a typed storage

_NAMED_FORMS = (
    "{}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n"
    " * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)\n"
)
_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)\n"
)


def _is_data(data: Any) -> bool:
    return isinstance(data, (int, Sequence))


def check_making(cls: Any, untyped: type, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Raises for arguments from which neither torch.TypedStorage nor torch.FloatStorage is made.

    cls: torch.FloatStorage or another class with a dtype, or torch.TypedStorage itself.
    """
    for name in named:
        if name not in ("wrap_storage", "dtype", "device", "_internal"):
            text = f"TypedStorage.__new__() got an unexpected keyword argument '{name}'"
            raise TypeError(text)
    knows = cls._dtype is not None
    forms = _NAMED_FORMS.format(cls) if knows else _FORMS
    wrapped = named.get("wrap_storage")
    if len(args) > 1:
        raise RuntimeError(f"{forms}Too many positional arguments")
    if knows:
        for name in ("device", "dtype"):
            if named.get(name) is not None:
                raise RuntimeError(f"{forms}Keyword argument '{name}' cannot be specified")
    if wrapped is None:
        if args and not _is_data(args[0]):
            raise TypeError(f"{forms}Argument type not recognized: {type(args[0])}")
        return
    if args:
        raise RuntimeError(
            f"{forms}No positional arguments should be given when using 'wrap_storage'"
        )
    if not knows:
        _check_wrapping(forms, named)
    if not isinstance(wrapped, untyped):
        raise TypeError(
            f"{forms}Argument 'wrap_storage' must be UntypedStorage, but got {type(wrapped)}"
        )


def _check_wrapping(forms: str, named: dict[str, Any]) -> None:
    dtype = named.get("dtype")
    if dtype is None:
        raise RuntimeError(f"{forms}Argument 'dtype' must be specified")
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"{forms}Argument 'dtype' must be torch.dtype, not {type(dtype)}")
    if named.get("device") is not None:
        text = "Argument 'device' should not be specified when 'wrap_storage' is given"
        raise RuntimeError(f"{forms}{text}")
