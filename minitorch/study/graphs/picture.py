"""`make_dot`: torchviz's picture of a graph, without Graphviz."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from minitorch.study.graphs.dot import dot_source
from minitorch.study.graphs.drawing import Shown, scene_of, svg_of
from minitorch.study.graphs.graph import graph_of, roots_of
from minitorch.study.libraries.kinds import is_node, is_tensor
from minitorch.study.libraries.saved import saved_values

FORMATS = ("svg", "dot")


def make_dot(
    var: Any,
    params: Mapping[str, Any] | None = None,
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> Picture:
    """A picture of the graph that leads to a tensor: as torchviz's, but drawn here.

    Grey boxes are nodes of the graph, blue ones leaves, into whose `.grad` a backward adds, green
    ones the outputs, dark green ones what they are views of, orange ones tensors that nodes keep.

    Args:
        var: a tensor of either library, or a nest of them, such as the outputs of an LSTM cell.
        params: tensors by name, to put names to leaves: `dict(model.named_parameters())`.
        show_attrs: whether nodes show the numbers and shapes that they keep.
        show_saved: whether the tensors that nodes keep are shown. Those of the reader's own
            Functions are in the DOT text in any case.
        max_attr_chars: how many characters of each number or shape are shown, at least 3.

    Returns:
        A Picture, which shows itself in notebooks. What a hook packed is not unpacked for it, and
        a checkpoint not run again.

    Raises:
        TypeError: if there is no tensor in `var`, or something else in `params`.
    """
    roots = roots_of(var, "make_dot")
    names = _names(params)
    kept = cache(saved_values)  # each node is asked up to four times
    shown = Shown(names, kept, show_attrs, show_saved, max_attr_chars)
    graph = graph_of(roots)
    caption = "" if graph.steps else _alone(roots[0])
    scene = scene_of(graph, roots, shown)
    return Picture(
        svg_of(scene, caption),
        dot_source(roots, names, kept, show_attrs, show_saved, max_attr_chars),
    )


def _names(params: Mapping[str, Any] | None) -> dict[int, str]:
    """The names of tensors by their id."""
    for name, each in (params or {}).items():
        if not is_tensor(each):
            raise TypeError(f"params: {name!r} is no tensor but {type(each).__name__}")
    return {id(each): name for name, each in (params or {}).items()}


def _alone(root: Any) -> str:
    """Why there is no graph."""
    return f"There is no graph: {reason_of_none(root)}"


def reason_of_none(root: Any) -> str:
    """Why a tensor has no history, as the rest of a sentence."""
    if is_node(root):
        return "this node leads nowhere."
    if root.dtype.is_floating_point or root.dtype.is_complex:
        return "it requires no grad. It was made from nothing that does, or nothing was recorded."
    kind = str(root.dtype).rpartition(".")[2]
    return f"{kind} has no gradients."


class Picture:
    """A graph as SVG and as DOT; shows itself in notebooks.

    svg: the picture, light or dark as the system is.
    source: the text for Graphviz, as torchviz writes it.
    format: of `render`, "svg" or "dot".
    """

    def __init__(self, svg: str, source: str = "") -> None:
        self.svg, self.source = svg, source
        self._format = "svg"

    @property
    def format(self) -> str:
        """The format that `render` writes: "svg" or "dot"."""
        return self._format

    @format.setter
    def format(self, format: str) -> None:
        self._format = _checked(format)

    def render(
        self,
        filename: str | Path | None = None,
        directory: str | Path | None = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
    ) -> str:
        """Writes the picture into a file, and its name is that with the format added.

        Args:
            filename: "Digraph.gv" if None. Unless `cleanup`, the DOT text goes there as well,
                as with Graphviz.
            directory: where the files go.
            view: whether the picture is opened in a browser.
            cleanup: whether the file with the DOT text is left out.
            format: "svg" or "dot"; `self.format` if None.

        Returns:
            The name of the file.

        Raises:
            ValueError: for formats that need Graphviz.
        """
        format = self.format if format is None else _checked(format)
        source = Path(directory or "") / (filename or "Digraph.gv")
        path = Path(f"{source}.{format}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.svg if format == "svg" else self.source, encoding="utf-8")
        if not cleanup:
            source.write_text(self.source, encoding="utf-8")
        if view:
            webbrowser.open(path.resolve().as_uri())
        return str(path)

    def view(self, filename: str | Path | None = None, directory: str | Path | None = None) -> str:
        """Writes the picture and opens it in a browser. Returns the name of the file."""
        return self.render(filename, directory, view=True)

    def save(self, filename: str | Path | None = None, directory: str | Path | None = None) -> str:
        """Writes a file: the picture if its name ends in ".svg", else the DOT text, as Graphviz's.

        Returns:
            The name of the file.
        """
        path = Path(directory or "") / (filename or "Digraph.gv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.svg if path.suffix == ".svg" else self.source, encoding="utf-8")
        return str(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        return f"<Picture: {len(self.svg):,} bytes of SVG; .render('name') writes name.svg>"


def _checked(format: str) -> str:
    """A format that can be written. ValueError for the others."""
    if format not in FORMATS:
        raise ValueError(
            f"format {format!r} needs Graphviz: save the picture with format='dot' and run "
            f"dot -T{format} on it. format='svg' needs nothing, and is drawn here."
        )
    return format
