"""Operators on a million numbers, where no Python counts: loops, memory and threads."""

from typing import Any

import numpy as np

from .measure import Case, Sampler, statement

SAMPLE = 2e-3  # seconds
SIDE = 1000

# name -> the call, and the same by NumPy in the precision that torch's results need
CALLS = {
    "x * y": ("x * y", "np.multiply(x, y)"),
    "exp": ("x.exp()", "np.exp(x)"),
    "sin": ("x.sin()", "np.sin(x)"),
    "sum": ("x.sum()", "x.sum()"),
    "softmax": ("x.softmax(1)", "softmax_of_rows(x)"),
}


def softmax_of_rows(x: Any) -> Any:
    """The softmax of each row, with NumPy by hand."""
    out = x - x.max(1, keepdims=True)
    np.exp(out, out)
    out *= 1 / out.sum(1, keepdims=True)
    return out


def operator(torch: Any, call: str) -> Sampler:
    torch.manual_seed(0)
    x, y = torch.randn(2, SIDE, SIDE)
    return statement(call, x=x, y=y)


def by_hand(call: str) -> Sampler:
    x, y = np.random.default_rng(0).standard_normal((2, SIDE, SIDE), dtype=np.float32)
    return statement(call, x=x, y=y, np=np, softmax_of_rows=softmax_of_rows)


def softmax_both_ways(torch: Any) -> Sampler:
    torch.manual_seed(0)
    x, gradient = torch.randn(SIDE, SIDE, requires_grad=True), torch.randn(SIDE, SIDE)

    def run() -> None:
        x.softmax(1).backward(gradient)
        x.grad = None

    return statement("run()", run=run)


CASES = [
    Case(
        f"1e6 numbers: {name}",
        lambda torch, call=call: operator(torch, call),
        floor=lambda floor=floor: by_hand(floor),
        sample=SAMPLE,
    )
    for name, (call, floor) in CALLS.items()
] + [Case("1e6 numbers: softmax, forward and backward", softmax_both_ways, sample=SAMPLE)]
