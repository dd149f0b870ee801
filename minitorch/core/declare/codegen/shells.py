"""Shells: the public functions of composite operators, written out with the parameters of each.

A shell calls its composite at once; torch's parser checks the call only if that fails. A shell
costs 30 ns; one with `*args` and `**kwargs` cost 80.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.declare.codegen.assemble import define
from minitorch.core.declare.codegen.common import KINDS, Parameters, refusing, union_of
from minitorch.core.declare.codegen.folding import call, fold, fold_when
from minitorch.core.declare.wording.public import MISSING, UNSET, Public
from minitorch.core.declare.wording.signatures import refusal, signature, signatures_at
from minitorch.core.numbers.device import contiguous_format, preserve_format

_VARARGS, _VARKEYWORDS = 4, 8  # flags of code
_PLAIN = (True, False, None)
_NAMED = {id(preserve_format): "PRESERVE", id(UNSET): "UNSET"}


def shell(path: str, function: Callable[..., Any], into: Any = None) -> Callable[..., Any]:
    """The public function at `path` that calls another, assembled.

    into: the function that is called with `out` and the call to write results there; None if
        `function` takes out= itself, or not at all.
    """
    inner = unshelled(function)
    like = getattr(inner, "like", None) or _with_names(path, inner)
    code = like.__code__
    count = code.co_argcount
    places = code.co_varnames[:count]
    keywords = code.co_varnames[count : count + code.co_kwonlyargcount]
    gathered = code.co_varnames[count + code.co_kwonlyargcount :]
    numbers = gathered[0] if code.co_flags & _VARARGS else None
    takes_others = bool(code.co_flags & _VARKEYWORDS)
    last = like.__defaults__ or ()
    positional = dict(zip(places, (MISSING,) * (count - len(last)) + last, strict=True))
    own = {name: (like.__kwdefaults__ or {}).get(name, MISSING) for name in keywords}
    name = f"{path.replace('.', '_')}_shell"
    ASSEMBLED_GLOBALS[f"{name}_inner"], ASSEMBLED_GLOBALS[f"{name}_into"] = inner, into
    unset = _never_none(path, {**positional, **own})
    for each in unset:
        (positional if each in positional else own)[each] = UNSET
    values = {each: f"None if {each} is UNSET else {each}" for each in unset}
    long = [each for each in unset if 3 * len(each) > 60]
    before = [f"    value{i} = {values[each]}" for i, each in enumerate(long)]
    values |= {each: f"value{i}" for i, each in enumerate(long)}
    gathered_too = [f"*{numbers}"] if numbers else []
    given = [values.get(each, each) for each in (*places, *gathered_too)]
    named = own if into is None else {**own, "out": None}
    by_name = [f"{each}={values.get(each, each)}" for each in own] + ["**others"] * takes_others
    called = f"return {name}_inner("
    body = [*before, *fold("    ", call(called, [*given, *by_name]))]
    shown = _spelled(own)
    if numbers and own and "MISSING" not in shown.values():
        # Written out, as most are: without a dictionary of names, which takes 0.1 us.
        nothing_else = ["not others"] * takes_others
        alone = ("and", *[f"{each} is {text}" for each, text in shown.items()], *nothing_else)
        body = [*fold_when("    ", alone, call(called, given)), *body]
    if into is not None:
        handed = call("(", [call("(", given), call("dict(", by_name)])
        delivered = call(f"return {name}_into(", ["out", handed])
        body = [*fold_when("    ", "out is not None", delivered), *body]
    texts = [_spelled(names) for names in (positional, named)]
    held = [call("(", list(each)) for each in (positional, named)]
    rest = numbers or "rest"
    refused = call("refuse(", [f"{name}_public", held[0], rest, held[1], "others"])
    if "out" in named and not all(map(_takes_out, signatures_at(path) or ())):
        # Only some overloads have it: one that the other arguments do not fit may be accepted.
        body = [*fold_when("    ", "out is not None", refused), *body]
    bare = _bare_call(name, inner, {**texts[0], **texts[1]})
    body = [*_refused_numbers(path, count, numbers, refused), *bare, *body]
    defaults = {**positional, **named}
    kinds = {**_kinds(path, own if numbers else {}), **_united(path, [*places])}
    kinds = _checked_kinds(path, kinds, defaults)
    required = [each for each, value in defaults.items() if value is MISSING]
    required = [each for each in required if kinds.get(each, "Number") == "Number"]
    parameters = Parameters(*texts, numbers, tuple(required), kinds, takes_others)
    define(path, "\n".join(refusing(name, parameters, body)) + "\n")
    made = ASSEMBLED_GLOBALS[name]
    made.__defaults__, made.__kwdefaults__ = tuple(positional.values()), named
    ASSEMBLED_GLOBALS[f"{name}_public"] = Public(path, made, positional, named)
    return functools.wraps(inner)(made)


def _refused_numbers(path: str, count: int, numbers: str | None, refused: Any) -> list[str]:
    """The lines that refuse arguments of `*numbers`: too many, or not usable as a list.

    count: the number of parameters before them.
    numbers: the name of the parameter that gathers them, if there is one.
    """
    lines: list[str] = []
    if numbers is None:
        return lines
    if most := _most(path):
        spare = most - (count - path.startswith("Tensor."))
        lines.append(f"    if len({numbers}) > {spare}: raise Misfit")
    if _lists_alone(path, count):
        alone = ("and", numbers, f"type({numbers}[0]) not in LISTS")
        lines += fold_when("    ", alone, refused)
    return lines


def _spelled(defaults: dict[str, Any]) -> dict[str, str]:
    """The text of each default as the written function has it."""
    return {
        each: repr(value)
        if any([value is plain for plain in _PLAIN])
        else _NAMED.get(id(value), "MISSING")
        for each, value in defaults.items()
    }


def _checked_kinds(path: str, kinds: dict[str, str], defaults: dict[str, Any]) -> dict[str, str]:
    """The kinds that the written function checks, with "?" where None may be given as well."""
    nullable = _nullable(path)
    return {
        each: kind + "?" * (defaults[each] is UNSET and each in nullable)
        for each, kind in kinds.items()
        if each in defaults
        and (kind != "Tensor" or defaults[each] in (None, UNSET))
        and defaults[each] is not contiguous_format  # contiguous() checks that itself
    }


def _bare_call(name: str, inner: Any, texts: dict[str, str]) -> list[str]:
    """The line that calls the row if a call has only the first argument; "" without such a row.

    texts: the parameters, with their defaults.
    """
    bare = getattr(inner, "bare", None)
    if bare is None:
        return []
    ASSEMBLED_GLOBALS[f"{name}_bare"] = bare
    first, *others = texts
    alone = ("and", *[f"{each} is {texts[each]}" for each in others])
    return fold_when("    ", alone, f"return {name}_bare({first})")


def over(handed: Callable[..., Any]) -> Callable[[Any], Any]:
    """A decorator for a function that is Python in torch, and calls a C++ function whose parser
    refuses arguments: handed(arguments) returns the path of the C++ function, its positional
    arguments, and a dictionary of its keyword arguments.
    """

    def declare(function: Any) -> Any:
        if "<" in handed.__qualname__:  # Python's error for a missing argument names it
            handed.__qualname__ = function.__qualname__

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception:
                path, *given = handed(*args, **kwargs)
                named = given.pop() if given and type(given[-1]) is dict else {}
                refuse_handed(path, *given, **named)
                raise

        return called

    return declare


def refuse_handed(path: str, *args: Any, **kwargs: Any) -> None:
    """Raises the error of the C++ function's parser at `path`, if it refuses the call. For a
    function decorated by `over` that failed."""
    refused = refusal(path, args, kwargs)
    if refused is not None:
        raise refused from None


def as_list(tensors: tuple[Any, ...]) -> Any:
    """Tensors that are written out, or in a list, as the list that C++ takes."""
    one = len(tensors) == 1 and isinstance(tensors[0], (list, tuple))
    return tensors[0] if one else tensors


def _lists_alone(path: str, place: int) -> bool:
    """Whether only a list of ints fits a place, so that a method takes the ints written out."""
    found = [signature(text) for text in signatures_at(path) or ()]
    kinds = [read.positional[place] for read in found if len(read.positional) > place]
    listed = [each.type == "tuple of ints" and not each.single for each in kinds]
    return bool(listed) and all(listed) and not any([read.spread for read in found])


def _most(path: str) -> int:
    """The number of positional arguments; 0 if a list of ints may be written out."""
    found = [signature(text) for text in signatures_at(path) or ()]
    spread = any([read.spread for read in found])
    return 0 if spread else max([len(read.positional) for read in found], default=0)


def _takes_out(text: str) -> bool:
    """Whether a signature has out=; a deprecated (hidden) signature does not count."""
    read = signature(text)
    return read.hidden or any([each.name == "out" for each in read.parameters])


def _kinds(path: str, gathered: dict[str, Any]) -> dict[str, str]:
    """The parameters that must be of one kind in all of torch's signatures.

    gathered: the parameters that can be given only by name, because they may also be written out.
    """
    found: dict[str, set[str]] = {}
    for text in signatures_at(path) or ():
        read = signature(text)
        for each in read.parameters:
            written_out = read.spread and each.name not in gathered
            listed = each.type == "tuple of ints" and not (each.single or written_out)
            found.setdefault(each.name, set()).add("list of ints" if listed else each.type)
    for kinds in found.values():
        if "tuple of ints" in kinds or "int" in kinds:  # or one of them
            if "list of ints" in kinds:
                kinds.add("tuple of ints")
            kinds.discard("list of ints")
        if "tuple of ints" in kinds:
            kinds.discard("int")
    return {name: kind for name, (kind, *more) in found.items() if kind in KINDS and not more}


def _with_names(path: str, function: Any) -> Any:
    """A function with the parameters of a method's only signature, if the method takes `*args` and
    passes them on; else the method itself."""
    texts = signatures_at(path) or ()
    code = function.__code__
    gathers = code.co_flags & _VARARGS and code.co_flags & _VARKEYWORDS
    is_method = path.startswith("Tensor.")
    if not (gathers and is_method and code.co_argcount == 1 and len(texts) == 1):
        return function
    if code.co_kwonlyargcount:
        return function
    parts = [each.rpartition(" ")[2] for each in texts[0].replace(" = ", "=").split(", ")]
    if signature(texts[0]).spread or not all([p.endswith("=None") or "=" not in p for p in parts]):
        return function
    names: dict[str, Any] = {}
    exec(f"def like({', '.join([code.co_varnames[0], *parts])}): pass", names)
    return names["like"]


def _united(path: str, places: list[str]) -> dict[str, str]:
    """The parameters that may have several kinds: those of all torch's signatures, by the name of
    the parameter or by its place.

    places: the parameters that are given by place, with `self` of a method.
    """
    places = places[path.startswith("Tensor.") :]
    found: dict[str, set[str]] = {}
    for text in signatures_at(path) or ():
        read = signature(text)
        if read.spread:
            return {}
        named = [(each.name, each) for each in read.parameters]
        for own, each in [*named, *zip(places, read.positional, strict=False)]:
            listed = each.type == "tuple of ints" and not each.single
            found.setdefault(own, set()).add("list of ints" if listed else each.type)
    united = {own: union_of(kinds) for own, kinds in found.items() if len(kinds) > 1}
    return {own: kind for own, kind in united.items() if kind is not None}


def _never_none(path: str, defaults: dict[str, Any]) -> list[str]:
    """The parameters that are None if they are left out, and may not be None in torch."""
    read = [signature(text) for text in signatures_at(path) or ()]
    known = {each.name for one in read for each in one.parameters} - _nullable(path)
    return [each for each, value in defaults.items() if value is None and each in known]


def _nullable(path: str) -> set[str]:
    """The parameters that may be None in some signature."""
    read = [signature(text) for text in signatures_at(path) or ()]
    return {each.name for one in read for each in one.parameters if each.nullable}


def unshelled(function: Any) -> Any:
    """The function within all shells of a function; the function itself if it has none."""
    while is_shell(function):
        function = getattr(function, "inner", None) or function.__wrapped__
    return function


def is_shell(function: Any) -> bool:
    """Whether a wrapper is itself a shell; a wrapper around a shell is not."""
    return getattr(function, "shell", None) is function
