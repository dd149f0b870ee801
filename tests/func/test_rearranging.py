"""torch.func.rearrange: dimensions by names."""

import pytest

import minitorch as torch
from minitorch.func import rearrange

X = torch.arange(24.0).reshape(2, 3, 4)


def test_dimensions_are_split_ordered_and_joined():
    assert torch.equal(rearrange(X, "a b c -> c (a b)"), X.reshape(6, 4).T)
    assert torch.equal(rearrange(X, "a b (c d) -> d a b c", d=2)[1], X[..., 1::2])
    assert torch.equal(rearrange(X, "a ... -> ... a"), X.movedim(0, -1))
    assert torch.equal(rearrange(list(X), "... -> (...)"), X.flatten())


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a b c", "Pattern must contain a single '->' separator"),
        ("a b -> a b", r"Number of dimensions in pattern \(2\) must be equal to the number of dim"),
        ("a b c -> a b", r"Identifiers only on one side of rearrange expression .*: {'c'}"),
        ("a b b -> a b", "Indexing expression contains duplicate dimension 'b'"),
        ("a (b c -> a b c", "Imbalanced parentheses in expression"),
    ],
)
def test_patterns_that_say_nothing_are_refused(pattern, text):
    with pytest.raises(ValueError, match=text):
        rearrange(X, pattern)
