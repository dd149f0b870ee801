"""torch.optim: updating parameters from their gradients."""

from minitorch._public.later import names_of as _names_of
from minitorch.optim.adam import Adam
from minitorch.optim.adamw import AdamW
from minitorch.optim.optimizer import Optimizer
from minitorch.optim.sgd import SGD

__all__ = (
    "ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop "
    "Rprop SGD SparseAdam lr_scheduler swa_utils swap_in_optimizer_params_and_state"
).split()

# Classes and modules that are imported when first asked for.
_LAZY = {
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
_MODULES = ("lr_scheduler", "swa_utils")

__getattr__ = _names_of("torch.optim", _LAZY, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_MODULES})
