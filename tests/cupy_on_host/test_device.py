"""torch.cuda's own names, over the harness."""

import os

import pytest

import minitorch as torch

if "EMU_DIR" not in os.environ:
    pytest.skip("CuPy over memory of the host is not built", allow_module_level=True)


def test_get_device_properties_has_attributes():
    properties = torch.cuda.get_device_properties(0)
    assert (properties.major, properties.minor) == torch.cuda.get_device_capability()
    assert properties.total_memory > 0
    assert repr(properties).startswith(f"_CudaDeviceProperties(name='{properties.name}', major=")
    with pytest.raises(AssertionError, match="Invalid device id"):
        torch.cuda.get_device_properties(99)


def test_peaks_of_memory_are_kept_since_they_were_reset():
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.max_memory_allocated()
    x = torch.ones(1 << 20, device="cuda")
    del x
    assert torch.cuda.max_memory_allocated() >= before + (4 << 20)
    assert torch.cuda.max_memory_reserved() >= torch.cuda.max_memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() < before + (4 << 20)
    assert torch.cuda.memory_stats()["allocated_bytes.all.current"] == torch.cuda.memory_allocated()


@pytest.mark.parametrize(
    "made",
    [
        lambda: torch.ones(1, device="cuda:7"),
        lambda: torch.ones(1).to("cuda:7"),
        lambda: torch.cuda.set_device(7),
    ],
)
def test_device_that_is_not_there_is_an_invalid_ordinal(made):
    with pytest.raises(torch.AcceleratorError, match="CUDA error: invalid device ordinal"):
        made()


def test_pin_memory_copies_into_memory_that_is_locked():
    x = torch.arange(6.0).reshape(2, 3).t()
    y = x.pin_memory()
    assert not x.is_pinned()
    assert y.is_pinned()
    assert y[1:].is_pinned()
    assert y.untyped_storage().is_pinned()
    assert y.stride() == x.stride()
    assert torch.equal(x, y)
    assert y.pin_memory() is y
    assert torch.equal(y.to("cuda", non_blocking=True).cpu(), x)
    assert not y.to("cuda").is_pinned()
    with pytest.raises(RuntimeError, match=r"cannot pin 'torch\.cuda\.FloatTensor' only dense CPU"):
        x.cuda().pin_memory()
    with pytest.raises(NotImplementedError, match=r"torch\.ones with pin_memory=True"):
        torch.ones(2, pin_memory=True)


@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader_pins_its_batches(workers):
    data = torch.utils.data.TensorDataset(torch.arange(4.0), torch.arange(4))
    loader = torch.utils.data.DataLoader(data, 2, pin_memory=True, num_workers=workers)
    batches = [[part.is_pinned() for part in batch] for batch in loader]
    assert batches == [[True, True], [True, True]]
