"""Operators that torch has for other numbers and layouts than those of dense tensors."""

import pytest

import minitorch as torch


@pytest.mark.parametrize("name", ["int_repr", "q_scale", "q_per_channel_axis", "qscheme"])
def test_questions_about_quantised_numbers_name_the_backend(name):
    text = f"Could not run 'aten::{name}' with arguments from the 'CPU' backend"
    with pytest.raises(NotImplementedError, match=text):
        getattr(torch.ones(2), name)()


def test_record_stream_takes_streams_alone():
    with pytest.raises(RuntimeError, match="unknown parameter type"):
        torch.ones(2).record_stream(1)
    with pytest.raises(NotImplementedError, match="aten::record_stream"):
        torch.ones(2).record_stream(torch.Stream("cpu"))


def test_slice_inverse_gives_the_tensor_that_was_sliced():
    x = torch.arange(6.0, requires_grad=True)
    part = (x * 1).reshape(2, 3)[:, 1:]
    whole = torch.slice_inverse(part, torch.ones(2, 3), 1, 1, 3)
    assert whole.tolist() == [[0, 1, 2], [3, 4, 5]]
    (whole * torch.arange(6.0).reshape(2, 3)).sum().backward()
    assert x.grad.tolist() == [0, 1, 2, 0, 4, 5]


# torch gives this warning for every compressed tensor that is made.
unchecked = pytest.mark.filterwarnings("ignore:Sparse (CSR|invariant)")


@unchecked
def test_copies_of_the_parts_of_compressed_tensors_are_their_own():
    x = torch.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse_csr()
    copy = torch.values_copy(x)
    copy.zero_()
    assert x.values().tolist() == [1.0, 2.0]
    assert torch.crow_indices_copy(x).tolist() == [0, 1, 2]
    assert torch.col_indices_copy(x).tolist() == [1, 0]


def test_native_norm_is_of_sparse_tensors():
    x = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    assert torch.native_norm(x.to_sparse()).item() == 5
    with pytest.raises(NotImplementedError, match="aten::native_norm"):
        torch.native_norm(x)
