"""softmax and log_softmax as operators."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_dtype_converts_the_input_first():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = F.softmax(x, 0, dtype=torch.float64)
    assert y.dtype is torch.float64
    assert type(y.grad_fn.next_functions[0][0]).__name__ == "ToCopyBackward0"


def test_integers_are_refused_with_the_kernel_of_their_dimension():
    x = torch.ones(2, 3, dtype=torch.int64)
    with pytest.raises(NotImplementedError, match="softmax_lastdim_kernel_impl"):
        F.softmax(x, 1)
    with pytest.raises(NotImplementedError, match='"log_softmax_kernel_impl" not implemented'):
        F.log_softmax(x, 0)


def test_a_missing_dimension_is_guessed_with_a_warning():
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        assert F.softmax(torch.zeros(2, 2)).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_halves_keep_their_sums_in_the_half_type():
    x = torch.tensor([3.265625, -3.890625, 2.828125, -4.6875, 8.375], dtype=torch.bfloat16)
    assert F.log_softmax(torch.stack([x, x]), 1)[0, 4].item() == -0.007781982421875
