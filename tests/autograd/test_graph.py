"""torch.autograd.graph: nodes, gradient edges, hooks on several tensors, callbacks, writes."""

import copy
import gc
import pickle
import weakref

import pytest

import minitorch as torch
from minitorch.autograd import Variable, graph


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def test_nodes_are_nodes():
    x = leaf(1.0)
    y = x * x
    assert isinstance(y.grad_fn, graph.Node)
    assert isinstance(y.grad_fn.next_functions[0][0], graph.Node)
    assert isinstance(Double.apply(y).grad_fn, graph.Node)
    assert not isinstance(y, graph.Node)
    assert not issubclass(int, graph.Node)
    with pytest.raises(TypeError, match="abstract"):
        graph.Node()


def test_what_a_node_shows():
    x = torch.ones(2, 3, requires_grad=True)
    node = (x * x).grad_fn
    assert str(type(node)) == "<class 'MulBackward0'>"
    assert "_raw_saved_self" in dir(node)
    assert "saved_self" not in dir(node)
    assert "variable" in dir(node.next_functions[0][0])
    (meta,) = node._input_metadata
    assert (meta.shape, meta.dtype, str(meta.device)) == ([2, 3], torch.float32, "cpu")
    assert len(x.split(1)[0].grad_fn._input_metadata) == 2
    assert node.next_functions[0][0]._sequence_nr() == 2**64 - 1
    node._set_sequence_nr(5)
    assert node._sequence_nr() == 5
    node.metadata["note"] = 1
    assert node.metadata == {"note": 1}


def test_a_node_can_be_called():
    x = leaf(1.0, 2.0)
    first, second = (x * x).grad_fn(torch.ones(2))
    assert first.tolist() == second.tolist() == [1.0, 2.0]
    assert x.exp().grad_fn(torch.zeros(2)).tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match="expected 1 arguments, got 0 instead"):
        x.exp().grad_fn()
    with pytest.raises(TypeError, match="argument 0 is not a Variable"):
        x.exp().grad_fn(3)


def test_nodes_are_neither_copied_nor_pickled():
    node = leaf(1.0).exp().grad_fn
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot pickle 'ExpBackward0' object"):
            attempt(node)


def test_gradient_edges_stand_for_tensors():
    x = leaf(3.0)
    a, b = (x * torch.ones(2)).split(1)
    z = (a * b).sum()
    edges = [graph.get_gradient_edge(each) for each in (x, b, z)]
    assert edges[1] == (b.grad_fn, 1, None)
    grads = torch.autograd.grad(edges[2], edges[:2], retain_graph=True)
    assert [g.tolist() for g in grads] == [[6.0], [3.0]]
    torch.autograd.backward(edges[2], torch.tensor(2.0), inputs=edges[0])
    assert x.grad.tolist() == [12.0]


@pytest.mark.parametrize(
    ("gradient", "match"),
    [
        (torch.ones(3), "Mismatch in shape"),
        (torch.ones(2) * 1j, "Mismatch in dtype"),
        (None, "only for scalar outputs"),
    ],
)
def test_a_gradient_edge_refuses_gradients_that_do_not_fit(gradient, match):
    edge = graph.get_gradient_edge(leaf(1.0, 2.0) * 2)
    with pytest.raises(RuntimeError, match=match):
        torch.autograd.backward(edge, gradient)


def test_a_gradient_edge_that_takes_no_part():
    x, other = leaf(1.0), graph.get_gradient_edge(leaf(1.0))
    assert torch.autograd.grad(x * 2, other, allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="GradientEdge"):
        torch.autograd.grad(x * 2, other, materialize_grads=True)
    with pytest.raises(RuntimeError, match="does not require gradients"):
        graph.get_gradient_edge(torch.ones(1))


def test_things_that_are_no_tensors():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="Tensors or GradientEdges, but got int"):
        torch.autograd.grad(x * 2, [3])
    with pytest.raises(RuntimeError, match="Tensors or GradientEdges, but got int"):
        torch.autograd.backward(x * 2, inputs=[3])
    with pytest.raises(AssertionError, match=r"torch\.Tensor"):
        torch.autograd.backward([3])


def test_inputs_in_a_dict():
    x, w = leaf(1.0), leaf(2.0)
    (x * w).backward(inputs={"x": x})
    assert (x.grad.tolist(), w.grad) == ([2.0], None)


def test_increment_version():
    x = leaf(1.0)
    y = x * x
    graph.increment_version(x)
    graph.increment_version(each for each in (x, y))
    assert (x._version, y._version) == (2, 1)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        y.backward()
    with pytest.raises(RuntimeError, match="expect a Iterable"):
        graph.increment_version(3)
    with pytest.raises(RuntimeError, match="each element"):
        graph.increment_version([3])
    with torch.inference_mode():
        z = torch.ones(1)
    graph.increment_version(z)


def test_a_hook_on_several_tensors_waits_for_those_that_take_part():
    calls = []
    x, w = leaf(1.0), leaf(2.0)
    y, z = x * w, x + w
    handle = graph.register_multi_grad_hook(
        (x, w, y, z), lambda grads: calls.append([g is not None for g in grads])
    )
    y.sum().backward(retain_graph=True)
    y.sum().backward(inputs=[x], retain_graph=True)
    (y + z).backward(retain_graph=True)
    handle.remove()
    (y + z).backward()
    assert calls == [[True, True, True, False], [True, False, True, False], [True] * 4]


def test_a_hook_on_several_tensors_does_not_wait_for_the_root():
    calls = []
    x = leaf(1.0)
    y = x * 2
    graph.register_multi_grad_hook(
        (x, y), lambda grads: calls.append([g is not None for g in grads])
    )
    y.backward()
    assert calls == [[False, True], [True, False]]


def test_hooks_of_roots_that_lead_nowhere():
    calls = []
    x, w = leaf(1.0), leaf(1.0)
    y, z = x * 2, w * 2
    w.register_hook(lambda grad: calls.append("leaf"))
    z.register_hook(lambda grad: calls.append("tensor"))
    for roots in ((z, y), (w, y), (z,), (w,)):
        torch.autograd.grad(roots, x, retain_graph=True, allow_unused=True)
    assert calls == ["tensor", "leaf"]


def test_a_node_without_a_gradient_misses_what_was_freed():
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None

    x = leaf(1.0)
    y = x.exp()
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        Nothing.apply(y).backward()


def test_a_hook_on_several_tensors_for_the_first_of_them():
    calls = []
    x = leaf(1.0)
    y = x * 2
    graph.register_multi_grad_hook(
        (x, torch.ones(1), y), lambda g: calls.append(g.item()), mode="any"
    )
    (y * 3).backward(retain_graph=True)
    (y * 5).backward()
    assert calls == [3.0, 5.0]


def test_a_hook_on_several_tensors_that_is_refused():
    x = leaf(1.0)
    with pytest.raises(ValueError, match="Expects mode"):
        graph.register_multi_grad_hook((x,), print, mode="some")
    with pytest.raises(AssertionError, match="gradient function"):
        graph.register_multi_grad_hook((torch.ones(1),), print)
    graph.register_multi_grad_hook((x,), print)
    with pytest.raises(RuntimeError, match="A leaf node was passed"):
        torch.autograd.grad(x * 2, x)


def test_callbacks_come_last_and_may_queue_others():
    calls = []
    queue = Variable._execution_engine.queue_callback

    class Queueing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            queue(lambda: calls.append("first") or queue(lambda: calls.append("second")))
            calls.append("backward")
            return grad * 2

    x = leaf(1.0)
    Queueing.apply(x).backward()
    y = x * 2
    y.register_hook(lambda grad: queue(lambda: calls.append("hooked")))
    y.backward()
    assert calls == ["backward", "first", "second", "hooked"]
    with pytest.raises(RuntimeError, match="only be installed during backward pass"):
        queue(print)


def test_callbacks_of_a_failed_backward_are_forgotten():
    calls = []
    y = leaf(1.0) * 2

    def hook(grad):
        Variable._execution_engine.queue_callback(lambda: calls.append(1))
        raise KeyError("no")

    y.register_hook(hook)
    with pytest.raises(KeyError):
        y.backward()
    leaf(1.0).exp().backward()
    assert not calls


def test_a_backward_within_a_backward():
    x, w = leaf(1.0), leaf(1.0)
    y = x * 2

    def hook(grad):
        with torch.enable_grad():
            (w * x * 3).backward()

    y.register_hook(hook)
    y.backward()
    assert (x.grad.tolist(), w.grad.tolist()) == ([5.0], [3.0])


def test_saved_tensors_may_be_written_where_that_is_allowed():
    with graph.allow_mutation_on_saved_tensors() as context:
        x = leaf(1.0, 2.0)
        y = x.clone()
        z = (y**2).sum() + y.exp().sum()
        y[0] = 5
        y.mul_(3)
        assert len(context.cloned) == 1
        z.backward()
        expected = (2 * x + x.exp()).detach()
        assert torch.allclose(x.grad, expected)
        with pytest.raises(RuntimeError, match="nested"):
            graph.allow_mutation_on_saved_tensors().__enter__()
        left = x.exp().sum()
    with pytest.raises(AssertionError, match="Trying to backward outside"):
        left.backward()


def test_the_graph_is_freed_with_what_was_allowed():
    gc.disable()
    try:
        with graph.allow_mutation_on_saved_tensors():
            y = leaf(1.0).exp() * 2
            node = weakref.ref(y.grad_fn)
            del y
        assert node() is None
    finally:
        gc.enable()


def test_switches_of_other_devices():
    graph.set_warn_on_accumulate_grad_stream_mismatch(True)
    graph.set_override_stale_capture_stream(False)
    with pytest.raises(RuntimeError, match="enabled must be a bool"):
        graph.set_warn_on_accumulate_grad_stream_mismatch(3)
    for budget, error in ((True, TypeError), (2, ValueError), (0.5, RuntimeError)):
        with pytest.raises(error):
            graph.region_activation_memory_budget(budget)


def test_variable_is_what_tensors_were_called_once():
    x = torch.ones(2)
    y = Variable(x, requires_grad=True)
    assert type(y) is torch.Tensor
    assert isinstance(x, Variable)
    assert not isinstance(3, Variable)
    assert (y.requires_grad, y.data_ptr() == x.data_ptr()) == (True, True)
    with pytest.raises(TypeError, match="has to be a tensor, but got list"):
        Variable([1.0])
    with pytest.raises(RuntimeError, match="floating point and complex"):
        Variable(torch.tensor([1]), requires_grad=True)
    with pytest.warns(UserWarning, match="volatile was removed"):
        Variable(x, volatile=True)


def test_the_engine_itself():
    run = Variable._execution_engine.run_backward
    x = leaf(1.0)
    y = x * 2
    assert run((y,), (torch.ones(1),), True, False, (), accumulate_grad=True) is None
    assert x.grad.tolist() == [2.0]
    assert run((y,), (torch.ones(1),), True, False, (x,))[0].tolist() == [2.0]
    assert Variable._execution_engine.is_checkpoint_valid()


def test_a_node_takes_over_the_hooks_of_a_tensor():
    calls = []
    x = leaf(1.0)
    y, z = x * 2, x * 3
    y.register_hook(lambda grad: calls.append(grad.item()))
    z.grad_fn._register_hook_dict(y)
    z.backward()
    assert calls == [1.0]
    with pytest.raises(TypeError, match="expected a variable"):
        z.grad_fn._register_hook_dict(3)


def test_every_node_can_tell_that_it_runs(caplog):
    x = leaf(1.0, 2.0)
    total = (x.exp() * x).split(1)[0].sum()
    remove = torch.autograd.graph._register_logging_hooks_on_whole_graph([total])
    with caplog.at_level("DEBUG", "torch.autograd.graph"):
        total.backward(retain_graph=True)
        remove()
        total.backward()
    said = [record.getMessage() for record in caplog.records]
    assert [text.partition(" object")[0].removeprefix("Executing: <") for text in said] == [
        "SumBackward0",
        "SplitBackward0",
        "MulBackward0",
        "ExpBackward0",
        "AccumulateGrad",
    ]
    assert said[1].endswith("grad_outputs: [f32[1],None]")


def test_the_engine_can_be_asked_what_runs():
    from minitorch import _C

    seen = []

    class Asking(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append(_C._current_autograd_node() is ctx)
            seen.append([_C._will_engine_execute_node(node) for node in nodes])
            seen.append(_C._current_graph_task_id())
            return grad

    out, other = leaf(1.0).exp(), leaf(2.0).sin()
    nodes = [out.grad_fn, other.grad_fn]
    Asking.apply(out).sum().backward()
    assert seen[:2] == [True, [True, False]]
    Asking.apply(out.detach().requires_grad_()).sum().backward()
    assert seen[5] > seen[2] >= 0
    assert _C._current_autograd_node() is None
    assert _C._current_graph_task_id() == -1
    with pytest.raises(RuntimeError, match="only be called during the backward pass"):
        _C._will_engine_execute_node(nodes[0])


def test_a_cloned_tensor_is_not_taken_for_another_at_its_address():
    with graph.allow_mutation_on_saved_tensors() as context:
        x = torch.ones(2)
        handle = context.pack(x)
        assert context.pack(x) is handle
        context.clone_before_write(x)
        assert context.pack(x) is not handle
        assert context.unpack(handle) is not x
