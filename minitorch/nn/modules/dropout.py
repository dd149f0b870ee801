"""Dropout and its relatives. Hinton et al., https://arxiv.org/abs/1207.0580."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """While training: each element zero with chance p, else divided by 1 - p.

    In evaluation, the output is the input.

    Args:
        p: the chance, from 0 to 1.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    Raises:
        ValueError: if `p` is not between 0 and 1.

    As torch.nn.Dropout. Hinton et al., https://arxiv.org/abs/1207.0580.
    """

    def forward(self, input: Any) -> Any:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of (N, C, L) or (C, L).

    Args:
        p: the chance with which a channel is zero while training, from 0 to 1.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (N, C, L) or (C, L).

    Raises:
        ValueError: if `p` is not between 0 and 1.
        RuntimeError: at the call, for an input of another rank.

    As torch.nn.Dropout1d. Tompson et al., https://arxiv.org/abs/1411.4280.
    """

    def forward(self, input: Any) -> Any:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of (N, C, H, W).

    Args:
        p: the chance with which a channel is zero while training, from 0 to 1.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (N, C, H, W). Another rank warns; three dimensions are read as (N, C, L).

    Raises:
        ValueError: if `p` is not between 0 and 1.

    As torch.nn.Dropout2d. Tompson et al., https://arxiv.org/abs/1411.4280.
    """

    def forward(self, input: Any) -> Any:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of (N, C, D, H, W).

    Args:
        p: the chance with which a channel is zero while training, from 0 to 1.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (N, C, D, H, W) or (C, D, H, W). Another rank warns.

    Raises:
        ValueError: if `p` is not between 0 and 1.

    As torch.nn.Dropout3d. Tompson et al., https://arxiv.org/abs/1411.4280.
    """

    def forward(self, input: Any) -> Any:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps the mean and variance of SELU's outputs. arXiv 1706.02515.

    While training, an element becomes SELU's limit for large negative x with chance `p`; then all
    are scaled and shifted back to mean 0 and variance 1.

    Args:
        p: the chance, from 0 to 1.
        inplace: kept and shown, but the input is never overwritten.

    Shape:
        Input and output: (*), any shape.

    Raises:
        ValueError: if `p` is not between 0 and 1.

    As torch.nn.AlphaDropout.
    """

    def forward(self, input: Any) -> Any:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels.

    Args:
        p: the chance with which a channel is dropped while training, from 0 to 1.
        inplace: kept and shown, but the input is never overwritten.

    Shape:
        Input and output: (N, C, *) of at least two dimensions.

    Raises:
        ValueError: if `p` is not between 0 and 1.
        RuntimeError: at the call, for an input of less than two dimensions.

    As torch.nn.FeatureAlphaDropout. Klambauer et al., https://arxiv.org/abs/1706.02515.
    """

    def forward(self, input: Any) -> Any:
        return F.feature_alpha_dropout(input, self.p, self.training)
