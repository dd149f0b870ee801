"""autograd.Function: operators written in Python."""

import gc
import re
import weakref

import pytest

import minitorch as torch
from minitorch.autograd import Function
from minitorch.autograd.function import once_differentiable


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.shape = x.shape  # a name that nodes use for themselves
        return x * x

    @staticmethod
    def backward(ctx, grad):
        assert ctx.shape == grad.shape
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def returning(gradient):
    """A Function of one tensor and one number whose backward returns gradient(grad)."""

    class Chosen(Function):
        @staticmethod
        def forward(ctx, x, number=1):
            return x * number

        @staticmethod
        def backward(ctx, grad):
            return gradient(grad)

    return Chosen


def test_a_function_has_the_gradient_its_author_gave_it():
    x = leaf(1.0, 2.0)
    y = Square.apply(x)
    y.sum().backward()
    assert y.tolist() == [1.0, 4.0]
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_function_can_be_differentiated_twice():
    x = leaf(3.0)
    (first,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert (first.item(), second.item()) == (6.0, 2.0)


def test_a_saved_output_leads_back_to_its_own_node():
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    x = leaf(1.0)
    y = Exp.apply(x)
    assert y.grad_fn.saved_tensors[0].grad_fn is y.grad_fn
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.item() == y.item()


def test_nodes_are_named_after_the_function():
    node = Square.apply(leaf(1.0)).grad_fn
    assert node.name() == "SquareBackward"
    assert re.fullmatch(
        r"<torch\.autograd\.function\.SquareBackward object at 0x[0-9a-f]+>", repr(node)
    )
    assert [name for _, name in node.next_functions] == [0]


def test_forward_is_not_recorded_and_backward_only_under_create_graph():
    modes = []

    class Watching(Function):
        @staticmethod
        def forward(ctx, x):
            modes.append(torch.is_grad_enabled())
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            modes.append(torch.is_grad_enabled())
            return grad

    x = leaf(1.0)
    Watching.apply(x).sum().backward()
    torch.autograd.grad(Watching.apply(x).sum(), x, create_graph=True)
    assert modes == [False, False, False, True]


def test_setup_context_sees_inputs_and_output():
    class Scale(Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor = inputs[1]
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx, grad):
            assert ctx.saved_tensors[0].tolist() == [8.0]
            return grad * ctx.factor, None

    x = leaf(2.0)
    Scale.apply(x, 4).backward()
    assert x.grad.tolist() == [4.0]


def two_outputs(materialize, received):
    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            received.extend([first, second])
            return second * 3

    return Two


@pytest.mark.parametrize(("materialize", "expected"), [(True, [0.0]), (False, None)])
def test_an_unused_output_has_a_gradient_of_zeros_or_none(materialize, expected):
    received, x = [], leaf(1.0)
    _, used = two_outputs(materialize, received).apply(x)
    used.backward()
    assert used.output_nr == 1
    assert x.grad.tolist() == [3.0]
    assert (received[0].tolist() if materialize else received[0]) == expected


def test_outputs_marked_as_non_differentiable_have_no_history():
    class Mask(Function):
        @staticmethod
        def forward(ctx, x):
            mask = x * 0
            ctx.mark_non_differentiable(mask)
            return x * 2, mask, "text"

        @staticmethod
        def backward(ctx, grad, _mask, _text):
            return grad * 2

    x = leaf(1.0)
    y, mask, text = Mask.apply(x)
    assert (y.requires_grad, mask.requires_grad, text) == (True, False, "text")
    y.backward()
    assert x.grad.tolist() == [2.0]


class Double(Function):
    """Doubles its input in place."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def test_a_written_input_is_returned_itself():
    x = leaf(1.0, 2.0)
    z = x * 1
    y = Double.apply(z)
    y.sum().backward()
    assert y is z
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_written_view_changes_the_history_of_its_base():
    x = leaf(1.0, 2.0)
    z = x * 1
    Double.apply(z[:1])
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 1.0]


def test_a_written_leaf_is_refused():
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used"):
        Double.apply(leaf(1.0))


def test_an_input_returned_as_it_was_is_a_view_that_must_not_be_written():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = leaf(1.0)
    y = Same.apply(x)
    assert y is not x
    assert y._base is x
    y.backward()
    assert x.grad.tolist() == [3.0]
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        y.add_(1)


def test_saved_tensors_are_freed_and_checked_for_writes():
    x = leaf(1.0)
    y = Square.apply(x)
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    z = x * 1
    y = Square.apply(z)
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_needs_input_grad_tells_the_arguments_apart():
    ctx_seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx, a, b, c):
            ctx_seen.append(ctx.needs_input_grad)
            return a * b

        @staticmethod
        def backward(ctx, grad):
            return grad, None, None

    Product.apply(torch.ones(1), leaf(1.0), 5)
    assert ctx_seen == [(False, True, False)]


def test_without_grad_nothing_is_recorded():
    with torch.no_grad():
        assert Square.apply(leaf(1.0)).grad_fn is None
    assert Square.apply(torch.ones(1)).grad_fn is None


@pytest.mark.parametrize(
    ("gradient", "message"),
    [
        (lambda g: g, r"returned an incorrect number of gradients \(expected 2, got 1\)"),
        (lambda g: (g, None, g), r"incorrect number of gradients \(expected 2, got 3\)"),
        (lambda g: (g, g), "returned a gradient different than None at position 2"),
        (lambda g: (5, None), r"expected Variable or None \(got int\)"),
        (lambda g: (torch.ones(3), None), r"got \[3\] but expected shape compatible with \[2\]"),
    ],
)
def test_wrong_gradients_are_refused(gradient, message):
    y = returning(gradient).apply(leaf(1.0, 2.0), 3)
    with pytest.raises(RuntimeError, match=message):
        y.sum().backward()


@pytest.mark.parametrize("gradient", [lambda g: (g, None), lambda g: (g, None, None)])
def test_trailing_nones_are_dropped_and_keywords_take_their_place(gradient):
    x = leaf(1.0)
    returning(gradient).apply(x, number=3).backward()
    assert x.grad.tolist() == [1.0]


def test_none_means_no_gradient():
    x = leaf(1.0)
    returning(lambda g: (None, None)).apply(x, 3).backward()
    assert x.grad is None


def test_a_gradient_that_may_be_taken_once_cannot_be_differentiated():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    x = leaf(3.0)
    weight = leaf(1.0)
    (first,) = torch.autograd.grad((Once.apply(x) * weight).sum(), x, create_graph=True)
    assert first.item() == 6.0
    with pytest.raises(RuntimeError, match="trying to differentiate twice"):
        first.backward()


def test_missing_methods_are_named():
    class Empty(Function):
        pass

    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        Empty.apply(leaf(1.0))
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward"):
        Square.__call__(None, leaf(1.0))


def test_only_tensors_can_be_saved():
    class Saving(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(5)

    with pytest.raises(TypeError, match="can only save variables, but argument 0 is of type int"):
        Saving.apply(leaf(1.0))


def test_a_graph_with_functions_is_freed_without_the_collector():
    gc.disable()
    try:
        y = Square.apply(Square.apply(leaf(1.0)))
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_the_ctx_stands_for_the_node():
    seen = []

    class Noting(Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(ctx)
            ctx.edges = ctx.shape = 5  # names that nodes use for themselves
            assert len(ctx.next_functions) == 1
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor

    x = leaf(1.0)
    y = Noting.apply(x)
    (ctx,) = seen
    assert y.grad_fn is ctx
    assert y.exp().grad_fn.next_functions == ((ctx, 0),)
    y.grad_fn.factor = 7
    y.backward()
    assert x.grad.tolist() == [7.0]
    assert [base.__name__ for base in type(ctx).__mro__][:5] == [
        "NotingBackward",
        "BackwardCFunction",
        "_FunctionBase",
        "FunctionCtx",
        "_HookMixin",
    ]


def test_a_ctx_knows_its_edges_after_its_graph_is_gone():
    kept = []

    class Keeping(Function):
        @staticmethod
        def forward(ctx, x):
            kept.append(ctx)
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    gc.disable()
    try:
        x = leaf(1.0)
        Keeping.apply(x)
        (ctx,) = kept
        assert ctx.next_functions[0][0].variable is x
        assert ctx.saved_tensors[0] is x
        torch.autograd.backward(torch.autograd.graph.GradientEdge(ctx, 0), torch.ones(1))
        assert x.grad.tolist() == [3.0]
        gone = weakref.ref(ctx)
        kept.clear()
        del ctx
        assert gone() is None
    finally:
        gc.enable()


def test_marks_must_be_tensors():
    class Marking(Function):
        @staticmethod
        def forward(ctx, x, how):
            how(ctx)
            return x

    x = leaf(1.0)
    for how, error, match in (
        (lambda ctx: ctx.mark_dirty(3), RuntimeError, "mark_dirty can only accept variables"),
        (lambda ctx: ctx.mark_non_differentiable(3), RuntimeError, "only accepts variable"),
        (lambda ctx: ctx.save_for_backward(3), TypeError, "argument 0 is of type int"),
        (
            lambda ctx: ctx.save_for_forward(3),
            AssertionError,
            "expects all arguments to be tensors",
        ),
        (lambda ctx: ctx.set_materialize_grads(3), TypeError, "invalid combination"),
        (lambda ctx: setattr(ctx, "to_save", [x]), RuntimeError, "expected to be a tuple"),
    ):
        with pytest.raises(error, match=match):
            Marking.apply(x, how)


def test_a_view_is_written_in_one_output_only():
    class Writing(Function):
        @staticmethod
        def forward(ctx, x, several):
            ctx.mark_dirty(x)
            return (x.mul_(2), x * 3) if several else x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    x = leaf(1.0, 2.0)
    y = x * 1
    Writing.apply(y[:1], False)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 1.0]
    with pytest.raises(RuntimeError, match="cannot return more than one Tensor"):
        Writing.apply((x * 1)[:1], True)


def test_setup_context_sees_the_defaults_and_must_not_save_what_is_returned():
    class Apart(Function):
        @staticmethod
        def forward(x, factor=2):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            assert inputs[1] == 2
            ctx.save_for_backward(output)

    with pytest.raises(RuntimeError, match="returned as-is as output is being saved"):
        Apart.apply(leaf(1.0))


def test_saved_tensors_cleared_on_access_and_gradients_in_a_box():
    class Sparing(Function):
        clear_saved_tensors_on_access = True
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grads):
            (x,) = ctx.saved_tensors
            with pytest.raises(RuntimeError, match="only be accessed once"):
                _ = ctx.saved_tensors
            return grads.pop() * 2 * x

    x = leaf(3.0)
    Sparing.apply(x).backward()
    assert x.grad.tolist() == [6.0]


def test_a_function_that_gets_no_gradient_runs_all_the_same():
    received = []

    class Nothing(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            received.append(grad.tolist())

    x = leaf(1.0)
    for create_graph in (False, True):
        y = Nothing.apply(Nothing.apply(x * 2))
        torch.autograd.grad(y, x, create_graph=create_graph, allow_unused=True)
    assert received == [[1.0], [0.0]] * 2


def test_nothing_leads_on_from_a_gradient_that_must_not_be_differentiated():
    class Once(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return grad, None

    x, grad = leaf(1.0), leaf(2.0)
    (first,) = torch.autograd.grad(Once.apply(x, x), x, grad, create_graph=True)
    assert first.grad_fn.name() == "torch::autograd::Error"
    with pytest.raises(RuntimeError, match="not have been used"):
        torch.autograd.grad(first, grad, retain_graph=True)
    with pytest.raises(RuntimeError, match="differentiate twice"):
        first.backward()


def test_functions_as_they_were_written_once():
    class Nested(torch.autograd.function.NestedIOFunction):
        @staticmethod
        def forward(ctx, x):
            return x

    node = Nested._backward_cls()
    torch.autograd.function.NestedIOFunction.save_for_backward(node, [leaf(1.0), (leaf(2.0),)])
    assert len(node.to_save) == 2
    with pytest.raises(ValueError, match="Auto nesting"):
        torch.autograd.function.NestedIOFunction.mark_dirty(node, "text")
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        assert torch.autograd.function.InplaceFunction(True).inplace
    ctx = torch.autograd.function.FunctionCtx()
    with pytest.warns(FutureWarning, match="mark_shared_storage"):
        ctx.mark_shared_storage()
    with pytest.warns(DeprecationWarning, match="saved_variables"):
        assert node.saved_variables == ()
    with pytest.raises(NotImplementedError, match="generate_vmap_rule"):
        Function.vmap(None, None)


def test_a_write_is_counted_once_however_often_it_is_returned():
    class Writing(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            ctx.save_for_backward(x)
            return x, x

        @staticmethod
        def backward(ctx, a, b):
            return b * 2

    x = leaf(1.0) * 1
    a, b = Writing.apply(x)
    assert a is b is x
    assert (x._version, x.output_nr) == (2, 1)
    x.add_(1)
    with pytest.raises(RuntimeError, match="output 1 of Writing, is at version 3"):
        _ = b.grad_fn.next_functions[0][0].saved_tensors


def test_a_refused_gradient_frees_nothing():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    y = Wrong.apply(leaf(1.0))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="incorrect number of gradients"):
            y.backward()
    assert y.grad_fn.saved_tensors[0].item() == 1.0


def test_no_complex_gradient_goes_to_a_real_input():
    class Turned(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 1j

    with pytest.raises(RuntimeError, match="input_is_complex == grad_is_complex"):
        Turned.apply(torch.ones(2, requires_grad=True)).sum().backward()
