"""LRScheduler: the base of all schedules. A schedule determines the rates at each epoch."""

from __future__ import annotations

import contextlib
import functools
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.optim.optimizer import Optimizer

_HOW = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
EPOCH_IS_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler:
    """Sets the learning rates of an optimizer at every `step`.

    Args:
        optimizer: whose groups get rates.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        TypeError: for what is no Optimizer.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    Subclasses define `get_lr`, from the rates as they are, and perhaps `_get_closed_form_lr`,
    from the first ones.
    As torch.optim.lr_scheduler.LRScheduler.
    """

    __module__ = "torch.optim.lr_scheduler"

    _get_lr_called_within_step = False
    _is_initial = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("minitorch."):
            cls.__module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming "
                    "scheduler with last_epoch >= 0.\nThis typically happens when:\n1. You're "
                    "trying to resume training from a checkpoint but haven't properly loaded the "
                    "optimizer state\n2. You're using last_epoch >= 0 for a fresh training run "
                    "(not recommended)"
                )
        self.base_lrs = values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All fields but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state that `state_dict` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that the last step set, by group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates of this epoch, by group."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Goes on to the next epoch and sets its rates."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                f"`lr_scheduler.step()`. {_HOW}",
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
                "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
                "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping "
                f"the first value of the learning rate schedule. {_HOW}",
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._within_step():
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            rates = (closed or self.get_lr)()
        self._set_rates(rates)

    @contextlib.contextmanager
    def _within_step(self) -> Iterator[None]:
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _set_rates(self, rates: list[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            put(group, "lr", rate)
        self._last_lr = values(self.optimizer, "lr")

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )

    def _current_rates(self) -> list[Any]:
        return values(self.optimizer, "lr")

    def _scaled_rates(self, factor: Any) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The name that the class had before."""


def check_optimizer(optimizer: Any) -> None:
    """TypeError unless `optimizer` is an Optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def copied(value: Any) -> Any:
    """A copy of a tensor; a number itself."""
    return value.clone() if isinstance(value, Tensor) else value


def values(optimizer: Optimizer, key: str) -> list[Any]:
    """An option of all groups; tensors are copied."""
    return [copied(group[key]) for group in optimizer.param_groups]


def put(group: dict[str, Any], key: str, value: Any) -> None:
    """Sets an option of a group; a tensor keeps its identity."""
    if isinstance(group[key], Tensor):
        group[key].fill_(value.squeeze() if isinstance(value, Tensor) else value)
    else:
        group[key] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A value for each group: the one for all, or those of a list."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [copied(value) for _ in range(groups)]
    if len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} "
            f"values, param_groups has {groups}."
        )
    return [copied(each) for each in value]


def without_functions(functions: list[Any]) -> list[Any]:
    """The state of functions: the fields of an object that is called, None for a plain function."""
    return [
        None if isinstance(each, types.FunctionType) else each.__dict__.copy() for each in functions
    ]


def _note_steps(optimizer: Optimizer) -> None:
    """Makes `optimizer.step` note that it was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step: Callable[..., Any] = optimizer.step.__func__
    owner = weakref.ref(optimizer)

    @functools.wraps(step)
    def noted(*args: Any, **kwargs: Any) -> Any:
        self: Any = owner()
        self._opt_called = True
        return step(self, *args, **kwargs)

    noted._wrapped_by_lr_sched = True
    optimizer.step = noted
