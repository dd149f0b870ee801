"""Meta tensors: shapes, dtypes and strides without numbers; and refused calls."""

import copy
import pickle

import pytest

import minitorch as torch
from minitorch import nn


def meta(*shape, **options):
    return torch.empty(shape, device="meta", **options)


def test_factories_make_meta_tensors_under_a_default_device():
    with torch.device("meta"):
        x = torch.ones(2, 3)
    assert (x.is_meta, x.is_cpu, x.device.type, x.stride()) == (True, False, "meta", (3, 1))
    assert torch.randn(2, device="meta").shape == (2,)
    assert torch.tensor([1, 2], device="meta").dtype is torch.int64
    assert torch.arange(3, device="meta").shape == (3,)


def test_repr_of_meta_tensors_has_their_size():
    assert repr(meta(2, 2)) == "tensor(..., device='meta', size=(2, 2))"
    expected = "tensor(..., device='meta', size=(2,), dtype=torch.int64)"
    assert repr(torch.zeros(2, dtype=torch.int64, device="meta")) == expected


def test_to_meta_keeps_dtype_and_strides():
    x = torch.ones(2, 3, dtype=torch.float64).t().to("meta")
    assert (x.shape, x.stride(), x.dtype) == ((3, 2), (1, 3), torch.float64)


@pytest.mark.parametrize(
    ("operate", "shape", "stride"),
    [
        (lambda x: x + 1, (2, 3, 4), (12, 4, 1)),
        (lambda x: x.transpose(0, 2) * 2, (4, 3, 2), (1, 4, 12)),
        (lambda x: x.sum(1), (2, 4), (4, 1)),
        (lambda x: x @ meta(4, 5), (2, 3, 5), (15, 5, 1)),
        (lambda x: x[:, 1:, None], (2, 2, 1, 4), (12, 4, 4, 1)),
        (lambda x: x[torch.zeros(5, dtype=torch.int64, device="meta")], (5, 3, 4), (12, 4, 1)),
        (lambda x: torch.cat([x, x], 1), (2, 6, 4), (24, 4, 1)),
        (lambda x: x.softmax(1), (2, 3, 4), (12, 4, 1)),
        (lambda x: x.sort(0).values, (2, 3, 4), (12, 4, 1)),
        (lambda x: torch.fft.rfft(x), (2, 3, 3), (9, 3, 1)),
        (lambda x: torch.linalg.qr(x).R, (2, 3, 4), (12, 1, 3)),
    ],
)
def test_operators_give_shapes_and_strides_on_meta(operate, shape, stride):
    x = operate(meta(2, 3, 4))
    assert (tuple(x.shape), x.stride(), x.is_meta) == (shape, stride, True)


def test_views_of_meta_tensors_share_storage_and_version():
    x = meta(4, 4)
    row = x[2]
    row.add_(1)
    assert (row._base is x, row.storage_offset(), x._version) == (True, 8, 1)
    assert x.untyped_storage().nbytes() == 64
    assert x.data_ptr() == 0


def test_backward_over_meta_tensors_gives_meta_gradients():
    w, x = meta(5, 4, requires_grad=True), meta(3, 4)
    nn.functional.linear(x, w).relu().pow(2).sum().backward()
    assert (w.grad.is_meta, w.grad.shape, w.grad.stride()) == (True, (5, 4), (4, 1))


def test_a_linear_layer_that_no_memory_holds_runs_on_meta():
    layer = nn.Linear(100_000, 100_000, device="meta")
    layer(meta(64, 100_000)).sum().backward()
    assert layer.weight.grad.shape == (100_000, 100_000)


def test_modules_and_optimizers_take_meta_parameters():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
    model = model.to("meta")
    optimizer = torch.optim.Adam(model.parameters())
    y = model(meta(2, 3, 10, 10))
    y.sum().backward()
    optimizer.step()
    assert (tuple(y.shape), y.is_meta) == ((2, 8, 4, 4), True)
    assert all(each["exp_avg"].is_meta for each in optimizer.state.values())


def test_to_empty_and_skip_init_leave_modules_uninitialised():
    assert nn.Linear(2, 3, device="meta").to_empty(device="cpu").weight.device.type == "cpu"
    assert nn.utils.skip_init(nn.Linear, 2, 3).weight.shape == (3, 2)


def test_load_state_dict_assigns_over_meta_parameters():
    layer = nn.Linear(2, 3, device="meta")
    layer.load_state_dict(nn.Linear(2, 3).state_dict(), assign=True)
    assert layer.weight.is_cpu


def test_meta_tensors_are_copied_and_pickled_with_their_strides():
    x = meta(2, 3).t()
    assert copy.deepcopy(x).stride() == pickle.loads(pickle.dumps(x)).stride() == (1, 3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x[0].item(), RuntimeError, "Tensor.item() cannot be called on meta tensors"),
        (lambda x: bool(x[0]), RuntimeError, "Tensor.item() cannot be called on meta tensors"),
        (lambda x: x.tolist(), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: x.cpu(), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: x.numpy(), TypeError, "can't convert meta device type tensor to numpy."),
        (lambda x: torch.ones(2).copy_(x), NotImplementedError, "Cannot copy out of meta tensor"),
        (lambda x: x.nonzero(), NotImplementedError, "The register_meta function for torch.nonz"),
        (lambda x: x[x > 0], NotImplementedError, "The register_meta function for torch.nonzer"),
        (lambda x: x.unique(), NotImplementedError, "aten::_unique2: attempted to run this oper"),
        (lambda x: x.masked_select(x > 0), NotImplementedError, "aten::masked_select: attempted"),
        (lambda x: x + torch.ones(2), RuntimeError, "Tensor on device cpu is not on the expected"),
    ],
)
def test_what_needs_numbers_is_refused_on_meta(call, error, text):
    with pytest.raises(error) as caught:
        call(meta(2))
    assert str(caught.value).startswith(text)
