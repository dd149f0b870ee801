"""Latches: the fast paths are taken again once nothing is left that kept the process off them."""

import gc
import threading

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.autograd.graph import register_multi_grad_hook
from minitorch.core.base.latches import Latch
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.graph.fit import SHAPES_CHANGED
from minitorch.core.graph.hooks import ANY_HOOKS
from minitorch.core.graph.views import INTEGER_HISTORY
from minitorch.nn.modules import module as modules
from minitorch.nn.modules.calling import ANY_GLOBAL


class Reason:
    """Something that can be referenced weakly."""


@pytest.fixture(autouse=True)
def no_leftovers():
    """Forgets the hooks that other tests left behind, where one that fails keeps its variables."""
    gc.collect()
    for latch in (ANY_HOOKS, ANY_GLOBAL, SHAPES_CHANGED):
        latch.clear()


def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)


def test_a_latch_opens_when_its_reasons_have_died_or_are_released():
    latch, reasons = Latch(), [Reason(), Reason()]
    for each in reasons:
        latch.hold(each)
        latch.hold(each)
    assert len(latch) == 2
    latch.release(reasons[0])
    latch.release(reasons[0])
    assert len(latch) == 1
    del each
    reasons.clear()
    assert not latch


def hooks_on_a_node(x, y, hook):
    return y.grad_fn.register_hook(lambda grads, _: hook(grads[0]))


def hooks_before_a_node(x, y, hook):
    return y.grad_fn.register_prehook(lambda grads: hook(grads[0]))


def hooks_on_the_end_of_the_graph(x, y, hook):
    return y.grad_fn.next_functions[0][0].register_prehook(lambda grads: hook(grads[0]))


REGISTRATIONS = {
    "a leaf": lambda x, y, hook: x.register_hook(hook),
    "what was computed": lambda x, y, hook: y.register_hook(hook),
    "a leaf's .grad": lambda x, y, hook: x.register_post_accumulate_grad_hook(hook),
    "several": lambda x, y, hook: register_multi_grad_hook((x,), hook),
    "a node": hooks_on_a_node,
    "before a node": hooks_before_a_node,
    "an AccumulateGrad": hooks_on_the_end_of_the_graph,
}


@pytest.mark.parametrize("register", REGISTRATIONS.values(), ids=REGISTRATIONS)
def test_hooks_close_the_latch_until_the_last_is_removed(register):
    calls = []
    x = leaf(2.0)
    y = x * x
    first = register(x, y, lambda grad: calls.append("first"))
    second = register(x, y, lambda grad: calls.append("second"))
    second.remove()
    assert ANY_HOOKS
    y.backward(retain_graph=True)
    assert calls == ["first"]
    first.remove()
    assert not ANY_HOOKS
    y.backward(retain_graph=True)
    assert calls == ["first"]
    register(x, y, lambda grad: calls.append("third"))
    y.backward()
    assert calls == ["first", "third"]


def test_hooks_that_are_not_removed_close_the_latch_while_the_graph_lives():
    x = leaf(2.0)
    y = x.exp()
    y.register_hook(lambda grad: None)
    y.grad_fn.register_hook(lambda *grads: None)
    assert ANY_HOOKS
    del y
    assert not ANY_HOOKS
    x.register_hook(lambda grad: None)
    assert ANY_HOOKS
    del x
    assert not ANY_HOOKS


def test_retained_gradients_close_the_latch_while_the_graph_lives():
    x = leaf(2.0)
    y = x.exp()
    y.retain_grad()
    (y * 3).backward()
    assert y.grad.item() == 3.0
    assert ANY_HOOKS
    del y
    assert not ANY_HOOKS


def test_a_retained_gradient_that_a_write_moves_keeps_the_latch_closed():
    x = leaf(2.0)
    y = x * 2
    y.retain_grad()
    y.mul_(2)
    gc.collect()
    assert ANY_HOOKS
    (y * 3).backward()
    assert y.grad.item() == 3.0


def test_observing_walks_close_the_latch_while_they_are_on():
    with torch.autograd.set_detect_anomaly(True):
        assert ANY_HOOKS
    assert not ANY_HOOKS
    with torch.autograd.profiler.profile() as outer:
        with torch.autograd.profiler.profile():
            pass
        assert ANY_HOOKS
        leaf(2.0).exp().backward()
    assert not ANY_HOOKS
    assert any("ExpBackward0" in event.name for event in outer.function_events)


def test_an_end_of_the_graph_without_hooks_needs_no_heir(monkeypatch):
    x = leaf(2.0)
    y = x * x
    handle = y.grad_fn.next_functions[0][0].register_hook(lambda *grads: None)
    handle.remove()
    monkeypatch.setattr("minitorch.core.graph.node.nodes_with_edge_to", None)
    del y  # a search for its nodes would raise, which the interpreter would report
    assert x.grad is None


GLOBAL = {
    "before": modules.register_module_forward_pre_hook,
    "after": modules.register_module_forward_hook,
    "always": lambda hook: modules.register_module_forward_hook(
        hook, with_kwargs=True, always_call=True
    ),
    "backward": modules.register_module_full_backward_hook,
    "before backward": modules.register_module_full_backward_pre_hook,
}


@pytest.mark.parametrize("register", GLOBAL.values(), ids=GLOBAL)
def test_hooks_of_all_modules_close_their_latch_until_removed(register):
    calls = []
    first = register(lambda *args: calls.append(1))
    second = register(lambda *args: calls.append(2))
    model, x = nn.Identity(), leaf(2.0)
    first.remove()
    model(x).backward()
    assert calls == [2]
    assert ANY_GLOBAL
    second.remove()
    assert not ANY_GLOBAL
    model(x).backward()
    assert calls == [2]


def test_hooks_of_what_modules_register_leave_their_calls_alone():
    handle = modules.register_module_parameter_registration_hook(lambda *args: None)
    assert not ANY_GLOBAL
    handle.remove()


@pytest.mark.parametrize("kind", ["full_backward_hook", "full_backward_pre_hook", "backward_hook"])
def test_a_module_whose_backward_hook_was_removed_is_called_directly(kind):
    calls = []
    model, x = nn.Tanh(), leaf(2.0).clone()
    register = getattr(model, f"register_{kind}")
    handle = register(lambda *args: calls.append(kind))
    (model(x) * 2).backward(retain_graph=True)
    handle.remove()
    (model(x) * 2).backward(retain_graph=True)
    assert not model._backward_hooked
    assert not ANY_HOOKS
    register(lambda *args: calls.append("again"))
    (model(x) * 2).backward(retain_graph=True)
    assert calls == [kind, "again"]


def test_a_leaf_of_another_shape_closes_its_latch_until_its_graphs_are_gone():
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    x.data = torch.ones(3)
    with pytest.raises(RuntimeError):
        y.backward()
    assert SHAPES_CHANGED
    del y
    x.sum().backward()
    assert not SHAPES_CHANGED
    assert x.grad.tolist() == [1.0] * 3


def test_a_node_lets_go_of_what_it_saved_where_the_latch_opens_while_it_runs():
    reasons = [Reason()]
    SHAPES_CHANGED.hold(reasons[0])

    def unpack(saved):
        reasons.clear()
        return saved

    with torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, unpack):
        y = leaf(1.0, 2.0).sin()
    y.sum().backward()
    assert not SHAPES_CHANGED
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn._saved_self  # noqa: B018


def test_a_leaf_whose_grad_has_another_shape_keeps_its_latch_closed():
    x = leaf(1.0, 2.0)
    x.sum().backward()
    x.data = torch.ones(3)
    with pytest.raises(RuntimeError, match="size of tensor"):
        x.sum().backward()
    assert SHAPES_CHANGED
    x.grad = None
    x.sum().backward()
    assert not SHAPES_CHANGED


def test_a_result_of_another_shape_closes_its_latch_while_the_graph_lives():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.data = torch.ones(3)
    with pytest.raises(RuntimeError, match="shape"):
        (y * y).sum().backward()
    gc.collect()
    assert SHAPES_CHANGED
    del y
    gc.collect()
    assert not SHAPES_CHANGED


def test_a_leaf_of_another_dtype_closes_its_latch_while_old_graphs_live():
    x = leaf(1.0, 2.0)
    y = (x * 3).sum()
    x.data = x.data.double()
    (x * 2).sum().backward()
    assert SHAPES_CHANGED
    y.backward()
    assert x.grad.tolist() == [5.0, 5.0]
    del y
    assert not SHAPES_CHANGED


@pytest.mark.usefixtures("no_garbage")
def test_integers_with_a_history_are_watched_while_it_lives():
    x, part = torch.zeros(3, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
    x.fill_(torch.ones((), requires_grad=True))
    part[:1].fill_(torch.ones((), requires_grad=True))
    kept = x.float()
    for gone in (x, part):
        with pytest.raises(RuntimeError, match="Autograd not support dtype"):
            gone + 1
    del x, gone
    with pytest.raises(RuntimeError, match="Autograd not support dtype"):
        part + 1
    del part
    gc.collect()
    assert len(INTEGER_HISTORY) == 1
    assert kept.requires_grad
    del kept
    assert not INTEGER_HISTORY
    assert ASSEMBLED_GLOBALS["WATCHED"] == 1
    assert (leaf(1.0) + 1).requires_grad
    assert ASSEMBLED_GLOBALS["WATCHED"] == 0


def test_a_lazy_module_leaves_the_latches_open_once_it_has_weights():
    model = nn.LazyLinear(2)
    model(torch.ones(1, 3)).sum().backward()
    model(torch.ones(1, 3)).sum().backward()
    assert not SHAPES_CHANGED
    assert not ANY_HOOKS


def test_threads_that_add_and_remove_hooks_leave_the_latch_as_it_is():
    x = leaf(2.0)
    stays = x.register_hook(lambda grad: None)

    def work():
        for _ in range(300):
            y = leaf(1.0)
            handles = [y.register_hook(abs), x.register_hook(abs)]
            for handle in handles:
                handle.remove()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(ANY_HOOKS) == 1
    stays.remove()
    assert not ANY_HOOKS
