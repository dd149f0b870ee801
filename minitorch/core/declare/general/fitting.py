"""The shape and memory of out=: fitted to a result, or as torch leaves them if it raises."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import layout, namespace, offset_of
from minitorch.core.arrays.borrowed import check_resizable
from minitorch.core.arrays.overlap import check_apart
from minitorch.core.arrays.too_large import check_resize
from minitorch.core.base.fields import laid_out
from minitorch.core.declare.out import BEFORE_DTYPE, BEFORE_MEMORY, Out
from minitorch.core.declare.wording.out_rules import OF_DTYPES, check_dtype, check_overlap
from minitorch.core.determinism import FILLING, fill
from minitorch.core.warning import warn


def fit(out: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Gives `out` the shape of its result, with a warning unless `out` is empty."""
    if out._array.shape == shape:
        return
    warn_of_misfit(out, shape)
    resize(out, shape, strides)


def fit_apart(
    out: Any, shape: tuple[int, ...], given: list[Any], strides: tuple[int, ...] | None = None
) -> None:
    """Gives `out` the shape of its result. RuntimeError with torch's text if the result needs more
    memory than `out` shares with an input, since torch would enlarge that memory in place."""
    own = out._array
    fit(out, shape, strides)
    if out._array is not own and not namespace(own).may_share_memory(out._array, own):
        for each in given:
            check_apart(own, each._array, each is out)


def warn_of_misfit(out: Any, shape: tuple[int, ...]) -> None:
    """Warns of an `out` of another shape unless it is empty."""
    if out._array.shape != shape and out._array.size:
        warn_of_resize(list(out._array.shape), list(shape))


def warn_of_resize(own: list[int], wanted: list[int]) -> None:
    """Warns that out= of another shape gets the shape of the result."""
    warn(
        f"An output with one or more elements was resized since it had shape "
        f"{own}, which does not match the required output shape "
        f"{wanted}. This behavior is deprecated, and in a future PyTorch release "
        "outputs will not be resized unless they have zero elements. You can explicitly "
        "reuse an out tensor t by resizing it, inplace, to zero elements with "
        "t.resize_(0)."
    )


def resize(out: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Gives `out` another shape, in its own memory if that suffices."""
    x = out._array
    xp = namespace(x)
    strides = layout.contiguous_strides(shape) if strides is None else strides
    owner = xp.storage(x)
    start = offset_of(x) if x.size else 0
    if start + layout.reach_of(shape, strides) * x.itemsize <= owner.nbytes:
        fresh = xp.strided(x, shape, [s * x.itemsize for s in strides])
    else:
        check_resizable(owner)
        check_resize(shape, x.itemsize)
        fresh = xp.empty_strided(shape, strides, x.dtype)
        if FILLING:
            fill(fresh)
        if x.size:
            flat = xp.storage(fresh).reshape(-1)
            flat[: x.size] = x.reshape(-1)[: flat.size]
    out._array = fresh
    if (out._view is None or out._view[0] is None) and not out.is_inference():
        out._view = laid_out(fresh)._view


def check_known(said: Out, name: str, outs: Any, given: list[Any], call: Any) -> None:
    """Raises the error for a dtype of out= in an operator that knows the dtypes of its results
    beforehand. Tensors of out= before the refused one get their shapes, if the operator is `sized`.
    """
    assert said.known is not None
    kinds = said.known(*given)
    order = said.order or range(min(len(kinds), len(outs)))
    for count, i in enumerate(order):
        try:
            check_dtype(said, name, kinds[i], outs[i].dtype, given, i)
        except RuntimeError:
            for other in order[:count]:
                fit_before(said, outs[other], call)
            raise


def fit_before(said: Out, out: Any, call: Any) -> None:
    """Gives `out` the shape that it gets before the operator raises, if `said.sized` has one."""
    shape = said.sized(*call[0], **call[1]) if said.sized is not None else None
    if shape is not None:
        fit(out, tuple(shape))


def said_before_memory(said: Out, refusal: str) -> bool:
    """Whether an element-wise operator raises an error with this text before it checks memory."""
    return refusal.startswith(said.refused_first) or any([part in refusal for part in OF_DTYPES])


def prepare_before_arguments(
    said: Out, name: str, refusal: str, out: Any, given: list[Any], call: Any
) -> None:
    """Does the steps that an operator does before it raises an error with this text: checks the
    dtype of `out`, gives it the shape of the result, and checks its memory."""
    if said.copies_first is not None and refusal.startswith("expected scalar type"):
        source = given[said.copies_first]
        if out._array.shape == source._array.shape:
            out.copy_(source)
    if said.memory_first or said.sized is not None:
        if refusal.startswith(said.memory_first):
            return
        if said.shaped != BEFORE_DTYPE:
            check_dtype(said, name, given[0].dtype, out.dtype, given)
        fit_before(said, out, call)
        if said.sized is None or said.shaped == BEFORE_MEMORY:
            check_overlap(said, out, given)
