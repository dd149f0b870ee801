"""Anomaly mode: what nodes note of their forward calls, what a failing backward tells."""

import warnings

import pytest

import minitorch as torch
from minitorch.autograd.anomaly_mode import explain_anomalies
from minitorch.core.base.modes import ASSEMBLED_GLOBALS


@pytest.fixture
def anomaly_mode():
    with torch.autograd.set_detect_anomaly(True):
        yield


def zeros():
    return torch.zeros(2, requires_grad=True)


def failing(backward):
    """The error of a backward, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError) as caught:
            backward()
    return caught.value, [str(each.message) for each in given if each.category is UserWarning]


def test_nodes_know_where_they_were_made_and_nothing_of_the_library(anomaly_mode):
    y = torch.nn.functional.linear(torch.ones(1, 2), zeros().expand(3, 2)).relu()
    for node in (y.grad_fn, y.grad_fn.next_functions[0][0]):
        stack = node.metadata["traceback_"]
        assert __file__ in stack[-1]
        assert not any("minitorch/core" in line or "minitorch/aten" in line for line in stack)


def test_nodes_know_nothing_outside_the_mode():
    order = ASSEMBLED_GLOBALS["next_order"]
    with torch.autograd.set_detect_anomaly(True):
        assert ASSEMBLED_GLOBALS["next_order"] is not order
    assert ASSEMBLED_GLOBALS["next_order"] is order
    assert (zeros() * 2).grad_fn.metadata == {}


def test_the_mode_warns_once_that_it_is_slow():
    with pytest.warns(UserWarning, match="This mode will increase the runtime") as given:
        torch.autograd.detect_anomaly()
    assert given[0].filename == __file__


def test_a_nan_is_an_error_and_a_warning_says_where_its_forward_stood(anomaly_mode):
    x = zeros()
    y = (x / x).sum()
    error, (warning,) = failing(y.backward)
    assert str(error) == "Function 'DivBackward0' returned nan values in its 1th output."
    assert warning.startswith("Error detected in DivBackward0. Traceback of forward call")
    assert "y = (x / x).sum()" in warning
    assert x.grad is None


def test_nan_is_let_through_where_nobody_looks():
    x = zeros()
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        (x / x).sum().backward()
    assert x.grad.isnan().all()


def test_a_backward_inside_a_backward_that_fails_is_told_of_twice(anomaly_mode):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            x = zeros()
            with torch.enable_grad():
                (x / x).sum().backward()

    y = Inner.apply(zeros()).sum()
    assert [warning.split(".")[0] for warning in failing(y.backward)[1]] == [
        "Error detected in DivBackward0",
        "\n\nPrevious calculation was induced by InnerBackward",
        "Error detected in InnerBackward",
    ]


def test_nodes_under_create_graph_know_whose_gradient_they_are(anomaly_mode):
    x = torch.ones(2, requires_grad=True)
    y = x.sin().sum()
    (grad,) = torch.autograd.grad(y, x, create_graph=True)
    assert grad.grad_fn.metadata["parent_"] is y.grad_fn.next_functions[0][0]


def test_gradients_are_those_of_a_walk_without_the_mode():
    def gradients():
        x = torch.linspace(0.1, 1, 6).reshape(2, 3).requires_grad_()
        loss = torch.nn.functional.softmax(x @ x.T, 1).log().sum() + x[0].prod()
        return torch.autograd.grad(loss, x)[0]

    expected = gradients()
    with torch.autograd.set_detect_anomaly(True):
        assert torch.equal(gradients(), expected)


def test_an_error_can_name_the_line_that_overwrote_a_saved_tensor():
    x = torch.ones(2, requires_grad=True)
    with explain_anomalies():
        y = x.exp()
        z = y[0] * 2 + y.sum()
        y[1] = 3.0  # this line
        y.add_(1)
        (note,) = failing(z.backward)[0].__notes__
    assert note.startswith("It was written by copy_, called here:")
    assert "# this line" in note


def test_an_error_can_name_the_first_operator_that_made_a_nan():
    x = torch.tensor([-1.0, 1.0], requires_grad=True)
    with explain_anomalies():
        y = x.sqrt()  # this line
        (note,) = failing((y * y.detach() + y).exp().sum().backward)[0].__notes__
    assert note.startswith("The first NaN was made by sqrt, called here:")
    assert "# this line" in note


def test_an_error_can_say_that_only_the_gradient_is_nan():
    x = zeros()
    with explain_anomalies():
        (note,) = failing((x.sqrt() * x).sum().backward)[0].__notes__
    assert note == "No operator of the forward made a NaN: the gradient of SqrtBackward0 did."
