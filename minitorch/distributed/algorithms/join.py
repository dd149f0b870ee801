"""torch.distributed.algorithms.join: ranks that have no more data answer those that have."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import minitorch
from minitorch.distributed.distributed_c10d import all_reduce, get_rank

__all__ = ["Join", "JoinHook", "Joinable"]

_MANY = 1000  # iterations that a rank may lack until it warns


class JoinHook:
    """The actions of a rank without data. As torch.distributed.algorithms.JoinHook."""

    def main_hook(self) -> None:
        """Takes part in the messages of one iteration of the other ranks."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Finishes, once no rank has data any more.

        Args:
            is_last_joiner: whether this rank is one of the last that had some.
        """


class _JoinConfig(NamedTuple):
    """Whether a Joinable is within a Join, and which of its duties it has."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool

    @staticmethod
    def construct_disabled_join_config() -> _JoinConfig:
        """The settings outside any Join."""
        return _JoinConfig(enable=False, throw_on_early_termination=False, is_first_joinable=False)


class Joinable(ABC):
    """The base of the objects that Join accepts. As torch.distributed.algorithms.Joinable."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig.construct_disabled_join_config()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The JoinHook that acts for this object once its rank has no more data."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device of the messages."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The ranks."""


class Join:
    """A block in which ranks may have different numbers of batches.

    Args:
        joinables: what communicates in each iteration, of one group; the first tells the others
            that this rank has data.
        enable: False if the ranks are known to have as many.
        throw_on_early_termination: whether all ranks raise as soon as one has no more data.

    Raises:
        ValueError: there is none, or they are of different groups.

    As torch.distributed.algorithms.Join.
    """

    def __init__(
        self,
        joinables: list[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [each.join_hook(**kwargs) for each in joinables]
        self._enable = enable
        self._throw_on_early_termination = throw_on_early_termination
        for i, each in enumerate(joinables):
            each._join_config = _JoinConfig(enable, throw_on_early_termination, i == 0)
        if any(each.join_process_group != joinables[0].join_process_group for each in joinables):
            raise ValueError("Using join context manager with multiple process groups")
        self._process_group = joinables[0].join_process_group
        self._rank = get_rank(self._process_group)
        self._device = joinables[0].join_device

    def __enter__(self) -> None: ...

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        """Mirrors the messages of the others until no rank has data.

        Raises:
            RuntimeError: another rank has data, and all were to raise then.
        """
        if not self._enable or type:
            return
        is_last, iterations = True, 0
        warnings.simplefilter("once")
        while self._get_num_nonjoined_procs():
            if iterations > _MANY:
                warnings.warn(
                    f"Detected uneven input skew of greater than {_MANY}. This means that rank "
                    f"{self._rank} has at least {_MANY} fewer inputs than other currently-active "
                    "ranks. This level of skew could lead to performance degradation during "
                    "training.",
                    stacklevel=2,
                )
            if self._throw_on_early_termination:
                self._notify_procs_to_terminate()
            for hook in self._join_hooks:
                hook.main_hook()
            is_last = False
            iterations += 1
        for hook in self._join_hooks:
            hook.post_hook(is_last)

    def _get_num_nonjoined_procs(self) -> float:
        """The number of ranks with data, by the all-reduce that starts each iteration."""
        count = minitorch.zeros(1, device=self._device)
        all_reduce(count, group=self._process_group)
        return count.item()

    def _notify_procs_to_terminate(self) -> None:
        """Tells the others to raise, and does so."""
        all_reduce(minitorch.ones(1, device=self._device), group=self._process_group)
        raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Any:
        """Tells the ranks without data that this one has some; before an iteration's messages.

        Returns:
            The Work of that, of the first joinable; None for the others.

        Raises:
            RuntimeError: a rank has no more data, and all were to raise then.
        """
        if not hasattr(joinable, "_join_config"):
            raise AssertionError(
                f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor"
            )
        config = joinable._join_config
        if not config.is_first_joinable or not config.enable:
            return None
        group, device = joinable.join_process_group, joinable.join_device
        work = all_reduce(minitorch.ones(1, device=device), group=group, async_op=True)
        if config.throw_on_early_termination:
            ended = minitorch.zeros(1, device=device)
            all_reduce(ended, group=group)
            if ended.item():
                raise RuntimeError(
                    "Detected at least one rank that exhausted inputs. Throwing across all ranks."
                )
        return work
