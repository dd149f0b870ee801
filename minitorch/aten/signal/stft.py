"""Short-time Fourier transforms, and the windows of their frames.

As ATen/native/SpectralOps.cpp and ATen/native/TensorFactories.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

from minitorch.aten.elementwise.arithmetic import add_by_number, mul_by_number
from minitorch.aten.in_formulas import is_true_scalar
from minitorch.aten.layers.padding import pad
from minitorch.aten.signal.fourier import BY_N, BY_ROOT, NONE
from minitorch.core.arrays.floating_point import warn_of_halves
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.calls import AS_METHOD, IN_PYTHON, Calls
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.families import composite
from minitorch.core.declare.registry import FUNCTIONS
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.numbers.dtype import Kind, float16, get_default_dtype
from minitorch.core.sampling.filling import c_type
from minitorch.core.tensor.conversion import entry_of, native_type_name
from minitorch.core.warning import warn_once


def called(name: str, first: str, window: Any, **settings: Any) -> str:
    """A call as its errors show it."""
    values = {key: int(value) if type(value) is bool else value for key, value in settings.items()}
    listed = [f"{key}={value}" for key, value in values.items()]
    text = "None" if window is None else f"{native_type_name(window)}{{{list(window.shape)}}}"
    listed.insert(3, f"window={text}")
    return f"{name}({first}, {', '.join(listed)})"


def warn_of_window(window: Any, advice: str, in_python: bool = False) -> None:
    """Says that without a window, frames have edges. torch.stft calls C++ `in_python`."""
    if window is None:
        warn_once(
            f"A window was not provided. A rectangular window will be applied{advice}To suppress "
            "this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, "
            "device=<device>)`.",
            in_python=in_python,
        )


def centred(window: Any, win_length: int, n_fft: int) -> Any:
    """A window in the middle of `n_fft` zeros."""
    whole = OPS.zeros(n_fft, dtype=window.dtype, device=window.device)
    whole.narrow(0, (n_fft - win_length) // 2, win_length).copy_(window)
    return whole


@composite("stft", on=("F",), calls=IN_PYTHON)
def _check_frames(text: str, input: Any, window: Any, n_fft: int, hop: int, length: int) -> None:
    """Refuses what stft cannot take. text: the call, as its errors show it."""
    if input.dtype.number_kind < Kind.FLOATING:
        raise RuntimeError(f"{text} : expected a tensor of floating point or complex values")
    if input.dim() not in (1, 2):
        raise RuntimeError(f"{text} : expected a 1D or 2D tensor")
    size = input.shape[-1]
    if not 0 < n_fft <= size:
        raise RuntimeError(f"{text} : expected 0 < n_fft < {size}, but got n_fft={length}")
    if hop <= 0:
        raise RuntimeError(f"{text} : expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(
            f"{text} : expected 0 < win_length <= n_fft, but got win_length={length}"
        )
    if window is not None and (window.dim() != 1 or window.shape[0] != length):
        raise RuntimeError(
            f"{text} : expected a 1D window tensor of size equal to win_length={length}, but got "
            f"window with size {list(window.shape)}"
        )


def frames(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:
    """stft of a signal that is padded already."""
    warn_of_window(
        window,
        ",which is known to cause spectral leakage. Other windows such as torch.hann_window or "
        "torch.hamming_window are recommended to reduce spectral leakage.",
        in_python=True,
    )
    n_fft = index(n_fft)  # NumPy's integers wrap around
    hop = n_fft >> 2 if hop_length is None else index(hop_length)
    length = n_fft if win_length is None else index(win_length)
    text = called(
        "stft",
        f"{native_type_name(input)}{list(input.shape)}",
        window,
        n_fft=n_fft,
        hop_length=hop,
        win_length=length,
        normalized=normalized,
        onesided=onesided,
        return_complex=return_complex,
        align_to_window=align_to_window,
    )
    complex_input = input.is_complex() or (window is not None and window.is_complex())
    if not (complex_input if return_complex is None else return_complex):
        if return_complex is None:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will "
                "further require that return_complex=True in a future PyTorch release."
            )
        warn_once(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will "
            "return complex tensors for all inputs, and return_complex=False will raise an "
            "error.\nNote: you can still call torch.view_as_real on the complex output to recover "
            "the old return format.",
            in_python=True,
        )
    _check_frames(text, input, window, n_fft, hop, length)
    x = input.unsqueeze(0) if input.dim() == 1 else input
    batch, size = x.shape
    if length < n_fft:
        if window is None:
            window = OPS.ones(length, dtype=input.dtype, device=input.device)
        window = centred(window, length, n_fft)
    count = 1 + (size - n_fft) // hop
    if align_to_window:
        count = 1 + (size - length) // hop
        before = (n_fft - length) // 2
        x = OPS.constant_pad_nd(x, (before, before))  # as torch, also where the rest is odd
    strides = (x.stride(0), hop * x.stride(1), x.stride(1))
    x = x.as_strided((batch, count, n_fft), strides)
    x = x if window is None else x * window
    norm = BY_ROOT if normalized else NONE
    onesided = (not x.is_complex()) if onesided is None else onesided
    if x.is_complex():
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        found = OPS._fft_c2c(x, (2,), norm, True)
    else:
        if x.dtype is float16:
            warn_of_halves()  # torch makes the result before it refuses
        found = OPS._fft_r2c(x, (2,), norm, onesided)
    found = found.transpose_(1, 2)
    if input.dim() == 1:
        found = found.squeeze_(0)
    return (
        found
        if return_complex or (complex_input and return_complex is None)
        else (OPS.view_as_real(found))
    )


def _stft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:
    """The Fourier transforms of overlapping frames of signals. As torch.stft.

    Args:
        n_fft: the size of a frame.
        hop_length: how far apart they begin, a fourth of that by default.
        win_length, window: what each is multiplied by, in its middle.
        center: whether the signal is padded, by `pad_mode`, so that frames are centred.
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    if center and (is_complex or return_complex is not None):  # else frames() refuses
        rank, half = input.dim(), int(n_fft // 2)
        shape = [*[1] * (3 - rank), *input.shape]
        input = pad(input.view(shape), [half, half], pad_mode)
        input = input.view(input.shape[-rank:])
    given = (input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex)
    if not {int, bool, type(None)}.issuperset(map(type, (*given[1:4], *given[5:]))):
        refuse_handed("_VF.stft", *given, align_to_window)
    return frames(*given, align_to_window)


stft = composite("stft")(_stft)


def _check_spectra(
    text: str, x: Any, window: Any, n_fft: int, hop: int, width: int, onesided: bool | None
) -> tuple[int, bool]:
    """The number of frames, and whether they are one-sided; refuses what istft cannot take.

    text: the call, as its errors show it.  x: real and imaginary parts.
    """
    rank = x.dim()
    if not x.numel():
        raise RuntimeError(f"{text} : input tensor cannot be empty.")
    if rank not in (3, 4):
        raise RuntimeError(f"{text} : expected a tensor with 3 or 4 dimensions, but got {rank}")
    count, size = x.shape[-2], x.shape[-3]
    onesided = size != n_fft if onesided is None else onesided
    if size != (n_fft // 2 + 1 if onesided else n_fft):
        wanted = "n_fft / 2 + 1 when onesided=True" if onesided else "n_fft when onesided=False"
        raise RuntimeError(
            f"{text} : expected the frequency dimension (3rd to the last) of the input tensor to "
            f"match {wanted}, but got {size}"
        )
    if not 0 < hop <= width:
        raise RuntimeError(f"{text} : expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise RuntimeError(f"{text} : expected 0 < win_length <= n_fft")
    if window is not None and (window.dim() != 1 or window.shape[0] != width):
        raise RuntimeError(
            f"{text} : Invalid window shape. window has to be 1D and length of `win_length`"
        )
    return count, onesided


@composite("istft", on=("function",))
def istft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Any:
    """The signals whose stft is nearest to `input`."""
    warn_of_window(
        window, ".Please provide the same window used by stft to make the inversion lossless."
    )
    n_fft = index(n_fft)
    hop = n_fft >> 2 if hop_length is None else index(hop_length)
    width = n_fft if win_length is None else index(win_length)
    text = called(
        "istft",
        f"{native_type_name(input)}{list(input.shape)}",
        window,
        n_fft=n_fft,
        hop_length=hop,
        win_length=width,
        center=center,
        normalized=normalized,
        onesided=onesided,
        length=length,
        return_complex=return_complex,
    )
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True."
        )
    x = OPS.view_as_real(OPS.resolve_conj(input))
    rank = x.dim()
    entry_of(x.shape, -2), entry_of(x.shape, -3)
    count, onesided = _check_spectra(text, x, window, n_fft, hop, width, onesided)
    whole = n_fft + hop * (count - 1)
    taper = window
    if taper is None:
        taper = OPS.ones(width, dtype=x.dtype, device=x.device)
    if width != n_fft:
        left = (n_fft - width) // 2
        taper = OPS.constant_pad_nd(taper, (left, n_fft - width - left))
    x = x.unsqueeze(0) if rank == 3 else x
    x = OPS.view_as_complex(x.transpose(1, 2))
    norm = BY_ROOT if normalized else BY_N
    if return_complex:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        x = OPS._fft_c2c(x, (2,), norm, False)
    else:
        if window is not None and window.is_complex():
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        if not onesided:
            x = OPS.slice(x, -1, 0, n_fft // 2 + 1)
        x = OPS._fft_c2r(x, (2,), norm, n_fft)
    x = x * taper.view(1, 1, n_fft)
    y = OPS.unfold_backward(x, (x.shape[0], whole), 1, n_fft, hop)
    weights = taper.pow(2).expand(1, count, n_fft)
    weights = OPS.unfold_backward(weights, (1, whole), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -(n_fft // 2) if center else whole
    y, weights = (OPS.slice(each, 1, start, end) for each in (y, weights))
    low = weights.abs().min() < 1e-11
    if is_true_scalar(low):
        raise RuntimeError(f"{text} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    y = y / weights
    if rank == 3:
        y = y.squeeze(0)
    if end > whole:
        warn_once(
            "The length of signal is shorter than the length parameter. Result is being padded "
            "with zeros in the tail. Please check your center and hop_length settings."
        )
        y = OPS.constant_pad_nd(y, (0, end - whole))
    return y


@composite("istft", on=("method",), calls=Calls(in_python=AS_METHOD))
def istft_method(
    self: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Any:
    """As torch.istft."""
    options = (hop_length, win_length, window, center, normalized, onesided, length)
    return FUNCTIONS["istft"](self, n_fft, *options, return_complex=return_complex)


# ---- windows


class Options(NamedTuple):
    """The keyword arguments at the end of a factory's signature."""

    dtype: Any
    layout: Any
    device: Any
    pin_memory: bool
    requires_grad: bool


def ramp(name: str, n: int, periodic: bool, options: Options) -> tuple[Any, int]:
    """0, 1, 2, ... as many as a window has, one more if it is periodic, and their number."""
    dtype = options.dtype or get_default_dtype()
    if dtype.number_kind < Kind.FLOATING:
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions("
            f"dtype={c_type(dtype.numpy)}, device=cpu, layout=Strided"
            f"{' (default)' if options.layout is None else ''}, "
            f"requires_grad=false (default), pinned_memory={str(options.pin_memory).lower()}, "
            "memory_format=(nullopt))"
        )
    if n < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={n}")
    size = n + periodic if n > 1 else n
    given = options._replace(dtype=dtype, requires_grad=False)
    if n <= 1:
        return OPS.zeros((size,), **given._asdict()), size
    return OPS.arange(size, **given._asdict()), size


def _of_length(
    name: str,
    window_length: int,
    periodic: bool,
    shape: Callable[..., Any],
    numbers: tuple[float, ...],
    options: Options,
) -> Any:
    """The window of a shape that numbers describe."""
    x, size = ramp(name, window_length, periodic, options)
    window = x + 1 if size <= 1 else shape(x, size - 1, *numbers)
    if size > window_length:
        window = tensor(window._array[:window_length])  # in its memory, and no view to autograd
    return window.requires_grad_() if options.requires_grad else window


def _declare_window(name: str, summary: str, shape: Callable[..., Any]) -> Any:
    def function(
        window_length: int,
        periodic: bool = True,
        *,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
    ) -> Any:
        options = Options(dtype, layout, device, pin_memory, requires_grad)
        return _of_length(name, window_length, periodic, shape, (), options)

    function.__doc__ = summary
    return composite(name, on=("function",))(function)


def _cosine(x: Any, last: int, alpha: float, beta: float) -> Any:
    x = mul_by_number(x, 2 * math.pi / last)
    return add_by_number(mul_by_number(OPS.cos(x), -beta), alpha)


def _triangle(x: Any, last: int) -> Any:
    rising = mul_by_number(x, 2 / last)
    half = (last >> 1) + 1
    falling = rising.narrow(0, half, last + 1 - half)
    falling.mul_(-1).add_(2)
    return tensor(rising._array)  # of version 0: torch does not count what its factories write


def _blackman(x: Any, last: int) -> Any:
    x = mul_by_number(x, math.pi / last)
    fast, slow = (OPS.cos(mul_by_number(x, factor)) for factor in (4, 2))
    return add_by_number(mul_by_number(fast, 0.08) - mul_by_number(slow, 0.5), 0.42)


def _kaiser(x: Any, last: int, beta: float) -> Any:
    place = add_by_number(mul_by_number(x, 2 / last), -1)
    heights = OPS.sqrt(OPS.clamp_min(1 - place * place, 0))
    return OPS.i0(mul_by_number(heights, beta)) / OPS.i0(OPS.full_like(x, beta))


hann_window = _declare_window(
    "hann_window", "A raised cosine that ends in 0.", lambda x, last: _cosine(x, last, 0.5, 0.5)
)
bartlett_window = _declare_window("bartlett_window", "A triangle that ends in 0.", _triangle)
blackman_window = _declare_window("blackman_window", "A sum of two cosines.", _blackman)


def _in_order(*given: tuple[Any, Any]) -> list[Any]:
    """Arguments, or their defaults. TypeError for one after another that is left out: there is a
    signature for each number of them."""
    there = [value is not UNSET for value, _ in given]
    if there != sorted(there, reverse=True):
        raise TypeError
    return [default if value is UNSET else value for value, default in given]


@composite("hamming_window", on=("function",))
def hamming_window(
    window_length: int,
    periodic: Any = UNSET,
    alpha: Any = UNSET,
    beta: Any = UNSET,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A raised cosine alpha - beta cos."""
    options = Options(dtype, layout, device, pin_memory, requires_grad)
    periodic, *numbers = _in_order((periodic, True), (alpha, 0.54), (beta, 0.46))
    parts = tuple(map(float, numbers))
    return _of_length("hamming_window", window_length, periodic, _cosine, parts, options)


@composite("kaiser_window", on=("function",))
def kaiser_window(
    window_length: int,
    periodic: Any = UNSET,
    beta: Any = UNSET,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A Bessel function over half an ellipse."""
    options = Options(dtype, layout, device, pin_memory, requires_grad)
    periodic, beta = _in_order((periodic, True), (beta, 12.0))
    return _of_length("kaiser_window", window_length, periodic, _kaiser, (float(beta),), options)
