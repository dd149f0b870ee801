"""torch.fft, short-time transforms and their windows."""

from __future__ import annotations

import numpy
import pytest

import minitorch as torch
from minitorch import fft

X = torch.tensor([[1.0, 2.0, 0.5, -1.0, 3.0], [0.0, 1.0, 4.0, 2.0, -2.0]], dtype=torch.float64)
Z = torch.complex(X, X.flip(0))


@pytest.mark.parametrize("norm", [None, "backward", "forward", "ortho"])
@pytest.mark.parametrize(
    "name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "rfftn", "irfftn", "fft2"]
)
def test_transforms_are_those_of_numpy(name, norm) -> None:
    x = X if name in ("rfft", "ihfft", "rfftn") else Z
    found = getattr(fft, name)(x, norm=norm)
    numpy.testing.assert_allclose(
        found.resolve_conj().numpy(), getattr(numpy.fft, name)(x.numpy(), norm=norm)
    )


def test_signals_are_cut_off_or_padded_to_n_points() -> None:
    for n in (3, 8):
        numpy.testing.assert_allclose(fft.rfft(X, n).numpy(), numpy.fft.rfft(X.numpy(), n))
        numpy.testing.assert_allclose(fft.irfft(Z, n).numpy(), numpy.fft.irfft(Z.numpy(), n))


@pytest.mark.parametrize("function", [fft.fft, fft.rfft, fft.ifft, fft.fft2, fft.ihfft])
def test_gradients_pass_gradcheck(function) -> None:
    assert torch.autograd.gradcheck(function, (X.clone().requires_grad_(),))
    assert torch.autograd.gradgradcheck(function, (X.clone().requires_grad_(),))


def test_nodes_are_the_three_operators() -> None:
    x = X.clone().requires_grad_()
    assert fft.fft(x).grad_fn.name() == "FftR2CBackward0"
    assert fft.fft(fft.fft(x)).grad_fn.name() == "FftC2CBackward0"
    assert fft.irfft(fft.rfft(x)).grad_fn.name() == "FftC2RBackward0"


def test_frequencies_and_their_order() -> None:
    assert fft.fftfreq(5, 0.5).tolist() == pytest.approx([0.0, 0.4, 0.8, -0.8, -0.4])
    assert fft.rfftfreq(4).tolist() == [0.0, 0.25, 0.5]
    assert fft.fftshift(torch.arange(5)).tolist() == [3, 4, 0, 1, 2]
    assert fft.ifftshift(fft.fftshift(X)).tolist() == X.tolist()


def test_what_has_no_transform_is_refused() -> None:
    with pytest.raises(RuntimeError, match="rfft expects a real input tensor"):
        fft.rfft(Z)
    with pytest.raises(RuntimeError, match=r"Invalid number of data points \(0\)"):
        fft.fft(X, 0)
    with pytest.raises(RuntimeError, match="FFT dims must be unique"):
        fft.fftn(X, dim=(0, 0))
    with pytest.raises(RuntimeError, match="Unsupported dtype Half"):
        fft.fft(X.half())


def test_transforms_of_two_dimensions_speak_as_those_of_several_of_out() -> None:
    for name, said in (("fft2", "fftn"), ("ifft2", "fftn"), ("ifftn", "fftn"), ("rfft2", "rfftn")):
        with pytest.raises(RuntimeError, match=f"^{said} expects a complex output tensor"):
            getattr(fft, name)(X, out=torch.zeros(2, 5))
    with pytest.raises(RuntimeError, match=r"^_fft_c2c\(\): functions with out="):
        fft.ihfft2(X, out=torch.zeros(2, 3, dtype=torch.complex128, requires_grad=True))
    with pytest.raises(RuntimeError, match=r"^Only supports floating-point dtypes, but found: Co"):
        fft.ihfftn(Z)


def test_inverse_of_hfftn_over_one_dimension_leaves_out_as_it_was() -> None:
    out = torch.full((2, 3), 2j, dtype=torch.complex128)
    assert fft.ihfftn(X, dim=1, out=out) is out
    assert out.tolist() == [[2j] * 3] * 2
    with pytest.raises(RuntimeError, match=r"^Found dtype ComplexDouble but expected"):
        fft.ihfftn(X, dim=1, out=out.to(torch.complex64))


def test_signals_survive_the_short_time_transform() -> None:
    x = torch.linspace(-1, 1, 40, dtype=torch.float64).requires_grad_()
    window = torch.hann_window(8, dtype=torch.float64)
    frames = torch.stft(x, 8, 2, window=window, return_complex=True)
    assert frames.shape == (5, 21)
    back = torch.istft(frames, 8, 2, window=window, length=40)
    assert torch.allclose(back, x)
    back.sum().backward()
    assert torch.allclose(x.grad, torch.ones(40, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="return_complex parameter be given"):
        torch.stft(x, 8, window=window)


def test_windows() -> None:
    assert torch.hann_window(4).tolist() == pytest.approx([0.0, 0.5, 1.0, 0.5])
    assert torch.hamming_window(3, False).tolist() == pytest.approx([0.08, 1.0, 0.08])
    assert torch.bartlett_window(4).tolist() == [0.0, 0.5, 1.0, 0.5]
    assert torch.blackman_window(4).tolist() == pytest.approx([0.0, 0.34, 1.0, 0.34], abs=1e-6)
