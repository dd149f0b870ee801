"""`animate`: a backward as a moving picture, by CSS alone.

Each box lights up when the engine runs its node; the gradient flows up the edges to the inputs, and
leaves get theirs. It plays wherever SVG is shown, as a file, in a page, in a notebook, without a
script, and begins again at its end.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from minitorch.study.graphs.drawing import (
    LEAF,
    Item,
    Scene,
    Shown,
    path_of,
    routes_of,
    scene_of,
    svg_of,
)
from minitorch.study.graphs.graph import Graph, Leaf, Operation, graph_of, roots_of
from minitorch.study.graphs.live_names import Names, variables_of
from minitorch.study.graphs.picture import Picture
from minitorch.study.libraries.chosen import library_of
from minitorch.study.libraries.kinds import is_node
from minitorch.study.libraries.saved import KEPT, saved_values

MOST_TICKS = 240  # more steps than these share ticks
LONGEST_TICK = 0.9  # seconds
LONGEST_PLAY = 30.0  # seconds, but for a pause at the end
PAUSE = 2.5  # seconds

# How things of tick K appear: boxes and chips (b), ways of gradients (f), values (v), captions (c).
_RULE = """
@keyframes bK{0%,START{opacity:.35;stroke-width:1}ON,END{opacity:1;stroke-width:3}
OFF,to{opacity:1;stroke-width:1}}
@keyframes fK{0%,START{opacity:0;stroke-dashoffset:1}ON{opacity:1;stroke-dashoffset:1}
END,to{opacity:1;stroke-dashoffset:0}}
@keyframes vK{0%,START{opacity:0}ON,to{opacity:1}}
@keyframes cK{0%,START{opacity:0}ON,END{opacity:1}OFF,to{opacity:0}}
.study .b-K{animation-name:bK}.study .f-K{animation-name:fK}
.study .v-K{animation-name:vK}.study .c-K{animation-name:cK}
""".replace("\n", "")
_LAST_RULE = _RULE.replace("OFF,to{opacity:0}}", "OFF,to{opacity:1}}")  # the last caption stays

_STYLE = """
.study .flow{stroke:#2f6fe0;stroke-width:2.4;stroke-dasharray:1}.study .value{fill:#1f5fd0}
.study .cap{opacity:0}.study .last{opacity:1}
@media(prefers-color-scheme:dark){.study .flow{stroke:#7fb0ff}.study .value{fill:#8fbaff}}
@media(prefers-reduced-motion:reduce){.study *{animation:none!important}}
"""


def animate(
    loss: Any,
    path: str | Path | None = None,
    names: Mapping[str, Any] | None = None,
    *,
    values: bool = True,
) -> Picture:
    """A backward from a tensor as a moving SVG: 1.0 at the root, then node by node to the leaves.

    Args:
        loss: a tensor of either library.
        path: the file that is written, if any.
        names: variables by name; those of the caller if None.
        values: whether gradients are computed for it and shown: numbers, and of larger tensors
            their norms. `.grad` and the graph stay as they are; hooks of tensors run. Where
            something is freed or packed by a hook, nothing is computed.

    Returns:
        A Picture, which shows itself in notebooks.

    Raises:
        TypeError: if there is no tensor in `loss`.
    """
    roots = roots_of(loss, "animate")
    known = Names(variables_of(sys._getframe(1)) if names is None else names)
    graph = graph_of(roots)
    gradients = _Gradients()
    if values and _is_whole(graph):
        gradients = _gradients_of(graph, [each for each in roots if not is_node(each)])
    play = _Play(graph, known, gradients)
    shown = Shown({id(leaf.tensor): known.of(leaf.tensor) for leaf in graph.leaves})
    for root in roots:
        shown.names[id(root)] = known.of(root)
    scene = scene_of(graph, roots, shown, partial(_dress, play))
    style = _STYLE + play.rules()
    svg = svg_of(scene, style=style, over=_flows(scene, play), below=play.captions())
    if path is not None:
        Path(path).write_text(svg, encoding="utf-8")
    return Picture(svg)


# ---- The gradients


class _Passed(NamedTuple):
    """The gradients of a node's inputs and outputs, as texts; "" where there was none."""

    inputs: list[str]
    outputs: list[str]


@dataclass(slots=True)
class _Gradients:
    """The gradients in and out of each node, by its number, and those of the leaves in order.

    roots: the gradients of the tensors at which the backward started.
    """

    passed: dict[int, _Passed] = field(default_factory=dict)
    leaves: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)


def _is_whole(graph: Graph) -> bool:
    """Whether a backward would find all that was kept, and run nothing of the reader's for it."""
    kept = [saved for each in graph.operations for saved in saved_values(each.node)]
    return all([saved.state == KEPT for saved in kept])


def _gradients_of(graph: Graph, roots: list[Any]) -> _Gradients:
    """Runs a backward that leaves `.grad` and the graph as they are."""
    found = _Gradients()
    roots = [each for each in roots if each.requires_grad]
    leaves = [leaf.tensor for leaf in graph.leaves]
    if not roots or not leaves:
        return found
    autograd = library_of(roots[0]).module.autograd
    ones = [each.detach().clone().fill_(1) for each in roots]
    handles = []

    def note(number: int, inputs: Any, outputs: Any) -> None:
        found.passed[number] = _Passed([*map(_text_of, inputs)], [*map(_text_of, outputs)])

    try:
        for each in graph.operations:
            handles.append(each.node.register_hook(partial(note, each.number)))
        grads = autograd.grad(roots, leaves, ones, retain_graph=True, allow_unused=True)
    finally:
        for handle in handles:
            handle.remove()
    found.leaves = [_text_of(each) for each in grads]
    found.roots = [_text_of(each) for each in ones]
    return found


def _text_of(gradient: Any) -> str:
    """A gradient as a number, or as its norm between bars."""
    if gradient is None:
        return ""
    if gradient.numel() == 1:
        return f"{gradient.item():.4g}"
    return f"‖{float(gradient.norm()):.3g}‖"


# ---- When everything happens


class _Play:
    """The ticks of a picture: one for the root, then one for each step of the engine."""

    def __init__(self, graph: Graph, names: Names, gradients: _Gradients) -> None:
        self.graph, self.names, self.gradients = graph, names, gradients
        steps = len(graph.steps)
        share = max(1.0, steps / MOST_TICKS)
        self.ticks = {self.key(each): 1 + int(i / share) for i, each in enumerate(graph.steps)}
        self.count = max(self.ticks.values(), default=0) + 1
        self.tick = min(LONGEST_TICK, LONGEST_PLAY / self.count)  # seconds
        self.leaf_texts = dict(zip(graph.leaves, gradients.leaves))

    @staticmethod
    def key(step: Operation | Leaf) -> Any:
        """The key of a step: its number if the step is an operation, else the step itself."""
        return step.number if type(step) is Operation else step

    def rules(self) -> str:
        """The rules that let the things of each tick appear."""
        seconds = self.count * self.tick + PAUSE
        parts = []
        for k in range(self.count):
            start, end = [100 * i * self.tick / seconds for i in (k, k + 1)]
            rule = _RULE if k < self.count - 1 else _LAST_RULE
            for mark, text in (
                ("K", str(k)),
                ("START", f"{start:.2f}%"),
                ("ON", f"{start + 0.01:.2f}%"),
                ("END", f"{end:.2f}%"),
                ("OFF", f"{end + 0.01:.2f}%"),
            ):
                rule = rule.replace(mark, text)
            parts.append(rule)
        play = f"animation-duration:{seconds:.2f}s;animation-timing-function:linear"
        kinds = ",".join([f".study [class*={kind}-]" for kind in "bfvc"])
        return f"{kinds}{{{play};animation-iteration-count:infinite}}\n" + "\n".join(parts)

    def captions(self) -> str:
        """The sentences of all ticks, one above the other."""
        start = " and ".join(self.gradients.roots) or "1"
        texts = {0: [f"The backward starts with the gradient of the output by itself: {start}"]}
        for i, step in enumerate(self.graph.steps, 1):
            tick = self.ticks[self.key(step)]
            texts.setdefault(tick, []).append(f"Step {i}: {self.sentence(step)}")
        parts = []
        for k, sentences in texts.items():
            last = " last" if k == self.count - 1 else ""
            parts.append(
                f'<text class="cap c-{k}{last}">{escape(sentences[0], quote=False)}</text>'
            )
        return "".join(parts)

    def sentence(self, step: Operation | Leaf) -> str:
        """A sentence about what happens at a step."""
        if type(step) is Leaf:
            name = self.names.of(step.tensor) or "a leaf"
            total = self.leaf_texts.get(step, "")
            return f"{name} has all its gradients, .grad grows by {total or 'their sum'}"
        passed = self.gradients.passed.get(step.number)
        if passed is None:
            return f"{step.name} #{step.number} runs"
        taken, given = [", ".join(filter(None, each)) or "nothing" for each in passed[::-1]]
        return f"{step.name} #{step.number} gets {taken} and gives {given}"


def _dress(play: _Play, items: list[Item], places: dict[int, int]) -> None:
    """Puts gradients into boxes and chips, and says when they appear."""
    waiting = {}  # of each leaf the last chip that gets a part of its gradient
    for step in play.graph.operations:
        item, tick = items[places[step.number]], play.ticks[step.number]
        item.extra = f"b-{tick}"
        passed = play.gradients.passed.get(step.number)
        if passed is not None:
            item.lines.append("∂ " + ", ".join(filter(None, passed.outputs)))
            item.styles[len(item.lines) - 1] = f"value v-{tick}"
        chips = iter([chip for chip in item.chips if chip.kind == LEAF])
        for i, edge in enumerate(step.edges):
            if edge is None or type(edge.to) is not Leaf:
                continue
            chip = next(chips, None)
            if chip is None:
                break
            chip.extra = f"b-{tick}"
            waiting[edge.to] = chip
            if passed is not None and i < len(passed.inputs) and passed.inputs[i]:
                chip.asides.append((f"+{passed.inputs[i]}", f"value v-{tick}"))
    for leaf, chip in waiting.items():
        if chip.group is not None and play.leaf_texts.get(leaf):
            chip.asides.append((f"= {play.leaf_texts[leaf]}", f"value v-{play.ticks[leaf]}"))
    for item in items[len(places) :]:
        item.extra = "b-0"
        if play.gradients.roots:
            item.aside += " ∂ " + " ".join(dict.fromkeys(play.gradients.roots))


def _flows(scene: Scene, play: _Play) -> str:
    """The ways of the gradients: each edge again, from its lower end to its upper one."""
    numbers = {place: number for number, place in scene.places.items()}
    parts = []
    for link, route in zip(scene.links, routes_of(scene)):
        if link.style:  # from the base of a view
            continue
        tick = play.ticks[numbers[link.end]] if link.end in numbers else 0
        parts.append(f'<path class="flow f-{tick}" pathLength="1" d="{path_of(route[::-1])}"/>')
    return "".join(parts)
