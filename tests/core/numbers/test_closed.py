"""Attributes of objects that cannot be changed: torch's words for those that do not exist."""

import pytest

import minitorch as torch

OBJECTS = {
    "torch.dtype": torch.float32,
    "torch.device": torch.device("cpu"),
    "torch.layout": torch.strided,
    "torch.memory_format": torch.channels_last,
    "torch.finfo": torch.finfo(torch.float32),
    "torch.iinfo": torch.iinfo(torch.int8),
    "torch.Size": torch.Size([1]),
    "torch._C.Generator": torch.Generator(),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_an_attribute_that_there_is_not_is_told_by_the_full_name(name):
    with pytest.raises(AttributeError, match=f"^'{name}' object has no attribute 'foo'$"):
        OBJECTS[name].foo  # noqa: B018
    assert not hasattr(OBJECTS[name], "foo")


@pytest.mark.parametrize(
    ("name", "attribute"),
    [("torch.dtype", "itemsize"), ("torch.device", "type"), ("torch.finfo", "eps")],
)
def test_attributes_are_not_written(name, attribute):
    words = f"^attribute '{attribute}' of '{name}' objects is not writable$"
    with pytest.raises(AttributeError, match=words):
        setattr(OBJECTS[name], attribute, 1)
    with pytest.raises(AttributeError, match=words):
        delattr(OBJECTS[name], attribute)
    with pytest.raises(AttributeError, match="no attribute 'foo'"):
        OBJECTS[name].foo = 1


def test_limits_are_what_they_were():
    double, byte = torch.finfo(torch.float64), torch.iinfo(torch.uint8)
    assert (double.eps, double.max, double.tiny) == (2.0**-52, 1.7976931348623157e308, 2.0**-1022)
    assert (byte.min, byte.max, byte.bits) == (0, 255, 8)
