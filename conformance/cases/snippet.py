"""A case that is a piece of source code: its variables, printed text and errors.

The code says `torch`, `nn` and `F`, or imports from torch; either library answers to these names.
"""

import builtins
import importlib
import linecache
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from conformance.cases.case import SEED, Case, Outcome
from conformance.oracle import record
from conformance.oracle.device import without_place
from conformance.oracle.scope import look

LOOKED_AT = frozenset(
    (
        "value",
        "dtype",
        "shape",
        "stride",
        "view",
        "requires_grad",
        "node",
        "graph",
        "saved",
        "grad",
        "effects",
        "text",
        "warnings",
        "error",
    )
)
HEADER = """import torch  # or: import {impl} as torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed({seed})
"""


@dataclass
class Snippet(Case):
    """Some statements, run by themselves."""

    source: str
    label: str = ""
    properties: frozenset[str] = LOOKED_AT
    main: str = "error"
    pattern: str = ""
    makes_tensors = True

    def run(self, torch: ModuleType) -> Outcome:
        """Runs the statements, and looks at everything they leave, also after an error.

        Raises:
            RuntimeError: real torch meets a name that they never make, so that nothing is compared.
        """
        names = namespace(torch)
        printed: list[str] = []
        names["print"] = lambda *things, sep=" ", end="\n", **_: printed.append(
            sep.join(map(str, things)) + end
        )
        reserved = set(names)
        torch.set_warn_always(True)  # each snippet is the first to be warned
        getattr(torch.storage, "_reset_warn_typed_storage_removal", lambda: None)()
        try:
            exec(self.code, names)
            error = None
        except Exception as caught:
            if type(caught) is NameError and caught.name and torch.__name__ == "torch":
                raise RuntimeError(f"{self.title}: {caught}") from None
            error = record.failure(caught)
        finally:
            restore(torch)
        left = {name: value for name, value in names.items() if name not in reserved}
        outcome = {"error": error, **look(torch, left)}
        outcome["text"] = record.without_addresses(without_place("".join(printed)))
        outcome["effects"] = {"random state": record.random_state(torch)}
        return {name: seen for name, seen in outcome.items() if name in self.properties}

    @property
    def code(self) -> Any:
        """The compiled statements; tracebacks show their lines."""
        name = f"<{self.label or 'snippet'}>"
        linecache.cache[name] = (len(self.source), None, self.source.splitlines(True), name)
        return compile(self.source, name, "exec")

    def script(self, impl: str) -> str:
        """Returns the statements with imports and a seed in front."""
        return HEADER.format(impl=impl, seed=SEED) + self.source

    @property
    def title(self) -> str:
        """The label, or the source where there is none."""
        return self.label or self.source.strip()

    @property
    def size(self) -> int:
        """The length of the source."""
        return len(self.source)


def restore(torch: ModuleType) -> None:
    """Undoes what a snippet may have set for the whole process and not set back."""
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")


def namespace(torch: ModuleType) -> dict[str, Any]:
    """Returns the variables which a snippet starts with; imports of torch give this library."""

    def import_(name: str, globals=None, locals=None, fromlist=(), level=0):
        if level or name.partition(".")[0] != "torch":
            return builtins.__import__(name, globals, locals, fromlist, level)
        if name == "torch":
            return torch
        module = importlib.import_module(torch.__name__ + name.removeprefix("torch"))
        return module if fromlist else torch

    return {
        "__name__": "snippet",
        "__builtins__": {**vars(builtins), "__import__": import_},
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
    }
