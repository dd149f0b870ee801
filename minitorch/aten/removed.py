"""Functions that torch has removed, and what it says instead."""

from __future__ import annotations

from typing import Any, NoReturn

from minitorch.core.base.formulas import OPS
from minitorch.core.declare.calls import IN_PYTHON, NO_ARGUMENT, Calls
from minitorch.core.declare.families import composite
from minitorch.core.warning import warn

_GONE = "This function was deprecated since version 1.9 and is now removed."


@composite("matrix_rank", on=("function",), calls=Calls(removed=True))
def matrix_rank(
    input: Any, tol: Any = None, symmetric: bool = False, *, out: Any = None
) -> NoReturn:
    """Removed: torch.linalg.matrix_rank."""
    raise RuntimeError(
        f"{_GONE}\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter "
        "'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'."
    )


@composite("solve", on=("function",), calls=Calls(removed=True))
def solve(input: Any, A: Any, *, out: Any = None) -> NoReturn:
    """Removed: torch.linalg.solve."""
    raise RuntimeError(
        f"{_GONE} `torch.solve` is deprecated in favor of `torch.linalg.solve`. "
        "`torch.linalg.solve` has its arguments reversed and does not return the LU factorization."
        "\n\nTo get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` "
        "or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\n"
        "X = torch.linalg.solve(A, B)"
    )


@composite("lstsq", on=("function",), calls=Calls(removed=True))
def lstsq(input: Any, A: Any, *, out: Any = None) -> NoReturn:
    """Removed: torch.linalg.lstsq."""
    raise RuntimeError(
        f"{_GONE} `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n"
        "`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in "
        "the returned tuple (although it returns other information about the problem).\n\n"
        "To get the QR decomposition consider using `torch.linalg.qr`.\n\n"
        "The returned solution in `torch.lstsq` stored the residuals of the solution in the last "
        "m - n columns of the returned value whenever m > n. In torch.linalg.lstsq, the residuals "
        "are in the field 'residuals' of the returned named tuple.\n\n"
        "The unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\n"
        "should be replaced with:\nX = torch.linalg.lstsq(A, B).solution"
    )


@composite("symeig", on=("function",), calls=Calls(removed=True))
def symeig(
    input: Any, eigenvectors: bool = False, upper: bool = True, *, out: Any = None
) -> NoReturn:
    """Removed: torch.linalg.eigh."""
    raise RuntimeError(
        f"{_GONE} The default behavior has changed from using the upper triangular portion of the "
        "matrix by default to using the lower triangular portion.\n\n"
        "L, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
        "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\n"
        "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
        "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
    )


@composite("eig", on=("function",), calls=Calls(removed=True))
def eig(self: Any, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> NoReturn:
    """Removed: torch.linalg.eig."""
    raise RuntimeError(
        f"{_GONE} `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather "
        "than real tensors mimicking complex tensors.\n\n"
        "L, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\n"
        "and\n\nL, V = torch.eig(A, eigenvectors=True) should be replaced with:\n"
        "L_complex, V_complex = torch.linalg.eig(A)"
    )


@composite("solve", on=("method",))
def solve_method(self: Any, other: Any) -> NoReturn:
    """Removed: torch.linalg.solve."""
    solve(self, other)


@composite("lstsq", on=("method",))
def lstsq_method(self: Any, other: Any) -> NoReturn:
    """Removed: torch.linalg.lstsq."""
    lstsq(self, other)


@composite("symeig", on=("method",))
def symeig_method(self: Any, eigenvectors: bool = False) -> NoReturn:
    """Removed: torch.linalg.eigh."""
    symeig(self, eigenvectors)


@composite("eig", on=("method",))
def eig_method(self: Any, eigenvectors: bool = False) -> NoReturn:
    """Removed: torch.linalg.eig."""
    eig(self, eigenvectors)


@composite("reinforce", on=("method",), calls=Calls(asks=NO_ARGUMENT))
def reinforce(self: Any, reward: Any) -> NoReturn:
    """Removed: draw from torch.distributions and differentiate the logarithm of the chance."""
    raise RuntimeError(
        "reinforce() was removed.\nUse torch.distributions instead.\n"
        "See https://pytorch.org/docs/main/distributions.html\n\nInstead of:\n\n"
        "probs = policy_network(state)\naction = probs.multinomial()\n"
        "next_state, reward = env.step(action)\naction.reinforce(reward)\naction.backward()\n\n"
        "Use:\n\nprobs = policy_network(state)\n"
        "# NOTE: categorical is equivalent to what used to be called multinomial\n"
        "m = torch.distributions.Categorical(probs)\naction = m.sample()\n"
        "next_state, reward = env.step(action)\nloss = -m.log_prob(action) * reward\n"
        "loss.backward()\n"
    )


@composite("resize", on=("method",), calls=IN_PYTHON)
def resize(self: Any, *sizes: Any) -> Any:
    """Another view of as many elements. Deprecated."""
    warn("non-inplace resize is deprecated")
    return _resized(self, sizes)


@composite("resize_as", on=("method",), calls=IN_PYTHON)
def resize_as(self: Any, tensor: Any) -> Any:
    """A view with the shape of another tensor. Deprecated."""
    warn("non-inplace resize_as is deprecated")
    return _resized(self, tuple(tensor.shape))


def _resized(self: Any, shape: tuple[int, ...]) -> Any:
    wanted = 1
    for size in shape:
        wanted = wanted * size
    if self.numel() != wanted:
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, shape))} ({wanted} elements in total), but "
            f"the given tensor has a size of {'x'.join(map(str, self.shape))} ({self.numel()} "
            "elements). autograd's resize can only change the shape of a given tensor, while "
            "preserving the number of elements. "
        )
    return OPS.view(self.contiguous(), shape)
