"""animate: the order, the numbers, and that nothing else changes."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import minitorch
from minitorch.study.graphs.animation import animate
from minitorch.study.graphs.graph import graph_of

SVG = "{http://www.w3.org/2000/svg}"


def leaf(value: float) -> Any:
    return minitorch.tensor(value, requires_grad=True)


def captions(svg: str) -> list[str]:
    found = ElementTree.fromstring(svg).iter(f"{SVG}text")
    return [each.text or "" for each in found if "cap" in (each.get("class") or "")]


def test_captions_tell_the_steps_in_the_order_of_the_engine():
    a, b = leaf(2.0), leaf(3.0)
    shown = animate((a + b) * (b + 1))
    assert captions(shown.svg) == [
        "The backward starts with the gradient of the output by itself: 1",
        "Step 1: MulBackward0 #1 gets 1 and gives 4, 5",
        "Step 2: AddBackward0 #2 gets 5 and gives 5",
        "Step 3: AddBackward0 #3 gets 4 and gives 4, 4",
        "Step 4: a has all its gradients, .grad grows by 4",
        "Step 5: b has all its gradients, .grad grows by 9",
    ]


def test_uses_of_a_leaf_show_their_parts_and_the_last_one_the_sum():
    b = leaf(3.0)
    svg = animate((b + 2) * (b + 1)).svg
    chips = re.findall(r">b \(\)( .*?)</text>", svg)
    shown = [re.sub(r"<.*?>", "", chip).split() for chip in chips]
    assert sorted(map(len, shown)) == [1, 3]
    assert sorted([each[0] for each in shown]) == ["+4", "+5"]
    assert ["=", "9"] in [each[1:] for each in shown]


def test_larger_gradients_are_shown_by_their_norms():
    x = minitorch.ones(4, requires_grad=True)
    assert "gets 1 and gives ‖2‖" in captions(animate(x.sum()).svg)[1]


def test_animate_changes_nothing():
    a = leaf(2.0)
    y = a * a
    animate(y)
    assert a.grad is None
    y.backward()
    assert a.grad.item() == 4.0


def test_a_freed_graph_is_animated_without_values():
    a = leaf(2.0)
    y = a.exp() * 3
    y.backward()
    assert captions(animate(y).svg)[1] == "Step 1: MulBackward0 #1 runs"


def test_nothing_packed_is_unpacked():
    def unpack(packed: Any) -> Any:
        raise AssertionError("unpacked")

    a = leaf(2.0)
    with minitorch.autograd.graph.saved_tensors_hooks(lambda each: each, unpack):
        y = a.exp()
    assert captions(animate(y).svg)[1] == "Step 1: ExpBackward0 #1 runs"


def test_values_are_computed_only_if_wanted():
    ran = []
    a = leaf(2.0)
    a.register_hook(ran.append)
    animate(a * 2, values=False)
    assert ran == []


def test_every_class_has_its_rule_and_every_rule_its_frames():
    svg = animate((leaf(2.0) + 1).exp() * 2).svg
    used = set(re.findall(r"\b([bfvc])-(\d+)[ \"]", svg))
    rules = set(re.findall(r"\.study \.([bfvc])-(\d+)\{animation-name:\1\2\}", svg))
    frames = set(re.findall(r"@keyframes ([bfvc])(\d+)\{", svg))
    assert used <= rules
    assert rules == frames


def test_long_backwards_share_ticks():
    y = leaf(1.0)
    for _ in range(1_000):
        y = y * 1
    svg = animate(y, values=False).svg
    assert len(set(re.findall(r"@keyframes b(\d+)\{", svg))) <= 242
    assert len(graph_of([y]).operations) == 1_000


def test_several_outputs_start_together():
    a = leaf(2.0)
    first, second = minitorch.stack([a, a * 2]).split(1)
    assert captions(animate((first, second)).svg)[0].endswith(": 1 and 1")


def test_the_file_holds_what_is_shown(tmp_path: Path):
    path = tmp_path / "b.svg"
    shown = animate(leaf(2.0) * 2, path)
    assert path.read_text(encoding="utf-8") == shown.svg == shown._repr_svg_()
    assert "<script" not in shown.svg
    assert "prefers-reduced-motion" in shown.svg
