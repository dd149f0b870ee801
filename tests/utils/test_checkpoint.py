"""Checkpoints: gradients without what the forward made, and the memory that this saves."""

import gc
import tracemalloc
from functools import partial

import pytest

import minitorch as torch
from minitorch.autograd.graph import saved_tensors_hooks
from minitorch.core.graph.engine import FINAL
from minitorch.nn import functional as F
from minitorch.utils import checkpoint as checkpoints
from minitorch.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential

WAYS = pytest.mark.parametrize("use_reentrant", [False, True])


def network(depth=4, width=8):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        *[torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.Tanh()) for _ in range(depth)]
    )


def gradients(net, x, through):
    for each in net.parameters():
        each.grad = None
    x.grad = None
    through(x).square().sum().backward()
    return [x.grad.tolist(), *[each.grad.tolist() for each in net.parameters()]]


@WAYS
def test_gradients_are_those_without_a_checkpoint(use_reentrant):
    net = network()
    x = torch.randn(3, 8, requires_grad=True)
    expected = gradients(net, x, net)
    for through in (
        lambda x: checkpoint(net, x, use_reentrant=use_reentrant),
        lambda x: checkpoint_sequential(net, 2, x, use_reentrant=use_reentrant),
        lambda x: checkpoint(
            lambda x: checkpoint(net, x, use_reentrant=use_reentrant),
            x,
            use_reentrant=use_reentrant,
        ),
    ):
        assert gradients(net, x, through) == expected
    assert FINAL == {}


def held(forward):
    """The bytes that are held between a forward and its backward."""
    gc.collect()
    tracemalloc.start()
    try:
        output = forward()
        held, _ = tracemalloc.get_traced_memory()
        output.sum().backward()
        return held
    finally:
        tracemalloc.stop()


@WAYS
def test_memory_between_forward_and_backward(use_reentrant):
    net = network(depth=8, width=64)
    x = torch.randn(1024, 64, requires_grad=True)
    activation = x.nbytes  # of one layer; a tanh keeps its result

    def segmented():
        h = x
        for i in range(0, 8, 4):
            h = checkpoint(net[i : i + 4], h, use_reentrant=use_reentrant)
        return h

    held(lambda: net(x))  # whatever is made once
    assert held(lambda: net(x)) > 8 * activation
    assert held(segmented) < 3 * activation  # the inputs of segments, and the result


def test_recomputed_tensors_go_as_backward_uses_them():
    net = network(depth=6, width=64)
    x = torch.randn(1024, 64, requires_grad=True)
    y = checkpoint(net, x, use_reentrant=False)
    gc.collect()
    tracemalloc.start()
    y.sum().backward()
    left, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most > 5 * x.nbytes  # all activations, once
    del y
    assert left < 3 * x.nbytes


@WAYS
def test_random_numbers_are_drawn_again(use_reentrant):
    x = torch.ones(64, requires_grad=True)
    y = checkpoint(lambda x: F.dropout(x, 0.5) * x, x, use_reentrant=use_reentrant)
    after = torch.get_rng_state()
    y.sum().backward()
    assert torch.equal(x.grad, y.detach() * 2)
    assert torch.equal(torch.get_rng_state(), after)


def test_a_function_runs_again_once_for_each_backward():
    runs = []

    def f(x):
        runs.append(torch.is_grad_enabled())
        return x.sin().exp()

    x = torch.ones(2, requires_grad=True)
    y = checkpoint(f, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert runs == [True] * 3
    with torch.no_grad():
        checkpoint(f, x, use_reentrant=False)
    assert runs == [True] * 3 + [False]


def test_recomputing_stops_with_the_last_tensor():
    seen = []

    def f(x):
        y = x.sin()
        seen.append("after")
        return y + 1

    x = torch.ones(2, requires_grad=True)
    checkpoint(f, x, use_reentrant=False).sum().backward()
    assert seen == ["after"]
    checkpoint(f, x, use_reentrant=False, early_stop=False).sum().backward()
    with checkpoints.set_checkpoint_early_stop(False):
        checkpoint(f, x, use_reentrant=False).sum().backward()
    assert seen == ["after"] * 5


def changing(*functions):
    """A function that is another one each time."""
    remaining = list(functions)
    return lambda x: remaining.pop(0)(x)


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (lambda x: x.sin().exp(), lambda x: x.sin(), "A different number of tensors was saved"),
        (lambda x: x.sin(), lambda x: x.sin().exp(), "trying to save more tensors"),
        (lambda x: x[:3].sin(), lambda x: x[:2].sin(), "different metadata"),
    ],
)
def test_another_way_the_second_time_is_an_error(first, second, text):
    x = torch.ones(4, requires_grad=True)
    y = checkpoint(changing(first, second), x, use_reentrant=False, early_stop=False)
    with pytest.raises(CheckpointError, match=text):
        y.sum().backward()


def test_an_error_can_show_the_operators_of_both():
    x = torch.ones(4, requires_grad=True)
    f = changing(lambda x: x.sin().exp(), lambda x: x.cos())
    with checkpoints.set_checkpoint_debug_enabled(True):
        y = checkpoint(f, x, use_reentrant=False)
    with pytest.raises(CheckpointError) as caught:
        y.sum().backward()
    text = str(caught.value)
    assert "$1: f32[4] = torch._ops.aten.sin.default($0)\n$2: f32[4] = torch._ops.aten.exp" in text
    assert "$1: f32[4] = torch._ops.aten.cos.default($0)" in text
    assert f"{__file__}:" in text


def test_an_input_that_was_overwritten_is_noticed():
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    y = checkpoint(torch.sin, h, use_reentrant=False)
    h.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_hooks_around_a_checkpoint_pack_its_inputs():
    packed = []
    x = torch.ones(2, requires_grad=True)
    with saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        y = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False)
    assert len(packed) == 1
    assert packed[0] is x
    y.sum().backward()


def test_autocast_is_as_it_was():
    dtypes = []

    def f(x):
        y = x @ x
        dtypes.append(y.dtype)
        return y.exp()

    x = torch.ones(2, 2, requires_grad=True)
    for use_reentrant in (False, True):
        with torch.autocast("cpu"):
            y = checkpoint(f, x, use_reentrant=use_reentrant)
        y.sum().backward()
    assert dtypes == [torch.bfloat16] * 4


def test_what_is_not_possible_says_so():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="incompatible with"):
        torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True).sum(), x)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint(torch.sin, x, use_reentrant=False, determinism_check="all")
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(torch.sin, x)
    with pytest.raises(ValueError, match="Please update the OpOverloadPacket"):
        checkpoints.create_selective_checkpoint_contexts([torch.ops.aten.mm])
    with pytest.raises(TypeError, match="either a function or a list"):
        checkpoints.create_selective_checkpoint_contexts(3)


def selective(f, x, *chosen, **options):
    contexts = partial(checkpoints.create_selective_checkpoint_contexts, list(chosen), **options)
    return checkpoint(f, x, use_reentrant=False, context_fn=contexts)


def test_chosen_results_are_kept_and_not_computed_again():
    exp, sin = torch.ops.aten.exp.default, torch.ops.aten.sin.default
    x = torch.rand(3, requires_grad=True)
    made = []

    def f(x):
        y = x.exp()
        made.append(y.detach())
        return y.sin().exp()

    for chosen in ([exp], [sin], [exp, sin], []):
        del made[:]
        out = selective(f, x, *chosen)
        (grad,) = torch.autograd.grad(out.sum(), x)
        y = x.exp()
        expected = y.sin().exp() * y.cos() * y
        assert torch.equal(grad, expected.detach())
        assert (made[0].data_ptr() == made[1].data_ptr()) == (exp in chosen)


def test_results_of_several_tensors_are_kept():
    x = torch.rand(3, 4, requires_grad=True)

    def f(x):
        values, _ = x.sort(dim=0)
        first, second = values[:2]
        var, mean = torch.var_mean(x.double() * 2, 1)
        return (first * second).sum() + var.sum() + mean.exp().sum()

    policy = partial(
        checkpoints.create_selective_checkpoint_contexts, lambda context, op, *args, **kwargs: True
    )
    (grad,) = torch.autograd.grad(checkpoint(f, x, use_reentrant=False, context_fn=policy), x)
    assert torch.equal(grad, torch.autograd.grad(f(x), x)[0])


def test_kept_results_serve_one_backward_and_must_not_be_written():
    x = torch.rand(3, requires_grad=True)
    out = selective(lambda x: x.exp().sin(), x, torch.ops.aten.exp.default)
    out.sum().backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="backward an extra time"):
        out.sum().backward()

    def written(x):
        y = x.exp()
        z = y.sin()
        y.add_(1)
        return z

    out = selective(written, x, torch.ops.aten.exp.default)
    with pytest.raises(RuntimeError, match="has been mutated"):
        out.sum().backward()


def test_backwards_can_share_what_is_recomputed():
    runs = []

    def f(x):
        runs.append(None)
        return x.sin(), x.exp()

    x = torch.ones(2, requires_grad=True)
    a, b = checkpoint(f, x, use_reentrant=False)
    with checkpoints.GraphExecGroup():
        a.sum().backward()
        b.sum().backward()
        with pytest.raises(RuntimeError, match="cannot be nested"), checkpoints.GraphExecGroup():
            pass
    assert len(runs) == 2


def test_what_lost_its_history_since_is_refused():
    x = torch.ones(2, requires_grad=True)
    given = x * 2
    result = checkpoint(lambda x: x.sin() * x, given, use_reentrant=False)
    given.detach_()
    with pytest.raises(RuntimeError, match="detached in-place"):
        result.sum().backward()
    checkpoint(lambda x: x.sin().detach_() * x, x * 2, use_reentrant=False).sum().backward()
    assert torch.equal(x.grad, torch.full((2,), 2.0).sin() * 2)
