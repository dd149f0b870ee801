"""Complex numbers: conjugates, parts, angles."""

import math

import numpy
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


def test_a_conjugate_is_a_view_that_writes_go_through():
    x = torch.tensor([1 + 2j, 3 - 1j])
    y = x.conj()
    assert y.is_conj()
    assert y._base is x
    assert y.data_ptr() == x.data_ptr()
    x[0] = 5j
    assert y.tolist() == [-5j, 3 + 1j]
    y.mul_(1j)
    assert x.tolist() == [5 + 0j, -1 - 3j]
    assert x._version == y._version == 2


def test_what_moves_no_numbers_keeps_the_bit_and_what_computes_drops_it():
    y = torch.tensor([[1 + 2j, 3 - 1j]]).conj()
    for kept in (y[0], y.t(), y.reshape(2), y.detach(), y.expand(2, 2), y.as_strided((2,), (1,))):
        assert kept.is_conj()
    for dropped in (y.clone(), y * 2, torch.cat([y, y]), y[[0]], y.resolve_conj(), y.conj()):
        assert not dropped.is_conj()
    assert y.reshape(2).tolist() == [1 - 2j, 3 + 1j]
    assert torch.cat([y, y]).tolist() == [[1 - 2j, 3 + 1j]] * 2


def test_the_imaginary_part_of_a_conjugate_is_a_view_that_negates():
    x = torch.tensor([1 + 2j])
    part = x.conj().imag
    assert part.is_neg()
    assert part._base is x
    assert (part + 1).tolist() == [-1.0]
    part.fill_(7)
    assert x.tolist() == [1 - 7j]
    assert not part.resolve_neg().is_neg()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda y: y.numpy(), "Can't call numpy\\(\\) on Tensor that has conjugate bit set"),
        (lambda y: y.imag.numpy(), "Can't call numpy\\(\\) on Tensor that has negative bit set"),
        (lambda y: torch.view_as_real(y), "doesn't work on unresolved conjugated tensors"),
        (lambda y: y.view(torch.float32), "not supported for conjugate view tensors"),
    ],
)
def test_the_bare_memory_of_a_conjugate_is_not_given_away(call, text):
    with pytest.raises(RuntimeError, match=text):
        call(torch.tensor([1 + 2j]).conj())


def test_gradients_flow_through_writes_into_a_conjugate_and_into_its_base():
    leaf = torch.tensor([1 + 2j], requires_grad=True)
    x = leaf * 1
    x.conj().mul_(3j)
    (gradient,) = torch.autograd.grad(x.real.sum(), leaf)
    assert gradient.tolist() == [3j]
    x = leaf * 1
    y = x.conj()
    x.mul_(3j)
    (gradient,) = torch.autograd.grad(y.real.sum(), leaf)
    assert gradient.tolist() == [-3j]


def test_a_conjugate_whose_elements_run_backwards_is_read_in_order():
    x = torch.tensor([1 + 1j, 2 + 2j])
    assert x.conj().flip(0).tolist() == [2 - 2j, 1 - 1j]


def test_magnitudes_and_angles_of_complex64_are_rounded_once():
    z = torch.complex(torch.linspace(-9, 7, 50), torch.linspace(3, -8, 50))
    assert z.abs().equal(z.to(torch.complex128).abs().float())
    assert z.angle().equal(z.to(torch.complex128).angle().float())


def test_what_is_filled_through_a_conjugate_lies_conjugated_in_memory():
    x = torch.tensor([1 - 2j, 3 + 1j])
    x.conj().zero_()
    assert str(x) == "tensor([0.-0.j, 0.-0.j])"
    x.conj().masked_fill_(torch.tensor([True, False]), 2j)
    assert x.tolist() == [-2j, 0]
    y = torch.tensor([1 - 2j, 3 + 1j])
    y.conj().imag.masked_fill_(torch.tensor([True, True]), 5)
    assert y.tolist() == [1 - 5j, 3 - 5j]


def test_pairs_are_seen_as_complex_numbers_whatever_their_strides():
    x = torch.arange(6.0)
    assert torch.view_as_complex(x.as_strided((1, 2), (5, 1))).imag.stride() == (4,)


def test_conjugates_stay_so_in_other_memory():
    x = torch.tensor([1 - 2j, 3 + 1j]).conj()
    x.set_(torch.tensor([4j]))
    assert x.tolist() == [-4j]


def test_running_sums_of_complex_exponentials():
    x = torch.tensor([1 + 2j, 2j], requires_grad=True)
    y = x.logcumsumexp(0)
    assert torch.allclose(y, torch.log(torch.cumsum(torch.exp(x), 0)))
    y[1].abs().backward()
    expected = torch.tensor([1 + 2j, 2j], requires_grad=True)
    torch.log(torch.exp(expected).sum()).abs().backward()
    assert torch.allclose(x.grad, expected.grad)


def test_complex_numbers_of_two_halves():
    z = torch.view_as_complex(torch.arange(1, 9.0).half().reshape(4, 2))
    assert (z.dtype, z.element_size(), z.is_complex()) == (torch.complex32, 4, True)
    assert z.tolist() == [1 + 2j, 3 + 4j, 5 + 6j, 7 + 8j]
    assert repr(z[:2]) == "tensor([1.+2.j, 3.+4.j], dtype=torch.complex32)"
    assert z.real.data_ptr() == z.data_ptr()
    assert (z * z).tolist() == [x * x for x in z.tolist()]
    assert (z.cfloat().chalf() == z).all()
    assert z.conj().tolist() == [x.conjugate() for x in z.tolist()]
    z[0], z[1:3] = 1, torch.tensor([1j, 2])
    assert z.tolist() == [1, 1j, 2, 7 + 8j]
    assert torch.where(z == 1, z, 3).tolist() == [1, 3, 3, 3]
    for made in (torch.ones, torch.zeros):
        assert made(2, dtype=torch.chalf).tolist() == made(2).tolist()
    with pytest.raises(NotImplementedError, match="ComplexHalf"):
        z.exp()
    with pytest.raises(NotImplementedError, match=r'"sum_cpu" not implemented for .ComplexHalf'):
        z.sum()


def test_a_part_that_is_read_through_a_bit_is_true_or_false():
    x = torch.tensor([-3j, 2]).conj().imag
    assert [bool(each) for each in x] == [True, False]


def test_a_running_sum_of_exponentials_adds_around_the_newer_of_equal_numbers():
    x = torch.tensor([complex("-inf-2j"), 2 + 4j, 2 - 1j])
    assert x.logcumsumexp(0).imag.tolist() == pytest.approx([0, 4, 1.5 - math.pi])


def test_statistics_of_two_halves_are_rounded_once():
    z = torch.tensor([3 + 4j, -1j, 0.5]).chalf()
    assert z.var().dtype is torch.float16
    assert z.var().item() == numpy.float16(torch.tensor([3 + 4j, -1j, 0.5]).var().item())
    mean = torch.var_mean(z)[1]
    assert (mean.dtype, z.norm().dtype) == (torch.complex32, torch.float16)
    assert z[:1].norm().item() == 5.0
    assert torch.isfinite(z).tolist() == [True] * 3
    assert torch.dist(z, z).item() == 0.0


def test_convolutions_of_two_halves_are_computed_in_complex64():
    x, w = torch.arange(6.0).chalf().reshape(1, 1, 6), torch.tensor([[[1j, 1.0]]]).chalf()
    out = torch.nn.functional.conv1d(x, w)
    assert out.dtype is torch.complex32
    assert out.tolist() == torch.nn.functional.conv1d(x.cfloat(), w.cfloat()).tolist()


def test_normal_numbers_of_two_halves_are_drawn_part_by_part():
    torch.manual_seed(0)
    z = torch.empty(3, dtype=torch.chalf).normal_()
    torch.manual_seed(0)
    parts = torch.empty(3, 2, dtype=torch.half).normal_(0, 0.5**0.5)
    assert torch.view_as_real(z).tolist() == parts.tolist()


@pytest.mark.parametrize("call", [torch.equal, torch.isin])
def test_comparisons_without_a_kernel_for_two_halves_are_refused(call):
    z = torch.ones(2).chalf()
    with pytest.raises(NotImplementedError, match="not implemented for 'ComplexHalf'"):
        call(z, z.clone())
