"""An averager with groups of several sizes: small ones average often, large ones seldom."""

from __future__ import annotations

import logging
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from minitorch.distributed.algorithms.model_averaging import averagers, utils
from minitorch.distributed.distributed_c10d import get_world_size, new_subgroups

logger = logging.getLogger(
    "torch.distributed.algorithms.model_averaging.hierarchical_model_averager"
)


class HierarchicalModelAverager(averagers.ModelAverager):
    """Averages parameters over groups that grow with the period (arXiv:2010.12998).

    Args:
        period_group_size_dict: how many ranks average every so many steps, smaller ones first;
            the last has all ranks of the group.
        warmup_steps: the number of first steps in which nothing is averaged.
        process_group: the ranks; None for all of the world.

    Raises:
        ValueError: a number is too small, or the last group has not all ranks.

    As torch.distributed.algorithms.model_averaging.hierarchical_model_averager.
    """

    def __init__(
        self,
        period_group_size_dict: Mapping[int, int] | None = None,
        warmup_steps: int = 0,
        process_group: Any = None,
    ) -> None:
        super().__init__(process_group)
        if not period_group_size_dict:
            raise ValueError("Arg ``period_group_size_dict`` must not be empty.")
        self._periods = list(period_group_size_dict)
        if self._periods[0] <= 0:
            raise ValueError(
                "The minimum period in arg ``period_group_size_dict`` must be a positive value."
            )
        if self._periods[-1] == 1:
            warnings.warn(
                "When the maximum period in arg ``period_group_size_dict`` is 1, "
                + averagers.NO_NEED,
                stacklevel=2,
            )
        whole, largest = get_world_size(self.process_group), [*period_group_size_dict.values()][-1]
        if largest != whole:
            raise ValueError(
                f"The last value in arg ``period_group_size_dict`` {largest} must be equal to the "
                f"size of arg ``process_group`` {whole}."
            )
        self.period_process_group_dict: OrderedDict[int, Any] = OrderedDict()
        logger.info("Model averaging hierarchy:")
        for period, size in period_group_size_dict.items():
            logger.info(
                "\tEach group that has %s processes average parameters every %s iterations, "
                "if no higher-level averaging.",
                size,
                period,
            )
            own = self.process_group
            if size != whole:
                own, _ = new_subgroups(group_size=size, group=self.process_group)
            self.period_process_group_dict[period] = own
        if warmup_steps < 0:
            raise ValueError(averagers.NEGATIVE)
        self.warmup_steps = warmup_steps

    def _find_process_group(self) -> Any:
        """The group of the largest period whose turn it is; None if it is the turn of none."""
        for period in reversed(self._periods):
            if self.step % period == 0:
                return self.period_process_group_dict[period]
        return None

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Averages those parameters that have gradients if it is time to, and counts a step."""
        if self.step >= self.warmup_steps:
            group = self._find_process_group()
            if group is not None:
                utils.average_parameters_or_parameter_groups(params, group)
        self.step += 1
