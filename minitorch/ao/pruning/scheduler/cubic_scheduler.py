"""torch.ao.pruning.scheduler.cubic_scheduler: shares of zeros that grow ever more slowly.

Zhu and Gupta, https://arxiv.org/abs/1710.01878.
"""

from __future__ import annotations

from typing import Any

from minitorch.ao.pruning.scheduler.base_scheduler import BaseScheduler

__all__ = ["CubicSL"]


def _clamp(x: float, lo: float, hi: float) -> float:
    return max(lo, min(hi, x))


class CubicSL(BaseScheduler):
    """Moves each share from `init_sl` to that of the sparsifier, along a cubic function.

    Args:
        sparsifier: a BaseSparsifier, which is prepared.
        init_sl: the first share.
        init_t: the step at which it begins to grow.
        delta_t: the number of steps between changes.
        total_t: the number of changes.
        initially_zero: whether the share is 0 before `init_t`.
        last_epoch: the number of steps before.
        verbose: whether each step prints.

    As torch.ao.pruning.CubicSL.
    """

    def __init__(
        self,
        sparsifier: Any,
        init_sl: Any = 0.0,
        init_t: Any = 0,
        delta_t: Any = 10,
        total_t: Any = 100,
        initially_zero: Any = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.sparsifier = sparsifier
        self.init_sl = self._make_sure_a_list(init_sl)
        self.init_t = self._make_sure_a_list(init_t)
        self.delta_t = self._make_sure_a_list(delta_t)
        self.total_t = self._make_sure_a_list(total_t)
        self.initially_zero = self._make_sure_a_list(initially_zero)
        super().__init__(sparsifier, last_epoch, verbose)

    @staticmethod
    def sparsity_compute_fn(
        s_0: float, s_f: float, t: int, t_0: int, dt: int, n: int, initially_zero: bool = False
    ) -> float:
        """The share at a step.

        Args:
            s_0, s_f: the first and the last share.
            t, t_0: the step, and the one at which the share begins to grow.
            dt, n: the number of steps between changes, and that of changes.
            initially_zero: whether it is 0 before.
        """
        if initially_zero and t < t_0:
            return 0
        return _clamp(s_f + (s_0 - s_f) * (1.0 - (t - t_0) / (dt * n)) ** 3, s_0, s_f)

    def get_sl(self) -> list[float]:
        """The shares for `last_epoch`."""
        self._warn_outside()
        each = zip(
            self.init_sl, self.base_sl, self.init_t, self.delta_t, self.total_t, self.initially_zero
        )
        return [
            self.sparsity_compute_fn(s_0, s_f, self.last_epoch, t_0, dt, n, zero)
            for s_0, s_f, t_0, dt, n, zero in each
        ]
