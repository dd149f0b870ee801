"""The examples in torch's docstrings, run by both libraries.

A key is a module or class of public_names.py; a case is one docstring with lines that begin with
`>>>`. Its statements run one after another, each by itself: what one raises ends it alone. The
value of an expression is looked at like a variable, so that rounding is no difference of text.
"""

import ast
import codeop
import contextlib
import inspect
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from conformance.cases import public_names
from conformance.cases.case import SEED, Outcome
from conformance.cases.snippet import LOOKED_AT, Snippet, namespace, restore
from conformance.options import Options
from conformance.oracle import record
from conformance.oracle.scope import look

# Docstrings whose examples give nothing to compare, and why.
SKIPPED = {
    "hub": "asks the network",
    "empty": "shows memory that nothing has written",
    "empty_like": "shows memory that nothing has written",
    "empty_strided": "shows memory that nothing has written",
    "new_empty": "shows memory that nothing has written",
    "new_empty_strided": "shows memory that nothing has written",
    "skip_init": "shows memory that nothing has written",
    "seed": "shows a number that differs in every process",
    "set_num_threads": "sets what stays set for the process",
    "set_flush_denormal": "sets what stays set for the process",
    "quantize_per_channel": "makes quantised tensors",
    "quantize_per_tensor": "makes quantised tensors",
    "quantize_per_tensor_dynamic": "makes quantised tensors",
    "quantized_batch_norm": "makes quantised tensors",
    "quantized_max_pool1d": "makes quantised tensors",
    "quantized_max_pool2d": "makes quantised tensors",
    "set_default_device": "names a GPU, which torch's own build for the CPU fails to set",
    "get_kernel": "replaces an operator of aten in the whole process",
    "triton_op": "writes a kernel for a compiler of GPU code",
    "register_fake": "traces sizes as symbols, for a compiler",
    "lu_solve": "asks whether rounded numbers are equal",
    "rename_privateuse1_backend": "names a kind of devices that a C++ library brings along",
    "generate_methods_for_privateuse1_backend": "is for devices that a C++ library brings along",
    "emit_itt": "marks ranges for a tool of Intel's",
    "LazyModuleMixin": "leaves parameters without numbers, which nobody can look at",
    "grad_dtype": "gives gradients another dtype than their leaf's, which minitorch refuses",
    "skip_data": "writes a file of sizes without numbers, which minitorch refuses",
    "torch.sparse.mm": "differentiates the largest of a row's products, which minitorch refuses",
}
# Properties which an example does not show as a program would see them, and why.
_TIMES = (("value", "text"), "shows how long each operator took, and those inside of it")
_UNKNOWN_MODULE = (("error",), "pickles a class that no module has")
UNSEEN = {
    "torch.Tensor.shape": (("value",), "shows memory that nothing has written"),
    "torch.is_storage": (("value",), "makes a storage that nothing has written"),
    "torch.ones_like": (("value",), "starts from a tensor that nothing has written"),
    "torch.autograd.enforce_grad_layout_policy": (("value",), "starts from such a tensor, too"),
    "torch.zeros_like": (("value",), "starts from a tensor that nothing has written"),
    "torch.func.linearize": (("warnings",), "torch warns of a node that its own folding inserts"),
    "torch.func.functionalize": (("text",), "prints graphs, and views are written otherwise here"),
    "torch.ldexp": (("warnings",), "torch warns of an output that it made itself"),
    "torch.autograd.detect_anomaly": (
        ("warnings",),
        "shows the frames of whoever runs the example",
    ),
    "torch.profiler.record_function": _TIMES,
    "torch.autograd.profiler.profile": _TIMES,
    "torch.serialization.safe_globals": _UNKNOWN_MODULE,
    "torch.serialization.add_safe_globals": _UNKNOWN_MODULE,
    "torch.nested.masked_select": (("shape",), "names a symbol by how many there were"),
    "torch.nested.narrow": (("shape",), "names a symbol by how many there were"),
    "torch.overrides.get_testing_overrides": (("value",), "shows a signature that torch shortens"),
}
PREAMBLE = """import math, copy, itertools
import numpy as np
from torch import Tensor, autograd, optim
from torch.autograd import Function
"""


@dataclass
class Docstring(Snippet):
    """The statements of one docstring."""

    main: str = "value"
    properties: frozenset[str] = LOOKED_AT - {"node", "graph", "saved", "view", "stride"}

    def perform(self, torch: ModuleType) -> Outcome:
        """Runs the case; of equal warnings it keeps one.

        A program sees such a warning once. With all of them given, torch repeats one for each
        tensor that it makes on the way; and importing its own modules, which happens once in a
        process, warns of torch.jit.
        """
        outcome = super().perform(torch)
        if "warnings" in outcome:
            kept = [each for each in outcome["warnings"] if "`torch.jit." not in str(each)]
            outcome["warnings"] = list({str(each): each for each in kept}.values())
        return outcome

    def run(self, torch: ModuleType) -> Outcome:
        """Runs the statements, and looks at variables, printed text and errors."""
        names = namespace(torch)
        exec(PREAMBLE, names)
        printed: list[str] = []
        names["print"] = lambda *things, sep=" ", end="\n", **_: printed.append(
            sep.join(map(str, things)) + end
        )
        reserved = set(names)
        torch.set_warn_always(True)
        torch.manual_seed(SEED)
        errors = []
        with _somewhere_else():
            for i, statement in enumerate(statements(self.source)):
                try:
                    exec(_kept(statement, f"result_{i}"), names)
                except Exception as caught:
                    errors.append((statement, record.failure(caught)))
        torch.set_default_device(None)
        restore(torch)
        left = {name: value for name, value in names.items() if name not in reserved}
        outcome = {**look(torch, left), "error": errors}
        outcome["text"] = record.without_addresses("".join(printed))
        outcome["effects"] = {"random state": record.random_state(torch)}
        return {name: seen for name, seen in outcome.items() if name in self.properties}


@contextlib.contextmanager
def _somewhere_else() -> Iterator[None]:
    """A block in a folder that is empty, and gone afterwards: examples write files."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _kept(statement: str, name: str) -> Any:
    """Returns a compiled statement, with which the value of an expression gets a name."""
    tree = ast.parse(statement)
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        target = ast.Name(name, ast.Store())
        tree.body = [ast.Assign([target], tree.body[0].value)]
        ast.fix_missing_locations(tree)
    return compile(tree, "<docstring>", "exec")


def statements(docstring: str) -> list[str]:
    """Returns the statements after `>>>`, each with the lines that continue it.

    Many docstrings write `>>>` before lines that continue a statement too.
    """
    lines = [
        line.strip()[3:].removeprefix(" ")
        for line in docstring.splitlines()
        if line.strip().startswith((">>>", "..."))
    ]
    found: list[str] = []
    open_lines: list[str] = []
    for line in [*lines, ""]:
        if open_lines and not line.startswith((" ", "\t", "else", "except", "finally", "elif")):
            text = "\n".join(open_lines)
            if _is_whole(text) and not open_lines[-1].startswith("@"):
                found.append(text)
                open_lines = []
        if line or open_lines:
            open_lines.append(line)
    return [each for each in found if each.strip()]


def _is_whole(text: str) -> bool:
    """Returns whether a text is whole statements; True of a text that is no Python."""
    try:
        return codeop.compile_command(text + "\n", symbol="exec") is not None
    except (SyntaxError, ValueError, OverflowError):
        return True


def keys(options: Options) -> list[str]:
    """Returns the modules and classes that have examples, or whose functions have."""
    return list(_examples())


def cases(key: str, options: Options) -> Iterator[Docstring]:
    """Yields the docstrings with examples of one module or class."""
    for name, text in _examples()[key].items():
        unseen, _ = UNSEEN.get(name, ((), ""))
        yield Docstring(text, name, properties=Docstring.properties.difference(unseen))


def _examples() -> dict[str, dict[str, str]]:
    """Returns docstrings with examples by owner and name, each text once."""
    seen: set[str] = set()
    found: dict[str, dict[str, str]] = {}
    for path in public_names.keys(Options()):
        owner = public_names.found(public_names._torch(), path)
        things = {path: owner}
        things |= {f"{path}.{n}": getattr(owner, n, None) for n in public_names.public(owner)}
        for name, thing in things.items():
            text = getattr(thing, "__doc__", None)
            if not isinstance(text, str) or ">>>" not in text or text in seen:
                continue
            seen.add(text)
            if not SKIPPED.keys() & {name, *name.split(".")} and statements(text):
                found.setdefault(path, {})[name] = inspect.cleandoc(text)
    return found
