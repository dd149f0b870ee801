"""Views taken in place change the shape, the node and the version, and never the memory."""

import pytest

import minitorch as torch


@pytest.mark.parametrize(
    ("change", "node", "shape"),
    [
        (lambda x: x.t_(), "TBackward1", (1, 2)),
        (lambda x: x.transpose_(0, 1), "TransposeBackward1", (1, 2)),
        (lambda x: x.swapaxes_(0, 1), "TransposeBackward1", (1, 2)),
        (lambda x: x.unsqueeze_(0), "UnsqueezeBackward1", (1, 2, 1)),
        (lambda x: x.squeeze_(), "SqueezeBackward3", (2,)),
        (lambda x: x.squeeze_(1), "SqueezeBackward4", (2,)),
        (lambda x: x.squeeze_((0, 1)), "SqueezeBackward5", (2,)),
        (lambda x: x.as_strided_((1,), (1,), 1), "AsStridedBackward1", (1,)),
    ],
)
def test_the_node_is_that_of_the_in_place_view(change, node: str, shape: tuple[int, ...]) -> None:
    leaf = torch.tensor([[1.0], [2.0]], requires_grad=True)
    x = leaf * 3
    assert change(x) is x
    assert x.shape == shape
    assert x.grad_fn.name() == node
    assert x._version == 1
    x.sum().backward()
    assert leaf.grad.sum().item() == 3 * x.numel()


def test_the_base_of_a_view_keeps_its_history() -> None:
    base = torch.ones(2, 3, requires_grad=True) * 1
    view = base.view(3, 2)
    view.t_()
    assert view.grad_fn.name() == "TBackward1"
    assert base.grad_fn.name() == "MulBackward0"
    assert base._version == 1


def test_a_leaf_is_transposed_without_grad_mode_only() -> None:
    leaf = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.t_()
    with torch.no_grad():
        leaf.t_()
    assert leaf.shape == (3, 2)
    assert leaf.is_leaf


def test_resize_keeps_the_numbers_that_fit() -> None:
    x = torch.arange(6.0)
    x.resize_(2, 2)
    assert x.tolist() == [[0, 1], [2, 3]]
    x.resize_(6)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    assert x._version == 2
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.ones(2, requires_grad=True).resize_(3)


def test_set_reads_the_memory_of_another_tensor() -> None:
    x, source = torch.ones(2), torch.arange(10.0)
    x.set_(source, 2, (2, 2), (3, 1))
    assert x.tolist() == [[2, 3], [5, 6]]
    x.zero_()
    assert source.tolist() == [0, 1, 0, 0, 4, 0, 0, 7, 8, 9]


def test_set_lets_a_storage_grow_that_is_too_small():
    x = torch.arange(3.0)
    view = x[1:]
    whole = torch.empty(0).set_(x.untyped_storage(), 1, (4,), (1,))
    assert x.untyped_storage().nbytes() == 20
    whole[0] = 9.0
    assert whole[:2].tolist() == [9, 2]
    assert (x.tolist(), view.tolist()) == ([0, 9, 2], [9, 2])


def test_set_refuses_sizes_and_strides_of_two_lengths():
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match=r"^unequal size length \(2\) and stride length \(1\)$"):
        torch.empty(0).set_(x.untyped_storage(), 0, (2, 2), (1,))
