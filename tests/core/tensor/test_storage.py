"""Storages: the memory behind tensors as bytes and as numbers."""

import copy
import pickle
import warnings

import pytest

import minitorch as torch


@pytest.fixture(autouse=True)
def _typed_storages_are_deprecated():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "TypedStorage is deprecated|Sparse CSR tensor support")
        yield


def test_a_storage_shares_memory_with_its_tensor():
    x = torch.arange(6.0).view(2, 3)
    s = x[1].storage()
    assert s.tolist() == [0, 1, 2, 3, 4, 5]
    s[0] = 7
    assert x[0, 0] == 7
    assert s.data_ptr() == x.data_ptr()
    x.untyped_storage().fill_(0)
    assert s.tolist() == [0] * 6


def test_a_storage_prints_its_numbers():
    kind = "dtype=torch.int64, device=cpu"
    assert repr(torch.LongStorage([1, 2])) == (
        f" 1\n 2\n[torch.storage.TypedStorage({kind}) of size 2]"
    )


def test_typed_storages_are_told_apart_by_their_dtype():
    s = torch.ones(2).storage()
    assert isinstance(s, torch.FloatStorage)
    assert isinstance(s, torch.TypedStorage)
    assert not isinstance(s, torch.LongStorage)
    assert s.type() == "torch.FloatStorage"
    assert torch.is_storage(s)
    assert torch.ones(2).half().storage_type() is torch.HalfStorage


def test_copies_and_pickles_have_memory_of_their_own():
    s = torch.FloatStorage([1, 2])
    for made in (s.clone(), copy.deepcopy(s), pickle.loads(pickle.dumps(s)), s.double()):
        made[0] = 5
        assert made.tolist() == [5, 2]
    assert s.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("use", "kind", "text"),
    [
        (lambda s: s[2:], RuntimeError, "slices are only supported in UntypedStorage"),
        (lambda s: s[9], IndexError, "index 9 out of range for storage of size 3"),
        (lambda s: s[0.5], RuntimeError, "can't index a"),
        (lambda s: s.untyped().copy_(torch.UntypedStorage(3)), RuntimeError, "size does not match"),
        (lambda s: s.untyped().resize_(-1), RuntimeError, "called with negative number"),
        (lambda s: torch.FloatStorage("a"), TypeError, "invalid data type 'str'"),
    ],
)
def test_what_a_storage_refuses(use, kind, text):
    with pytest.raises(kind, match=text):
        use(torch.FloatStorage([1, 2, 3]))


def test_a_slice_of_bytes_is_a_part_of_the_same_memory():
    bytes_ = torch.UntypedStorage([1, 2, 3, 4])
    part = bytes_[1:3]
    part.fill_(9)
    assert bytes_.tolist() == [1, 9, 9, 4]
    assert part.nbytes() == 2


def test_storage_of_a_sparse_tensor_warns_before_it_refuses():
    for x in (torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr()):
        torch.storage._reset_warn_typed_storage_removal()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(NotImplementedError, match="Cannot access storage of Sparse"):
                x.storage()
        assert [str(w.message)[:26] for w in caught] == ["TypedStorage is deprecated"]


def test_asking_for_the_type_of_a_storage_is_deprecated_once():
    x = torch.ones(1)
    torch.storage._reset_warn_typed_storage_removal()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert x.storage_type() is torch.FloatStorage
        x.storage()
    assert [str(w.message)[:26] for w in caught] == ["TypedStorage is deprecated"]
