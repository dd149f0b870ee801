"""The comments that `GraphModule.print_readable` adds: where nodes came from, shapes, colors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.fx.node import Node
from minitorch.utils._dtype_abbrs import dtype_abbrs

_COLORS = {
    "red": "\x1b[31m",
    "blue": "\x1b[34m",
    "dim": "\x1b[2m",
    "dim_blue": "\x1b[2m\x1b[34m",
    "dim_green": "\x1b[2m\x1b[32m",
}
_FRAME = re.compile(r"^File \"(.+)\", line (\d+), in (.+)$")


class Comments:
    """Writes them; keeps the last one, which is not repeated."""

    def __init__(
        self,
        include_stride: bool,
        include_device: bool,
        colored: bool,
        additional_meta: Iterable[str] | None,
    ) -> None:
        self.strides, self.devices, self.keys = include_stride, include_device, additional_meta
        self.colored, self.last = colored, ""

    def __getattr__(self, color: str) -> Callable[[str], str]:
        if color not in _COLORS:
            raise AttributeError(color)
        return lambda text: f"{_COLORS[color]}{text}\x1b[0m" if self.colored else text

    def before(self, node: Node) -> list[str]:
        """The line above a node's statement: none if it says what the one before said."""
        if node.op in ("placeholder", "output"):
            return []
        found = [f"{key}: {node.meta[key]}" for key in self.keys or () if key in node.meta]
        more = f"# {', '.join(found)} " if found else ""
        notes = {key: _short(value) for key, value in node.meta.get("custom", {}).items()}
        annotation = f" Annotation: {notes}" if notes else ""
        where = _where(node.stack_trace) or "No stacktrace found for following nodes"
        line = f"\n{self.dim(f'{more}#{annotation} {where}')}\n"
        if line == self.last:
            return []
        self.last = line
        return [line]

    def kind(self, node: Node) -> str:
        """The annotation that says a value's dtype and shape, '' where they are not known."""
        value = node.meta.get("val", node.meta.get("tensor_meta", node.meta.get("example_value")))
        if isinstance(value, Tensor):
            strides = self.dim_blue(_shown(value.stride())) if self.strides else ""
            place = self.dim_green(str(value.device)) if self.devices else ""
            name = self.red(dtype_abbrs[value.dtype])
            core = f"{name}{self.blue(_shown(value.shape))}{strides}{place}"
            plain = type(value) is Tensor or type(value).__name__ == "FakeTensor"
            return f': "{core}"' if plain else f': "{type(value).__name__}({core})"'
        if type(value).__name__ == "TensorMetadata":
            return f': "{dtype_abbrs[value.dtype]}{_shown(value.shape)}"'
        return ""


def _shown(numbers: Iterable[Any]) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _short(value: Any) -> Any:
    text = str(value)
    return f"{text[:40]}..." if len(text) > 40 else value


def _where(trace: str | None) -> str | None:
    """The innermost frame of a stack trace as one line."""
    lines = (trace or "").strip().split("\n")
    for i in range(len(lines) - 2, -1, -1):
        if match := _FRAME.match(lines[i].strip()):
            file, line, name = match.groups()
            return f"File: {file}:{line} in {name}, code: {lines[i + 1].strip()}"
    return None
