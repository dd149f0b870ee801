"""autograd.Function under the transforms of torch.func."""

import pytest

import minitorch as torch
from minitorch.autograd import Function
from minitorch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

X = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


class Product(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(a, b):
        return a * b, a.sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b + h, g * a

    @staticmethod
    def jvp(ctx, s, t):
        a, b = ctx.saved_tensors
        return s * b + a * t, s.sum()


class Doubled(Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def vmap(info, in_dims, x):
        assert (info.batch_size, info.randomness) == (2, "error")
        return Doubled.apply(x), in_dims[0]


def both(a):
    product, total = Product.apply(a, a.sin())
    return (product * total).sum()


def plain(a):
    return (a * a.sin() * a.sum()).sum()


@pytest.mark.parametrize(
    "transform",
    [grad, jacfwd, hessian, lambda f: jacrev(grad(f)), lambda f: grad(lambda x: grad(f)(x).sum())],
)
def test_derivatives_are_those_of_the_plain_function(transform):
    assert torch.allclose(transform(both)(X), transform(plain)(X))
    batch = torch.stack([X, X + 1])
    assert torch.allclose(vmap(transform(both))(batch), vmap(transform(plain))(batch))


def test_gradients_of_what_is_mapped():
    batch, b = torch.stack([X, X + 1]), X + 3

    def f(a, b):
        return vmap(lambda a: Product.apply(a, b)[0], in_dims=1, out_dims=1)(a.T).sum()

    first, second = grad(f, argnums=(0, 1))(batch, b)
    assert torch.allclose(first, b.expand(2, 3))
    assert torch.allclose(second, batch.sum(0))
    pushed = jvp(f, (batch, b), (torch.ones_like(batch), torch.ones_like(b)))[1]
    assert torch.allclose(pushed, first.sum() + second.sum())


def test_a_rule_of_its_own_is_called():
    batch = torch.stack([X, X + 1])
    assert torch.equal(vmap(Doubled.apply)(batch), batch * 2)
    assert vmap(grad(lambda x: Doubled.apply(x).sum()))(batch).tolist() == [[2.0] * 3] * 2


def test_its_node_is_named_after_the_function():
    names = []
    grad(lambda x: names.append(Doubled.apply(x).grad_fn.name()) or x.sum())(X)
    assert names == ["DoubledGeneratedBackward"]


class WithCtx(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


class WithoutRule(Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass


class WithTwoRules(Doubled):
    generate_vmap_rule = True


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (WithCtx, "it must override the setup_context staticmethod"),
        (WithoutRule, "but it does not have vmap support"),
        (WithTwoRules, "it has both generate_vmap_rule=True and an overridden vmap staticmethod"),
    ],
)
def test_what_lacks_a_rule_is_refused(function, text):
    with pytest.raises(RuntimeError, match=text):
        vmap(function.apply)(X)
