"""NumPy's warnings about infinities and NaNs, which torch does not give."""

import pickle
import re
import warnings

import numpy
import pytest

import minitorch as torch


def infinities():
    torch.log(torch.zeros(()))
    torch.ones(()) / torch.zeros(())
    torch.exp(torch.tensor(1000.0))
    x = torch.tensor(-1.0, requires_grad=True)
    torch.sqrt(x).backward()


@pytest.mark.parametrize("action", ["always", "default", "error"])
def test_infinities_are_silent_whatever_a_program_asks_for(action):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter(action)
        infinities()
    assert seen == []


def test_infinities_are_silent_after_filters_were_reset():
    with warnings.catch_warnings(record=True) as seen:
        warnings.resetwarnings()
        infinities()
        warnings.filters[:] = [("always", None, Warning, None, 0)]
        infinities()
    assert seen == []


def test_a_programs_own_filters_come_after_one_another_as_they_were_put():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", UserWarning)
        warnings.warn("unheard", UserWarning, stacklevel=1)
        warnings.simplefilter("error", UserWarning)
        with pytest.raises(UserWarning, match="heard"):
            warnings.warn("heard", UserWarning, stacklevel=1)


def test_a_programs_own_divisions_by_zero_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            numpy.ones(1) / numpy.zeros(1)


def test_infinities_are_silent_after_the_list_was_replaced():
    before = warnings.filters
    try:
        warnings.filters = [("error", None, Warning, None, 0)]
        infinities()
    finally:
        warnings.filters = before


def test_filters_are_a_list_and_restored_by_the_context():
    before = list(warnings.filters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
    assert isinstance(warnings.filters, list)
    assert list(warnings.filters) == before


def own_filter():
    (found,) = [each for each in warnings.filters if each[2:3] == (RuntimeWarning,)][:1]
    return found


@pytest.mark.parametrize(
    ("text", "silenced"),
    [
        ("overflow encountered in exp", True),
        ("invalid value encountered in sqrt", True),
        ("All-NaN slice encountered", True),
        ("an overflow encountered", False),
        ("divide by 2", False),
    ],
)
def test_its_quick_match_is_that_of_the_expression(text, silenced):
    message = own_filter()[1]
    assert bool(message.match(text)) is bool(message.compiled().match(text)) is silenced


def test_packages_that_read_or_send_filters_find_expressions():
    _, message, _, module, _ = own_filter()
    assert re.compile(message.pattern).match("overflow encountered")
    assert module.pattern == r"minitorch\."
    assert pickle.loads(pickle.dumps(module)) == re.compile(r"minitorch\.")
