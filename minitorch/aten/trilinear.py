"""Sums of products of three tensors, and bilinear maps. As ATen/native/Linear.cpp."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.families import composite, operator


def trilinear_forward(
    xp: Any, i1: Any, i2: Any, i3: Any, expand1: Any, expand2: Any, expand3: Any, sumdim: Any
) -> Any:
    """The products of all three, summed over `sumdim`; expand1 to expand3 are the dimensions that
    each of them lacks. As in torch, the first two are multiplied first, and rounded."""
    if i1.dtype.kind == "b":
        raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
    dims = range(i1.ndim + len(expand1))
    own = [[d for d in dims if d not in lacking] for lacking in (expand1, expand2, expand3)]
    wide = xp.float32 if i1.dtype.itemsize == 2 and i1.dtype.kind not in "iu" else i1.dtype
    first = [d for d in dims if (d in own[0] or d in own[1]) and not (d in sumdim and d in expand3)]
    kept = [d for d in dims if d not in sumdim]
    both = xp.einsum(
        i1.astype(wide, copy=False),
        own[0],
        i2.astype(wide, copy=False),
        own[1],
        first,
        optimize=True,
    )
    both = both.astype(i1.dtype, copy=False).astype(wide, copy=False)
    out = xp.einsum(both, first, i3.astype(wide, copy=False), own[2], kept, optimize=True)
    return xp.ascontiguousarray(out.astype(i1.dtype, copy=False))


_trilinear = operator(
    "_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3,"
    " int[] sumdim, int unroll_dim=1) -> Tensor",
    node="TrilinearBackward0",
    forward=trilinear_forward,
    i1=lambda F, grad, i2, i3, expand1, expand2, expand3, sumdim: F._trilinear(
        grad, i2, i3, sumdim, expand2, expand3, expand1
    ),
    i2=lambda F, grad, i1, i3, expand1, expand2, expand3, sumdim: F._trilinear(
        i1, grad, i3, expand1, sumdim, expand3, expand2
    ),
    i3=lambda F, grad, i1, i2, expand1, expand2, expand3, sumdim: F._trilinear(
        i1, i2, grad, expand1, expand2, sumdim, expand3
    ),
    result=lambda call, i1_t, i2_t, i3_t: call(i1=i1_t) + call(i2=i2_t) + call(i3=i3_t),
    on=("function",),
    real_gradients=True,
)


@composite("bilinear", on=("function",))
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """input1 @ weight[k] @ input2 + bias[k] for each output k, over the last dimensions."""
    named = {"input1": input1, "input2": input2, "weight": weight}
    named |= {} if bias is None else {"bias": bias}
    kinds = {name: x.dtype for name, x in named.items()}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name}: {kind.c_name}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {listed}")
    rank = input1.dim()
    if rank != input2.dim():
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {rank} and {input2.dim()}"
        )
    for i in range(rank - 1):
        if input1.size(i) != input2.size(i):
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {i}: got "
                f"{input1.size(i)} and {input2.size(i)}"
            )
    for what, got, expected in (
        ("input1", input1.size(-1), weight.size(1)),
        ("input2", input2.size(-1), weight.size(2)),
        ("bias", weight.size(0) if bias is None else bias.size(0), weight.size(0)),
    ):
        if got != expected:
            raise RuntimeError(
                f"bilinear(): {what} size does not match weight size: got {got} but expected "
                f"{expected}"
            )
    rows = [x.reshape(-1, x.size(-1)) for x in (input1, input2)]
    out = _trilinear(rows[0], weight, rows[1], (1, 3), (0,), (1, 2), (2, 3))
    out = out.reshape(*input1.size()[:-1], weight.size(0))
    return out if bias is None else out + bias
