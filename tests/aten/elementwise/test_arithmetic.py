"""Arithmetic: promotion, refusals, rounded quotients, Python operators, writes in place."""

import numpy as np
import pytest

import minitorch as torch


def values(tensor):
    return tensor.tolist()


def test_remainder_has_the_sign_of_the_divisor_and_fmod_that_of_the_dividend():
    a, b = torch.tensor([5.0, -5.0]), torch.tensor([-3.0, 3.0])
    assert values(a % b) == [-1.0, 1.0]
    assert values(torch.fmod(a, b)) == [2.0, -2.0]


def test_remainder_of_a_negative_multiple_is_minus_zero():
    rest = torch.remainder(torch.tensor([-4.0]), torch.tensor([2.0]))
    assert np.signbit(rest.numpy()).all()


@pytest.mark.parametrize(("mode", "expected"), [("trunc", [-3, 3, -4]), ("floor", [-4, 3, -4])])
def test_integer_quotients_round_towards_zero_or_down(mode, expected):
    quotient = torch.tensor([-7, 7, -8]).div(2, rounding_mode=mode)
    assert quotient.dtype is torch.int64
    assert values(quotient) == expected


def test_true_division_of_integers_is_floating():
    assert (torch.tensor([1, 2]) / 2).dtype is torch.float32


@pytest.mark.parametrize("other", [2, torch.tensor(2)])
def test_integers_are_divided_without_rounding_where_the_mode_is_none(other):
    x = torch.tensor([1, 2])
    assert torch.equal(x.div(other, rounding_mode=None), torch.tensor([0.5, 1.0]))
    assert torch.equal(torch.div(3, other, rounding_mode=None), torch.tensor(1.5))
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        x.div_(other, rounding_mode=None)


def test_numbers_are_divided_with_a_mode_as_tensors_are():
    assert torch.equal(torch.div(12, 5, rounding_mode="trunc"), torch.tensor(2))
    assert torch.equal(torch.div(-12.5, 5, rounding_mode="floor"), torch.tensor(-3.0))


@pytest.mark.parametrize("operator", ["//", "%"])
def test_integers_are_not_divided_by_zero(operator):
    x = torch.tensor([1])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x // 0 if operator == "//" else x % 0


def test_floor_divide_has_no_derivative():
    x = torch.tensor([3.0], requires_grad=True)
    y = x // 2
    assert y.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        y.sum().backward()


def test_a_number_minus_a_tensor_is_rsub_and_a_number_over_one_is_a_reciprocal():
    x = torch.tensor([4.0], requires_grad=True)
    assert (1 - x).grad_fn.name() == "RsubBackward1"
    quotient = 1 / x
    assert quotient.grad_fn.name() == "MulBackward0"
    assert quotient.grad_fn.next_functions[0][0].name() == "ReciprocalBackward0"


def test_only_a_given_rounding_mode_makes_the_node_of_modes():
    x = torch.tensor([4.0], requires_grad=True)
    assert x.div(2).grad_fn.name() == "DivBackward0"
    assert x.div(2, rounding_mode=None).grad_fn.name() == "DivBackward2"


def test_alpha_is_multiplied_and_added_with_one_rounding():
    x = torch.tensor([1.0], dtype=torch.float32)
    y = torch.tensor([1.0 + 2**-12])
    alpha = -(1.0 - 2**-12)
    exact = np.float32(1.0 + float(np.float32(alpha)) * (1.0 + 2**-12))
    assert torch.add(x, y, alpha=alpha).item() == exact
    assert torch.sub(x, y, alpha=-alpha).item() == exact
    assert torch.rsub(y, x, alpha=-alpha).item() == exact


def test_a_number_takes_part_with_a_2_byte_float_unrounded():
    x = torch.tensor([3.0], dtype=torch.bfloat16)
    assert (x * 0.1).item() == 0.30078125
    assert (torch.tensor([3.0], dtype=torch.float16) * 0.1).item() == float(
        np.float16(np.float32(3.0) * np.float32(0.1))
    )


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda b: b - b, "with two bool tensors is not supported"),
        (lambda b: 1 - b, "with a bool tensor is not supported"),
        (lambda b: -b, "Negation, the `-` operator, on a bool tensor"),
        (lambda b: +b, r"The `\+` operator, on a bool tensor is not supported"),
    ],
)
def test_bools_are_not_subtracted_or_negated(call, text):
    with pytest.raises(RuntimeError, match=text):
        call(torch.tensor([True]))


def test_a_fractional_alpha_does_not_go_with_integers():
    x = torch.tensor([1])
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        torch.add(x, x, alpha=0.5)


def test_an_alpha_that_is_true_goes_with_bools_alone():
    x, b = torch.tensor([1.0]), torch.tensor([True])
    for call in (torch.add, torch.sub, torch.rsub, torch.Tensor.add_):
        with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
            call(x, x, alpha=True)
    assert torch.add(b, b, alpha=True).dtype is torch.bool
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        torch.add(b, b, alpha=1.0)


def test_an_expanded_operand_of_another_dtype_counts_as_the_copy_that_is_read():
    x = torch.zeros(2, 1, 4, 5, dtype=torch.complex64).as_strided((2, 1, 4, 5), (20, 1, 5, 1))
    scale = torch.ones(2, 1, 1, 5).expand(2, 1, 4, 5)
    assert (x / scale).stride() == (20, 20, 5, 1)
    assert (x / scale.to(x.dtype)).stride() == (20, 20, 5, 1)


def test_a_difference_in_reverse_lies_in_memory_as_its_second_operand_does():
    x, y = torch.zeros(2, 3, 4), torch.zeros(4, 3, 2).permute(2, 1, 0)
    assert torch.rsub(y, x).stride() == (12, 4, 1)
    assert torch.rsub(x, y, alpha=2).stride() == (1, 2, 6)


def test_python_operators_refuse_what_is_neither_tensor_nor_number():
    x = torch.tensor([1.0])
    for call in (lambda: x - "a", lambda: "a" - x, lambda: x ** "a", lambda: x // None):
        with pytest.raises(TypeError, match="unsupported operand type"):
            call()


def test_writing_in_place_refuses_dtype_shape_and_overlap_and_leaves_the_data():
    x = torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired"):
        x.add_(0.5)
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast"):
        x.add_(torch.ones(3, 2, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x.expand(2, 2).sub_(1)
    assert values(x) == [1, 2]


def test_writing_in_place_moves_the_version_on_and_keeps_what_was_saved_before():
    x = torch.tensor([3.0], requires_grad=True)
    y = x.clone()
    assert y._version == 0
    y.mul_(y.detach().clone())
    assert y._version == 1
    y.sum().backward()
    assert values(x.grad) == [3.0]


def test_a_python_operator_is_one_of_tensors():
    with pytest.raises(TypeError, match=r"descriptor '__rmul__' for 'torch\._C\.TensorBase'"):
        torch.Tensor.__rmul__(2, 3)


def test_in_place_division_looks_at_the_shape_before_the_dtype():
    x = torch.ones(1, 2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="output with shape"):
        x.div_(torch.ones(2, 2))


def test_formulas_run_in_the_order_of_their_names():
    self, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    grads = torch.autograd.grad(
        self / other, (self, other), torch.ones(2, requires_grad=True), create_graph=True
    )
    assert grads[0].grad_fn._sequence_nr() > grads[1].grad_fn._sequence_nr()


@pytest.mark.parametrize("name", ["__rsub__", "__rmod__", "__rpow__", "__rlshift__"])
def test_reflected_operators_leave_two_numbers_to_python(name):
    assert getattr(torch.Tensor, name)(2, 3) is NotImplemented


def test_a_reflected_division_asks_its_operand_for_its_reciprocal():
    with pytest.raises(AttributeError, match="'int' object has no attribute 'reciprocal'"):
        torch.Tensor.__rdiv__(2, 3)


def test_two_numbers_have_no_remainder():
    with pytest.raises(TypeError) as caught:
        torch.remainder(2, 3)
    assert str(caught.value) == (
        "remainder() received an invalid combination of arguments - got (int, int), but expected "
        "one of:\n"
        " * (Tensor input, Tensor other, *, Tensor out = None)\n"
        " * (Number self, Tensor other)\n"
        "      didn't match because some of the arguments have invalid types: (!int!, !int!)\n"
        " * (Tensor input, Number other, *, Tensor out = None)\n"
    )
    for function in (torch.fmod, torch.xlogy, torch.copysign):
        with pytest.raises(TypeError, match="received an invalid combination of arguments"):
            function(torch.ones(2), "a")


def test_a_factor_may_be_a_tensor_that_stands_for_a_number():
    x = torch.ones(2, requires_grad=True)
    total = x.add(x, alpha=torch.tensor(2.0))
    assert total.grad_fn._saved_alpha == 2.0
    total.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    for factor in (torch.tensor([2.0]), torch.tensor(2.0, requires_grad=True)):
        with pytest.raises(TypeError, match=r"sub_\(\): argument 'alpha' must be Number, not Tens"):
            torch.ones(2).sub_(x.detach(), alpha=factor)


def test_numbers_are_rounded_before_they_are_added_to_2_byte_floats_but_not_as_factors():
    x = torch.tensor([0.3, 1.5], dtype=torch.bfloat16)
    assert values(x - 0.3) == [0.0, 1.203125]
    assert values(0.3 - x) == [0.0, -1.203125]
    assert values(torch.fmod(x, 0.3)) == [0.0, 0.296875]
    assert values(x * 0.1) == values((x.float() * 0.1).bfloat16())
    assert values(torch.tensor([2.7], dtype=torch.bfloat16) ** 3) == [19.75]


def test_a_complex_number_less_a_half_tensor_is_of_two_halves():
    x = torch.tensor([1.5, -2.25], dtype=torch.float16)
    for found in (1j - x, torch.rsub(x, 1j)):
        assert found.dtype is torch.complex32
        assert found.tolist() == [-1.5 + 1j, 2.25 + 1j]
    assert torch.rsub(x, 1j, alpha=2).tolist() == [-3 + 1j, 4.5 + 1j]


def test_rsub_of_a_number_refuses_factors_of_a_higher_kind():
    with pytest.raises(RuntimeError, match="alpha must not be a complex number"):
        torch.rsub(torch.ones(2), 1, alpha=1j)
    with pytest.raises(RuntimeError, match="alpha must not be a floating point number"):
        torch.rsub(torch.ones(2, dtype=torch.int64), 1, alpha=0.5)


@pytest.mark.parametrize("change", [torch.add, torch.sub, lambda x, y: x.clone().add_(y)])
def test_add_multiplies_an_infinite_complex_number_by_alpha(change):
    x = torch.tensor([1 + 0j, 2 + 3j])
    result = change(x, complex(0, float("inf")))
    assert torch.isnan(result.real).all()
    assert torch.isinf(result.imag).all()


def test_rsub_leaves_an_infinite_number_that_alpha_does_not_multiply():
    result = torch.rsub(torch.tensor([1 + 2j]), complex(0, float("inf")))
    assert result.tolist() == [complex(-1, float("inf"))]


def test_sub_negates_alpha_before_it_has_to_fit():
    x = torch.tensor([1, 2], dtype=torch.int8)
    assert x.sub(x, alpha=128).tolist() == [-127, 2]
    with pytest.raises(RuntimeError, match="type int8_t without overflow"):
        x.sub(x, alpha=-128)
    assert x.double().sub(x, alpha=2**64 - 1).tolist() == [2.0, 4.0]


def test_rsub_does_not_promote_by_alpha():
    assert torch.rsub(torch.tensor([2]), 1, alpha=2**63).tolist() == [1]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_mul_takes_numbers_that_only_an_unsigned_integer_holds(dtype):
    assert (torch.ones(2, dtype=dtype) * 2**63).tolist() == [2.0**63] * 2


def test_mul_in_place_wraps_a_number_that_is_too_large():
    assert torch.ones(2, dtype=torch.int32).mul_(2**40 + 3).tolist() == [3, 3]


@pytest.mark.parametrize("name", ["fmod_", "remainder_"])
def test_fmod_and_remainder_in_place_look_at_the_dtype_before_they_divide(name):
    with pytest.raises(RuntimeError, match="result type Long can't be cast"):
        getattr(torch.tensor([True]), name)(0)
