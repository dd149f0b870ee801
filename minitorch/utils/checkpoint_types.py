"""The types that checkpoints, their logs and selective checkpoints share with programs."""

from __future__ import annotations

import enum
from typing import Any

from minitorch._ops import ops


class CheckpointError(RuntimeError):
    """The function did not do the same again."""

    __module__ = "torch.utils.checkpoint"


# Of these, forward and recomputation call different numbers.
SAC_IGNORED_OPS = {ops.aten.detach.default}


class CheckpointPolicy(enum.Enum):
    """The policy for the result of an operator in a selective checkpoint."""

    __module__ = "minitorch.utils.checkpoint"

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """The facts about a call that a policy receives."""

    __module__ = "minitorch.utils.checkpoint"

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output
