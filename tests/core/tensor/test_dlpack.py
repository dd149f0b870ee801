"""DLPack: what a tensor's memory is exported as, and what other libraries are asked for."""

import pytest

import minitorch as torch


class Older:
    """Speaks the protocol of before its options."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self):
        return self.x.__dlpack__()


def test_from_dlpack_takes_a_capsule_once_and_shares_its_memory():
    x = torch.arange(6.0).view(2, 3).t()
    capsule = torch.to_dlpack(x)
    found = torch.from_dlpack(capsule)
    found[0, 0] = 9
    assert (x[0, 0].item(), found.stride()) == (9, (1, 3))
    with pytest.raises(RuntimeError, match="invalid capsule"):
        torch.from_dlpack(capsule)


def test_from_dlpack_asks_an_older_object_for_less():
    x = torch.zeros(2)
    assert torch.from_dlpack(Older(x)).data_ptr() == x.data_ptr()
    assert torch.from_dlpack(Older(x), copy=True).data_ptr() != x.data_ptr()


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (torch.ones(1, requires_grad=True), "require gradient"),
        ((torch.ones(1) * 1j).conj(), "conjugate bit"),
        (torch.eye(2).to_sparse(), "layout other than torch.strided"),
    ],
)
def test_what_a_capsule_does_not_say_is_refused(x, text):
    for export in (x.__dlpack__, lambda: torch.from_dlpack(x)):
        with pytest.raises(BufferError, match=text):
            export()


def test_dlpack_checks_its_options():
    x = torch.ones(1)
    with pytest.raises(TypeError, match="stream must be ``int`` or ``none``"):
        x.__dlpack__(stream="x")
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        x.__dlpack__(stream=1)
    with pytest.raises(TypeError, match="argument 'copy' must be bool, not int"):
        x.__dlpack__(copy=3)
