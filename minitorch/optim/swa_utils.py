"""Averages of a model's parameters over its training. Izmailov et al., https://arxiv.org/abs/1803.05407."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers.dtype import int64
from minitorch.nn.modules.batchnorm import _BatchNorm
from minitorch.nn.modules.module import Module
from minitorch.optim.lr_scheduler.base import LRScheduler, for_each_group

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _is_continuous(x: Any) -> bool:
    return bool(x.is_floating_point() or x.is_complex())


def _check_decay(decay: float) -> None:
    if not 0 <= decay <= 1:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """The function that moves a list of averages by 1 - decay towards the parameters.

    Args:
        decay: the share of the average before, from 0 to 1.

    Returns:
        A function of (averages, parameters, number), which writes the averages; the number counts
            nothing.

    Raises:
        ValueError: if `decay` is out of range.

    As torch.optim.swa_utils.get_ema_multi_avg_fn.
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, param in zip(ema_param_list, current_param_list):
            if _is_continuous(ema_param_list[0]):
                average.lerp_(param, 1 - decay)
            else:
                average.copy_(average * decay + param * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """The function that makes a list of averages those of one more model.

    Returns:
        A function of (averages, parameters, number), which writes the averages; the number is that
            of the models before.

    As torch.optim.swa_utils.get_swa_multi_avg_fn. Izmailov et al.,
    https://arxiv.org/abs/1803.05407.
    """

    @no_grad()
    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        for average, param in zip(averaged_param_list, current_param_list):
            if _is_continuous(averaged_param_list[0]):
                average.lerp_(param, float(1 / (num_averaged + 1)))
            else:
                average.addcdiv_(param - average, num_averaged + 1)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """The function that gives an average moved by 1 - decay towards the parameter.

    Args:
        decay: the share of the average before, from 0 to 1.

    Returns:
        A function of (average, parameter, number), which gives the new average; the number counts
            nothing.

    Raises:
        ValueError: if `decay` is out of range.

    As torch.optim.swa_utils.get_ema_avg_fn.
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Any]:
    """The function that gives the average of one more model.

    Returns:
        A function of (average, parameter, number), which gives the new average; the number is that
            of the models before.

    As torch.optim.swa_utils.get_swa_avg_fn. Izmailov et al., https://arxiv.org/abs/1803.05407.
    """

    @no_grad()
    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model, whose parameters `update_parameters` makes averages.

    Args:
        model: the Module to copy.
        device: where the copy lies; where `model` does if None.
        avg_fn: avg_fn(average, parameter, number) gives a new average.
        multi_avg_fn: multi_avg_fn(averages, parameters, number) writes those of one device and
            dtype; the equal average if both are None.
        use_buffers: whether buffers are averaged, too; else they are copied.

    Raises:
        AssertionError: if both functions are given.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.swa_utils.AveragedModel.html.
    """

    def __init__(
        self,
        model: Any,
        device: Any = None,
        avg_fn: Any = None,
        multi_avg_fn: Any = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", OPS.tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Any) -> None:
        """Takes the parameters of `model` into the averages, and copies its buffers."""
        own, others = (self.module, model) if self.use_buffers else (self, model)
        buffers = (m.buffers() if self.use_buffers else () for m in (own, others))
        members = zip(
            chain(own.parameters(), next(buffers)), chain(others.parameters(), next(buffers))
        )
        pairs = [(mine.detach(), other.detach().to(mine.device)) for mine, other in members]
        if self.n_averaged == 0:
            for mine, other in pairs:
                mine.copy_(other)
        elif self.multi_avg_fn is not None:
            groups: dict[Any, list[Any]] = {}
            for pair in pairs:
                groups.setdefault((pair[0].device, pair[0].dtype), []).append(pair)
            for (device, _), group in groups.items():
                averages, parameters = map(list, zip(*group))
                self.multi_avg_fn(averages, parameters, self.n_averaged.to(device))
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for mine, other in pairs:
                mine.copy_(average(mine, other, self.n_averaged.to(mine.device)))
        if not self.use_buffers:
            for buffer, other in zip(self.module.buffers(), model.buffers(), strict=True):
                buffer.detach().copy_(other.detach().to(buffer.device))
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Any, device: Any = None) -> None:
    """Makes the running statistics of all batch norms those of the data in `loader`.

    Args:
        loader: gives batches; of a list or tuple the first is taken.
        model: the Module, which is called with each batch in training mode.
        device: where batches are moved to first; nowhere if None.

    As torch.optim.swa_utils.update_bn.
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for input in loader:
        if isinstance(input, (list, tuple)):
            input = input[0]
        model(input if device is None else input.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Goes over to the rate `swa_lr` within anneal_epochs, and stays there.

    Args:
        optimizer: whose groups get rates.
        swa_lr: the last rate, also one per group.
        anneal_epochs: how many epochs it takes, not negative.
        anneal_strategy: along a 'cos' or 'linear'.
        last_epoch: the epoch before the first, to go on from; -1 to begin.

    Raises:
        ValueError: for another strategy or number of epochs, and rates that are not one per group.
        KeyError: if `last_epoch` is not -1, and the groups have no `initial_lr`.

    As torch.optim.swa_utils.SWALR.
    """

    __module__ = "torch.optim.swa_utils"

    def __init__(
        self,
        optimizer: Any,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = for_each_group("swa_lr", optimizer, swa_lr)
        for rate, group in zip(rates, optimizer.param_groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    def _set_anneal_func(self, anneal_strategy: str) -> None:
        self._anneal_strategy = anneal_strategy
        cosine = anneal_strategy == "cos"
        self.anneal_func = self._cosine_anneal if cosine else self._linear_anneal

    def get_lr(self) -> list[Any]:
        """The rates of this epoch, by group."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (
            self.anneal_func(max(0, min(1, each / max(1, self.anneal_epochs))))
            for each in (step - 1, step)
        )
        rates = []
        for group in self.optimizer.param_groups:
            rate, last = group["lr"], group["swa_lr"]
            first = last if before == 1 else (rate - before * last) / (1 - before)
            rates.append(last * now + first * (1 - now))
        return rates

    def state_dict(self) -> dict[str, Any]:
        """All fields but the optimizer and the function."""
        return {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "anneal_func")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state that `state_dict` returned."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)
