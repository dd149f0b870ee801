"""Complex numbers: conjugates, parts, angles."""

import math

import pytest

import minitorch as torch


def test_the_conjugate_of_a_real_tensor_is_itself():
    x = torch.tensor([1.0])
    assert x.conj() is x
    assert x.real is x


def test_the_parts_are_views():
    z = torch.tensor([1 + 2j])
    z.imag.add_(1)
    assert z.tolist() == [1 + 3j]
    z.real = torch.tensor([5.0])
    assert z.tolist() == [5 + 3j]


def test_a_conjugate_has_a_node_whose_gradient_is_conjugated():
    z = torch.tensor([1 + 2j], requires_grad=True)
    y = z.conj()
    assert y.grad_fn.name() == "ConjBackward0"
    y.backward(torch.tensor([1j]))
    assert z.grad.tolist() == [-1j]


def test_real_tensors_have_no_imaginary_part():
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex"):
        torch.tensor([1.0]).imag  # noqa: B018  (reading it is what raises)


def test_the_angle_of_real_numbers_is_0_or_pi():
    assert torch.tensor([1.0, -1.0]).angle().tolist() == [0.0, pytest.approx(math.pi)]
    assert torch.tensor([1j]).angle().tolist() == [pytest.approx(math.pi / 2)]


def test_angles_of_complex_numbers_are_contiguous_and_those_of_real_ones_lie_as_they():
    x = torch.ones(2, 3).t()
    assert torch.angle(x).stride() == (1, 3)
    assert torch.angle(torch.complex(x, x)).stride() == (2, 1)


def test_a_conjugate_in_place_has_a_node_of_its_own_for_real_numbers_too():
    x = (torch.ones(2, requires_grad=True) * 1).conj_physical_()
    assert type(x.grad_fn).__name__ == "ConjPhysicalBackward1"
    (y,) = torch.autograd.grad((x * 3).sum(), x)
    assert y.tolist() == [3.0, 3.0]
