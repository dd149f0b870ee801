"""Printing: the text of tensors of every dtype, summaries, line breaks, suffixes and options.

The expected texts are those that torch 2.13.0 prints.
"""

import numpy as np
import pytest

from minitorch.core.base.fields import LEAF, tensor
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor import printing
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.printing import get_printoptions, printoptions, set_printoptions
from minitorch.core.tensor.tensor import Tensor

INF, NAN = np.inf, np.nan


@pytest.fixture
def Named():
    class Named(Tensor):
        pass

    return Named


def text(data, dtype="float32", edge=None):
    return repr(tensor(np.array(data, getattr(dtypes, dtype).numpy), edge))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (1.5, "tensor(1.5000)"),
        (-0.0, "tensor(-0.)"),
        ([1, 2, 3], "tensor([1., 2., 3.])"),
        ([1.5, -2, 100], "tensor([  1.5000,  -2.0000, 100.0000])"),
        ([1, 1000], "tensor([   1., 1000.])"),
        ([1, 1001], "tensor([1.0000e+00, 1.0010e+03])"),
        ([1e8, 99999992], "tensor([100000000.,  99999992.])"),
        ([100000008], "tensor([1.0000e+08])"),
        ([0.0001], "tensor([1.0000e-04])"),
        ([0.00011], "tensor([0.0001])"),
        ([1, INF, NAN, -INF], "tensor([1., inf, nan, -inf])"),
        ([1.5, INF], "tensor([1.5000,    inf])"),
        ([0, -0.0], "tensor([0., -0.])"),
        ([10.5, 0], "tensor([10.5000,  0.0000])"),
    ],
)
def test_the_style_of_floats_follows_the_finite_values_that_are_not_zero(data, expected):
    assert text(data) == expected


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        ([True, False], "bool", "tensor([ True, False])"),
        ([1, -20], "int64", "tensor([  1, -20])"),
        ([1, 2], "uint8", "tensor([1, 2], dtype=torch.uint8)"),
        ([0.1], "float64", "tensor([0.1000], dtype=torch.float64)"),
        ([0.1], "float16", "tensor([0.1000], dtype=torch.float16)"),
        ([0.1, 3], "bfloat16", "tensor([0.1001, 3.0000], dtype=torch.bfloat16)"),
        ([1 + 2j, 0], "complex64", "tensor([1.+2.j, 0.+0.j])"),
        ([1 - 2.5j], "complex128", "tensor([1.-2.5000j], dtype=torch.complex128)"),
        ([1 + 2j, 1 + 1e5j], "complex64", "tensor([1.+2.0000e+00j, 1.+1.0000e+05j])"),
        ([complex(NAN, 1), complex(1, -INF)], "complex64", "tensor([nan+1.j, 1.-infj])"),
    ],
)
def test_each_dtype_has_its_text_and_is_named_unless_it_goes_without_saying(data, dtype, expected):
    assert text(data, dtype) == expected


def test_the_default_dtype_decides_which_is_named():
    try:
        dtypes.set_default_dtype(dtypes.float64)
        assert text([1]) == "tensor([1.], dtype=torch.float32)"
        assert text([1], "float64") == "tensor([1.])"
        assert text([1j], "complex128") == "tensor([0.+1.j])"
        assert text([1j], "complex64") == "tensor([0.+1.j], dtype=torch.complex64)"
    finally:
        dtypes.set_default_dtype(dtypes.float32)


@pytest.mark.parametrize(
    ("shape", "dtype", "expected"),
    [
        ((0,), "float32", "tensor([])"),
        ((0,), "int64", "tensor([], dtype=torch.int64)"),
        ((0, 3), "float32", "tensor([], size=(0, 3))"),
        ((2, 0), "bool", "tensor([], size=(2, 0), dtype=torch.bool)"),
    ],
)
def test_empty_tensors_tell_their_size_and_dtype(shape, dtype, expected):
    assert text(np.zeros(shape), dtype) == expected


def test_matrices_are_aligned_and_blocks_set_apart():
    assert text([[1.5, 2], [-30, 4]]) == (
        "tensor([[  1.5000,   2.0000],\n"  #
        "        [-30.0000,   4.0000]])"
    )
    assert text(np.arange(4).reshape(2, 2, 1), "int64") == (
        "tensor([[[0],\n"  #
        "         [1]],\n"
        "\n"
        "        [[2],\n"
        "         [3]]])"
    )
    assert text(np.ones((2, 1, 1, 1))) == "tensor([[[[1.]]],\n\n\n        [[[1.]]]])"


def test_long_tensors_are_summarised_and_rows_wrapped():
    assert text(np.arange(1001), "int64") == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    assert text(np.arange(14) / 4) == (
        "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000, 1.2500, 1.5000, 1.7500, 2.0000,\n"
        "        2.2500, 2.5000, 2.7500, 3.0000, 3.2500])"
    )
    assert text(np.arange(1200).reshape(400, 3), "int64") == (
        "tensor([[   0,    1,    2],\n"
        "        [   3,    4,    5],\n"
        "        [   6,    7,    8],\n"
        "        ...,\n"
        "        [1191, 1192, 1193],\n"
        "        [1194, 1195, 1196],\n"
        "        [1197, 1198, 1199]])"
    )


def test_only_what_is_shown_chooses_the_style():
    data = np.ones(2000)
    data[1000] = 1e9
    assert text(data) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])"


def test_strided_views_print_their_own_elements():
    x = np.arange(6).reshape(2, 3)
    assert repr(tensor(x.T[::2])) == "tensor([[0, 3],\n        [2, 5]])"
    assert repr(tensor(np.broadcast_to(x[:, :1], (2, 2)))) == "tensor([[0, 0],\n        [3, 3]])"


def test_suffixes_come_in_order_and_break_where_the_line_would_grow_too_long():
    assert text([1], edge=LEAF) == "tensor([1.], requires_grad=True)"
    assert text([1], "float64", LEAF) == "tensor([1.], dtype=torch.float64, requires_grad=True)"
    assert text(np.arange(9), "float64", LEAF) == (
        "tensor([0., 1., 2., 3., 4., 5., 6., 7., 8.], dtype=torch.float64,\n"
        "       requires_grad=True)"
    )


def test_the_name_of_the_function_is_shown_without_its_address(Named):
    class MulBackward0:
        pass

    class Result(Named):
        requires_grad = True
        grad_fn = MulBackward0()

    result = tensor(np.float32([2])).as_subclass(Result)
    assert repr(result) == "Result([2.], grad_fn=<MulBackward0>)"


def test_the_contents_can_be_given():
    x = tensor(np.zeros(2, np.float32), LEAF)
    assert x.__repr__(tensor_contents="...") == "tensor(..., requires_grad=True)"


def test_subclasses_and_parameters_say_what_they_are(Named):
    ones = tensor(np.ones(2, np.float32))
    assert repr(ones.as_subclass(Named)) == "Named([1., 1.])"
    expected = "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert repr(Parameter(ones)) == str(Parameter(ones)) == expected

    class Own(Parameter):
        pass

    expected = "Parameter containing:\nParameter(Own([1., 1.], requires_grad=True))"
    assert repr(Own(ones)) == expected


def test_f_strings_show_the_number_of_a_plain_tensor_without_dimensions(Named):
    scalar = tensor(np.array(0.1, np.float32))
    assert f"{scalar}" == "0.10000000149011612"
    assert f"{scalar:.2f}" == "0.10"
    assert f"{tensor(np.array(3)):>4d}" == "   3"
    assert f"{tensor(np.ones(1))}" == "tensor([1.], dtype=torch.float64)"
    assert f"{scalar.as_subclass(Named)}" == "Named(0.1000)"
    assert f"{Parameter(scalar)}" == "Parameter containing:\ntensor(0.1000, requires_grad=True)"


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda kind: tensor(np.ones(2)), "Tensor"),
        (lambda kind: tensor(np.ones(())).as_subclass(kind), "Named"),
        (lambda kind: Parameter(tensor(np.ones(()))), "Parameter"),
    ],
)
def test_other_tensors_take_no_format(Named, make, name):
    value = make(Named)
    message = rf"^unsupported format string passed to {name}\.__format__$"
    with pytest.raises(TypeError, match=message):
        format(value, ".2f")


@pytest.mark.parametrize(
    ("options", "data", "expected"),
    [
        ({"precision": 2}, [0.123], "tensor([0.12])"),
        ({"sci_mode": True}, [1, 0], "tensor([1.0000e+00, 0.0000e+00])"),
        ({"sci_mode": False}, [0.5, 6e-5], "tensor([0.5000, 0.0001])"),
        ({"sci_mode": True}, [0, 0], "tensor([0., 0.])"),
        ({"linewidth": 12}, [1, 2], "tensor([1.,\n        2.])"),
        ({"threshold": 3, "edgeitems": 1}, [1, 2, 3, 4], "tensor([1.,  ..., 4.])"),
        ({"threshold": 3, "edgeitems": 0}, [1, 2, 3, 4], "tensor([...], size=(4,))"),
        ({"profile": "short"}, [0.123], "tensor([0.12])"),
    ],
)
def test_options_change_the_text_within_their_block(options, data, expected):
    before = get_printoptions()
    with printoptions(**options):
        assert text(data) == expected
    assert get_printoptions() == before


def test_options_are_set_one_by_one_except_for_sci_mode():
    defaults = (
        "__PrinterOptions(precision=4, threshold=1000, edgeitems=3, linewidth=80, sci_mode=None)"
    )
    assert repr(printing.PRINT_OPTS) == defaults
    try:
        set_printoptions(precision=2, sci_mode=True)
        set_printoptions(linewidth=100)
        assert get_printoptions() == {
            "precision": 2,
            "threshold": 1000,
            "edgeitems": 3,
            "linewidth": 100,
            "sci_mode": None,
        }
        set_printoptions(profile="full", precision=6)
        assert repr(printing.PRINT_OPTS) == defaults.replace("1000", "inf").replace("=4", "=6")
    finally:
        set_printoptions(profile="default")
    assert repr(printing.PRINT_OPTS) == defaults


def test_print_options_are_found_where_torch_keeps_them():
    from minitorch import _tensor_str

    with _tensor_str.printoptions(precision=2):
        assert _tensor_str.PRINT_OPTS.precision == _tensor_str.get_printoptions()["precision"] == 2
        assert _tensor_str._str(Tensor([1.234])) == "tensor([1.23])"


def test_parts_of_the_text_are_found_at_torch_tensor_str():
    from minitorch import _tensor_str as parts

    x = tensor(np.array([[1.5, -2.0], [3.0, 1000.0]], np.float32))
    form = parts._Formatter(x)
    assert (form.width(), form.int_mode, form.sci_mode) == (9, False, False)
    lines = parts._tensor_str_with_formatter(x, 2, False, form)
    assert (
        lines == parts._tensor_str(x, 2) == "[[   1.5000,   -2.0000],\n   [   3.0000, 1000.0000]]"
    )
    assert parts._add_suffixes("A([1]", ["size=2", "b" * 70], 2, False) == (
        "A([1], size=2,\n  " + "b" * 70 + ")"
    )
    assert parts._str_intern(x, tensor_contents="...") == "tensor(...)"


def test_get_summarized_data_gives_the_corners_that_a_summary_shows():
    from minitorch import _tensor_str as parts

    x = tensor(np.arange(400).reshape(20, 20))
    assert parts.get_summarized_data(x)[:2, 2:4].tolist() == [[2, 17], [22, 37]]
    assert parts.get_summarized_data(tensor(np.arange(8)))[2:4].tolist() == [2, 5]


def test_numbers_of_complex_tensors_take_two_formatters():
    from minitorch import _tensor_str as parts

    x = tensor(np.array([1 - 2j, 0.5 + 1j], np.complex64))
    forms = parts._Formatter(x.real), parts._Formatter(x.imag)
    assert parts._vector_str(x, 7, False, *forms) == "[1.0000-2.j, 0.5000+1.j]"
    assert repr(x) == "tensor([1.0000-2.j, 0.5000+1.j])"
