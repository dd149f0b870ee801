"""Schedules made of schedules: one after another, and all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.optim.lr_scheduler.base import LRScheduler, put, values
from minitorch.optim.lr_scheduler.plateau import ReduceLROnPlateau
from minitorch.optim.optimizer import Optimizer


@named_by_subclasses("state_dict", "load_state_dict")
class _Composed(LRScheduler):
    """The base of both: the schedules have one optimizer, and the state holds their states."""

    _schedulers: Sequence[LRScheduler]

    def _check(self, schedulers: Sequence[Any], optimizer: Any) -> None:
        own = type(self).__name__
        for i, each in enumerate(schedulers):
            if not hasattr(each, "optimizer"):
                raise TypeError(f"{own} at index {i} should have `optimizer` as its attribute.")
            if isinstance(each, ReduceLROnPlateau):
                raise ValueError(
                    f"{own} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{i} in the given schedulers sequence."
                )
            if optimizer != each.optimizer:
                raise ValueError(
                    f"{own} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(each).__name__} at index {i} has {each.optimizer}, which is "
                    f"different from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """All fields, and the states of the schedules."""
        state = {k: v for k, v in super().state_dict().items() if k != "_schedulers"}
        return {**state, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state that `state_dict` returned."""
        fields = {k: v for k, v in state_dict.items() if k != "_schedulers"}
        super().load_state_dict(fields)
        for each, state in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            each.load_state_dict(state)


class SequentialLR(_Composed):
    """One schedule after another; each begins at its milestone.

    Args:
        optimizer: whose groups get rates.
        schedulers: the schedules of this optimizer, but for ReduceLROnPlateau.
        milestones: the epochs at which the second and later ones begin.
        last_epoch: the epoch before the first; -1 to begin.

    Raises:
        ValueError: for no schedules, those of another optimizer, ReduceLROnPlateau, and milestones
            that are not one less than schedules.
        TypeError: for what has no optimizer.

    As torch.optim.lr_scheduler.SequentialLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler, but got no scheduler."
            )
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            put(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Takes back the step that each schedule did when it was made."""
        scheduler = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for each in scheduler._schedulers:
                self.recursive_undo(each)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self) -> None:
        """Goes on to the next epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composed):
    """All schedules at every step, each on the rates that the one before computed.

    Args:
        schedulers: the schedules, of one optimizer, but for ReduceLROnPlateau.
        optimizer: theirs; that of the first if None.

    Raises:
        ValueError: for no schedules, those of another optimizer, and ReduceLROnPlateau.
        TypeError: for a schedule after the first that has no optimizer.

    As torch.optim.lr_scheduler.ChainedScheduler.
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                "scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = values(schedulers[-1].optimizer, "lr")

    def step(self) -> None:
        """Goes on to the next epoch of all."""
        for each in self._schedulers:
            each.step()
        self._last_lr = values(self._schedulers[-1].optimizer, "lr")
