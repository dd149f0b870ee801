"""Numbers in formulas under create_graph: nodes as C++ makes them, not as a Python program does."""

import minitorch as torch


def names(tensor):
    """The names of the nodes behind a tensor, depth first."""
    found, waiting = [], [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and "AccumulateGrad" not in node.name():
            found.append(node.name())
            waiting.extend(into for into, _ in reversed(node.next_functions))
    return found


def gradient(function):
    x = torch.rand(3, requires_grad=True)
    y = function(x).sum()
    return torch.autograd.grad(y, x, create_graph=True)[0]


def test_numbers_in_formulas_have_overloads_of_their_own():
    assert names(gradient(torch.tan)) == [
        "MulBackward0",
        "AddBackward1",
        "PowBackward0",
        "TanBackward0",
    ]
    assert "MulBackward1" in names(gradient(torch.sqrt))


def test_a_difference_from_a_number_is_one_of_tensors():
    assert names(gradient(torch.atanh)) == ["DivBackward0", "SubBackward0", "PowBackward0"]


def test_numbers_in_the_backward_of_a_function_are_a_program_s():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x * 2

    assert names(gradient(Twice.apply))[0] == "MulBackward0"


def test_a_program_s_numbers_are_as_before_afterwards():
    gradient(torch.sqrt)
    x = torch.rand(3, requires_grad=True)
    assert names(2 * x) == ["MulBackward0"]
    assert names(1 - x) == ["RsubBackward1"]
