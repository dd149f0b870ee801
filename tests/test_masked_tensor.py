"""torch.masked.MaskedTensor, and the operators that it has."""

import copy
import pickle

import pytest

import minitorch as torch
from minitorch.masked import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor
from minitorch.masked.maskedtensor import core

pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors"),
    pytest.mark.filterwarnings("ignore:It is not recommended to create a MaskedTensor"),
]

data = torch.tensor([[0.5, -1.25, 2.0], [3.5, 0.25, -0.75]])
mask = torch.tensor([[True, False, True], [False, True, True]])


def masked(requires_grad=False):
    return masked_tensor(data, mask, requires_grad=requires_grad)


def check(found, expected, kept=mask):
    assert type(found) is MaskedTensor
    assert found.get_mask().tolist() == kept.tolist()
    torch.testing.assert_close(found.get_data()[kept], expected[kept])


def test_MaskedTensor_warns_that_it_is_a_prototype():
    with pytest.warns(UserWarning, match="MaskedTensors is in prototype stage"):
        masked()


def test_MaskedTensor_prints_dashes_for_what_is_masked_out():
    assert repr(masked()) == (
        "MaskedTensor(\n  [\n    [  0.5000,       --,   2.0000],\n"
        "    [      --,   0.2500,  -0.7500]\n  ]\n)"
    )
    assert repr(masked()[0, 0]) == "MaskedTensor(  0.5000, True)"
    assert repr(masked()[0, 1]) == "MaskedTensor(--, False)"


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (([1.0], mask), TypeError, "data must be a Tensor"),
        ((data, [True]), TypeError, "mask must be a Tensor"),
        ((data, mask.int()), TypeError, "mask must have dtype bool."),
        ((data.bfloat16(), mask), TypeError, "torch.bfloat16 is not supported in MaskedTensor."),
        ((data, mask[0]), ValueError, r"data.dim\(\) must equal mask.dim\(\)"),
        ((data, mask[:, :2]), ValueError, r"data.size\(\) must equal mask.size\(\)"),
        ((data.to_sparse(), mask), TypeError, "data and mask must have the same layout."),
    ],
)
def test_MaskedTensor_refuses_what_does_not_fit(arguments, kind, text):
    with pytest.raises(kind, match=text):
        masked_tensor(*arguments)


def test_MaskedTensor_copies_what_it_is_made_of():
    source, kept = data.clone(), mask.clone()
    made = masked_tensor(source, kept)
    source.zero_()
    kept.fill_(False)
    check(made, data)
    assert is_masked_tensor(made)
    assert not is_masked_tensor(data)
    assert made.to_tensor(9).tolist() == [[0.5, 9, 2], [9, 0.25, -0.75]]


@pytest.mark.parametrize("name", ["exp", "abs", "neg", "sin", "square", "sigmoid", "ceil"])
def test_unary_operators_of_MaskedTensor_keep_the_mask(name):
    check(getattr(torch, name)(masked()), getattr(torch, name)(data))
    self = masked()
    assert getattr(self, f"{name}_")() is self
    check(self, getattr(torch, name)(data))


def test_operators_of_MaskedTensor_take_numbers_tensors_and_equal_masks():
    check(masked() + 1, data + 1)
    check(1 / masked(), 1 / data)
    check(masked() ** 2, data**2)
    check(data * masked(), data * data)
    check(masked() - masked(), data - data)
    check(masked() > 0.3, data > 0.3)
    check(torch.maximum(masked(), masked() * 2), torch.maximum(data, data * 2))
    self = masked()
    self += 1
    self *= self
    self /= 2
    check(self, (data + 1) ** 2 / 2)


def test_operators_of_MaskedTensor_refuse_other_masks():
    with pytest.raises(ValueError, match="Input masks must match"):
        masked() + masked_tensor(data, ~mask)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "amin", "std", "var"])
def test_reductions_of_MaskedTensor_are_those_of_torch_masked(name):
    function = getattr(torch.masked, name)
    check(getattr(masked(), name)(), function(data, mask=mask), torch.tensor(True))
    rows = torch.tensor([True, True])
    check(getattr(torch, name)(masked(), 1), function(data, 1, mask=mask), rows)
    found = getattr(masked(), name)(dim=1, keepdim=True)
    check(found, function(data, 1, keepdim=True, mask=mask), rows[:, None])


def test_reductions_of_MaskedTensor_mask_out_where_nothing_was_left():
    found = masked_tensor(data, torch.tensor([[True] * 3, [False] * 3])).sum(1)
    assert found.get_mask().tolist() == [True, False]


def test_views_of_MaskedTensor_take_the_mask_along():
    check(masked()[0], data[0], mask[0])
    check(masked()[:, 1:], data[:, 1:], mask[:, 1:])
    check(masked().t(), data.t(), mask.t())
    check(masked().view(-1), data.view(-1), mask.view(-1))
    check(masked()[[1, 0]], data[[1, 0]], mask[[1, 0]])
    check(torch.cat([masked(), masked()]), torch.cat([data] * 2), torch.cat([mask] * 2))
    assert [part.shape for part in masked().split(1)] == [(1, 3), (1, 3)]


def test_where_of_MaskedTensor_chooses_among_masks():
    found = torch.where(data > 0, masked(), masked_tensor(-data, ~mask))
    check(found, data.abs(), torch.where(data > 0, mask, ~mask))


def test_softmax_of_MaskedTensor_leaves_out_what_is_masked():
    found = masked().softmax(1)
    torch.testing.assert_close(found.get_data(), torch.masked.softmax(data, 1, mask=mask))


def test_operators_that_MaskedTensor_lacks_are_refused():
    with (
        pytest.warns(UserWarning, match="relu is not implemented in __torch_dispatch__"),
        pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch._ops.aten.relu"),
    ):
        torch.relu(masked())
    with (
        pytest.warns(UserWarning, match="mm is not implemented"),
        pytest.raises(TypeError, match="unsupported operand type"),
    ):
        masked() @ data.t()
    with pytest.raises(RuntimeError, match="tolist"):
        masked().tolist()


@pytest.mark.parametrize(
    "loss",
    [
        lambda x: x.sum(),
        lambda x: (x * x).mean(),
        lambda x: x.exp().sum(),
        lambda x: (x.t() / 3).sum(),
        lambda x: x.std(),
        lambda x: (x.softmax(1) * masked()).sum(),
        lambda x: x.contiguous().sum(),
        lambda x: x.to_sparse().to_dense().sum(),
    ],
)
def test_gradients_of_MaskedTensor_are_masked_as_it_is(loss):
    leaf, plain = masked(True), data.clone().requires_grad_()
    loss(leaf).backward()
    loss(as_masked_tensor(plain, mask)).backward()
    check(leaf.grad, plain.grad.get_data())
    assert type(plain.grad) is MaskedTensor


def test_gradients_of_MaskedTensor_have_the_values_of_plain_ones():
    leaf, plain = masked(True), data.clone().requires_grad_()
    (leaf * leaf + leaf.sin()).sum().backward()
    torch.masked.sum(plain * plain + plain.sin(), mask=mask).backward()
    check(leaf.grad, plain.grad)
    leaf.sum().backward()
    check(leaf.grad, plain.grad + 1)
    (found,) = torch.autograd.grad(leaf.exp().sum(), leaf)
    check(found, data.exp())


def test_writes_of_MaskedTensor_are_recorded():
    leaf = masked(True)
    (leaf * 1).exp_().sum().backward()
    (leaf * 1).mul_(2).add_(leaf).sum().backward()
    check(leaf.grad, data.exp() + 3)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.add_(1)


def test_get_data_of_MaskedTensor_hands_gradients_on():
    leaf = masked(True)
    leaf.get_data().mul(3).sum().backward()
    check(leaf.grad, torch.full((2, 3), 3.0))


def test_MaskedTensor_of_sparse_data_computes_on_its_elements():
    sparse = masked().to_sparse()
    assert sparse.is_sparse_coo()
    check(sparse.exp().to_dense(), data.exp())
    assert sparse.sum().item() == pytest.approx(2)


def test_MaskedTensor_is_copied_and_pickled_with_data_and_mask():
    for again in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        check(again(masked()), data)
    assert copy.deepcopy(masked(True)).requires_grad


def test_helpers_of_maskedtensor_core_compare_masks():
    assert core._masks_match(masked(), data)
    assert not core._masks_match(masked(), masked_tensor(data, ~mask))
    with pytest.raises(ValueError, match="can be a MaskedTensor"):
        core._tensors_match(data, masked())


def test_gradients_of_views_of_MaskedTensor_are_masked_where_none_came():
    leaf = masked(True)
    (leaf[0].sum() * 2).backward()
    check(leaf.grad, torch.full((2, 3), 2.0), torch.stack([mask[0], torch.zeros(3).bool()]))
