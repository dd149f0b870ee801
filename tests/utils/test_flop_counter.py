"""torch.utils.flop_counter: counts, and the table that shows them."""

import pytest

import minitorch as torch
from minitorch.utils.flop_counter import FlopCounterMode, register_flop_formula


def test_the_table_has_modules_and_operators(capsys):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    with FlopCounterMode():
        model(torch.ones(5, 3, requires_grad=True)).sum().backward()
    assert capsys.readouterr().out == (
        "Module            FLOP    % Total\n"
        "--------------  ------  ---------\n"
        "Sequential         600    100.00%\n"
        " - aten.addmm      200     33.33%\n"
        " - aten.mm         400     66.67%\n"
        " Sequential.0      360     60.00%\n"
        "  - aten.addmm     120     20.00%\n"
        "  - aten.mm        240     40.00%\n"
        " Sequential.2      240     40.00%\n"
        "  - aten.addmm      80     13.33%\n"
        "  - aten.mm        160     26.67%\n"
    )


def test_what_no_module_does_is_global():
    with FlopCounterMode(display=False) as counter:
        torch.ones(2, 3) @ torch.ones(3, 4)
    assert counter.get_total_flops() == 48
    assert counter.get_flop_counts() == {"Global": {torch.ops.aten.mm: 48}}


def test_convolutions_count_their_gradients():
    layer = torch.nn.Conv2d(1, 2, 3)
    with FlopCounterMode(display=False) as counter:
        layer(torch.ones(1, 1, 4, 4, requires_grad=True)).sum().backward()
    counts = {str(op): n for op, n in counter.get_flop_counts()["Conv2d"].items()}
    assert counts == {"aten.convolution": 144, "aten.convolution_backward": 288}


def test_an_operator_has_one_formula():
    with pytest.raises(RuntimeError, match=r"duplicate registrations for aten.mm"):
        register_flop_formula(torch.ops.aten.mm)(lambda *_: 0)
