"""Powers: common exponents, integers, gradients where a base or an exponent is 0."""

import pytest

import minitorch as torch


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, -0.5])
def test_common_exponents_are_exact(exponent):
    x = torch.tensor([4.0, 16.0])
    assert (x**exponent).tolist() == [4.0**exponent, 16.0**exponent]


def test_anything_to_the_power_0_is_1():
    assert (torch.tensor([0.0, float("nan"), float("inf")]) ** 0).tolist() == [1.0, 1.0, 1.0]


def test_integers_have_no_negative_powers():
    with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
        torch.tensor([2]) ** -1


def test_an_integer_to_a_negative_power_in_a_tensor_is_1_or_0():
    power = torch.tensor([1, -1, 2, 0]) ** torch.tensor([-1, -3, -1, -2])
    assert power.tolist() == [1, -1, 0, 0]


def test_each_overload_has_its_node():
    x = torch.tensor([2.0], requires_grad=True)
    assert (x**2).grad_fn.name() == "PowBackward0"
    assert (x**x).grad_fn.name() == "PowBackward1"
    assert (2**x).grad_fn.name() == "PowBackward2"
    assert x.square().grad_fn.name() == "PowBackward0"


def test_the_gradient_of_an_exponent_is_0_where_the_base_is():
    exponent = torch.tensor([2.0, 0.0], requires_grad=True)
    (torch.tensor([0.0, 0.0]) ** exponent).sum().backward()
    assert exponent.grad.tolist() == [0.0, 0.0]


def test_the_gradient_of_the_base_of_a_power_0_is_0():
    base = torch.tensor([0.0], requires_grad=True)
    (base ** torch.tensor([0.0])).sum().backward()
    assert base.grad.tolist() == [0.0]


def test_numbers_alone_fit_no_signature():
    with pytest.raises(TypeError, match=r"pow\(\) received an invalid combination of arguments"):
        torch.pow(2, 3)


def test_an_infinite_gradient_of_a_flat_power_is_not_a_number():
    exponent = torch.tensor([2.0], requires_grad=True)
    torch.pow(torch.zeros(1), exponent).backward(torch.tensor([float("inf")]))
    assert exponent.grad.isnan().all()


def test_a_power_of_0_is_flat_in_real_exponents_only():
    exponent = torch.tensor([1 + 0j, 1 + 1j], requires_grad=True)
    power = torch.pow(torch.zeros(2, dtype=torch.complex64), exponent)
    power.backward(torch.ones(2, dtype=torch.complex64))
    assert exponent.grad[0] == 0
    assert exponent.grad[1].isnan()


def test_double_precision_is_asked_of_the_base_and_of_out():
    with pytest.raises(RuntimeError, match="the base given to float_power_ has dtype Float but"):
        torch.ones(2).float_power_(2)
    with pytest.raises(RuntimeError, match="result requires dtype ComplexDouble"):
        torch.float_power(torch.ones(2), 2j, out=torch.ones(2))
    assert torch.ones(2, dtype=torch.float64).float_power_(2).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match=r"float_power\(\) received an invalid combination"):
        torch.float_power(2, 3)


def test_pow_of_infinite_complex_numbers_goes_by_their_logarithm():
    powers = torch.pow(float("inf"), torch.tensor([1 + 0j, 3 + 0j]))
    assert torch.isinf(powers.real).all()
    assert torch.isnan(powers.imag).all()
    assert torch.pow(1e300, torch.tensor([3 + 0j]).to(torch.complex128)).tolist() == [
        complex("inf")
    ]


def test_pow_of_bools_needs_no_kernel_for_0_and_1():
    x = torch.tensor([True, False])
    assert (x.pow(True)).tolist() == [True, False]
    assert x.pow(False).tolist() == [True, True]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64, torch.bool])
def test_pow_in_place_refuses_negative_powers_of_integers(dtype):
    with pytest.raises(RuntimeError, match="Integers to negative integer powers"):
        torch.ones(2, dtype=dtype).pow_(-1)


def test_pow_refuses_exponents_that_no_integer_of_c_holds():
    with pytest.raises(OverflowError, match="can't convert negative int to unsigned"):
        torch.ones(2, dtype=torch.float64).pow(-(2**63) - 1)
