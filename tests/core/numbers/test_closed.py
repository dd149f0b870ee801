"""Attributes of objects that cannot be changed: torch's words for those that do not exist."""

import collections
import re

import numpy
import pytest

import minitorch as torch
from minitorch.core.numbers.closed import c_name

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


@pytest.mark.parametrize("name", OBJECTS)
def test_errors_of_python_call_an_object_by_the_full_name(name):
    with pytest.raises(TypeError, match=f"^'{name}' object is not callable$"):
        OBJECTS[name]()
    kind = type(OBJECTS[name])
    assert kind.__name__ == kind.__qualname__ == name.rpartition(".")[2]
    assert repr(kind) == f"<class '{name}'>"
    with pytest.raises(AttributeError, match=f"^type object '{name}' has no attribute 'foo'$"):
        kind.foo  # noqa: B018


def test_errors_call_a_named_tuple_of_max_by_the_full_name():
    largest = torch.eye(2).max(0)
    words = "^'torch.return_types.max' object has no attribute 'detach'$"
    with pytest.raises(AttributeError, match=words):
        largest.detach()
    assert type(largest).__name__ == "max"
    with pytest.raises(TypeError, match=r"not torch\.return_types\.max$"):
        torch.add(torch.ones(1), largest)


def test_errors_call_a_class_of_a_program_by_its_short_name():
    class Own(torch.Generator):
        pass

    assert Own.__name__ == "Own"
    with pytest.raises(AttributeError, match=r"^'Own' object has no attribute 'foo'$"):
        Own().foo  # noqa: B018


@pytest.mark.parametrize("name", [each for each in OBJECTS if "Generator" not in each])
def test_constants_and_sizes_are_no_base_of_classes(name):
    with pytest.raises(TypeError, match=f"^type '{name}' is not an acceptable base type$"):
        type("Own", (type(OBJECTS[name]),), {})


def test_c_name_gives_the_name_that_c_types_have_in_errors():
    of_python = type("Own", (), {})
    kinds = [int, torch.Size, re.Pattern, collections.OrderedDict, numpy.ndarray, of_python]
    assert [c_name(kind) for kind in kinds] == [
        "int", "torch.Size", "re.Pattern", "collections.OrderedDict", "numpy.ndarray", "Own",
    ]  # fmt: skip
    assert c_name(type("O" * 60, (), {})) == "O" * 60
