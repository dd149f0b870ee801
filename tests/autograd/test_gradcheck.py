"""gradcheck and gradgradcheck: functions that pass, functions that fail, and the texts."""

import subprocess
import sys
import warnings

import pytest

import minitorch as torch
from minitorch.autograd import gradcheck, gradgradcheck
from minitorch.autograd.gradcheck import (
    GradcheckError,
    get_analytical_jacobian,
    get_numerical_jacobian,
)

X = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
Z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)

MODES = [
    {},
    {"fast_mode": True},
    {"check_forward_ad": True},
    {"check_forward_ad": True, "fast_mode": True},
    {"check_forward_ad": True, "check_backward_ad": False},
    {"check_batched_grad": True},
    {"check_forward_ad": True, "check_batched_forward_grad": True},
    {"masked": True, "check_grad_dtypes": True, "check_undefined_grad": False},
]


def scaled(forward, backward, jvp):
    """A Function that multiplies by a number, and the derivatives by others."""

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * forward

        @staticmethod
        def backward(ctx, grad):
            return grad * backward

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * jvp

    return Scaled.apply


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x: x.sin() * x, X),
        (lambda x: (x.exp(), x.sum()), X),
        (lambda z: z * z, Z),
        (torch.abs, Z),
        (lambda x: x * 1j, X),
        (lambda x, n: x * n, (X, 3)),
    ],
)
def test_right_derivatives_pass(function, inputs, options):
    assert gradcheck(function, inputs, **options)


@pytest.mark.parametrize("x", [X, Z])
@pytest.mark.parametrize("fast", [False, True])
def test_wrong_derivatives_are_found(x, fast):
    with pytest.raises(
        GradcheckError, match="Jacobian mismatch for output 0 with respect to input"
    ):
        gradcheck(scaled(2, 3, 2), x, fast_mode=fast)
    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch"):
        gradcheck(scaled(2, 2, 3), x, check_forward_ad=True, fast_mode=fast)
    assert not gradcheck(scaled(2, 3, 2), x, raise_exception=False, fast_mode=fast)


def test_fast_mode_shows_the_whole_jacobians_as_well():
    with pytest.raises(GradcheckError) as caught:
        gradcheck(scaled(2, 3, 2), X, fast_mode=True)
    assert "The max per-element difference (slow mode) is: 1.0000000000" in str(caught.value)


def test_parts_of_complex_results_and_inputs_are_told_apart():
    with pytest.raises(
        GradcheckError, match=r"^While considering the imaginary part of complex out"
    ):
        gradcheck(scaled(2j, 3j, 2j), Z)
    with pytest.raises(
        GradcheckError, match=r"^While considering the imaginary part of complex inp"
    ):
        gradcheck(scaled(2, 2, 3), Z, check_forward_ad=True, check_backward_ad=False)


def test_gradients_that_change_are_found():
    noise = iter(range(100))

    class Restless(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2 + 1e-7 * next(noise)

    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(Restless.apply, X)


def test_gradients_that_heed_nothing_are_found():
    class Constant(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sum()

        @staticmethod
        def backward(ctx, grad):
            return torch.ones(2, dtype=torch.float64)

    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(Constant.apply, X)


def test_backwards_that_need_gradients_are_found():
    class Strict(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            if first is None and second is None:
                raise RuntimeError("one is needed")
            return sum(g * n for g, n in ((first, 2), (second, 3)) if g is not None)

    assert gradcheck(Strict.apply, X, check_undefined_grad=False)
    with (
        pytest.warns(UserWarning, match="New undefined gradient support checking"),
        pytest.raises(GradcheckError, match="to handle undefined output grads"),
    ):
        gradcheck(Strict.apply, X)


@pytest.mark.parametrize("fast", [False, True])
def test_functions_without_gradients_must_be_constant(fast):
    with pytest.raises(GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, X, fast_mode=fast)


def test_inputs_are_looked_at_first():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(torch.exp, torch.ones(2))
    with pytest.raises(RuntimeError, match="0th input has a dimension with stride 0"):
        gradcheck(torch.exp, X.detach()[:1].expand(3).requires_grad_())
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double"):
        gradcheck(lambda x: x * 2, torch.ones(2, requires_grad=True), raise_exception=False)


@pytest.mark.parametrize(
    ("check", "options"),
    [
        (gradcheck, {"check_backward_ad": False}),
        (gradcheck, {"check_batched_forward_grad": True}),
        (gradgradcheck, {"check_rev_over_rev": False}),
        (gradgradcheck, {"check_rev_over_rev": False, "check_fwd_over_rev": True}),
    ],
)
def test_options_that_exclude_one_another_are_refused(check, options):
    with pytest.raises(AssertionError, match=r"requires|Expected at least one"):
        check(torch.exp, X, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fast_mode": True},
        {"check_fwd_over_rev": True},
        {"gen_non_contig_grad_outputs": True},
        {"check_batched_grad": True},
    ],
)
@pytest.mark.parametrize("x", [X, Z])
def test_right_second_derivatives_pass(x, options):
    assert gradgradcheck(lambda x: x * x * x, x, **options)


def test_wrong_second_derivatives_are_found():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            return grad * 3 * ctx.saved_tensors[0].detach() ** 2

    assert gradcheck(Cube.apply, X)
    assert not gradgradcheck(Cube.apply, X, raise_exception=False)
    with pytest.raises(GradcheckError, match="with respect to input 0"):
        gradgradcheck(Cube.apply, X, torch.ones(2, dtype=torch.float64, requires_grad=True))


def test_what_was_public_once_still_computes():
    expected = torch.diag(2 * X.detach())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (found,) = get_numerical_jacobian(lambda given: given[0] ** 2, (X,), eps=1e-6)
        (rows,), same, types, sizes = get_analytical_jacobian((X,), X**2)
    assert [each.category for each in caught] == [FutureWarning] * 2
    assert torch.allclose(found, expected)
    assert torch.allclose(rows, expected)
    assert same
    assert types
    assert sizes


def test_the_name_is_the_function_and_the_module_can_be_imported_from():
    code = (
        "from minitorch.autograd.gradcheck import GradcheckError\n"
        "import minitorch.autograd.gradcheck, sys\n"
        "assert callable(minitorch.autograd.gradcheck)\n"
        "assert 'minitorch.autograd.gradient_checks' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
