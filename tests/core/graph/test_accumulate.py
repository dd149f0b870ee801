"""The ways in which a gradient becomes a leaf's .grad: stolen, copied, added to."""

import pytest

import minitorch as torch
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import unary
from minitorch.core.declare.registry import FUNCTIONS, ROWS
from minitorch.core.graph import engine


def backward_of(x, gradient):
    """Sends a gradient to the leaf `x` through an operator that hands it on as it is."""
    (x + 0).backward(gradient)
    return x.grad


def test_a_first_gradient_has_no_history_and_version_0():
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad.is_leaf
    assert not x.grad.requires_grad
    assert x.grad._version == 0


def test_a_gradient_that_somebody_else_holds_is_copied():
    x, gradient = torch.ones(2, requires_grad=True), torch.tensor([1.0, 2.0])
    assert backward_of(x, gradient).data_ptr() != gradient.data_ptr()
    x.grad.zero_()
    assert gradient.tolist() == [1.0, 2.0]


def test_two_leaves_never_get_the_same_memory():
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (x + y).sum().backward()
    assert x.grad.data_ptr() != y.grad.data_ptr()


def test_two_leaves_never_get_the_same_fresh_memory(unobserved):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    ((x + y) * 2).sum().backward()
    assert x.grad.data_ptr() != y.grad.data_ptr()
    x.grad.zero_()
    assert y.grad.tolist() == [2.0, 2.0]


def test_a_leaf_used_twice_in_one_operator_gets_memory_of_its_own():
    x = torch.ones(2, requires_grad=True)
    gradient = torch.tensor([1.0, 2.0])
    (x + x).backward(gradient)
    assert x.grad.tolist() == [2.0, 4.0]
    assert gradient.tolist() == [1.0, 2.0]


@pytest.fixture
def unobserved(monkeypatch):
    """Forgets for one test that there are hooks."""
    monkeypatch.setattr(engine, "ANY_HOOKS", {})


def test_a_fresh_gradient_is_stolen_rather_than_copied(unobserved):
    made = []

    def formula(grad):
        fresh = grad * 3
        made.append(fresh.__array_interface__["data"][0])
        return fresh

    triple = unary(
        "stolen_for_test(Tensor self) -> Tensor",
        node="StolenBackward0",
        forward=lambda xp, self: xp.multiply(self, 3, out=...),
        self=lambda grad: formula(grad),
        on=("F",),
        variants=(),
    )
    try:
        x = torch.ones(1000, requires_grad=True)
        triple(x).backward(torch.ones(1000))
    finally:
        del ROWS["stolen_for_test"]
        OPS.__dict__.pop("stolen_for_test", None)
        FUNCTIONS.pop("stolen_for_test", None)
    assert x.grad.data_ptr() == made[-1]


def test_expanded_gradients_are_written_out():
    x = torch.ones(2, 3, requires_grad=True)
    x.sum().backward()
    assert x.grad.stride() == (3, 1)
    x.grad[0, 0] = 5
    assert x.grad.tolist() == [[5.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    "gradient", [torch.ones(2, 3), torch.ones(3, 2).t(), torch.ones(1, 1).expand(2, 3)]
)
def test_gradients_lie_in_memory_as_a_dense_leaf_does(gradient):
    for x in (torch.ones(2, 3), torch.ones(3, 2).t()):
        x.requires_grad_()
        assert backward_of(x, gradient).stride() == x.stride()


def test_gradients_of_a_leaf_with_gaps_are_contiguous():
    x = torch.ones(2, 6)[:, ::2].detach().requires_grad_()
    assert x.stride() == (6, 2)
    assert backward_of(x, torch.ones(2, 3)).stride() == (3, 1)


def test_later_gradients_are_added_in_place_and_move_the_version():
    x = torch.ones(2, requires_grad=True)
    first = backward_of(x, torch.tensor([1.0, 2.0]))
    assert backward_of(x, torch.tensor([1.0, 2.0])) is first
    assert first.tolist() == [2.0, 4.0]
    assert first._version == 2  # the first one was copied into memory that was there


def test_the_version_of_a_gradient_counts_the_sums_that_made_it():
    def version(y, x):
        x.grad = None
        y.backward()
        return x.grad._version

    x, w = torch.ones(3, requires_grad=True), torch.ones(3, 3, requires_grad=True)
    assert version((x * 2).sum(), x) == 0
    assert version(x.sum(), x) == 1  # an expanded gradient is copied
    assert version((x * 2 + x * 3 + x * 4).sum(), x) == 2  # the first sum is in place, too
    assert version((x * x).sum(), x) == 1
    assert version((x + x).exp().sum(), x) == 0  # the first gradient is the second one
    assert version((w.t().exp() + w.t().cos() + w.t().sin()).sum(), w) == 1  # the first is a view
    (g,) = torch.autograd.grad((x * 2 + x * 3).sum(), x)
    assert g._version == 1


def test_the_last_leaf_keeps_what_several_of_them_got(unobserved):
    a, b, c = [torch.ones(2, requires_grad=True) for _ in range(3)]
    ((a + b + c) * 2).sum().backward()
    assert [x.grad._version for x in (a, b, c)] == [1, 0, 1]


def test_a_gradient_that_was_assigned_is_added_to_in_place():
    x, mine = torch.ones(2, requires_grad=True), torch.tensor([5.0, 5.0])
    x.grad = mine
    assert backward_of(x, torch.ones(2)) is mine
    assert mine.tolist() == [6.0, 6.0]


def test_a_held_gradient_with_a_history_is_added_to_in_place():
    x = torch.tensor([2.0], requires_grad=True)
    x.grad = held = x * 3
    x.square().backward()
    assert x.grad is held
    assert x.grad.tolist() == [10.0]
    assert held._version == 1


def test_a_leaf_that_requires_no_grad_any_more_receives_none():
    x = torch.tensor([2.0], requires_grad=True)
    y = x * 3
    x.requires_grad_(False)
    y.backward()
    assert x.grad is None


def test_gradients_under_create_graph_have_a_history():
    x = torch.tensor([2.0], requires_grad=True)
    (grad,) = torch.autograd.grad(x.square(), x, create_graph=True)
    assert grad.grad_fn is not None


def test_an_output_listed_twice_sends_both_gradients():
    x = torch.ones(2, requires_grad=True)
    for y in (x, x * 1):
        (grad,) = torch.autograd.grad([y, y], x, [torch.ones(2), torch.full((2,), 2.0)])
        assert grad.tolist() == [3.0, 3.0]
    torch.autograd.backward([x, x], [torch.ones(2), torch.full((2,), 2.0)])
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_gradient_of_another_dtype_is_cast_to_that_of_the_leaf():
    x = torch.ones(2, dtype=torch.float16, requires_grad=True)
    x.double().sum().backward()
    assert x.grad.dtype is torch.float16


def test_a_complex_gradient_of_a_real_leaf_is_its_real_part():
    x = torch.tensor([2.0], requires_grad=True)
    (x * (1 + 2j)).abs().backward()
    assert x.grad.dtype is torch.float32
    assert x.grad.item() == pytest.approx(5**0.5)


@pytest.fixture(params=[False, True])
def hooked(request):
    """Whether there is a hook in the process, which decides between the two walks."""
    x = torch.ones(1, requires_grad=True)
    if request.param:
        x.register_hook(lambda grad: None)
    return x


@pytest.mark.usefixtures("hooked")
def test_a_first_gradient_keeps_its_strides_unless_it_is_expanded():
    leaf = torch.zeros(9).as_strided((1, 3), (7, 1)).detach().requires_grad_()
    view = leaf.squeeze(0)
    view.backward(torch.ones(3))
    assert leaf.grad.stride() == (3, 1)
    leaf.grad = None
    leaf.squeeze(0).sum().backward()
    assert leaf.grad.stride() == (7, 1)


@pytest.mark.usefixtures("hooked")
def test_a_gradient_is_stolen_only_where_nobody_else_holds_it():
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    given = torch.ones(3)
    (x + y).backward(given)  # one array for all three
    x.grad[0] = 5.0
    assert given.tolist() == y.grad.tolist() == [1.0] * 3

    x.grad = y.grad = None
    (x * 2 + x.exp() * 0).sum().backward()  # two parts, added up
    assert x.grad.tolist() == [2.0] * 3

    seen = []
    x.grad = None
    z = x * 2
    z.grad_fn.register_hook(lambda inputs, outputs: seen.extend(inputs))
    z.sum().backward()
    x.grad[0] = 5.0
    assert seen[0].tolist() == [2.0] * 3


def test_the_sum_of_gradients_that_share_memory_is_a_fresh_one():
    x = torch.tensor([[-3 + 1j]], requires_grad=True)
    y = torch.cat([x, x], -1).conj()
    y.backward(torch.full_like(y, 1 + 1j))
    assert (x.grad.item(), x.grad.stride(), x.grad.is_conj()) == (2 - 2j, (1, 1), False)


@pytest.mark.parametrize("use", [lambda x: x * x, lambda x: x.std(1), lambda x: x.clamp(0, 1)])
def test_the_sum_of_gradients_lies_as_the_first_where_nobody_holds_it(use):
    x = torch.ones(2, 1, requires_grad=True).mT
    (grad,) = torch.autograd.grad(use(x).sum(), x)
    assert grad.stride() == (1, 1)


def test_the_sum_for_one_of_several_outputs_lies_as_the_first():
    x = torch.zeros(3, 2, 0, requires_grad=True)
    y, _ = torch.aminmax(x * 1, dim=0)
    seen = []
    y.register_hook(lambda grad: seen.append(grad.stride()))
    turned = y.t().clone().sum()
    torch.autograd.backward([y.double().sum(), turned])
    assert seen == [(0, 0)]


def test_what_copy_writes_over_gets_zeros_row_by_row():
    x, source = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    y = (x * 1).copy_(source)
    grads = torch.autograd.grad(y, (x, source), torch.ones(3, 2).t())
    assert [grad.stride() for grad in grads] == [(3, 1), (1, 2)]


def test_what_is_computed_of_a_gradient_lies_as_it_does():
    a, b = torch.rand(2, 3, 2).requires_grad_(), torch.rand(2, 3, 2).requires_grad_()
    given = torch.rand(12).as_strided((2, 3, 2), (2, 4, 1))
    for found in torch.autograd.grad(a.exp() * b, (a, b), given):
        assert found.stride() == given.stride()
    log = []
    c = a * b
    a.register_hook(lambda grad: log.append(grad.stride()))
    c.backward(given)
    assert log == [given.stride()]
    assert a.grad.stride() == b.grad.stride() == a.stride()
