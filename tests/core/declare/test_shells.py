"""Calls of composite operators and of rows that torch's argument parser refuses."""

import pytest

import minitorch as torch
from minitorch.core.declare.signatures import refusal, signatures_at


def test_composites_refuse_in_the_words_of_the_parser():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match=r"^fft_fft\(\): argument 'input' \(position 1\) must be T"):
        torch.fft.fft(1)
    with pytest.raises(TypeError, match=r"^std\(\) received an invalid combination of arguments"):
        torch.std(x, "a")
    with pytest.raises(TypeError, match=r"^logsumexp\(\) missing 1 required positional argume"):
        torch.logsumexp(x)


def test_methods_leave_self_out_of_the_places_of_arguments():
    with pytest.raises(TypeError, match=r"^argsort\(\) received .* got \(float\), but expected"):
        torch.ones(2).argsort(1.5)


def test_rows_refuse_by_all_signatures_of_torch():
    with pytest.raises(TypeError, match=r"argument 'index' \(position 3\) must be Tensor, not int"):
        torch.index_select(torch.ones(2), 0, 1)


def test_names_of_numpy_are_taken_by_composites():
    x = torch.tensor([[1.0, 3.0]])
    assert torch.equal(torch.std_mean(x, axis=1)[1], torch.tensor([2.0]))


def test_errors_of_calls_that_fit_stay_as_they_are():
    with pytest.raises(IndexError, match=r"^Dimension out of range"):
        torch.logsumexp(torch.ones(2), 5)


def test_methods_without_arguments_say_so_as_cpython_does():
    error = refusal("Tensor.exp", (1,), {})
    assert str(error) == "TensorBase.exp() takes no arguments (1 given)"
    assert refusal("Tensor.exp", (), {}) is None


def test_functions_that_torch_writes_in_python_have_no_signature():
    assert signatures_at("torch.einsum") is None


def test_lists_of_several_tensors_are_no_numbers():
    error = refusal("torch.max", (torch.ones(2), 0), {"out": 3})
    assert str(error).startswith("max() received an invalid combination of arguments")


def test_factories_take_none_for_requires_grad():
    assert not torch.zeros(2, requires_grad=None).requires_grad
