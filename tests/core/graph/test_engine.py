"""The engine's rules, one by one."""

import gc
import threading
import warnings
import weakref
from contextlib import nullcontext
from types import MappingProxyType

import pytest

import minitorch as torch
from minitorch.core.graph.fit import SHAPES_CHANGED
from minitorch.utils._python_dispatch import TorchDispatchMode


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def test_backward_adds_gradients_to_the_leaves():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward()
    assert x.grad.tolist() == [3.0]
    assert y.grad.tolist() == [2.0]


def test_backward_accumulates_over_calls():
    x = leaf(2.0)
    (x * 3).backward()
    (x * 4).backward()
    assert x.grad.tolist() == [7.0]


def test_later_gradients_are_added_in_place():
    x = leaf(2.0)
    (x * 3).backward()
    first = x.grad
    (x * 4).backward()
    assert x.grad is first
    assert first._version == 1


def test_later_gradients_are_added_out_of_place_under_create_graph():
    x = leaf(2.0)
    (x * 3).backward()
    first = x.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the reference cycle, once a process
        (x * x).backward(create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [3.0]


def test_leaves_do_not_share_the_memory_of_one_gradient():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (x + y).backward(torch.tensor([1.0, 1.0]))
    x.grad.add_(1)
    assert y.grad.tolist() == [1.0, 1.0]


def test_the_callers_gradient_is_not_stolen():
    x = leaf(1.0, 2.0)
    gradient = torch.tensor([1.0, 1.0])
    (x + 0).backward(gradient)
    x.grad.add_(1)
    assert gradient.tolist() == [1.0, 1.0]


def test_a_tensor_used_twice_gets_the_sum_of_both_gradients():
    x = leaf(3.0)
    (x * x + x).backward()
    assert x.grad.tolist() == [7.0]


def test_a_result_used_by_several_operators_runs_once_after_all_of_them():
    x = leaf(2.0)
    y = x * 3
    calls = []
    y.register_hook(lambda grad: calls.append(grad.tolist()))
    (y * 2 + y * 5).backward()
    assert calls == [[7.0]]
    assert x.grad.tolist() == [21.0]


def test_backward_frees_saved_tensors_unless_retained():
    x = leaf(2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    assert x.grad.tolist() == [8.0]


def test_a_graph_that_saved_nothing_runs_again():
    x = leaf(2.0)
    y = x + 1
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0]


def test_saved_attributes_of_a_freed_node_are_refused():
    x = leaf(2.0)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = y.grad_fn._saved_self


def test_only_scalars_need_no_gradient():
    x = leaf(1.0, 2.0)
    with pytest.raises(
        RuntimeError, match="grad can be implicitly created only for scalar outputs"
    ):
        (x * 2).backward()


def test_a_tensor_without_history_is_refused():
    with pytest.raises(
        RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"
    ):
        torch.ones(1).backward()


def test_a_gradient_of_another_shape_is_refused():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of"):
        (x * 2).backward(torch.ones(3))


def test_backward_of_a_leaf_sets_its_own_gradient():
    x = leaf(2.0)
    x.backward()
    assert x.grad.tolist() == [1.0]


def test_backward_with_inputs_touches_only_those():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward(inputs=[x])
    assert x.grad.tolist() == [3.0]
    assert y.grad is None


def test_backward_with_no_inputs_is_refused():
    x = leaf(2.0)
    with pytest.raises(RuntimeError, match="cannot be empty"):
        (x * 2).backward(inputs=[])


def test_grad_returns_gradients_and_leaves_grad_alone():
    x, y = leaf(2.0), leaf(3.0)
    dx, dy = torch.autograd.grad(x * y, [x, y])
    assert (dx.tolist(), dy.tolist()) == ([3.0], [2.0])
    assert x.grad is None
    assert not dx.requires_grad


def test_grad_of_an_intermediate_result():
    x = leaf(2.0)
    y = x * 3
    (dy,) = torch.autograd.grad(y * y, y)
    assert dy.tolist() == [12.0]


def test_grad_of_an_output_with_respect_to_itself_is_the_given_gradient():
    x = leaf(2.0)
    y = x * 3
    (dy,) = torch.autograd.grad(y, y)
    assert dy.tolist() == [1.0]


def test_an_unused_input_is_refused_unless_allowed():
    x, y = leaf(2.0), leaf(3.0)
    with pytest.raises(RuntimeError, match="at index 1 appears to not have been used in the graph"):
        torch.autograd.grad(x * 2, [x, y])
    assert torch.autograd.grad(x * 2, [x, y], allow_unused=True)[1] is None
    zeros = torch.autograd.grad(x * 2, [x, y], materialize_grads=True)[1]
    assert zeros.tolist() == [0.0]


def test_an_input_without_grad_is_refused():
    x = leaf(2.0)
    with pytest.raises(
        RuntimeError, match="One of the differentiated Tensors does not require grad"
    ):
        torch.autograd.grad(x * 2, torch.ones(1))


def test_materialize_grads_contradicts_allow_unused_false():
    x = leaf(2.0)
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
        torch.autograd.grad(x * 2, x, allow_unused=False, materialize_grads=True)


def test_several_outputs_add_up():
    x = leaf(2.0)
    (dx,) = torch.autograd.grad([x * 2, x * 3], x, [torch.ones(1), torch.ones(1)])
    assert dx.tolist() == [5.0]


def test_create_graph_gives_gradients_that_have_gradients():
    x = leaf(2.0)
    (d1,) = torch.autograd.grad(x * x * x, x, create_graph=True)
    (d2,) = torch.autograd.grad(d1, x, create_graph=True)
    (d3,) = torch.autograd.grad(d2, x)
    assert (d1.tolist(), d2.tolist(), d3.tolist()) == ([12.0], [12.0], [6.0])


def test_broadcast_operands_get_gradients_of_their_own_shape():
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    z = torch.ones(2, 1, requires_grad=True)
    (x * y * z).sum().backward()
    assert y.grad.tolist() == [2.0, 2.0, 2.0]
    assert z.grad.tolist() == [[3.0], [3.0]]


def test_operands_of_other_dtypes_get_gradients_of_their_own_dtype():
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad.dtype is torch.float32
    assert y.grad.dtype is torch.float64


def test_hooks_run_from_the_youngest_node_to_the_oldest():
    x = leaf(2.0)
    log = []
    x.register_hook(lambda grad: log.append("x"))
    y = x * 2
    y.register_hook(lambda grad: log.append("y"))
    z = y * 3
    z.register_hook(lambda grad: log.append("z"))
    z.backward()
    assert log == ["z", "y", "x"]


def test_a_leaf_accumulates_as_soon_as_its_last_gradient_arrived():
    x, w = leaf(2.0), leaf(3.0)
    log = []
    w.register_hook(lambda grad: log.append("w"))
    y = x * 2
    y.register_hook(lambda grad: log.append("y"))
    (y * w).backward()
    assert log == ["w", "y"]


def test_a_hook_can_replace_the_gradient():
    x = leaf(2.0)
    handle = x.register_hook(lambda grad: grad * 10)
    (x * 3).backward()
    assert x.grad.tolist() == [30.0]
    handle.remove()
    (x * 3).backward()
    assert x.grad.tolist() == [33.0]


def test_retain_grad_keeps_the_gradient_of_a_result():
    x = leaf(2.0)
    y = x * 3
    y.retain_grad()
    assert y.retains_grad
    (y * y).backward()
    assert y.grad.tolist() == [12.0]


def test_reading_the_gradient_of_a_result_warns():
    y = leaf(2.0) * 3
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_accumulate_grad_is_one_object_per_leaf():
    x = leaf(2.0)
    first, second = (x * 2).grad_fn, (x * 3).grad_fn
    node = first.next_functions[0][0]
    assert node is second.next_functions[0][0]
    assert node.variable is x
    assert type(node).__name__ == "AccumulateGrad"


def test_next_functions_lead_from_node_to_node():
    x = leaf(2.0)
    y = x.exp()
    z = y * 2
    assert z.grad_fn.next_functions == ((y.grad_fn, 0), (None, 0))
    assert z.grad_fn.name() == "MulBackward0"


def test_nothing_is_recorded_under_no_grad():
    x = leaf(2.0)
    with torch.no_grad():
        y = x * 2
        with torch.enable_grad():
            z = x * 2
    assert not y.requires_grad
    assert z.requires_grad


def test_no_grad_decorates_functions_and_generators():
    x = leaf(2.0)

    @torch.no_grad()
    def double(t):
        return t * 2

    @torch.no_grad
    def steps(t):
        yield t * 2
        yield torch.is_grad_enabled()

    assert not double(x).requires_grad
    steps_of_x = steps(x)
    assert not next(steps_of_x).requires_grad
    assert torch.is_grad_enabled()
    assert next(steps_of_x) is False


def test_set_grad_enabled_acts_at_once_and_as_a_context():
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)


def test_grad_mode_belongs_to_the_thread():
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_backward_restores_grad_mode_after_an_error():
    x = leaf(2.0)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    assert torch.is_grad_enabled()


def test_graphs_are_freed_by_reference_counts_alone():
    gc.collect()
    gc.disable()
    try:
        x = leaf(2.0)
        y = x.exp() * x
        node = weakref.ref(y.grad_fn)
        inner = weakref.ref(y.grad_fn.next_functions[0][0])
        y.backward()
        del y
        assert node() is None
        assert inner() is None
        reference = weakref.ref(x)
        del x
        assert reference() is None
    finally:
        gc.enable()


def test_a_deep_chain_neither_recurses_nor_leaks():
    x = leaf(1.0)
    y = x
    for _ in range(50_000):
        y = y * 1.0
    y.backward()
    assert x.grad.tolist() == [1.0]
    del y


def test_backward_runs_in_several_threads_at_once():
    def work(results):
        x = leaf(2.0)
        for _ in range(50):
            x.grad = None
            (x * x).exp().log().backward()
        results.append(round(x.grad.item(), 4))

    results = []
    threads = [threading.Thread(target=work, args=(results,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [4.0] * 4


def test_a_saved_input_written_in_place_is_noticed():
    x, w = leaf(2.0), torch.tensor([3.0])
    y = x * w
    w.add_(1)
    with pytest.raises(
        RuntimeError,
        match=r"\[torch.FloatTensor \[1\]\] is at version 1; expected version 0 instead",
    ):
        y.backward()


def test_a_saved_output_written_in_place_is_noticed():
    x = leaf(2.0)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        y.backward()


def test_a_value_saved_after_a_write_is_good_until_the_next():
    x, w = leaf(2.0), torch.tensor([3.0])
    w.add_(1)
    (x * w).backward()
    assert x.grad.tolist() == [4.0]


def test_gradients_through_hooks_on_nodes():
    x = leaf(2.0)
    y = x * 3
    seen = []
    y.grad_fn.register_hook(
        lambda inputs, outputs: seen.append((inputs[0].item(), outputs[0].item()))
    )
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 2,))
    y.backward()
    assert seen == [(6.0, 2.0)]
    assert x.grad.tolist() == [6.0]


def test_post_accumulate_hooks_see_the_leaf():
    x = leaf(2.0)
    x.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, "grad", None))
    (x * 3).backward()
    assert x.grad is None


def test_the_sum_of_two_gradients_lies_as_the_first():
    x = torch.ones(2, 3, 2, requires_grad=True)
    first = torch.ones(2, 2, 3).transpose(1, 2)
    y, z = x * 1.0, x * 1.0
    grads = torch.autograd.grad((z, y), x, (first, torch.ones(2, 3, 2)), retain_graph=True)
    assert grads[0].stride() == first.stride()


def test_a_gradient_is_real_before_it_is_summed():
    x = torch.ones(3, requires_grad=True)
    y = torch.ones(3, 3, dtype=torch.complex128)
    (g,) = torch.autograd.grad(x.double() * y, x, torch.ones_like(y))
    assert (g.stride(), g.dtype) == ((1,), torch.float32)


def test_a_node_whose_gradient_is_asked_for_does_not_run():
    x = torch.ones(2, requires_grad=True)
    h = x * x
    ran = []
    h.grad_fn.register_hook(lambda *grads: ran.append(grads))
    assert torch.autograd.grad((h**2).sum(), h)[0].tolist() == [2.0, 2.0]
    assert not ran
    h.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert len(ran) == 1


def test_a_root_gradient_must_fit_the_node_whose_data_was_replaced():
    x = torch.ones(2, requires_grad=True)
    y = torch.cat([x, x])
    y.data = torch.ones(())
    with pytest.raises(RuntimeError, match=r"^invalid gradient at index 0 - got \[\] but expected"):
        torch.autograd.grad(y, x)
    y.data = torch.ones(3, 4)
    (grad,) = torch.autograd.grad(y, x, torch.ones(3, 4))
    assert grad.tolist() == [6.0, 6.0]


def test_gradients_that_are_views_are_not_written_in_grad_mode():
    x = torch.ones(1, 1, requires_grad=True)
    (grad,) = torch.autograd.grad(x.t(), x)
    assert grad._is_view()
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        grad.add_(x)


def test_leaves_that_were_complete_have_gradients_after_a_failure():
    class Fail(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("no")

    a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
    total = (Fail.apply(a * 1) * a * b + c).sum()
    with pytest.raises(ValueError, match="no"):
        total.backward()
    assert b.grad.tolist() == [2.0, 2.0]
    assert c.grad.tolist() == [1.0, 1.0]
    assert a.grad is None


def test_a_gradient_that_does_not_fit_leaves_what_its_node_saved():
    x = torch.ones(2, 2, 1, requires_grad=True)
    y = x * 1
    with torch.no_grad():
        y.transpose_(0, -1)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="MulBackward0 returned an invalid gradient at index 0"):
        y.sum().backward()
    assert y.grad_fn._saved_other == 2


def test_a_graph_keeps_the_shape_that_its_leaf_had():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 2
    with torch.no_grad():
        x.unsqueeze_(0)
    (found,) = torch.autograd.grad((x * 3).sum(), x)
    assert found.shape == (3,)
    y.sum().backward()
    assert x.grad.tolist() == [[2.0, 2.0, 2.0]]
    del y
    (found,) = torch.autograd.grad((x * 3).sum(), x)
    assert found.shape == (1, 3)


def test_an_input_that_leads_nowhere_lets_no_node_run():
    x = leaf(1.0, 2.0) * 1
    with torch.no_grad():
        y = x[:]
    z = y * leaf(1.0, 1.0)
    assert torch.autograd.grad(z, [z, y], torch.ones(2), allow_unused=True)[1] is None


def test_gradients_by_name():
    model = torch.nn.Linear(2, 1)
    parameters = dict(model.named_parameters())
    found = torch.autograd.grad(model(torch.ones(1, 2)).sum(), parameters)
    assert {name: grad.tolist() for name, grad in found.items()} == {
        "weight": [[1.0, 1.0]],
        "bias": [1.0],
    }
    with pytest.raises(TypeError, match="must be a dict, not mappingproxy"):
        torch.autograd.grad(model(torch.ones(1, 2)).sum(), MappingProxyType(parameters))


def test_there_are_as_many_gradients_as_outputs():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        torch.autograd.grad([x * 2, x * 3], x, [torch.ones(2)])
    with pytest.raises(RuntimeError, match="got 1 tensors and 0 gradients"):
        torch.autograd.backward([x.sum()], [])


def test_what_leads_nowhere_is_asked_for_no_gradient():
    x = torch.ones(2, 3, requires_grad=True)
    with torch.no_grad():
        y = x.t()
    z = torch.ones(2, 3, requires_grad=True)
    (y @ z).sum().backward()
    (z @ y).sum().backward()
    assert z.grad.tolist() == [[5.0] * 3] * 2
    assert x.grad is None


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_nodes_that_run_on_tensors_keep_their_class_in_later_backwards(device):
    class Passing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    y = (torch.ones(3, device=device, requires_grad=True) * 2).exp().sum()
    kinds = set()
    with Passing() if device == "cpu" else nullcontext():
        for _ in range(3):
            y.backward(retain_graph=True)
            kinds.add(type(y.grad_fn))
    assert len(kinds) == 1


def test_an_error_of_a_function_that_backward_calls_is_raised_at_once():
    calls = []

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            calls.append(grad)
            raise ValueError("mine")

    y = Fails.apply(torch.ones(2, requires_grad=True)).sum()
    SHAPES_CHANGED.hold(y.grad_fn)
    with pytest.raises(ValueError, match="mine"):
        y.backward()
    assert len(calls) == 1


def test_what_has_no_derivative_refuses_also_where_no_gradient_came():
    class Forgetful(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    x = torch.tensor([0.5, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide"):
        Forgetful.apply(x, x // 2).sum().backward()
    with pytest.raises(NotImplementedError, match="derivative for 'igamma: input'"):
        torch.autograd.grad(Forgetful.apply(x, torch.igamma(x, x)).sum(), x)
