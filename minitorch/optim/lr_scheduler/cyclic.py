"""Schedules that raise and lower the rates, and the momentum against them: Leslie Smith's cycles.

arXiv:1506.01186 and arXiv:1708.07120.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from minitorch.optim.lr_scheduler.base import (
    LRScheduler,
    check_optimizer,
    for_each_group,
    put,
    without_functions,
)
from minitorch.optim.optimizer import Optimizer


class _WithMomentum(LRScheduler):
    """The base of both: a group's momentum is its `momentum`, or the first of its `betas`."""

    cycle_momentum: bool

    def _begin_momentum(self, base: list[Any], largest: list[Any]) -> None:
        groups = self.optimizer.param_groups
        for group, low, high in zip(groups, base, largest, strict=True):
            self._put_momentum(group, high)
            group["max_momentum"] = high
            group["base_momentum"] = low

    def _put_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _check_momentum(self) -> None:
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in defaults


class CyclicLR(_WithMomentum):
    """Between two rates, up in `step_size_up` steps and down in `step_size_down`, again and again.

    Args:
        optimizer: whose groups get rates.
        base_lr: the least rate, also one per group.
        max_lr: the largest rate of the first cycle, also one per group.
        step_size_up: how many steps it goes up.
        step_size_down: how many steps it goes down; as many as up if None.
        mode: 'triangular'; 'triangular2', which halves the height every cycle; 'exp_range', which
            multiplies it by gamma every step.
        gamma: the factor of 'exp_range'.
        scale_fn: any other function for the height, in place of `mode`.
        scale_mode: whether it is one of the 'cycle' or of 'iterations', the steps.
        cycle_momentum: whether momentum, or the first of betas, goes the other way.
        base_momentum: the least momentum, also one per group.
        max_momentum: the largest one, also one per group.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: for another `mode`, rates or momenta that are not one per group, and
            `cycle_momentum` for an optimizer that has none.
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.CyclicLR. Smith, https://arxiv.org/abs/1506.01186.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                put(group, "lr", rate)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._check_momentum()
            self.base_momentums = for_each_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = for_each_group("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                self._begin_momentum(self.base_momentums, self.max_momentums)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        if self.mode == "triangular":
            self._scale_fn_ref: Any = self._triangular_scale_fn
        elif self.mode == "triangular2":
            self._scale_fn_ref = self._triangular2_scale_fn
        else:
            self._scale_fn_ref = partial(self._exp_range_scale_fn, self.gamma)
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """The factor of the height of a cycle."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        rising = x <= self.step_ratio
        part = x / self.step_ratio if rising else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        rates = [
            low + (high - low) * part * self.scale_fn(at)
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]
        if self.cycle_momentum:
            pairs = zip(self.base_momentums, self.max_momentums, strict=True)
            momenta = [high - (high - low) * part * self.scale_fn(at) for low, high in pairs]
            for group, momentum in zip(self.optimizer.param_groups, momenta, strict=True):
                self._put_momentum(group, momentum)
        return rates

    def state_dict(self) -> dict[str, Any]:
        """All fields; of a function for the height, the fields of an object that is called."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        function = state.pop("_scale_fn_custom")
        state["_scale_fn_custom"] = None if function is None else without_functions([function])[0]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state that `state_dict` returned."""
        fields = dict(state_dict)
        of_function = fields.pop("_scale_fn_custom")
        super().load_state_dict(fields)
        if of_function is not None:
            self._scale_fn_custom.__dict__.update(of_function)
        self._init_scale_fn()


_UP = ("initial_lr", "max_lr", "max_momentum", "base_momentum")
_BACK = ("max_lr", "initial_lr", "base_momentum", "max_momentum")
_DOWN = ("max_lr", "min_lr", "base_momentum", "max_momentum")
_OUT = ("initial_lr", "min_lr", "max_momentum", "max_momentum")
_FIELDS = ("start_lr", "end_lr", "start_momentum", "end_momentum")


class OneCycleLR(_WithMomentum):
    """Once up to `max_lr` and down to next to nothing, in `total_steps` steps.

    Args:
        optimizer: whose groups get rates.
        max_lr: the largest rate, also one per group.
        total_steps: how many steps; or else epochs and steps_per_epoch.
        epochs, steps_per_epoch: whose product it is if `total_steps` is None.
        pct_start: the part of the steps that goes up, a float from 0 to 1.
        anneal_strategy: along a 'cos' or 'linear'.
        cycle_momentum: whether momentum, or the first of betas, goes the other way.
        base_momentum: the least momentum, also one per group.
        max_momentum: the largest one, also one per group.
        div_factor: max_lr by the first rate.
        final_div_factor: the first rate by the last.
        three_phase: whether it goes down to the first rate in as many steps as up, and then on.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: for no number of steps, options out of range, `cycle_momentum` for an optimizer
            that has none, and by `step`, after the last one.
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.lr_scheduler.OneCycleLR. Smith and Topin, https://arxiv.org/abs/1708.07120.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if total_steps is None:
            _check_positive("epochs", epochs)
            _check_positive("steps_per_epoch", steps_per_epoch)
            total_steps = epochs * steps_per_epoch
        else:
            _check_positive("total_steps", total_steps)
        self.total_steps = total_steps
        first, last = float(pct_start * total_steps) - 1, total_steps - 1
        phases = [(first, _UP), (last, _DOWN)]
        if three_phase:
            middle = float(2 * pct_start * total_steps) - 2
            phases = [(first, _UP), (middle, _BACK), (last, _OUT)]
        self._schedule_phases: list[dict[str, Any]] = [
            {"end_step": end, **dict(zip(_FIELDS, names, strict=True))} for end, names in phases
        ]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        largest = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, largest, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._check_momentum()
            high = for_each_group("max_momentum", optimizer, max_momentum)
            low = for_each_group("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                self._begin_momentum(low, high)
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, pct: float) -> Any:
        if self._anneal_func_type == "linear":
            return self._annealing_linear(start, end, pct)
        return self._annealing_cos(start, end, pct)

    @staticmethod
    def _annealing_cos(start: Any, end: Any, pct: float) -> Any:
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start: Any, end: Any, pct: float) -> Any:
        return (end - start) * pct + start

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        part = (step - start) / (phase["end_step"] - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._put_momentum(group, self._anneal_func(*ends, part))
        return rates


def _check_positive(name: str, value: Any) -> None:
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
