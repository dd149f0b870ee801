"""ReduceLROnPlateau: smaller rates once a metric has stopped improving."""

from __future__ import annotations

import math
import warnings
from typing import Any

from minitorch.optim.lr_scheduler.base import (
    EPOCH_IS_DEPRECATED,
    LRScheduler,
    check_optimizer,
    put,
    values,
)
from minitorch.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` after more than `patience` epochs that did not improve the metric.

    Args:
        optimizer: whose groups get rates.
        mode: whether 'min' or 'max' is better.
        factor: of the rates, below 1.
        patience: how many epochs without a better metric are borne.
        threshold: what counts as better, as a part of the best metric ('rel') or itself ('abs').
        threshold_mode: 'rel' or 'abs'.
        cooldown: how many epochs are not counted after a reduction.
        min_lr: below which no rate goes, also one per group.
        eps: smaller reductions are not done.

    Raises:
        ValueError: for a factor of 1 or more, another mode, and more or fewer `min_lr` than groups.
        TypeError: for what is no Optimizer.

    `step` takes the metric of the epoch.
    As torch.optim.lr_scheduler.ReduceLROnPlateau.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(min_lr, (list, tuple)):
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * groups
        elif len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        else:
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = values(optimizer, "lr")
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:
        """Goes on to the next epoch, in which the metric was `metrics`."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values(self.optimizer, "lr")

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due "
                    "to a new param group being added to the optimizer. Please modify the "
                    "`min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                put(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs are not counted now."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.threshold_mode == "rel":
            if self.mode == "min":
                return a < best * (1.0 - self.threshold)
            return a > best * (self.threshold + 1.0)
        return a < best - self.threshold if self.mode == "min" else a > best + self.threshold

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state that `state_dict` returned."""
        super().load_state_dict(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
