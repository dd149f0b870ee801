"""The declarations of operators, against the tables that torch's own code is generated from.

Nothing is run. A key is a row of minitorch, by torch's name of the overload; a library without rows
has no keys.
"""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch as real_torch

from conformance.cases.case import Case, Outcome
from conformance.options import Options
from conformance.oracle import tables
from conformance.oracle.record import Failure

# Whose tangents torch writes by hand, in VariableTypeManual.cpp, or takes from a decomposition of
# torch/_decomp/decompositions_for_jvp.py, and not from its tables.
OTHERWISE = frozenset(
    ("copy_", "nll_loss_backward", "nll_loss2d_backward", "_softmax_backward_data")
    + ("_log_softmax_backward_data", "native_layer_norm_backward", "native_batch_norm_backward")
    + ("batch_norm_backward",)
)

LOOKED_AT = frozenset(("schema", "node", "graph", "jvp", "variants", "out"))


def keys(options: Options) -> list[str]:
    """Returns the names of all rows."""
    if options.impl != "minitorch":
        return []
    tables.entries()  # before processes are forked: each would read them again
    return list(rows(importlib.import_module(options.impl)))


def cases(key: str, options: Options) -> Iterator["Declaration"]:
    """Yields the one case of a row."""
    row = rows(importlib.import_module(options.impl))[key]
    yield Declaration(key, _serves(importlib.import_module(options.impl), row))


def rows(library: ModuleType) -> dict[str, Any]:
    """Returns the rows of minitorch by the names that torch has for them."""
    importlib.import_module(f"{library.__name__}.core.declare.registry").load_families()
    declare = importlib.import_module(f"{library.__name__}.core.declare.expose")
    return {row.schema.text.partition("(")[0]: row for row in declare.ROWS.values()}


def _serves(library: ModuleType, row: Any) -> bool:
    """Returns whether the public function is the row's own, not one that chooses among rows."""
    return getattr(getattr(library, row.name, None), "row", None) is row


@dataclass
class Declaration(Case):
    """The declaration of one overload; `serves` tells that users call it by its name."""

    label: str
    serves: bool = True
    properties: frozenset[str] = LOOKED_AT
    main: str = "schema"

    def run(self, torch: ModuleType) -> Outcome:
        """Returns what torch's tables say of it, or what the row does."""
        entry = tables.entries().get(self.label)
        if torch is real_torch:
            return self.of_table(entry)
        return self.of_row(torch, entry)

    def of_table(self, entry: tables.Entry | None) -> Outcome:
        """Returns torch's declaration: None where there is none."""
        if entry is None:
            return {"schema": None}
        declared: Outcome = {
            "schema": entry.schema,
            "jvp": entry.forward_mode or self.label in OTHERWISE,
        }
        if entry.in_python:
            declared["variants"] = _places(real_torch, self.name, entry.module)
        if entry.node_known:
            declared["node"] = entry.node
            declared["graph"] = {"inputs": entry.inputs, "outputs": entry.outputs}
        if self.serves:
            declared["out"] = self.name in tables.with_out()
        return declared

    def of_row(self, torch: ModuleType, entry: tables.Entry | None) -> Outcome:
        """Returns the row's declaration."""
        row = rows(torch)[self.label]
        unknown = entry is not None and entry.forward_mode and row.result is None
        return {
            "schema": row.schema.text,
            "jvp": Failure("Missing", "no formula") if unknown else row.result is not None,
            "variants": _places(torch, self.name, entry and entry.module),
            "node": row.node,
            "graph": {
                "inputs": row.inputs,
                "outputs": row.differentiable_outputs if row.node else (),
            },
            "out": "out" in row.variants,
        }

    @property
    def name(self) -> str:
        """The operator's name, without its overload's."""
        return self.label.partition(".")[0]

    def script(self, impl: str) -> str:
        """Returns what prints both declarations."""
        return (
            "from conformance.cases.rows import rows\n"
            "from conformance.oracle.tables import entries\n"
            f"import {impl}\n\n"
            f"print(entries().get({self.label!r}))\n"
            f"print(rows({impl})[{self.label!r}])\n"
        )

    @property
    def title(self) -> str:
        """The overload's name."""
        return self.label

    @property
    def size(self) -> int:
        """One: all declarations are alike."""
        return 1


def _places(library: ModuleType, name: str, module: str | None) -> list[str]:
    """Returns where users find an operator and its in-place variant."""
    if module == "nn":
        owners = {"nn.functional": library.nn.functional}
    elif module is not None:  # linalg_vector_norm is torch.linalg.vector_norm
        owners, name = {module: getattr(library, module)}, name.removeprefix(f"{module}_")
    else:
        owners = {"torch": library, "Tensor": library.Tensor}
    names = (name, f"{name}_")
    return [
        f"{path}.{each}" for path, owner in owners.items() for each in names if each in dir(owner)
    ]
