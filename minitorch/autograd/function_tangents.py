"""Forward mode through a Function: its jvp gives the tangents of its outputs.

As _process_forward_mode_AD of torch/csrc/autograd/custom_function.cpp.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.general.tangents import keep_tangents
from minitorch.core.graph.forward import LEVELS, VisibleLevels, active, dualize, tangent_of
from minitorch.core.graph.views import is_view


def push(ctx: Any, args: Any, outputs: Any, results: Any, dirty: Any, fixed: Any) -> None:
    """Gives `results`, made from forward's `outputs`, their tangents, if arguments have tangents.

    dirty, fixed: the tensors that were marked as written, and as not differentiable.
    """
    for level in range(len(LEVELS)) if active() else ():
        tensors = [each if isinstance(each, TensorBase) else None for each in args]
        given = [None if each is None else tangent_of(each, level) for each in tensors]
        if all(tangent is None for tangent in given):
            continue
        versions = [None if each is None else each._version for each in given]
        asked = given
        if ctx._call_state.materialize:
            asked = [
                OPS.zeros_like(x) if tangent is None and x is not None else tangent
                for x, tangent in zip(tensors, given, strict=True)
            ]
        with VisibleLevels(level):
            tangents = _returned(ctx.apply_jvp(*asked))
        if len(tangents) != len(outputs):
            raise RuntimeError(
                "Function's jvp returned an invalid number of forward gradients (expected "
                f"{len(outputs)} but got {len(tangents)})"
            )
        for i, (output, result) in enumerate(zip(outputs, results, strict=True)):
            at = next((n for n, each in enumerate(tensors) if each is output is not None), None)
            if not isinstance(output, TensorBase):
                continue
            if _among(output, fixed) or output._array.dtype.kind not in "fcV":
                if tangents[i] is not None:
                    raise RuntimeError(
                        f"Function's jvp returned a gradient at position {i}, but  the "
                        "corresponding forward output is not a differentiable Tensor.You should "
                        "return None at that position instead."
                    )
            elif _among(output, dirty) and at is not None and given[at] is not None:
                _check_written(tangents[i], given[at], versions[at])
            else:
                if is_view(result):
                    _check_view(result, tangents[i], tensors, given)
                dualize(result, tangents[i], level, in_place=_among(output, dirty))
            keep_tangents(result)


def _among(self: Any, tensors: Any) -> bool:
    return any(self is each for each in tensors)


def _returned(tangents: Any) -> tuple[Any, ...]:
    """The tangents that jvp returned, as a tuple of tensors and None."""
    found = tangents if isinstance(tangents, tuple) else (tangents,)
    for i, each in enumerate(found):
        if each is not None and not isinstance(each, TensorBase):
            raise RuntimeError(
                f"expected Variable or None (got {type(each).__name__}) for grad output {i}."
            )
    return found


def _check_written(tangent: Any, given: Any, version: Any) -> None:
    """Raises RuntimeError unless the tangent of a tensor that forward wrote was written as well."""
    if tangent is None or tangent._version == version:
        raise RuntimeError(
            "An inplace custom Function is not modifying the forward mode gradients inplace. If "
            "the forward is modifying an input inplace, then the jvp function must modify the "
            "corresponding gradient inplace."
        )
    if tangent is not given:
        raise RuntimeError(
            "An inplace custom Function is not returning the forward mode gradients as-is. If the "
            "forward is modifying an input inplace, then the jvp function must modify the gradient "
            "inplace and return it as-is."
        )


def _root(self: Any) -> Any:
    return self._view[0] if is_view(self) else self


def _check_view(result: Any, tangent: Any, tensors: Any, given: Any) -> None:
    """Raises RuntimeError unless the tangent of a view of an argument is a view of its tangent."""
    roots = [None if each is None else _root(each) for each in tensors]
    at = next((n for n, root in enumerate(roots) if root is _root(result)), None)
    if at is None or given[at] is None:
        return
    if not is_view(tangent):
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is "
            "not returning a view."
        )
    if _root(tangent) is not _root(given[at]):
        same = "same base as the " if is_view(given[at]) else ""
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the "
            f"{same}given grad input."
        )
