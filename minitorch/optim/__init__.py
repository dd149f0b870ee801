"""torch.optim: updating parameters from their gradients."""

from typing import Any as _Any

from minitorch._later import missing as _missing
from minitorch.optim.adam import Adam
from minitorch.optim.adamw import AdamW
from minitorch.optim.optimizer import Optimizer
from minitorch.optim.sgd import SGD

# Modules and classes that are imported when first asked for.
_LAZY = {
    "lr_scheduler": "",
    "swa_utils": "",
    "swap_in_optimizer_params_and_state": "_stateless",
    "Adafactor": "_adafactor",
    "SparseAdam": "sparse_adam",
    "ASGD": "asgd",
    "LBFGS": "lbfgs",
    "Muon": "_muon",
    "Adadelta": "adadelta",
    "Adagrad": "adagrad",
    "Adamax": "adamax",
    "NAdam": "nadam",
    "RAdam": "radam",
    "RMSprop": "rmsprop",
    "Rprop": "rprop",
}


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        from importlib import import_module

        module = import_module(f"minitorch.optim.{_LAZY[name] or name}")
        return getattr(module, name) if _LAZY[name] else module
    return _missing("torch.optim", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
