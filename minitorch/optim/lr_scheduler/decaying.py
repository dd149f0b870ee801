"""Schedules that multiply the rates: by functions, in steps, along lines and powers."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.optim.lr_scheduler.base import LRScheduler, without_functions
from minitorch.optim.optimizer import Optimizer


@named_by_subclasses("__init__", "state_dict", "load_state_dict")
class _ByFunctions(LRScheduler):
    """The base of schedules by functions of the epoch."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas: list[Any] = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        else:
            self.lr_lambdas = list(lr_lambda)
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        """Nothing to check."""

    def state_dict(self) -> dict[str, Any]:
        """All fields; of functions, the fields of objects that are called."""
        state = super().state_dict()
        del state["lr_lambdas"]  # which comes last, as in torch
        return {**state, "lr_lambdas": without_functions(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state that `state_dict` returned; plain functions stay as they are."""
        for function, fields in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if fields is not None:
                function.__dict__.update(fields)
        super().load_state_dict({**state_dict, "lr_lambdas": self.lr_lambdas})


class LambdaLR(_ByFunctions):
    """The first rate times a function of the epoch.

    Args:
        optimizer: whose groups get rates.
        lr_lambda: a function of the epoch, which gives the factor, or a list of them, one for each
            group.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: for more or fewer functions than groups.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.LambdaLR.
    """

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * function(self.last_epoch) for function, base in pairs]


class MultiplicativeLR(_ByFunctions):
    """The last rate times a function of the epoch.

    Args:
        optimizer: whose groups get rates.
        lr_lambda: a function of the epoch, which gives the factor, or a list of them, one for each
            group.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: for more or fewer functions than groups.
        TypeError: for what is no function.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.MultiplicativeLR.
    """

    def _check_functions(self) -> None:
        for each in self.lr_lambdas:
            if not callable(each):
                raise TypeError(f"lr_lambda should be a function, but got {type(each).__name__}")

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self._is_initial:
            return self._current_rates()
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * function(self.last_epoch) for function, group in pairs]


class StepLR(LRScheduler):
    """Times gamma every `step_size` epochs.

    Args:
        optimizer: whose groups get rates.
        step_size: how many epochs a rate stays.
        gamma: the factor.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.StepLR.
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current_rates()
        return self._scaled_rates(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times gamma at each of the milestones.

    Args:
        optimizer: whose groups get rates.
        milestones: epochs, in any order; one that is there twice counts twice.
        gamma: the factor.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.MultiStepLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch not in self.milestones:
            return self._current_rates()
        return self._scaled_rates(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Times `factor` until epoch `total_iters`.

    Args:
        optimizer: whose groups get rates.
        factor: of the first rate, from 0 to 1.
        total_iters: the epoch from which it is the first rate itself.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: if `factor` is out of range.
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.ConstantLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._scaled_rates(self.factor)
        if self.last_epoch != self.total_iters:
            return self._current_rates()
        return self._scaled_rates(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Times a factor that goes from one number to another in `total_iters` epochs.

    Args:
        optimizer: whose groups get rates.
        start_factor: the first factor of the first rate, above 0 to 1.
        end_factor: the last one, from 0 to 1.
        total_iters: the epoch from which it stays.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: if a factor is out of range.
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.LinearLR.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                "to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._scaled_rates(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current_rates()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._scaled_rates(1.0 + rise / before)

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        epoch = min(self.total_iters, self.last_epoch)
        return [
            base * (self.start_factor + rise * epoch / self.total_iters) for base in self.base_lrs
        ]


class ExponentialLR(LRScheduler):
    """Times gamma every epoch.

    Args:
        optimizer: whose groups get rates.
        gamma: the factor.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.ExponentialLR.
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        return self._current_rates() if self._is_initial else self._scaled_rates(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Down to 0 in `total_iters` epochs, along a power of what is left of them.

    Args:
        optimizer: whose groups get rates.
        total_iters: the epoch from which the rate is 0.
        power: of 1 - epoch / total_iters.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.PolynomialLR.
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current_rates()
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled_rates((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]
