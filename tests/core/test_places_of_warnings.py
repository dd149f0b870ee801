"""Where a warning is shown: at the caller, or in the package where torch's Python stands."""

import warnings

import minitorch as torch

nn = torch.nn


def places(call):
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call()
    finally:
        torch.set_warn_always(False)
    return [each.filename == __file__ for each in told]


def test_warnings_of_operators_are_at_the_line_that_called():
    assert places(lambda: torch.range(0, 2)) == [True]
    assert places(lambda: torch.add(torch.ones(2), torch.ones(2), out=torch.ones(3))) == [True]
    assert places(lambda: nn.Linear(2, 2).to(torch.complex64)) == [True]


def test_warnings_under_torch_functional_are_at_lines_of_the_package():
    assert places(lambda: torch.meshgrid(torch.ones(2), torch.ones(2))) == [False]
    assert places(lambda: torch.stft(torch.ones(16), 4, return_complex=True)) == [False]
    assert places(lambda: torch.chain_matmul(torch.eye(2), torch.eye(2))) == [False]


def test_warnings_of_convolutions_are_at_the_module_that_called():
    x = torch.ones(1, 1, 3)
    weight = torch.ones(1, 1, 2)
    assert places(lambda: nn.Conv1d(1, 1, 2, padding="same")(x)) == [False]
    assert places(lambda: nn.functional.conv1d(x, weight, padding="same")) == [True]


def test_warnings_of_backward_with_create_graph_are_at_a_line_of_the_package():
    x = torch.ones(2, requires_grad=True)
    assert places(lambda: (x * x).sum().backward(create_graph=True)) == [False]
