"""torch.signal.windows: the weights of frames, made of other operators as in torch."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any

import minitorch as torch
from minitorch.core.numbers.device import strided

__path__: list[str] = []  # a package in torch, of whose modules there are outlines

__all__: list[str] = []


def _window(compute: Callable[..., Any], error_name: str = "") -> Any:
    """A window of torch's parameters: those of `compute` but for its last, a function (start, end)
    of equally spaced points that has the options of tensors.

    error_name: the name in its errors, if not its own.
    """
    own = list(inspect.signature(compute).parameters.values())
    options = [("dtype", None), ("layout", strided), ("device", None), ("requires_grad", False)]
    added = [inspect.Parameter(n, own[1].KEYWORD_ONLY, default=value) for n, value in options]
    signature = inspect.Signature([own[0], *own[1:-1], *added])
    name, names = error_name or compute.__name__, [each.name for each in own[1:-1]]

    def function(
        M: int,
        *,
        dtype: Any = None,
        layout: Any = strided,
        device: Any = None,
        requires_grad: bool = False,
        **given: Any,
    ) -> Any:
        for each in given:
            if each not in names:
                raise TypeError(f"{compute.__name__}() got an unexpected keyword argument '{each}'")
        dtype = dtype or torch.get_default_dtype()
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if dtype not in (torch.float32, torch.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
        made = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}

        def points(start: Any, end: Any) -> Any:
            return torch.linspace(start=start, end=end, steps=M, **made)

        points.options = made
        return compute(M, **given, points=points)

    function.compute = compute  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = compute.__name__
    function.__module__, function.__doc__ = __name__, compute.__doc__
    function.__signature__ = signature
    __all__.append(compute.__name__)
    return function


def _few(M: int, points: Any, ones: bool = True) -> Any:
    """The window of no element, or of one; None for others."""
    if M == 0:
        return torch.empty(0, **points.options)
    return torch.ones(1, **points.options) if M == 1 and ones else None


def _steps(M: int, sym: bool) -> int:
    """The number of steps in a period."""
    return M - 1 if sym else M


@_window
def exponential(
    M: int, *, center: Any = None, tau: float = 1.0, sym: bool = True, points: Any
) -> Any:
    """exp(-|n - center| / tau)."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if (few := _few(M, points, False)) is not None:
        return few
    if center is None:
        center = _steps(M, sym or M <= 1) / 2.0
    scale = 1 / tau
    return torch.exp(-torch.abs(points(-center * scale, (-center + (M - 1)) * scale)))


@_window
def cosine(M: int, *, sym: bool = True, points: Any) -> Any:
    """sin(pi (n + 1/2) / M)."""
    if (few := _few(M, points, False)) is not None:
        return few
    step = math.pi / (M + 1 if not sym and M > 1 else M)
    return torch.sin(points(0.5 * step, (0.5 + (M - 1)) * step))


@_window
def gaussian(M: int, *, std: float = 1.0, sym: bool = True, points: Any) -> Any:
    """exp(-(n / std)^2 / 2) around the middle."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if (few := _few(M, points, False)) is not None:
        return few
    start, scale = -_steps(M, sym or M <= 1) / 2.0, 1 / (std * math.sqrt(2))
    return torch.exp(-(points(start * scale, (start + (M - 1)) * scale) ** 2))


@_window
def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, points: Any) -> Any:
    """I0(beta sqrt(1 - x^2)) / I0(beta)."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if (few := _few(M, points)) is not None:
        return few
    options = points.options
    shape = torch.tensor(beta, dtype=options["dtype"], device=options["device"])
    start = -shape
    end = torch.minimum(shape, start + (M - 1) * (2.0 * shape / _steps(M, sym)))
    k = points(start, end)
    return torch.i0(torch.sqrt(shape * shape - torch.pow(k, 2))) / torch.i0(shape)


@_window
def bartlett(M: int, *, sym: bool = True, points: Any) -> Any:
    """A triangle."""
    if (few := _few(M, points)) is not None:
        return few
    return 1 - torch.abs(points(-1, -1 + (M - 1) * (2 / _steps(M, sym))))


@_window
def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, points: Any) -> Any:
    """The sum of (-1)^i a[i] cos(2 pi i n / (M - 1))."""
    if (few := _few(M, points)) is not None:
        return few
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    k = points(0, (M - 1) * (2 * math.pi / _steps(M, sym)))
    options = {key: points.options[key] for key in ("dtype", "device", "requires_grad")}
    factors = torch.tensor([(-1) ** i * each for i, each in enumerate(a)], **options)
    size = factors.shape[0]
    like = {key: getattr(factors, key) for key in ("dtype", "device", "requires_grad")}
    places = torch.arange(size, **like)
    return (factors.unsqueeze(-1) * torch.cos(places.unsqueeze(-1) * k)).sum(0)


def _of_cosines(name: str, *factors: float) -> Any:
    """A window that is a sum of cosines; with no factors, of two that its parameter tells."""

    def compute(M: int, *, sym: bool = True, points: Any) -> Any:
        return general_cosine.compute(M, a=list(factors), sym=sym, points=points)

    def shaped(M: int, *, alpha: float = 0.54, sym: bool = True, points: Any) -> Any:
        return general_cosine.compute(M, a=[alpha, 1.0 - alpha], sym=sym, points=points)

    chosen = compute if factors else shaped
    chosen.__name__, chosen.__doc__ = (
        name,
        f"general_cosine of a = {factors or 'alpha, 1 - alpha'}.",
    )
    return _window(chosen, "" if name == "blackman" else "general_cosine")


general_hamming = _of_cosines("general_hamming")
hamming = _of_cosines("hamming", 0.54, 1.0 - 0.54)
hann = _of_cosines("hann", 0.5, 0.5)
blackman = _of_cosines("blackman", 0.42, 0.5, 0.08)
nuttall = _of_cosines("nuttall", 0.3635819, 0.4891775, 0.1365995, 0.0106411)
__all__.sort()
