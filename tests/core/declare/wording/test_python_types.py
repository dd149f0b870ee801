"""Python's int, float, bool and complex where a dtype is due."""

import pytest

import minitorch as torch

MEANT = {int: torch.int64, float: torch.float64, bool: torch.bool, complex: torch.complex128}
each_type = pytest.mark.parametrize("kind", MEANT)


@each_type
def test_factories_take_types_for_dtypes(kind):
    assert torch.zeros(2, dtype=kind).dtype is MEANT[kind]
    assert torch.tensor([1, 0], dtype=kind).dtype is MEANT[kind]
    assert torch.ones(2).new_full((2,), 1, dtype=kind).dtype is MEANT[kind]
    assert torch.zeros_like(torch.ones(2), dtype=kind).dtype is MEANT[kind]


@each_type
def test_casts_take_types_for_dtypes(kind):
    x = torch.ones(2, 2)
    assert x.to(kind).dtype is x.to(dtype=kind).dtype is x.to("cpu", kind).dtype is MEANT[kind]
    assert x.double().view(kind).dtype is x.double().view(dtype=kind).dtype is MEANT[kind]


@each_type
def test_reductions_take_types_for_dtypes(kind):
    x = torch.ones(2, 2)
    for result in (x.sum(dtype=kind), torch.sum(x, 0, dtype=kind), x.prod(0, dtype=kind)):
        assert result.dtype is MEANT[kind]


def test_composites_take_types_for_dtypes():
    x = torch.ones(2, 2)
    assert torch.softmax(x, 0, dtype=float).dtype is torch.float64
    assert torch.linalg.norm(x, dtype=float).dtype is torch.float64
    assert torch.fft.fftfreq(3, dtype=float).dtype is torch.float64
    assert torch.sum(x, dtype=float, dim=0, out=torch.empty(2).double()).dtype is torch.float64


def test_modules_and_limits_take_types_for_dtypes():
    assert torch.nn.Linear(2, 2, dtype=float).to(float).weight.dtype is torch.float64
    assert torch.finfo(float).bits == torch.iinfo(int).bits == 64
    assert torch.promote_types(int, float) is torch.float64
    assert torch.can_cast(int, float)
    assert not torch.can_cast(float, int)


def test_gradients_flow_through_a_cast_to_a_type():
    x = torch.ones(2, requires_grad=True)
    x.to(float).sum(dtype=float).backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_other_types_are_refused():
    with pytest.raises(TypeError, match=r"^zeros\(\): argument 'dtype' must be torch.dtype, not t"):
        torch.zeros(2, dtype=str)
    with pytest.raises(ValueError, match=r"^invalid type: 'float'$"):
        torch.ones(2).type(float)
    with pytest.raises(TypeError, match="only floating-point types are supported as the default"):
        torch.set_default_dtype(float)
    with pytest.raises(
        TypeError, match=r"^finfo\(\): argument 'type' \(position 1\) must be torch"
    ):
        torch.finfo(str)
