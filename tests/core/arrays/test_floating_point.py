"""Casts of arrays."""

import minitorch as torch


def test_float64_becomes_float16_by_way_of_float32():
    # Just above the middle of two halves, and in float32 the middle, which goes to the even one.
    number = 1 + 2**-11 + 2**-40
    x = torch.tensor([number], dtype=torch.float64)
    half = torch.float16
    assert x.half().item() == x.to(half).item() == torch.zeros(1, dtype=half).add_(x).item() == 1
    assert torch.full((1,), number, dtype=half).item() == 1
    y = torch.zeros(2, dtype=half)
    y[0] = number
    y[1:] = x
    assert y.tolist() == [1, 1]
    assert torch.add(x, 0, out=torch.zeros(1, dtype=half)).item() == 1
