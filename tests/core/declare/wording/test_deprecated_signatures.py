"""Signatures that torch takes and does not show: numbers before the tensors."""

import warnings

import pytest

import minitorch as torch
from minitorch.core import warning


@pytest.mark.filterwarnings("ignore:This overload of")
def test_numbers_may_stand_before_the_tensors_that_they_weigh():
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    m = torch.eye(2)
    assert x.add(2, y).tolist() == x.add(y, alpha=2).tolist()
    assert torch.sub(x, 2, y).tolist() == x.sub(y, alpha=2).tolist()
    assert x.addcdiv(2, x, y).tolist() == x.addcdiv(x, y, value=2).tolist()
    assert torch.addmm(2, m, 3, m, m).tolist() == [[5.0, 0.0], [0.0, 5.0]]
    assert x.addmv(2, m, y).tolist() == [5.0, 8.0]
    out = torch.empty(2)
    assert torch.addcmul(x, 2, x, y, out=out) is out
    assert out.tolist() == [7.0, 18.0]
    assert x.clone().mul_(0.5).add_(0.5, y).tolist() == [2.0, 3.0]


def test_a_deprecated_signature_says_once_which_to_use():
    warning._given.discard("PythonArgParser::raw_parse")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        torch.ones(2).add_(2, torch.ones(2))
        torch.ones(2).addcmul_(2, torch.ones(2), torch.ones(2))
    (given,) = said
    assert str(given.message) == (
        "This overload of add_ is deprecated:\n\tadd_(Number alpha, Tensor other)\n"
        "Consider using one of the following signatures instead:\n"
        "\tadd_(Tensor other, *, Number alpha = 1)"
    )


def test_what_fits_no_signature_is_refused_without_the_deprecated_ones():
    with pytest.raises(TypeError) as refused:
        torch.ones(2).add_("a", torch.ones(2))
    assert "Number alpha, Tensor other" not in str(refused.value)
