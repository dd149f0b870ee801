"""The names by which graphs call functions, types and values: those that torch has for them."""

from __future__ import annotations

import builtins
import inspect
import keyword
import re
import types
from collections.abc import Callable
from typing import Any

import minitorch
from minitorch._public.origins import place_of
from minitorch.core.declare.protocols.torch_function import _IN_CPP, is_in_python
from minitorch.core.declare.wording.signatures import is_listed
from minitorch.core.tensor.tensor import Tensor

# Operators of these namespaces bear its name in front of their own: fft_fft of torch.fft.
_PREFIXED = ("fft", "linalg", "special", "sparse")
_paths: dict[Any, str] = {}


def module_name(obj: Any) -> str | None:
    """The module that torch names for an object; None if the object names none."""
    found = getattr(obj, "__module__", None)
    if not isinstance(found, str):
        return None
    if found.partition(".")[0] in ("minitorch", "torch"):
        if isinstance(obj, types.FunctionType):
            return _home(obj)
        return found.removeprefix("mini")
    return found


def _home(function: Any) -> str:
    """The module in which torch has a function of this library."""
    try:
        return _paths[function]
    except KeyError:
        pass
    found = _paths[function] = _search(function)
    return found


def _search(function: Any) -> str:
    name = function.__name__
    if getattr(minitorch, name, None) is function:
        # What torch writes in Python says where; private functions are those of C++.
        place = None if name.startswith("_") else place_of(function)
        if place is not None and place[0] != "torch":
            return place[0]
        return "torch.functional" if is_in_python(name) else "torch"
    functional = minitorch.nn.functional
    if getattr(functional, name, None) is function:
        return "torch._C._nn" if name in _IN_CPP else "torch.nn.functional"
    if functional.logsigmoid is function:  # known by another name than its own
        return "torch._C._nn"
    prefix, _, rest = name.partition("_")
    if prefix in _PREFIXED and getattr(getattr(minitorch, prefix), rest, None) is function:
        return f"torch._C._{prefix}"
    return str(function.__module__.removeprefix("mini"))


def _find_module_of_method(orig_method: Callable[..., Any]) -> str:
    found = module_name(orig_method)
    if found is not None:
        return found
    for guess, path in ((minitorch, "torch"), (minitorch.nn.functional, "torch.nn.functional")):
        if getattr(guess, orig_method.__name__, None) is orig_method:
            return path
    raise RuntimeError(f"cannot find module for {orig_method}")


def is_from_torch(obj: Any) -> bool:
    """Whether code reaches an object through the name `torch`: not a method of Tensor that torch
    writes in C++, which has no module there."""
    if is_method_of_tensor(obj) and is_listed(f"Tensor.{obj.__name__}"):
        return False
    found = module_name(obj)
    return found is not None and (found == "torch" or found.startswith("torch."))


def is_method_of_tensor(func: Any) -> bool:
    """Whether a function is that of a method of Tensor."""
    name = getattr(func, "__name__", None)
    return isinstance(name, str) and vars(Tensor).get(name) is func


def _get_qualified_name(func: Callable[..., Any]) -> str:
    """The name by which generated code calls a function: 'torch.add', 'torch._C._nn.gelu'.

    RuntimeError for a lambda without source.
    """
    name = func.__name__
    if getattr(builtins, name, None) is func:
        return name
    if is_method_of_tensor(func):
        return f"torch.Tensor.{name}"
    if name == "<lambda>":
        try:
            name = inspect.getsource(func).split("=")[0].strip()
        except Exception as error:
            raise RuntimeError("Unable to represent lambda") from error
    module = _find_module_of_method(func).replace("torch._ops", "torch.ops")
    if module == "torch" and name == "segment_reduce":  # the name that torch exports it under
        name = "_segment_reduce"
    return f"{module}.{name}"


def _type_repr(obj: Any) -> str:
    """A type as annotations name it: 'torch.Tensor', 'typing.Optional[int]'."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        if obj.__module__ == "builtins":
            return obj.__qualname__
        return f"{module_name(obj)}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    return obj.__name__ if isinstance(obj, types.FunctionType) else repr(obj)


# ---- names of values


def _snake_case(text: str) -> str:
    """Text with an underscore before each capital that follows a small letter, all small."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", text).lower()


_BASE_AND_NUMBER = re.compile(r"([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?")
_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
# Names that mean something else already -> their meaning; the graph's code adds its own.
_illegal_names: dict[str, Any] = {each: object() for each in keyword.kwlist} | vars(builtins)


class _Namespace:
    """The names that values of a graph, or of its code, have."""

    def __init__(self) -> None:
        self._obj_to_name: dict[Any, str] = {}
        self._used_names: set[str] = set()
        self._base_count: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """The name of `obj`, from now on: the candidate, with a number if it is taken."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        match = _BASE_AND_NUMBER.fullmatch(candidate)
        if match is None:
            candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
            if candidate[0].isdigit():
                candidate = f"_{candidate}"
            match = _BASE_AND_NUMBER.fullmatch(candidate)
            assert match is not None
        base, digits = match.groups()
        if digits is None or candidate in self._used_names:
            number = self._base_count.get(base, 0)
            if _illegal_names.get(candidate, obj) is not obj:
                number += 1
                candidate = f"{base}_{number}"
        else:
            number = int(digits)
        while candidate in self._used_names:
            number += 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        self._base_count[base] = number
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Says whose name an existing one is."""
        if self._obj_to_name.setdefault(obj, name) is not name:
            raise AssertionError("obj is already associated")

    def _rename_object(self, obj: Any, name: str) -> None:
        if obj not in self._obj_to_name:
            raise AssertionError(f"Object {obj} is not in _obj_to_name")
        self._obj_to_name[obj] = name
        self._used_names.add(name)
