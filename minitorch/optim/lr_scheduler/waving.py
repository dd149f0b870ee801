"""Schedules along a cosine, once and with restarts. Loshchilov and Hutter, arXiv:1608.03983."""

from __future__ import annotations

import math
from typing import Any

from minitorch.optim.lr_scheduler.base import LRScheduler
from minitorch.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """From the first rate to `eta_min` in T_max epochs, and back in as many.

    Args:
        optimizer: whose groups get rates.
        T_max: epochs of half a wave.
        eta_min: the least rate.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.CosineAnnealingLR. Loshchilov and Hutter,
    https://arxiv.org/abs/1608.03983.
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        epoch, groups = self.last_epoch, self.optimizer.param_groups
        if self._is_initial:
            return self._current_rates()
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            cosine = math.cos(math.pi / self.T_max)
            return [
                group["lr"] + (base - self.eta_min) * (1 - cosine) / 2
                for base, group in zip(self.base_lrs, groups, strict=True)
            ]
        ratio = (1 + math.cos(math.pi * epoch / self.T_max)) / (
            1 + math.cos(math.pi * (epoch - 1) / self.T_max)
        )
        return [ratio * (group["lr"] - self.eta_min) + self.eta_min for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        cosine = math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base - self.eta_min) * (1 + cosine) / 2 for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the first rate to `eta_min`, again and again, each time in T_mult times the epochs.

    Args:
        optimizer: whose groups get rates.
        T_0: epochs of the first time, a positive int.
        T_mult: the factor of the epochs from one time to the next, an int from 1 on.
        eta_min: the least rate.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: for another `T_0`, `T_mult` or `eta_min`.
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.CosineAnnealingWarmRestarts. Loshchilov and Hutter,
    https://arxiv.org/abs/1608.03983.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: Any = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        cosine = math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * (1 + cosine) / 2 for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Goes on to the next epoch, or to any, also between two."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        with self._within_step():
            rates = self.get_lr()
        self._set_rates(rates)

    def _jump(self, epoch: Any) -> None:
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
