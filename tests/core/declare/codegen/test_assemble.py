"""Assembled code: visible to debuggers, made at the first call, printed on request."""

import linecache
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

import minitorch as torch
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.declare import __main__ as program
from minitorch.core.declare import registry
from minitorch.core.declare.codegen import assemble, waiting
from minitorch.core.declare.families import operator, unary
from minitorch.core.declare.registry import FUNCTIONS, ROWS, function_of_row
from minitorch.core.declare.row import ufunc

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def declared():
    """Declares rows for one test and takes them away again."""
    keys = []

    def declare(family, schema, **fields):
        function = family(schema, **fields)
        keys.append(function.row.key)
        return function

    yield declare
    for key in keys:
        name = ROWS.pop(key).name
        registry.BY_KEY.pop(key, None)
        FUNCTIONS.pop(name, None)
        for language in (OPS, RAW):
            language.__dict__.pop(key, None)
            language.__dict__.pop(name, None)
        for method in (name, name + "_"):
            if method in torch.Tensor.__dict__:
                delattr(torch.Tensor, method)


def test_assembled_text_is_known_to_linecache():
    assemble.assemble(ROWS["mul_Tensor"])
    lines = linecache.getlines("<minitorch mul_Tensor>")
    assert "".join(lines) == assemble.SOURCES["mul_Tensor"]
    assert any([line.startswith("def mul_Tensor_call(") for line in lines])


def test_the_node_is_assembled_once_for_function_and_method():
    row = ROWS["mul_Tensor"]
    kind = assemble.node_class(row)
    assemble.assemble(row)
    assemble.assemble(row, method=True)
    assert assemble.node_class(row) is kind
    assert kind.__name__ == kind.__qualname__ == "MulBackward0"


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
    assert program.main(["mul_Tensor"]) == 0
    printed = capsys.readouterr().out
    first, second, *_ = printed.splitlines()
    assert second == "# mul.Tensor(Tensor self, Tensor other) -> Tensor"
    file, _, number = first.removeprefix("# ").partition(":")
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    assert lines[int(number) - 1] == "mul = binary("
    assert "# node MulBackward0; saves other, self" in printed
    assert (
        "def mul_Tensor_call(input=MISSING, other=MISSING, *rest, out=None, **others):" in printed
    )


def test_the_program_prints_every_row_and_what_it_prints_compiles(capsys):
    registry.load_families()
    for key in registry.ROWS:
        assert program.main([key]) == 0
        text = program.assembled(registry.ROWS[key])
        compile(text, key, "exec")
        assert f"\n{text}\n" in capsys.readouterr().out


def test_the_program_prints_the_node_alone_of_a_draw_in_place(capsys):
    assert program.main(["uniform_"]) == 0
    printed = capsys.readouterr().out
    assert "# The method uniform_ is written by hand." in printed
    assert "class uniform__node(Node):" in printed
    assert "def uniform__call" not in printed


def test_the_program_says_when_there_is_no_such_row(capsys):
    assert program.main(["nothing_of_this_name"]) == 1
    assert "no row is called nothing_of_this_name" in capsys.readouterr().err


def test_a_function_is_assembled_at_the_first_call_and_stays_the_same_object(declared):
    function = declared(
        unary, "double_for_test(Tensor self) -> Tensor", forward=lambda xp, self: self + self
    )
    assert "double_for_test" not in assemble.SOURCES
    assert torch.tensor([1.5]).double_for_test().tolist() == [3.0]
    assert function(torch.tensor([2.5])).tolist() == [5.0]
    assert "double_for_test" in assemble.SOURCES
    for place in (FUNCTIONS, OPS.__dict__):
        assert place["double_for_test"] is function
    assert function_of_row(function.row) is function
    written = torch.Tensor.__dict__["double_for_test_"]
    assert torch.tensor([1.5]).double_for_test_().tolist() == [3.0]
    assert torch.Tensor.__dict__["double_for_test_"] is written


def test_help_shows_the_schema_of_an_operator_before_and_after_its_first_call(declared):
    schema = "half_for_test(Tensor self) -> Tensor"
    function = declared(unary, schema, forward=lambda xp, self: self * 0.5)
    for _ in range(2):
        assert function.__doc__ == torch.Tensor.half_for_test.__doc__ == schema
        assert torch.Tensor.half_for_test_.__doc__ is None
        function(torch.ones(1)).half_for_test().half_for_test_()


def test_help_shows_the_doc_of_a_row_below_its_schema_and_in_place(declared):
    schema = "third_for_test(Tensor self) -> Tensor"
    doc = """A third.

    As torch.div.
    """
    function = declared(unary, schema, doc=doc, forward=lambda xp, self: self / 3)
    below = "A third.\n\n    As torch.div.\n    "
    assert function.__doc__ == torch.Tensor.third_for_test.__doc__ == f"{schema}\n\n    {below}"
    start = "third_for_test, written into its first argument.\n\n    "
    assert torch.Tensor.third_for_test_.__doc__ == start + below


def test_handlers_get_the_function_that_they_were_put_down_for():
    program = """
import minitorch as torch

handled = {torch.hypot: 1, torch.Tensor.lcm_: 2, torch.mean: 3, torch.Tensor.stft: 4, torch.stft: 5}

class Named(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return handled[func]

x = torch.ones(2).as_subclass(Named)
assert (torch.hypot(x, x), x.lcm_(x), torch.mean(x), torch.stft(x, 4)) == (1, 2, 3, 5)
"""
    subprocess.run([sys.executable, "-c", program], check=True)  # where nothing has watched yet


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


def test_a_function_that_is_watched_while_it_is_assembled_stays_watched():
    def plain(x):
        return "plain", x

    def make():  # as another thread may: this one assembles for that long
        waiting.forward(function, lambda x: ("watched", x), plain)
        return plain

    function = waiting.assembled_later("function", make)
    assert function(1) == function(1) == ("watched", 1)
    assert registry.resolved(function) is function
