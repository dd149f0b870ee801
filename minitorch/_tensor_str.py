"""torch._tensor_str: how tensors are printed, under the name at which programs find it."""

from math import isfinite
from typing import Any

from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.printing import (
    PRINT_OPTS,
    contents,
    element_texts,
    get_printoptions,
    in_brackets,
    join_suffixes,
    printoptions,
    set_printoptions,
    shown_corners,
)
from minitorch.core.tensor.printing import tensor_repr as _str

__all__ = ["PRINT_OPTS", "_str", "get_printoptions", "printoptions", "set_printoptions"]

_str_intern = _functorch_wrapper_str_intern = _str


def _tensor_str(self: Any, indent: int) -> str:
    """The numbers of a tensor in brackets; lines after the first begin with `indent` spaces."""
    return contents(self._array, indent) if self.numel() else "[]"


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """A text of numbers, the notes after them, and the closing parenthesis.

    Args: force_newline: whether the first of `suffixes` begins a line.
    """
    return join_suffixes(tensor_str, suffixes, indent, force_newline) + ")"


def get_summarized_data(self: Any) -> Any:
    """The elements of a tensor that a summary of it shows, as a tensor."""
    if not self.dim():
        return self
    if self.dim() > 1 and not PRINT_OPTS.edgeitems:
        return self.new_empty([0] * self.dim())
    shown = shown_corners(self._array, PRINT_OPTS.edgeitems)
    return self if shown is self._array and self.dim() == 1 else tensor(shown.copy())


def tensor_totype(t: Any) -> Any:
    """A tensor in the dtype whose numbers are printed: float32 on MPS and XPU, else float64."""
    return t.to(dtype=dtypes.float32 if t.is_mps or t.is_xpu else dtypes.float64)


class _Formatter:
    """The form in which all numbers of a tensor are written, found from those it is given."""

    def __init__(self, tensor: Any) -> None:
        self.floating_dtype = tensor.dtype.is_floating_point
        self.int_mode, self.sci_mode, self.max_width = True, False, 1
        numbers = tensor.reshape(-1).tolist()
        if not self.floating_dtype:
            self.max_width = max([1, *[len(str(value)) for value in numbers]])
            return
        telling = [value for value in numbers if value and isfinite(value)]
        if not telling:
            return
        self.int_mode = all(map(float.is_integer, telling))
        texts, self.max_width = element_texts(tensor._array)
        self.sci_mode = any("e" in text for text in texts)

    def width(self) -> int:
        """The width to which `format` fills up."""
        return self.max_width

    def format(self, value: Any) -> str:
        """A number, or a tensor of one, as text."""
        if not self.floating_dtype:
            text = f"{value}"
        elif self.sci_mode:
            text = f"{value:{self.max_width}.{PRINT_OPTS.precision}e}"
        elif self.int_mode:
            text = f"{value:.0f}" + ("." if isfinite(value) else "")
        else:
            text = f"{value:.{PRINT_OPTS.precision}f}"
        return text.rjust(self.max_width)


def _scalar_str(self: Any, formatter1: Any, formatter2: Any = None) -> str:
    """A tensor of one number as text; `formatter2` writes the imaginary part."""
    if formatter2 is None:
        return str(formatter1.format(self.item()))
    imaginary = (formatter2.format(self.imag.item()) + "j").lstrip()
    sign = "" if imaginary[0] in "+-" else "+"
    return f"{formatter1.format(self.real.item())}{sign}{imaginary}"


def _tensor_str_with_formatter(
    self: Any, indent: int, summarize: bool, formatter1: Any, formatter2: Any = None
) -> str:
    """As `_tensor_str`, in the form of the formatters: two for complex numbers."""
    edge = PRINT_OPTS.edgeitems if summarize else None
    width = formatter1.width() + (formatter2.width() + 1 if formatter2 else 0)
    shown = self._array if edge is None else shown_corners(self._array, edge)
    texts = [
        _scalar_str(each, formatter1, formatter2) for each in OPS.unbind(tensor(shown.ravel()))
    ]
    if not self.dim():
        return texts[0]
    return in_brackets(iter(texts).__next__, tuple(self.shape), edge, width, indent)


_vector_str = _tensor_str_with_formatter
