"""Averagers: they average the parameters of all ranks once in some steps."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from minitorch.distributed.algorithms.model_averaging import utils
from minitorch.distributed.distributed_c10d import _get_default_group

__all__ = ["ModelAverager", "PeriodicModelAverager"]

NO_NEED = (
    "no need to use model averaging because the communication cost of all-reducing parameters will "
    "be no less than the cost of all-reducing gradients by DistributedDataParallel in the backward "
    "pass. Therefore, only DistributedDataParallel should be used for this case."
)
NEGATIVE = "Arg ``warmup_steps`` must be a non-negative number."


class ModelAverager(ABC):
    """The base of classes that average parameters over ranks.

    Args:
        process_group: the ranks; None for all of the world.

    As torch.distributed.algorithms.model_averaging.averagers.ModelAverager.
    """

    def __init__(self, process_group: Any = None) -> None:
        self.process_group = process_group if process_group is not None else _get_default_group()
        self.step = 0

    @abstractmethod
    def average_parameters(self, params: Iterable[Any]) -> None:
        """Averages parameters if it is time to, and counts a step."""
        raise NotImplementedError


class PeriodicModelAverager(ModelAverager):
    """Averages parameters every `period` steps, from step `warmup_steps` on.

    Raises:
        ValueError: a number is too small.

    As torch.distributed.algorithms.model_averaging.averagers.PeriodicModelAverager.
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError(NEGATIVE)
        self.warmup_steps = warmup_steps
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warnings.warn(f"When period is 1, {NO_NEED}", stacklevel=2)
        self.period = period

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Averages those parameters that have gradients if it is time to, and counts a step."""
        since = self.step - self.warmup_steps
        if since >= 0 and since % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
