"""Seeing the function transforms: vmap, grad, vjp, jvp, and those composed of them.

A transform computes with tensors whose numbers are not to be had before it ends. So a call of one
is a step of its own, with the tensors that it took and gave; what is inside of it is not seen.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from minitorch.study.libraries.library import Listener
from minitorch.study.libraries.swapping import Swap


class Transform(NamedTuple):
    """A function of the library that computes a transform.

    owner: the module or class that it is looked up in when it is called.
    attribute: its name there.  name: the transform's.
    makes: whether it computes nothing, and returns a function that does.
    """

    owner: Any
    attribute: str
    name: str
    makes: bool = False


def swaps(transforms: Iterable[Transform], listener: Callable[[], Listener | None]) -> list[Swap]:
    """Puts functions in the place of those of the library, which tell the listener of each call."""
    found = []
    for each in transforms:
        original = vars(each.owner)[each.attribute]
        seen = _maker if each.makes else _seen
        found.append(Swap(each.owner, each.attribute, seen(each.name, original, listener)))
    return found


def _seen(
    name: str, original: Callable[..., Any], listener: Callable[[], Listener | None]
) -> Callable[..., Any]:
    """A function that tells of its calls. Those among its results do so as well: that of vjp()
    computes the products."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        to = listener()
        if to is None or to.is_busy():
            return original(*args, **kwargs)
        result = to.call_transform(name, original, args, kwargs)
        if type(result) is not tuple or not any([_is_function(each) for each in result]):
            return result
        return tuple([_seen(f"{name}_fn", x, listener) if _is_function(x) else x for x in result])

    return call


def _is_function(thing: Any) -> bool:
    return type(thing) is type(_is_function)


def _maker(
    name: str, original: Callable[..., Any], listener: Callable[[], Listener | None]
) -> Callable[..., Any]:
    """A function that returns functions which tell of their calls."""

    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        return _seen(name, original(*args, **kwargs), listener)

    return make
