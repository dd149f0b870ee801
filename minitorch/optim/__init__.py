"""torch.optim: updating parameters from their gradients."""

from typing import Any as _Any

from minitorch.optim.adam import Adam
from minitorch.optim.adamw import AdamW
from minitorch.optim.optimizer import Optimizer
from minitorch.optim.sgd import SGD


def __getattr__(name: str) -> _Any:
    if name == "lr_scheduler":  # imported when first asked for
        from importlib import import_module

        return import_module("minitorch.optim.lr_scheduler")
    from minitorch.namespace import missing

    return missing("torch.optim", name)
