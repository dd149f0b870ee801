"""The names that `from module import *` takes."""

import pytest

import minitorch as torch


def taken(module: str) -> dict:
    names: dict = {}
    exec(f"from {module} import *", names)
    del names["__builtins__"]
    return names


def test_a_star_takes_operators_classes_and_constants_of_torch():
    names = taken("minitorch")
    assert names["matmul"] is torch.matmul
    assert names["Tensor"] is torch.Tensor
    assert names["float8_e5m2"] is torch.float8_e5m2
    assert names["save"] is torch.save
    assert names["FloatStorage"] is torch.FloatStorage


@pytest.mark.parametrize("name", ["nn", "unique", "from_dlpack", "set_default_dtype", "starred"])
def test_a_star_leaves_out_what_the_list_of_torch_does(name):
    assert name not in taken("minitorch")


@pytest.mark.parametrize(
    ("module", "some", "none"),
    [
        ("nn", "Linear Parameter DataParallel LazyLinear functional init", "_reduction nested"),
        ("nn.functional", "relu softmax grid_sample one_hot adaptive_max_pool2d pad", "OPS Any"),
        ("nn.modules.activation", "ReLU GELU MultiheadAttention", "Module Any"),
        ("optim", "SGD Adam LBFGS Muon SparseAdam lr_scheduler", "adam arithmetic"),
        ("utils.data", "DataLoader Dataset DistributedSampler IterDataPipe", "loading"),
        ("fft", "fft rfftn fftshift", "Kind get_default_dtype"),
        ("cuda", "is_available Stream memory_allocated MemPool", "_cupy"),
    ],
)
def test_a_star_takes_the_names_that_wait(module, some, none):
    names = taken(f"minitorch.{module}")
    assert set(some.split()) <= set(names)
    assert not set(none.split()) & set(names)
