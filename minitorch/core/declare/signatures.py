"""Overloads: why the arguments of a call fit none of a function's signatures, in torch's words.

A function is called straight away; only when it fails are its signatures looked at, so that a call
that fits pays for no parsing. As torch/csrc/utils/python_arg_parser.cpp.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.declare.record import Record
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import TensorBase

# The keyword arguments at the end of nearly every factory's signature.
OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool pin_memory = False, bool requires_grad = False"
)


class Parameter(Record):
    """One parameter: its type in torch's words, its name, whether it may be left out or be None."""

    type: str
    name: str
    optional: bool
    nullable: bool
    keyword_only: bool


class Signature(Record):
    """One signature, as torch prints it, and its parameters."""

    text: str
    parameters: tuple[Parameter, ...]

    @property
    def least(self) -> int:
        """The number of arguments without a default."""
        return sum(not each.optional for each in self.parameters)

    @property
    def positional(self) -> list[Parameter]:
        return [each for each in self.parameters if not each.keyword_only]

    @property
    def spread(self) -> bool:
        """Whether its first parameter is a list of ints that may also be written out."""
        first = self.positional[:2]
        return len(first) == 1 and first[0].type == "tuple of ints"


@functools.lru_cache
def signature(text: str) -> Signature:
    """Reads 'Tensor mean, float std = 1, *, torch.Generator generator = None'."""
    parameters = []
    keyword_only = False
    for part in text.split(", ") if text else ():
        if part == "*":
            keyword_only = True
            continue
        head, _, default = part.partition(" = ")
        kind, name = head.rsplit(" ", 1)
        nullable = default == "None" or kind == "torch.Generator"
        parameters.append(Parameter(kind, name, bool(default), nullable, keyword_only))
    return Signature(text, tuple(parameters))


def overloads(*texts: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Lets a function's errors say which of its signatures, given as torch prints them, exist.

    A method's signatures leave out `self`.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        method = next(iter(function.__code__.co_varnames), "") == "self"

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (TypeError, ValueError):
                error = mismatch(called.__name__, texts, args[1:] if method else args, kwargs)
                if error is None:
                    raise
                raise error from None

        called.signatures = texts  # type: ignore[attr-defined]
        return called

    return declare


def mismatch(
    name: str, texts: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> TypeError | None:
    """The TypeError for a call that fits none of the signatures; None if it fits one."""
    signatures = [signature(text) for text in texts]
    complaints = []
    for each in signatures:
        found = complaint(name, each, args, kwargs)
        if found is None:
            return None
        complaints.append(found)
    count = len(args) + len(kwargs)
    plausible = [
        i for i, each in enumerate(signatures) if each.least <= count <= len(each.parameters)
    ]
    if len(signatures) == 1 or len(plausible) == 1:
        return TypeError(complaints[plausible[0] if plausible else 0])
    listed = "".join([f" * ({text})\n{_unmatched(text, args, kwargs)}" for text in texts])
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({_given(args, kwargs)}), "
        f"but expected one of:\n{listed}"
    )


_BUCKETS, _SEED = 13, 0xC70F6907  # of libstdc++'s std::unordered_map and std::hash
_FACTOR, _WORD = 0xC6A4A7935BD1E995, 2**64 - 1


def _bucket(name: str) -> int:
    """Where a table of up to 13 names keeps one: Appleby's MurmurHash64A, as std::hash has it."""
    text = name.encode()
    value = _SEED ^ len(text) * _FACTOR & _WORD
    for start in range(0, len(text), 8):
        word = int.from_bytes(text[start : start + 8], "little")
        if start + 8 <= len(text):
            word = word * _FACTOR & _WORD
            word = (word ^ word >> 47) * _FACTOR & _WORD
        value = (value ^ word) * _FACTOR & _WORD
    value = (value ^ value >> 47) * _FACTOR & _WORD
    return (value ^ value >> 47) % _BUCKETS


def in_table(names: Any) -> list[str]:
    """Names of keywords in the order of the hash table in which torch gathers them."""
    listed: list[str] = []
    buckets: list[int] = []
    for name in names:
        bucket = _bucket(name)  # a name goes before those of its bucket, or before all
        place = buckets.index(bucket) if bucket in buckets else 0
        listed.insert(place, name)
        buckets.insert(place, bucket)
    return listed


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The types of a call's arguments."""
    names = [f"{key}={type_name(kwargs[key])}" for key in in_table(kwargs)]
    return ", ".join([*map(type_name, args), *names]) + ("" if args or not names else ", ")


def _unmatched(text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The line that says which arguments do not match a signature that has as many.

    As torch/csrc/utils/invalid_arguments.cpp, which takes a signature apart at its commas and
    compares names of types: no int is a Number, and '*' counts as a parameter.
    """
    parts = [part.rpartition(" ") for part in text.split(", ")]
    if len(parts) != len(args) + len(kwargs):
        return ""
    head = "      didn't match because some of the "
    names = [name for _, _, name in parts[len(args) :]]
    unknown = [key for key in in_table(kwargs) if key not in names]
    if unknown:
        return f"{head}keywords were incorrect: {', '.join(unknown)}\n"
    shown = []
    for kind, value in zip([kind for kind, _, _ in parts], args, strict=False):
        shown.append(_marked(kind, value, ""))
    for kind, _, name in parts[len(args) :]:
        shown.append(_marked(kind, kwargs[name], f"{name}="))
    return f"{head}arguments have invalid types: ({', '.join(shown)})\n"


_ALSO = {"float": ("float", "int"), "int": ("int",)}  # the types that fit a type, if not itself


def _marked(kind: str, value: Any, name: str) -> str:
    """`name` and the value's type, between exclamation marks if that is not `kind`."""
    found = described(value)
    return f"{name}{found}" if found in _ALSO.get(kind, (kind,)) else f"!{name}{found}!"


def complaint(
    name: str, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    """What is wrong with a call of one signature; None if nothing is."""
    positional = signature.positional
    if (signature.spread and len(args) > 1) or (args and signature.spread and _is_int(args[0])):
        args = (args,)
    if len(args) > len(positional):
        needed = sum(not each.optional for each in positional)
        takes = f"from {needed} to {len(positional)}" if needed < len(positional) else f"{needed}"
        plural = "" if takes == "1" else "s"
        return f"{name}() takes {takes} positional argument{plural} but {len(args)} were given"
    given = dict(zip([each.name for each in positional], args, strict=False))
    missing = [
        f'"{each.name}"'
        for each in signature.parameters
        if not (each.optional or each.name in given or each.name in kwargs)
    ]
    if missing:
        plural = "s" if len(missing) == 1 else ""  # sic
        return (
            f"{name}() missing {len(missing)} required positional argument{plural}: "
            f"{', '.join(missing)}"
        )
    for i, each in enumerate(signature.parameters):
        if each.name not in given and each.name not in kwargs:
            continue
        value = given.get(each.name, kwargs.get(each.name))
        where = f" (position {i + 1})" if each.name in given else ""
        wrong = _misfit(value, each, i)
        if wrong is not None:
            return wrong.format(f"{name}(): argument '{each.name}'", where)
    for key in kwargs:
        if key in given:
            return f"{name}() got multiple values for argument '{key}'"
        if key not in [each.name for each in signature.parameters]:
            return f"{name}() got an unexpected keyword argument '{key}'"
    return None


def _misfit(value: Any, parameter: Parameter, place: int) -> str | None:
    """The complaint about one value, with places for the argument's name and position.

    TypeError at once for a list of tensors that holds something else.
    """
    if value is None and parameter.nullable:
        return None
    if not FITS[parameter.type](value):
        return f"{{0}}{{1}} must be {parameter.type}, not {type_name(value)}"
    if parameter.type == "tuple of Tensors":
        for i, each in enumerate(value):
            if not isinstance(each, TensorBase):
                raise TypeError(
                    f"expected Tensor as element {i} in argument {place}, but got {type_name(each)}"
                )
    if parameter.type == "tuple of ints":
        for i, each in enumerate(value):
            if not hasattr(each, "__index__"):
                return (
                    f"{{0}} failed to unpack the object at pos {i + 1} with error "
                    f'"type must be tuple of ints,but got {type_name(each)}"'
                )
    return None


def type_name(value: Any) -> str:
    """A value's type as torch's messages print it."""
    if isinstance(value, TensorBase):
        return "Parameter" if getattr(value, "_is_param", False) else "Tensor"
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else _qualified(kind)


def described(value: Any) -> str:
    """As `type_name`, with the types of what a list or tuple holds: 'list of [int, str]'."""
    if isinstance(value, (list, tuple)) and value:
        kinds = ", ".join([described(each) for each in value])
        if isinstance(value, list):
            return f"{type(value).__name__} of [{kinds}]"
        return f"{type(value).__name__} of ({kinds}{',' if len(value) == 1 else ''})"
    return type_name(value)


def _qualified(kind: type) -> str:
    return f"{kind.__module__.removesuffix('._C')}.{kind.__qualname__}"


def _is_int(value: Any) -> bool:
    if isinstance(value, TensorBase):
        return value._array.ndim == 0 and value._array.dtype.kind in "iu"
    return isinstance(value, (int, numpy.integer)) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    if isinstance(value, TensorBase):
        return value._array.ndim == 0 and not value.requires_grad  # type: ignore[attr-defined]
    return isinstance(value, (int, float, complex, numpy.number, numpy.bool_))


def _is_float(value: Any) -> bool:
    return _is_number(value) and not isinstance(value, (complex, numpy.complexfloating))


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and (not value or _is_int(value[0]))


def _is_generator(value: Any) -> bool:
    from minitorch.core.tensor.generator import Generator

    return isinstance(value, Generator)


def _is_storage(value: Any) -> bool:
    from minitorch.core.tensor.storage import TypedStorage, UntypedStorage

    return isinstance(value, (TypedStorage, UntypedStorage))


FITS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, TensorBase),
    "Number": _is_number,
    "int": _is_int,
    "float": _is_float,
    "bool": lambda value: isinstance(value, (bool, numpy.bool_)),
    "str": lambda value: isinstance(value, str),
    "tuple of ints": _is_shape,
    "tuple of floats": lambda value: (
        isinstance(value, (list, tuple)) and all(map(_is_float, value))
    ),
    "tuple of Scalars": lambda value: (
        isinstance(value, (list, tuple)) and all(map(_is_number, value))
    ),
    "tuple of Tensors": lambda value: isinstance(value, (list, tuple)),
    "torch.dtype": lambda value: isinstance(value, dtypes.dtype),
    "torch.layout": lambda value: isinstance(value, devices.layout),
    "torch.device": lambda value: isinstance(value, (str, int, devices.device)),
    "torch.memory_format": lambda value: isinstance(value, devices.memory_format),
    "torch.Generator": _is_generator,
    "torch.Storage": _is_storage,
    "object": lambda value: True,
}
