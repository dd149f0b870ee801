"""Settings of torch as a whole."""

import pytest

import minitorch as torch

pytestmark = pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")


@pytest.fixture(autouse=True)
def default():
    yield
    torch.set_default_device(None)
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("kind", ["torch.DoubleTensor", torch.DoubleTensor])
def test_a_type_or_its_name_becomes_the_default(kind):
    torch.set_default_tensor_type(kind)
    assert torch.tensor(1.0).dtype is torch.float64


@pytest.mark.parametrize(
    ("kind", "error", "text"),
    [
        ("torch.LongTensor", TypeError, "only floating-point types are supported"),
        (torch.Tensor, TypeError, "invalid type object"),
        (3, TypeError, "invalid type object"),
        ("no_such_module.FloatTensor", ModuleNotFoundError, "No module named 'no_such_module'"),
    ],
)
def test_what_is_no_floating_point_type_is_refused(kind, error, text):
    with pytest.raises(error, match=text):
        torch.set_default_tensor_type(kind)
    assert torch.tensor(1.0).dtype is torch.float32


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("name", ["FloatTensor", "LongTensor"])
def test_types_of_cuda_are_refused_where_there_is_none(name):
    for kind in (f"torch.cuda.{name}", getattr(torch.cuda, name)):
        with pytest.raises(TypeError, match=f"type torch.cuda.{name} not available"):
            torch.set_default_tensor_type(kind)
    assert torch.tensor(1.0).device.type == "cpu"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("torch.set_flush_denormal(1)", "flush_denormal expects a bool, but got int"),
        (
            "torch.set_float32_matmul_precision(None)",
            "set_float32_matmul_precision expects a str, but got NoneType",
        ),
    ],
)
def test_settings_of_another_type_are_refused(call, text):
    with pytest.raises(RuntimeError, match=text):
        eval(call)


def test_get_default_device_asks_the_device_that_has_no_number():
    torch.set_default_device("meta")
    try:
        assert torch.get_default_device() == torch.device("meta")
        torch.set_default_device("xpu")
        with pytest.raises(AssertionError, match="Torch not compiled with XPU enabled"):
            torch.get_default_device()
    finally:
        torch.set_default_device(None)
    assert torch.get_default_device() == torch.device("cpu")
