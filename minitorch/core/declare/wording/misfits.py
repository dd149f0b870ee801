"""Calls that failed: torch's refusal, if its parser would have refused them, or another try.

A public function is called at once; the call is checked only if that fails. The values of its
parameters do not show how the call was written: `dim="a"` and `"a"` differ in torch's texts. The
caller's bytecode shows it, so a call that fits pays nothing for it.
"""

from __future__ import annotations

import bisect
import functools
import inspect
import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from minitorch.core.base.fields import TensorBase, tensor_class
from minitorch.core.base.modes import recording
from minitorch.core.declare.calls import calls_of
from minitorch.core.declare.wording.errors import check_self, no_kernel, raise_no_memory
from minitorch.core.declare.wording.out_rules import gradients_error
from minitorch.core.declare.wording.plain_numbers import fitting_signature, plain_arguments
from minitorch.core.declare.wording.public import MISSING, Misfit, Public
from minitorch.core.declare.wording.signatures import (
    by_deprecated_signature,
    mismatch,
    refusal,
    signatures_at,
    with_dtypes,
)
from minitorch.core.declare.wording.spread_calls import is_unbound, spread_call
from minitorch.core.graph.views import holds_leaf
from minitorch.core.numbers.dtype import dtype

if TYPE_CHECKING:
    from dis import Instruction  # start-up: few calls fail


NUMPY_NAMES = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}


class Again:
    """A call that is made again. If it fails as well, its frame shows which arguments are given by
    name, as a program's frame does."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs

    def __call__(self) -> Any:
        args, kwargs = self.args, self.kwargs
        return self.function(*args, **kwargs)


def refused_or_plain(
    public: Public, held: tuple[Any, ...], caller: FrameType
) -> Callable[[], Any] | None:
    """`refuse` of failures.py for a call that is made in the frame `caller`."""
    _check_self(public, held)
    args, kwargs = _as_written(public, held, None)
    # Finding how a call is written takes longer than most functions: calls that fit skip it.
    if _refusal(public, args, kwargs) is not None:
        args, kwargs = _unrefused(public, held, caller)
    again = _with_plain_numbers(public, args, kwargs)
    return None if again is None else Again(public.function, *again)


@functools.cache
def by_hand(name: str) -> Public:
    """The Public of a method of Tensor that is written by hand."""
    method = getattr(tensor_class(), name)
    parameters = inspect.signature(method).parameters.values()
    positional, named = (
        {
            each.name: MISSING if each.default is each.empty else each.default
            for each in parameters
            if each.kind is kind
        }
        for kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    )
    return Public(f"Tensor.{name}", method, positional, named)


def again(public: Public, held: tuple[Any, ...], caller: FrameType) -> Callable[[], Any] | None:
    """`failed` of failures.py for a call that is made in the frame `caller`."""
    if isinstance(sys.exc_info()[1], MemoryError):
        raise_no_memory(sys.exc_info()[1])
    _check_self(public, held)
    args, kwargs = _unrefused(public, held, caller)
    _, rest, _, others = held
    renamed = {
        NUMPY_NAMES.get(name, name) if name in others else name: value
        for name, value in kwargs.items()
    }
    other = with_dtypes(args, renamed) if _takes_dtypes(public) else None
    if other is None and renamed.keys() == kwargs.keys():
        if isinstance(sys.exc_info()[1], Misfit):
            own = args[: public.is_method]
            named = by_deprecated_signature(public.path, args[len(own) :], kwargs)
            if named is not None:
                return Again(public.function, own, named)
            placed = _placed(public, args[len(own) :], kwargs)
            if placed is not None:
                return Again(public.function, args, placed)
            if any([isinstance(each, dtype) for each in rest]) or "out_dtype" in others:
                out = kwargs.get("out")
                if isinstance(out, TensorBase) and recording() and holds_leaf(out):
                    raise gradients_error(f"aten::{public.name}") from None
                overload = "dtype" if out is None else "dtype_out"
                raise no_kernel(f"{public.name}.{overload}") from None  # of CUDA alone
            raise TypeError(_unfit(public, rest, others)) from None
        other = _with_plain_numbers(public, args, kwargs)
        if other is None:
            return None
    args, kwargs = other or (args, renamed)
    return Again(public.function, args, kwargs)


def _check_self(public: Public, held: tuple[Any, ...]) -> None:
    """Raises CPython's TypeError for a method of C++ that is called without a tensor."""
    if not public.is_method or calls_of(public.name).in_python:
        return
    given = next(iter(held[0]), MISSING)
    if given is MISSING:
        raise TypeError(f"unbound method TensorBase.{public.name}() needs an argument") from None
    check_self(public.name, given)


def _placed(public: Public, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The keyword arguments of a call that fits one of torch's signatures, under the names of the
    function's own parameters: a signature may name a parameter otherwise, as in
    `torch.pow(self=2, exponent=x)`. None if that changes nothing, or does not fit the function.

    args: without `self` if it is a method.
    """
    fitting = fitting_signature(public.name, signatures_at(public.path) or (), args, kwargs)
    if fitting is None:
        return None
    own = [*public.positional][public.is_method :]
    by_place = dict(zip([each.name for each in fitting.positional], own, strict=False))
    taken = {*own[: len(args)], *(kwargs.keys() & {*own, *public.named})}
    placed = {
        name if name in own or name in public.named else by_place.get(name, name): value
        for name, value in kwargs.items()
    }
    moved = placed.keys() - kwargs.keys()
    return (
        placed if moved and not moved & taken and placed.keys() <= {*own, *public.named} else None
    )


def _unrefused(
    public: Public, held: tuple[Any, ...], caller: FrameType
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    written = _written(caller, public, held[0][0] if held[0] else None)
    args, kwargs = _as_written(public, held, written)
    refused = _refusal(public, args, kwargs)
    if refused is None:
        return args, kwargs
    if written is None:  # spread arguments may have had names
        for count in reversed(range(public.is_method, len(public.positional))):
            args, kwargs = _as_written(public, held, _guessed(public, held, count))
            if _refusal(public, args, kwargs) is None:
                return args, kwargs
    raise refused from None


def _guessed(public: Public, held: tuple[Any, ...], count: int) -> tuple[int, tuple[str, ...]]:
    """The result of `_written` if `count` arguments were given by place and all others by name."""
    given, _, named, others = held
    defaults = [*public.positional.items()][count:] + [*public.named.items()]
    values = [*given[count:], *named]
    changed = [
        name for (name, default), x in zip(defaults, values, strict=True) if x is not default
    ]
    return count, (*changed, *others)


def _takes_dtypes(public: Public) -> bool:
    """Whether Python's types stand for dtypes: not if a parameter takes any object."""
    return not any(["object dtype" in text for text in signatures_at(public.path) or ()])


def _with_plain_numbers(
    public: Public, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of a call that fits with plain numbers; None if they are plain already."""
    texts = signatures_at(public.path)
    if texts is None and public.texts is not None:
        texts = public.texts()
    own = args[: public.is_method]
    made = plain_arguments(public.name, texts or (), args[len(own) :], kwargs)
    return None if made is None else ((*own, *made[0]), made[1])


def _parsed(public: Public, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """The error of torch's parser for a call without `self`; None if it takes the call."""
    if signatures_at(public.path) is not None:
        return refusal(public.path, args, kwargs)
    if public.texts is None:
        return None
    return mismatch(public.name, public.texts(), args, kwargs)


def _refusal(public: Public, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """The error of torch's parser for a call; None if it takes it."""
    if not public.is_method:
        return _parsed(public, args, kwargs)
    if not args or args[0] is MISSING:
        return TypeError(f"unbound method TensorBase.{public.name}() needs an argument")
    return _parsed(public, args[1:], kwargs)


def _unfit(public: Public, rest: tuple[Any, ...], others: dict[str, Any]) -> str:
    """Python's text for a call that does not fit the parameters."""
    if others:
        return f"{public.name}() got an unexpected keyword argument '{next(iter(others))}'"
    if rest:
        most = len(public.positional)
        return (
            f"{public.name}() takes {most} positional arguments but {most + len(rest)} were given"
        )
    return f"{public.name}() missing a required argument"


def _is_default(value: Any, default: Any) -> bool:
    """Whether a parameter holds its default; of a float and a tuple the function has a copy."""
    if value is default:
        return True
    return type(value) is type(default) and type(value) in (float, tuple) and value == default


def _as_written(
    public: Public, held: tuple[Any, ...], written: tuple[int, tuple[str, ...]] | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call's arguments by place and by name, as far as can be known."""
    given, rest, named, others = held
    names = list(public.positional)
    defaults = list(public.positional.values())
    changed = [not _is_default(*pair) for pair in zip(given, defaults, strict=True)]
    if written is None:  # a default in the middle ends what was given by place
        count = len(names) if rest or False not in changed else changed.index(False)
        by_name = {names[i] for i in range(count, len(names)) if changed[i]}
    else:
        count, by_name = written[0], set(written[1])
        least = [i + 1 for i in range(len(names)) if changed[i] and names[i] not in by_name]
        most = [i for i, name in enumerate(names) if name in by_name]
        count = min([max([count, *least]), *most[:1], len(names)])
    kwargs = {name: value for name, value in zip(names, given, strict=True) if name in by_name}
    for (name, default), value in zip(public.named.items(), named, strict=True):
        if value is not default or name in by_name:
            kwargs[name] = value
    kwargs |= others
    if written is not None:
        kwargs = {name: kwargs[name] for name in written[1] if name in kwargs}
    return (*given[:count], *rest), kwargs


# The instructions of codes whose calls failed last: programs fail again and again at one place, and
# finding the instructions takes 5 us each. The key is the id, as a code with a list among its
# constants has no hash; the codes are kept so that no other code gets the id.
_DISASSEMBLED: dict[int, tuple[CodeType, list[Instruction]]] = {}
_MOST_CODES = 16


def _instructions(code: CodeType) -> list[Instruction]:
    """The instructions of a code."""
    import dis  # start-up: few calls fail

    known = _DISASSEMBLED.get(id(code))
    if known is None:
        if len(_DISASSEMBLED) >= _MOST_CODES:
            _DISASSEMBLED.clear()
        known = _DISASSEMBLED[id(code)] = code, list(dis.get_instructions(code))
    return known[1]


def _written(
    frame: FrameType, public: Public, first: Any = None
) -> tuple[int, tuple[str, ...]] | None:
    """The least number of positional arguments in the current call of a frame, and the names of the
    others; None if it spreads a value that no variable holds.

    first: the function's first argument, which shows whether a list begins with `self`.
    """
    every = _instructions(frame.f_code)
    before = every[: bisect.bisect_right(every, frame.f_lasti, key=lambda each: each.offset)]
    while before and before[-1].opname == "CACHE":
        before.pop()
    call = before.pop() if before else None
    if call is not None and call.opname == "CALL_FUNCTION_EX":
        spread = spread_call(frame, before, bool(call.arg))
        if spread is not None:
            given, names = spread
            unbound = public.is_method and given and given[0] is first
            return len(given) + (public.is_method and not unbound), names
        known = {*public.positional, *public.named}
        names = _names_beside_list(before, known) if call.arg and before else ()
        return (0, names) if names else _handed_on(frame)
    if call is None or call.opname not in ("CALL", "CALL_KW"):
        return _handed_on(frame)
    if before and before[-1].opname == "PRECALL":  # of Python 3.11
        before.pop()
    last = before[-1] if before else None
    names = ()
    if last is not None and (last.opname == "KW_NAMES" or call.opname == "CALL_KW"):
        names = frame.f_code.co_consts[last.arg or 0]
    # A method's first argument stands before the point, unless it is called as a function.
    pushed = (call.arg or 0) + (call.opname == "CALL_KW")
    before_point = public.is_method and not is_unbound(frame, before, pushed)
    return (call.arg or 0) - len(names) + before_point, names


def _names_beside_list(before: list[Any], known: set[str]) -> tuple[str, ...]:
    """The keywords of a call that spreads a list, by the instructions before it; none if it spreads
    a dictionary as well."""
    last = before[-1]
    if last.opname == "BUILD_CONST_KEY_MAP":
        return tuple(before[-2].argval)
    if last.opname != "BUILD_MAP" or last.arg != 1:
        return ()
    texts = [each.argval for each in before if each.opname == "LOAD_CONST"]
    return next(((text,) for text in reversed(texts) if type(text) is str and text in known), ())


def _handed_on(frame: FrameType) -> tuple[int, tuple[str, ...]] | None:
    """The result of `_written` for a call that a function of this package passes on."""
    code = frame.f_code
    if not (code.co_filename.startswith(_PACKAGE) or os.path.dirname(code.co_filename) == ""):
        return None
    args, kwargs = [frame.f_locals.get(name) for name in ("args", "kwargs")]
    if type(args) is not tuple or type(kwargs) is not dict:
        return None
    before = code.co_argcount if code.co_flags & inspect.CO_VARARGS else 0  # self, in methods
    return before + len(args), tuple(kwargs)


_PACKAGE = __file__.removesuffix(os.path.join("core", "declare", "wording", "misfits.py"))
