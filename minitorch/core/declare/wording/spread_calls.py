"""Calls that spread a list or a dictionary: their contents, found by the caller's bytecode.

`function(*args, **kwargs)` does not show which arguments are given by name; the spread variables
do, as long as the frame exists.
"""

from __future__ import annotations

from types import FrameType, MemberDescriptorType, MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dis import Instruction  # start-up: few calls fail


class Unknown(Exception):
    """The error for a spread argument that is neither a variable nor a constant."""


def spread_call(
    frame: FrameType, before: list[Instruction], has_names: bool
) -> tuple[tuple[Any, ...], tuple[str, ...]] | None:
    """The arguments by place, and the names of the others, of a call that spreads a list.

    before: the frame's instructions before the call.
    has_names: whether the call has a dictionary.

    Returns:
        None if some of it is neither a variable nor a constant.
    """
    left = [each for each in before if each.opname not in ("CACHE", "PUSH_NULL")]
    try:
        names = _names(frame, left) if has_names else ()
        return _places(frame, left), names
    except (Unknown, IndexError, KeyError, AttributeError):
        return None


def is_unbound(frame: FrameType, before: list[Instruction], count: int) -> bool:
    """Whether a method is called as a function: `Tensor.add(x, y)`, or `add(x, y)` by a variable.

    before: the frame's instructions before the call.
    count: the number of arguments of the call.
    """
    from dis import stack_effect  # start-up: few calls fail

    left = [each for each in before if each.opname != "CACHE"]
    while left and count > 0:
        last = left.pop()
        count -= stack_effect(last.opcode, last.arg, jump=False)
    left = [each for each in left if each.opname != "PUSH_NULL"]
    try:
        if left[-1].opname not in ("LOAD_METHOD", "LOAD_ATTR"):
            return not isinstance(_value(frame, left), MethodType)
        left.pop()
        return isinstance(_value(frame, left), type)
    except (Unknown, IndexError, KeyError, AttributeError):
        return False


def _names(frame: FrameType, left: list[Instruction]) -> tuple[str, ...]:
    """The keys of the dictionary that the last instructions make; removes these instructions."""
    if left[-1].opname.startswith("LOAD_"):
        return tuple(_value(frame, left))
    merged: list[str] = []
    while left[-1].opname == "DICT_MERGE":
        left.pop()
        merged = [*_value(frame, left), *merged]
    last = left.pop()
    if last.opname == "BUILD_MAP" and not last.arg:
        return tuple(merged)
    if last.opname == "BUILD_CONST_KEY_MAP":
        own = left.pop().argval
        for _ in own:
            _value(frame, left)
        return (*own, *merged)
    if last.opname != "BUILD_MAP":
        raise Unknown
    own = []
    for _ in range(last.arg or 0):
        _value(frame, left)
        own.append(_value(frame, left))
    return (*reversed(own), *merged)


def _places(frame: FrameType, left: list[Instruction]) -> tuple[Any, ...]:
    """The list that the last instructions make."""
    if left[-1].opname not in ("LIST_TO_TUPLE", "CALL_INTRINSIC_1"):
        return tuple(_value(frame, left))
    left.pop()
    ends: list[Any] = []
    while left[-1].opname in ("LIST_EXTEND", "LIST_APPEND"):
        several = left.pop().opname == "LIST_EXTEND"
        value = _value(frame, left)
        ends = [*value, *ends] if several else [value, *ends]
    last = left.pop()
    if last.opname != "BUILD_LIST":
        raise Unknown
    begins = [_value(frame, left) for _ in range(last.arg or 0)]
    return (*reversed(begins), *ends)


def _value(frame: FrameType, left: list[Instruction]) -> Any:
    """The value that the last instructions load: a constant, a variable, or an attribute of one."""
    last = left.pop()
    if last.opname == "LOAD_CONST":
        return last.argval
    if last.opname == "LOAD_ATTR":
        # Only attributes in objects: a property would run code of the program.
        return _own_attribute(_value(frame, left), last.argval)
    if last.opname in ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF", "LOAD_CLASSDEREF"):
        return frame.f_locals[last.argval]
    if last.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
        return {**frame.f_globals, **frame.f_locals}[last.argval]
    raise Unknown


def _own_attribute(owner: Any, name: str) -> Any:
    """The value of an object's attribute, in its dictionary or in a slot of its class."""
    slot = next((vars(kind)[name] for kind in type(owner).__mro__ if name in vars(kind)), None)
    if isinstance(slot, MemberDescriptorType):
        return slot.__get__(owner)
    if not hasattr(owner, "__dict__"):
        raise Unknown
    return vars(owner)[name]
