"""torch.ao.pruning.scheduler.lambda_scheduler: shares of zeros by functions."""

from __future__ import annotations

from typing import Any

from minitorch.ao.pruning.scheduler.base_scheduler import BaseScheduler

__all__ = ["LambdaSL"]


class LambdaSL(BaseScheduler):
    """Sets each share to the first one times a function of the number of steps.

    Args:
        sparsifier: a BaseSparsifier, which is prepared.
        sl_lambda: the function, or a list of one for each tensor.
        last_epoch: the number of steps before.
        verbose: whether each step prints.

    Raises:
        ValueError: for a list of another length.

    As torch.ao.pruning.LambdaSL.
    """

    def __init__(
        self, sparsifier: Any, sl_lambda: Any, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.sparsifier = sparsifier
        count = len(sparsifier.groups)
        if not isinstance(sl_lambda, (list, tuple)):
            self.sl_lambdas = [sl_lambda] * count
        else:
            if len(sl_lambda) != count:
                raise ValueError(f"Expected {count} lr_lambdas, but got {len(sl_lambda)}")
            self.sl_lambdas = list(sl_lambda)
        super().__init__(sparsifier, last_epoch, verbose)

    def get_sl(self) -> list[float]:
        """The shares for `last_epoch`."""
        self._warn_outside()
        return [
            base * function(self.last_epoch)
            for function, base in zip(self.sl_lambdas, self.base_sl)
        ]
