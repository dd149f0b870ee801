"""Matrix products."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.families import composite, operator
from minitorch.core.tensor.tensor import Tensor


def mm_forward(xp: Any, self: Any, mat2: Any) -> Any:
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    return self.dot(mat2)


mm = operator(
    "mm(Tensor self, Tensor mat2) -> Tensor",
    node="MmBackward0",
    forward=mm_forward,
    self=lambda F, grad, mat2: F.mm(grad, F.t(mat2.conj())),
    mat2=lambda F, grad, self: F.mm(F.t(self.conj()), grad),
    result=lambda F, self_p, self_t, mat2_p, mat2_t: F.mm(self_t, mat2_p) + F.mm(self_p, mat2_t),
    variants=("out",),
)


@composite("matmul", out=True)
def matmul(input: Any, other: Any) -> Any:
    """The matrix product of two tensors, batches broadcast. As torch.matmul."""
    return mm(input, other)


Tensor.__matmul__ = lambda self, other: matmul(self, other)
