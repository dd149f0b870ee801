"""Operators of other backends: quantised numbers, Intel's and NVIDIA's devices, sparse layouts.

torch has their names for every tensor, and says for those on the CPU that there is no kernel.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from minitorch.aten.shape.strided import as_strided_forward
from minitorch.aten.sparse.dispatch import could_not_run
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import Out
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.declare.wording.signatures import refusal
from minitorch.core.numbers import device as devices

METHOD = ("method",)
_FUNCTION = ("function",)
SPARSE_PARTS = ("ccol_indices", "col_indices", "crow_indices", "indices", "row_indices", "values")


def _without_kernel(name: str, on: tuple[str, ...]) -> None:
    def refuse(input: Any) -> NoReturn:
        sparse = input.layout is not devices.strided
        raise could_not_run(name, input) if sparse else no_kernel(name)

    refuse.__name__ = name
    refuse.__doc__ = "Refuses: there is no kernel of it for numbers that are not quantised."
    composite(name, on=on)(refuse)


for _name in (
    "int_repr",
    "q_per_channel_axis",
    "q_per_channel_scales",
    "q_per_channel_zero_points",
    "q_scale",
    "q_zero_point",
):
    _without_kernel(_name, (*METHOD, *_FUNCTION))
_without_kernel("qscheme", METHOD)


def record_stream(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuses: only memory on a device waits for streams."""
    refused = refusal("Tensor.record_stream", args, kwargs)
    if refused is not None:
        # torch cannot print the signature of a function that takes a stream.
        if "unexpected keyword" in str(refused) or "multiple values" in str(refused):
            raise RuntimeError("unknown parameter type")
        raise refused
    (s,) = (*args, *kwargs.values())
    # A stream is made by a module above this one, which is loaded if there is any stream.
    if not isinstance(s, getattr(sys.modules.get("minitorch.accelerator"), "Stream", ())):
        raise RuntimeError("unknown parameter type")
    raise no_kernel("record_stream")


record_stream.refuses = True  # type: ignore[attr-defined]
composite("record_stream", on=METHOD)(record_stream)


@composite("native_norm", on=_FUNCTION)
def native_norm(input: Any, p: Any = 2, *rest: Any, **named: Any) -> Any:
    """The norm of a sparse tensor, over all or some of its dimensions."""
    if input.layout is devices.strided:
        overload = ".ScalarOpt_dim_dtype" if rest or named else ""
        raise no_kernel(f"native_norm{overload}")
    return input.norm(p, *rest, **named)


def _strided_as(xp: Any, self: Any, src: Any) -> Any:
    """A view of the memory of `self` with the shape, strides and offset of `src`."""
    steps = [step // src.itemsize for step in src.strides]
    start = (xp.pointer(src) - xp.pointer(xp.storage(src))) // src.itemsize if src.size else 0
    return as_strided_forward(xp, self, src.shape, steps, start)


operator(
    "slice_inverse(Tensor(a) self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None,"
    " SymInt step=1) -> Tensor(a)",
    node="SliceInverseBackward0",
    forward=lambda xp, self, src, dim, start, end, step: _strided_as(xp, self, src),
    self=lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
    src=lambda F, grad, self_sym_sizes, dim, start, end, step: F.slice_scatter(
        grad, F.new_zeros(grad, self_sym_sizes), dim, start, end, step
    ),
    result=LINEAR,
    real_gradients=True,
)


def _copy_of(part: str) -> None:
    name = f"{part}_copy"

    def copy(input: Any) -> Any:
        return getattr(input, part)().clone()

    copy.__name__ = name
    copy.__doc__ = f"A copy of what the method `{part}` of a sparse tensor gives."
    composite(name, on=_FUNCTION, out=Out(autograd=False))(copy)


for _name in SPARSE_PARTS:
    _copy_of(_name)
