"""torch.optim: updating parameters from their gradients."""

from typing import Any as _Any

from minitorch.optim.adam import Adam
from minitorch.optim.adamw import AdamW
from minitorch.optim.optimizer import Optimizer
from minitorch.optim.sgd import SGD


def __getattr__(name: str) -> _Any:
    from minitorch.namespace import missing

    return missing("torch.optim", name)
