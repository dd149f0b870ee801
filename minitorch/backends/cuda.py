"""torch.backends.cuda: whether CUDA can be used, and the precision of its matrix products."""

from __future__ import annotations


class _Matmul:
    """Switches of matrix products, which stay exact whatever they say."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Matmul()


def is_built() -> bool:
    """Whether CuPy is installed."""
    from minitorch.core.arrays import cuda

    try:
        cuda()
    except AssertionError:
        return False
    return True
