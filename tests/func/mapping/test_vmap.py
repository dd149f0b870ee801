"""torch.func.vmap: every example gets the function's result for it alone."""

import re

import pytest

import minitorch as torch
from minitorch.core.declare.registry import load_families
from minitorch.core.declare.vmap import VMAP_OF_COMPOSITES, VMAP_OF_ROWS
from minitorch.func import grad, vmap
from minitorch.func.levels.base import REPLACED
from minitorch.func.mapping.random_numbers import DRAWING
from minitorch.func.mapping.rules import COMPOSITE, RULES
from minitorch.nn import functional as F

X = torch.arange(24.0).reshape(2, 3, 4) / 7 - 1


def alone(f, *args):
    """The results of `f` for each example, stacked."""
    results = [f(*[arg[i] for arg in args]) for i in range(len(args[0]))]
    if isinstance(results[0], tuple):
        return tuple([torch.stack(list(each)) for each in zip(*results, strict=True)])
    return torch.stack(results)


FUNCTIONS = {
    "arithmetic": lambda x: x * 2 - x.exp() / (x * x + 1),
    "broadcasting": lambda x: x - x.mean(0, keepdim=True) + x[:, :1],
    "reductions": lambda x: (x.sum(), x.mean(1), x.max(), x.amax(0), x.var(), x.norm(), x.prod(-1)),
    "order": lambda x: (x.sort(1)[0], x.argmax(), x.topk(2)[1], x.median(), x.cummax(0)[0]),
    "softmax": lambda x: (x.softmax(0), x.log_softmax(-1), x.logsumexp(1), x.cumsum(1)),
    "views": lambda x: (x.T, x.reshape(-1), x[1], x[:, ::2], x[None], x.diagonal(), x.flip(0)),
    "shapes": lambda x: (x.expand(2, 3, 4), x.repeat(2, 1), x.unfold(1, 2, 1), x.roll(1, 0)),
    "parts": lambda x: (*x.unbind(0), *x.split(3, 1)[:1], x.select(1, 2), x.squeeze()),
    "joining": lambda x: (torch.cat([x, x], 1), torch.stack([x, x], -1), torch.vstack([x, x])),
    "products": lambda x: (x @ x.T, x[0] @ x.T, x @ x[0], x[0] @ x[1], torch.outer(x[0], x[:, 0])),
    "addmm": lambda x: torch.addmm(x[:, :3], x, x.T, beta=2, alpha=3),
    "indexing": lambda x: (x[[0, 2]], x[:, torch.tensor([1, 1])], x[torch.tensor([0, 1]), 1]),
    "own positions": lambda x: (x[x.argmax(0)], x.gather(1, x.argsort(1)), x[:, x.argmin(1)]),
    "choosing": lambda x: (torch.where(x > 0, x, -x), x.masked_fill(x < 0, 0), x.clamp(-1, 1)),
    "triangles": lambda x: (x.tril(), x.triu(1), torch.diag_embed(x)),
    "losses": lambda x: (F.mse_loss(x, x * 2), F.smooth_l1_loss(x, x * 3), F.l1_loss(x, -x)),
    "cross entropy": lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2])),
    "norms": lambda x: (F.layer_norm(x, (4,)), F.normalize(x, dim=0)),
    "images": lambda x: F.max_pool2d(F.conv2d(x[None], torch.ones(2, 1, 2, 2)), 2),
    "numbers": lambda x: (x.sum() * 2, x.sum().softmax(0), torch.stack([x.sum(), x.mean()])),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x),
    "in place": lambda x: x.clone().mul_(2).add_(x).clamp_min_(3),
    "scatter": lambda x: torch.zeros_like(x).scatter_add(1, x.argsort(1), x),
    "dtypes": lambda x: (x.double(), x.to(torch.int64), (x > 0).sum(), x.long() + 0.5),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_are_computed_as_alone(name):
    f = FUNCTIONS[name]
    found, wanted = vmap(f)(X), alone(f, X)
    moved = vmap(f, in_dims=1)(X.movedim(0, 1))
    for each, other, one in zip(
        *[x if isinstance(x, tuple) else (x,) for x in (found, moved, wanted)], strict=True
    ):
        assert each.dtype == one.dtype
        assert torch.allclose(each, one)
        assert torch.allclose(other, one)


@pytest.mark.parametrize("name", ["arithmetic", "broadcasting", "softmax", "products", "losses"])
def test_gradients_for_each_example_are_those_alone(name):
    def scalar(x):
        found = FUNCTIONS[name](x)
        return sum([each.sum() for each in (found if isinstance(found, tuple) else (found,))])

    assert torch.allclose(vmap(grad(scalar))(X), alone(grad(scalar), X), atol=1e-6)


def test_gradients_flow_into_what_is_mapped():
    x = X.clone().requires_grad_()
    vmap(lambda r: (r * r).sum())(x).sum().backward()
    assert torch.allclose(x.grad, 2 * X)


def test_what_rows_and_composites_say_of_vmap_has_a_rule():
    load_families()
    assert [key for key, said in VMAP_OF_ROWS.items() if said.rule not in {*RULES, *DRAWING}] == []
    said = VMAP_OF_COMPOSITES.items()
    assert [name for name, each in said if each.rule and each.rule not in COMPOSITE] == []
    assert [name for name, each in said if each.replaced and each.replaced not in REPLACED] == []


def test_every_rule_of_vmap_is_said_by_a_row_or_composite():
    load_families()
    by_rows = {said.rule for said in VMAP_OF_ROWS.values()}
    by_composites = {said.rule for said in VMAP_OF_COMPOSITES.values()}
    assert RULES.keys() - by_rows == set()
    assert COMPOSITE.keys() - by_rows - by_composites == set()


def test_where_the_dimension_comes_out():
    assert vmap(lambda x: x, in_dims=2, out_dims=0)(X).shape == (4, 2, 3)
    assert vmap(lambda x: (x, x.sum()), out_dims=(-1, 0))(X)[0].shape == (3, 4, 2)
    assert vmap(lambda x: torch.ones(5), out_dims=1)(X).shape == (5, 2)
    assert torch.equal(vmap(lambda x: x * 2, chunk_size=1)(X), X * 2)


def test_numbers_promote_as_the_examples_do():
    x, y = torch.ones(2, dtype=torch.float64), torch.ones(2, 3, dtype=torch.float16)
    assert vmap(torch.mul)(x, y).dtype is torch.float16


def test_how_batched_tensors_print():
    seen = []
    vmap(lambda x: seen.append(repr(x)) or x, in_dims=1)(torch.ones(1, 2))
    assert seen == ["BatchedTensor(lvl=1, bdim=1, value=\n    tensor([[1., 1.]])\n)"]


def test_randomness():
    x = torch.zeros(3, 4)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error"):
        vmap(lambda x: x + torch.rand(4))(x)
    same = vmap(lambda x: x + torch.rand(4), randomness="same")(x)
    assert torch.equal(same[0], same[1])
    for f in (lambda x: x + torch.rand(4), torch.rand_like, lambda x: x.clone().normal_()):
        other = vmap(f, randomness="different")(x)
        assert not torch.equal(other[0], other[1])


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda x: x.sum().item(), "you're calling .item() on a Tensor"),
        (lambda x: x if x.sum() > 0 else -x, "use a Tensor in some data-dependent control flow"),
        (lambda x: x.nonzero(), "Attempted to vmap over aten::nonzero"),
        (lambda x: x[x > 0], "Attempting to batch over indexing with a boolean mask"),
        (lambda x: x.data, "accessing `data` under vmap transform is not allowed"),
        (lambda x: x.detach().numpy(), "Cannot access data pointer of Tensor that doesn't have"),
        (lambda x: Y.add_(x), "output with shape [3, 4] doesn't match the broadcast shape [2, 3"),
    ],
)
def test_what_cannot_be_mapped_is_refused(f, text):
    with pytest.raises(RuntimeError) as caught:
        vmap(f)(X)
    assert text in str(caught.value)


Y = torch.zeros(3, 4)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: vmap(torch.add)(X, X[:1]), "Expected all tensors to have the same size in the"),
        (lambda: vmap(torch.sin, in_dims=3)(X), "so expected in_dim to satisfy -3 <= in_dim < 3"),
        (lambda: vmap(torch.sin, in_dims=None)(X), "expected `in_dims` to be int or a (potential"),
        (lambda: vmap(torch.add)(X, 1), "We cannot vmap over non-Tensor arguments"),
        (lambda: vmap(lambda x: 1)(X), "must only return Tensors, got type <class 'int'>"),
        (lambda: vmap(torch.sin, out_dims=None)(X), "can not return a BatchedTensor when out_dim"),
        (lambda: vmap(torch.sin, in_dims=(0, 0))(X), "in_dims has structure TreeSpec(tuple, None"),
        (lambda: vmap(torch.sin, chunk_size=0), "chunk_size should be None or greater than 0"),
    ],
)
def test_wrong_calls_are_refused(call, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        call()


def test_gradients_in_batches():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (found,) = torch.autograd.grad(x**3, x, torch.eye(2), is_grads_batched=True)
    assert found.tolist() == [[3.0, 0.0], [0.0, 12.0]]
    jacobian = torch.autograd.functional.jacobian
    assert jacobian(lambda x: x**3, x, vectorize=True).tolist() == found.tolist()


def test_rows_of_a_jacobian_share_what_they_are_computed_from():
    x = torch.rand(3)
    for f in (torch.nn.functional.gelu, torch.nn.functional.silu, torch.tanh):
        each = torch.func.vmap(torch.func.jacrev(f))(torch.stack([x, x + 1]))
        assert torch.allclose(each[0], torch.func.jacrev(f)(x))
        assert torch.allclose(each[1].diagonal(), torch.func.grad(lambda x, f=f: f(x).sum())(x + 1))


def test_the_form_of_an_example_is_printed_where_a_debugger_asks():
    shown = []
    vmap(lambda x: (shown.append(f"{x._array!r} {x._array}"), x)[1])(X)
    assert shown == ["Example(shape=(3, 4), dtype=float32) Example(shape=(3, 4), dtype=float32)"]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: x.clone().eq_(x), "eq_.Tensor"),
        (lambda x: x.clone().eq_(1), "eq_.Scalar"),
        (lambda x: x.clone().pow_(x), "pow_.Tensor"),
        (lambda x: x.clone().addcmul_(x, x), "addcmul_"),
        (lambda x: torch.isclose(x, x), "isclose"),
        (lambda x: torch.isin(x, x), "isin.Tensor_Tensor"),
        (lambda x: torch.special.log_ndtr(x), "special_log_ndtr"),
    ],
)
def test_vmap_warns_at_each_call_of_operators_without_rule(call, name):
    for _ in range(2):
        with pytest.warns(UserWarning, match=f"batching rule for aten::{re.escape(name)}\\. "):
            found = vmap(call)(X)
        assert torch.allclose(found, alone(call, X), equal_nan=True)


def test_vmap_of_no_example_is_refused_for_operators_without_rule():
    text = "not implemented for aten::eq_.Scalar. The fallback path does not support vmap over dims"
    with pytest.warns(UserWarning, match="drop"), pytest.raises(RuntimeError, match=text):
        vmap(lambda x: x.clone().eq_(1))(torch.ones(0, 3))


def test_vmap_refuses_in_place_operators_without_rule_on_a_captured_tensor():
    whole = torch.ones(4)
    with (
        pytest.warns(UserWarning, match="drop"),
        pytest.raises(RuntimeError, match=r"vmap: aten::eq_\(self, "),
    ):
        vmap(lambda x: whole.eq_(x))(X[0])


def test_vmap_counts_a_write_for_each_example_without_rule():
    x = torch.ones(3, 4)
    with pytest.warns(UserWarning, match="drop"):
        vmap(lambda x: x.square_())(x)
    assert x._version == 3
