"""Views: strides where NumPy and torch part, shapes that do not fit, gradients of overlaps."""

import numpy as np
import pytest

import minitorch as torch


@pytest.mark.parametrize(
    ("make", "strides"),
    [
        (lambda: torch.ones(2, 3).unsqueeze(1), (3, 3, 1)),
        (lambda: torch.ones(2, 3).t().unsqueeze(-1), (1, 3, 1)),
        (lambda: torch.ones(3).expand(1, 1, 3), (3, 3, 1)),
        (lambda: torch.ones(2, 1).expand(1, 1, 2, 3), (2, 2, 1, 0)),
        (lambda: torch.tensor(1.0).expand(2, 1), (0, 0)),
        (lambda: torch.ones(4).unfold(0, 0, 1), (1, 1)),
        (lambda: torch.ones(2, 3).diagonal(5), (4,)),
        (lambda: torch.empty(2, 0, 3).mT, (3, 1, 3)),
        (lambda: torch.empty(0, 3)[:, 1], (3,)),
        (lambda: torch.empty(0, 1).expand(0, 4), (1, 0)),
        (lambda: torch.empty_strided((0, 3), (0, 0)), (0, 0)),
    ],
)
def test_strides_are_those_of_torch(make, strides: tuple[int, ...]) -> None:
    assert make().stride() == strides


@pytest.mark.parametrize(
    ("make", "offset"),
    [
        (lambda: torch.ones(4)[2:2], 2),
        (lambda: torch.empty(5, 0, 5).unbind()[2], 10),
        (lambda: torch.ones(2, 3).split([1, 0, 1])[1], 3),
    ],
)
def test_empty_views_know_where_they_start(make, offset: int) -> None:
    assert make().storage_offset() == offset


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.view(-2, 3), RuntimeError, "invalid shape dimension -2 at index 0 of shape"),
        (lambda x: x.view(7), RuntimeError, r"shape '\[7\]' is invalid for input of size 6"),
        (lambda x: x.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (lambda x: x.t().view(6), RuntimeError, "view size is not compatible with input tensor's"),
        (lambda x: x.expand(3), RuntimeError, r"expand\(torch.FloatTensor\{\[2, 3\]\}, size=\[3\]"),
        (
            lambda x: x.expand(4, 3),
            RuntimeError,
            r"The expanded size of the tensor \(4\) must match",
        ),
        (lambda x: x.permute(0, 0), RuntimeError, r"permute\(\): duplicate dims are not allowed."),
        (lambda x: x.transpose(0, 2), IndexError, "Dimension out of range"),
        (lambda x: x.select(0, 3), IndexError, r"select\(\): index 3 out of range for tensor of"),
        (
            lambda x: x.narrow(0, 1, 2),
            RuntimeError,
            r"start \(1\) \+ length \(2\) exceeds dimension",
        ),
        (lambda x: x.view(torch.float64), RuntimeError, r"self.size\(-1\) must be divisible by 2"),
    ],
)
def test_what_does_not_fit_is_refused_in_the_words_of_torch(call, error, text: str) -> None:
    with pytest.raises(error, match=text):
        call(torch.ones(2, 3))


def test_reshape_is_a_view_where_it_can_be_and_says_which() -> None:
    x = torch.ones(4, 4, 4, requires_grad=True)
    assert x.reshape(64).grad_fn.name() == "ViewBackward0"
    assert x[:, ::2, ::2].reshape(4, 4).grad_fn.name() == "UnsafeViewBackward0"
    assert x[::2, ::2, ::2].reshape(2, 1, 2, 2).grad_fn.name() == "ReshapeAliasBackward0"


def test_a_view_of_another_dtype_shares_memory_and_version_only() -> None:
    x = torch.zeros(2, requires_grad=True).detach()
    bits = x.view(torch.int32)
    bits.add_(1)
    assert x._version == 1
    assert not bits._is_view()
    assert x.view(torch.int16).shape == (4,)


def test_as_strided_adds_the_gradients_of_elements_that_share_memory() -> None:
    x = torch.arange(4.0, requires_grad=True)
    x.as_strided((3, 2), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1, 2, 2, 1]


def test_as_strided_shares_a_gradient_among_inputs_that_share_memory() -> None:
    x = torch.ones(1, requires_grad=True)
    wide = x.expand(4)
    (wide.as_strided((1,), (1,)) * 4).sum().backward()
    assert x.grad.tolist() == [4]


def test_unfold_adds_the_gradients_of_windows_that_overlap() -> None:
    x = torch.arange(4.0, requires_grad=True)
    x.unfold(0, 3, 1).sum().backward()
    assert x.grad.tolist() == [1, 2, 2, 1]


def test_a_scattered_copy_keeps_strides_and_offset() -> None:
    x = torch.arange(12.0).reshape(3, 4)[1:, ::2]
    copied = x.select_scatter(torch.zeros(2), 0, 0)
    assert copied.stride() == x.stride()
    assert copied.storage_offset() == 4
    assert copied.tolist() == [[0, 0], [8, 10]]
    assert x.tolist() == [[4, 6], [8, 10]]


def test_as_strided_scatter_passes_on_what_torch_takes_for_its_gradient():
    x, src = torch.ones(4, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.as_strided_scatter(x, src, (2,), (2,)).backward(torch.arange(4.0))
    assert x.grad.tolist() == [0.0, 0.0, 2.0, 0.0]
    assert src.grad.tolist() == [0.0, 2.0]


def test_empty_tensors_begin_where_they_were_told_to() -> None:
    x = torch.zeros(2).as_strided((4, 0), (2, 2), 1)
    assert x.storage_offset() == 1
    assert x.unflatten(1, (2, 0)).storage_offset() == 1


@pytest.mark.parametrize("name", ["hsplit", "vsplit", "dsplit"])
def test_a_cut_by_a_word_is_refused_with_both_signatures(name: str) -> None:
    with pytest.raises(TypeError) as caught:
        getattr(torch, name)(torch.ones(2, 2, 2), "abc")
    assert str(caught.value) == (
        f"{name}() received an invalid combination of arguments - got (Tensor, str), but expected "
        "one of:\n"
        " * (Tensor input, int sections)\n"
        "      didn't match because some of the arguments have invalid types: (Tensor, !str!)\n"
        " * (Tensor input, tuple of ints indices)\n"
        "      didn't match because some of the arguments have invalid types: (Tensor, !str!)\n"
    )


def test_expand_keeps_no_sizes_that_are_floats():
    x = torch.ones(7, 1)
    with pytest.raises(TypeError):
        torch.broadcast_to(x, (7, np.float32(3)))
    assert torch.broadcast_to(x, (7, np.int64(3))).shape == (7, 3)
    assert x.expand(7, 3).shape == (7, 3)


@pytest.mark.parametrize("call", [torch.tile, torch.broadcast_to])
def test_broadcast_to_and_tile_refuse_a_tensor_of_bools_as_a_size(call):
    with pytest.raises(RuntimeError, match=r"Expected scalar\.isIntegral"):
        call(torch.ones(1, 2), (torch.tensor(True), 2))


def test_views_without_grad_are_told_where_they_were_made():
    x = torch.ones(4, requires_grad=True) * 1
    with torch.no_grad():
        whole, parts = x.view(2, 2), x.split(2)
    for each in (whole, parts[0]):
        assert each._is_view()
        with pytest.raises(RuntimeError, match="created in no_grad mode"):
            each.add_(x[0])
