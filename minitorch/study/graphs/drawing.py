"""Drawing a graph as SVG: a box for each operation, its leaves and kept values beside it.

`scene_of` says what is drawn, and where; `svg_of` writes it. The colours have torchviz's meaning:
grey nodes, blue leaves, orange saved tensors, green outputs.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from minitorch.study.graphs.dot import attributes, size_text
from minitorch.study.graphs.graph import Graph, Leaf, Operation, shapes_of
from minitorch.study.graphs.layout import Box, Layout, Point, layered
from minitorch.study.libraries.kinds import is_function, is_node
from minitorch.study.libraries.saved import KEPT, Saved, saved_tensors, saved_values

LETTER = 6.62  # the width of a letter: 0.602 of 11 pixels in the widest of the fonts named below
LINE = 15.0
CHIP = 24.0  # from one chip to the next
CHIP_HEIGHT = 20.0
GAP = 18.0  # between a box and its chips
PORT = 14.0  # between the ends of edges at one box
MARGIN = 12.0
MOST_CHIPS = 12
MOST_LIT = 60  # shared leaves whose chips light up together

NODE, OUTPUT, BASE, LEAF, SAVED, MORE = "node", "output", "base", "leaf", "saved", "more"
_LEGEND = {
    NODE: "node of the graph",
    LEAF: "leaf",
    SAVED: "kept for the backward",
    OUTPUT: "output",
    BASE: "base of a view",
}

STYLE = """
.study text{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1d2129}
.study .dim{fill:#5b6270}.study .page{fill:#fff}
.study path{fill:none;stroke:#8b93a1;stroke-width:1.2}.study .view{stroke-dasharray:3 3}
.study .tip{fill:#8b93a1;stroke:none}
.study .node rect{fill:#f1f2f4;stroke:#b9bec7}.study .leaf rect{fill:#dcebfb;stroke:#4d8fd6}
.study .saved rect{fill:#ffedd3;stroke:#d99a3a}.study .output rect{fill:#dff3d8;stroke:#5aa54a}
.study .base rect{fill:#c4e3b9;stroke:#4a8a3c}.study .more rect{fill:none;stroke:#b9bec7}
@media(prefers-color-scheme:dark){.study text{fill:#e7e9ee}
.study .dim{fill:#a3abb8}.study .page{fill:#16191f}
.study path{stroke:#7a8392}.study .tip{fill:#7a8392}
.study .node rect{fill:#262a32;stroke:#4a515e}.study .leaf rect{fill:#172b42;stroke:#6aa7ea}
.study .saved rect{fill:#3a2a12;stroke:#e0a850}.study .output rect{fill:#18331a;stroke:#73c063}
.study .base rect{fill:#234a22;stroke:#73c063}.study .more rect{stroke:#4a515e}}
"""

# The tip of an arrow.
_TIP = (
    '<defs><marker id="study-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
    'markerHeight="7" orient="auto"><path class="tip" d="M0 .6 7.5 4 0 7.4z"/></marker></defs>'
)


@dataclass(slots=True)
class Chip:
    """A leaf or a saved tensor beside the box that uses it.

    group: the number of a leaf that has several chips, which light up together.
    asides: more text, each with the class it is written in.
    extra: more classes.
    """

    text: str
    kind: str
    title: str = ""
    group: int | None = None
    asides: list[tuple[str, str]] = field(default_factory=list)
    extra: str = ""

    @property
    def width(self) -> float:
        """The width of the line."""
        return text_width(self.text + "".join([f" {text}" for text, _ in self.asides])) + 14


@dataclass(slots=True)
class Item:
    """A box: the name in its first line, the rest paler.

    styles: classes of the other lines, where they have their own.
    extra: more classes.
    """

    lines: list[str]
    kind: str = NODE
    title: str = ""
    aside: str = ""
    chips: list[Chip] = field(default_factory=list)
    styles: dict[int, str] = field(default_factory=dict)
    extra: str = ""

    @property
    def width(self) -> float:
        """The width of the item without the chips."""
        first = f"{self.lines[0]} {self.aside}" if self.aside else self.lines[0]
        return max([text_width(line) for line in (first, *self.lines[1:])]) + 18

    @property
    def height(self) -> float:
        """The height of the item without the chips."""
        return LINE * len(self.lines) + 9

    @property
    def box(self) -> Box:
        """The room that it needs."""
        chips = max([chip.width for chip in self.chips], default=-GAP) + GAP
        return Box(self.width / 2 + chips, self.width / 2, max(self.height, CHIP * len(self.chips)))


class Link(NamedTuple):
    """An edge between two items, in the direction of the forward."""

    start: int
    end: int
    style: str = ""


@dataclass(slots=True)
class Scene:
    """The items of a drawing, and their places.

    places: the item of each operation, by its number.
    """

    items: list[Item]
    links: list[Link]
    layout: Layout
    places: dict[int, int]
    legend: list[str]


class Shown(NamedTuple):
    """The options for what a picture shows of each node.

    names: the names of tensors, by their id.
    kept: returns the values that a node keeps.
    """

    names: dict[int, str]
    kept: Callable[[Any], list[Saved]] = saved_values
    attrs: bool = False
    saved: bool = False
    max_attr_chars: int = 50


def text_width(text: str) -> float:
    """The width of a line in pixels: letters of East Asia take two places."""
    if text.isascii():
        return len(text) * LETTER
    return LETTER * sum([2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text])


# ---- items


def scene_of(
    graph: Graph,
    outputs: Sequence[Any],
    shown: Shown,
    change: Callable[[list[Item], dict[int, int]], None] | None = None,
) -> Scene:
    """The boxes, chips and edges of a graph.

    Args:
        graph: what leads to `outputs`.
        outputs: tensors, each of which gets a box; nodes, which have theirs.
        shown: what is shown of each node.
        change: is called with the items before they are laid out, and with the item of each
            operation by its number.
    """
    operations = graph.operations[::-1]
    places = {each.number: i for i, each in enumerate(operations)}
    groups = _groups(operations)
    items = [_item(each, shown, groups) for each in operations]
    links = [
        Link(places[edge.to.number], i)
        for i, each in enumerate(operations)
        for edge in each.edges
        if edge is not None and type(edge.to) is Operation
    ]
    numbers = {id(each.node): places[each.number] for each in operations}
    _add_outputs(outputs, shown, items, links, numbers)
    if change is not None:
        change(items, places)
    layout = layered([item.box for item in items], [(link.start, link.end) for link in links])
    kinds = {item.kind for item in items} | {chip.kind for item in items for chip in item.chips}
    return Scene(items, links, layout, places, [kind for kind in _LEGEND if kind in kinds])


def _groups(operations: Iterable[Operation]) -> dict[Leaf, int | None]:
    """A number for each leaf that several edges lead to, None for the others."""
    uses: dict[Leaf, int] = {}
    for each in operations:
        for edge in each.edges:
            if edge is not None and type(edge.to) is Leaf:
                uses[edge.to] = uses.get(edge.to, 0) + 1
    shared = [leaf for leaf, count in uses.items() if count > 1]
    return dict.fromkeys(uses) | {leaf: i for i, leaf in enumerate(shared[:MOST_LIT])}


def _item(operation: Operation, shown: Shown, groups: dict[Leaf, int | None]) -> Item:
    node = operation.node
    shapes = shapes_of(node)
    item = Item([operation.name])
    if len(shapes) == 1:
        item.aside = size_text_of(shapes[0])
    elif shapes:
        item.aside = f"{len(shapes)} outputs"
    item.title = f"#{operation.number} in the order of the backward"
    if shown.attrs:
        table = attributes(shown.kept(node), shown.max_attr_chars)
        width = max(map(len, table), default=0)
        item.lines += [f"{name:<{width}}  {text}" for name, text in table.items()]
    for edge in operation.edges:
        if edge is not None and type(edge.to) is Leaf:
            item.chips.append(_leaf_chip(edge.to, shown, groups))
    if shown.saved or is_function(node):  # of a Function in any case
        for saved in saved_tensors(shown.kept(node)):
            text = size_text(saved.value) if saved.state == KEPT else saved.state
            item.chips.append(Chip(f"{saved.name} {text}", SAVED, "kept for the backward"))
    if len(item.chips) > MOST_CHIPS:
        rest = len(item.chips) - MOST_CHIPS + 1
        item.chips[MOST_CHIPS - 1 :] = [Chip(f"… {rest} more", MORE)]
    return item


def _leaf_chip(leaf: Leaf, shown: Shown, groups: dict[Leaf, int | None]) -> Chip:
    name = shown.names.get(id(leaf.tensor), "")
    text = f"{name} {size_text(leaf.tensor)}".strip()
    grad = "None" if leaf.tensor.grad is None else size_text(leaf.tensor.grad)
    return Chip(text, LEAF, f"leaf, .grad {grad}", groups[leaf])


def _add_outputs(
    outputs: Sequence[Any],
    shown: Shown,
    items: list[Item],
    links: list[Link],
    numbers: dict[int, int],
) -> None:
    """Adds a box for each output, below its node, and one for each tensor that one is a view of.

    numbers: of the boxes, by the id of their node or tensor.
    """
    for output in outputs:
        if is_node(output) or id(output) in numbers:
            continue
        chain = [output]
        while chain[-1]._is_view():  # torch's views have no views as bases; those of others may
            chain.append(chain[-1]._base)
        below = None
        for tensor in reversed(chain):
            if id(tensor) not in numbers:
                kind = OUTPUT if tensor is output else BASE
                name = shown.names.get(id(tensor), "")
                aside = size_text(tensor)
                items.append(Item([name or ("output" if kind == OUTPUT else "base")], kind))
                items[-1].aside = aside
                numbers[id(tensor)] = len(items) - 1
                if tensor.grad_fn is not None and id(tensor.grad_fn) in numbers:
                    links.append(Link(numbers[id(tensor.grad_fn)], len(items) - 1))
                if below is not None:
                    links.append(Link(below, len(items) - 1, "view"))
            below = numbers[id(tensor)]


def size_text_of(shape: Sequence[int]) -> str:
    """A shape as torchviz writes it."""
    return "(" + ", ".join(map(str, shape)) + ")"


# ---- How it is written


def svg_of(
    scene: Scene, caption: str = "", style: str = "", over: str = "", below: str = ""
) -> str:
    """The picture as one SVG without scripts, light or dark as the system is.

    Args:
        caption: a sentence above the graph.
        style: more rules of CSS.
        over: more SVG, over the edges and under the boxes.
        below: more SVG below the graph, which gets one line of room.
    """
    layout = scene.layout
    legend = _legend(scene.legend)
    top = 22.0 if caption else 0.0
    bottom = layout.height + 34
    width = max(layout.width, text_width(caption), legend.width, 520 if below else 0) + 2 * MARGIN
    height = bottom + (LINE + 6 if below else 0) + top + MARGIN
    groups = sorted({chip.group for item in scene.items for chip in item.chips} - {None})
    lit = "".join([f".study:has(.g{i}:hover) .g{i} rect{{stroke-width:2.5}}" for i in groups])
    left, upper = f"{-MARGIN:.0f}", f"{-MARGIN - top:.0f}"
    size = f"{width:.0f}", f"{height + MARGIN:.0f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="study" role="img" width="{size[0]}" '
        f'height="{size[1]}" viewBox="{left} {upper} {size[0]} {size[1]}">'
    )
    parts = [
        f"{head}<title>Graph of {len(scene.places)} nodes</title>",
        f"<style>{STYLE}{lit}{style}</style>{_TIP}",
        f'<rect class="page" x="{left}" y="{upper}" width="100%" height="100%"/>',
    ]
    if caption:
        parts.append(f'<text y="-12">{escape(caption)}</text>')
    parts += [*_links(scene), over]
    for item, center in zip(scene.items, layout.centers):
        parts.append(_item_svg(item, center))
    parts.append(f'<g transform="translate(0 {layout.height + 18:.0f})">{legend.svg}</g>')
    if below:
        parts.append(f'<g transform="translate(0 {bottom + 12:.0f})">{below}</g>')
    return "\n".join([*parts, "</svg>", ""])


class _Piece(NamedTuple):
    svg: str
    width: float


def _legend(kinds: list[str]) -> _Piece:
    """A line that says what the colours mean."""
    parts, x = [], 0.0
    for kind in kinds:
        parts.append(
            f'<g class="{kind}"><rect x="{x:.0f}" width="12" height="12" rx="3"/></g>'
            f'<text class="dim" x="{x + 18:.0f}" y="10">{_LEGEND[kind]}</text>'
        )
        x += 18 + text_width(_LEGEND[kind]) + 20
    return _Piece("".join(parts), x)


def routes_of(scene: Scene) -> list[list[Point]]:
    """The points that each link passes, from the lower side of a box to the next's upper."""
    ports = _ports(scene)
    routes = []
    for i, link in enumerate(scene.links):
        points = list(scene.layout.routes[i])
        start, end = scene.items[link.start], scene.items[link.end]
        points[:2] = [
            Point(ports[i][0], points[0].y + start.height / 2),
            Point(ports[i][0], points[1].y),
        ]
        points[-2:] = [
            Point(ports[i][1], points[-2].y),
            Point(ports[i][1], points[-1].y - end.height / 2),
        ]
        routes.append(points)
    return routes


def _ports(scene: Scene) -> dict[int, list[float]]:
    """The points where each link leaves and reaches its boxes: side by side, without crossings."""
    ports = {i: [0.0, 0.0] for i in range(len(scene.links))}
    for side in (0, 1):
        by_item: dict[int, list[int]] = {}
        for i, link in enumerate(scene.links):
            by_item.setdefault(link[side], []).append(i)
        for k, links in by_item.items():
            neighbour = 2 if side == 0 else -3
            links.sort(key=lambda i: (scene.layout.routes[i][neighbour].x, i))
            step = min(PORT, (scene.items[k].width - 16) / len(links))
            for place, i in enumerate(links):
                shift = (place - (len(links) - 1) / 2) * step
                ports[i][side] = scene.layout.centers[k].x + shift
    return ports


def path_of(points: Sequence[Point]) -> str:
    """A smooth line through points, upright at each."""
    parts = [f"M{points[0].x:.0f} {points[0].y:.0f}"]
    for a, b in pairwise(points):
        if a.x == b.x:
            if b.y - a.y > 0.5 or a.y - b.y > 0.5:
                parts.append(f"V{b.y:.0f}")
            continue
        middle = (a.y + b.y) / 2
        parts.append(f"C{a.x:.0f} {middle:.0f} {b.x:.0f} {middle:.0f} {b.x:.0f} {b.y:.0f}")
    return "".join(parts)


def _links(scene: Scene) -> list[str]:
    parts = []
    for link, route in zip(scene.links, routes_of(scene)):
        kind = f' class="{link.style}"' if link.style else ""
        parts.append(f'<path{kind} marker-end="url(#study-tip)" d="{path_of(route)}"/>')
    return parts


def _item_svg(item: Item, center: Point) -> str:
    x, y = center
    left, top = x - item.width / 2, y - item.height / 2
    extra = f" {item.extra}" if item.extra else ""
    parts = [f'<g class="{item.kind}{extra}">']
    if item.title:
        parts.append(f"<title>{escape(item.title)}</title>")
    parts.append(
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{item.width:.1f}" '
        f'height="{item.height:.0f}" rx="6"/>'
    )
    for i, line in enumerate(item.lines):
        dim = f' class="{item.styles.get(i, "dim")}"' if i else ""
        text = escape(line, quote=False)
        if i == 0 and item.aside:
            text += f' <tspan class="dim">{item.aside}</tspan>'
        at = f'x="{left + 9:.1f}" y="{top + LINE * (i + 1):.1f}"'
        parts.append(f'<text{dim} xml:space="preserve" {at}>{text}</text>')
    parts.append("</g>")
    for i, chip in enumerate(item.chips):
        lower = y + (i - (len(item.chips) - 1) / 2) * CHIP
        parts.append(_chip_svg(chip, left - GAP, lower, Point(left, y)))
    return "".join(parts)


def _chip_svg(chip: Chip, right: float, y: float, at: Point) -> str:
    """A chip that ends at `right`, and the line from there to the side of its box."""
    width = chip.width
    text = escape(chip.text, quote=False)
    for aside, style in chip.asides:
        text += f' <tspan class="{style}">{escape(aside, quote=False)}</tspan>'
    classes = " ".join(filter(None, [chip.kind, chip.extra, _group_class(chip)]))
    bow = (right + at.x) / 2
    line = f"M{right:.0f} {y:.0f}C{bow:.0f} {y:.0f} {bow:.0f} {at.y:.0f} {at.x:.0f} {at.y:.0f}"
    title = f"<title>{escape(chip.title)}</title>" if chip.title else ""
    return (
        f'<path d="{line}"/><g class="{classes}">{title}'
        f'<rect x="{right - width:.1f}" y="{y - CHIP_HEIGHT / 2:.1f}" width="{width:.1f}" '
        f'height="{CHIP_HEIGHT:.0f}" rx="10"/><text x="{right - width + 7:.1f}" y="{y + 4:.1f}">'
        f"{text}</text></g>"
    )


def _group_class(chip: Chip) -> str:
    return "" if chip.group is None else f"g{chip.group}"
