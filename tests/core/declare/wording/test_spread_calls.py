"""Refusals of calls that spread lists and dictionaries: which arguments had names."""

import pytest

import minitorch as torch

X = torch.ones(2, 2)


class Call:
    """A function with arguments for later."""

    def __init__(self, function, *args, **kwargs):
        self.function, self.args, self.kwargs = function, args, kwargs

    def __call__(self):
        return self.function(*self.args, **self.kwargs)

    def with_more(self, first):
        return self.function(first, *self.args, keepdim=3, **self.kwargs)


def called(function, *args, **kwargs):
    return function(*args, **kwargs)


@pytest.mark.parametrize("call", [called, lambda *args, **kwargs: Call(*args, **kwargs)()])
def test_names_in_a_dictionary_that_is_spread_are_known(call):
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' must be bool, not Tensor"):
        call(torch.sum, X, 0, keepdim=X)
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' \(position 3\) must be bo"):
        call(torch.sum, X, 0, X)
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' \(position 2\) must be bo"):
        call(torch.Tensor.sum, X, 0, X)
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' \(position 2\) must be bo"):
        call(X.sum, 0, X)


def test_names_beside_what_is_spread_are_known():
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' must be bool, not int"):
        Call(torch.sum, 0).with_more(X)


def test_what_no_variable_holds_is_guessed():
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' "):
        torch.sum(X, 0, **dict(keepdim=X))


class Slotted:
    """A function with arguments for later, in slots."""

    __slots__ = ("args", "kwargs")

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def __call__(self):
        return torch.sum(*self.args, **self.kwargs)


def test_names_in_a_dictionary_that_a_slot_holds_are_known():
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' must be bool, not Tensor"):
        Slotted(X, 0, keepdim=X)()
    with pytest.raises(TypeError, match=r"^sum\(\): argument 'keepdim' \(position 3\) must be bo"):
        Slotted(X, 0, X)()
