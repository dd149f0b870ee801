"""Losses as modules."""

import pytest

from minitorch import nn


def test_huber_loss_takes_a_real_delta():
    with pytest.raises(TypeError, match="delta must be a float or int, got: <class 'complex'>"):
        nn.HuberLoss(delta=1j)
