"""torch.fft: discrete Fourier transforms; the operators are in minitorch/aten/signal/fourier.py."""

from __future__ import annotations

import math
from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.aten.signal.fourier import FUNCTIONS as _FUNCTIONS
from minitorch.aten.signal.fourier import fftshift as fftshift
from minitorch.aten.signal.fourier import ifftshift as ifftshift
from minitorch.core.base import fields as _fields
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed as _refuse_handed
from minitorch.core.declare.expose import shelled as _shelled
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for
from minitorch.core.numbers.dtype import Kind, get_default_dtype

__all__ = (
    "Tensor fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 "
    "irfftn rfft rfft2 rfftfreq rfftn"
).split()

globals().update(_FUNCTIONS)


def _frequencies(name: str, start: int, n: int, d: float, out: Any, options: Any) -> Any:
    """The numbers from 0, then those from `start`, over n * d."""
    d = float(d)
    if options:
        _refuse_handed(f"fft.fft_{name}", n, d, out=out, **options)
    dtype = options.get("dtype") or (get_default_dtype() if out is None else out.dtype)
    requires_grad = options.pop("requires_grad", False)
    size = n if name == "fftfreq" else int(n / 2) + 1  # rounded as in C++
    if out is None:
        OPS.empty((size,), **{**options, "dtype": dtype})
    elif dtype is not out.dtype:
        raise RuntimeError(
            f"dtype {dtype.scalar_name} does not match dtype of out parameter "
            f"({out.dtype.scalar_name})"
        )
    else:
        options = {}
    if dtype.number_kind < Kind.FLOATING:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if size < 0 and not dtype.is_complex:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = (n + 1) // 2 if name == "fftfreq" else size
    parts = [OPS.arange(count, **{**options, "dtype": dtype})]
    if start:
        parts.append(OPS.arange(start, 0, **{**options, "dtype": dtype}))
    found = OPS.cat(parts).mul_(1.0 / (n * d) if n * d else math.inf)
    if out is not None:
        found = out.resize_(found.shape).copy_(found)
    else:
        found = _fields.tensor(found._array)  # factories count no writes
    return found.requires_grad_() if requires_grad else found


def fftfreq(n: int, d: float = 1.0, *, out: Any = None, **options: Any) -> Any:
    """The frequencies of fft of `n` points at distances `d`."""
    return _frequencies("fftfreq", -(n // 2), n, d, out, options)


def rfftfreq(n: int, d: float = 1.0, *, out: Any = None, **options: Any) -> Any:
    """The frequencies of rfft of `n` points at distances `d`."""
    return _frequencies("rfftfreq", 0, n, d, out, options)


fftfreq = _shelled("fft.fft_fftfreq", fftfreq)
rfftfreq = _shelled("fft.fft_rfftfreq", rfftfreq)

_asked_for("torch.fft", globals())


__getattr__ = _names_of("torch.fft")
