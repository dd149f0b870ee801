"""A case that is a short program with inputs, whose variables are compared.

A variable that is called like a property (`state`, `grad`, `text`, ...) holds what the case says of
it. Of the properties besides it speaks as a Snippet does: of all tensors it leaves.
"""

import re
from dataclasses import dataclass, field
from types import ModuleType

from conformance.cases.case import SEED, Case, Outcome
from conformance.cases.snippet import HEADER, namespace
from conformance.oracle import record
from conformance.oracle.build import build
from conformance.oracle.describe import Call, TensorSpec
from conformance.oracle.device import without_place
from conformance.oracle.scope import look
from conformance.oracle.written import making, name


@dataclass
class Scenario(Case):
    """Statements that use the tensors `given`; `exact` where only the same bits will do."""

    source: str
    label: str
    properties: frozenset[str]
    main: str
    given: Call = field(default_factory=Call)
    exact: bool = False
    pattern: str = ""
    makes_tensors = True

    def run(self, torch: ModuleType) -> Outcome:
        """Runs the statements; an error is the case's own."""
        names = namespace(torch)
        printed: list[str] = []
        names["print"] = lambda *things: printed.append(" ".join(map(str, things)) + "\n")
        reserved = set(names)
        tensors = build(torch, self.given)[2]
        names |= {name(spec): tensors[spec.number] for spec in self.inputs}
        exec(compile(self.source, f"<{self.label}>", "exec"), names)
        outcome = {
            "error": None,
            "text": without_place("".join(printed)),
            "effects": {"random state": record.random_state(torch)},
        }
        said = {each: names[each] for each in self.said if each in names}
        outcome |= {each: record.plain(torch, value, self.exact) for each, value in said.items()}
        if not self.properties <= outcome.keys():
            left = names.keys() - reserved - said.keys()
            outcome = look(torch, {each: names[each] for each in names if each in left}) | outcome
        return {each: seen for each, seen in outcome.items() if each in self.properties}

    def script(self, impl: str) -> str:
        """Returns imports, a seed, the inputs, the statements; prints the compared variables."""
        inputs = [line for spec in self.inputs for line in making(spec, self.given)]
        prints = [f"print({each})" for each in self.said or ["out"] * ("\nout = " in self.source)]
        seed = f"torch.manual_seed({SEED})"
        header = HEADER.format(impl=impl, seed=SEED).replace(f"\n{seed}\n", "")
        return "\n".join([header, *inputs, seed, self.source.rstrip(), *prints]) + "\n"

    @property
    def title(self) -> str:
        """The label."""
        return self.label

    @property
    def size(self) -> int:
        """The length of the statements and the bytes of their inputs."""
        sizes = (self.given.storages[spec.storage].size for spec in self.inputs)
        return len(self.source) + sum(sizes)

    @property
    def inputs(self) -> list[TensorSpec]:
        """The given tensors which the statements name."""
        words = set(re.findall(r"\bt\d+\b", self.source))
        return [spec for spec in self.given.tensors if name(spec) in words]

    @property
    def said(self) -> list[str]:
        """The properties which a variable is called like."""
        return sorted(each for each in self.properties if f"\n{each} = " in f"\n{self.source}")
