"""Signatures of what torch writes in C++, from the .pyi files in its wheel."""

import ast
import inspect
from functools import cache
from inspect import Parameter, Signature
from pathlib import Path

import torch

FOLDER = Path(torch.__file__).parent
FILES = {
    "torch": ("_C/_VariableFunctions.pyi", ""),
    "torch.Tensor": ("_C/__init__.pyi", "TensorBase"),
    "torch.Generator": ("_C/__init__.pyi", "Generator"),
    "torch.nn.functional": ("_C/_nn.pyi", ""),
}
# Written by hand in torch: they do not say which parameters go by name only,
BY_HAND = ("torch.nn.functional", "torch.tensor", "torch.Tensor.new_tensor", "torch.Tensor.new")
# or by place only, or under another name than there.
BY_PLACE = ("torch.nn.functional", "torch.set_num_threads", "torch.hsmm")


@cache
def stubs(owner: str) -> dict[str, list[Signature]]:
    """Returns the overloads of every function of a module or class, those in torch's own files."""
    if owner not in FILES:
        return {}
    name, inside = FILES[owner]
    body = ast.parse((FOLDER / name).read_text()).body
    if inside:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == inside)
    found: dict[str, list[Signature]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not _set_aside(node):
            full = f"{owner}.{node.name}"
            kind = Parameter.POSITIONAL_OR_KEYWORD
            if {owner, full} & set(BY_PLACE):
                kind = Parameter.POSITIONAL_ONLY
            optional = Parameter.KEYWORD_ONLY if {owner, full} & set(BY_HAND) else kind
            signature = _signature(node, bool(inside), kind, optional)
            found.setdefault(node.name, []).append(signature)
    return found


def _set_aside(node: ast.FunctionDef) -> bool:
    """Returns whether an overload is one that torch warns of, or one that only CUDA has.

    The former have a factor before the tensors: `add(self, alpha, other)`.
    """
    names = [argument.arg for argument in node.args.args]
    factors = {"alpha", "beta", "value"} & set(names[:-1])
    return bool(factors and "self" in names) or "out_dtype" in names


def _signature(node: ast.FunctionDef, method: bool, kind, optional) -> Signature:
    """Returns a definition's parameters; methods take no `out`, whatever the file says.

    kind, optional: how those without and with a default are given.
    """
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    bare = len(plain) - len(given.defaults)
    parameters = [_parameter(arg, kind, False) for arg in plain[:bare]]
    parameters += [_parameter(arg, optional, True) for arg in plain[bare:]]
    if given.vararg:
        parameters.append(_parameter(given.vararg, Parameter.VAR_POSITIONAL, False))
    for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if not (method and arg.arg == "out"):
            parameters.append(_parameter(arg, Parameter.KEYWORD_ONLY, default is not None))
    if given.kwarg:
        parameters.append(_parameter(given.kwarg, Parameter.VAR_KEYWORD, False))
    return Signature(parameters)


def _parameter(arg: ast.arg, kind, has_default: bool) -> Parameter:
    return Parameter(arg.arg, kind, default=None if has_default else Parameter.empty)


def made(function):
    """Returns a function that has its own parameters: minitorch's get them at their first call,
    or hand all on to another, whose they are."""
    given = getattr(function, "__kwdefaults__", None) or {}
    if "_become" in given:
        function = given["_become"]()
        given = function.__kwdefaults__ or {}
    return made(function.__wrapped__) if "_to" in given else function


def hands_on(signature: Signature) -> bool:
    """Returns whether a signature takes anything by place and by name."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    return {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD} <= kinds


def handed_on(own: Signature, overload: Signature) -> Signature:
    """Returns the arguments of an overload that a function hands on, if it names some of them.

    Those it takes by place go on by place, those by name only not at all.
    """
    kept = [
        each
        for each in overload.parameters.values()
        if each.name not in own.parameters
        or own.parameters[each.name].kind is not Parameter.KEYWORD_ONLY
    ]
    last = max((i for i, each in enumerate(kept) if each.name in own.parameters), default=-1)
    for i, each in enumerate(kept[: last + 1]):
        if each.kind is Parameter.POSITIONAL_OR_KEYWORD:
            kept[i] = each.replace(kind=Parameter.POSITIONAL_ONLY)
    return overload.replace(parameters=kept)


def takes(function, overload: Signature) -> str:
    """Returns why a function would not take an overload's arguments, by position or by name."""
    try:
        own = inspect.signature(made(function), follow_wrapped=False)  # what takes them
    except (TypeError, ValueError):
        return ""  # nothing is known of it
    inner = getattr(function, "__wrapped__", None)
    if inner is not None and hasattr(function, "shell"):  # it hands on all but out=
        listed = overload.parameters.values()
        return takes(inner, overload.replace(parameters=[x for x in listed if x.name != "out"]))
    if inner is not None and hands_on(own):
        return takes(inner, handed_on(own, overload))
    if hasattr(function, "row"):  # it names all, and takes any more to refuse them
        listed = own.parameters.values()
        own = own.replace(parameters=[x for x in listed if x.name not in ("rest", "others")])
    by_place, by_name = [], {}
    named: dict[str, None] | None = {}  # all of them by name, where that is possible
    for parameter in overload.parameters.values():
        match parameter.kind:
            case Parameter.POSITIONAL_ONLY:
                by_place.append(None)
                named = None
            case Parameter.VAR_POSITIONAL:
                by_place += [None, None]
                named = None
            case Parameter.POSITIONAL_OR_KEYWORD:
                by_place.append(None)
                if parameter.name in ("self", "cls"):
                    named = None
            case Parameter.KEYWORD_ONLY:
                by_name[parameter.name] = None
        if named is not None and parameter.kind is not Parameter.VAR_KEYWORD:
            named[parameter.name] = None
    try:
        own.bind(*by_place, **by_name)
        if named is not None:
            own.bind(**named)
    except TypeError as error:
        return str(error)
    return ""
