"""The cases that every source yields: each is a function of the module `torch` to an outcome."""

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from types import ModuleType
from typing import Any

from conformance.oracle import frames, record
from conformance.oracle.device import made_there
from conformance.oracle.double import in_double, moved

EVERY = "*"  # in the outcome of a case that failed as a whole
SEED = 42

PROPERTIES = {
    "value": "the numbers, and the kind of thing that is returned",
    "dtype": "",
    "shape": "",
    "stride": "strides, or the layout",
    "view": "of which tensor it is a view, with which it shares memory, its storage offset",
    "requires_grad": "with is_leaf and output_nr",
    "node": "the name of grad_fn and of its class",
    "graph": "all nodes, edges with slots, sharing, leaves",
    "saved": "names and values of what the nodes saved",
    "grad": "gradients: which are None, dtype, strides, values",
    "gradgrad": "second gradients",
    "gradgraph": "the graph that create_graph gives gradients, and what its nodes saved",
    "jvp": "forward mode: tangents",
    "vmap": "mapped over a batch of two: of all inputs, and of the first alone",
    "in-place": "the variant that writes its input",
    "out": "out= of every kind",
    "effects": "versions and contents of inputs, the random state",
    "variants": "methods, Python operators, aliases",
    "state": "parameters, buffers, state_dict, after construction and after every step",
    "text": "what is printed: repr, str, and the output of a script",
    "order": "the order in which hooks and functions are called",
    "signature": "names, and the arguments they take",
    "schema": "the declaration, against torch's own tables",
    "warnings": "category and text of each",
    "error": "type and text of what is raised",
}

# Which file and line of torch's own build a warning comes from.
TRIGGERED = re.compile(r" \(Triggered internally at [^)]*\)")

# NumPy's own, of floating point: who asks for all warnings sees them (docs/decisions/0008).
FLOATING_POINT = re.compile(r"(divide by zero|overflow|underflow|invalid value) encountered in ")

Outcome = dict[str, Any]


def _words(message: Warning | str) -> str:
    """Returns a warning without the place in the sources from which torch was built."""
    return re.sub(r" \(Triggered internally at .*?\)", "", str(message))


class Case(ABC):
    """One thing to do with either library.

    `properties` are those which its outcome may speak of; `main` is the one under which an error
    stands that lets the whole case fail; `pattern` is the regular expression which torch's own
    tests hold an error's text to, if they have one. What was `found_by_chance` is worth keeping.
    """

    label: str
    main: str
    properties: frozenset[str]
    pattern: str = ""
    found_by_chance = False
    makes_tensors = False  # as people do, without saying on which device
    neighbours = 8  # whose numbers are computed at most, to know how far torch errs

    @abstractmethod
    def run(self, torch: ModuleType) -> Outcome:
        """Does it with a library, and returns the outcome: property -> plain data."""

    @abstractmethod
    def script(self, impl: str) -> str:
        """Returns the same as a script that runs with either library."""

    @property
    @abstractmethod
    def title(self) -> str:
        """A description of the case for people, shown beside a difference."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The size of the case: of several that differ the smallest is shown."""

    def perform(self, torch: ModuleType) -> Outcome:
        """Runs the case from the same random state each time; it never raises."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                # NumPy's, of numbers that are not finite, are told apart by minitorch's own filter.
                warnings.simplefilter("ignore", RuntimeWarning)
                torch.manual_seed(SEED)
                with made_there(torch) if self.makes_tensors else nullcontext():
                    outcome = self.run(torch)
        except Exception as error:
            return {EVERY: record.failure(error)}
        finally:
            frames.restore()
        if "warnings" in self.properties:
            outcome["warnings"] = list(map(plain, filter(_counts, caught)))
        return outcome

    def computed(self, torch: ModuleType, double: bool, seed: int | None = None) -> Outcome:
        """Runs the case with real torch in another way.

        Args:
            torch: real torch.
            double: compute in float64.
            seed: compute at the neighbour of this number.
        """
        if not double and seed is None:
            return self.perform(torch)
        with in_double(seed) if double else moved(seed):
            return self.perform(torch)

    def shrunk(self, differs: "Callable[[Case], bool]") -> "Case":
        """Returns a smaller case for which `differs` holds as well; most cannot be made smaller."""
        return self


def plain(warning: warnings.WarningMessage) -> str:
    """Returns a warning's category and text."""
    return TRIGGERED.sub("", f"{warning.category.__name__}: {warning.message}")


def _counts(warning: warnings.WarningMessage) -> bool:
    return not (warning.category is RuntimeWarning and FLOATING_POINT.match(str(warning.message)))
