"""torch.autograd.graph.saved_tensors_hooks and its relatives."""

import gc
import threading
import weakref

import pytest

import minitorch as torch
from minitorch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def noting(calls, name=""):
    """Hooks that note the tensors that they see."""
    return saved_tensors_hooks(
        lambda t: calls.append((f"pack{name}", t.tolist())) or t.detach(),
        lambda t: calls.append((f"unpack{name}", t.tolist())) or t,
    )


def test_inputs_and_outputs_are_packed_in_torchs_order():
    calls = []
    x, w = leaf(1.0), leaf(2.0)
    with noting(calls):
        y = x / w
        z = w.pow(x)
    (y + z).sum().backward()
    order = [2.0], [1.0], [1.0], [2.0], [2.0]
    packed = [("pack", value) for value in order]
    assert calls == packed + [("unpack", value) for value in (*order[2:], *order[:2])]


def test_gradients_are_computed_from_what_is_unpacked():
    x = leaf(3.0)
    with saved_tensors_hooks(lambda t: t.item(), lambda number: torch.tensor([number + 1])):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [8.0]


def test_the_innermost_pair_is_used_and_none_outside():
    calls = []
    x = leaf(1.0)
    with noting(calls, " outer"):
        with noting(calls, " inner"):
            x.exp()
        x.exp()
    x.exp()
    assert [name for name, _ in calls] == ["pack inner", "pack outer"]


def test_hooks_belong_to_their_thread():
    calls = []
    x = leaf(1.0)
    with noting(calls):
        thread = threading.Thread(target=lambda: x.exp().backward())
        thread.start()
        thread.join()
    assert not calls


def test_an_unpacked_leaf_takes_the_gradient_for_the_true_one():
    x = leaf(2.0)
    with saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x * x * x
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    first.sum().backward()
    assert x.grad.tolist() == [12.0]
    seen = (x * x).grad_fn._saved_self
    assert seen is x


def test_an_unpacked_leaf_is_a_leaf():
    x = leaf(2.0)
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * x
    seen = y.grad_fn._saved_self
    assert (seen is x, seen.is_leaf, seen.requires_grad, seen.grad_fn) == (False, True, True, None)


def test_an_unpacked_output_leads_to_its_own_node():
    x = leaf(1.0)
    with saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        y = x.exp()
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn


def test_versions_are_not_compared():
    y = leaf(1.0) * 1
    with saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        z = y * y
    y.zero_()
    z.sum().backward()


def test_another_shape_and_another_dtype():
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(lambda t: t.detach(), lambda t: t.double()):
        y = x * x
    y.sum().backward()
    assert x.grad.dtype is torch.float32
    with saved_tensors_hooks(lambda t: t, lambda t: torch.ones(5)):
        z = x * x
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        z.sum().backward()


def test_what_was_packed_is_freed_unless_retained():
    kept = []

    class Box:
        pass

    def pack(tensor):
        box = Box()
        kept.append(weakref.ref(box))
        return box

    gc.disable()
    try:
        x = leaf(1.0)
        with saved_tensors_hooks(pack, lambda box: torch.ones(1)):
            y = x * x
        y.backward(retain_graph=True)
        assert all(ref() is not None for ref in kept)
        y.backward()
        assert all(ref() is None for ref in kept)
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
    finally:
        gc.enable()


def test_writes_are_packed_too():
    calls = []
    y = leaf(1.0, 2.0) * 1
    with noting(calls):
        y[torch.tensor([True, False])] = leaf(3.0)
        y[:1].exp_()
        y.mul_(leaf(2.0, 2.0))
    assert len(calls) == 4


@pytest.mark.parametrize(
    ("pack", "unpack", "error", "match"),
    [
        (lambda t: t.mul_(2), lambda t: t, RuntimeError, "modifying its input in place"),
        (lambda t: t, lambda t: 3, TypeError, "expected to be a Tensor but got result of type int"),
        (lambda t: {}[1], lambda t: t, KeyError, "1"),
        (lambda t: t, lambda t: {}[1], KeyError, "1"),
        (1, 2, TypeError, "incompatible function arguments"),
    ],
)
def test_hooks_that_misbehave(pack, unpack, error, match):
    x = torch.ones(1, requires_grad=True)

    def run():
        with saved_tensors_hooks(pack, unpack):
            y = x * torch.ones(1)
        y.backward()

    with pytest.raises(error, match=match):
        run()
    (x * x).backward()


def test_disabled_hooks_say_why():
    with disable_saved_tensors_hooks("outer"):
        with disable_saved_tensors_hooks("inner"), pytest.raises(RuntimeError, match="inner"):
            save_on_cpu().__enter__()
        with pytest.raises(RuntimeError, match="outer"):
            save_on_cpu().__enter__()
    with save_on_cpu(), pytest.raises(RuntimeError, match="why"):
        disable_saved_tensors_hooks("why").__enter__()


def test_save_on_cpu_changes_no_gradient():
    x = leaf(1.0, 2.0)
    with save_on_cpu():
        y = (x * x).exp()
    y.sum().backward()
    expected = x.grad
    x.grad = None
    (x * x).exp().sum().backward()
    assert torch.equal(x.grad, expected)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y, None)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y, _ = ctx.saved_tensors
        assert y.grad_fn is not None
        return grad * 2 * x


def test_a_functions_tensors_are_packed_and_unpacked_each_time():
    calls = []
    x = leaf(3.0)
    with noting(calls):
        y = Square.apply(x)
    assert y.grad_fn.saved_tensors[2] is None
    y.backward()
    assert [name for name, _ in calls] == ["pack"] * 2 + ["unpack"] * 4
    assert x.grad.tolist() == [6.0]


def test_hooks_of_one_saved_tensor():
    x = leaf(3.0)
    y = x * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t.detach(), lambda t: t + 1)
    y.backward()
    assert x.grad.tolist() == [7.0]
    z = Square.apply(x)
    z.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: 5.0, lambda t: torch.tensor([t]))
    z.grad_fn._raw_saved_tensors[1].register_hooks(lambda t: t, lambda t: t)
    x.grad = None
    z.backward()
    assert x.grad.tolist() == [10.0]
    i = leaf(1.0, 2.0)[torch.tensor([1])]
    i.grad_fn._raw_saved_indices[0].register_hooks(lambda t: t, lambda t: t * 0)
    assert i.grad_fn._saved_indices[0].tolist() == [0]
    assert i.grad_fn._raw_saved_indices[0].data.tolist() == [1]


def test_hooks_of_one_saved_tensor_that_is_refused():
    x = leaf(3.0)
    y = x * torch.ones(1)
    node = y.grad_fn
    with pytest.raises(RuntimeError, match="value None"):
        node._raw_saved_self.register_hooks(len, len)
    with pytest.raises(TypeError, match="incompatible"):
        node._raw_saved_other.register_hooks(len)
    node._raw_saved_other.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="only one pair"):
        node._raw_saved_other.register_hooks(len, len)
    y.backward()
    with pytest.raises(RuntimeError, match="after it has been freed"):
        node._raw_saved_other.register_hooks(len, len)
    with pytest.raises(RuntimeError, match="forbidden"):
        type(node._raw_saved_other)()
    with pytest.raises(AttributeError):
        _ = x.sum().grad_fn._raw_saved_self_sym_sizes


def test_unpack_hook_of_what_no_hook_packed_is_none():
    x = leaf(3.0)
    nodes = [(x * x).grad_fn, x.exp().grad_fn, (x * torch.ones(1)).grad_fn]
    raws = [nodes[0]._raw_saved_self, nodes[1]._raw_saved_result, nodes[2]._raw_saved_self]
    assert [raw.unpack_hook for raw in raws] == [None, None, None]
    with pytest.raises(AttributeError, match="no setter"):
        raws[0].unpack_hook = len


def test_unpack_hook_is_the_function_and_is_not_called():
    def unpack(t):
        raise AssertionError("looking must not unpack")

    x = leaf(3.0)
    y = x * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t, unpack)
    assert y.grad_fn._raw_saved_self.unpack_hook is unpack
    assert y.grad_fn._raw_saved_other.unpack_hook is None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        nodes = [x.exp().grad_fn, Square.apply(x).grad_fn, leaf(1.0)[torch.tensor([0])].grad_fn]
    assert nodes[0]._raw_saved_result.unpack_hook is unpack
    assert [raw.unpack_hook for raw in nodes[1]._raw_saved_tensors][:2] == [unpack, unpack]
    assert nodes[2]._raw_saved_indices[0].unpack_hook is unpack


def test_unpack_hook_of_a_checkpoint_recomputes_nothing_when_asked():
    calls = []

    def run(x):
        calls.append(x)
        return x.exp().sin()

    y = torch.utils.checkpoint.checkpoint(run, leaf(3.0), use_reentrant=False)
    assert y.grad_fn._raw_saved_self.unpack_hook is not None
    assert len(calls) == 1


def test_unpack_hook_and_data_of_freed_saved_tensors_are_none():
    x = leaf(3.0)
    with torch.autograd.graph.save_on_cpu():
        y = x * x
    raws = [y.grad_fn._raw_saved_self, x.exp().grad_fn._raw_saved_result]
    assert raws[0].unpack_hook is not None
    y.backward(retain_graph=True)
    assert raws[0].unpack_hook is not None
    y.backward()
    assert raws[0].unpack_hook is None
    assert raws[0].data is None
    with pytest.raises(RuntimeError, match="a second time"):
        raws[0].unpack()


def test_data_of_a_saved_tensor_that_was_written_is_shown_as_it_is():
    x = leaf(3.0).clone()
    y, z = x * x, x.exp()
    x.add_(1)
    assert y.grad_fn._raw_saved_self.data is x
    z.add_(1)
    raw = z.grad_fn.next_functions[0][0]._raw_saved_result
    assert raw.data.tolist() == z.tolist()
    assert not raw.data.requires_grad


@pytest.mark.parametrize(
    "write",
    [
        lambda y, x: y.pow_(2),
        lambda y, x: y.div_(x),
        lambda y, x: y.clamp_(1, 2),
        lambda y, x: y.cumprod_(0),
        lambda y, x: y.__ipow__(3),
        lambda y, x: y[1:].pow_(2),
    ],
)
def test_what_is_overwritten_is_packed_as_it_was_before(write):
    def gradient():
        x = torch.tensor([0.5, 1.5, 2.5], requires_grad=True)
        y = x * 1
        write(y, x)
        y.sum().backward()
        return x.grad.tolist()

    expected = gradient()
    with saved_tensors_hooks(lambda x: x, lambda x: x):
        assert gradient() == expected
