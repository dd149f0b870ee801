"""torch.fx.immutable_collections: the lists and dicts that stand in the arguments of a Node."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from minitorch.utils import _pytree

__all__ = ["immutable_dict", "immutable_list"]

_Element = TypeVar("_Element")
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_ADVICE = """If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args"""


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_ADVICE}")


class immutable_list(list[_Element]):
    """A list that cannot be changed: a Node would not learn of it. TypeError for each attempt."""

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse  # type: ignore[assignment]
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse  # type: ignore

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


class immutable_dict(dict[_Key, _Value]):
    """A dict that cannot be changed: a Node would not learn of it. TypeError for each attempt."""

    __delitem__ = __ior__ = __setitem__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return type(self), (tuple(self.items()),)


if hasattr(_pytree, "register_pytree_node"):
    _pytree.register_pytree_node(
        immutable_list,
        lambda given: (list(given), None),
        lambda values, context: immutable_list(values),
        serialized_type_name="torch.fx.immutable_collections.immutable_list",
    )
    _pytree.register_pytree_node(
        immutable_dict,
        lambda given: (list(given.values()), list(given)),
        lambda values, context: immutable_dict(zip(context, values)),
        serialized_type_name="torch.fx.immutable_collections.immutable_dict",
    )
