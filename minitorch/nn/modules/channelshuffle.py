"""torch.nn.ChannelShuffle."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Channels dealt out among groups, and taken in turn.

    They are read column by column from `groups` rows: with two, 0, 1, 2, 3 become 0, 2, 1, 3.

    Args:
        groups: the number of rows; a divisor of C.

    Shape:
        Input and output: (N, C, *) of at least three dimensions.

    Raises:
        RuntimeError: at the call, if `groups` does not divide C, or for an input of less rank.

    As torch.nn.ChannelShuffle. Zhang et al., https://arxiv.org/abs/1707.01083.
    """

    __constants__ = ["groups"]

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Any) -> Any:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
