"""Learning rates that follow a schedule. As https://docs.pytorch.org/docs/stable/optim.html."""

from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.optim.lr_scheduler.base import LRScheduler, _LRScheduler
from minitorch.optim.lr_scheduler.composed import ChainedScheduler, SequentialLR
from minitorch.optim.lr_scheduler.cyclic import CyclicLR, OneCycleLR
from minitorch.optim.lr_scheduler.decaying import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from minitorch.optim.lr_scheduler.plateau import ReduceLROnPlateau
from minitorch.optim.lr_scheduler.waving import CosineAnnealingLR, CosineAnnealingWarmRestarts

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


__getattr__ = _names_of("torch.optim.lr_scheduler")
