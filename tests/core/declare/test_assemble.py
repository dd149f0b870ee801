"""Assembled code: visible to debuggers, put everywhere at the first call, printed on request."""

import linecache
import traceback

import pytest

import minitorch as torch
from minitorch.core.declare import __main__ as program
from minitorch.core.declare import assemble, install
from minitorch.core.declare.families import operator, unary
from minitorch.core.declare.install import FUNCTIONS, ROWS, function_of_row
from minitorch.core.declare.row import ufunc
from minitorch.core.graph.formulas import OPS, RAW


@pytest.fixture
def declared():
    """Declares rows for one test and takes them away again."""
    keys = []

    def declare(family, schema, **fields):
        stand_in = family(schema, **fields)
        keys.append(stand_in.row.key)
        return stand_in

    yield declare
    for key in keys:
        name = ROWS.pop(key).name
        install._assembled.pop(key, None)
        FUNCTIONS.pop(name, None)
        for language in (OPS, RAW):
            language.__dict__.pop(key, None)
            language.__dict__.pop(name, None)
        for method in (name, name + "_"):
            if method in torch.Tensor.__dict__:
                delattr(torch.Tensor, method)


def test_assembled_text_is_known_to_linecache():
    function_of_row(ROWS["mul_Tensor"])
    lines = linecache.getlines("<minitorch mul_Tensor>")
    assert "".join(lines) == assemble.SOURCES["mul_Tensor"]
    assert "class mul_Tensor_MulBackward0(Node):\n" in lines


def test_tracebacks_show_the_assembled_line_and_name_the_formula(declared):
    def fail(grad):
        raise ValueError("broken on purpose")

    triple = declared(
        unary,
        "triple_for_test(Tensor self) -> Tensor",
        node="TripleBackward0",
        forward=ufunc("positive"),
        self=lambda grad: fail(grad),
    )
    y = triple(torch.ones(2, requires_grad=True))
    with pytest.raises(ValueError, match="on purpose") as caught:
        y.sum().backward()
    text = "".join(traceback.format_exception(caught.value))
    assert "in TripleBackward0.self" in text
    assert "triple_for_test_d_self(grad)" in text


def test_the_program_prints_row_and_source(capsys):
    assert program.main(["mul"]) == 0
    printed = capsys.readouterr().out
    assert "# mul.Tensor(Tensor self, Tensor other) -> Tensor" in printed
    assert "# node MulBackward0; saves other, self" in printed
    assert "def mul_Tensor_call(input, other, *, out=None):" in printed


def test_the_program_says_when_there_is_no_such_row(capsys):
    assert program.main(["nothing_of_this_name"]) == 1
    assert "no row is called nothing_of_this_name" in capsys.readouterr().err


def test_a_stand_in_is_replaced_everywhere_at_the_first_call(declared):
    stand_in = declared(
        unary, "double_for_test(Tensor self) -> Tensor", forward=lambda xp, self: self + self
    )
    module = {"double_for_test": stand_in}
    install.index_module(module)
    places = (
        lambda: torch.Tensor.__dict__["double_for_test"],
        lambda: FUNCTIONS["double_for_test"],
        lambda: OPS.__dict__["double_for_test"],
        lambda: module["double_for_test"],
    )
    assert all(place() is stand_in for place in places)
    assert torch.tensor([1.5]).double_for_test().tolist() == [3.0]
    function = function_of_row(stand_in.row)
    assert function is not stand_in
    assert all(place() is function for place in places)


def test_a_stand_in_that_was_kept_goes_on_working(declared):
    stand_in = declared(
        unary, "double_for_test(Tensor self) -> Tensor", forward=lambda xp, self: self + self
    )
    assert stand_in(torch.tensor([1.5])).tolist() == [3.0]
    assert stand_in(torch.tensor([2.5])).tolist() == [5.0]


def test_two_rows_of_one_key_are_refused(declared):
    schema = "double_for_test(Tensor self) -> Tensor"
    declared(unary, schema, forward=lambda xp, self: self + self)
    with pytest.raises(ValueError, match="two rows are called double_for_test"):
        unary(schema, forward=lambda xp, self: self)


def test_formulas_get_what_their_parameters_name(declared):
    seen = {}

    def formula(F, grad, self, k, self_sym_sizes, self_sym_numel, self_options, result):
        seen.update(locals())
        return grad * k

    times = declared(
        operator,
        "times_for_test(Tensor self, int k) -> Tensor",
        node="TimesBackward0",
        forward=lambda xp, self, k: xp.multiply(self, k, out=...),
        self=formula,
    )
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = times(x, 3)
    y.backward(torch.ones(2))
    assert x.grad.tolist() == [3.0, 3.0]
    assert seen["F"] is RAW
    assert seen["self"] is x._array
    assert seen["result"] is y._array
    assert (seen["k"], seen["self_sym_sizes"], seen["self_sym_numel"]) == (3, (2,), 2)
    assert seen["self_options"] == (torch.float32, torch.device("cpu"))


def test_nodes_show_what_they_saved_under_the_names_of_torch():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = (x * 3.0).grad_fn
    assert node._saved_self is None
    assert node._saved_other == 3.0 or node._saved_other.item() == 3.0
    assert x.exp().grad_fn._saved_result.tolist() == x.exp().tolist()
    with pytest.raises(AttributeError, match="no attribute '_saved_nothing'"):
        _ = node._saved_nothing
