"""torch._check and its kin."""

import pytest

import minitorch

_TEXT = r"Expected cond to be True, but got False\. \(Could this error message be improved\?"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("_check", RuntimeError),
        ("_check_index", IndexError),
        ("_check_value", ValueError),
        ("_check_type", TypeError),
        ("_check_not_implemented", NotImplementedError),
    ],
)
def test_check_raises_its_error_with_the_message_it_is_given(name, error):
    check = getattr(minitorch, name)
    check(True)
    with pytest.raises(error, match=_TEXT):
        check(False)
    with pytest.raises(error, match=r"^hello$"):
        check(False, lambda: "hello")


def test_check_wants_a_bool_and_a_callable():
    with pytest.raises(TypeError, match="cond must be a bool, but got <class 'int'>"):
        minitorch._check(1)
    with pytest.raises(TypeError, match=r"cond must be a bool, but got a Tensor\. For tensor"):
        minitorch._check(minitorch.tensor(True))
    with pytest.raises(TypeError, match="message must be a callable"):
        minitorch._check(False, "text")


def test_check_tensor_all_wants_a_boolean_tensor():
    minitorch._check_tensor_all(minitorch.tensor([True, True]))
    with pytest.raises(RuntimeError, match=_TEXT):
        minitorch._check_tensor_all(minitorch.tensor([True, False]))
    with pytest.raises(TypeError, match=r"must have dtype torch\.bool, but got torch\.int64"):
        minitorch._check_tensor_all(minitorch.tensor([1]))
    with pytest.raises(TypeError, match="cond must be a tensor, but got <class 'int'>"):
        minitorch._check_tensor_all(1)


def test_check_is_size_knows_two_bounds():
    minitorch._check_is_size(2, max=2)
    for arguments in ({"i": -1}, {"i": 3, "max": 2}):
        with pytest.raises(RuntimeError, match=_TEXT):
            minitorch._check_is_size(**arguments)


def test_assert_takes_tensors_of_one_element():
    minitorch._assert(minitorch.tensor(True), "text")
    with pytest.raises(AssertionError, match="text"):
        minitorch._assert(minitorch.tensor(False), "text")
