"""Special functions that torch has no derivatives of: Bessel's, Airy's, orthogonal polynomials."""

import pytest
import scipy.special as reference

import minitorch as torch

x = torch.linspace(-9, 9, 37, dtype=torch.float64)
ABOUT = {"rel": 2e-5, "abs": 1e-6, "nan_ok": True}  # torch cuts some denominators short
FUNCTIONS = {
    **{f"modified_bessel_{kind}": getattr(reference, kind) for kind in ("i0", "i1", "k0", "k1")},
    **{f"bessel_{kind}": getattr(reference, kind) for kind in ("j0", "j1", "y0", "y1")},
    "spherical_bessel_j0": lambda x: reference.spherical_jn(0, x),
    "airy_ai": lambda x: reference.airy(x)[0],
}
POLYNOMIALS = {
    "chebyshev_polynomial_t": reference.eval_chebyt,
    "chebyshev_polynomial_u": reference.eval_chebyu,
    "shifted_chebyshev_polynomial_t": reference.eval_sh_chebyt,
    "shifted_chebyshev_polynomial_u": reference.eval_sh_chebyu,
    "hermite_polynomial_h": reference.eval_hermite,
    "hermite_polynomial_he": reference.eval_hermitenorm,
    "laguerre_polynomial_l": reference.eval_laguerre,
    "legendre_polynomial_p": reference.eval_legendre,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_scipy(name):
    inside = abs(x) if name[-2] in "yk" else x
    found = getattr(torch.special, name)(inside)
    assert found.numpy() == pytest.approx(FUNCTIONS[name](inside.numpy()), **ABOUT)
    assert not getattr(torch.special, name)(inside.clone().requires_grad_()).requires_grad


def test_the_airy_function_is_off_where_that_of_torch_is():
    inside = torch.tensor([-4.0, -2.1, -1.0, 2.5], dtype=torch.float64)
    found = torch.special.airy_ai(inside).tolist()
    wanted = [
        -0.07026553297551054,
        0.16348733360139633,
        0.5355608832923521,
        0.015725923380470484,
    ]
    assert found == pytest.approx(wanted, rel=1e-12)
    assert abs(found[1] - reference.airy(-2.1)[0]) > 1e-6
    ends = torch.special.airy_ai(torch.tensor([float("inf"), -float("inf"), 104.0])).tolist()
    assert ends == pytest.approx([float("nan"), float("nan"), 0.0], nan_ok=True)


@pytest.mark.parametrize("name", POLYNOMIALS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_polynomials_are_those_of_scipy(name, n):
    found = getattr(torch.special, name)(x, n)
    assert found.numpy() == pytest.approx(POLYNOMIALS[name](n, x.numpy()), rel=1e-9)


def test_third_and_fourth_kind_are_differences_and_sums_of_the_second():
    u = torch.special.chebyshev_polynomial_u
    for kind, sign in (("v", -1), ("w", 1)):
        found = getattr(torch.special, f"chebyshev_polynomial_{kind}")(x, 4)
        torch.testing.assert_close(found, u(x, 4) + sign * u(x, 3))


def test_degrees_are_cut_and_below_zero_there_is_none():
    degrees = torch.tensor([2.7, -1.0, float("nan"), float("inf")])
    found = torch.special.legendre_polynomial_p(0.5, degrees)
    assert found.tolist() == [-0.125, 0, 0, 0]
    assert torch.special.hermite_polynomial_h(torch.tensor(1.0), 200).isnan()


@pytest.mark.parametrize("kind", ["chebyshev_polynomial_t", "legendre_polynomial_p"])
def test_degrees_beyond_counting_end_where_no_number_is_left(kind):
    f = getattr(torch.special, kind)
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert repr(f(x, 2**40)) == "tensor([1., nan], dtype=torch.float64)"
    assert f(x, 1e50).tolist() == [0.0, 0.0]  # no int64 holds it
