"""torch.testing.assert_close: values that it lets pass, and its texts for others."""

import numpy as np
import pytest

import minitorch as torch
from minitorch.testing import assert_allclose, assert_close

a = torch.arange(6.0).view(2, 3)


def test_values_within_the_tolerance_of_their_dtype_are_close():
    assert_close(a, a + 1e-6)
    assert_close(a.bfloat16(), a.bfloat16() * 1.01)
    with pytest.raises(AssertionError, match="not close"):
        assert_close(a.double(), a.double() + 1e-5)


def test_the_message_tells_how_many_differ_and_where_most():
    b = a.clone()
    b[1, 2] += 0.5
    with pytest.raises(AssertionError) as caught:
        assert_close(a, b)
    assert str(caught.value).splitlines() == [
        "Tensor-likes are not close!",
        "",
        "Mismatched elements: 1 / 6 (16.7%)",
        "Greatest absolute difference: 0.5 at index (1, 2) (up to 1e-05 allowed)",
        "Greatest relative difference: 0.09090909361839294 at index (1, 2) (up to 1.3e-06 allowed)",
    ]


def test_containers_are_compared_item_by_item():
    assert_close([a, {"k": (1, 2.0)}], [a, {"k": (1, 2.0)}])
    with pytest.raises(AssertionError, match=r"item \[1\]\['k'\]\[0\]"):
        assert_close([a, {"k": (1, 2.0)}], [a, {"k": (3, 2.0)}])
    with pytest.raises(AssertionError, match="Missing keys in the actual mapping: \\['b'\\]"):
        assert_close({"a": 1}, {"a": 1, "b": 2})
    with pytest.raises(AssertionError, match="length of the sequences mismatch: 1 != 2"):
        assert_close([1], [1, 2])


@pytest.mark.parametrize(
    ("other", "options", "text"),
    [
        (a.t(), {}, "'shape' do not match"),
        (a.double(), {}, "'dtype' do not match"),
        (a.t().contiguous().t(), {"check_stride": True}, r"'stride\(\)' do not match"),
    ],
)
def test_attributes_must_agree(other, options, text):
    with pytest.raises(AssertionError, match=text):
        assert_close(a, other, **options)


def test_what_is_not_asked_for_may_differ():
    assert_close(a, a.double(), check_dtype=False)
    assert_close(a, a.t().contiguous().t())
    nan = torch.tensor(float("nan"))
    assert_close(nan, nan, equal_nan=True)


def test_a_tolerance_comes_with_the_other():
    for pair in ((a, a), (1.0, 1.0)):
        with pytest.raises(ValueError, match="got no atol"):
            assert_close(*pair, rtol=1.0)


def test_kinds_that_do_not_go_together_are_refused():
    for pair in ((np.ones(2), torch.ones(2)), ("a", "a"), (1.0, a)):
        with pytest.raises(TypeError, match="No comparison pair was able to handle"):
            assert_close(*pair)


def test_the_text_may_be_given_or_made_of_the_usual_one():
    with pytest.raises(AssertionError, match=r"^mine$"):
        assert_close(1, 2, msg="mine")
    with pytest.raises(AssertionError, match=r"^so: Scalars are not equal"):
        assert_close(1, 2, msg=lambda text: f"so: {text}")


def test_assert_allclose_warns_and_takes_numbers():
    with pytest.warns(FutureWarning, match="deprecated since 1.12"):
        assert_allclose([1.0, float("nan")], [1.00001, float("nan")])


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support", "ignore:Sparse CSC tensor support")
@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_assert_close_compares_indices_and_values_of_sparse_tensors(layout):
    def sparse(*rows):
        return getattr(
            torch.tensor(rows), {"coo": "to_sparse"}.get(layout, f"to_sparse_{layout}")
        )()

    x, name = sparse([1.0, 0.0], [0.0, 2.0]), layout.upper()
    torch.testing.assert_close(x, sparse([1.0, 0.0], [0.0, 2.0]))
    with pytest.raises(AssertionError, match=f"Sparse {name} values are not close!"):
        torch.testing.assert_close(x, sparse([1.0, 0.0], [0.0, 3.0]))
    with pytest.raises(AssertionError, match=f"Sparse {name} .*indices are not equal!"):
        torch.testing.assert_close(x, sparse([0.0, 1.0], [2.0, 0.0]))
    with pytest.raises(AssertionError, match=f"specified values in sparse {name} tensors does not"):
        torch.testing.assert_close(x, sparse([1.0, 0.0], [0.0, 0.0]))
    torch.testing.assert_close(x, x.to_dense(), check_layout=False)


def test_assert_close_compares_no_values_of_meta_tensors():
    x = torch.ones(2, device="meta")
    torch.testing.assert_close(x, x)
    torch.testing.assert_close(x, torch.ones(2), check_device=False)
    with pytest.raises(AssertionError, match="attribute 'device'"):
        torch.testing.assert_close(x, torch.ones(2))


def test_assert_close_refuses_a_bool_beside_a_number_as_an_internal_error():
    with pytest.raises(RuntimeError, match=r"Originating a NumberPair\(\) at item \[0\] with"):
        torch.testing.assert_close([True], [1])
