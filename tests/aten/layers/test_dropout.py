"""Dropout: its masks, and when it does nothing."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_the_mask_is_torchs():
    torch.manual_seed(0)
    assert F.dropout(torch.ones(8), 0.5).tolist() == [0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 2.0]


def test_nothing_dropped_is_the_input_itself():
    x = torch.ones(3)
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 0.5, training=False) is x


def test_channels_are_dropped_whole():
    y = F.dropout2d(torch.ones(4, 8, 3, 3), 0.5)
    sums = y.sum((2, 3)).flatten().tolist()
    assert set(sums) == {0.0, 18.0}


def test_a_chance_outside_0_and_1_is_refused():
    with pytest.raises(ValueError, match="has to be between 0 and 1, but got 2"):
        F.dropout(torch.ones(2), 2)


def test_dropout3d_of_one_image_is_that_of_a_batch_of_one():
    x = torch.ones(2, 3, 3, 3, requires_grad=True)
    y = F.dropout3d(x)
    assert y.grad_fn.name() == "SqueezeBackward1"
    assert all(len(set(channel.flatten().tolist())) == 1 for channel in y)


def test_a_chance_is_refused_before_anything_is_warned_of(recwarn):
    with pytest.raises(ValueError, match="dropout probability has to be between 0 and 1"):
        torch.nn.functional.dropout2d(torch.ones(2, 3, 4), 2.0)
    assert not recwarn.list


def test_native_dropout_tells_what_it_kept():
    x = torch.arange(8.0, requires_grad=True)
    kept, mask = torch.native_dropout(x, 0.5, True)
    assert kept.equal(x * mask * 2)
    kept.sum().backward()
    assert x.grad.equal(mask * 2.0)
    assert torch.native_dropout(x, 0.5, False)[1].all()
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.native_dropout(torch.ones(2, dtype=torch.int64), 0.5, True)


def test_a_mask_of_another_shape_is_refused():
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(2\) must match"):
        torch.ops.aten.native_dropout_backward(torch.ones(2), torch.ones(3) > 0, 1.0)
