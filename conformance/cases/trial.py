"""A case of the operator sources: one experiment on one call."""

from dataclasses import dataclass
from types import ModuleType

from conformance.cases.case import Case, Outcome
from conformance.cases.experiments import EXPERIMENTS
from conformance.cases.forward_mode import forward_mode, forward_mode_in_place
from conformance.cases.mapping import mapped
from conformance.cases.reproducer import reproducer
from conformance.oracle.describe import Call

# What each experiment looks at, besides the warnings: the first is its main property.
PROPERTIES_OF = {
    "forward": (
        *("value", "dtype", "shape", "stride", "view", "requires_grad"),
        *("node", "graph", "saved", "effects"),
    ),
    "gradient": ("grad",),
    "second gradient": ("gradgrad", "gradgraph"),
    "forward mode": ("jvp",),
    "forward mode in place": ("jvp",),
    "vmap": ("vmap",),
    "in-place": ("in-place",),
    "out": ("out",),
    "variant": ("variants",),
    "error": ("error",),
    "refusal": ("error",),
}


EXPERIMENTS |= {"forward mode": forward_mode, "forward mode in place": forward_mode_in_place}
EXPERIMENTS["vmap"] = mapped


@dataclass
class Trial(Case):
    """One experiment on one call of one operator."""

    experiment: str
    expression: str
    call: Call
    label: str
    dtype: str = ""
    uninitialised: bool = False  # the output's numbers mean nothing
    saves_uninitialised: bool = False  # nor do those which its nodes save
    pattern: str = ""
    twice: bool = False  # in forward mode: derivatives of derivatives as well
    exact: bool = False  # its numbers are exact by definition
    warned: bool = True  # its warnings are looked at

    @property
    def properties(self) -> frozenset[str]:
        """The properties that the experiment looks at."""
        own = PROPERTIES_OF[self.experiment]
        return frozenset((*own, "warnings") if self.warned else own)

    @property
    def main(self) -> str:
        """The experiment's own property, the value for a forward."""
        return PROPERTIES_OF[self.experiment][0]

    def run(self, torch: ModuleType) -> Outcome:
        """Runs the experiment."""
        return EXPERIMENTS[self.experiment](torch, self)

    def script(self, impl: str) -> str:
        """Returns inputs, the call, and what the experiment then looks at."""
        return reproducer(self, impl)

    @property
    def title(self) -> str:
        """The experiment and the sample."""
        return f"{self.experiment}, {self.label}"

    @property
    def size(self) -> int:
        """The bytes of all inputs; small ones are the better examples, empty ones are not."""
        empty = any(0 in spec.size for spec in self.call.tensors)
        return sum(content.size for content in self.call.storages.values()) + (1 << 40) * empty
