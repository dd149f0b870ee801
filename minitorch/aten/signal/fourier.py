"""Discrete Fourier transforms: three operators, and the functions of torch.fft made of them.

As ATen/native/SpectralOps.cpp, and ATen/native/mkl/SpectralOps.cpp for the order of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy

from minitorch.aten.in_formulas import multiply
from minitorch.aten.linalg.checks import on_host
from minitorch.core.arrays import layout, on_numpy
from minitorch.core.arrays.fourier import BY_N, BY_ROOT, NONE, transform
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.writing import (
    check_arguments,
    check_out,
    deliver,
    gradients_wanted,
)
from minitorch.core.declare.out import ROWS, Out, declare_out
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import VMap
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind, get_default_dtype
from minitorch.core.tensor.conversion import entry_of, wrap_dim

# ---- the three operators


class Form(NamedTuple):
    """How an array lies in memory; strides in elements."""

    ndim: int
    strides: tuple[int, ...]


def by_stride(x: Form, dims: Sequence[int]) -> list[int]:
    return sorted(dims, key=lambda dim: -x.strides[dim])


def _others(rank: int, dims: Sequence[int]) -> list[int]:
    """The dimensions beside `dims`, in the order in which std::partition leaves them: it puts the
    last of them into the place of the first one that is transformed, and so on. Those of equal
    strides stay in that order."""
    order, first, last = list(range(rank)), 0, rank
    while True:
        while first < last and order[first] not in dims:
            first += 1
        while first < last and order[last - 1] in dims:
            last -= 1
        if first >= last:
            return order[:first]
        order[first], order[last - 1] = order[last - 1], order[first]


@lru_cache(1024)
def strides_for(x: Form, shape: Any, dims: tuple[int, ...], sort_last: bool) -> tuple[int, ...]:
    """The strides of a transform of `x`: the other dimensions in their order, then `dims`."""
    batch = by_stride(x, _others(x.ndim, dims))
    inner = by_stride(x, dims) if sort_last else [*by_stride(x, dims[:-1]), dims[-1]]
    strides, step = [0] * x.ndim, 1
    for dim in reversed(batch + inner):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def transformed(xp: Any, x: Any, dims: Any, sort_last: bool, function: Callable[..., Any]) -> Any:
    """The result of `function` for an array, with the memory layout that torch would give it."""
    dims = tuple([dim % x.ndim for dim in dims])

    def kernel(given: Any) -> Any:
        found = function(given, dims)
        if found.ndim == 1 and dims:
            return found  # which can lie in one way alone
        form = Form(x.ndim, layout.strides_of(x))
        strides = strides_for(form, found.shape, dims, sort_last)
        if dims and found.base is None and layout.strides_of(found) == strides:
            return found
        out = on_numpy.empty_strided(found.shape, strides, found.dtype)
        out[...] = found
        return out

    if dims and not x.size:
        raise RuntimeError(
            "MKL FFT error: Intel oneMKL DFTI ERROR: Inconsistent configuration parameters"
        )
    return on_host(xp, kernel, x)


def along(last: str, other: str, divisor: int) -> Callable[..., Any]:
    """A transform over dimensions, one after another from the last on, which has its own, by the
    name of numpy.fft's function."""

    def function(x: Any, dims: Any) -> Any:
        if not dims:
            return x.astype(numpy.complex128)
        x = transform(last, x, dims[-1], divisor)
        for dim in reversed(dims[:-1]):
            x = transform(other, x, dim, divisor)
        return x

    return function


def c2c_forward(xp: Any, self: Any, dim: Any, normalization: int, forward: bool) -> Any:
    one = "fft" if forward else "ifft"
    return transformed(xp, self, dim, True, along(one, one, normalization))


def r2c_forward(xp: Any, self: Any, dim: Any, normalization: int, onesided: bool) -> Any:
    if self.dtype.char not in "fd":
        dtype = dtypes.of(self)
        told = "Only supports floating-point dtypes, but found"
        if dtype.is_floating_point:
            told = "MKL FFT doesn't support tensors of type"
        raise RuntimeError(f"{told}: {dtype.scalar_name}")
    function = along("rfft" if onesided else "fft", "fft", normalization)
    return transformed(xp, self, dim, False, function)


def c2r_forward(xp: Any, self: Any, dim: Any, normalization: int, last_dim_size: int) -> Any:
    if len(dim) > 1:
        self = c2c_forward(xp, self, dim[:-1], normalization, False)

    def function(x: Any, dims: Any) -> Any:
        return transform("irfft", x, dims[0], normalization, last_dim_size)

    return transformed(xp, self, dim[-1:], True, function)


def r2c_backward(F: Any, grad: Any, dim: Any, normalization: int, onesided: bool, self: Any) -> Any:
    last = dim[-1] % len(self.shape)
    if onesided and grad.shape[last] < self.shape[last]:
        whole = F.new_zeros(grad, self.shape)
        F.narrow(whole, last, 0, grad.shape[last])[...] = grad
        grad = whole
    return F.real(F._fft_c2c(grad, dim, normalization, False))


def c2r_backward(F: Any, grad: Any, dim: Any, normalization: int) -> Any:
    """All but the first number, and the middle one if there is, stand for two."""
    found = F._fft_r2c(grad, dim, normalization, True)
    last = dim[-1] % len(found.shape)
    twice = grad.shape[last] - found.shape[last]
    if twice:
        multiply(F, F.narrow(found, last, 1, twice), 2)
    return found


fft_r2c = operator(
    "_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
    node="FftR2CBackward0",
    forward=r2c_forward,
    self=r2c_backward,
    result=LINEAR,
    on=("function",),
    variants=("out",),
)

fft_c2r = operator(
    "_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor",
    node="FftC2RBackward0",
    forward=c2r_forward,
    self=lambda F, grad, dim, normalization: c2r_backward(F, grad, dim, normalization),
    result=LINEAR,
    on=("function",),
    variants=("out",),
)

fft_c2c = operator(
    "_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor",
    node="FftC2CBackward0",
    forward=c2c_forward,
    self=lambda F, grad, dim, normalization, forward: F._fft_c2c(
        grad, dim, normalization, not forward
    ),
    result=LINEAR,
    on=("function",),
    variants=("out",),
)

# ---- what they are given


def promoted(x: Any, to_complex: bool = False) -> Any:
    """`x` as floating-point, or complex, numbers. RuntimeError for those of 2 bytes."""
    own = x._array.dtype.char
    if own in "FD" or (own in "fd" and not to_complex):
        return x
    dtype = x.dtype if x.dtype.number_kind >= Kind.FLOATING else get_default_dtype()
    if dtype.itemsize == 2:
        raise RuntimeError(f"Unsupported dtype {dtype.scalar_name}")
    if to_complex and not dtype.is_complex:
        dtype = dtype.to_complex()
    return x if dtype is x.dtype else OPS._to_copy(x, dtype=dtype)


def normalization_of(norm: str | None, forward: bool) -> int:
    """The normalization that NumPy's name for it means in one direction."""
    if norm is None:
        return NONE if forward else BY_N
    if norm not in ("backward", "forward", "ortho"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if norm == "ortho":
        return BY_ROOT
    return NONE if (norm == "forward") != forward else BY_N


def check_points(n: int) -> None:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def resized(x: Any, dims: Sequence[int], sizes: Sequence[int]) -> Any:
    """`x`, cut off or with zeros behind, so that it has these sizes."""
    shape = x._array.shape
    padding = None
    for dim, size in zip(dims, sizes, strict=True):
        own = shape[dim]
        if own < size:
            padding = padding or [0] * (2 * len(shape))
            padding[2 * (len(shape) - 1 - dim) + 1] = size - own
        elif own > size:
            x = OPS.slice(x, dim, 0, size)
    return x if padding is None else OPS.constant_pad_nd(x, padding)


def refuse(name: str, x: Any, real: str = "real") -> None:
    """RuntimeError for complex numbers where real ones are due."""
    if x.is_complex():
        raise RuntimeError(f"{name} expects a {real} input tensor, but got {x.dtype.scalar_name}")


def dim_of(x: Any, dim: int) -> int:
    """A dimension of `x`, counted from the front. IndexError for scalars."""
    rank = x._array.ndim
    if -rank <= dim < rank:
        return dim % rank
    entry_of(x.shape, dim)
    return wrap_dim(dim, rank)


def shapes_of(x: Any, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """The sizes to transform and their dimensions."""
    shape = x._array.shape
    rank = len(shape)
    given = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    sizes = None if s is None else [s] if isinstance(s, int) else list(s)
    dims = [] if given is None else [dim_of(x, each) for each in given]
    if len(set(dims)) < len(dims):
        raise RuntimeError("FFT dims must be unique")
    if sizes is not None:
        if given is not None and len(given) != len(sizes):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(sizes) > rank:
            raise RuntimeError(
                f"Got shape with {len(sizes)} values but input tensor only has {rank} dimensions."
            )
        if given is None:
            dims = list(range(rank - len(sizes), rank))
        sizes = [shape[i] if n == -1 else n for n, i in zip(sizes, dims, strict=True)]
    else:
        dims = list(range(rank)) if given is None else dims
        sizes = [shape[i] for i in dims]
    for n in sizes:
        check_points(n)
    return sizes, dims


# ---- one dimension


def of_complex(x: Any, n: Any, dim: int, norm: Any, forward: bool) -> Any:
    axis = dim_of(x, dim)
    check_points(x._array.shape[axis] if n is None else n)
    x = x if n is None else resized(x, (axis,), (n,))
    return fft_c2c(x, (axis,), normalization_of(norm, forward), forward)


def of_real(name: str, x: Any, n: Any, dim: int, norm: Any, forward: bool, onesided: bool) -> Any:
    refuse(name, x)
    x = promoted(x)
    axis = dim_of(x, dim)
    check_points(x._array.shape[axis] if n is None else n)
    x = x if n is None else resized(x, (axis,), (n,))
    found = fft_r2c(x, (axis,), normalization_of(norm, forward), onesided)
    return found if forward else found.conj()


def conjugated(x: Any) -> Any:
    """The conjugates, which are copied for a kernel that knows of none; modes see that."""
    return OPS.resolve_conj(x.conj()) if STACK.get() else x.conj()


def to_real(x: Any, n: Any, dim: int, norm: Any, forward: bool) -> Any:
    x = promoted(x, to_complex=True)
    axis = dim_of(x, dim)
    size = 2 * (x._array.shape[axis] - 1) if n is None else n
    check_points(size)
    x = x if n is None else resized(x, (axis,), (size // 2 + 1,))
    x = conjugated(x) if forward else x
    return fft_c2r(x, (axis,), normalization_of(norm, forward), size)


def fft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """The Fourier transform of signals along `dim`, of `n` points."""
    if input.is_complex():
        return of_complex(input, n, dim, norm, True)
    return of_real("fft", input, n, dim, norm, True, False)


def ifft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """The inverse of fft."""
    if input.is_complex():
        return of_complex(input, n, dim, norm, False)
    return of_real("ifft", input, n, dim, norm, False, False)


def rfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """The half of fft that says all of real signals."""
    return of_real("rfft", input, n, dim, norm, True, True)


def irfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """The inverse of rfft: real signals of `n` points."""
    return to_real(input, n, dim, norm, False)


def hfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """The real transform of the half of a Hermitian signal."""
    return to_real(input, n, dim, norm, True)


def ihfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """The inverse of hfft."""
    return of_real("ihfft", input, n, dim, norm, False, True)


# ---- several dimensions


def all_complex(x: Any, s: Any, dim: Any, norm: Any, forward: bool) -> Any:
    sizes, dims = shapes_of(x, s, dim)
    x = resized(promoted(x, to_complex=True), dims, sizes)
    return fft_c2c(x, tuple(dims), normalization_of(norm, forward), forward)


def halved(name: str, x: Any, s: Any, dim: Any) -> tuple[list[int], list[int], int]:
    """The sizes of the half that is given, its dimensions, and the last size of the whole."""
    sizes, dims = shapes_of(x, s, dim)
    check_some(name, dims)
    last = (s if isinstance(s, int) else s[-1]) if s is not None else -1
    size = 2 * (x._array.shape[dims[-1]] - 1) if last == -1 else sizes[-1]
    check_points(size)
    return [*sizes[:-1], size // 2 + 1], dims, size


def check_some(name: str, dims: Sequence[int]) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")


def fftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """The Fourier transform over several dimensions."""
    return all_complex(input, s, dim, norm, True)


def ifftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """The inverse of fftn."""
    return all_complex(input, s, dim, norm, False)


def rfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """The half of fftn that says all of real signals."""
    refuse("rfftn", input, "real-valued")
    sizes, dims = shapes_of(input, s, dim)
    check_some("rfftn", dims)
    x = promoted(input)
    return fft_r2c(resized(x, dims, sizes), tuple(dims), normalization_of(norm, True), True)


def irfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """The inverse of rfftn."""
    sizes, dims, last = halved("irfftn", input, s, dim)
    x = resized(promoted(input, to_complex=True), dims, sizes)
    return fft_c2r(x, tuple(dims), normalization_of(norm, False), last)


def hfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """The real transform of the half of a Hermitian signal over several dimensions."""
    sizes, dims, last = halved("hfftn", input, s, dim)
    x = resized(promoted(input, to_complex=True), dims, sizes)
    normalization = normalization_of(norm, True)
    if len(dims) > 1:
        x = fft_c2c(x, tuple(dims[:-1]), normalization, True)
    return fft_c2r(conjugated(x), tuple(dims[-1:]), normalization, last)


def ihfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """The inverse of hfftn."""
    found, dims, normalization = halfway(input, s, dim, norm)
    if not dims:
        return found.conj()
    return fft_c2c(OPS.conj_physical(found), tuple(dims), normalization, False)


def halfway(input: Any, s: Any, dim: Any, norm: Any) -> tuple[Any, list[int], int]:
    """The first step of ihfftn, in the last dimension, the dimensions left, and the norm."""
    sizes, dims = shapes_of(input, s, dim)
    x = promoted(input)
    check_some("ihfftn", dims)
    normalization = normalization_of(norm, False)
    found = fft_r2c(resized(x, dims, sizes), tuple(dims[-1:]), normalization, True)
    return found, dims[:-1], normalization


def over_two(function: Callable[..., Any]) -> Callable[..., Any]:
    """A transform of several dimensions, by default of the last two."""

    def of_two(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Any:
        return function(input, s, dim, norm)

    of_two.__name__ = f"{function.__name__[:-1]}2"
    of_two.__doc__ = f"As {function.__name__}, by default over the last two dimensions."
    return of_two


_SEVERAL = (fftn, ifftn, rfftn, irfftn, hfftn, ihfftn)


def with_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """A transform that takes out=, of numbers of its result's kind."""
    name = function.__name__.replace("2", "n")  # torch's functions of two call those of several
    to_real = name.startswith(("irfft", "hfft"))
    spoken = "fftn" if name == "ifftn" else name
    takes_sizes = function.__code__.co_varnames[1] == "s"
    declare_out(f"fft_{name}", Out(strides=ROWS))

    def called(
        input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None
    ) -> Any:
        if out is None:
            return function(input, n, dim, norm)
        check_out(f"fft_{function.__name__}", out)
        if name == "ihfftn":
            found, rest, _ = halfway(input, n, dim, norm)
            if not rest:  # torch conjugates from out= into what was found, and gives out= back
                deliver("conj_physical", OPS.conj_physical, found.detach(), ((out.detach(),), {}))
                return out
        fits = out.is_floating_point() if to_real else out.is_complex()
        if not fits:
            if takes_sizes:
                function(input.detach(), n, dim, norm)  # torch asks for out= after all that
            kind = "floating point" if to_real else "complex"
            raise RuntimeError(
                f"{spoken} expects a {kind} output tensor, but got {out.dtype.scalar_name}"
            )
        real = not input.is_complex() and name not in ("fftn", "ifftn", "ihfftn")
        error_name = "_fft_c2r" if to_real else "_fft_r2c" if real else "_fft_c2c"
        call = (input, n, dim, norm), {}
        if to_real and gradients_wanted((input,), (out,)):  # its parts check them
            check_arguments(function, call)
        if name in ("ifft", "ihfft") and real:  # which conjugate into out=
            return deliver("conj_physical", function, out, call)
        return deliver(f"fft_{name}", function, out, call, error_name)

    if takes_sizes:

        def of_several(
            input: Any,
            s: Any = None,
            dim: Any = function.__defaults__[1],
            norm: Any = None,
            *,
            out: Any = None,
        ) -> Any:
            return called(input, s, dim, norm, out=out)

        return named(of_several, function)
    return named(called, function)


def named(wrapper: Any, function: Any) -> Any:
    wrapper.__name__ = wrapper.__qualname__ = function.__name__
    wrapper.__doc__ = function.__doc__
    return wrapper


def _said_of(function: Any) -> VMap | None:
    """How vmap treats a transform: torch has no rule for ihfft in several dimensions."""
    return VMap("warned") if function.__name__ in ("ihfft2", "ihfftn") else None


FUNCTIONS = {
    each.__name__: composite(f"fft_{each.__name__}", on=("F",), vmap=_said_of(each))(with_out(each))
    for each in (fft, ifft, rfft, irfft, hfft, ihfft, *_SEVERAL, *map(over_two, _SEVERAL))
}

# ---- orders and frequencies


def shifted(x: Any, dim: Any, extra: int) -> Any:
    dims = range(x.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    dims = [dim_of(x, each) for each in dims]
    return OPS.roll(x, [(x.shape[i] + extra) // 2 for i in dims], dims)


@composite("fft_fftshift", on=("F",))
def fftshift(input: Any, dim: Any = None) -> Any:
    """The frequencies in order, the negative ones first."""
    return shifted(input, dim, 0)


@composite("fft_ifftshift", on=("F",))
def ifftshift(input: Any, dim: Any = None) -> Any:
    """The inverse of fftshift."""
    return shifted(input, dim, 1)
