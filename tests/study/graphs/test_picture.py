"""make_dot: torchviz's programs, files, formats, and refused arguments."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import minitorch
from minitorch import nn
from minitorch.study.graphs import picture
from minitorch.study.graphs.picture import Picture, make_dot
from minitorch.utils.checkpoint import checkpoint
from tests.docs.pages import Block, blocks_of, output_of

PROGRAMS = blocks_of(Path(__file__).with_name("drawn.md"))
SVG = "{http://www.w3.org/2000/svg}"


def texts(shown: Picture) -> list[str]:
    """All texts of a picture, which is read as XML."""
    root = ElementTree.fromstring(shown.svg)
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def labels(shown: Picture) -> list[str]:
    """The labels in the DOT text of a picture."""
    found = re.findall(r'label=(?:"([^"]*)"|(\w+))', shown.source)
    return [quoted or bare for quoted, bare in found]


def leaf(*shape: int) -> Any:
    return minitorch.ones(shape, requires_grad=True)


@pytest.mark.parametrize("block", PROGRAMS, ids=lambda block: f"line {block.line}")
def test_make_dot_draws_a_program_of_torchviz(block: Block, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")  # there is no `dot`
    variables: dict[str, Any] = {"torch": minitorch, "nn": nn}
    output_of(block.code, variables)
    var, params = variables["var"], variables["params"]
    plain = make_dot(var, params)
    full = make_dot(var, params=params, show_attrs=True, show_saved=True, max_attr_chars=10)
    for shown in (plain, full):
        nodes = {each for each in texts(shown) if "Backward" in each or "CopySlices" in each}
        names = {each for each in labels(shown) if "Backward" in each or "CopySlices" in each}
        assert {name.split()[0] for name in nodes} == {name.split()[0] for name in names}
    assert len(full.svg) >= len(plain.svg)


def test_source_has_the_statements_of_torchviz():
    x = leaf(2, 3)
    y = (x * 2).sum()
    assert make_dot(y, {"x": x}, show_saved=True, show_attrs=True).source == (
        'digraph {\n\tgraph [size="12,12"]\n'
        "\tnode [align=left fontname=monospace fontsize=10 height=0.2 ranksep=0.1 shape=box "
        "style=filled]\n"
        '\t1 [label="\n ()" fillcolor=darkolivegreen1]\n'
        '\t2 [label="SumBackward0\n----------------------\nself_sym_sizes: (2, 3)"]\n'
        "\t3 -> 2\n"
        "\t3 -> 4 [dir=none]\n"
        '\t4 [label="other\n ()" fillcolor=orange]\n'
        '\t3 [label="MulBackward0\n---------------------\n'
        'other: [saved tensor]\nself :           None"]\n'
        "\t5 -> 3\n"
        '\t6 [label="x\n (2, 3)" fillcolor=lightblue]\n'
        "\t6 -> 5\n"
        "\t5 [label=AccumulateGrad]\n"
        "\t2 -> 1\n"
        "}\n"
    )


def test_leaves_have_a_chip_at_each_use_that_light_up_together():
    x = leaf(2)
    shown = make_dot((x * x).exp() * x, {"x": x})
    assert texts(shown).count("x (2)") == 3
    assert shown.svg.count('class="leaf g0"') == 3
    assert ".study:has(.g0:hover) .g0 rect" in shown.svg


def test_many_inputs_are_cut_to_a_few_chips():
    several = [leaf(1) for _ in range(50)]
    assert "… 39 more" in texts(make_dot(minitorch.stack(several)))


def test_attributes_are_cut_to_max_attr_chars():
    x = leaf(11, 12, 13)
    assert "self_sym_sizes  (11,..." in texts(make_dot(x.sum(), show_attrs=True, max_attr_chars=7))
    assert "self_sym_sizes  ..." in texts(make_dot(x.sum(), show_attrs=True, max_attr_chars=0))


def test_names_are_escaped():
    x = leaf(2)
    shown = make_dot(x * 2, {'<b>&"': x})
    assert '<b>&" (2)' in texts(shown)
    assert '<b>&\\"' in shown.source


def test_a_graph_that_is_freed_has_the_boxes_it_had():
    y = leaf(2).exp().sum()
    before = make_dot(y)
    y.backward()
    after = make_dot(y, show_saved=True, show_attrs=True)
    assert set(texts(before)) <= set(texts(after)) | {"leaf"}
    assert "result freed" in texts(after)
    assert "[freed]" in after.source


def test_what_is_packed_or_checkpointed_stays_so():
    calls = []

    def block(x: Any) -> Any:
        calls.append(1)
        return x.exp()

    y = checkpoint(block, leaf(2), use_reentrant=False)
    shown = make_dot(y, show_saved=True, show_attrs=True)
    assert "result recomputed" in texts(shown)
    assert "[recomputed]" in shown.source
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("tensor", "sentence"),
    [
        (minitorch.ones(3), "There is no graph: it requires no grad."),
        (minitorch.arange(3), "There is no graph: int64 has no gradients."),
        (minitorch.tensor(True), "There is no graph: bool has no gradients."),
    ],
)
def test_a_tensor_without_history_is_one_box_and_a_sentence(tensor: Any, sentence: str):
    shown = texts(make_dot(tensor))
    assert shown[0].startswith(sentence)
    assert shown[1].startswith("output (")


def test_a_leaf_is_one_box():
    shown = make_dot(leaf(2))
    assert texts(shown) == ["output (2)", "output"]
    assert labels(shown) == ["\n (2)"]


@pytest.mark.parametrize(
    "tensor",
    [
        leaf() * 2,
        leaf(0) * 2,
        minitorch.ones(2, dtype=minitorch.complex64, requires_grad=True).conj() * 2,
        minitorch.ones(2, dtype=minitorch.bfloat16, requires_grad=True) * 2,
        leaf(1).expand(1_000) * 2,
    ],
)
def test_tensors_of_every_kind_are_drawn(tensor: Any):
    shown = texts(make_dot(tensor, show_attrs=True, show_saved=True))
    assert any([each.startswith("MulBackward0") for each in shown])


def test_make_dot_of_a_model_says_to_call_it():
    with pytest.raises(TypeError) as error:
        make_dot(nn.Linear(1, 1))
    assert str(error.value) == (
        "a tensor with a history is needed; call the model first: make_dot(model(x))"
    )


def test_params_that_are_no_tensors_are_refused():
    with pytest.raises(TypeError, match="params: 'w' is no tensor but int"):
        make_dot(leaf(1) * 2, {"w": 3})


def test_one_program_has_one_picture():
    def drawn() -> Picture:
        x = leaf(2)
        return make_dot((x.exp() * x).sum(), {"x": x}, show_saved=True)

    assert drawn().svg == drawn().svg
    assert drawn().source == drawn().source


def test_render_writes_the_picture_and_the_source(tmp_path: Path):
    shown = make_dot(leaf(2) * 2)
    assert shown.render("graph", directory=tmp_path / "new") == str(tmp_path / "new" / "graph.svg")
    assert (tmp_path / "new" / "graph.svg").read_text(encoding="utf-8") == shown.svg
    assert (tmp_path / "new" / "graph").read_text(encoding="utf-8") == shown.source
    shown.format = "dot"
    assert shown.render(tmp_path / "other", cleanup=True) == str(tmp_path / "other.dot")
    assert not (tmp_path / "other").exists()
    assert shown.format == "dot"


def test_view_opens_the_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    monkeypatch.setattr(picture.webbrowser, "open", opened.append)
    make_dot(leaf(2) * 2).view("graph", tmp_path)
    assert opened == [(tmp_path / "graph.svg").as_uri()]


def test_save_writes_what_the_name_says(tmp_path: Path):
    shown = make_dot(leaf(2) * 2)
    assert Path(shown.save(tmp_path / "a.svg")).read_text(encoding="utf-8") == shown.svg
    assert Path(shown.save("a.gv", tmp_path)).read_text(encoding="utf-8") == shown.source


@pytest.mark.parametrize("name", ["png", "pdf"])
def test_formats_that_need_graphviz_say_what_needs_nothing(name: str, tmp_path: Path):
    shown = make_dot(leaf(2) * 2)
    with pytest.raises(ValueError, match=r"needs Graphviz.*'svg' needs nothing"):
        shown.render(tmp_path / "graph", format=name)
    with pytest.raises(ValueError, match="needs Graphviz"):
        shown.format = name
    assert list(tmp_path.iterdir()) == []


def test_pictures_show_themselves():
    shown = make_dot(leaf(2) * 2)
    assert shown._repr_svg_() == shown.svg
    assert str(shown) == shown.source
    assert "bytes of SVG" in repr(shown)


def test_pictures_are_light_and_dark_and_load_nothing():
    svg = make_dot(leaf(2) * 2).svg
    assert "prefers-color-scheme:dark" in svg
    assert "<script" not in svg
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
