"""Fake tensors: shapes, dtypes and devices without numbers."""

import copy

import pytest

import minitorch as torch
from minitorch._guards import detect_fake_mode
from minitorch._subclasses import FakeTensor, FakeTensorMode
from minitorch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorDeviceMismatchError,
    is_fake,
    unset_fake_temporarily,
)


def test_what_is_made_in_the_mode_is_fake():
    with FakeTensorMode() as mode:
        x = torch.empty(2, 3, device="cuda")
        made = [torch.rand(3), torch.arange(5), torch.tensor([1.0, 2.0]), torch.zeros_like(x)]
    assert all(type(each) is FakeTensor and each.fake_mode is mode for each in made)
    assert repr(x) == "FakeTensor(..., device='cuda:0', size=(2, 3))"
    assert repr(made[1]) == "FakeTensor(..., size=(5,), dtype=torch.int64)"
    assert (x.is_cuda, x.is_meta, made[3].device) == (True, False, torch.device("cuda", 0))


def test_modules_run_forward_and_backward_on_fake_tensors():
    with FakeTensorMode():
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2)
        )
        y = model(torch.empty(4, 3, 224, 224))
        y.sum().backward()
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.step()
    weight = model[0].weight
    assert y.shape == (4, 8, 111, 111)
    assert (type(weight), isinstance(weight, torch.nn.Parameter)) == (FakeTensor, True)
    assert (type(weight.grad), weight.grad.shape) == (FakeTensor, (8, 3, 3, 3))
    assert y.grad_fn.name() == "MaxPool2DWithIndicesBackward0"


def test_operators_outside_of_the_mode_make_fake_tensors_of_fake_ones():
    mode = FakeTensorMode()
    x = mode.from_tensor(torch.ones(2, 3))
    assert is_fake(x @ x.t())
    assert mode.from_tensor(x) is x
    assert detect_fake_mode([1, {"x": x}]) is mode


def test_a_real_tensor_has_one_fake_tensor():
    mode, x = FakeTensorMode(), torch.nn.Parameter(torch.ones(2, 3).t())
    fake = mode.from_tensor(x)
    assert mode.from_tensor(x) is fake
    assert repr(fake) == "Parameter(FakeTensor(..., size=(3, 2), requires_grad=True))"
    assert fake.stride() == (1, 3)


def test_real_tensors_are_refused_unless_the_mode_allows_them():
    x = torch.ones(2, 3)
    with FakeTensorMode(), pytest.raises(AssertionError) as caught:
        x + 1
    assert str(caught.value) == (
        "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
        "'allow_non_fake_inputs'. Found in aten.add.Tensor(tensor([...], size=(2, 3)), 1)"
    )
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert is_fake(x + 1)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.sum().item(), DataDependentOutputException, "aten._local_scalar_dense"),
        (lambda x: bool(x.sum() > 0), DataDependentOutputException, "aten._local_scalar_dense"),
        (lambda x: torch.equal(x, x), DataDependentOutputException, "aten.equal.default"),
        (lambda x: x.nonzero(), DynamicOutputShapeException, "aten.nonzero.default"),
        (lambda x: x[x > 0], DynamicOutputShapeException, "aten.nonzero.default"),
        (lambda x: x.unique(), DynamicOutputShapeException, "aten._unique2.default"),
        (lambda x: x + torch.empty(2, 3, device="cuda"), FakeTensorDeviceMismatchError,
         "Expected all tensors to be on the same device, but found at least two devices, cpu and"),
        (lambda x: x.numpy(), RuntimeError, ".numpy() is not supported for tensor subclasses."),
    ],
)  # fmt: skip
def test_what_depends_on_numbers_is_refused_of_fake_tensors(call, error, text):
    with FakeTensorMode():
        x = torch.empty(2, 3)
        with pytest.raises(error) as caught:
            call(x)
    assert str(caught.value).startswith(text)


def test_numbers_that_a_program_wrote_down_are_known():
    with FakeTensorMode():
        x = torch.tensor(2.0)
        x += 1
        assert x.item() == 3.0
        assert (x * 2).item() == 6.0


def test_fake_tensors_move_between_devices_and_are_copied():
    with FakeTensorMode():
        x = torch.empty(2, 3, requires_grad=True)
        assert x.half().float().to("meta").device.type == "meta"
        copied = copy.deepcopy(x)
    assert (copied.requires_grad, type(copied), copied.shape) == (True, FakeTensor, (2, 3))


def test_the_mode_is_unset_for_a_while():
    with FakeTensorMode() as mode, unset_fake_temporarily() as unset:
        assert unset is mode
        assert not is_fake(torch.ones(2))
