"""Calls with numbers that hardly anybody means: too large, complex, infinite, no number at all.

Every function of torch whose schema has a number is called with tensors of each dtype, and with
each odd number in the place of each of its numbers.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import torch

from conformance.cases import tensor_numbers
from conformance.cases.case import Case
from conformance.cases.snippet import Snippet
from conformance.options import Options

ODD = (
    *("1e50", "-1e50", "1e300", "float('inf')", "float('-inf')", "float('nan')", "-1", "0", "2.5"),
    *("1j", "0j", "1e50j", "True", "None", "'1'", "[1]", "300", "2**40", "2**63", "2**64"),
    *("-(2**63) - 1", "10**400", "numpy.float32(1.5)", "numpy.float64(1e50)", "numpy.int64(3)"),
    *("numpy.uint64(2**63)", "numpy.complex64(1j)", "numpy.bool_(True)", "torch.tensor(2)"),
    *("torch.tensor(1e50)", "torch.tensor(1j)", "torch.tensor([1.0, 2.0])"),
)
DTYPES = (
    *("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool"),
    *("complex64", "complex128"),
)
# Their results are memory as it was found, numbers of another stream, or the end of the process.
# linalg_lstsq hands LAPACK's gelsy such memory as its pivots: of 12 equal calls of one process, ten
# with rcond=1.0 kept the first column of [[1, 2], [3, 4]], two its second.
LEFT_OUT = frozenset(
    """
    empty empty_like empty_permuted empty_strided new_empty new_empty_strided range
    from_file full_like cudnn_affine_grid_generator is_set_to linalg_lstsq
    """.split()
)
# Torch computes one term of these after the other, for hours.
ENDLESS = {"special_laguerre_polynomial_l": "2**40"}
SHAPED = {
    "(2, 2)": "torch.tensor([[1.0, 2.0], [3.0, 4.0]])",
    "(3,)": "torch.tensor([1.0, 2.0, 3.0])",
    "()": "torch.tensor(2.0)",
    "(1, 2, 2)": "torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])",
}
SHAPES = tuple(SHAPED)
ORDINARY = {"number": "1", "float": "0.5", "int": "0", "bool": "False", "str": "'none'"}


NUMBERS = frozenset(("number", "float", "numbers"))


class Argument(NamedTuple):
    """A parameter: its name, its type, and the text of an ordinary value.

    text: None for what has a default.
    """

    name: str
    kind: str
    text: str | None
    keyword_only: bool


class Function(NamedTuple):
    """A function with a number: how it is written, the shapes of its tensors, its parameters."""

    path: str
    shapes: tuple[str, ...]
    arguments: tuple[Argument, ...]


@cache
def schemas() -> dict[str, list[Any]]:
    """Returns the schemas with numbers, by the name of their operator."""
    found: dict[str, list[Any]] = {}
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space != "aten" or name.startswith("_") or name in LEFT_OUT:
            continue
        kinds = [_argument(each).kind for each in schema.arguments]
        if not NUMBERS.intersection(kinds) or any(each.is_out for each in schema.arguments):
            continue
        if "Dimname" in str(schema) or ("Generator" in str(schema) and not name.endswith("_")):
            continue
        if any(_paths(name)):
            found.setdefault(name, []).append(schema)
    return dict(sorted(found.items()))


def functions(name: str) -> list[Function]:
    """Returns the public functions of an operator for which an ordinary call is found."""
    found = []
    for schema in schemas()[name]:
        arguments = tuple(map(_argument, schema.arguments))
        for path in _paths(name):
            made = _fitting(path, arguments)
            if made is not None:
                found.append(made)
    return found


def _argument(argument: Any) -> Argument:
    kind = str(argument.type)
    optional = kind.startswith("Optional[")
    kind = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
    text: str | None = ORDINARY.get(kind, "None")
    if argument.has_default_value():
        text = None
    elif kind.startswith("List[int"):
        text = "[0]"
    elif kind.startswith("List[Tensor"):
        text = "[TENSOR, TENSOR]"
    elif kind == "Tensor":
        text = "TENSOR"
    elif optional:
        text = "None"
    kind = "numbers" if kind.startswith("List[number") else kind
    return Argument(argument.name, kind, text, argument.kwarg_only)


def _paths(name: str) -> Iterator[str]:
    """Yields where an operator is public."""
    if hasattr(torch, name):
        yield f"torch.{name}"
    elif hasattr(torch.nn.functional, name):
        yield f"torch.nn.functional.{name}"
    for space in ("special", "linalg", "fft"):
        if name.startswith(f"{space}_"):
            yield f"torch.{space}.{name.removeprefix(f'{space}_')}"
    if hasattr(torch.Tensor, name) and (name.endswith("_") or not hasattr(torch, name)):
        yield f"torch.Tensor.{name}"


def _fitting(path: str, arguments: tuple[Argument, ...]) -> Function | None:
    """Returns the function with shapes for which torch takes an ordinary call."""
    count = sum((each.text or "").count("TENSOR") for each in arguments)
    choices = [(shape,) * count for shape in SHAPES]
    if 1 < count < 5:
        choices += list(product(SHAPES, repeat=count))
    for shapes, dtype in product(choices, ("float32", "int64", "bool")):
        made = Function(path, shapes, arguments)
        try:
            exec(source(made, dtype), {"torch": torch})
        except Exception:
            continue
        return made
    return None


def source(function: Function, dtype: str, odd: str = "", number: str = "") -> str:
    """Returns the call of a function as source, with `number` for its argument `odd`."""
    lines: list[str] = []
    given = []
    for i, each in enumerate(function.arguments):
        text = each.text
        if each.name == odd:
            text = f"[{number}, {number}]" if each.kind == "numbers" else number
        elif text is None:
            continue
        while "TENSOR" in text:
            lines.append(f"x{len(lines)} = {SHAPED[function.shapes[len(lines)]]}.to(torch.{dtype})")
            text = text.replace("TENSOR", f"x{len(lines) - 1}", 1)
        by_name = i and (each.keyword_only or each.text is None)
        given.append(f"{each.name}={text}" if by_name else text)
    lines.append(f"result = {function.path}({', '.join(given)})")
    head = "import numpy\n\n" if "numpy" in number else ""
    return head + "\n".join(lines) + "\n"


def sources(name: str) -> Iterator[tuple[str, str]]:
    """Yields a label and the source of each call of an operator."""
    for function in functions(name):
        for each in function.arguments:
            if each.kind not in NUMBERS:
                continue
            for dtype, number in product(DTYPES, ODD):
                if ENDLESS.get(name) == number:
                    continue
                label = f"{function.path} of {dtype}, {each.name}={number}"
                yield label, source(function, dtype, each.name, number)


LOOKED_AT = frozenset(("value", "dtype", "shape", "error"))
SAMPLES = "samples/"  # what the keys of tensor_numbers.py begin with
COUNT = {"quick": 48, "full": 400}


def keys(options: Options) -> list[str]:
    """Returns the functions whose schemas have numbers, and the operators with samples."""
    return [*schemas(), *(f"{SAMPLES}{key}" for key in tensor_numbers.keys(options))]


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields calls of a function with odd numbers."""
    if key.startswith(SAMPLES):
        yield from tensor_numbers.cases(key.removeprefix(SAMPLES), options)
        return
    found = list(sources(key))
    Random(options.seed).shuffle(found)
    for label, text in found[: COUNT[options.profile]]:
        yield Snippet(text, label, LOOKED_AT)
