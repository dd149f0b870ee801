"""The layout of results and gradients in memory, and the bases of views."""

import pytest

import minitorch as torch


def grad(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y))[0]


@pytest.mark.parametrize(
    "function",
    [torch.rot90, lambda x: x.unbind(0)[1], lambda x: torch.roll(x, 1), lambda x: x.sum(0)[None]],
)
def test_a_gradient_in_memory_of_its_own_is_nobodys_view(function):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    if function(x).shape == (1, 3):
        assert grad(function(x), x)._base is not None  # expanded
    else:
        assert grad(function(x), x)._base is None


def test_a_gradient_that_a_formula_takes_a_view_of_is_one():
    x = torch.arange(3.0, requires_grad=True)
    assert grad(x.view(-1).ceil(), x)._base is not None
    y = torch.ones(2, 3)
    assert grad(x + y, x)._base is not None  # summed to (1, 3), and viewed
    assert grad(x[:1].sum() + y, x)._base is None


def test_the_gradient_of_a_conjugate_is_a_view_of_conjugates():
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    given = torch.tensor([1 + 1j, 2 + 3j])
    found = torch.autograd.grad(x.conj(), x, given)[0]
    assert found.is_conj()
    assert found._base is given
    assert found.tolist() == [1 - 1j, 2 - 3j]
    assert torch.autograd.grad(x.conj().conj(), x, given)[0]._base is given


def test_strides_of_size_1_dimensions_are_handed_on_to_results_and_gradients():
    x = torch.tensor([[1.0], [2.0]]).t().requires_grad_()
    assert x.stride() == (1, 1)
    assert (x * 2).stride() == (1, 1)
    assert x.sin().stride() == (2, 1)  # torch's iterator sees that it is contiguous
    assert torch.nn.functional.hardtanh(x).stride() == (1, 1)
    assert (2**x).stride() == (2, 1)
    assert grad(x * 2, x).stride() == (1, 1)
    assert grad(x.prod(), x).stride() == (1, 1)


def test_what_is_empty_has_a_place_too():
    x = torch.zeros(2, 3)[:, 3:]
    assert x[1:].storage_offset() == 6
    assert (torch.zeros(1, 1)[1:] * 2).stride() == (1, 0)
    assert torch.zeros(0, dtype=torch.bool).unsqueeze_(0).stride() == (0, 1)


def test_a_view_of_parts_of_complex_numbers_is_taken_again_on_its_way():
    x = torch.tensor([[1 - 2j, 2j, 3 + 1j]]).requires_grad_()
    y = (x * 2).t()
    y.imag.tanh_()
    imag = y.imag
    y.mul_(2)
    steps, node = [], imag.grad_fn
    for _ in range(3):
        steps.append(node.name())
        node = node.next_functions[0][0]
    assert steps == ["AsStridedBackward0", "ViewAsRealBackward0", "AsStridedBackward0"]


def test_the_gradient_of_as_strided_is_scattered_as_torch_scatters_it():
    x = torch.arange(3.0, requires_grad=True)
    y = x.as_strided((2, 2), (1, 1))
    found = torch.autograd.grad(y, x, torch.ones(2, 2).requires_grad_(), create_graph=True)[0]
    assert found.tolist() == [1, 2, 1]
    assert found.grad_fn.next_functions[0][0].name() == "IndexAddBackward0"
    wide = x[:2].expand(2, 2)
    assert grad(wide.as_strided((2,), (1,)), wide).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_a_complex_gradient_is_refused_where_torchs_formula_takes_no_real_part():
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    y = torch.where(x.imag > 0, x.imag, x)
    with pytest.raises(RuntimeError, match="input_is_complex == grad_is_complex"):
        y.backward(torch.ones_like(y))


def test_a_gradient_made_strided_is_nobodys_view() -> None:
    a = torch.tensor([[1.0], [2.0]]).t().requires_grad_()
    y = a * 2
    (grad,) = torch.autograd.grad(y, a, torch.ones_like(y))
    assert grad.stride() == (1, 1)
    assert grad._base is None
