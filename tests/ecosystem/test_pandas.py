"""pandas' Series and DataFrames of tensors, and tensors of those."""

import pytest

import minitorch as torch

pandas = pytest.importorskip("pandas", reason="pandas is not installed")

pytestmark = pytest.mark.filterwarnings("ignore:__array_:DeprecationWarning")


def x():
    return torch.tensor([3.0, 1.0, 2.0])


def test_a_series_has_the_dtype_of_the_tensor():
    for t in (x(), x().double(), x().long(), x().bool()):
        series = pandas.Series(t)
        assert series.dtype == t.numpy().dtype
        assert series.tolist() == t.tolist()


def test_frames_are_made_of_matrices_and_of_columns():
    frame = pandas.DataFrame(torch.arange(6.0).reshape(2, 3), columns=list("abc"))
    assert frame.to_dict("list") == {"a": [0, 3], "b": [1, 4], "c": [2, 5]}
    frame = pandas.DataFrame({"a": x(), "b": x() > 1})
    assert frame.b.tolist() == [True, False, True]
    frame["c"] = torch.arange(3)
    assert frame.c.tolist() == [0, 1, 2]


def test_tensors_without_dimensions_stay_objects():
    (found,) = pandas.Series(torch.tensor(2.5))
    assert isinstance(found, torch.Tensor)
    assert pandas.DataFrame({"a": [torch.tensor(1.0)]}).a.dtype == object


def test_what_numpy_cannot_hold_is_refused():
    with pytest.raises(RuntimeError, match="requires grad"):
        pandas.Series(x().requires_grad_())
    with pytest.raises(TypeError, match="BFloat16"):
        pandas.Series(x().bfloat16())
    with pytest.raises(ValueError, match="Data must be 1-dimensional"):
        pandas.Series(torch.ones(2, 3))


def test_values_of_frames_become_tensors():
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert torch.equal(torch.tensor(frame.values), torch.tensor([[1.0, 3], [2, 4]]).double())
    assert torch.tensor(frame.a.to_numpy()).dtype is torch.float64
    assert torch.tensor(pandas.Categorical(["a", "b"]).codes).dtype is torch.int8


def test_series_become_tensors_by_their_items():
    series = pandas.Series([1.0, 2.5])
    assert torch.equal(torch.tensor(series), torch.tensor([1.0, 2.5]).double())
    assert torch.as_tensor(series.astype("float32")).dtype is torch.float32
    assert torch.tensor([series, series], dtype=torch.float32).tolist() == [[1.0, 2.5]] * 2
    for labelled in (pandas.Series([1, 2], index=["a", "b"]), pandas.DataFrame({"a": [1, 2]})):
        with pytest.raises(ValueError, match=r"^could not determine the shape of object type '"):
            torch.tensor(labelled)


def test_series_of_tensors_are_described_and_joined():
    series = pandas.Series(x())
    assert series.describe()["50%"] == 2
    assert pandas.concat([series, series]).tolist() == [3, 1, 2, 3, 1, 2]
