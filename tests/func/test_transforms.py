"""torch.func: the transforms that differentiate functions, nested and with ordinary autograd."""

import pytest

import minitorch as torch
from minitorch.func import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)

X = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


def cubes(x):
    return (x**3).sum()


def test_a_gradient_is_what_backward_leaves():
    x = X.clone().requires_grad_()
    cubes(x).backward()
    assert torch.equal(grad(cubes)(X), x.grad)
    assert [each.tolist() for each in grad_and_value(cubes)(X)] == [
        x.grad.tolist(),
        cubes(X).tolist(),
    ]


def test_derivatives_of_derivatives():
    x = torch.tensor(0.7, dtype=torch.float64)
    assert grad(grad(grad(torch.sin)))(x).item() == pytest.approx(-torch.cos(x).item())


def test_a_level_knows_its_own_history_alone():
    def outer(x):
        # d/dy (x * y) at y = x is x, whose derivative by x is 1; perturbations must not mix.
        return x * grad(lambda y: x * y)(x)

    assert grad(outer)(torch.tensor(3.0)).item() == 6.0


def test_ordinary_autograd_goes_on_below():
    x = X.clone().requires_grad_()
    found = grad(cubes)(x)
    assert found.requires_grad
    found.sum().backward()
    assert torch.allclose(x.grad, 6 * X)
    with torch.no_grad():
        assert not grad(cubes)(x).requires_grad
        assert torch.equal(grad(cubes)(x), found)


def test_tensors_within_say_what_they_are():
    def f(x):
        assert repr(x) == "GradTrackingTensor(lvl=1, value=\n    tensor([1., 1.])\n)"
        assert x.requires_grad
        assert type(x) is torch.Tensor
        assert not torch.zeros(2).requires_grad
        return x.sum()

    assert grad(f)(torch.ones(2)).tolist() == [1.0, 1.0]


def test_trees_and_argnums():
    def f(a, b):
        return (a["p"] * b[0]).sum() + b[1] * 2

    a, b = {"p": torch.ones(2)}, [torch.tensor([3.0, 4.0]), torch.tensor(1.0)]
    first, second = grad(f, argnums=(0, 1))(a, b)
    assert first["p"].tolist() == [3.0, 4.0]
    assert [each.tolist() for each in second] == [[1.0, 1.0], 2.0]


def test_writes_are_differentiated():
    def f(x):
        y = torch.zeros(3, dtype=x.dtype)
        y[1:] = x[1:]
        y.mul_(x)
        y += 1
        return (y * y).sum()

    def pure(x):
        y = torch.cat([0 * x[:1], x[1:] * x[1:]]) + 1
        return (y * y).sum()

    assert torch.allclose(grad(f)(X), grad(pure)(X))
    assert torch.allclose(jacrev(grad(f))(X), jacrev(grad(pure))(X))


def test_an_argument_that_is_written_is_written():
    x = torch.ones(2)

    def f(x):
        y = x * 1
        y.add_(x)
        return y.sum()

    assert grad(f)(x).tolist() == [2.0, 2.0]
    assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "write",
    [
        torch.Tensor.zero_,
        torch.Tensor.normal_,
        lambda y: y.fill_(2.0),
        lambda y: y.eq_(1.0),
        lambda y: y.copy_(torch.ones(3)),
    ],
)
def test_what_is_written_over_has_no_gradient(write):
    def f(x):
        y = x * 2
        write(y)
        return y.sum() + x.prod()

    rest = grad(torch.prod)(X)
    assert torch.equal(grad(f)(X), rest)
    assert torch.allclose(jvp(f, (X,), (torch.ones_like(X),))[1], rest.sum())


def test_a_number_that_fills_has_a_gradient():
    def f(x):
        y = x * 1
        y[:2].fill_(x[2])
        return (y * y).sum()

    assert grad(f)(X).tolist() == [0.0, 0.0, 12.0]
    assert vmap(grad(f))(torch.stack([X, X]))[1].tolist() == [0.0, 0.0, 12.0]


def test_vjp_can_be_asked_again():
    out, product = vjp(lambda x: x**3, X)
    assert torch.equal(out, X**3)
    for v in (torch.ones_like(X), X):
        assert torch.allclose(product(v)[0], 3 * X**2 * v)
    assert torch.allclose(vmap(product)(torch.eye(3).double())[0], torch.diag(3 * X**2))


@pytest.mark.parametrize("chunk_size", [None, 1, 2])
def test_a_jacobian_in_chunks(chunk_size):
    found = jacrev(lambda x: x.outer(x)[0], chunk_size=chunk_size)(X)
    assert torch.allclose(found, torch.autograd.functional.jacobian(lambda x: x.outer(x)[0], X))


def test_a_hessian_is_a_jacobian_of_a_gradient():
    found = jacrev(jacrev(cubes))(X)
    assert torch.allclose(found, torch.diag(6 * X))


def test_forward_mode_agrees_with_walks_backwards():
    def f(x):
        y = torch.zeros(3, dtype=x.dtype)
        y[:2] = x[1:]
        y.mul_(x)
        return y.sin() * x.prod()

    whole = jacrev(f)(X)
    assert torch.allclose(jacfwd(f)(X), whole)
    v = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    out, product = jvp(f, (X,), (v,))
    assert torch.equal(out, f(X))
    assert torch.allclose(product, whole @ v)
    assert torch.allclose(linearize(f, X)[1](v), product)
    assert torch.allclose(vmap(lambda v: jvp(f, (X,), (v,))[1])(torch.eye(3).double()), whole.T)


@pytest.mark.parametrize(
    "twice",
    [
        hessian,
        lambda f: jacfwd(jacfwd(f)),
        lambda f: jacrev(jacfwd(f)),
        lambda f: jacrev(jacrev(f)),
    ],
)
def test_all_ways_to_second_derivatives(twice):
    def f(x):
        return (x.sin() * x.flip(0)).sum() ** 2

    assert torch.allclose(twice(f)(X), torch.autograd.functional.hessian(f, X))
    both = vmap(twice(f))(torch.stack([X, X + 1]))
    assert torch.allclose(both[1], torch.autograd.functional.hessian(f, X + 1))


def test_a_tangent_is_one_of_its_own_level():
    def outer(x):
        return x * jvp(lambda y: x * y, (x,), (torch.ones(()),))[1]

    three = torch.tensor(3.0)
    assert jvp(outer, (three,), (torch.ones(()),))[1].item() == 6.0
    assert grad(outer)(three).item() == 6.0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: jvp(cubes, X, X), "Expected primals to be a tuple"),
        (lambda: jvp(cubes, (X,), (X[:1],)), "has a different size than that of the original"),
        (lambda: jvp(torch.zeros_like, (X,), (X,), strict=True), "independent of the inputs"),
        (lambda: linearize(cubes, X)[1](X[:1]), "tangent:0 with shape torch.Size([1]) in flatt"),
        (lambda: grad(lambda x: x)(X), "Expected f(*args) to return a scalar Tensor, got tensor w"),
        (lambda: grad(lambda x: 1)(X), "Expected f(*args) to return a Tensor, got <class 'int'>"),
        (lambda: grad(cubes, argnums=1)(X), "Got argnum=1, but only 1 positional inputs"),
        (lambda: grad(cubes, argnums=(0, 0))(X), "argnums elements must be unique, got (0, 0)"),
        (lambda: grad(cubes, has_aux=True)(X), "output of function f should be a tuple"),
        (lambda: grad(lambda x: X.add_(x).sum())(X), "(aten::add_.Tensor) that would mutate a ca"),
        (lambda: grad(lambda x: x.sum().backward())(X), "backward() called inside a functorch"),
        (lambda: grad(lambda x: torch.exp(x, out=x))(X), "exp(): functions with out=... arguments"),
        (lambda: vmap(lambda x: torch.exp(x, out=x))(X), "the fallback path doesn't work on out="),
        (lambda: grad(lambda x: (x * 2).retain_grad())(X), "call Tensor.retain_grad() inside of"),
        (lambda: grad(lambda x: x.data_ptr())(X), "Cannot access data pointer of Tensor that doe"),
        (lambda: grad(lambda x: x.untyped_storage())(X), "Cannot access storage of TensorWrapper"),
        (lambda: grad(lambda x: x.requires_grad_())(X), "attempting to call Tensor.requires_grad_"),
        (lambda: vjp(cubes, X)[1]((X, X)), "cotangents: (*, *), primal output: *"),
        (lambda: vjp(lambda x: x.argmax(), X), "All outputs of f must be floating-point or comp"),
    ],
)
def test_what_does_not_fit_is_refused(call, text):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.usefixtures("no_garbage")
def test_nothing_is_left_behind():
    from minitorch.core.base.modes import ACTIVE_CONTEXTS, ASSEMBLED_GLOBALS, transforms

    with pytest.raises(ZeroDivisionError):
        grad(lambda x: 1 / 0)(X)
    assert transforms.get() == ()
    assert ACTIVE_CONTEXTS == []
    before = ASSEMBLED_GLOBALS["WATCHED"]
    grad(cubes)(X)
    assert before == ASSEMBLED_GLOBALS["WATCHED"]


def test_writes_leave_the_graph_that_they_leave_without_transforms():
    x = torch.ones(3, requires_grad=True)
    out, _ = torch.func.vjp(lambda a: (a * 1).exp_(), x)
    assert out.grad_fn.name() == "ExpBackward0"
    assert out.grad_fn.next_functions[0][0].name() == "MulBackward0"
    out = torch.func.vmap(lambda a: (a * 1).zero_())(x)
    assert out.grad_fn.name() == "ZeroBackward0"


def test_writes_into_saved_results_are_noticed():
    def f(x):
        y = (x * 2).relu_()
        y += 1
        return y.sum()

    with pytest.raises(RuntimeError, match="output 0 of Relu, is at version 2; expected version 1"):
        torch.func.grad(f)(torch.ones(3))


def test_tangents_of_what_is_written_can_be_differentiated():
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    out, tangent = torch.func.jvp(lambda a: (a * 1).exp_(), (x,), (torch.ones(2),))
    assert torch.allclose(torch.autograd.grad(tangent.sum(), x)[0], out.detach())
    _, tangent = torch.func.jvp(lambda a: (a * 1).detach_(), (x,), (torch.ones(2),))
    assert not tangent.any()


def test_transforms_that_differentiate_leave_inference_mode():
    with torch.inference_mode():
        x = torch.ones(2)
        grad = torch.func.grad(lambda x: (x * x).sum())(x)
        assert not grad.is_inference()
        assert torch.is_inference_mode_enabled()
        assert torch.func.vmap(torch.exp)(x).is_inference()
        with pytest.raises(RuntimeError, match="do not track version"):
            x.detach()._version  # noqa: B018


def test_functionalized_writes_make_new_tensors():
    def f(x):
        y = x * 2
        part, column = y[1:], y.view(3, 1)
        part.mul_(3)
        column[0] = 5.0
        y.add_(1)
        return y, part, column

    x = torch.tensor([1.0, 2.0, 3.0])
    found, expected = torch.func.functionalize(f)(x), f(x)
    assert [t.tolist() for t in found] == [t.tolist() for t in expected]


def test_functionalized_functions_write_their_arguments_at_the_end():
    base = torch.arange(6.0).view(2, 3)
    x = base[:, 1:]

    def f(x):
        x[0].add_(10)
        x.mul_(2)
        return x.sum()

    assert torch.func.functionalize(f)(x).item() == 2 * (1 + 2 + 4 + 5 + 20)
    assert base.tolist() == [[0, 22, 24], [3, 8, 10]]
    assert x._version == 1
    identity = torch.func.functionalize(lambda x: x)
    assert identity(x) is x


def test_functionalize_refuses_what_it_cannot():
    captured = torch.ones(2)
    with pytest.raises(RuntimeError, match="mutating a non-functional tensor"):
        torch.func.functionalize(lambda x: captured.add_(x))(torch.ones(2))
    with pytest.raises(RuntimeError, match="invalid argument for remove=views"):
        torch.func.functionalize(torch.exp, remove="views")


def test_writes_under_transforms_keep_the_dtype():
    x = torch.tensor([[True, False], [False, True]])
    with pytest.raises(RuntimeError, match="result type Long can't be cast to the desired output"):
        torch.func.vmap(lambda t: t.clone().mul_(2))(x)
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        torch.func.grad(lambda t: (x.long().clone().add_(2.0) * t).sum())(torch.ones(2))


def test_what_repeats_has_no_place_for_a_tangent():
    x = torch.ones(2, 1).expand(2, 3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.func.jvp(torch.tanh, (x,), (torch.ones(2, 3),))
    value, tangent = torch.func.jvp(lambda t: t * 3, (x,), (x,))
    assert tangent.tolist() == value.tolist()


def test_inside_a_transform_a_reshape_is_a_view():
    x = torch.ones(2, 3, requires_grad=True)
    y, _ = torch.func.vjp(lambda t: t.mT.reshape(3, 2, 1), x)
    assert y.grad_fn.name() == "ViewBackward0"
    assert x.mT.reshape(3, 2, 1).grad_fn.name() == "ReshapeAliasBackward0"


def test_a_tangent_added_to_none_is_copied():
    zeros = torch.zeros(2, 3)
    assert jvp(lambda x: x * 2, (zeros,), (-zeros,))[1].signbit().all()
    tangent = jvp(lambda x: x * 1, (torch.zeros(2, 0),), (torch.zeros(0, 2).T,))[1]
    assert tangent.stride() == (1, 2)
    row = torch.ones(1, 2)
    assert jvp(lambda x: x * row, (row,), (row,))[1].stride() == (2, 1)


def test_the_tangent_of_lerp_is_one():
    x = torch.ones(2, requires_grad=True)
    tangent = jvp(lambda y: torch.lerp(y, x, 0.25), (x * 1,), (x * 2,))[1]
    assert tangent.tolist() == [1.5, 1.5]
    assert tangent.grad_fn.name() == "LerpBackward0"


def test_an_empty_tangent_is_read_as_its_value_is():
    x = torch.zeros(0, dtype=torch.complex64)
    assert not jvp(torch.tanh, (x,), (torch.ones_like(x),))[1].is_conj()


def test_products_of_zeros_have_memory_of_their_own():
    x = torch.tensor([1.0, 2.0])
    second = torch.func.hessian(lambda a: a.abs().sum())(x)
    assert second.numpy().tolist() == [[0, 0], [0, 0]]
    _, product = torch.func.jvp(torch.func.grad(lambda a: a.abs().sum()), (x,), (x,))
    assert product.add_(1).tolist() == [1, 1]


def test_second_derivatives_of_a_selection_are_zeros():
    second = torch.func.hessian(lambda a: torch.combinations(a, 2).abs().sum())(torch.ones(3))
    assert second.tolist() == [[0.0] * 3] * 3


def test_poolings_of_signals_go_through_mappings_of_forward_mode():
    x = torch.arange(16.0).view(2, 2, 4)
    found = torch.func.vmap(
        lambda a: torch.func.jvp(lambda b: torch.max_pool1d(b, 2).sum(), (a,), (a,))[1]
    )(x)
    assert found.tolist() == [16, 48]


def test_phases_of_eigenvectors_are_not_looked_at_in_a_transform():
    x = torch.tensor([[[1.0, 2.0], [0.5, 9.0]]])
    found = torch.func.vmap(torch.func.grad(lambda a: torch.linalg.eig(a)[1].abs().sum()))(x)
    assert found.shape == (1, 2, 2)


def test_the_second_derivatives_of_a_huber_loss_are_those_of_its_parabola():
    x = torch.tensor([0.5, 3.0, -4.0])
    found = torch.func.hessian(lambda a: torch.nn.functional.huber_loss(a, torch.zeros(3)))(x)
    torch.testing.assert_close(found, torch.diag(torch.tensor([1.0, 0.0, 0.0]) / 3))


class Kind(torch.Tensor):
    pass


def test_subclasses_count_as_tensors_below_the_first_level_of_a_transform():
    x = torch.arange(3.0).as_subclass(Kind)
    rows = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def square(x):
        return (x * x).sum()

    assert torch.equal(torch.func.vmap(lambda row: row * x)(rows), rows * torch.arange(3.0))
    assert type(torch.func.vmap(lambda x: x)(x)) is Kind
    found = [
        torch.func.vmap(square)(x),
        torch.func.vmap(lambda row: row * x)(rows),
        torch.func.grad(square)(x),
        *torch.func.vjp(square, x)[1](torch.tensor(1.0)),
        torch.func.jacrev(square)(x),
        torch.func.hessian(square)(x),
    ]
    assert {type(each) for each in found} == {torch.Tensor}
    assert torch.equal(found[4], 2 * torch.arange(3.0))
    with pytest.raises(TypeError, match=r"_vjp_with_argnums.<locals>.wrapper\(\) missing 1"):
        torch.func.vjp(square, x)[1]()


def test_vmap_lines_up_numbers_with_what_is_added_to_them_in_place():
    x = torch.ones(2)
    torch.vmap(lambda number: number.add_(torch.full((1,), 3.0)))(x)
    assert x.tolist() == [4.0, 4.0]
    with pytest.raises(RuntimeError, match=r"shape \[2, 1\] doesn't match the broadcast shape"):
        torch.vmap(lambda number: number.add_(torch.ones(3)))(x)
    dropped = pytest.warns(UserWarning, match=r"batching rule for aten::pow_\.Tensor\.")
    text = r"shape \[\] doesn't match the broadcast shape \[1\]"
    with dropped, pytest.raises(RuntimeError, match=text):
        torch.vmap(lambda number: number.pow_(torch.ones(1)))(x)
