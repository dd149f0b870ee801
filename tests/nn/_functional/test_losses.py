"""Losses of distances, margins and counts, and the small modules of padding and shuffling."""

import math

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn import functional as F
from minitorch.utils._python_dispatch import TorchDispatchMode


def test_a_hinge_looks_at_the_side_that_the_target_names():
    x = torch.tensor([0.5, 0.5, 3.0], requires_grad=True)
    losses = F.hinge_embedding_loss(x, torch.tensor([1, -1, -1]), margin=2, reduction="none")
    assert losses.tolist() == [0.5, 1.5, 0]
    losses.sum().backward()
    assert x.grad.tolist() == [1, -1, 0]


def test_ranking_asks_for_a_margin_in_the_order_of_the_target():
    a, b = torch.tensor([1.0, 1.0]), torch.tensor([0.0, 3.0])
    assert F.margin_ranking_loss(a, b, torch.tensor([1.0, -1.0]), 1.5).item() == 0.25
    with pytest.raises(RuntimeError, match="All input tensors should have same dimension"):
        F.margin_ranking_loss(a, b, torch.tensor(1.0))


def test_cosines_are_those_of_angles():
    x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    cosine = math.sqrt(0.5)
    assert F.cosine_similarity(x, y).item() == pytest.approx(cosine)
    one = torch.tensor([1])
    assert F.cosine_embedding_loss(x, y, one).item() == pytest.approx(1 - cosine)
    assert F.cosine_embedding_loss(x, y, -one, 0.5).item() == pytest.approx(cosine - 0.5)
    with pytest.raises(RuntimeError, match="expected common dtype to be floating point"):
        F.cosine_similarity(x.long(), y.long())


def test_triplets_are_told_apart_by_distance():
    anchor, near, far = (torch.tensor([[v, 0.0]]) for v in (0.0, 1.0, 3.0))
    assert F.triplet_margin_loss(anchor, near, far).item() == 0
    assert F.triplet_margin_loss(anchor, near, far, margin=4).item() == pytest.approx(2)
    swapped = F.triplet_margin_loss(anchor, near, far, margin=4, swap=True)
    assert swapped.item() == pytest.approx(3)
    own = nn.TripletMarginWithDistanceLoss(
        distance_function=lambda a, b: (a - b).abs().sum(-1), margin=4
    )
    assert own(anchor, near, far).item() == 2


def test_likelihoods_of_counts_and_of_normal_numbers():
    rate, count = torch.tensor([2.0]), torch.tensor([3.0])
    assert F.poisson_nll_loss(rate, count, log_input=False, eps=0).item() == pytest.approx(
        2 - 3 * math.log(2)
    )
    full = F.gaussian_nll_loss(torch.zeros(2), torch.ones(2), torch.full((2,), 4.0), full=True)
    assert full.item() == pytest.approx(0.5 * (math.log(4) + 0.25 + math.log(2 * math.pi)))
    with pytest.raises(ValueError, match="var has negative entry"):
        F.gaussian_nll_loss(torch.zeros(2), torch.ones(2), torch.tensor([1.0, -1.0]))


def test_pixels_are_shuffled_there_and_back():
    x = torch.arange(16.0).reshape(1, 4, 2, 2)
    up = nn.PixelShuffle(2)(x)
    assert up[0, 0, :2, :2].tolist() == [[0, 4], [8, 12]]
    assert torch.equal(nn.PixelUnshuffle(2)(up), x)
    assert nn.ChannelShuffle(2)(x)[0, :, 0, 0].tolist() == [0, 8, 4, 12]
    with pytest.raises(RuntimeError, match="divisible by the square of upscale_factor"):
        nn.PixelShuffle(3)(x)


def test_padding_modules_say_and_do_what_they_pad():
    x = torch.tensor([[1.0, 2.0, 3.0]])
    assert nn.ZeroPad1d(1)(x).tolist() == [[0, 1, 2, 3, 0]]
    assert nn.ConstantPad1d((0, 1), 9.0)(x).tolist() == [[1, 2, 3, 9]]
    assert nn.ReflectionPad1d(1)(x).tolist() == [[2, 1, 2, 3, 2]]
    assert nn.ReplicationPad1d(1)(x).tolist() == [[1, 1, 2, 3, 3]]
    assert nn.CircularPad1d(1)(x).tolist() == [[3, 1, 2, 3, 1]]
    assert repr(nn.ConstantPad2d(1, 2.5)) == "ConstantPad2d(padding=(1, 1, 1, 1), value=2.5)"
    assert repr(nn.ZeroPad2d((1, 2, 3, 4))) == "ZeroPad2d((1, 2, 3, 4))"
    with pytest.raises(ValueError, match=r"expected 3D or 4D input \(got 2D input\)"):
        nn.CircularPad2d(1)(x)


def test_soft_margins_grow_with_what_is_on_the_wrong_side():
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    loss = F.soft_margin_loss(x, torch.tensor([1.0, -1.0]), reduction="sum")
    assert loss.item() == pytest.approx(math.log(2) + math.log1p(math.exp(2)))
    loss.backward()
    assert x.grad.tolist() == pytest.approx([-0.5, 1 / (1 + math.exp(-2))])
    with pytest.raises(RuntimeError, match="not differentiable with respect to argument 'target'"):
        F.soft_margin_loss(x, torch.ones(2, requires_grad=True))


def test_multi_margins_look_at_all_classes_but_the_right_one():
    x = torch.tensor([[0.0, 0.5, 2.0], [3.0, 0.0, 0.0]], requires_grad=True)
    losses = F.multi_margin_loss(x, torch.tensor([2, 1]), reduction="none")
    assert losses.tolist() == pytest.approx([0, (4 + 1) / 3])
    losses.sum().backward()
    assert x.grad.tolist()[1] == pytest.approx([1 / 3, -2 / 3, 1 / 3])
    squared = F.multi_margin_loss(x[1], torch.tensor(1), p=2, weight=torch.tensor([1.0, 3.0, 1.0]))
    assert squared.item() == pytest.approx(3 * (16 + 1) / 3)
    with pytest.raises(RuntimeError, match="target out of range"):
        F.multi_margin_loss(x, torch.tensor([0, 3]))
    with pytest.raises(ValueError, match="only p == 1 and p == 2 supported"):
        nn.MultiMarginLoss(p=3)


def test_labels_end_at_the_first_minus_one():
    x = torch.tensor([1.0, 0.5, 0.0, 3.0], requires_grad=True)
    loss = nn.MultiLabelMarginLoss()(x, torch.tensor([0, 2, -1, 3]))
    assert loss.item() == pytest.approx((0.5 + 3 + 1.5 + 4) / 4)
    loss.backward()
    assert x.grad.tolist() == [-0.5, 0.5, -0.5, 0.5]
    with pytest.raises(RuntimeError, match="argument #2 'target' is out of range"):
        F.multilabel_margin_loss(x, torch.tensor([0, 2, 4, -1]))


def test_sequences_are_read_without_blanks_and_repetitions():
    """The paths (1, 1), (0, 1) and (1, 0) of two steps all give the label 1."""
    chances = torch.tensor([[0.6, 0.4], [0.3, 0.7]])
    loss = F.ctc_loss(chances.log(), torch.tensor([1]), (2,), (1,))
    assert loss.item() == pytest.approx(-math.log(0.4 * 0.7 + 0.6 * 0.7 + 0.4 * 0.3))


def test_ctc_loss_keeps_lengths_in_tensors_for_modes_alone():
    seen = []

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.rand(3, 1, 2, requires_grad=True).log()
    given = x, torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1])
    plain = F.ctc_loss(*given, reduction="none")
    assert plain.grad_fn.name() == "CtcLossBackward0"
    with Noting():
        loss = F.ctc_loss(*given, reduction="none")
    assert "aten._ctc_loss.Tensor" in seen
    assert loss.grad_fn.name() == "CtcLossBackward1"
    assert loss.item() == plain.item()


def test_sequences_of_any_length_stand_side_by_side():
    x = torch.randn(6, 3, 4, dtype=torch.float64).log_softmax(2).detach().requires_grad_()
    together = F.ctc_loss(x, torch.tensor([1, 1, 3, 2]), (6, 4, 5), (3, 1, 0), reduction="none")
    each = [
        F.ctc_loss(x[:n, i], torch.tensor(t, dtype=torch.int64), (n,), (len(t),), reduction="sum")
        for i, (n, t) in enumerate([(6, [1, 1, 3]), (4, [2]), (5, [])])
    ]
    assert together.tolist() == [one.item() for one in each]
    (g,) = torch.autograd.grad(together.sum(), x)
    (h,) = torch.autograd.grad(sum(each), x)
    assert torch.equal(g, h)


def test_sequences_too_short_for_their_targets_are_infinitely_unlikely_or_left_out():
    x = torch.zeros(2, 1, 3).log_softmax(2).requires_grad_()
    assert F.ctc_loss(x, torch.tensor([[1, 1]]), (2,), (2,)).item() == math.inf
    loss = nn.CTCLoss(zero_infinity=True)(x, torch.tensor([[1, 1]]), (2,), (2,))
    loss.backward()
    assert loss.item() == 0
    assert not x.grad.any()


def test_an_adaptive_softmax_has_the_log_probabilities_of_all_classes():
    torch.manual_seed(0)
    layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], div_value=2.0)
    x, target = torch.randn(4, 8), torch.tensor([0, 9, 4, 5])
    everything = layer.log_prob(x)
    assert everything.exp().sum(1).tolist() == pytest.approx([1] * 4, rel=1e-5)
    output, loss = layer(x, target)
    assert output.tolist() == pytest.approx(everything[range(4), target].tolist())
    assert loss.item() == pytest.approx(-output.mean().item())
    assert torch.equal(layer.predict(x), everything.argmax(1))


def test_the_linear_layer_of_a_cross_entropy_is_its_own():
    layer = nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), bias=True)
    x, target = torch.randn(5, 4), torch.randint(0, 3, (5, 2))
    assert layer(x, target).item() == pytest.approx(
        F.cross_entropy(layer.linear(x).view(5, 3, 2), target).item()
    )


@pytest.mark.parametrize(("dtype", "version"), [(torch.float16, 1), (torch.float32, 4)])
def test_a_loss_of_chunks_counts_what_was_written_into_it(dtype, version):
    y = F.linear_cross_entropy(
        torch.ones(2, 4, dtype=dtype),
        torch.ones(5, 4, dtype=dtype),
        torch.tensor([0, 1]),
        options=nn.LinearCrossEntropyOptions(batch_chunk_size=1),
    )
    assert y._version == version


@pytest.mark.parametrize("name", ["hinge_embedding_loss", "margin_ranking_loss", "kl_div"])
def test_torchs_own_losses_reduce_nothing_unless_a_number_says_so(name):
    ones = [torch.ones(3)] * (3 if name == "margin_ranking_loss" else 2)
    assert getattr(torch, name)(*ones).shape == (3,)
    assert getattr(torch, name)(*ones, reduction=1).shape == ()
    with pytest.raises(TypeError, match="argument 'reduction' must be int, not str"):
        getattr(torch, name)(*ones, reduction="sum")
