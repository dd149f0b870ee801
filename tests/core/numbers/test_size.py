"""Size: a tuple of ints that stays a Size where torch keeps one."""

import copy
import pickle

import numpy as np
import pytest

from minitorch.core.numbers.size import Size, size_of


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("s", "torch.Size([2, 3, 4])"),
        ("Size()", "torch.Size([])"),
        ("s[1:]", "torch.Size([3, 4])"),
        ("s[::-1]", "torch.Size([4, 3, 2])"),
        ("s[1]", "3"),
        ("s + (1,)", "torch.Size([2, 3, 4, 1])"),
        ("(1,) + s", "torch.Size([1, 2, 3, 4])"),
        ("s * 2", "torch.Size([2, 3, 4, 2, 3, 4])"),
        ("2 * s", "torch.Size([2, 3, 4, 2, 3, 4])"),
        ("s.numel()", "24"),
        ("Size().numel()", "1"),
        ("Size([np.int64(3), True])", "torch.Size([3, 1])"),
        ("copy.deepcopy(s)", "torch.Size([2, 3, 4])"),
        ("pickle.loads(pickle.dumps(s))", "torch.Size([2, 3, 4])"),
        ("s + np.array([1, 2, 3])", "array([3, 5, 7])"),
        ("s == (2, 3, 4)", "True"),
        ("hash(s) == hash((2, 3, 4))", "True"),
        ("[*s]", "[2, 3, 4]"),
        ("size_of((5, 6))", "torch.Size([5, 6])"),
    ],
)
def test_expressions_keep_or_lose_the_type_as_in_torch(expression, shown):
    names = {"copy": copy, "np": np, "pickle": pickle, "size_of": size_of}
    assert repr(eval(expression, names | {"Size": Size, "s": Size([2, 3, 4])})) == shown


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda s: Size([1, 2.0]), "torch.Size() takes an iterable of 'int' (item 1 is 'float')"),
        (lambda s: Size("ab"), "torch.Size() takes an iterable of 'int' (item 0 is 'str')"),
        (lambda s: s + ("a",), "torch.Size() takes an iterable of 'int' (item 2 is 'str')"),
        (lambda s: Size(5), "'int' object is not iterable"),
        (lambda s: s + [1], "can only concatenate tuple (not list) to torch.Size"),
        (lambda s: s * 1.5, "can't multiply sequence by non-int of type 'float'"),
        (lambda s: s[1.0], "tuple indices must be integers or slices, not float"),
    ],
)
def test_refusals_have_the_words_of_torch(make, message):
    with pytest.raises(TypeError) as caught:
        make(Size([2, 3]))
    assert str(caught.value) == message
