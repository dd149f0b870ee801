"""Storages: torch's words for calls that are refused, and the private names that packages use."""

import copy
import sys

import pytest

import minitorch as torch


def untyped():
    return torch.arange(6, dtype=torch.uint8).untyped_storage()


def typed():
    return torch.arange(3.0).storage()


def test_methods_of_c_count_their_arguments():
    with pytest.raises(TypeError, match=r"StorageBase\.nbytes\(\) takes no arguments \(1 given\)"):
        untyped().nbytes(1)
    with pytest.raises(TypeError, match=r"fill_\(\) takes exactly one argument \(2 given\)"):
        untyped().fill_(1, 2)
    with pytest.raises(TypeError, match="expected 0 arguments, got 1"):
        untyped().__len__(1)


def test_methods_of_python_go_by_the_name_of_the_base():
    with pytest.raises(TypeError, match=r"_StorageBase\.size\(\) takes 1 positional argument"):
        untyped().size(1)
    with pytest.raises(TypeError, match=r"_StorageBase\.to\(\) missing 1 required keyword-only"):
        untyped().to()


def test_a_storage_of_a_known_dtype_takes_no_dtype():
    with pytest.raises(RuntimeError, match="Keyword argument 'dtype' cannot be specified"):
        torch.FloatStorage(dtype=torch.float32)
    with pytest.raises(RuntimeError, match="Too many positional arguments"):
        torch.FloatStorage(1, 2)
    with pytest.raises(TypeError, match="Argument type not recognized: <class 'NoneType'>"):
        torch.FloatStorage(None)


def test_a_typed_storage_of_bytes_needs_a_dtype():
    with pytest.raises(RuntimeError, match="Argument 'dtype' must be specified"):
        torch.TypedStorage(wrap_storage=untyped())
    made = torch.TypedStorage(wrap_storage=untyped(), dtype=torch.int16)
    assert made.tolist() == [256, 770, 1284]


def test_byteswap_takes_a_dtype_that_fits():
    with pytest.raises(RuntimeError, match=r"expected torch\.dtype, but got <class 'str'>"):
        untyped().byteswap("x")
    with pytest.raises(RuntimeError, match="the length of data is not a multiple of 4"):
        untyped().byteswap(torch.float32)
    swapped = untyped()
    swapped.byteswap(torch.int16)
    assert swapped.tolist() == [1, 0, 3, 2, 5, 4]


def test_copies_of_typed_storages_are_apart():
    x = typed()
    for other in (copy.copy(x), copy.deepcopy(x)):
        other[0] = 7
    assert x.tolist() == [0, 1, 2]


def test_private_names_do_what_the_public_ones_do():
    x = typed()
    assert (x._size(), x._nbytes(), x._getitem(1)) == (3, 12, 1.0)
    assert x._get_legacy_storage_class() is torch.FloatStorage
    assert untyped()._to(torch.float32).tolist() == [0, 1, 2, 3, 4, 5]
    assert sys.getsizeof(x) - sys.getsizeof(torch.FloatStorage(0)) == 12


def test_from_buffer_checks_the_kinds_of_its_arguments():
    with pytest.raises(TypeError, match="argument 2 must be str, not int"):
        torch.UntypedStorage.from_buffer(b"abcd", 3, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match=r"argument 'dtype' must be of type torch\.dtype"):
        torch.UntypedStorage.from_buffer(b"abcd", "big", dtype=3)
    with pytest.raises(RuntimeError, match="'device' can only be specified in UntypedStorage"):
        torch.FloatStorage.from_buffer(b"abcd", "big", device="cpu")


def test_methods_of_absent_devices_refuse():
    with pytest.raises(AssertionError, match="HPU device module is not loaded"):
        untyped().hpu()
    with pytest.raises(RuntimeError, match="Storage device not recognized: mps"):
        untyped().mps()


def test_UntypedStorage_refuses_unknown_arguments():
    with pytest.raises(TypeError, match=r"got \(int, nope=float\), but expected one of"):
        torch.UntypedStorage(1, nope=1.5)


def test_the_device_of_a_TypedStorage_is_taken():
    made = torch.TypedStorage(2, device="meta")
    assert (made.device.type, made.nbytes()) == ("meta", 8)


def test_type_of_a_storage_copies_its_bytes_into_as_many_numbers():
    storage = torch.arange(3.0).storage()
    assert storage.untyped().type(torch.ByteStorage).tolist() == storage.untyped().tolist()
    with pytest.raises(RuntimeError, match="self was 96 bytes but src was 12 bytes"):
        storage.type(torch.LongStorage)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'is_sparse'"):
        storage.type(1)


@pytest.mark.parametrize("name", ["fill_", "resize_", "_swap_data_ptr_"])
def test_methods_of_storages_name_the_type_of_what_they_do_not_take(name):
    with pytest.raises(RuntimeError, match=r"but got torch\.dtype"):
        getattr(torch.UntypedStorage(2), name)(torch.float32)


def test_copies_between_typed_storages_are_copies_of_bytes():
    storage = torch.zeros(2).storage()
    assert storage.copy_(torch.tensor([1.5], dtype=torch.float64).storage()).tolist() == [0, 1.9375]
    with pytest.raises(RuntimeError, match="size does not match, self was 8 bytes but src was 16"):
        storage.copy_(torch.arange(2).storage())


def test_elements_of_a_typed_storage_are_assigned_as_those_of_a_tensor():
    storage = torch.zeros(3, dtype=torch.uint8).storage()
    storage[0:2] = torch.tensor([-1])
    assert storage.tolist() == [255, 255, 0]
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        storage.fill_(300)


def test_a_typed_storage_refuses_to_be_filled_with_no_number():
    with pytest.raises(TypeError, match=r"can't assign a str to a torch\.FloatTensor"):
        torch.zeros(2).storage().fill_("x")


def test_methods_of_typed_storages_warn_once_that_they_are_deprecated():
    storage = torch.zeros(2)._typed_storage()
    torch.storage._reset_warn_typed_storage_removal()
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        storage.size()
    storage.nbytes()
