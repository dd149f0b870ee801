"""Storages that grow, are read from buffers and files, and are shared with other processes."""

import copy
import multiprocessing
import pickle

import pytest

import minitorch as torch
from minitorch import UntypedStorage


def test_resize_keeps_the_bytes_and_every_tensor_over_them():
    x = torch.arange(4.0)
    view = x[1:3]
    x.untyped_storage().resize_(64)
    assert view.untyped_storage().nbytes() == 64
    assert view.data_ptr() - x.data_ptr() == 4
    view.fill_(7)
    assert x.tolist() == [0, 7, 7, 3]


def test_resize_refuses_what_a_tensor_still_reads_and_what_is_borrowed():
    x = torch.arange(4.0)
    with pytest.raises(NotImplementedError, match=r"torch\.UntypedStorage\.resize_: a tensor"):
        x.untyped_storage().resize_(8)
    part = UntypedStorage([1, 2, 3])[1:]
    assert not part.resizable()
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        part.resize_(9)
    with pytest.raises(RuntimeError, match="resize_ expects an int, but got str"):
        UntypedStorage(1).resize_("2")
    with pytest.raises(RuntimeError, match="called with negative number: 18446744073709551615"):
        UntypedStorage(1).resize_(-1)
    assert UntypedStorage([5, 6, 7]).resize_(2).tolist() == [5, 6]


def test_slices_share_memory_and_indices_are_checked():
    s = UntypedStorage([1, 2, 3, 4])
    part = s[1:3]
    part[0] = 300
    assert s.tolist() == [1, 44, 3, 4]
    s[2:] = 9
    assert list(s) == [1, 44, 9, 9]
    for use, kind, text in (
        (lambda: s[4], IndexError, "index 4 out of range for storage of size 4"),
        (lambda: s[::2], RuntimeError, "step of 2, but only a step of 1 is supported"),
        (lambda: s["a"], TypeError, r"can't index a torch\.UntypedStorage with str"),
        (lambda: s.__setitem__(9, 1), RuntimeError, "out of bounds"),
        (lambda: s.__setitem__(0, 1.5), RuntimeError, "can only set storage content with a int"),
        (lambda: UntypedStorage("a"), RuntimeError, r"\(str\), but one of the items was of type"),
        (lambda: UntypedStorage(1.5), RuntimeError, "Expected a sequence type, but got float"),
        (lambda: UntypedStorage(1, 2), TypeError, r"got \(int, int\), but expected one of"),
        (lambda: s.copy_(torch.ones(1)), TypeError, r"must be torch\.Storage, not Tensor"),
    ):
        with pytest.raises(kind, match=text):
            use()


def test_from_buffer_reads_either_byte_order():
    def read(**given):
        return UntypedStorage.from_buffer(b"abcdefgh", **given)

    assert read(dtype=torch.uint8).tolist() == list(b"abcdefgh")
    assert read(dtype=torch.int32, byte_order="big").tolist() == list(b"dcbahgfe")
    assert read(dtype=torch.uint8, count=2, offset=1).tolist() == list(b"bc")
    assert torch.BoolStorage.from_buffer(b"\0\1\2", "native").tolist() == [False, True, True]
    assert torch.IntStorage.from_buffer(b"\1\0\0\0", "little").tolist() == [1]
    for given, kind, text in (
        ({}, RuntimeError, "argument 'dtype' cannot be None"),
        ({"dtype": torch.int32}, RuntimeError, "missing required argument 'byte_order'"),
        ({"dtype": torch.uint8, "offset": 9}, ValueError, r"buffer length \(9\) , but got 8"),
        ({"dtype": torch.uint8, "count": 9}, ValueError, "buffer has only 8 elements after"),
    ):
        with pytest.raises(kind, match=text):
            read(**given)


def test_from_file_maps_a_file(tmp_path):
    name = str(tmp_path / "numbers")
    with pytest.raises(RuntimeError, match="in read-only mode: No such file or directory"):
        UntypedStorage.from_file(name, False, 4)
    storage = UntypedStorage.from_file(name, shared=True, nbytes=8).fill_(5)
    assert storage.is_shared()
    assert storage.filename == name
    assert (tmp_path / "numbers").read_bytes() == b"\5" * 8
    private = UntypedStorage.from_file(name, False, 4).fill_(1)
    assert not private.resizable()
    assert (tmp_path / "numbers").read_bytes() == b"\5" * 8
    with pytest.raises(RuntimeError, match="is smaller than the required mapping size <100>"):
        UntypedStorage.from_file(name, False, 100)
    torch.from_file(name, shared=True, size=2, dtype=torch.int32).fill_(1)
    assert torch.IntStorage.from_file(name, True, 2).tolist() == [1, 1]


def test_bytes_are_converted_swapped_copied_and_pickled():
    s = UntypedStorage([1, 2])
    assert s.float().tolist() == [1, 2]
    assert s.complex_double().dtype is torch.complex128
    s.byteswap(torch.int16)
    assert s.tolist() == [2, 1]
    for made in (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s)), s.clone()):
        made[0] = 9
        assert made.tolist() == [9, 1]
    assert s.tolist() == [2, 1]
    assert repr(UntypedStorage(0)) == (" \n[torch.storage.UntypedStorage(device=cpu) of size 0]")


def test_share_memory_moves_a_tensor_and_its_views():
    x = torch.arange(3.0)
    view = x[1:]
    assert not x.is_shared()
    assert x.share_memory_() is x
    assert view.is_shared()
    assert view.data_ptr() - x.data_ptr() == 4
    view.zero_()
    assert x.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="not resizable"):
        x.untyped_storage().resize_(100)


def test_gradients_flow_into_a_parameter_that_was_shared():
    layer = torch.nn.Linear(2, 1)
    before = layer.weight.tolist()
    layer.share_memory()
    layer(torch.ones(2)).sum().backward()
    assert layer.weight.tolist() == before
    assert layer.weight.is_shared()
    assert layer.weight.grad.tolist() == [[1, 1]]


def _write(x):
    x.add_(1)


def test_what_a_forked_process_writes_into_shared_memory_is_seen():
    x, own = torch.zeros(2).share_memory_(), torch.zeros(2)
    context = multiprocessing.get_context("fork")
    for each in (x, own):
        process = context.Process(target=_write, args=(each,))
        process.start()
        process.join()
    assert x.tolist() == [1, 1]
    assert own.tolist() == [0, 0]
