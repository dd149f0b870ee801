"""Parametrisations: weight_norm, spectral_norm and orthogonal matrices."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers.limits import finfo
from minitorch.core.tensor.tensor import Tensor
from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module
from minitorch.nn.utils.parametrize import register_parametrization
from minitorch.nn.utils.spectral_norm import output_dim

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _tensor(module: Any, name: str) -> Any:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(Q: Any) -> bool:
    n, k = Q.size(-2), Q.size(-1)
    identity = OPS.eye(k, dtype=Q.dtype, device=Q.device)
    return bool(OPS.allclose(Q.mH @ Q, identity, atol=10.0 * n * finfo(Q.dtype).eps))


def _make_orthogonal(A: Any) -> Any:
    """The nearest thing to a QR decomposition's Q with the signs of A."""
    X, tau = OPS.geqrf(A)
    Q = OPS.linalg_householder_product(X, tau)
    Q *= X.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
    return Q


class _Orthogonal(Module):
    base: Any

    def __init__(
        self, weight: Any, orthogonal_map: Any, *, use_trivialization: bool = True
    ) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        transposed = X.size(-2) < X.size(-1)
        X = X.mT if transposed else X
        n, k = X.size(-2), X.size(-1)
        if self.orthogonal_map is _OrthMaps.householder:
            A = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = OPS.linalg_householder_product(A, tau)
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            X = X.tril()
            if n != k:
                X = OPS.cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
            A = X - X.mH
            if self.orthogonal_map is _OrthMaps.matrix_exp:
                Q = OPS.linalg_matrix_exp(A)
            else:
                identity = OPS.eye(n, dtype=A.dtype, device=A.device)
                left = OPS.add(identity, A, alpha=-0.5)
                Q = OPS.linalg_solve(left, OPS.add(identity, A, alpha=0.5))
            if n != k:
                Q = Q[..., :k]
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if transposed else Q

    @no_grad()
    def right_inverse(self, Q: Any) -> Any:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. "
                f"Got a tensor of shape {Q.shape}."
            )
        given, transposed = Q, Q.size(-2) < Q.size(-1)
        Q = Q.mT if transposed else Q
        n, k = Q.size(-2), Q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map is not _OrthMaps.householder:
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            A, tau = OPS.geqrf(Q)
            A.diagonal(dim1=-2, dim2=-1).sign_()
            A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return A.mT if transposed else A
        if n != k:
            rest = OPS.randn((*Q.size()[:-2], n, n - k), dtype=Q.dtype, device=Q.device)
            Q = _make_orthogonal(OPS.cat([Q, rest], dim=-1))
        else:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        self.base = Q
        minus = OPS.zeros_like(given)
        minus.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return minus


def orthogonal(
    module: Any,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Any:
    """`module` with a weight that is an orthogonal (or unitary) matrix, or a part of one.

    Args:
        module: any Module.
        name: the name of its parameter or buffer.
        orthogonal_map: 'matrix_exp', 'cayley' or 'householder', how the matrix is computed; None
            for the first if it is square or complex, else the last.
        use_trivialization: whether it is multiplied by a fixed orthogonal matrix, which lets the
            weight be assigned.

    Raises:
        ValueError: if there is no such tensor, it has less than two dimensions, or for another
            `orthogonal_map`.

    As torch.nn.utils.parametrizations.orthogonal. Lezcano Casado, https://arxiv.org/abs/1909.09501.
    """
    weight = _tensor(module, name)
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    kind = getattr(_OrthMaps, orthogonal_map, None)
    if kind is None:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    computed = _Orthogonal(weight, kind, use_trivialization=use_trivialization)
    register_parametrization(module, name, computed, unsafe=True)
    return module


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return OPS._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        return OPS.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """`module` with a weight that is a length (original0) times a direction (original1).

    It loads what the weight_norm of torch.nn.utils has saved.

    Args:
        module: any Module.
        name: the name of its parameter or buffer.
        dim: the dimension along which each slice has a length; None for one length of all.

    Raises:
        ValueError: if there is no such tensor.

    As torch.nn.utils.parametrizations.weight_norm. Salimans and Kingma,
    https://arxiv.org/abs/1602.07868.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def _weight_norm_compat_hook(state_dict: Any, prefix: str, *_: Any) -> None:
        """Takes the state that the weight_norm of torch.nn.utils has saved."""
        names = [f"{prefix}{name}_{each}" for each in "gv"]
        if all(each in state_dict for each in names):
            for i, each in enumerate(names):
                key = f"{prefix}parametrizations.{name}.original{i}"
                state_dict[key] = state_dict.pop(each)

    module._register_load_state_dict_pre_hook(_weight_norm_compat_hook)
    return module


class _SpectralNorm(Module):
    def __init__(
        self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[-{rank}, {rank - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            u, v = (matrix.new_empty(n).normal_(0, 1) for n in matrix.size())
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Any) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.ndim) if d != self.dim])
        return weight.flatten(1)

    @no_grad()
    def _power_method(self, weight_mat: Any, n_power_iterations: int) -> None:
        for _ in range(n_power_iterations):
            u = OPS.mv(weight_mat, self._v)
            self._u = F.normalize(u, dim=0, eps=self.eps, out=self._u)
            v = OPS.mv(weight_mat.H, self._u)
            self._v = F.normalize(v, dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next call writes into the buffers
        return weight / OPS.vdot(u, OPS.mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        return value


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """`module` with a weight that is divided by its largest singular value, as power iteration
    sees it.

    Args:
        module: any Module.
        name: the name of its parameter or buffer.
        n_power_iterations: how many steps of power iteration a call in training takes.
        eps: the least length by which vectors are divided.
        dim: the dimension of the weight that counts outputs; None for 1 of a transposed
            convolution, else 0.

    Raises:
        ValueError: if there is no such tensor, or `n_power_iterations` is not positive.
        IndexError: if the weight has no dimension `dim`.

    As torch.nn.utils.parametrizations.spectral_norm. Miyato et al.,
    https://arxiv.org/abs/1802.05957.
    """
    weight, dim = _tensor(module, name), output_dim(module, dim)
    computed = _SpectralNorm(weight, n_power_iterations, dim, eps)
    register_parametrization(module, name, computed)
    return module
