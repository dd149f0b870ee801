"""A step of each optimizer, over four parameters."""

from typing import Any

import torch

from benchmarks.measure import Sampler
from benchmarks.sweep.samples import SIZES
from benchmarks.sweep.timing import repeated

PARAMETERS = 4


def sampler(library: Any, name: str, size: str) -> Sampler:
    """A sampler of the steps of an optimizer whose largest parameter has the given size."""
    torch.manual_seed(0)
    side = round(SIZES[size] ** 0.5)
    parameters = []
    for _ in range(PARAMETERS):
        numbers, gradient = torch.randn(side, side).numpy(), torch.randn(side, side).numpy()
        parameter = library.nn.Parameter(library.from_numpy(numbers))
        parameter.grad = library.from_numpy(gradient)
        parameters.append(parameter)
    options: dict[str, Any] = {"lr": 1e-3} if name != "optim.Adafactor" else {}
    optimizer = getattr(library.optim, name.removeprefix("optim."))(parameters, **options)
    if name == "optim.LBFGS":

        def closure() -> Any:
            optimizer.zero_grad()
            loss = sum([(each * each).sum() for each in parameters])
            loss.backward()
            return loss

        return repeated(lambda: optimizer.step(closure))
    if name == "optim.SparseAdam":
        for each in parameters:
            each.grad = each.grad.to_sparse()
    return repeated(optimizer.step)
