"""Writing at positions."""

from typing import Any

import pytest

import minitorch as torch

X = torch.ones(2, 3)
INDEX = torch.tensor([[0, 0, 2], [1, 1, 1]])
LONG = torch.tensor([0, 1])
SOURCE = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_scatter_lets_the_last_one_stay() -> None:
    assert X.scatter(1, INDEX, SOURCE).tolist() == [[2.0, 1.0, 3.0], [1.0, 6.0, 1.0]]
    assert X.scatter(1, INDEX, 7.0).tolist() == [[7.0, 1.0, 7.0], [1.0, 7.0, 1.0]]
    assert X.scatter(1, INDEX, 2.0, reduce="add").tolist() == [[5.0, 1.0, 3.0], [1.0, 7.0, 1.0]]


def test_scatter_add_adds_all() -> None:
    x, source = X.clone().requires_grad_(), SOURCE.clone().requires_grad_()
    out = x.scatter_add(1, INDEX, source)
    assert out.tolist() == [[4.0, 1.0, 4.0], [1.0, 16.0, 1.0]]
    (out * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert source.grad.tolist() == [[1.0, 1.0, 100.0], [10.0, 10.0, 10.0]]


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [("sum", [4.0, 16.0]), ("prod", [2.0, 120.0]), ("mean", [4 / 3, 4.0]), ("amax", [2.0, 6.0])],
)
def test_scatter_reduce_combines(reduce: str, expected: list[float]) -> None:
    out = X.scatter_reduce(1, INDEX, SOURCE, reduce)
    assert out[0, 0].item() == pytest.approx(expected[0])
    assert out[1, 1].item() == pytest.approx(expected[1])


def test_the_gradient_of_a_product_with_one_zero_goes_to_the_zero() -> None:
    source = torch.tensor([0.0, 3.0], requires_grad=True)
    torch.ones(1).scatter_reduce(0, torch.tensor([0, 0]), source, "prod").sum().backward()
    assert source.grad.tolist() == [3.0, 0.0]


def test_index_add_scales_by_alpha_and_repeats() -> None:
    out = X.index_add(0, torch.tensor([1, 1]), SOURCE, alpha=2)
    assert out.tolist() == [[1.0, 1.0, 1.0], [11.0, 15.0, 19.0]]


def test_index_copy_and_put_write() -> None:
    assert X.index_copy(0, LONG[1:], SOURCE[:1])[1].tolist() == [1.0, 2.0, 3.0]
    assert X.put(LONG, torch.tensor([5.0, 6.0])).flatten()[:3].tolist() == [5.0, 6.0, 1.0]
    assert X.put(torch.tensor([-1]), torch.tensor([5.0]), accumulate=True)[1, 2] == 6


def test_masked_scatter_takes_the_source_in_turn() -> None:
    source = torch.arange(4.0, requires_grad=True)
    out = X.masked_scatter(SOURCE > 4, source)
    assert out.tolist() == [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    out.sum().backward()
    assert source.grad.tolist() == [1.0, 1.0, 0.0, 0.0]


ERRORS = [
    (lambda x: x.scatter_(1, INDEX, SOURCE.double()), "Expected self.dtype to be equal to src.dt"),
    (lambda x: x.scatter_(1, INDEX.float(), 1), "scatter(): Expected dtype int32/int64 for index"),
    (lambda x: x.scatter_(1, torch.tensor([[5]]), 1.0), "index 5 is out of bounds for dimension 1"),
    (lambda x: x.scatter_(1, INDEX, 1.0, reduce="foo"), "must be either add or multiply."),
    (lambda x: x.scatter_(1, torch.zeros(3, 4).long(), 1.0), "to be no larger than self [2, 3]"),
    (
        lambda x: x.index_add_(0, torch.tensor([5, 0]), X),
        "index 5 is out of bounds for dimension 0",
    ),
    (lambda x: x.index_add_(0, LONG, X.double()), "self (Float) and source (Double) must have"),
    (lambda x: x.masked_scatter_(x > 0, torch.ones(2)), "Number of elements of source < number of"),
]


@pytest.mark.parametrize(("write", "text"), ERRORS)
def test_a_refused_write_leaves_the_tensor_as_it_was(write: Any, text: str) -> None:
    x = X.clone()
    with pytest.raises(RuntimeError) as caught:
        write(x)
    assert text in str(caught.value)
    assert torch.equal(x, X)


def test_put_keeps_the_strides_of_a_dense_tensor() -> None:
    x = torch.zeros(3, 2).t().put(torch.tensor([1]), torch.ones(1))
    assert x.stride() == (1, 2)
    assert x.tolist() == [[0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("reduce", ["sum", "prod", "amax"])
def test_the_gradient_of_a_scattered_source_lies_as_the_source(reduce: str) -> None:
    x, source = (torch.ones(3, 2).t().requires_grad_() for _ in range(2))
    index = torch.zeros(2, 3, dtype=torch.int64)
    y = x.scatter_reduce(0, index, source, reduce)
    gradient = torch.autograd.grad(y.sum(), source)[0]
    assert gradient.stride() == ((3, 1) if reduce == "sum" else (1, 2))


def test_masked_scatter_in_place_takes_no_larger_mask():
    x, mask = torch.zeros(3), torch.ones(2, 3, dtype=torch.bool)
    with pytest.raises(RuntimeError, match=r"expand\(CPUBoolType\{\[2, 3\]\}, size=\[3\]\)"):
        x.masked_scatter_(mask, torch.ones(6))
    assert x.masked_scatter(mask, torch.ones(6)).tolist() == [[1.0] * 3] * 2


def test_masked_scatter_warns_of_a_mask_of_bytes_before_it_refuses_it():
    mask = torch.ones(3, dtype=torch.uint8)
    with pytest.warns(UserWarning, match="uint8"), pytest.raises(RuntimeError, match="Byte"):
        torch.zeros(3).masked_scatter_(mask, torch.ones(3))


def test_what_comes_before_an_index_out_of_range_is_written():
    index, source = torch.tensor([0, -1, 9, 2]), torch.arange(1.0, 5)
    calls = {
        "index_fill_": ((0, index, 5.0), [5, 0, 0, 5]),
        "put_": ((index, source), [1, 0, 0, 2]),
        "index_copy_": ((0, index, source), [1, 0, 0, 0]),
        "index_add_": ((0, index, source), [1, 0, 0, 0]),
        "scatter_": ((0, index, source), [1, 0, 0, 0]),
        "scatter_add_": ((0, index, source), [1, 0, 0, 0]),
    }
    for name, (args, expected) in calls.items():
        x = torch.zeros(4)
        with pytest.raises((IndexError, RuntimeError), match=r"range|out of bounds"):
            getattr(x, name)(*args)
        assert x.tolist() == expected, name
        assert x._version == 0


def test_slices_are_added_one_after_the_other():
    x, index = torch.zeros(2, 3), torch.tensor([0, 9])
    with pytest.raises(IndexError, match="index out of range in self"):
        x.index_add_(1, index, torch.ones(2, 2), alpha=2)
    assert x.tolist() == [[2, 0, 0], [2, 0, 0]]
    with pytest.raises(RuntimeError, match="index 9 is out of bounds"):
        x.index_add_(1, index, torch.ones(2, 2))
    assert x.tolist() == [[3, 0, 0], [2, 0, 0]]
