"""Printing: the text of a tensor, as `print` and f-strings show it, and the options of printing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from math import inf, isfinite
from typing import Any

from minitorch.core.arrays import namespace
from minitorch.core.arrays.floating_point import readable
from minitorch.core.base.fields import Disowned
from minitorch.core.graph.forward import active, tangent_of
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import dtype, get_default_dtype


@dataclass
class PrinterOptions:
    """How tensors print: digits, when and how far to summarise, the width of a line."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None

    __qualname__ = "__PrinterOptions"  # the name that its repr shows in torch


PRINT_OPTS = PrinterOptions()

_PROFILES = {
    "default": PrinterOptions(),
    "short": PrinterOptions(precision=2, edgeitems=2),
    "full": PrinterOptions(threshold=inf),
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print, from here on. What is None stays as it is, except `sci_mode`.

    Args:
        precision: digits after the point (4).
        threshold: the number of elements above which a tensor is summarised (1000).
        edgeitems: how many elements of a summarised dimension are shown at either end (3).
        linewidth: characters of a line (80).
        profile: "default", "short" or "full": options that are set before the others.
        sci_mode: True or False forces or forbids the form 1.0000e+00; None, the default, decides by
            the values.

    As torch.set_printoptions.
    """
    if profile in _PROFILES:
        vars(PRINT_OPTS).update(vars(_PROFILES[profile]))
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    vars(PRINT_OPTS).update({name: value for name, value in given.items() if value is not None})
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The present options of printing; `set_printoptions(**options)` restores them."""
    return asdict(PRINT_OPTS)


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """A context within which tensors print with other `set_printoptions`."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


def tensor_format(self: Any, spec: str) -> str:
    """The text of a tensor in an f-string: a plain 0-d tensor is formatted as a Python number."""
    if self.dim() == 0 and _is_plain(self, parameter=False) and self.device.type != "meta":
        return format(self.item(), spec)
    return object.__format__(self, spec)


def tensor_repr(self: Any, *, tensor_contents: str | None = None) -> str:
    """The text of a tensor; `tensor_contents` replaces its numbers. As torch/_tensor_str.py."""
    if self._level is not None:
        return str(self._level.text(self))
    if type(self._cell) is Disowned:
        self._version  # noqa: B018  # torch takes a view, which reads it
    plain = _is_plain(self)
    prefix = "tensor(" if plain else f"{type(self).__name__}("
    suffixes = []
    device, empty = self.device, self.numel() == 0
    meta = device.type == "meta"
    if device.type != "cpu":
        suffixes.append(f"device='{device}'")
    if meta or (empty and self.dim() != 1) or (PRINT_OPTS.edgeitems == 0 and not empty):
        suffixes.append(f"size={tuple(self.shape)}")
    if not _goes_without_saying(self.dtype, empty or meta):
        suffixes.append(f"dtype={self.dtype}")
    if tensor_contents is None:
        if meta or empty:
            tensor_contents = "..." if meta else "[]"
        else:
            tensor_contents = contents(self._array, len(prefix))
    suffixes += _history(self)
    text = join_suffixes(prefix + tensor_contents, suffixes, len(prefix)) + ")"
    if not plain and getattr(self, "_is_param", False):
        return f"Parameter({text})"
    return text


def _is_plain(self: Any, parameter: bool = True) -> bool:
    """Whether it is a Tensor itself, or a Parameter itself, not of a class derived from them."""
    kind = type(self)
    if kind.__name__ == "Tensor":
        return kind.__module__ == "torch"
    return parameter and kind.__name__ == "Parameter" and kind.__module__ == "torch.nn.parameter"


def _goes_without_saying(d: dtype, empty: bool) -> bool:
    """Whether the numbers show the dtype, so that it is not written out."""
    default = get_default_dtype()
    if d is default:
        return True
    if empty:
        return False
    complex_default = dtypes.complex128 if default is dtypes.float64 else dtypes.complex64
    return d is dtypes.int64 or d is dtypes.bool or d is complex_default


def _history(self: Any) -> Iterator[str]:
    """The suffixes that show the autograd state of the tensor."""
    if self.requires_grad:
        try:
            node = self.grad_fn
            name = node and type(node).__name__
            if name == "CppFunction":
                name = node.name().rpartition("::")[2]
        except RuntimeError:  # a view made under no_grad whose base was written in place
            name = "Invalid"
        yield f"grad_fn=<{name}>" if name else "requires_grad=True"
    tangent = tangent_of(self, 0) if active() else None
    if tangent is not None:
        yield f"tangent={tangent}"


def join_suffixes(text: str, suffixes: list[str], indent: int, newline: bool = False) -> str:
    """`text` and its suffixes, each on a new line if the current line would grow too long; the
    first one always if `newline`."""
    last = len(text) - text.rfind("\n") + 1  # torch adds two to the length of the text
    parts = [text]
    for suffix in suffixes:
        if newline or last + len(suffix) + 2 > PRINT_OPTS.linewidth:
            newline = False
            parts.append(",\n" + " " * indent + suffix)
            last = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            last += len(suffix) + 2
    return "".join(parts)


def contents(x: Any, indent: int) -> str:
    """The numbers of an array within brackets."""
    shape = x.shape
    edge = PRINT_OPTS.edgeitems if x.size > PRINT_OPTS.threshold else None
    if edge is not None:
        x = shown_corners(x, edge)
    texts, width = element_texts(x)
    if not shape:
        return texts[0]
    pick = iter(texts).__next__
    return in_brackets(pick, shape, edge, width, indent)


def shown_corners(x: Any, edge: int) -> Any:
    """The elements of an array that its summary shows."""
    for axis, size in enumerate(x.shape):
        if size > 2 * edge:
            shown = [*range(edge), *range(size - edge, size)]
            x = x.take(shown, axis)
    return x


def in_brackets(
    pick: Callable[[], str], shape: tuple[int, ...], edge: int | None, width: int, indent: int
) -> str:
    """The brackets of a tensor of `shape`, whose elements `pick` returns one after the other."""
    size, rest = shape[0], shape[1:]
    summarised = edge is not None and size > 2 * edge
    shown = 2 * edge if summarised else size  # type: ignore[operator]
    if rest:
        items = [in_brackets(pick, rest, edge, width, indent + 1) for _ in range(shown)]
        separator = "," + "\n" * len(rest) + " " * (indent + 1)
        if summarised:
            items.insert(edge, "...")  # type: ignore[arg-type]
        return "[" + separator.join(items) + "]"
    items = [pick() for _ in range(shown)]
    if summarised:
        items.insert(edge, " ..." if edge else "...")  # type: ignore[arg-type]
    per_line = max(1, (PRINT_OPTS.linewidth - indent) // (width + 2))
    if len(items) <= per_line:
        return "[" + ", ".join(items) + "]"
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def element_texts(x: Any) -> tuple[list[str], int]:
    """Every element of an array as text, and the width that they were aligned to."""
    x = namespace(x).to_numpy(x)
    if x.dtype.kind == "V":
        x = readable(x)
    kind = x.dtype.kind
    if kind in "biu":
        return _aligned([str(value) for value in x.ravel().tolist()])
    if kind == "c":
        real, real_width = _float_texts(x.real.ravel().tolist())
        imag, imag_width = _float_texts(x.imag.ravel().tolist())
        signed = (text if text[0] == "-" else "+" + text for text in map(str.lstrip, imag))
        return [a + b + "j" for a, b in zip(real, signed)], real_width + imag_width + 1
    return _float_texts(x.ravel().tolist())


def _float_texts(values: list[float]) -> tuple[list[str], int]:
    """Real numbers as text: as integers with a point, with decimals, or with exponents."""
    telling = [value for value in values if value and isfinite(value)]
    if not telling:
        return _integral(values), 1
    sizes = [abs(value) for value in telling]
    smallest, largest = min(sizes), max(sizes)
    style = _integral if all(map(float.is_integer, telling)) else _decimal
    exponential = PRINT_OPTS.sci_mode
    if exponential is None:
        exponential = largest / smallest > 1000 or largest > 1e8 or smallest < 1e-4
    if exponential:
        style = _exponential
    # Zeros and infinities are not measured: they may stand out of line.
    width = max(map(len, style(telling)))
    return [text.rjust(width) for text in style(values)], width


def _integral(values: list[float]) -> list[str]:
    return [f"{value:.0f}." if isfinite(value) else f"{value:.0f}" for value in values]


def _decimal(values: list[float]) -> list[str]:
    spec = f".{PRINT_OPTS.precision}f"
    return [format(value, spec) for value in values]


def _exponential(values: list[float]) -> list[str]:
    spec = f".{PRINT_OPTS.precision}e"
    return [format(value, spec) for value in values]


def _aligned(texts: list[str]) -> tuple[list[str], int]:
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts], width
