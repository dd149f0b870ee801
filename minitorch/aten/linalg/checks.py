"""The common ground of torch.linalg: its refusals in torch's words, and its calls of LAPACK.

As ATen/native/LinearAlgebraUtils.h and _linalg_check_errors of BatchLinearAlgebra.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy

from minitorch.core.arrays import lapack, layout, namespace, on_numpy
from minitorch.core.arrays.floating_point import warn_of_halves
from minitorch.core.arrays.lazy import resolved
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.declare.families import composite
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.limits import finfo
from minitorch.core.tensor.conversion import entry_of, wrap_dim


def check_matrices(x: Any, name: str, what: str = "input tensor A") -> None:
    """RuntimeError unless the array `x` has the dimensions of matrices."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: The {what} must have at least 2 dimensions.")


def check_square(x: Any, name: str) -> None:
    """RuntimeError unless the array `x` is of square matrices."""
    shape = x.shape
    if len(shape) == 2 and shape[0] == shape[1]:
        return
    check_matrices(x, name)
    rows, columns = shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )


def check_floating(x: Any, name: str, low_precision: bool = True) -> None:
    """RuntimeError unless the array `x` is of floating-point or complex numbers."""
    if x.dtype.char in "fdFD":
        return
    kind = dtypes.of(x)
    if kind.number_kind < Kind.FLOATING:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {kind.scalar_name}"
        )
    if not low_precision and kind.itemsize == 2:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {kind.scalar_name}")


def check_sides(b: Any, A: Any, name: str) -> None:
    """RuntimeError unless the array `b` can be the right-hand sides of equations by `A`."""
    if b.dtype != A.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type "
            f"{dtypes.of(b).scalar_name} and A of type {dtypes.of(A).scalar_name} instead."
        )
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if rows != entry_of(b.shape, -2):
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {rows} but each b "
            f"matrix is {b.shape[-2]} by {b.shape[-1]}"
        )


def check_kernel(x: Any, kernel: str) -> None:
    """NotImplementedError for dtypes that LAPACK does not know."""
    if x.dtype.char not in "fdFD":
        raise dtypes.unknown_to(kernel, x)


def check_eig(A: Any, name: str) -> None:
    """Raises torch's errors for a matrix that eig and eigvals refuse."""
    if dtypes.of(A).number_kind < dtypes.Kind.FLOATING:
        raise RuntimeError(f"Unknown Complex ScalarType for {dtypes.of(A).scalar_name}")
    check_square(A, name)
    if not namespace(A).isfinite(A).all():
        raise RuntimeError(f"torch.{name}: input tensor should not contain infs or NaNs.")
    if dtypes.of(A) is dtypes.float16:  # torch makes the results first
        warn_of_halves()
        warn_of_halves()
    check_kernel(A, "linalg_eig_out_cpu")


_REASONS = {
    "inv": "The diagonal element {0} is zero, the inversion could not be completed because the "
    "input matrix is singular.",
    "solve": "The solver failed because the input matrix is singular.",
    "cholesky": "The factorization could not be completed because the input is not "
    "positive-definite (the leading minor of order {0} is not positive-definite).",
    "eigh": "The algorithm failed to converge because the input matrix is ill-conditioned or has "
    "too many repeated eigenvalues (error code: {0}).",
    "lu_factor": "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. "
    "If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
    "linalg.lu_factor_ex(A, pivot)",
}


def check_info(info: Any, name: str) -> None:
    """LinAlgError with torch's text if a routine failed for a matrix; `info` is 0 where not."""
    if type(info) is numpy.ndarray and not (info.ndim or info.item()):
        return  # one matrix, for which it did not fail
    if is_numberless(info):
        return
    failed = info.reshape(-1).nonzero()[0]
    if failed.size:
        place = int(failed[0])
        if "ldl" in name:  # an assertion of torch's: a block of D is zero
            raise RuntimeError(
                "false INTERNAL ASSERT FAILED at "
                '"/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp":1642, please '
                f"report a bug to PyTorch. {name}: Unknown error code: "
                f"{info.reshape(-1)[place]}."
            )
        reason = next(text for key, text in _REASONS.items() if key in name)
        batch = f"(Batch element {place}): " if info.ndim else ""
        text = f"{name}: {batch}{reason.format(info.reshape(-1)[place])}"
        raise RuntimeError(text) if "lu_factor" in name else lapack._LinAlgError(text)


@composite("_linalg_check_errors", on=("F",))
def check_errors(info: Any, api_name: str, *, is_matrix: bool) -> None:
    """As check_info, of a tensor; modes see it."""
    check_info(info._array, api_name)


_WIDER = {"f": numpy.dtype("d"), "F": numpy.dtype("D")}
_NARROWER = {"d": numpy.dtype("f"), "D": numpy.dtype("F")}


def _cast(x: Any, others: dict[str, Any]) -> Any:
    """An array in another precision, in the same order of memory."""
    other = others.get(x.dtype.char)
    if other is None:
        return x
    out = x.astype(other)
    shape, flags = x.shape, x.flags
    if 1 not in shape and 0 not in shape and (flags.c_contiguous or flags.f_contiguous):
        return out  # its order, by rows or by columns, is kept
    if layout.same_strides(out, x):
        return out
    out = on_numpy.empty_strided(x.shape, layout.strides_of(x), other)
    out[...] = x
    return out


def on_host(xp: Any, kernel: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    """The result of a kernel of NumPy arrays, as arrays of the namespace `xp`.

    Single precision is computed in double and rounded once, as elementary functions are.
    """
    if xp is on_numpy and len(arrays) == 1:  # the ordinary case, without lists: 0.5 us less
        x = arrays[0] if type(arrays[0]) is numpy.ndarray else resolved(arrays[0])
        found = kernel(_cast(x, _WIDER), **options)
        if x.dtype.char not in _WIDER:
            return found
        if type(found) is tuple:
            return tuple([_cast(each, _NARROWER) for each in found])
        return _cast(found, _NARROWER)
    if xp.device_type == "meta":
        return xp.of_ones(partial(on_host, on_numpy, kernel), arrays, options)
    given, single = [], False
    for x in arrays:
        x = resolved(x) if xp is on_numpy else xp.to_numpy(x)
        single = single or x.dtype.char in _WIDER
        given.append(x)
    if not single:
        found = kernel(*given, **options)
        if xp is on_numpy:
            return found
    elif len(given) == 1:
        found = kernel(_cast(given[0], _WIDER), **options)
    else:
        found = kernel(*[_cast(x, _WIDER) for x in given], **options)
    if not isinstance(found, tuple):
        found = _cast(found, _NARROWER) if single else found
        return found if xp is on_numpy else xp.asarray(found)
    results = tuple([_cast(x, _NARROWER) for x in found]) if single else found
    return results if xp is on_numpy else tuple([xp.asarray(x) for x in results])


def on_host_as_is(xp: Any, kernel: Callable[..., Any], x: Any) -> Any:
    """As `on_host`, in the precision of the array."""
    if xp is on_numpy:
        return kernel(x if type(x) is numpy.ndarray else resolved(x))
    if xp.device_type == "meta":
        return xp.of_ones(partial(on_host_as_is, on_numpy, kernel), (x,), {})
    return tuple([xp.asarray(each) for each in kernel(xp.to_numpy(x))])


def _mixed(args: tuple[Any, ...]) -> bool:
    """Whether arrays of floats have several dtypes, which a forward refuses by their names."""
    kinds = [x.dtype for x in args if hasattr(x, "dtype") and dtypes.of(x).is_floating_point]
    return len({kind.char for kind in kinds}) > 1


def with_empty_halves(of: int = 0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator for forwards: 2-byte floats, which LAPACK does not know, are results too if the
    array at the place `of` among the arguments is empty. torch calls no kernel for that one."""

    def decorate(forward: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(forward)
        def compute(xp: Any, *args: Any, **kwargs: Any) -> Any:
            kind = args[of].dtype
            halves = kind.itemsize == 2 and dtypes.of(args[of]).number_kind is Kind.FLOATING
            if args[of].size or not halves or _mixed(args):
                return forward(xp, *args, **kwargs)
            wider = {kind.char: numpy.dtype("f")}
            given = [_cast(x, wider) if hasattr(x, "dtype") else x for x in args]
            found = forward(xp, *given, **kwargs)
            if isinstance(found, tuple):
                return tuple([_cast(x, {"f": kind}) for x in found])
            return _cast(found, {"f": kind})

        return compute

    return decorate


def mH(F: Any, x: Any) -> Any:
    """The conjugate transposes of matrices, in formulas."""
    return F.transpose(x, -2, -1).conj()


def factored_transposed(A: Any) -> bool:
    """Whether torch factors the transposes of the matrices `A`, which lie row by row, not them."""
    x = getattr(A, "_array", A)
    return x.dtype.kind != "c" and x.flags.c_contiguous


def swapped(x: Any) -> Any:
    """The transposes of an array of matrices."""
    return x.swapaxes(-1, -2)


def check_pinv_precision(input: Any) -> None:
    """Refuses a tensor for which torch has no default of rtol beside a number as atol."""
    if input.dim() < 2:
        wrap_dim(-2, input.dim())
    if input.dtype.to_real() not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")


def check_real(name: str, which: str, x: Any) -> None:
    """RuntimeError with torch's text for an array of complex tolerances."""
    if hasattr(x, "dtype") and x.dtype.kind == "c":
        kind = dtypes.of(x).scalar_name
        raise RuntimeError(f"{name}: {which} tensor of complex type is not supported. Got {kind}")


def tolerances(name: str, self: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """atol and rtol as arrays, with torch's defaults. RuntimeError for complex tensors."""
    kind = dtypes.of(self).to_real()
    for each, which in ((atol, "atol"), (rtol, "rtol")):
        check_real(name, which, each)
    if any([isinstance(each, (complex, list, tuple)) for each in (atol, rtol)]):
        raise TypeError  # worded by the signature
    if rtol is None:
        if kind.name not in ("float32", "float64"):
            raise RuntimeError("This function doesn't handle types other than float and double")
        rtol = numpy.asarray(finfo(kind).eps * max(self.shape[-2:]), kind.numpy)
        if atol is not None:
            atol = atol if hasattr(atol, "dtype") else numpy.asarray(atol)
            rtol = namespace(atol).where(atol > 0, 0, rtol)
    limits = [0 if atol is None else atol, rtol]
    found = [each if hasattr(each, "dtype") else numpy.asarray(each) for each in limits]
    return found[0].astype(kind.numpy), found[1].astype(kind.numpy)
