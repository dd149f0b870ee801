"""The gradient of torch.lobpcg: of some eigenpairs of a symmetric matrix with distinct eigenvalues.

Within the span of the eigenvectors it is that of torch.linalg.eigh; in its complement it solves a
Sylvester equation by polynomials: Hu and Cheng, https://doi.org/10.1016/j.aml.2005.09.005.
"""

from __future__ import annotations

from typing import Any

import minitorch


def gradient_of_eigenpairs(A: Any, D: Any, U: Any, D_grad: Any, U_grad: Any, largest: bool) -> Any:
    """The gradient of A by those of its eigenvalues `D`, of (..., k), and eigenvectors `U`."""
    if U.size(-1) == U.size(-2):
        return _within_span(D, U, D_grad, U_grad)
    basis = _complement(A, D, U)
    across = basis.mT.contiguous()
    polynomial = _monic_polynomial(D)
    series = _series(A, D, U_grad, polynomial)
    value = minitorch.matmul(across, minitorch.matmul(_at_matrix(polynomial, A), basis))
    # The polynomial is negative at eigenvalues below an odd number of roots.
    sign = -1 if largest and D.size(-1) % 2 == 1 else 1
    factor = minitorch.linalg.cholesky(sign * value)
    result = _within_span(D, U, D_grad, U_grad)
    solution = sign * minitorch.cholesky_solve(across.matmul(series), factor)
    result -= basis.matmul(solution).matmul(U.mT.contiguous())
    return result


def _within_span(D: Any, U: Any, D_grad: Any, U_grad: Any) -> Any:
    """The part of the gradient in the span of the eigenvectors."""
    F = D.unsqueeze(-2) - D.unsqueeze(-1)
    F.diagonal(dim1=-2, dim2=-1).fill_(float("inf"))
    F.pow_(-1)
    Ut = U.mT.contiguous()
    inner = minitorch.diag_embed(D_grad) + minitorch.matmul(Ut, U_grad) * F
    return minitorch.matmul(U, minitorch.matmul(inner, Ut))


def _complement(A: Any, D: Any, U: Any) -> Any:
    """Columns that span the complement of the eigenvectors: random ones, always the same."""
    projection = -U.matmul(U.mT.contiguous())
    projection.diagonal(dim1=-2, dim2=-1).add_(1)
    generator = minitorch.Generator(A.device)
    shape = (*A.shape[:-1], A.size(-1) - D.size(-1))
    options = {"dtype": A.dtype, "device": A.device, "generator": generator}
    return projection.matmul(minitorch.randn(shape, **options))


def _monic_polynomial(roots: Any) -> Any:
    """The coefficients of the product of (x - root), of the lowest power first, 1 last."""
    order = roots.shape[-1]
    # One more on the left takes what each step shifts out.
    coefficients = roots.new_zeros([*roots.shape[:-1], order + 2])
    coefficients[..., 0] = 1
    coefficients[..., -1] = 1
    for degree in range(1, order + 1):
        shifted = coefficients.narrow(-1, order - degree + 1, degree + 1)
        # A history needs the numbers of each step, which a write in place would lose.
        following = coefficients.clone() if roots.requires_grad else coefficients
        written = following.narrow(-1, order - degree, degree + 1)
        written -= roots.narrow(-1, degree - 1, 1) * shifted
        coefficients = following
    return coefficients.narrow(-1, 1, order + 1)


def _at_vector(polynomial: Any, x: Any) -> Any:
    """The polynomial's value at each element of x, by Horner's rule."""
    value = x.new_ones(1).expand(x.shape).clone()
    for power in range(polynomial.size(-1) - 2, -1, -1):
        value = minitorch.addcmul(polynomial[..., power].unsqueeze(-1), x, value)
    return value


def _at_matrix(polynomial: Any, x: Any) -> Any:
    """The polynomial's value at a square matrix, by Horner's rule."""
    size = x.size(-1)
    identity = minitorch.eye(size, size, dtype=x.dtype, device=x.device)
    value = identity.view(*[1] * (x.dim() - 2), size, size).clone()
    for power in range(polynomial.size(-1) - 2, -1, -1):
        value = x.matmul(value)
        value.diagonal(dim1=-2, dim2=-1).add_(polynomial[..., power].unsqueeze(-1))
    return value


def _series(A: Any, D: Any, U_grad: Any, polynomial: Any) -> Any:
    """The sum over j of A^j U_grad diag(p_j(D)), where p_j is the polynomial without its j + 1
    lowest coefficients, divided by x^(j + 1)."""
    projected = U_grad
    total = projected.new_zeros(projected.shape)
    for first in range(1, polynomial.size(-1)):
        total += projected * _at_vector(polynomial[..., first:], D).unsqueeze(-2)
        projected = A.matmul(projected)
    return total
