"""device: its spellings and refusals, equality, defaults; layouts and memory formats."""

import pickle
import re
import threading

import pytest

from minitorch.aten.creation.default_device import set_default_device
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.device import device, get_default_device

OVERLOADS = " * (str type, int index = -1)\n"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("cpu",), "device(type='cpu')"),
        (("cpu:0",), "device(type='cpu', index=0)"),
        (("cuda", 1), "device(type='cuda', index=1)"),
        (("cuda:1",), "device(type='cuda', index=1)"),
        (("cuda", None), "device(type='cuda')"),
        ((device("cuda:1"),), "device(type='cuda', index=1)"),
        (("meta",), "device(type='meta')"),
    ],
)
def test_spellings(arguments, shown):
    d = device(*arguments)
    assert repr(d) == shown
    assert device(str(d)) == d
    assert pickle.loads(pickle.dumps(d)) == d


def test_keywords_name_the_type_and_the_index():
    assert device(type="cuda", index=1) == device("cuda", index=1) == device(device="cuda:1")


@pytest.mark.parametrize(
    "text", ["cuda:01", "cuda:-1", "cuda:", "cuda:x", "cuda:1:2", "cuda1", "1"]
)
def test_malformed_strings_are_refused(text):
    with pytest.raises(RuntimeError, match=f"^Invalid device string: '{text}'$"):
        device(text)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("",), RuntimeError, "Device string must not be empty"),
        (("cuda", -1), RuntimeError, "Device index must not be negative"),
        ((-1,), RuntimeError, "Device index must not be negative"),
        (
            ("cuda:1", 1),
            RuntimeError,
            "type (string) must not include an index because index was passed explicitly: cuda:1",
        ),
        (
            ("cuda", "1"),
            TypeError,
            "device(): argument 'index' (position 2) must be int, not str",
        ),
        (
            (device("cpu"), 0),
            TypeError,
            "device(): argument 'type' (position 1) must be str, not torch.device",
        ),
        (
            (None,),
            TypeError,
            "device() received an invalid combination of arguments - got (NoneType), but expected "
            "one of:\n * (torch.device device)\n      didn't match because some of the arguments "
            "have invalid types: (!NoneType!)\n" + OVERLOADS,
        ),
        (
            (),
            TypeError,
            "device() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (torch.device device)\n" + OVERLOADS,
        ),
    ],
)
def test_refusals_have_the_words_of_torch(arguments, error, message):
    with pytest.raises(error) as caught:
        device(*arguments)
    assert str(caught.value) == message


def test_an_unknown_type_is_answered_with_the_known_ones():
    message = r"^Expected one of cpu, cuda, ipu, .*, privateuseone device type at start of device "
    with pytest.raises(RuntimeError, match=message + "string: CUDA$"):
        device("CUDA")


def test_equality_is_of_type_and_index_and_the_attributes_are_fixed():
    assert device("cuda:1") == device("cuda", 1)
    assert hash(device("cuda:1")) == hash(device("cuda", 1))
    assert device("cuda") != device("cuda:0")
    assert device("cpu") != "cpu"
    with pytest.raises(TypeError, match=r"^comparison not implemented$"):
        _ = device("cpu") < device("cuda")
    with pytest.raises(
        AttributeError, match=r"attribute 'type' of 'torch.device' objects is not wr"
    ):
        device("cpu").type = "cuda"


def test_the_innermost_with_block_gives_the_default_device():
    assert get_default_device() == device("cpu")
    try:
        set_default_device("cuda:1")
        with device("meta") as entered:
            assert entered == get_default_device() == device("meta")
            with device("cpu"):
                assert get_default_device() == device("cpu")
            assert get_default_device() == device("meta")
        assert get_default_device() == device("cuda:1")
    finally:
        set_default_device(None)
    assert get_default_device() == device("cpu")


def test_the_default_device_belongs_to_one_thread():
    seen = []
    with device("meta"):
        thread = threading.Thread(target=lambda: seen.append(get_default_device()))
        thread.start()
        thread.join()
    assert seen == [device("cpu")]


@pytest.mark.parametrize("name", ["strided", "sparse_coo", "channels_last", "preserve_format"])
def test_layouts_and_memory_formats_are_single_named_objects(name):
    constant = getattr(devices, name)
    assert repr(constant) == f"torch.{name}"
    assert pickle.loads(pickle.dumps(constant)) is constant
    kind = type(constant)
    with pytest.raises(TypeError, match=re.escape(f"cannot create 'torch.{kind.__name__}' inst")):
        kind()
