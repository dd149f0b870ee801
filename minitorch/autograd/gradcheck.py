"""torch.autograd.gradcheck: gradients compared with differences.

As torch/autograd/gradcheck.py. gradient_checks.py compares them; it is imported at the first
check.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "get_numerical_jacobian_wrt_specific_input",
    "gradcheck",
    "gradgradcheck",
]


class GradcheckError(RuntimeError):
    """The error that gradcheck and gradgradcheck raise if a check fails."""


def _above(name: str) -> Any:
    """A module of the checks, which use all of torch: it is loaded when a check is called."""
    return import_module(f"minitorch.autograd.{name}")


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise AssertionError(text)


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` agree with differences of its results.

    Args:
        func: takes `inputs`, and returns a tensor or several.
        inputs: a tensor or a tuple of them, of double precision; some require grad.
        eps: how far inputs are moved.
        atol, rtol: the tolerances of the comparison.
        raise_exception: whether to raise GradcheckError instead of returning False.
        nondet_tol: how far gradients may differ if they are computed again.
        check_undefined_grad: whether missing gradients must count as zeros.
        check_grad_dtypes: whether gradients must have the dtypes of inputs.
        check_batched_grad, check_batched_forward_grad: whether they must be the same mapped by
            vmap.
        check_forward_ad, check_backward_ad: which modes to check, at least one.
        fast_mode: whether to compare only random products with the Jacobian.
        masked: whether unspecified elements of sparse tensors are left out.

    Returns:
        True, or False if a check fails and `raise_exception` is False.

    Raises:
        GradcheckError: if a check fails.
        ValueError: if no input requires grad.
        AssertionError: for no mode, and for a batched check of a mode that is not checked.

    As https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html.
    """
    _require(
        check_forward_ad or check_backward_ad,
        "Expected at least one of check_forward_ad or check_backward_ad to be True",
    )
    _require(
        check_backward_ad or not check_batched_grad,
        "Setting check_batched_grad=True requires check_backward_ad to be True",
    )
    _require(
        check_forward_ad or not check_batched_forward_grad,
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
    )
    check = _above("gradient_checks").Check(
        eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode, bool(masked)
    )
    try:
        return check.run(
            func,
            inputs,
            check_forward_ad,
            check_backward_ad,
            check_undefined_grad,
            check_batched_grad,
            check_batched_forward_grad,
        )
    except GradcheckError:
        if raise_exception:
            raise
        return False


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of `func` agree with differences.

    Args:
        func, inputs, eps, atol, rtol, raise_exception, nondet_tol: as for `gradcheck`.
        grad_outputs: the gradients of the results; random ones if None.
        gen_non_contig_grad_outputs: whether random ones are not contiguous.
        check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode, masked: as for
            `gradcheck`.
        check_fwd_over_rev, check_rev_over_rev: which mode to check over the backward, at least one.

    Returns:
        True, or False if a check fails and `raise_exception` is False.

    Raises:
        GradcheckError: if a check fails.
        AssertionError: for no mode, and for a check of a mode that is not checked.

    As https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html.
    """
    _require(
        check_fwd_over_rev or check_rev_over_rev,
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True",
    )
    for name, given in (
        ("check_undefined_grad", check_undefined_grad),
        ("check_batched_grad", check_batched_grad),
    ):
        _require(
            check_rev_over_rev or not given,
            f"Setting {name}=True requires check_rev_over_rev to be True",
        )
    parts = _above("gradient_checks")
    gradients, arguments = parts.gradients_of(
        func, inputs, grad_outputs, gen_non_contig_grad_outputs
    )
    return gradcheck(
        gradients,
        arguments,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def _outdated(name: str, grad_out: float) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are "
        "deprecating it and it will be removed in a future version of PyTorch. If you have a "
        "specific use for this or feature request for this to be a stable API, please file us an "
        "issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError(
            f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0."
        )


def get_numerical_jacobian(
    fn: Callable[..., Any],
    inputs: Any,
    target: Any = None,
    eps: float = 1e-3,
    grad_out: float = 1.0,
) -> tuple[Any, ...]:
    """The Jacobians of fn(inputs) by each input, from differences."""
    checks = _above("jacobians")
    _outdated("get_numerical_jacobian", grad_out)
    found = checks.numerical_jacobians(lambda *given: fn(given), inputs, None, eps, target=target)
    return tuple([each[0] for each in found])


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable[..., Any],
    input_idx: int,
    inputs: Any,
    outputs: Any,
    eps: float,
    input: Any = None,
    is_forward_ad: bool = False,
) -> Any:
    """The Jacobians of fn(*inputs) by one input, from differences."""
    checks = _above("jacobians")
    return checks.numerical_jacobian(fn, input_idx, inputs, outputs, eps, input, is_forward_ad)


def get_analytical_jacobian(
    inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[Any, bool, bool, bool]:
    """The Jacobians of `output` by the inputs; whether two computations agree, and whether dtypes
    and sizes are right."""
    checks = _above("jacobians")
    _outdated("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports "
            "functions that return complex outputs."
        )
    # torch swaps sizes and dtypes here.
    jacobians, sizes, types, again = checks.rows_twice(inputs, output, None)
    return jacobians, checks.near(jacobians, again, nondet_tol), types, sizes
