"""Adding a gradient to a leaf's .grad, as AccumulateGrad does."""

from __future__ import annotations

import threading
from functools import lru_cache
from sys import getrefcount
from typing import Any

import numpy

from minitorch.core.arrays import NAMESPACES, layout, namespace, on_numpy
from minitorch.core.arrays.lazy import bits_of, lazy, raw_of, resolved
from minitorch.core.base.fields import LEAF, is_leaf, tensor, version_of
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import GRADIENT_KINDS, TAKEN_UP, grad_layout
from minitorch.core.graph.fit import SHAPES_CHANGED
from minitorch.core.graph.hooks import checked
from minitorch.core.graph.views import edge_of
from minitorch.core.numbers.device import contiguous_format
from minitorch.core.warning import warn_once


def _references(grad: Any) -> int:
    return getrefcount(grad)


def _unshared() -> tuple[int, int]:
    """How many references this Python counts to an object without other holders: to a gradient,
    which is the caller's local variable and a parameter; to its base, which the gradient and a
    local variable hold."""
    base = numpy.empty(1)
    grad = base[:]
    return _references(grad), getrefcount(base)


_UNSHARED, _UNSHARED_BASE = _unshared()

# Held by a thread while it adds: another thread may run a backward into the same leaf.
ADDING = threading.RLock()


def accumulate(leaf: Any, grad: Any, create_graph: bool, alone: bool | None = None) -> None:
    """Adds `grad` (an array, or a Tensor under create_graph) to `leaf.grad`.

    alone: whether nothing else references `grad`; None if that is to be counted here.

    A first gradient is kept as it is if nothing else references it and its strides are the leaf's;
    otherwise, and always under create_graph, it is copied. Later gradients are added in place, or
    out of place under create_graph.
    As torch/csrc/autograd/functions/accumulate_grad.h.
    """
    if leaf._edge is not LEAF:
        _check_leaf(leaf)
        return
    held = leaf._grad
    if create_graph:
        if held is not None:
            leaf._grad = held = held + grad
            _check_layout(held._array, leaf._array)
        else:
            leaf._grad = _copy_for(leaf, grad)
    elif held is None:
        x, base = leaf._array, grad.base
        held_alone = getrefcount(grad) <= _UNSHARED if alone is None else alone
        unshared = held_alone and (base is None or getrefcount(base) <= _UNSHARED_BASE)
        if unshared and grad.flags.c_contiguous and grad.strides == x.strides:
            leaf._grad = tensor(grad)  # the gradient of every parameter in training
        else:
            copied = not (held_alone and (_lies_alike(grad, x) or not grad_layout.get()))
            if copied and SHAPES_CHANGED and grad.shape != x.shape:
                grad = tensor(_empty_like(x, grad)).copy_(tensor(grad))._array
            elif copied:
                grad = _copy(grad, x)
            elif not unshared:
                # torch would share the memory, and with it strides and whether it is conjugated.
                raw = raw_of(grad)
                grad = lazy(_copy(raw, raw), *bits_of(grad))
            leaf._grad = tensor(grad)
            if copied and (x.flags.c_contiguous or layout.is_dense(x.shape, layout.strides_of(x))):
                version_of(leaf._grad)[0] = 1  # torch writes the copy into memory laid out before
    else:
        x = held._array
        if SHAPES_CHANGED:
            held.add_(tensor(grad))  # raises torch's error for gradients that do not fit
        else:
            x += grad  # the leaf's dtype may have changed since
            version_of(held)[0] += 1
        _check_layout(x, leaf._array)


def _check_leaf(self: Any) -> None:
    """Raises RuntimeError if the leaf has got a history since, not if it requires no grad now."""
    edge_of(self)
    if not is_leaf(self):
        raise RuntimeError("leaf variable has been moved into the graph interior")


def _in_rows(x: Any) -> bool:
    shape = x.shape
    return x.flags.c_contiguous and 1 not in shape and 0 not in shape


def plus(held: Any, grad: Any, grads: Any = (), holders: int = 0) -> Any:
    """The sum of two gradients, a fresh one; either may be None.

    grads: the gradients that a node returned, among them `grad`.
    holders: how many references to `held` the walk has if it alone holds it; 0 if others may.
        torch's engine adds in place to a gradient that it alone holds, so the sum keeps its
        strides.
    """
    if held is None or grad is None:
        return grad if held is None else held
    if type(held) is numpy.ndarray and _in_rows(held):
        return numpy.add(held, grad, out=...)
    xp = NAMESPACES.get(type(held))
    if xp is None and getattr(held, "is_sparse", False):
        return grad + held  # which may be dense
    if xp is None or _in_rows(held):  # a Tensor, or an array of a device
        return held + grad
    # NumPy would choose row-major order if the strides of the two differ.
    both = [(x.shape, layout.strides_of(x)) for x in (held, grad)]
    if xp is on_numpy:
        strides = _strides_of_sum(*both)
    else:
        strides = layout.elementwise_strides(held.shape, both)
    if holders and strides != both[0][1] and layout.is_dense(*both[0]) and own_memory(held, grad):
        given = sum([each is held for each in grads])
        if getrefcount(held) <= _UNSHARED + holders - 1 + given:
            strides = both[0][1]
    out = xp.empty_strided(held.shape, strides, held.dtype)
    return xp.add(held, grad, out=out)


@lru_cache(1024)
def _strides_of_sum(held: Any, grad: Any) -> layout.Shape:
    """The strides of the sum of two gradients of these shapes and strides. They are cached, since
    each step of training has the same ones: transposed weights of layers, and biases as rows."""
    return layout.elementwise_strides(held[0], [held, grad])


def own_memory(held: Any, grad: Any) -> bool:
    """Whether the array of a gradient is neither `grad` nor a view."""
    base = getattr(raw_of(held), "base", held)
    return held is not grad and (base is None or type(base) is on_numpy.Block)


def held_alone(held: Any, grad: Any, grads: Any) -> int:
    """1 if the caller alone holds the array of a gradient, apart from `grads`; else, or if it is a
    view, 0. `held` came from another node than `grads`, or from the same one beside `grad`.

    torch's engine writes a first sum into such a gradient, and makes a new one otherwise.
    """
    given = sum([each is held for each in grads])
    return int(own_memory(held, grad) and getrefcount(held) <= _UNSHARED + given)


def in_place_of(held: Any, total: Any) -> Any:
    """The sum `total` where the gradient `held` lies, if that fills its memory."""
    strides = held.strides
    if total.strides == strides or not layout.is_dense(held.shape, layout.strides_of(held)):
        return total
    held[...] = total
    return held


def count_writes(leaf: Any, grad: Any, writes: int) -> None:
    """Gives a leaf's .grad, if it is this array, the version that torch's sums leave."""
    if writes and leaf._grad is not None and leaf._grad._array is grad:
        version_of(leaf._grad)[0] = writes


def accumulate_tensor(leaf: Any, grad: Any, alone: bool) -> None:
    """Adds a Tensor to a leaf's .grad, outside of create_graph.

    alone: whether nothing else references the Tensor.
    """
    if TAKEN_UP:
        _accumulate_seen(leaf, grad, alone)
    else:
        _accumulate_dual(leaf, grad)


def _accumulate_dual(leaf: Any, grad: Any) -> None:
    """Adds a dual gradient to a leaf's .grad, outside of create_graph.

    Its tangent stays only if .grad existed before: torch adds in place then.
    """
    held = leaf._grad
    if held is None or held._array.dtype != grad._array.dtype:
        accumulate(leaf, resolved(grad._array), False)
        if held is None and leaf._grad is not None:
            leaf._grad._cell = None  # torch would have stolen it
    elif leaf._edge is not None:
        held.add_(grad)


def _accumulate_seen(leaf: Any, grad: Any, alone: bool) -> None:
    """Adds a Tensor to a leaf's .grad by the calls that modes below autograd see in torch.

    A Tensor that nothing else references becomes .grad itself.
    """
    if leaf._edge is not LEAF:
        _check_leaf(leaf)
        return
    if leaf._grad is not None:
        leaf._grad.add_(grad)
        return
    x = leaf._array
    if alone and (_lies_alike(grad._array, x) or not grad_layout.get()):
        leaf._grad = OPS.detach(grad)
    else:
        leaf._grad = _copy_for(leaf, grad)


def _copy_for(leaf: Any, grad: Any) -> Any:
    """A copy of a Tensor, with the strides of the leaf if these leave no gaps."""
    x = leaf._array
    strides = layout.strides_of(x)
    if layout.is_dense(x.shape, strides):
        return OPS.new_empty_strided(grad, x.shape, strides).copy_(grad)
    return OPS.clone(grad, memory_format=contiguous_format)


def accumulated_by_kind(leaf: Any, grad: Any, recorded: bool) -> bool:
    """Whether one of GRADIENT_KINDS has added a Tensor to leaf.grad."""
    return any([kind.accumulated(leaf, grad, recorded) for kind in GRADIENT_KINDS])


def call_post_hooks(leaf: Any) -> None:
    """Calls the hooks that wait until a gradient was added to `leaf.grad`."""
    if leaf._post_hooks is not None:
        for hook in list(leaf._post_hooks.values()):
            if checked(hook, leaf) is not leaf:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def _check_layout(grad: Any, x: Any) -> None:
    """Warns if a sum of gradients has other strides than its leaf's array `x`."""
    if grad.strides == x.strides or _lies_alike(grad, x) or not grad_layout.get():
        return
    parts = [
        f"{name}.sizes() = {list(each.shape)}, strides() = {list(layout.strides_of(each))}"
        for name, each in (("grad", grad), ("param", x))
    ]
    warn_once(
        "grad and param do not obey the gradient layout contract. This is not an error, but may "
        "impair performance.\n" + "\n".join(parts),
    )


def _lies_alike(grad: Any, x: Any) -> bool:
    """Whether `grad` lies in memory as the leaf's array `x` does; dimensions of size 1 are free.

    As obeys_layout_contract of torch/csrc/autograd/utils/grad_layout_contract.h.
    """
    if grad.strides == x.strides and x.flags.c_contiguous:
        return True
    if not layout.is_dense(x.shape, layout.strides_of(x)):
        return bool(grad.flags.c_contiguous)
    if 0 in grad.strides and grad.size:
        return False  # expanded
    steps = layout.strides_of(grad), (*layout.strides_of(x), *grad.shape)
    return all(n == 1 or a == b for n, a, b in zip(grad.shape, *steps))


def _copy(grad: Any, like: Any) -> Any:
    """A copy of `grad` with the strides of `like` if those are dense, else C-contiguous."""
    if like.flags.c_contiguous and like.size and 1 not in like.shape:
        return grad.copy("C")
    out = _empty_like(like, grad)
    out[...] = grad
    return out


def _empty_like(like: Any, grad: Any) -> Any:
    """Memory for `grad`, with the strides of `like` if those are dense, else C-contiguous."""
    strides = layout.strides_of(like)
    if not layout.is_dense(like.shape, strides):
        return namespace(grad).empty(grad.shape, grad.dtype)
    return namespace(grad).empty_strided(like.shape, strides, grad.dtype)
