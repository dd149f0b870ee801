"""torch.lobpcg: a few eigenpairs of a large symmetric matrix, by conjugate gradients in blocks.

Knyazev, Toward the optimal preconditioned eigensolver, https://doi.org/10.1137/S1064827500366124;
orthonormal bases as Duersch and others, https://arxiv.org/abs/1704.07458.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import minitorch
from minitorch import _linalg_utils as _utils
from minitorch._public.lobpcg_gradient import gradient_of_eigenpairs
from minitorch.core.declare.calls import CALLS, IN_PYTHON
from minitorch.core.tensor.tensor import Tensor
from minitorch.overrides import handle_torch_function, has_torch_function

__all__ = ["lobpcg"]

_PLAIN = frozenset({Tensor, type(None)})
CALLS["lobpcg"] = IN_PYTHON


def lobpcg(
    A: Any,
    k: int | None = None,
    B: Any = None,
    X: Any = None,
    n: int | None = None,
    iK: Any = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Callable[[Any], Any] | None = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Any, Any]:
    """(E, X): the `k` largest or smallest eigenvalues of A X = B X diag(E), and the eigenvectors.

    Args:
        A: of (..., m, m), symmetric; dense or sparse. Its gradient is symmetric, too.
        k: how many; the number of columns of `X`, or 1, if it is None.
        B: of A's shape, symmetric and positive-definite; None for the identity.
        X: of (..., m, n), where the search starts; drawn from a normal distribution if it is None.
        n: the columns to draw, `k` or more.
        iK: of (m, m), a preconditioner, which the method "basic" multiplies residuals by.
        niter: how many steps at most, 1000 if it is None; -1 for no limit.
        tol: the residual, relative to the norms of A and B, below which a pair has converged.
        largest: whether the largest eigenvalues are meant, as they are if it is None.
        method: "ortho", which is None's, too, or "basic", which is less robust.
        tracker: called with the LOBPCG object after each step.
        ortho_iparams, ortho_fparams, ortho_bparams: settings of the method "ortho".

    Raises:
        ValueError: if m < 3 n; in a backward, if A is sparse or complex, or there is a B.

    As https://docs.pytorch.org/docs/stable/generated/torch.lobpcg.html.
    """
    options = {"niter": niter, "tol": tol, "largest": largest, "method": method, "tracker": tracker}
    settings = {
        "ortho_iparams": ortho_iparams,
        "ortho_fparams": ortho_fparams,
        "ortho_bparams": ortho_bparams,
    }
    tensors = (A, B, X, iK)
    if not _PLAIN.issuperset(map(type, tensors)) and has_torch_function(tensors):
        given = {"k": k, "B": B, "X": X, "n": n, "iK": iK, **options, **settings}
        return handle_torch_function(lobpcg, tensors, A, **given)
    rest = (X, n, iK, *options.values(), *settings.values())
    if not (A.requires_grad or (B is not None and B.requires_grad)):
        return _find_eigenpairs(A, k, B, *rest)
    # The gradient of a symmetric matrix is symmetric, so that steps along it keep it symmetric.
    A = (A + A.mT) / 2
    B = None if B is None else (B + B.mT) / 2
    return LOBPCGAutogradFunction.apply(A, k, B, *rest)


class LOBPCGAutogradFunction(minitorch.autograd.Function):
    """The eigenpairs of a matrix that requires a gradient."""

    @staticmethod
    def forward(ctx: Any, A: Any, k: Any, B: Any, *rest: Any) -> tuple[Any, Any]:
        """The eigenpairs, found below autograd; takes what `lobpcg` takes."""
        A = A if A.is_sparse else A.contiguous()
        if B is not None and not B.is_sparse:
            B = B.contiguous()
        E, X = _find_eigenpairs(A, k, B, *rest)
        ctx.save_for_backward(A, B, E, X)
        ctx.largest = rest[5]
        return E, X

    @staticmethod
    def backward(ctx: Any, E_grad: Any, X_grad: Any) -> tuple[Any, ...]:
        """The gradient of A. ValueError if A is sparse or complex, or there is a B."""
        A, B, E, X = ctx.saved_tensors
        if A.is_sparse or (B is not None and B.is_sparse and ctx.needs_input_grad[2]):
            raise _no_backward("sparse input yet. Note that lobpcg.forward does though.")
        if A.is_complex() or (B is not None and B.is_complex()):
            raise _no_backward("complex input yet. Note that lobpcg.forward does though.")
        if B is not None:
            raise _no_backward("backward with B != I yet.")
        largest = True if ctx.largest is None else ctx.largest
        return gradient_of_eigenpairs(A, E, X, E_grad, X_grad, largest), *[None] * 13


def _no_backward(what: str) -> ValueError:
    return ValueError(f"lobpcg.backward does not support {what}")


# ---- one matrix, or each of a batch


def _find_eigenpairs(
    A: Any,
    k: Any,
    B: Any,
    X: Any,
    n: Any,
    iK: Any,
    niter: Any,
    tol: Any,
    largest: Any,
    method: Any,
    tracker: Any,
    *settings: Any,
) -> tuple[Any, Any]:
    """The eigenpairs of a matrix, or of each matrix of a batch, for the arguments of `lobpcg`."""
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    dtype, device = _utils.get_floating_dtype(A), A.device
    if tol is None:
        tol = {minitorch.float32: 1.2e-07, minitorch.float64: 2.23e-16}[dtype] ** 0.5
    m = A.shape[-1]
    if k is None:
        k = 1 if X is None else X.shape[-1]
    if X is not None:
        n = X.shape[-1]
    elif n is None:
        n = k
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than "
            f"3 x the number of requested eigenpairs (={n})"
        )
    method = "ortho" if method is None else method
    parameters: tuple[dict[str, Any], ...] = (
        {"m": m, "n": n, "k": k, "niter": 1000 if niter is None else niter},
        {"tol": tol},
        {"largest": True if largest is None else largest},
    )
    if method == "ortho":
        _set_defaults(parameters, settings, tol)
    options = (iK, *parameters, method, tracker)
    if len(A.shape) > 2:
        return _find_each(A, B, X, {"dtype": dtype, "device": device}, options)
    if X is None:
        X = minitorch.randn((m, n), dtype=dtype, device=device)
    worker = _search(A, B, X, "X", options)
    return worker.E[:k], worker.X[:, :k]


def _set_defaults(
    parameters: tuple[dict[str, Any], ...], settings: tuple[Any, ...], tol: float
) -> None:
    """Writes the settings of the method "ortho" that a caller gave, and those left out."""
    for own, given in zip(parameters, settings, strict=True):
        own.update(given or {})
    integers, floats, flags = parameters
    for name in ("ortho_i_max", "ortho_j_max"):
        integers.setdefault(name, 3)
    for name in ("ortho_tol", "ortho_tol_drop", "ortho_tol_replace"):
        floats.setdefault(name, tol)
    flags.setdefault("ortho_use_drop", False)


def _find_each(
    A: Any, B: Any, X: Any, kind: dict[str, Any], options: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The eigenpairs of each matrix of a batch, of a dtype on a device."""
    iparams = options[1]
    k, m, n = [iparams[name] for name in "kmn"]
    count = int(minitorch.prod(minitorch.tensor(A.shape[:-2])))  # in tensors, as modes see it
    each_A = A.reshape((count,) + A.shape[-2:])
    each_B = None if B is None else B.reshape((count,) + A.shape[-2:])
    each_X = None if X is None else X.reshape((count,) + X.shape[-2:])
    every_E = minitorch.empty((count, k), **kind)
    every_X = minitorch.empty((count, m, k), **kind)
    for i in range(count):
        A_i, B_i = each_A[i], None if each_B is None else each_B[i]
        X_i = minitorch.randn((m, n), **kind) if each_X is None else each_X[i]
        iparams["batch_index"] = i
        worker = _search(A_i, B_i, X_i, "X_", options)
        every_E[i] = worker.E[:k]
        every_X[i] = worker.X[:, :k]
    return every_E.reshape(A.shape[:-2] + (k,)), every_X.reshape(A.shape[:-2] + (m, k))


def _search(A: Any, B: Any, X: Any, name: str, options: tuple[Any, ...]) -> LOBPCG:
    """The ended search for the eigenpairs of one matrix, from the start X."""
    iparams = options[1]
    expected = iparams["m"], iparams["n"]
    if len(X.shape) != 2 or X.shape != expected:
        raise AssertionError(f"{name} shape mismatch: got {X.shape}, expected {expected}")
    worker = LOBPCG(A, B, X, *options)
    worker.run()
    return worker


class LOBPCG:
    """A search for eigenpairs, whose state a tracker reads after each step.

    Attributes:
        A, B, iK: what was given.
        iparams, fparams, bparams: the integers, floats and flags that were set.
        E, X, R: the eigenvalues so far, of (n,); the eigenvectors and residuals, of (m, n).
        S: of (m, 3 n), the space searched next: eigenvectors, last directions, residuals.
        ivars, fvars, bvars, tvars: variables of the iteration, by their kind. A tracker ends the
            search by bvars["force_stop"] = True.
    """

    def __init__(
        self,
        A: Any,
        B: Any,
        X: Any,
        iK: Any,
        iparams: dict[str, int],
        fparams: dict[str, float],
        bparams: dict[str, bool],
        method: str,
        tracker: Callable[[Any], Any] | None,
    ) -> None:
        self.A, self.B, self.iK = A, B, iK
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.method, self.tracker = method, tracker
        m, n = iparams["m"], iparams["n"]
        self.X = X
        self.E, self.R, self.S = [_zeros(shape, X) for shape in ((n,), (m, n), (m, 3 * n))]
        self.tvars: dict[str, Any] = {}
        self.ivars: dict[str, int] = {"istep": 0}
        self.fvars: dict[str, float] = {"_": 0.0}
        self.bvars: dict[str, bool] = {"_": False}

    def __str__(self) -> str:
        shown = "iparams fparams bparams ivars fvars bvars tvars A B iK X E".split()
        return "\n".join(["LOBPCG:", *[f"  {name}={getattr(self, name)}" for name in shown], ""])

    def run(self) -> None:
        """Takes steps until it is to stop, at least one."""
        while True:
            self.update()
            if self.tracker is not None:
                self.call_tracker()
            if self.stop_iteration():
                return

    def call_tracker(self) -> None:
        """Shows the state to the tracker."""
        if self.tracker is not None:
            self.tracker(self)

    def stop_iteration(self) -> bool:
        """Whether a tracker ended the search, no step is left, or enough pairs have converged."""
        ivars = self.ivars
        ended = self.bvars.get("force_stop", False) or ivars["iterations_left"] == 0
        return ended or ivars["converged_count"] >= self.iparams["k"]

    def update(self) -> None:
        """Takes one step."""
        if self.ivars["istep"] == 0:
            self._measure()
        step = self._update_ortho if self.method == "ortho" else self._update_basic
        step(self.ivars["istep"] == 0)
        self.ivars["iterations_left"] -= 1
        self.ivars["istep"] += 1

    def _measure(self) -> None:
        """Estimates the norms of A and B by their products with the starting vectors."""
        norm = float(minitorch.norm(self.X))
        inverse = norm**-1
        self.fvars["X_norm"] = norm
        for name, matrix in (("A_norm", self.A), ("B_norm", self.B)):
            self.fvars[name] = float(minitorch.norm(_utils.matmul(matrix, self.X))) * inverse
        counts = {"iterations_left": self.iparams["niter"], "converged_count": 0}
        self.ivars.update(counts, converged_end=0)

    def update_residual(self) -> None:
        """Writes R = A X - B X diag(E)."""
        self.R = _utils.matmul(self.A, self.X) - _utils.matmul(self.B, self.X) * self.E

    def update_converged_count(self) -> int:
        """Returns how many pairs have converged, the first ones: later pairs wait for them."""
        E, X, R = self.E, self.X, self.R
        A_norm, B_norm = self.fvars["A_norm"], self.fvars["B_norm"]
        error = minitorch.norm(R, 2, (0,)) / (
            minitorch.norm(X, 2, (0,)) * (A_norm + minitorch.abs(E[: X.shape[-1]]) * B_norm)
        )
        converged = error < self.fparams["tol"]
        count = sum(1 for _ in itertools.takewhile(bool, converged))
        before = self.ivars["converged_count"]
        if count < before:
            raise AssertionError(
                f"the number of converged eigenpairs (was {before}, got {count}) cannot decrease"
            )
        self.ivars["converged_count"] = count
        self.tvars["rerr"] = error
        return count

    # ---- the two methods

    def _update_basic(self, first: bool) -> None:
        """A step whose basis is not orthonormal: S^T B S is factorised instead."""
        mm = minitorch.matmul
        n, done = self.iparams["n"], self.ivars["converged_count"]
        if first:
            self.X[:], self.E[:] = self._first_pairs()
            directions, end = None, n
        else:
            span = self._span()
            Ri = self._get_rayleigh_ritz_transform(span)
            E, Z = self._eigenpairs(_utils.qform(_utils.qform(self.A, span), Ri))
            self.X[:, done:] = mm(span, mm(Ri, Z[:, : n - done]))
            self.E[done:] = E[: n - done]
            directions = mm(span, mm(Ri, Z[:, n : 2 * n - done]))
            end = n + directions.shape[-1]
        self.update_residual()
        done = self.update_converged_count()
        self.S[..., :n] = self.X
        if directions is not None:
            self.S[:, n:end] = directions
        self._append(end, _utils.matmul(self.iK, self.R if first else self.R[:, done:]))

    def _update_ortho(self, first: bool) -> None:
        """A step whose basis is kept orthonormal."""
        mm = minitorch.matmul
        n, done = self.iparams["n"], self.ivars["converged_count"]
        if first:
            self.X = self._first_pairs()[0]
            directions, end = None, n
        else:
            span = self._span()
            E, Z = self._eigenpairs(_utils.qform(self.A, span))
            self.X[:, done:] = mm(span, Z[:, : n - done])
            self.E[done:] = E[: n - done]
            rest = Z[:, n - done :]
            directions = mm(span, mm(rest, _utils.basis(Z[: n - done, n - done :].mT)))
            end = n + directions.shape[-1]
        self.update_residual()
        done = self.update_converged_count()
        self.S[:, :n] = self.X
        if directions is None:
            self._append(end, self._get_ortho(self.R, self.X))
        else:
            self.S[:, n:end] = directions
            self._append(end, self._get_ortho(self.R[:, done:], self.S[:, :end]))

    def _first_pairs(self) -> tuple[Any, Any]:
        """The best eigenvectors and eigenvalues within the span of the start."""
        Ri = self._get_rayleigh_ritz_transform(self.X)
        E, Z = self._eigenpairs(_utils.qform(_utils.qform(self.A, self.X), Ri))
        return minitorch.matmul(self.X, minitorch.matmul(Ri, Z)), E

    def _eigenpairs(self, M: Any) -> tuple[Any, Any]:
        """The eigenpairs of a small matrix, those that are looked for first."""
        return _utils.symeig(M, self.bparams["largest"])

    def _span(self) -> Any:
        """The columns of S that are searched: those of converged pairs are left out."""
        return self.S[:, self.ivars["converged_count"] : self.ivars["converged_end"]]

    def _append(self, start: int, columns: Any) -> None:
        """Writes the last columns of the next search space into S, from `start` on."""
        self.ivars["converged_end"] = end = start + columns.shape[-1]
        self.S[:, start:end] = columns

    # ---- bases

    def _get_rayleigh_ritz_transform(self, S: Any) -> Any:
        """An upper-triangular Ri such that (S Ri)^T B (S Ri) is the identity."""
        SBS = _utils.qform(self.B, S)
        row = SBS.diagonal(0, -2, -1) ** -0.5
        column = row.reshape(row.shape[0], 1)
        R = minitorch.linalg.cholesky((SBS * row) * column, upper=True)
        return minitorch.linalg.solve_triangular(R, row.diag_embed(), upper=True, left=False)

    def _get_svqb(self, U: Any, drop: bool, tau: float) -> Any:
        """B-orthonormal columns that span what those of U span, without those that are zero.

        Args:
            drop: whether columns that add little are left out.
            tau: how little, relative to the largest eigenvalue of the scaled U^T B U.
        """
        if minitorch.numel(U) == 0:
            return U
        UBU = _utils.qform(self.B, U)
        d = UBU.diagonal(0, -2, -1)
        nonzero = _where(abs(d) != 0.0)
        if len(nonzero) < len(d):
            U = U[:, nonzero]
            if minitorch.numel(U) == 0:
                return U
            UBU = _utils.qform(self.B, U)
            d = UBU.diagonal(0, -2, -1)
            _where(abs(d) != 0.0)  # torch looks again, which modes see
        column = (d**-0.5).reshape(d.shape[0], 1)
        values, vectors = _utils.symeig((UBU * column) * column.mT)
        least = tau * abs(values).max()
        if drop:
            kept = _where(values > least)
            values, vectors, column = values[kept], vectors[:, kept], column[kept]
        else:
            values[_where(values < least)] = least
        return minitorch.matmul(U * column.mT, vectors * values**-0.5)

    def _get_ortho(self, U: Any, V: Any) -> Any:
        """B-orthonormal columns, B-orthogonal to those of V, that span with V what U and V span.

        Empty if each column of U lies in the span of V. ValueError if U and V together have more
        columns than there are rows.
        """
        mm, tolerance = minitorch.matmul, self.fparams["ortho_tol"]
        BV_norm = minitorch.norm(_utils.matmul(self.B, V))
        BU = _utils.matmul(self.B, U)
        VBU = mm(V.mT, BU)
        i = j = 0
        for i in range(self.iparams["ortho_i_max"]):
            U, BU, j = self._orthonormalize(U - mm(V, VBU), BU, i, j)
            if BU is None:
                break
            VBU = mm(V.mT, BU)
            error = _relative(minitorch.norm(VBU), BV_norm, minitorch.norm(U))
            self.fvars[f"ortho_VBU_rerr[{i}]"] = error
            if error < tolerance:
                break
            if self.iparams["m"] < U.shape[-1] + V.shape[-1]:
                raise self._overdetermined(U, V)
        self.ivars.update(ortho_i=i, ortho_j=j)
        return U

    def _orthonormalize(self, U: Any, BU: Any, i: int, j: int) -> tuple[Any, Any, int]:
        """B-orthonormal columns in place of U, B's product with them, and the number of the last
        try; None for the product if no column is left.

        Args:
            BU, j: what is returned if the settings allow no try.
            i: the try of the caller, which names what is measured.
        """
        floats, drops = self.fparams, self.bparams["ortho_use_drop"]
        for j in range(self.iparams["ortho_j_max"]):
            tau = floats["ortho_tol_drop" if drops and j == 0 else "ortho_tol_replace"]
            U = self._get_svqb(U, drops and j > 0, tau)
            if minitorch.numel(U) == 0:
                return U, None, j
            BU = _utils.matmul(self.B, U)
            UBU = minitorch.matmul(U.mT, BU)
            U_norm, BU_norm = minitorch.norm(U), minitorch.norm(BU)
            identity = minitorch.eye(UBU.shape[-1], device=UBU.device, dtype=UBU.dtype)
            error = _relative(minitorch.norm(UBU - identity), BU_norm, U_norm)
            self.fvars[f"ortho_UBUmI_rerr[{i}, {j}]"] = error
            if error < floats["ortho_tol"]:
                break
        return U, BU, j

    def _overdetermined(self, U: Any, V: Any) -> Exception:
        """The error for more columns than a basis can have."""
        if self.B is None:
            return AssertionError("B must not be None")
        return ValueError(
            f"Overdetermined shape of U: #B-cols(={self.B.shape[-1]}) >= "
            f"#U-cols(={U.shape[-1]}) + #V-cols(={V.shape[-1]}) must hold"
        )


def _zeros(shape: tuple[int, ...], like: Any) -> Any:
    """A tensor of zeros of the dtype and on the device of another."""
    return minitorch.zeros(shape, dtype=like.dtype, device=like.device)


def _where(condition: Any) -> Any:
    """The places at which a vector holds."""
    return minitorch.where(condition)[0]


def _relative(norm: Any, one: Any, other: Any) -> float:
    """A norm in proportion to the product of two others."""
    return float(norm) * float(one * other) ** -1
