"""torch.utils.swap_tensors: two tensors get each other's contents and keep their identities.

What torch counts as uses of a tensor are references from C++: of graphs, views and gradients. Here
they are looked for among all references to it, which takes milliseconds.
"""

from __future__ import annotations

import copyreg
import gc
import weakref
from collections.abc import Iterator
from typing import Any, NoReturn

from minitorch.autograd.function_node import State
from minitorch.autograd.graph import get_gradient_edge
from minitorch.core.base.fields import TensorBase
from minitorch.core.graph.node import AccumulateGrad, Node, nodes_with_edge_to


def swap_tensors(t1: Any, t2: Any) -> None:
    """Gives two tensors each other's class, attributes, numbers, gradient and history.

    A graph that leads to one of them refuses to run from then on.

    Raises:
        RuntimeError: one has a weak reference to it, or is used by a graph, a view or as a
            gradient; or their classes have different slots.
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if not weakref.getweakrefs(tensor):
            continue
        if getattr(tensor, "_retains", False):  # its node holds it weakly, to give it its gradient
            raise RuntimeError(f"Expected no weakrefs to {name}'s Tensor object but got  1")
        raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    for each in (t1, t2):
        if not isinstance(each, TensorBase):
            raise AttributeError(f"'{type(each).__name__}' object has no attribute '_use_count'")
    slots = set(copyreg._slotnames(type(t1)))  # type: ignore[attr-defined]
    if slots != set(copyreg._slotnames(type(t2))):  # type: ignore[attr-defined]
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    ends = [_checked(t1, "t1"), _checked(t2, "t2")]
    leads = [nodes_with_edge_to(t1), nodes_with_edge_to(t2)]
    for name in ("__class__", "__dict__"):
        first, second = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, second)
        setattr(t2, name, first)
    for name in slots:
        _swap_slot(t1, t2, name)
    for (old, new), nodes, end in zip(((t1, t2), (t2, t1)), leads, ends, strict=True):
        for node in {id(each): each for each in nodes}.values():
            node.edges = tuple([_other(edge, old, new) for edge in node.edges])
        if end is not None:
            end.variable = new


def _swap_slot(t1: Any, t2: Any, name: str) -> None:
    held = [hasattr(each, name) for each in (t1, t2)]
    values = [getattr(each, name, None) for each in (t1, t2)]
    for each, is_there, value in ((t1, held[1], values[1]), (t2, held[0], values[0])):
        if is_there:
            setattr(each, name, value)
        elif hasattr(each, name):
            delattr(each, name)


def _other(edge: Any, old: Any, new: Any) -> Any:
    """An edge, which leads to the tensor that has the contents of `old` now."""
    if edge is old:
        return new
    return old if edge is new else edge


def _checked(tensor: Any, name: str) -> Any:
    """The end of the graphs at a tensor, which refuses to run; None if it is in no graph.

    Raises:
        RuntimeError: something else uses the tensor.
    """
    holders = _holders(tensor)
    is_in_graph = any(_leads(each, tensor) for each in holders)
    uses = 1 + is_in_graph + sum(_times_kept(each, tensor) for each in holders)
    if uses == 1:
        return None
    if uses == 2 and tensor.is_leaf:
        end = get_gradient_edge(tensor).node
        if is_in_graph:
            end.register_prehook(_refuse)
            return end
    raise RuntimeError(
        f"Expected use_count of {name} to be 1 or 2 with an AccumulateGrad node but got {uses} "
        "make sure you are not holding references to the tensor in other places."
    )


def _refuse(grad_outputs: Any) -> NoReturn:
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen "
        "when you try to run backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the "
        "device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and "
        "backward. To resolve this, please only change the device/dtype before running forward (or "
        "after both forward and backward)."
    )


# ---- who uses a tensor


def _holders(tensor: Any) -> list[Any]:
    """The nodes and tensors that hold a tensor, by themselves or in tuples and lists."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    objects = [tensor]
    while objects:
        referrers = gc.get_referrers(*objects)
        # Where its class has had attributes of many names, a holder has them in a dictionary.
        names = [each for each in referrers if type(each) is dict]
        owners = gc.get_referrers(*names) if names else []
        holders = [each for each in [*referrers, *owners] if _is_holder(each)]
        found.update({id(each): each for each in holders})
        inner = [each for each in referrers if type(each) in (tuple, list) and id(each) not in seen]
        seen.update(map(id, [*inner, objects, referrers, inner, names, owners, holders]))
        objects = inner
    return list(found.values())


def _is_holder(thing: Any) -> bool:
    return isinstance(thing, (Node, TensorBase, State))


def _leads(holder: Any, tensor: Any) -> bool:
    """Whether a node leads to a tensor, or is the end of its graphs, which a program holds."""
    if isinstance(holder, AccumulateGrad):
        return holder.variable is tensor
    return isinstance(holder, Node) and any(edge is tensor for edge in holder.edges)


def _times_kept(holder: Any, tensor: Any) -> int:
    """The times that a node keeps a tensor, or that a tensor has it as its base or gradient."""
    if isinstance(holder, TensorBase):
        view = holder._view
        return (view is not None and view[0] is tensor) + (holder._grad is tensor)
    slots = [getattr(holder, f"saved_{name}", None) for name in getattr(holder, "tensors", ())]
    if isinstance(holder, State):
        slots = [holder.saved]
    return sum(each is tensor for slot in slots for each in _kept(slot))


def _kept(saved: Any) -> Iterator[Any]:
    """The tensors in what a node keeps."""
    if type(saved) in (tuple, list):
        for each in saved:
            yield from _kept(each)
    else:
        yield saved
