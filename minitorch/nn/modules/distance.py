"""Distances as modules. As https://docs.pytorch.org/docs/stable/nn.html#distance-functions."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of the difference of vectors.

    Args:
        p: the exponent of the norm; may be infinite or negative.
        eps: what is added to each difference.
        keepdim: whether the last dimension stays, of size 1.

    Shape:
        Inputs: (*, D) each, broadcast against each other.
        Output: (*), or (*, 1) if `keepdim`.

    As torch.nn.PairwiseDistance.
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors.

    x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)).

    Args:
        dim: the dimension along which the vectors lie.
        eps: the least length that counts.

    Shape:
        Inputs: any shapes that broadcast. Output: theirs without dimension `dim`.

    Raises:
        IndexError: at the call, if the inputs have no dimension `dim`.

    As torch.nn.CosineSimilarity.
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Any, x2: Any) -> Any:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
