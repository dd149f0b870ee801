"""Tensors on devices that are not there: torch's exceptions, and never a tensor without numbers."""

import pytest

import minitorch as torch


@pytest.mark.parametrize(
    ("kind", "error", "text"),
    [
        ("xpu", AssertionError, "Torch not compiled with XPU enabled"),
        ("mtia", AssertionError, "Torch not compiled with MTIA enabled"),
        ("mps", RuntimeError, "PyTorch is not linked with support for mps devices"),
        ("hpu", ModuleNotFoundError, "No module named 'torch.hpu'"),
        ("lazy", NotImplementedError, "'aten::empty.memory_format' with arguments from the 'Lazy'"),
    ],
)
def test_to_an_absent_device_raises(kind, error, text):
    with pytest.raises(error, match=text):
        torch.ones(2).to(kind)


@pytest.mark.parametrize(
    ("kind", "backend"), [("mps", "MPS"), ("vulkan", "Vulkan"), ("ipu", "IPU")]
)
def test_a_factory_on_an_absent_device_names_its_backend(kind, backend):
    with pytest.raises(NotImplementedError, match=f"from the '{backend}' backend"):
        torch.ones(2, device=kind)


def test_the_methods_of_absent_devices_check_the_kind_of_device():
    with pytest.raises(RuntimeError, match="Invalid device, must be xpu device"):
        torch.ones(2).xpu("cpu")
    with pytest.raises(RuntimeError, match="Cannot access accelerator device"):
        torch.ones(2).mtia(0)
    with pytest.raises(RuntimeError, match="Invalid device, must be cuda device"):
        torch.ones(2).cuda("cpu")


def test_functions_of_cuda_without_cuda_name_what_is_missing():
    if torch.cuda.is_available():
        pytest.skip("there is CUDA")
    assert torch.cuda.set_device(-1) is None
    with pytest.raises(AttributeError, match=r"'torch\._C' has no attribute '_cuda_setDevice'"):
        torch.cuda.set_device("cuda:0")
    with pytest.raises(ValueError, match="with a specified index or an integer, but got:cuda"):
        torch.cuda.set_device("cuda")
    with pytest.raises(AttributeError, match="no attribute '_cuda_resetPeakMemoryStats'"):
        torch.cuda.reset_peak_memory_stats()
