"""Overloads: torch's error for a call whose arguments fit none of a function's signatures.

A function is called at once; its signatures are checked only if it fails, so a call that fits pays
for no parsing. As torch/csrc/utils/python_arg_parser.cpp.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.calls import takes_numbers
from minitorch.core.declare.struct import Struct
from minitorch.core.hash_tables import in_table
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.closed import c_name
from minitorch.core.numbers.scalars import is_number, is_too_large
from minitorch.core.tables import table
from minitorch.core.tensor.generator import Generator
from minitorch.core.warning import warn_once

SPACES = ("fft", "linalg", "special")  # namespaces whose functions' names begin with theirs
# The keyword arguments at the end of nearly every factory's signature.
OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)


class Parameter(Struct):
    """One parameter: its type in torch's words, its name, whether it may be left out or be None.

    single: whether a single int may stand for a list of ints.
    symbolic: whether an int may be traced (a SymInt), so that more objects may stand for it.
    """

    type: str
    name: str
    optional: bool
    nullable: bool
    keyword_only: bool
    single: bool
    symbolic: bool


class Signature(Struct):
    """One signature, as torch prints it, and its parameters.

    hidden: whether it is deprecated, and not listed in errors.
    """

    text: str
    parameters: tuple[Parameter, ...]
    hidden: bool

    @functools.cached_property
    def least(self) -> int:
        """The number of arguments without a default."""
        return sum(not each.optional for each in self.parameters)

    @functools.cached_property
    def positional(self) -> list[Parameter]:
        return [each for each in self.parameters if not each.keyword_only]

    @functools.cached_property
    def spread(self) -> bool:
        """Whether its first parameter is a list of ints that may also be written out."""
        first = self.positional[:2]
        return len(first) == 1 and first[0].type == "tuple of ints"


@functools.cache
def _listed() -> dict[str, str]:
    """The signatures of torch's functions and methods, by name, each in one text."""
    text = table("aten/signatures.txt")
    return dict([line.partition("\t")[::2] for line in text.splitlines()])


# Second names of torch's functions -> the first names, which their errors have: see `alias`.
OTHERS: dict[str, str] = {}


def signatures_at(path: str) -> tuple[str, ...] | None:
    """The signatures of 'torch.add' or 'Tensor.add_' in torch's parser; empty for a function
    without arguments, None if the name is not listed."""
    text = _listed().get(OTHERS.get(path, path))
    return None if text is None else tuple(text.split("\t")) if text else ()


def is_listed(path: str) -> bool:
    """Whether torch's parser has the function at a path, such as 'torch.add' or 'Tensor.add_'."""
    return OTHERS.get(path, path) in _listed()


def names_below(owner: str) -> list[str]:
    """The names in torch's parser of an owner, 'torch' or 'Tensor'."""
    parts = [path.rpartition(".") for path in _listed()]
    return [name for of, _, name in parts if of == owner]


def refusal(path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """The error of torch's parser for a call of the function at `path`; None if it takes the call.

    args: without `self` if it is a method.
    """
    texts = signatures_at(path)
    if texts is None:
        return None
    name = OTHERS.get(path, path).partition(".")[2]
    if not texts:
        return for_no_arguments(path, args, kwargs)
    try:
        return mismatch(name, texts, args, kwargs)
    except TypeError as error:  # in the middle of a list
        return error


def by_deprecated_signature(
    path: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments by name of a call that fits only a deprecated signature, with one warning in a
    process; None if it fits no signature, or another one.

    As torch/csrc/utils/python_arg_parser.cpp, PythonArgParser::raw_parse.
    """
    name = path.partition(".")[2]
    read = [signature(text) for text in signatures_at(path) or ()]
    fitting = [each for each in read if complaint(name, each, args, kwargs) is None]
    if not fitting or not all([each.hidden for each in fitting]):
        return None
    better = "".join([f"\n\t{name}({each.text})" for each in read if not each.hidden])
    warn_once(
        f"This overload of {name} is deprecated:\n\t{name}({fitting[0].text})\n"
        f"Consider using one of the following signatures instead:{better}",
        "PythonArgParser::raw_parse",
    )
    names = [each.name for each in fitting[0].positional]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    return {"non_blocking" if name == "async" else name: each for name, each in given.items()}


def for_no_arguments(path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError | None:
    """CPython's error for a C function without parameters that got arguments."""
    shown = path.replace("Tensor.", "TensorBase.")
    if kwargs:
        return TypeError(f"{shown}() takes no keyword arguments")
    if args:
        return TypeError(f"{shown}() takes no arguments ({len(args)} given)")
    return None


def without_arguments(path: str) -> Callable[[Any], Any]:
    """Makes a function at `path` raise for arguments, as a C function without parameters does."""

    def declare(function: Any) -> Any:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if args or kwargs:
                raise for_no_arguments(path, args, kwargs)  # type: ignore[misc]
            return function()

        return called

    return declare


@functools.lru_cache(maxsize=512)
def signature(text: str) -> Signature:
    """Reads 'Tensor mean, float std = 1, *, torch.Generator generator = None'.

    A '?' after a type means that the value may be None, '[2]' that one number may stand for a list,
    '~' that an int may be traced; '!' in front of the text means that the signature is deprecated.
    """
    parameters = []
    shown = []
    keyword_only = False
    for part in text.lstrip("!").replace("OPTIONS", OPTIONS).split(", ") if text else ():
        if part == "*":
            keyword_only = True
            shown.append(part)
            continue
        head, _, default = part.replace(" = ", "=").partition("=")
        kind, name = head.rsplit(" ", 1)
        bare = kind.rstrip("?0123456[]~")
        nullable = default == "None" or kind[-1] == "?" or bare == "torch.Generator"
        single = "[" in kind
        symbolic = "~" in kind
        parameters.append(
            Parameter(bare, name, bool(default), nullable, keyword_only, single, symbolic)
        )
        shown.append(f"{bare} {name}{' = ' * bool(default)}{default}")
    return Signature(", ".join(shown), tuple(parameters), text.startswith("!"))


def of_method(text: str) -> str:
    """The signature of a method, from the signature of its function."""
    parts = [each for each in text.split(", ") if not each.endswith("out = None")]
    parts = parts[1:] if parts[0] == "Tensor input" else parts
    return ", ".join(parts[:-1] if parts[-1:] == ["*"] else parts)


def overloads(*texts: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function's errors list its signatures, which are given as torch prints them.

    A method's signatures leave out `self`.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        method = next(iter(function.__code__.co_varnames), "") == "self"

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (AttributeError, TypeError, ValueError):  # AttributeError: a value is no tensor
                error = mismatch(called.__name__, texts, args[1:] if method else args, kwargs)
                if error is not None:
                    raise error from None
                again = with_dtypes(args, kwargs)
                if again is None:
                    raise
            return function(*again[0], **again[1])

        called.signatures = texts  # type: ignore[attr-defined]
        called.shell = called  # type: ignore[attr-defined]
        return called

    return declare


def with_dtypes(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of a call with dtypes for Python's types; None if there are no such types."""
    values = [*args, *kwargs.values()]
    if not any([type(each) is type and each in dtypes.FROM_PYTHON for each in values]):
        return None
    values = [dtypes.FROM_PYTHON.get(v, v) if type(v) is type else v for v in values]
    return tuple(values[: len(args)]), dict(zip(kwargs, values[len(args) :], strict=True))


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
        i
        for i, each in enumerate(signatures)
        if each.least <= count <= len(each.parameters) and not each.hidden
    ]
    if len(signatures) == 1 or len(plausible) == 1:
        return TypeError(complaints[plausible[0] if plausible else 0])
    shown = [each.text for each in signatures if not each.hidden]
    head = f"{name}() received an invalid combination of arguments - got "
    if len(shown) == 1:
        which = _unknown(shown[0], kwargs)
        wrong, _ = ("", "") if which else _unmatched(shown[0], args, kwargs)
        if which:
            return TypeError(f"{head}unrecognized keyword arguments: {which}")
        return TypeError(f"{head}{wrong or f'({_given(args, kwargs)})'}, but expected ({shown[0]})")
    listed = ""
    for text in shown:
        wrong, which = _unmatched(text, args, kwargs)
        what = (
            f"keywords were incorrect: {which}"
            if which
            else f"arguments have invalid types: {wrong}"
        )
        listed += f" * ({text})\n"
        if which or wrong:
            listed += f"      didn't match because some of the {what}\n"
    return TypeError(f"{head}({_given(args, kwargs)}), but expected one of:\n{listed}")


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The types of a call's arguments."""
    names = [f"{key}={type_name(kwargs[key])}" for key in in_table(kwargs)]
    return ", ".join([*map(type_name, args), *names]) + ("" if args or not names else ", ")


def _unknown(text: str, kwargs: dict[str, Any]) -> str:
    """The keywords that are not among the last parameters of a signature, as many as there are."""
    names = [part.rpartition(" ")[2] for part in text.split(", ")]
    names = names[max(0, len(names) - len(kwargs)) :] if kwargs else []
    return ", ".join([key for key in in_table(kwargs) if key not in names])


def _unmatched(text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, str]:
    """The types of a call's arguments, marked where they do not match a signature with as many; or
    the unknown keywords, if there are such.
    As torch/csrc/utils/invalid_arguments.cpp, which takes a signature apart at its commas and
    compares names of types: no int is a Number, and '*' counts as a parameter.
    """
    parts = [part.rpartition(" ") for part in text.split(", ")]
    if len(parts) != len(args) + len(kwargs):
        return "", ""
    unknown = _unknown(text, kwargs)
    if unknown:
        return "", unknown
    shown = []
    for kind, value in zip([kind for kind, _, _ in parts], args, strict=False):
        shown.append(_marked(kind, value, ""))
    for kind, _, name in parts[len(args) :]:
        shown.append(_marked(kind, kwargs[name], f"{name}="))
    return f"({', '.join(shown)}{'' if args else ', '})", ""


_ALSO = {"float": ("float", "int"), "int": ("int",)}  # the types that fit a type, if not itself


def _marked(kind: str, value: Any, name: str) -> str:
    """`name` and the value's type, between exclamation marks if that is not `kind`."""
    found = described(value)
    if isinstance(value, (list, tuple)):  # lists within it are not described
        kinds = ", ".join(map(type_name, value))
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        both = "[]" if isinstance(value, list) else "()"
        found = f"{type(value).__name__} of {both[0]}{kinds}{comma}{both[1]}"
    return f"{name}{found}" if found in _ALSO.get(kind, (kind,)) else f"!{name}{found}!"


_NUMPY = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}


def complaint(
    name: str, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    """The sentence for a call that does not fit one signature; None if the call fits."""
    positional = signature.positional
    most, least = len(positional), signature.least
    if len(args) > most and not (signature.spread and _begins_list(args[0], signature)):
        return _too_many(name, least, most, len(args))
    stands_for_list = len(args) > most and signature.spread and takes_over(args[0])
    used: set[str] = set()
    lists: list[tuple[str, Any]] = []
    floats: list[tuple[str, Any]] = []
    too_large = False
    place = 0
    for i, each in enumerate(signature.parameters):
        given = place < len(args)
        if given and each.keyword_only:
            return _too_many(name, least, most, len(args))
        if given:
            value = args[place]
        else:
            keys = [key for key in (each.name, *_NUMPY.get(each.name, ())) if key in kwargs]
            if not keys and each.optional:
                continue
            if not keys:
                return _missing_after(name, signature, i)
            value = kwargs[keys[0]]
            used.add(keys[0])
        place += given
        if value is None and each.nullable:
            continue
        if not _fits(name, value, each, i):
            if given and place == 1 and signature.spread and _is_int(value):
                lists.append((each.name, args))
                place = len(args)
                continue
            return _of_another_type(name, each, value, place if given else 0)
        if each.type == "tuple of ints" and type(value) in (list, tuple):
            lists.append((each.name, value))
        if each.type == "tuple of floats":
            floats.append((each.name, value))
        too_large |= each.type == "Number" and is_too_large(value)
    if place < len(args) and not stands_for_list:  # after a list that may be written out
        return _too_many(name, least, most, len(args))
    if not used.issuperset(kwargs):
        return _unused_keyword(name, signature, kwargs, len(args))
    _check_elements(name, lists, floats)
    if too_large:
        raise TypeError("an integer is required")
    return None


def _missing_after(name: str, signature: Signature, first: int) -> str:
    """The sentence for parameters from place `first` on that a call does not give."""
    left = [f'"{one.name}"' for one in signature.parameters[first:] if not one.optional]
    plural = "s" if len(left) == 1 else ""  # sic
    return f"{name}() missing {len(left)} required positional argument{plural}: {', '.join(left)}"


def _of_another_type(name: str, parameter: Parameter, value: Any, position: int) -> str:
    """The sentence for an argument that does not fit; `position` counts from 1, 0 is by name."""
    where = f" (position {position})" if position else ""
    found = f"not {type_name(value)}"
    if position and parameter.type == "tuple of ints" and type(value) in (list, tuple):
        found = f"but found element of type {type_name(value[0])} at pos 0"
    return f"{name}(): argument '{parameter.name}'{where} must be {parameter.type}, {found}"


def _unused_keyword(
    name: str, signature: Signature, kwargs: dict[str, Any], positional: int
) -> str:
    """The sentence for keywords of which at least one is not taken.

    It names the first whose parameter is given already, or which is no parameter's name: that may
    be one of NumPy's, though it is taken.
    """
    names = [each.name for each in signature.parameters]
    for key in kwargs:
        if key not in names:
            return f"{name}() got an unexpected keyword argument '{key}'"
        if names.index(key) < positional:
            return f"{name}() got multiple values for argument '{key}'"
    return "invalid keyword arguments"


def _check_elements(name: str, lists: list[tuple[str, Any]], floats: list[tuple[str, Any]]) -> None:
    """Raises TypeError for the first element of a list that is of another type.

    To choose a signature, torch checks only the first element.
    """
    for argument, value in lists:
        for i, each in enumerate(value):
            if not (_is_int(each) or type(each) is bool or takes_over(each)):
                raise TypeError(
                    f"{name}(): argument '{argument}' failed to unpack the object at pos {i + 1} "
                    f'with error "type must be tuple of ints,but got {type_name(each)}"'
                )
    for argument, value in floats:
        for i, each in enumerate(value):
            if not _reads_as_float(each):
                raise TypeError(
                    f"{name}(): argument '{argument}' must be tuple of floats, but found element "
                    f"of type {type_name(each)} at pos {i + 1}"
                )


def parameters_given(
    signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[int | str, Parameter]]:
    """The place or name of each argument of a call that fits a signature, with its parameter."""
    found: list[tuple[int | str, Parameter]] = []
    positional = signature.positional
    written_out = signature.spread and len(args) > 1 and len(args) > len(positional)
    for place in range(len(args)):
        found.append((place, positional[0 if written_out else place]))
    for each in signature.parameters:
        for key in (each.name, *_NUMPY.get(each.name, ())):
            if key in kwargs:
                found.append((key, each))
    return found


def _too_many(name: str, least: int, most: int, given: int) -> str:
    if least != most:
        return f"{name}() takes from {least} to {most} positional arguments but {given} were given"
    plural, were = "s" if most != 1 else "", "was" if given == 1 else "were"
    return f"{name}() takes {most} positional argument{plural} but {given} {were} given"


def _fits(name: str, value: Any, parameter: Parameter, place: int) -> bool:
    """Whether a value may be a parameter of the function `name`.

    TypeError at once for a list of tensors with another element.
    """
    kind = parameter.type
    if takes_over(value):  # its __torch_function__ takes the call over, whatever the parameter is
        return True
    fits = _is_plain_int(value) if kind == "int" and not parameter.symbolic else FITS[kind](value)
    if parameter.single and kind == "tuple of ints":
        fits = fits or _is_int(value)
    if kind == "Tensor" and not fits:
        also = takes_numbers(name) and is_number(value)
        return also or hasattr(type(value), "__torch_function__")
    if fits and kind == "tuple of Tensors":
        for i, each in enumerate(value):
            if each is None and parameter.single:  # 'tuple of Tensors[0]': some may be missing
                continue
            if not isinstance(each, TensorBase) and not hasattr(type(each), "__torch_function__"):
                raise TypeError(
                    f"expected Tensor as element {i} in argument {place}, but got {type_name(each)}"
                )
    return fits


# The modules of classes that are C++ in torch, or are named as such: torch._C.Generator, and
# torch.storage.UntypedStorage.
_IN_CPP = ("torch._C", "torch.storage", "minitorch._C", "minitorch.core", "minitorch.storage")


def type_name(value: Any) -> str:
    """A value's type as torch's messages print it."""
    if isinstance(value, TensorBase):
        return "Parameter" if getattr(value, "_is_param", False) else "Tensor"
    kind = type(value)
    in_torch = kind.__module__ in ("torch", "minitorch") or kind.__module__.startswith(_IN_CPP)
    return _qualified(kind) if in_torch else c_name(kind)


def described(value: Any) -> str:
    """`type_name` with the types of the elements of a list or tuple: 'list of [int, str]'."""
    if isinstance(value, (list, tuple)) and value:
        kinds = ", ".join([described(each) for each in value])
        if isinstance(value, list):
            return f"{type(value).__name__} of [{kinds}]"
        return f"{type(value).__name__} of ({kinds}{',' if len(value) == 1 else ''})"
    return type_name(value)


def _qualified(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def takes_over(value: Any) -> bool:
    """Whether a value that is no Tensor has a __torch_function__, which takes calls over."""
    found = getattr(type(value), "__torch_function__", None)
    return found is not None and not isinstance(value, TensorBase)


def as_bool(value: Any) -> Any:
    """A value given as a bool. It is False for a value that takes calls over, since torch's parser
    accepts such a value for any parameter and compares it with True."""
    return False if takes_over(value) else value


def _begins_list(value: Any, signature: Signature) -> bool:
    """Whether a first argument, with others after it, can begin a list that is written out."""
    return _is_int(value) or (len(signature.parameters) == 1 and takes_over(value))


def _is_python_int(value: Any) -> bool:
    return isinstance(value, (int, numpy.integer)) and not isinstance(value, bool)


def _is_plain_int(value: Any) -> bool:
    """Whether a value is an int that is not traced; a tensor without dimensions may be one."""
    if isinstance(value, TensorBase):
        return value._array.ndim == 0 and value._array.dtype.kind in "iu"
    return _is_python_int(value)


def _is_int(value: Any) -> bool:
    if isinstance(value, TensorBase):
        return value._array.size == 1 and value._array.dtype.kind in "iub"
    if isinstance(value, numpy.ndarray) and (value.ndim or value.dtype.kind not in "iu"):
        return False
    return hasattr(value, "__index__") and not isinstance(value, (bool, numpy.bool_))


def _is_number(value: Any) -> bool:
    if isinstance(value, TensorBase):
        return value._array.ndim == 0 and not value.requires_grad  # type: ignore[attr-defined]
    return isinstance(value, (int, float, complex, numpy.number, numpy.bool_))


def _is_float(value: Any) -> bool:
    """Whether a value is a real number; NumPy's complex ones count as such."""
    return _is_number(value) and type(value) is not complex


def _reads_as_float(value: Any) -> bool:
    """Whether CPython converts a value, which is no text, to a float."""
    if isinstance(value, TensorBase):
        return value._array.size == 1 and value._array.dtype.kind != "c"
    if isinstance(value, (str, bytes, complex)):
        return False
    if isinstance(value, (numpy.number, numpy.bool_)) or takes_over(value):
        return True
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _begins_floats(value: Any) -> bool:
    """Whether a value may be the first of a list of floats; other elements are not checked."""
    return (_is_number(value) and not isinstance(value, TensorBase)) or takes_over(value)


def _is_shape(value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    return not value or _is_int(value[0]) or takes_over(value[0])


def _is_generator(value: Any) -> bool:
    return isinstance(value, Generator)


def _is_storage(value: Any) -> bool:
    from minitorch.core.tensor.storage import TypedStorage, UntypedStorage  # start-up: 2 ms

    return isinstance(value, (TypedStorage, UntypedStorage))


FITS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, TensorBase),
    "Number": _is_number,
    "int": _is_int,
    "float": _is_float,
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, (str, bytes)),
    "tuple of ints": _is_shape,
    "tuple of floats": lambda value: (
        isinstance(value, (list, tuple)) and (not value or _begins_floats(value[0]))
    ),
    "tuple of Scalars": lambda value: (
        isinstance(value, (list, tuple))
        and all([_is_number(each) and not isinstance(each, TensorBase) for each in value])
    ),
    "tuple of Tensors": lambda value: isinstance(value, (list, tuple)),
    "torch.dtype": lambda value: (
        isinstance(value, dtypes.dtype) or (type(value) is type and value in dtypes.FROM_PYTHON)
    ),
    "torch.layout": lambda value: isinstance(value, devices.layout),
    "torch.device": lambda value: (
        isinstance(value, (str, bytes, devices.device)) or _is_python_int(value)
    ),
    "torch.memory_format": lambda value: isinstance(value, devices.memory_format),
    "torch.Generator": _is_generator,
    "torch.Storage": _is_storage,
    "torch.Stream": lambda value: True,
    "object": lambda value: True,
}
