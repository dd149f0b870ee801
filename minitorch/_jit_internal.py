"""torch._jit_internal: marks on functions that a compiler of programs reads, and tests of types.

Nothing is compiled here, so that a mark is only kept for programs that ask for it.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import contextlib
import enum
import inspect
import textwrap
import types
import typing
import warnings
import weakref
from collections.abc import Callable
from typing import Any, Final, TypeVar, Union, get_args, get_origin

from minitorch.futures import Future

_Function = TypeVar("_Function")
BuiltinUnionType = types.UnionType
boolean_dispatched: weakref.WeakKeyDictionary[Callable[..., Any], dict[str, Any]] = (
    weakref.WeakKeyDictionary()
)


class BroadcastingListCls:
    """Stands in annotations for a list of ints, or one int for all of them."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingListCls()
BroadcastingList2 = BroadcastingList3 = BroadcastingList4 = BroadcastingList1
BroadcastingList5 = BroadcastingList6 = BroadcastingList1


def is_scripting() -> bool:
    """Whether this runs in a script: never."""
    return False


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str | None,
    func_name: str | None,
) -> Callable[..., Any]:
    """A function that calls one of two others, as one of its arguments says.

    Args:
        arg_name, arg_index: the name and the place of that argument
        default: its value where it is not given
        if_true, if_false: the functions; one of them at most has a docstring, which both get
        module_name, func_name: what the result says of itself

    Raises: RuntimeError if both have a docstring.
    """

    def fn(*args: Any, **kwargs: Any) -> Any:
        given = args[arg_index] if arg_index < len(args) else default
        return (if_true if kwargs.get(arg_name, given) else if_false)(*args, **kwargs)

    if if_true.__doc__ is not None and if_false.__doc__ is not None:
        raise RuntimeError("only one function can have a docstring")
    fn.__doc__ = if_true.__doc__ = if_false.__doc__ = if_true.__doc__ or if_false.__doc__
    fn.__module__ = module_name or fn.__module__
    fn.__name__ = func_name or fn.__name__
    boolean_dispatched[fn] = {
        "if_true": if_true,
        "if_false": if_false,
        "index": arg_index,
        "default": default,
        "arg_name": arg_name,
    }
    return fn


def _try_get_dispatched_fn(fn: Any) -> dict[str, Any] | None:
    return boolean_dispatched.get(fn) if callable(fn) else None


# ---- marks


class FunctionModifiers:
    """The marks that tell a compiler how to treat a function."""

    UNUSED = "unused (ignored and replaced with raising of an exception)"
    IGNORE = "ignore (leave as a call to Python, cannot be torch.jit.save'd)"
    EXPORT = "export (compile this function even if nothing calls it)"
    DEFAULT = "default (compile if called from an exported function / forward)"
    COPY_TO_SCRIPT_WRAPPER = (
        "if this method is not scripted, copy the python method onto the scripted model"
    )
    _DROP = "_drop (function is fully ignored, declaration can be unscriptable)"


def _marked(fn: Any, modifier: str) -> Any:
    fn._torchscript_modifier = modifier
    return fn


def export(fn: _Function) -> _Function:
    """`fn`, marked as one to be compiled even if nothing calls it."""
    return _marked(fn, FunctionModifiers.EXPORT)


def unused(fn: _Function) -> _Function:
    """`fn`, a function or a property, marked as one that a compiled program never calls."""
    for each in (fn.fget, fn.fset) if isinstance(fn, property) else (fn,):
        if each is not None:
            _marked(each, FunctionModifiers.UNUSED)
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A function marked as one to be called as it is, or a decorator that marks so.

    Args:
        drop: the function, or whether the decorator marks as `unused` does, which is deprecated
        drop_on_export: deprecated, as `drop`

    Raises: RuntimeError for another argument.
    """
    if callable(drop):
        return _marked(drop, FunctionModifiers.IGNORE)
    if not isinstance(drop, bool):
        raise RuntimeError(
            f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}"
        )
    spelling = "ignore(True)" if drop else ""
    if kwargs.pop("drop_on_export", None):
        drop, spelling = True, "ignore(drop_on_export=True)"
    if spelling:
        warnings.warn(
            f"{spelling} has been deprecated. TorchScript will now drop the function call on "
            "compilation. Use torch.jit.unused now. {}",
            stacklevel=2,
            category=FutureWarning,
        )
    return lambda fn: _marked(fn, FunctionModifiers.UNUSED if drop else FunctionModifiers.IGNORE)


def _drop(fn: _Function) -> _Function:
    return _marked(fn, FunctionModifiers._DROP)


def _copy_to_script_wrapper(fn: _Function) -> _Function:
    return _marked(fn, FunctionModifiers.COPY_TO_SCRIPT_WRAPPER)


class _IgnoreContextManager(contextlib.AbstractContextManager[Any]):
    """A context that a compiler would leave to Python."""

    def __init__(self, **kwargs: Any) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass


def get_torchscript_modifier(fn: Any) -> str | None:
    """The mark of a function, the default one without any; None for what cannot be called."""
    if not callable(fn):
        return None
    fn = getattr(fn, "__func__", fn)
    return getattr(fn, "_torchscript_modifier", FunctionModifiers.DEFAULT)


def copy_torchscript_modifier(orig: Any, new: Any) -> None:
    """Gives a function another one's mark."""
    if (found := get_torchscript_modifier(orig)) is not None:
        _marked(new, found)


def should_drop(fn: Any) -> bool:
    """Whether a function is marked as unused, or to be dropped."""
    modifiers = (FunctionModifiers.UNUSED, FunctionModifiers._DROP)
    return get_torchscript_modifier(fn) in modifiers


def is_ignored_fn(fn: Any) -> bool:
    """Whether a function is marked as one that is not compiled."""
    return should_drop(fn) or get_torchscript_modifier(fn) == FunctionModifiers.IGNORE


def _is_drop_fn(fn: Any) -> bool:
    return get_torchscript_modifier(fn) == FunctionModifiers._DROP


def module_has_exports(mod: Any) -> bool:
    """Whether a method of a module is marked by `export`."""
    found = (getattr(mod, name, None) for name in dir(mod))
    return any(get_torchscript_modifier(each) == FunctionModifiers.EXPORT for each in found)


def is_static_fn(cls: type, fn: str) -> bool:
    """Whether a class has a static method of that name."""
    return isinstance(inspect.getattr_static(cls, fn, default=None), staticmethod)


def get_static_fn(cls: type, fn: str) -> Any:
    """The function of a static method."""
    return inspect.getattr_static(cls, fn).__func__


# ---- overloads

_overloaded_fns: dict[str, list[Callable[..., Any]]] = {}
_overloaded_methods: dict[str, dict[str, list[Callable[..., Any]]]] = {}
_OVERLOAD_EXAMPLE = """
Example usage of overload function:
@torch.jit._overload
def my_function(x: type0) -> type0: # decl 1
    pass

@torch.jit._overload
def my_function(x: type1) -> type1: # decl 2
    pass

def my_function(x):                 # implementation
    if isinstance(x, type0):
        return x
    elif isinstance(x, type1):
        return x
"""


def _qualified_name(obj: Any, mangle_name: bool = True) -> str:
    """The name of a function or class with its module, under '__torch__' if mangle_name."""
    if hasattr(obj, "_jit_override_qualname"):
        return obj._jit_override_qualname
    name = getattr(obj, "__name__", None) or (obj.name if isinstance(obj, enum.Enum) else None)
    if not name:
        raise RuntimeError("Could not get name of python class object")
    name = "_lambda" if name == "<lambda>" else name
    module = obj.__module__
    if module is None:
        raise RuntimeError(
            f"Could not get qualified name for class '{name}': __module__ can't be None."
        )
    if mangle_name:
        module = "__torch__" if module == "__main__" else f"__torch__.{module}"
    if "." in name:
        raise RuntimeError(
            f"Could not get qualified name for class '{name}': '{name}' is not a valid identifier"
        )
    return f"{module}.{name}"


def _check_overload_body(func: Any) -> None:
    """RuntimeError unless a declaration's body is `pass` or `...`."""
    try:
        source = textwrap.dedent(inspect.getsource(func))
        definition: Any = ast.parse(source).body[0]
    except (OSError, SyntaxError):
        warnings.warn(
            f"Unable to retrieve source for @torch.jit._overload function: {func}.", stacklevel=2
        )
        return
    body = getattr(definition, "body", [])
    if len(body) == 1 and ast.unparse(body[0]) in ("pass", "..."):
        return
    shown = "\n".join(source.split("\n")[:3])
    raise RuntimeError(
        f"Only `pass` statement or `...` can be the body of overload declaration:\n{shown} <- "
        f"Expecting `pass` or `...` here!\n{_OVERLOAD_EXAMPLE}"
    )


def _overload(func: _Function) -> _Function:
    """`func`, kept as a declaration of the function of its name."""
    _check_overload_body(func)
    _overloaded_fns.setdefault(_qualified_name(func), []).append(func)  # type: ignore[arg-type]
    return func


def _get_fn_overloads(qual_name: str) -> list[Callable[..., Any]] | None:
    return _overloaded_fns.get(qual_name)


def _clear_fn_overloads(qual_name: str) -> None:
    del _overloaded_fns[qual_name]


def _overload_method(func: _Function) -> _Function:
    """`func`, kept as a declaration of the method of its name."""
    _check_overload_body(func)
    owner = func.__qualname__.split(".")[-2]  # type: ignore[attr-defined]
    known = _overloaded_methods.setdefault(_qualified_name(func), {})
    known.setdefault(owner, []).append(func)  # type: ignore[arg-type]
    return func


def _get_overloaded_methods(method: Any, mod_class: type) -> list[Callable[..., Any]] | None:
    if not hasattr(method, "__name__"):
        return None
    return _overloaded_methods.get(_qualified_name(method), {}).get(mod_class.__name__)


# ---- types


def is_final(ann: Any) -> bool:
    """Whether an annotation is Final."""
    module = getattr(ann, "__module__", None)
    known = module in {"typing", "typing_extensions"}
    return known and (get_origin(ann) is Final or isinstance(ann, type(Final)))


def _is_container(ann: Any, bare: Any, kind: type) -> bool:
    if ann is bare:
        raise_error_container_parameter_missing(kind.__name__.capitalize())
    return getattr(ann, "__module__", None) in ("builtins", "typing") and get_origin(ann) is kind


def is_tuple(ann: Any) -> bool:
    """Whether an annotation is a tuple of types. RuntimeError for one without them."""
    return _is_container(ann, typing.Tuple, tuple)  # noqa: UP006


def is_list(ann: Any) -> bool:
    """Whether an annotation is a list of a type. RuntimeError for one without it."""
    return _is_container(ann, typing.List, list)  # noqa: UP006


def is_dict(ann: Any) -> bool:
    """Whether an annotation is a dict of types. RuntimeError for one without them."""
    return _is_container(ann, typing.Dict, dict)  # noqa: UP006


def is_union(ann: Any) -> bool:
    """Whether an annotation is a union. RuntimeError for one without types."""
    if ann is Union:
        raise_error_container_parameter_missing("Union")
    return isinstance(ann, BuiltinUnionType) or get_origin(ann) is Union


def is_optional(ann: Any) -> bool:
    """Whether an annotation is a union of a type and None. RuntimeError for one without it."""
    if ann is typing.Optional:
        raise_error_container_parameter_missing("Optional")
    return is_union(ann) and len(get_args(ann)) == 2 and type(None) in get_args(ann)


def is_future(ann: Any) -> bool:
    """Whether an annotation is a Future of a type. RuntimeError for one without it."""
    if ann is Future:
        raise RuntimeError(
            "Attempted to use Future without a contained type. Please add a contained type, e.g. "
            "Future[int]"
        )
    return get_origin(ann) is Future


def _is_exception(obj: Any) -> bool:
    return inspect.isclass(obj) and issubclass(obj, Exception)


def raise_error_container_parameter_missing(target_type: str) -> typing.NoReturn:
    """Raises RuntimeError: a container's type lacks the types of its members."""
    article, inner = ("", "int, int") if target_type.endswith("ict") else ("a ", "int")
    raise RuntimeError(
        f"Attempted to use {target_type} without {article}contained type{'s' * (not article)}. "
        f"Please add {'a ' * bool(article)}contained type, e.g. {target_type}[{inner}]"
    )


_BARE = {
    dict: "dict",
    list: "list",
    tuple: "tuple",
    typing.Dict: "Dict",  # noqa: UP006
    typing.List: "List",  # noqa: UP006
    typing.Optional: "Optional",
    typing.Tuple: "Tuple",  # noqa: UP006
}


def check_args_exist(target_type: Any) -> None:
    """Raises RuntimeError for a container's type without the types of its members."""
    if isinstance(target_type, collections.abc.Hashable) and target_type in _BARE:
        raise_error_container_parameter_missing(_BARE[target_type])


def check_empty_containers(obj: Any) -> None:
    """Warns of an empty container, which does not show the type of its elements."""
    if obj == [] or obj == {} or obj == ():
        warnings.warn(
            "The inner type of a container is lost when calling torch.jit.isinstance in eager "
            "mode. For example, List[int] would become list and therefore falsely return True for "
            "List[float] or List[str].",
            stacklevel=2,
        )


def _is_of(obj: Any, kind: Any) -> bool:
    return container_checker(obj, kind) if get_origin(kind) else builtins.isinstance(obj, kind)


def container_checker(obj: Any, target_type: Any) -> bool:
    """Whether an object, and its members, are of a container's type or of a union."""
    origin, inner = get_origin(target_type), get_args(target_type)
    check_args_exist(target_type)
    if origin in (Union, BuiltinUnionType):
        if obj is None:
            return True
        for each in inner:  # a container among them decides
            if get_origin(each):
                return container_checker(obj, each)
            if isinstance(obj, each):
                return True
        return False
    if origin not in (list, dict, tuple):
        return False
    check_empty_containers(obj)
    if not isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, inner[0]) and _is_of(v, inner[1]) for k, v in obj.items())
    if origin is tuple:
        return len(obj) == len(inner) and all(map(_is_of, obj, inner))
    return all(_is_of(each, inner[0]) for each in obj)


def _isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, or of one of a tuple of types, containers' included.

    RuntimeError for types in a list, and for a container's type without members.
    """
    if isinstance(target_type, collections.abc.Container):
        if not isinstance(target_type, tuple):
            raise RuntimeError(
                "The second argument to `torch.jit.isinstance` must be a type or a tuple of types"
            )
        return any(_isinstance(obj, each) for each in target_type)
    if get_origin(target_type):
        return container_checker(obj, target_type)
    check_args_exist(target_type)
    return isinstance(obj, target_type)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch._jit_internal.{name} is not implemented by minitorch")
