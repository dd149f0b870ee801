"""Views: memory shared with the base, and how writes through either side show in the graph."""

import pytest

import minitorch as torch


def leaf(*shape: int) -> torch.Tensor:
    """A leaf of consecutive numbers from 1 on."""
    count = 1
    for n in shape:
        count *= n
    return torch.arange(1.0, count + 1).reshape(shape).clone().requires_grad_()


def name(tensor: torch.Tensor) -> str:
    return tensor.grad_fn.name()


def test_a_view_shares_memory_version_and_base() -> None:
    base = torch.zeros(2, 3)
    row = base[1]
    part = row[1:]
    part.add_(1)
    assert base.tolist() == [[0, 0, 0], [0, 1, 1]]
    assert part._base is base
    assert row._base is base
    assert base._version == row._version == part._version == 1
    assert part.storage_offset() == 4
    assert part.data_ptr() == base.data_ptr() + 16


def test_a_write_through_a_view_becomes_the_history_of_its_base() -> None:
    x = leaf(2, 3)
    base = x * 1
    row = base[0]
    row.mul_(10)
    assert name(base) == "torch::autograd::CopySlices"
    assert name(row) == "AsStridedBackward0"
    assert base.grad_fn.next_functions[0][0].name() == "MulBackward0"
    base.sum().backward()
    assert x.grad.tolist() == [[10, 10, 10], [1, 1, 1]]


def test_writes_through_overlapping_views_reach_the_leaf_in_order() -> None:
    x = leaf(4)
    base = x * 1
    front, middle = base[:3], base[1:3]
    front.mul_(2)
    middle.mul_(3)
    base.add_(1)
    (front * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [2, 60, 600, 0]


def test_the_edge_of_another_view_is_made_anew_when_it_is_asked_for() -> None:
    x = leaf(6)
    base = x * 1
    other = base.view(2, 3)
    assert name(other) == "ViewBackward0"
    base.mul_(2)
    assert name(other) == "AsStridedBackward0"
    assert other.grad_fn._saved_size == (2, 3)
    assert other.grad_fn._saved_stride == (3, 1)
    other.sum().backward()
    assert x.grad.tolist() == [2] * 6


def test_a_view_of_numbers_without_history_gets_one_from_what_is_written() -> None:
    x = leaf(2)
    base = torch.ones(2, 2)
    base[1].mul_(x)
    assert base.requires_grad
    base.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_gradients_of_written_views_can_be_differentiated_again() -> None:
    x = leaf(3)
    base = x * x
    base[1:].mul_(x[1:])
    (first,) = torch.autograd.grad(base.sum(), x, create_graph=True)
    assert first.tolist() == [2, 12, 27]
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [2, 12, 18]


def test_a_view_taken_without_grad_mode_requires_grad_and_leads_nowhere() -> None:
    base = leaf(6) * 1
    with torch.no_grad():
        view = base.view(2, 3)
    assert view.requires_grad
    assert view.is_leaf
    assert view.grad_fn is None
    assert (view * 2).grad_fn.next_functions[0] == (None, 0)


def test_a_view_taken_without_grad_mode_is_not_written_with_it() -> None:
    base = leaf(6) * 1
    with torch.no_grad():
        view = base.view(2, 3)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modif"):
        view.add_(1)
    base.add_(1)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modif"):
        view.grad_fn  # noqa: B018
    assert view.requires_grad


@pytest.mark.parametrize(
    ("views", "title"),
    [
        (lambda x: x.unbind(), "Output 1 of Unbind"),
        (lambda x: x.split(1), "Output 1 of Split"),
        (lambda x: x.split([1, 1]), "Output 1 of SplitWithSizes"),
        (lambda x: [None, x.unbind()[1].view(3, 1)], "Output 0 of View"),
    ],
)
def test_one_of_several_views_is_not_written(views, title: str) -> None:
    base = leaf(2, 3) * 1
    view = views(base)[1]
    with pytest.raises(RuntimeError, match=f"{title} is a view and is being modified inplace"):
        view.add_(1)
    assert base.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_several_views_without_grad_may_be_written() -> None:
    base = torch.zeros(2, 2)
    base.unbind()[1].add_(1)
    assert base.tolist() == [[0, 0], [1, 1]]


def test_leaves_and_their_views_are_not_written() -> None:
    x = leaf(2, 2)
    with pytest.raises(RuntimeError, match=r"^a leaf Variable that requires grad"):
        x.add_(1)
    with pytest.raises(RuntimeError, match=r"^a view of a leaf Variable that requires grad"):
        x[0].add_(1)
    with torch.no_grad():
        x[0].add_(1)
    assert x.tolist() == [[2, 3], [3, 4]]
    assert x.is_leaf


def test_a_view_requires_grad_as_soon_as_its_base_does() -> None:
    base = torch.ones(6)
    view = base.view(2, 3)
    base.requires_grad_()
    assert view.requires_grad
    assert view.grad_fn is None


def test_elements_that_share_memory_are_not_written() -> None:
    wide = torch.ones(1, 3).expand(2, 3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        wide.copy_(torch.zeros(2, 3))


def test_detach_shares_the_version_and_data_does_not() -> None:
    x = leaf(2) * 1
    x.detach().add_(1)
    assert x._version == 1
    x.data.add_(1)
    assert x._version == 1
    assert x.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda x: (x * 1, lambda b: b.add_(1)), r"\[2\]\], which is output 0 of Add, is at"),
        (lambda x: (x * 1, lambda b: b.detach().add_(1)), "which is output 0 of Mul, is at"),
        (lambda x: ((x * 1).view(1, 2), lambda b: b.add_(1)), "output 0 of AsStrided, is at"),
        (lambda x: (x.detach().clone(), lambda b: b.add_(1)), r"FloatTensor \[2\]\] is at version"),
    ],
)
def test_a_saved_tensor_that_was_written_says_which_it_is(spoil, words: str) -> None:
    x = leaf(2)
    saved, write = spoil(x)
    result = (x * saved).sum()
    write(saved)
    with pytest.raises(RuntimeError, match=words):
        result.backward()


def test_a_first_gradient_lies_in_memory_as_its_leaf_does() -> None:
    x = torch.zeros(3, 2).t().requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == (1, 2)


def test_a_view_reshaped_without_gradient_is_taken_again():
    x = torch.ones(1, 3, requires_grad=True)
    view = (x * 2).view(1, 3)
    with torch.no_grad():
        view.t_()
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward()
    assert x.grad.tolist() == [[2, 2, 2]]


def test_a_view_that_leads_nowhere_needs_no_other_operand():
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = (x * 2).view(3)
    assert (view * (x * 1)).grad_fn._saved_other is None
    assert (view @ (x * 1)).grad_fn._saved_tensor is None


def test_strides_of_dimensions_of_size_1_are_handed_on():
    row = torch.tensor([[1.0], [2.0]]).t()
    results = [row.clone(), row.flip(0), torch.where(row > 1, row, 0), 1 - row, row % 2]
    assert {each.stride() for each in results} == {(1, 1)}
    assert {(each * 2).stride() for each in results} == {(1, 1)}


def test_integers_that_got_a_history_hand_it_on_to_no_others():
    x = torch.zeros(3, dtype=torch.int64)
    x.fill_(torch.ones((), requires_grad=True))
    assert x.requires_grad
    for call in (lambda: x[0], lambda: x + 1, lambda: x.clone()):
        with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
            call()
    assert x.float().requires_grad


def test_a_part_of_a_base_without_gradient_misses_its_node_once():
    x = torch.tensor([-3 + 1j]).reshape(1, 1).requires_grad_()
    part, other = x.imag, x.conj()
    torch.autograd.graph.increment_version(x)
    assert part.requires_grad
    with pytest.raises(RuntimeError, match="new_fn INTERNAL ASSERT FAILED"):
        part.is_leaf  # noqa: B018
    assert part.is_leaf
    with pytest.raises(RuntimeError, match="new_fn INTERNAL ASSERT FAILED"):
        other * 2
    assert not (other * 2).requires_grad
