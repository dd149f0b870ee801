"""Calls of public functions with tensors of any shape and dtype, and small numbers for the rest.

Most are refused by the operator itself, for a reason that no other source gives: two dimensions too
few, an empty tensor, a dtype that only one of the arguments has, an out= that overlaps an input.
The arguments follow the signatures that torch prints; the numbers are drawn.
"""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from types import ModuleType
from typing import Any

from conformance.cases import parser
from conformance.cases.case import Case, Outcome
from conformance.cases.snippet import Snippet
from conformance.options import Options

COUNT = {"quick": 4, "full": 60}  # of each function
SHAPES = ("", "0", "3", "1", "2, 2", "2, 3", "3, 2", "1, 2, 3", "2, 0, 3", "2, 3, 4, 4", "1, 0")
DTYPES = ("float32", "float32", "float64", "int64", "int32", "uint8", "bool", "complex64")
DTYPES += ("float16", "bfloat16", "complex128")
TEXTS = {
    "reduction": ("none", "mean", "sum"),
    "reduce": ("sum", "prod", "mean", "amax", "amin"),
    "rounding_mode": ("trunc", "floor"),
    "indexing": ("ij", "xy"),
    "norm": ("ortho", "forward", "backward"),
    "mode": ("reduced", "complete", "r", "bilinear"),
    "UPLO": ("L", "U"),
    "driver": ("gelsd", "gesvd"),
    "ord": ("fro", "nuc"),
    "p": ("fro", "nuc"),
    "equation": ("ij,jk->ik", "i,i->", "...->..."),
    "interpolation": ("linear", "nearest", "lower"),
    "pad_mode": ("reflect", "constant"),
    "side": ("left", "right"),
    "approximate": ("none", "tanh"),
    "padding_mode": ("zeros",),
    "padding": ("same", "valid"),
}
OTHERS = {
    "Number": ("1", "2", "0.5", "-1", "0", "True", "1j"),
    "int": ("0", "1", "-1", "2", "3", "5", "-4"),
    "float": ("0.5", "1.0", "0.0", "2"),
    "bool": ("True", "False"),
    "tuple of ints": ("(0,)", "(1,)", "(-1,)", "(2, 2)", "(0, 1)", "(1, 1, 1)", "()", "(3,)", "2"),
    "tuple of floats": ("(1.0,)", "(0.5, 2.0)"),
    "tuple of Scalars": ("[1]", "[1, 0.5]"),
    "torch.dtype": tuple(f"torch.{name}" for name in dict.fromkeys(DTYPES)),
    "torch.layout": ("torch.strided",),
    "torch.device": ("'cpu'",),
    "torch.memory_format": ("torch.contiguous_format", "torch.preserve_format"),
    "torch.Generator": ("None",),
    "object": ("[1]", "2"),
}
# What memory held before, the end of the process, or a state of all calls that follow.
LEFT_OUT = frozenset(
    """
    empty empty_like empty_permuted empty_strided new_empty new_empty_strided resize_ resize_as_
    resize embedding_bag quantized_lstm_cell quantized_gru_cell quantized_rnn_relu_cell
    quantized_rnn_tanh_cell init_num_threads range from_file
    cudnn_affine_grid_generator lu_unpack backward data_ptr apply_ map_ map2_ manual_seed
    sparse_resize_ sparse_resize_and_clear_ data storage untyped_storage pin_memory
    const_data_ptr mkldnn_rnn_layer
    """.split()
)
# Whether a singular matrix has an inverse in floating-point numbers is a matter of the last bit,
# and so is the sign of an eigenvector or singular vector. Calls of these functions with matrices of
# 4 x 4, which are of rank 2, are a unit of their own, and so are those of the second ones that give
# vectors of matrices: of several elements, and of a dtype that LAPACK takes.
SINGULAR = frozenset(
    """
    linalg.linalg_cond linalg.linalg_solve linalg.linalg_solve_ex linalg.linalg_inv
    linalg.linalg_inv_ex linalg.linalg_lu_factor linalg.linalg_lu_factor_ex linalg.linalg_slogdet
    linalg.linalg_tensorinv linalg.linalg_matrix_power torch.matrix_power Tensor.matrix_power
    torch.inverse Tensor.inverse torch.logdet Tensor.logdet torch.slogdet Tensor.slogdet
    """.split()
)
WITH_VECTORS = frozenset(("linalg.linalg_eigh", "linalg.linalg_svd", "torch.svd", "Tensor.svd"))
OF_VECTORS = re.compile(
    r"x0 = .*reshape\((?:2, 2|2, 3|3, 2|1, 2, 3|2, 3, 4, 4)\)\.to\(torch\.(float32|float64|complex)"
)
SINGULAR_UNIT = "linalg singular"
_HALFWAY = "factorization could not be completed"
# Whose results may have indices that do not fit their size, as nothing looks at them unless asked:
# the elements of such a tensor are what memory holds.
UNCHECKED = tuple(f"torch.sparse_{kind}_tensor" for kind in "csr csc bsr bsc compressed".split())
FACTORIES = frozenset(f"torch.{name}" for name in "rand randn randint zeros ones full".split())
LOOKED_AT = frozenset(("value", "dtype", "shape", "requires_grad", "node", "error"))


@cache
def functions() -> dict[str, list[list[parser.Parameter]]]:
    """Returns the signatures of each function that is called, by its name: 'torch.add'."""
    found = {}
    for name, signatures in parser.signatures().items():
        space, _, own = name.partition(".")
        left_out = own in LEFT_OUT or own.startswith(("_", "set_"))  # settings of all that follows
        if space not in ("_VF", "nn_") and not left_out:
            found[name] = signatures
    return found


def batches() -> dict[str, list[str]]:
    """Returns the functions by namespace and first letter: 'torch a'."""
    found: dict[str, list[str]] = {}
    for name in functions():
        found.setdefault(parser.batch_of(name), []).append(name)
    return found | {SINGULAR_UNIT: [*filter(functions().__contains__, SINGULAR | WITH_VECTORS)]}


def is_singular(name: str, text: str) -> bool:
    """Returns whether rounding decides the result of a call."""
    if name in WITH_VECTORS:
        return OF_VECTORS.search(text) is not None
    return name in SINGULAR and "reshape(2, 3, 4, 4)" in text


def destroys(name: str, text: str) -> bool:
    """Returns whether torch leaves out= such that it cannot be read, or holds what memory held."""
    if name.endswith("as_strided_") and "(-1,)" in text:  # which it has then, and cannot be shown
        return True
    if name.endswith("matrix_power") and re.search(r"out=x0(?!\.clone)", text):
        return True  # torch multiplies into memory that it still reads: 2I squared is zeros
    if name == "torch.slice_scatter":  # which makes out= larger, and then refuses its dtype
        return "out=" in text
    return name in FACTORIES and "out=" in text and "(-1,)" in text  # its size is negative then


class Author:
    """Writes one call after the other of a function."""

    def __init__(self, name: str, seed: Any) -> None:
        self.name, self.random = name, Random(f"{name} {seed}")
        self.lines: list[str] = []
        self.first = ("", "")

    def tensor(self) -> str:
        """Returns the name of another tensor, most often like the first one."""
        pick = self.random.random
        shape = self.first[0] if self.lines and pick() < 0.6 else self.random.choice(SHAPES)
        dtype = self.first[1] if self.lines and pick() < 0.7 else self.random.choice(DTYPES)
        if not self.lines:
            self.first = (shape, dtype)
        name = f"x{len(self.lines)}"
        size = 1
        for each in filter(None, shape.split(", ")):
            size *= int(each)
        numbers = f"torch.arange({size}) % 2"
        if dtype.startswith(("float", "bfloat", "complex")):
            numbers = f"(torch.arange({size}) * 0.25 - 0.5)"
        else:
            numbers = f"({numbers})"
        made = f"{numbers}.reshape({shape or '()'}).to(torch.{dtype})"
        if dtype in ("float32", "complex64") and pick() < 0.3:
            made += ".requires_grad_()"
        self.lines.append(f"{name} = {made}")
        return name

    def value(self, parameter: parser.Parameter) -> str:
        """Returns the text of an argument."""
        kind = parameter.kind
        if parameter.name == "out" and self.lines and self.random.random() < 0.5:
            return self.random.choice(("x0", "x0[:1]", "x0.clone()", "x0.detach()"))
        if kind == "Tensor":
            return self.tensor()
        if kind == "tuple of Tensors":
            names = [self.tensor() for _ in range(self.random.choice((1, 2, 2, 3)))]
            return f"[{', '.join(names)}]"
        if kind == "str":
            return repr(self.random.choice(TEXTS.get(parameter.name, ("none", "mean"))))
        return self.random.choice(OTHERS.get(kind, ("None",)))

    def source(self, parameters: list[parser.Parameter]) -> str:
        """Returns a call as source."""
        self.lines = []
        path = parser.path(self.name)
        if path.startswith("x."):
            self.tensor()
            path = f"x0{path[1:]}"
        given, named = [], False
        for each in parameters:
            chance = 0.12 if each.name == "out" else 0.3
            if each.optional and self.random.random() > chance:
                named = True
                continue
            text = self.value(each)
            given.append(f"{each.name}={text}" if named or each.keyword_only else text)
        call = f"{path}({', '.join(given)})"
        return "\n".join([*self.lines, f"result = {call}", ""])


class Call(Snippet):
    """A call; not looked at are numbers that are what memory held before."""

    def run(self, torch: ModuleType) -> Outcome:
        """Returns the outcome without such numbers."""
        outcome = super().run(torch)
        values, shapes = outcome.get("value", {}), outcome.get("shape", {})
        if outcome.get("error") is None and self.reads_resized(outcome):
            values.pop("x0", None)
            values.pop("result", None)
        if self.label.startswith(UNCHECKED):
            values.pop("result", None)
        if outcome.get("error") is not None:  # a refusal after out= was given another shape
            # What LAPACK has factored by then lies in the memory of x0.
            if re.search(r"out=x0\b", self.source) and _HALFWAY in str(outcome["error"]):
                values.pop("x0", None)
            for name in re.findall(r"x\d+", self.source.rpartition("out=")[2]):
                shape = shapes.get(name, ())
                changed = isinstance(shape, tuple) and str(list(shape)) != self.made(name)
                if name in values and changed:
                    del values[name]
        return outcome

    def reads_resized(self, outcome: Outcome) -> bool:
        """Returns whether out= is memory of the input and got another shape.

        torch then reads what it has made, or written: vector_norm(x, 0, out=x) of (-0.5, -0.25, 0)
        is 1, the count of its first element, nansum(y, keepdim=True, out=y.detach()) lacks the
        first element, and matmul of ((0, 1), (0, 1)) with itself into x[:1] is all zeros.
        """
        found = re.search(r"out=(x0(?:\[:1\]|\.detach\(\))?)[,)]", self.source)
        shape = outcome.get("shape", {}).get("result")
        if found is None or not isinstance(shape, tuple):
            return False
        wanted = self.made("x0")[1:-1].split(", ")
        if "[:1]" in found[1]:
            wanted[0] = "1"
        return ", ".join(map(str, shape)) != ", ".join(wanted)

    def made(self, name: str) -> str:
        """Returns the shape with which a tensor was made: '[2, 3]'."""
        found = re.search(rf"^{name} = .*\.reshape\((.*?)\)\.to", self.source, re.MULTILINE)
        return f"[{found[1].strip('()')}]" if found else ""


def sources(key: str, count: int = COUNT["full"], seed: int = 0) -> Iterator[tuple[str, str]]:
    """Yields a label and the source of each call of the functions of a batch."""
    for name in batches()[key]:
        author = Author(name, seed)
        signatures = functions()[name]
        for number in range(count):
            text = author.source(signatures[number % len(signatures)])
            apart = is_singular(name, text) == (key == SINGULAR_UNIT)
            if apart and not destroys(name, text):
                yield f"{name} {number}", text


def keys(options: Options) -> list[str]:
    """Returns the namespaces with the first letters of their functions: 'torch a'."""
    return list(batches())


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields calls of functions."""
    for label, text in sources(key, COUNT[options.profile], options.seed):
        yield Call(text, label, LOOKED_AT)
