"""Pickles and copies of tensors."""

import copy
import pickle
import sys

import numpy
import pytest

import minitorch as torch


def again(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize(
    "x",
    [
        torch.arange(6).reshape(2, 3),
        torch.arange(6.0).reshape(2, 3).t(),
        torch.ones(3).expand(4, 3),
        torch.tensor(3.5),
        torch.empty(0, 3),
        torch.ones(2, dtype=torch.bfloat16),
        torch.from_numpy(numpy.asfortranarray(numpy.ones((2, 3)))),
    ],
)
def test_a_tensor_comes_out_as_it_went_in(x):
    for copied in (again(x), copy.copy(x), copy.deepcopy(x)):
        assert copied.dtype is x.dtype
        assert copied.shape == x.shape
        assert copied.stride() == x.stride()
        assert copied.tolist() == x.tolist()


def test_views_in_one_pickle_share_memory_again():
    x = torch.arange(6)
    whole, part = again((x, x.view(2, 3).select(0, 1)))
    whole.fill_(7)
    assert part.tolist() == [7, 7, 7]
    assert part.storage_offset() == 3


def test_a_pickled_tensor_is_a_leaf_and_keeps_whether_it_requires_grad():
    x = torch.ones(2, requires_grad=True) * 3
    copied = again(x)
    assert copied.is_leaf
    assert copied.requires_grad
    assert not again(torch.ones(1)).requires_grad


def test_a_shallow_copy_shares_memory_and_a_deep_one_does_not():
    x = torch.ones(3)
    assert copy.copy(x).data_ptr() == x.data_ptr()
    assert copy.deepcopy(x).data_ptr() != x.data_ptr()
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(torch.ones(2, requires_grad=True) * 2)


def test_parameters_stay_parameters_with_their_attributes():
    parameter = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    parameter.tag = "mine"
    for copied in (again(parameter), copy.copy(parameter)):
        assert type(copied) is torch.nn.Parameter
        assert not copied.requires_grad
        assert copied.tag == "mine"


def test_subclasses_stay_what_they_are(monkeypatch):
    class Marked(torch.Tensor):
        """A subclass, found again by its name."""

    Marked.__qualname__ = "Marked"
    monkeypatch.setattr(sys.modules[__name__], "Marked", Marked, raising=False)
    x = torch.ones(2).as_subclass(Marked)
    x.tag = 3
    copied = again(x)
    assert type(copied) is Marked
    assert copied.tag == 3


def test_dtypes_devices_and_sizes_come_out_as_themselves():
    assert again(torch.float32) is torch.float32
    assert again(torch.device("cuda:1")) == torch.device("cuda:1")
    assert type(again(torch.Size([2, 3]))) is torch.Size
