"""The schema of a Python function, from its annotations: torch.library.infer_schema."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

from minitorch._C._enumerations import Tag
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor

# Named as torch's alias of str in torch.distributed, which has no values of its own.
_GroupName = typing.NewType("GroupName", str)
_GroupName.__module__ = "torch.distributed.distributed_c10d"


def _sequences(kind: Any) -> list[Any]:
    each = (typing.Sequence, typing.List, collections.abc.Sequence, list)  # noqa: UP006
    return [origin[kind] for origin in each]


def _parameters() -> dict[Any, str]:
    """The annotations that torch accepts, in its order, and what a schema calls them."""
    found: dict[Any, str] = {}

    def add(kind: Any, name: str, sequences: str = "") -> None:
        maybe = typing.Optional[kind]  # noqa: UP045  (messages show this form)
        found.update({kind: name, maybe: f"{name}?"})
        inner = {"[]": kind, "?[]": maybe}
        for mark in sequences.split():
            if mark == "[]?":
                for each in _sequences(kind):
                    found[typing.Optional[each]] = f"{name}[]?"  # noqa: UP045
            else:
                found.update(dict.fromkeys(_sequences(inner[mark]), f"{name}{mark}"))

    add(Tensor, "Tensor", "[] ?[]")
    add(int, "SymInt", "[] []?")
    add(float, "float", "[] []?")
    add(bool, "bool", "[] []?")
    add(str, "str")
    add(int | float | bool, "Scalar", "[]")
    add(dtypes.dtype, "ScalarType")
    add(devices.device, "Device")
    add(_GroupName, "str")
    return found


_PARAMETERS = _parameters()
_RETURNS = {
    Tensor: "Tensor",
    typing.List[Tensor]: "Tensor[]",  # noqa: UP006
    list[Tensor]: "Tensor[]",
    int: "SymInt",
    float: "float",
    bool: "bool",
    int | float | bool: "Scalar",
}


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: Any,
    op_name: str | None = None,
    tags: Any = (),
) -> str:
    """The schema that the annotations of a function describe.

    Args:
        prototype_function: the function, each of whose parameters is annotated.
        mutates_args: the names of the tensors that it writes, or "unknown" for all.
        op_name: what the schema begins with.
        tags: one of torch.Tag, or several: `inplace` for a function that returns the first of its
            arguments, which it writes; `out` for one that returns those by name that it writes.

    Raises:
        ValueError: for what a schema cannot say.

    As torch.library.infer_schema.
    """
    listed = () if tags is None else (tags,) if isinstance(tags, Tag) else tuple(tags)
    if Tag.inplace in listed and Tag.out in listed:
        raise AssertionError("torch.Tag.inplace and torch.Tag.out are mutually exclusive")
    signature = inspect.signature(prototype_function)

    def refuse(text: str) -> typing.NoReturn:
        raise ValueError(f"infer_schema(func): {text} Got func with signature {signature})")

    written = _written(mutates_args)
    names = prototype_function.__globals__
    parts: list[str] = []
    for place, (name, each) in enumerate(signature.parameters.items()):
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if each.kind is each.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        if each.annotation is each.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        kind = _kind_of(each, names, refuse)
        if written == {"unknown"} and isinstance(mutates_args, str):
            writes = kind.startswith("Tensor")
        else:
            writes = name in written
        if writes and not kind.startswith("Tensor"):
            refuse(
                f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors "
                "can be mutated"
            )
        if writes:
            kind = f"Tensor(a{place}!){kind.removeprefix('Tensor')}"
        parts.append(f"{kind} {name}{_default(each, refuse)}")
    unknown = written - {*signature.parameters, "unknown"}
    if unknown:
        refuse(
            f"{unknown} in mutates_args were not found in the custom op's signature. "
            "mutates_args should contain the names of all args that the custom op mutates, or "
            "just the string 'unknown' if you don't know."
        )
    if Tag.out in listed:
        returned = _outs(signature, names, parts, refuse)
    else:
        returned = _returned(signature, names, refuse)
    if Tag.inplace in listed:
        returned = _first(returned, parts, mutates_args, refuse)
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"


def _first(
    returned: str, parts: list[str], mutates_args: Any, refuse: Callable[[str], typing.NoReturn]
) -> str:
    """The return type of a function that writes its first argument alone, and returns it."""
    tag = "torch.Tag.inplace requires"
    if not parts or parts[0] == "*":
        refuse(f"{tag} a positional Tensor argument.")
    kind, _, rest = parts[0].partition(" ")
    if kind not in ("Tensor", "Tensor(a0!)"):
        refuse(f"{tag} the first positional argument to be a Tensor.")
    if isinstance(mutates_args, str) or set(mutates_args) != {rest.partition("=")[0]}:
        given = mutates_args if isinstance(mutates_args, str) else tuple(mutates_args)
        refuse(f"{tag} mutates_args to contain exactly the first positional argument, got {given}.")
    if returned != "Tensor":
        refuse(f"{tag} the return annotation to be torch.Tensor.")
    return "Tensor(a0!)"


def _outs(
    signature: inspect.Signature,
    names: Any,
    parts: list[str],
    refuse: Callable[[str], typing.NoReturn],
) -> str:
    """The return type of a function that writes arguments by name, and returns those."""
    star = parts.index("*") if "*" in parts else len(parts)
    if any(["!" in part for part in parts[:star]]):
        refuse("torch.Tag.out requires mutable arguments to be keyword-only.")
    outs = [part.split(" ") for part in parts[star:] if "!" in part]
    kinds = [kind for kind, _ in outs]
    if any([not kind.endswith("!)") for kind in kinds]):
        refuse("torch.Tag.out only supports mutable keyword-only Tensor arguments.")
    if not kinds:
        refuse("torch.Tag.out requires at least one mutable keyword-only Tensor argument.")
    annotation = _evaluated(signature.return_annotation, names, refuse)
    several = typing.get_origin(annotation) is tuple
    if (typing.get_args(annotation) if several else (annotation,)) != (Tensor,) * len(kinds):
        refuse(
            "torch.Tag.out requires the return annotation to match the mutable keyword-only "
            f"Tensor arguments {tuple([name.partition('=')[0] for _, name in outs])}."
        )
    return kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"


def _evaluated(annotation: Any, names: Any, refuse: Callable[[str], typing.NoReturn]) -> Any:
    """An annotation with its strings read."""
    if isinstance(annotation, str):
        unsupported = f"Unsupported type annotation {annotation}. It is not a type."
        try:
            return eval(annotation, names)
        except NameError as error:
            refuse(
                f"{unsupported} ({error}). If you are using 'from __future__ import annotations', "
                "note that annotations are evaluated lazily as strings; make sure all types "
                "referenced in annotations are importable at module scope, not only inside a "
                "local function."
            )
        except Exception as error:
            refuse(f"{unsupported} ({type(error).__name__}: {error})")
    inner = typing.get_args(annotation)
    read = tuple([_evaluated(each, names, refuse) for each in inner])
    changed = any(new is not old for new, old in zip(read, inner))
    return types.GenericAlias(typing.get_origin(annotation), read) if changed else annotation


def _kind_of(parameter: Any, names: Any, refuse: Callable[[str], typing.NoReturn]) -> str:
    annotation = _evaluated(parameter.annotation, names, refuse)
    if _is_key(annotation, _PARAMETERS):
        return _PARAMETERS[annotation]
    text = f"Parameter {parameter.name} has unsupported type {parameter.annotation}. "
    valid = f"The valid types are: {_PARAMETERS.keys()}."
    if typing.get_origin(annotation) is not tuple:
        refuse(f"{text}{valid}")
    inner = typing.get_args(annotation)
    kinds = set(inner) - {Ellipsis}
    listed = list[typing.Union[tuple(inner)]] if len(kinds) > 1 else list[(*kinds,)]  # noqa: UP007
    example = f"For example, {listed}." if _is_key(listed, _PARAMETERS) else ""
    refuse(
        f"{text}We do not support Tuple inputs in schema. As a workaround, please try to use List "
        f"instead. {example}\n\n{valid}"
    )


def _is_key(annotation: Any, table: dict[Any, str]) -> bool:
    try:
        return annotation in table
    except TypeError:  # Annotated[int, []] has no hash
        return False


def _written(mutates_args: Any) -> set[str]:
    if isinstance(mutates_args, str):
        if mutates_args != "unknown":
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are "
                "mutated or the string 'unknown'. "
            )
        return {"unknown"}
    return set(typing.cast(Iterable[str], mutates_args))


def _default(parameter: Any, refuse: Callable[[str], typing.NoReturn]) -> str:
    value = parameter.default
    if value is parameter.empty:
        return ""
    if value is None or isinstance(value, (int, float, bool)):
        return f"={value}"
    if isinstance(value, str):
        return f'="{value}"'
    if isinstance(value, dtypes.dtype):
        return f"={str(value).removeprefix('torch.')}"
    if isinstance(value, devices.device):
        return f'="{value}"'
    refuse(
        f"Parameter {parameter.name} has an unsupported default value type {type(value)}. "
        "Please file an issue on GitHub so we can prioritize this."
    )


def _returned(signature: Any, names: Any, refuse: Callable[[str], typing.NoReturn]) -> str:
    annotation = _evaluated(signature.return_annotation, names, refuse)
    if annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    if annotation is None:
        return "()"
    several = typing.get_origin(annotation) is tuple
    parts = typing.get_args(annotation) if several else (annotation,)
    if not all(_is_key(each, _RETURNS) for each in parts):
        shown = _RETURNS
        refuse(f"Return has unsupported type {annotation}. The valid types are: {shown}.")
    text = ", ".join([_RETURNS[each] for each in parts])
    return f"({text})" if several else text
