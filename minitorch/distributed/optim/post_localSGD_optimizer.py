"""PostLocalSGDOptimizer: an optimizer whose parameters are averaged over ranks now and then."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.optim import Optimizer


class PostLocalSGDOptimizer(Optimizer):
    """An optimizer of this rank, and what averages its parameters after each step.

    Args:
        optim: the optimizer of this rank.
        averager: a ModelAverager.

    As torch.distributed.optim.PostLocalSGDOptimizer.
    """

    def __init__(self, optim: Any, averager: Any) -> None:
        self.optim = optim
        self.param_groups = self.optim.param_groups
        self.averager = averager

    @property
    def state(self) -> Any:  # type: ignore[override]
        """The state of the optimizer of this rank."""
        return self.optim.state

    def __repr__(self) -> str:
        return self.optim.__repr__()

    def state_dict(self) -> dict[str, Any]:
        """The state of the optimizer, with the step of the averager under "step"."""
        state = self.optim.state_dict()
        state["step"] = self.averager.step
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state; the averager begins anew where that does not tell its step."""
        self.optim.load_state_dict(state_dict)
        if "step" in state_dict:
            self.averager.step = state_dict["step"]
            return
        warnings.warn(
            "Loaded state dict does not contain a step counter for an averager. Setting step "
            "counter to 0.",
            stacklevel=2,
        )
        self.averager.step = 0

    def step(self) -> None:  # type: ignore[override]
        """Takes a step on this rank, and averages if it is time to."""
        self.optim.step()
        self.averager.average_parameters(params=self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters."""
        self.optim.add_param_group(param_group)
