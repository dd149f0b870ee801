"""torch.ao.pruning.scheduler.base_scheduler: the share of zeros by the number of steps."""

from __future__ import annotations

import warnings
import weakref
from functools import wraps
from typing import Any

from minitorch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["BaseScheduler"]

_ASK_LAST = "To get the last sparsity level computed by the scheduler, please use `get_last_sl()`."


def counted(method: Any) -> Any:
    """A method of a sparsifier that counts its calls; one that counts already as it is."""
    if getattr(method, "_with_counter", False):
        return method
    owner, function = weakref.ref(method.__self__), method.__func__  # without a cycle
    cls = type(method.__self__)
    del method

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        instance: Any = owner()
        instance._step_count += 1
        return function.__get__(instance, cls)(*args, **kwargs)

    call._with_counter = True  # type: ignore[attr-defined]
    return call


class BaseScheduler:
    """Sets the share of zeros, `sparsity_level`, of each tensor of a sparsifier.

    A subclass defines `get_sl`, which returns a list of them for `last_epoch`.

    Args:
        sparsifier: a BaseSparsifier, which is prepared.
        last_epoch: the number of steps before.
        verbose: whether each step prints.

    Raises:
        TypeError: for another object.

    As torch.ao.pruning.BaseScheduler.
    """

    def __init__(self, sparsifier: Any, last_epoch: int = -1, verbose: bool = False) -> None:
        if not isinstance(sparsifier, BaseSparsifier):
            raise TypeError(
                f"{type(sparsifier).__name__} is not an instance of torch.ao.pruning.BaseSparsifier"
            )
        self.sparsifier: Any = sparsifier
        self.base_sl = [group["sparsity_level"] for group in sparsifier.groups]
        self.last_epoch = last_epoch
        self.sparsifier.step = counted(self.sparsifier.step)
        self.sparsifier._step_count = 0
        self._step_count: int = 0
        self.verbose = verbose
        self._get_sl_called_within_step: bool = False
        self.step()

    def state_dict(self) -> dict[str, Any]:
        """All that the scheduler keeps, but for the sparsifier."""
        return {key: value for key, value in self.__dict__.items() if key != "sparsifier"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what state_dict returned.

        Args:
            state_dict: that.
        """
        self.__dict__.update(state_dict)

    def get_last_sl(self) -> list[float]:
        """The shares that the last step set."""
        return self._last_sl

    def get_sl(self) -> list[float]:
        """The shares for `last_epoch`, of a subclass."""
        self._warn_outside()
        raise NotImplementedError

    def _warn_outside(self) -> None:
        if not self._get_sl_called_within_step:
            warnings.warn(_ASK_LAST, stacklevel=3)

    def print_sl(self, is_verbose: bool, group: Any, sl: float, epoch: int | None = None) -> None:
        """Prints the share of a group, if `is_verbose`."""
        if is_verbose and epoch is None:
            print(f"Adjusting sparsity level of group {group} to {sl:.4e}.")
        elif is_verbose:
            print(f"Epoch {epoch:5d}: adjusting sparsity level of group {group} to {sl:.4e}.")

    def __repr__(self) -> str:
        return (
            f"{self.__class__.__name__} (\nSparsifier {self.sparsifier}\n"
            f"    base_sl: {self.base_sl}\n)"
        )

    def step(self, epoch: int | None = None) -> None:
        """Sets the shares for one more step. The sparsifier steps before.

        Args:
            epoch: the number to print.
        """
        if self._step_count == 1:
            if not hasattr(self.sparsifier.step, "_with_counter"):
                warnings.warn(
                    "Seems like `sparsifier.step()` has been overridden after sparsity scheduler "
                    "initialization. Please, make sure to call `sparsifier.step()` before "
                    "`scheduler.step()`.",
                    UserWarning,
                    stacklevel=2,
                )
            elif self.sparsifier._step_count < 1:
                warnings.warn(
                    "Detected call of `scheduler.step()` before `sparsifier.step()`. You have to "
                    "make sure you run the sparsifier.step() BEFORE any calls to the "
                    "scheduler.step().",
                    UserWarning,
                    stacklevel=2,
                )
        self._step_count += 1
        self._get_sl_called_within_step = True
        try:
            self.last_epoch += 1
            values = self.get_sl()
        finally:
            self._get_sl_called_within_step = False
        for i, (group, sl) in enumerate(zip(self.sparsifier.groups, values)):
            group["sparsity_level"] = sl
            self.print_sl(self.verbose, i, sl, epoch)
        self._last_sl = [group["sparsity_level"] for group in self.sparsifier.groups]
        self.sparsifier.enable_mask_update = True

    def _make_sure_a_list(self, var: Any) -> list[Any]:
        n = len(self.sparsifier.groups)
        if not isinstance(var, (list, tuple)):
            return [var] * n
        if len(var) != n:
            raise ValueError(f"Expected variable of length {n}, but got {len(var)}")
        return list(var)
