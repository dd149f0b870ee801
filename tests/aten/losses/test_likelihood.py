"""Losses of chances and classes: reductions and refusals."""

import math

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_cross_entropy_of_probabilities_and_of_classes_agree():
    x = torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], dtype=torch.float64)
    classes = torch.tensor([2, 0])
    spread = torch.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], dtype=torch.float64)
    assert F.cross_entropy(x, classes).item() == pytest.approx(F.cross_entropy(x, spread).item())
    weight = torch.tensor([1.0, 2.0, 1.0], dtype=torch.float64)
    a = F.cross_entropy(x, classes, weight, reduction="none", label_smoothing=0.3)
    b = F.cross_entropy(x, spread, weight, reduction="none", label_smoothing=0.3)
    assert a.tolist() == pytest.approx(b.tolist())


@pytest.mark.parametrize(
    ("input", "target", "error", "text"),
    [
        ((2, 3), [0, 3], IndexError, "Target 3 is out of bounds."),
        ((2, 3), [0.0, 1.0], RuntimeError, "expected target dtype to be Long or Byte"),
        ((2, 3), [0, 1, 2], ValueError, "batch_size \\(2\\) to match target batch_size \\(3\\)"),
        ((2, 3), [[0], [1]], RuntimeError, "0D or 1D target tensor expected"),
        ((2, 3, 4), [[0] * 5] * 2, RuntimeError, "Expected target size \\[2, 4\\], got \\[2, 5\\]"),
    ],
)
def test_cross_entropy_refuses(input, target, error, text):
    with pytest.raises(error, match=text):
        F.cross_entropy(torch.ones(*input), torch.tensor(target))


def test_an_ignored_batch_has_no_mean():
    loss = F.cross_entropy(torch.ones(2, 3), torch.tensor([-100, -100]))
    assert math.isnan(loss.item())


def test_nll_loss_of_one_sample_has_no_dimension_and_weighs_it_without_reduction():
    input = torch.tensor([-1.0, -2.0], requires_grad=True)
    loss = F.nll_loss(input, torch.tensor([1]), torch.tensor([1.0, 3.0]), reduction="none")
    assert loss.shape == ()
    assert loss.item() == 6.0
    assert loss.grad_fn._saved_total_weight.item() == 3.0


@pytest.mark.parametrize("n", [1, 2, 17, 18, 64, 257, 258])
def test_nll_loss_is_the_mean_of_what_it_picks(n):
    input = torch.randn(n, 3, dtype=torch.float64, requires_grad=True)
    target = torch.arange(n) % 3
    loss = F.nll_loss(input, target)
    assert loss.item() == pytest.approx(-input.detach().numpy()[range(n), target.numpy()].mean())
    loss.backward()
    assert input.grad.numpy()[range(n), target.numpy()].tolist() == [-1 / n] * n
    assert input.grad.count_nonzero() == n


def test_nll_loss_backward_leaves_out_what_is_ignored():
    input = torch.randn(4, 3, requires_grad=True)
    F.nll_loss(input, torch.tensor([0, 2, 2, 1]), ignore_index=2).backward()
    assert input.grad.tolist() == [[-0.5, 0, 0], [0, 0, 0], [0, 0, 0], [0, -0.5, 0]]


def test_smoothed_probabilities_take_part_as_numbers():
    target = torch.full((2, 3), 0.5, requires_grad=True)
    loss = F.cross_entropy(torch.ones(2, 3), target, label_smoothing=0.1, reduction="sum")
    node, names = loss.grad_fn, []
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[-1][0] if node.next_functions else None
    assert names[-3:] == ["AddBackward1", "MulBackward1", "AccumulateGrad"]


def test_the_gradient_of_images_with_their_channels_last_is_refused():
    x = torch.zeros(2, 3, 2, 2).to(memory_format=torch.channels_last).requires_grad_()
    loss = F.nll_loss(x, torch.zeros(2, 2, 2, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="grad_input must be contiguous"):
        loss.backward()


def test_weights_without_a_derivative_must_not_require_grad():
    weight = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="'nll_loss_forward' is not differentiable with respect"):
        F.cross_entropy(torch.ones(1, 2), torch.tensor([0]), weight)
    with torch.no_grad():
        F.cross_entropy(torch.ones(1, 2), torch.tensor([0]), weight)


def test_the_mean_over_no_samples_of_no_classes_is_nan():
    nothing = torch.empty(0, 0), torch.empty(0, dtype=torch.int64)
    assert F.nll_loss(*nothing).isnan()
    assert F.cross_entropy(*nothing).isnan()
