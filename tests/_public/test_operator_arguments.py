"""The arguments that operators of torch.ops take for numbers."""

import numpy
import pytest

import minitorch as torch

aten = torch.ops.aten
X, KEPT = torch.arange(9.0), torch.arange(9) > 3


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (
            lambda: aten.slice.Tensor(X, numpy.bool_(False), 1, 5, numpy.float32(2)),
            lambda: aten.slice.Tensor(X, 0, 1, 5, 2),
        ),
        (lambda: aten.slice.Tensor(X, 0, 1, 5, torch.tensor(2.0)), lambda: X[1:5:2]),
        (lambda: aten._safe_softmax.default(X, torch.tensor([0])), lambda: X.softmax(0)),
        (
            lambda: aten.native_dropout_backward.default(X, KEPT, torch.tensor([2])),
            lambda: X * KEPT * 2,
        ),
        (
            lambda: aten._upsample_bilinear2d_aa(X.view(1, 1, 3, 3), [2, numpy.float32(2)], 1),
            lambda: aten._upsample_bilinear2d_aa(X.view(1, 1, 3, 3), [2, 2], True),
        ),
    ],
)
def test_operators_take_what_python_makes_numbers_of(given, plain):
    assert torch.equal(given(), plain())


def test_operators_refuse_what_is_no_number_and_show_their_schema():
    with pytest.raises(RuntimeError) as raised:
        aten.slice.Tensor(X, 0, 1, 5, 2.0)
    assert str(raised.value).startswith(
        "aten::slice() Expected a value of type 'int' for argument 'step' but instead found type "
        "'float'.\nPosition: 4\nValue: 2.0\nDeclaration: aten::slice.Tensor("
    )
    with pytest.raises(RuntimeError, match=r"of type 'List\[int\]' for argument 'output_size'"):
        aten._upsample_bilinear2d_aa.default(X.view(1, 1, 3, 3), [2, "a"], True)
