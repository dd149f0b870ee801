"""The fault that is named if a call has several, and faults that are refused late."""

from collections.abc import Callable
from typing import Any

import pytest

import minitorch as torch


def forbidden() -> Any:
    """One of several views, whose base was written since: asking for its history raises."""
    first, _ = (torch.ones(2, 3, requires_grad=True) * 2).unbind(0)
    first._base.add_(1)
    return first


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: forbidden().view(7), "Output 0 of Unbind is a view and its base"),
        (lambda: forbidden().add_(1), "Output 0 of Unbind is a view and is being modified"),
        (lambda: torch.ones(3, requires_grad=True).add_(forbidden()), "a leaf Variable that"),
        (lambda: torch.ones(3, requires_grad=True).bitwise_and_(1), "a leaf Variable that"),
        (lambda: torch.ones(1).expand(3).div_(torch.ones(2)), "more than one element"),
        (lambda: torch.ones(2) & torch.ones(3), "The size of tensor a (2) must match"),
        (lambda: torch.tensor([True]).clamp_(min=0), "the desired output type bool"),
    ],
)
def test_the_first_of_two_faults_is_named(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        call()
    assert text in str(caught.value)


def test_what_needs_no_history_does_not_ask_for_it() -> None:
    x = forbidden()
    assert (x > 0).all()
    assert x.long().tolist() == [3, 3, 3]
    assert x.output_nr == 0


def test_a_view_of_a_view_says_how_that_one_was_made() -> None:
    x = torch.ones(6, requires_grad=True)
    with torch.no_grad():
        whole = x.view(2, 3)
    with pytest.raises(RuntimeError, match="Output 0 of View is a view of a view which was cre"):
        whole.view(6).add_(1)


def test_a_saved_tensor_that_is_detached_in_place_is_refused() -> None:
    x = torch.ones(3, requires_grad=True) * 2
    y = x * x
    x.detach_()
    assert y.grad_fn._saved_self is x
    with pytest.raises(RuntimeError, match="has been detached in-place"):
        y.sum().backward()


def test_saved_tensors_are_looked_at_in_the_order_of_their_names() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x.t()
    z = y.t() @ y
    x.detach().add_(1)
    with pytest.raises(RuntimeError, match=r"FloatTensor \[3, 2\]\], which is output 0 of AsS"):
        z.sum().backward()


def test_a_leaf_with_a_history_is_refused() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x[[0, 1]]
    x.requires_grad_(False)
    x.mul_(torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="moved into the graph interior"):
        (y * 1).sum().backward()


def test_data_of_an_inference_tensor_is_written_and_counted() -> None:
    with torch.inference_mode():
        x = torch.ones(3)
    y = x.data
    y.add_(1)
    assert y.is_inference()
    assert y._version == 1
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        y[0].add_(1)


def test_nothing_is_detached_in_inference_mode() -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.inference_mode():
        x.detach_()
    assert x.requires_grad


def test_what_is_retained_before_a_transpose_in_place_keeps_its_shape() -> None:
    x = torch.ones(2, 3, requires_grad=True) * 1
    x.retain_grad()
    x.t_()
    x.sum().backward()
    assert x.grad.shape == (2, 3)
