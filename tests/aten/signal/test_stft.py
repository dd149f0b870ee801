"""Windows, and signals cut into frames."""

import pytest

import minitorch as torch


def test_periodic_windows_are_no_views():
    for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
        window = getattr(torch, f"{name}_window")(5)
        assert not window._is_view()
        assert window.untyped_storage().nbytes() == 24


def test_frames_that_are_aligned_to_windows_are_padded_alike_on_both_sides():
    x, window = torch.arange(20.0), torch.ones(5)
    options = {"center": False, "return_complex": True, "align_to_window": True}
    assert torch.stft(x, 8, 3, 4, window[:4], **options).shape == (5, 6)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 88"):
        torch.stft(x, 8, 3, 5, window, **options)
