"""The texts of explain for programs, and for things that are no tensors."""

import time
from pathlib import Path
from typing import Any

import pytest

import minitorch
from minitorch import nn
from minitorch.study.graphs.explanation import explain
from minitorch.study.graphs.line_notes import lines
from minitorch.utils.checkpoint import checkpoint
from tests.docs.pages import Block, blocks_of, output_of, rewrite

PAGE = Path(__file__).with_name("explained.md")


def variables(block: Block | None = None) -> dict[str, Any]:
    minitorch.manual_seed(0)
    return {
        "torch": minitorch,
        "nn": nn,
        "explain": explain,
        "lines": lines,
        "checkpoint": checkpoint,
    }


@pytest.mark.parametrize("block", blocks_of(PAGE), ids=lambda block: f"line {block.line}")
def test_explain_says_of_a_program_what_the_page_says(block: Block):
    assert output_of(block.code, variables()) == block.printed


def test_there_are_twelve_programs():
    assert len(blocks_of(PAGE)) == 12


def chain(length: int) -> Any:
    x = minitorch.ones(2, requires_grad=True)
    y = x
    for i in range(length):
        y = y.sin() if i % 3 else y * x
    return y


def test_explain_folds_ten_thousand_nodes_into_few_lines():
    text = explain(chain(10_000), {})
    assert len(text.splitlines()) < 20
    assert "rounds as #" in text
    assert text.splitlines()[-1].startswith("10,000 nodes, 1 leaf; ")


def test_explain_writes_each_node_of_a_graph_once_if_nothing_folds():
    text = explain(chain(60), {}, fold=False)
    for number in range(1, 61):
        rows = [row for row in text.splitlines() if f" #{number}  " in f"{row}  "]
        assert len([row for row in rows if "(above)" not in row and "(below)" not in row]) == 1


def test_explain_cuts_what_is_too_long_and_counts_all():
    x = minitorch.ones(2, requires_grad=True)
    y = x
    for i in range(2_000):  # digits of a number that never repeat
        y = y.sin() if (i * i * 7919 >> 5) % 3 == 0 else y * x
    text = explain(y, {}, fold=False)
    assert text.splitlines()[-2].startswith("… ")
    assert text.splitlines()[-1].startswith("2,000 nodes")


def test_explain_takes_the_names_of_the_caller():
    own_name = minitorch.ones(2, requires_grad=True)
    assert "own_name (2,)  leaf" in explain(own_name * 2)


def test_explain_finds_members_of_containers():
    pair = {"left": minitorch.ones(2, requires_grad=True)}
    several = [minitorch.ones(3, requires_grad=True)]
    text = explain(pair["left"].sum() + several[0].sum(), {"pair": pair, "several": several})
    assert "pair['left'] (2,)" in text
    assert "several[0] (3,)" in text


def test_explain_says_of_a_part_how_much_memory_it_holds():
    whole = minitorch.ones(1_000)
    x = minitorch.ones(10, requires_grad=True)
    assert "other = whole[…] 40 B of 3.9 KiB (yours)" in explain(x * whole[:10])


def test_explain_takes_nodes_and_nests_of_tensors():
    x = minitorch.ones(2, requires_grad=True)
    y = x * 2
    assert explain(y.grad_fn, {}) == explain(y, {})
    assert "2 nodes, 1 leaf" in explain({"y": y, "more": [x + 1, 3]}, {})


def test_explain_changes_nothing():
    x = minitorch.ones(2, requires_grad=True)
    y = (x * x).exp()
    version = y._version
    explain(y)
    assert (x.grad, y._version) == (None, version)
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([2 * 2.718281828] * 2)


def test_explanation_shows_itself_at_the_prompt_and_in_notebooks():
    x = minitorch.ones(2, requires_grad=True)
    shown = explain(x * 2, {"x<y": x})
    assert repr(shown) == str(shown) == shown
    html = shown._repr_html_()
    assert html.startswith("<pre")
    assert html.endswith("</pre>")
    assert "x&lt;y" in html
    assert "x<y" not in html


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (nn.Linear(1, 1), r"call the model first: explain\(model\(x\)\)"),
        (minitorch.ones(1).mean, r"call mean first: explain\(mean\(…\)\)"),
        (3, "a tensor with a history is needed, not int"),
        (None, "a tensor with a history is needed, not NoneType"),
        ([], "there is none in this list"),
        ({"a": 1}, "there is none in this dict"),
    ],
)
def test_explain_refuses_what_is_no_tensor(value: Any, sentence: str):
    with pytest.raises(TypeError, match=sentence):
        explain(value)


if __name__ == "__main__":
    started = time.perf_counter()
    rewrite(PAGE, variables)
    print(f"{PAGE} written in {time.perf_counter() - started:.1f} s")
