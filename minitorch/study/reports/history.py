"""Questions that several reports ask of a recording: what used, kept and wrote what, and where.

A History reads a Recording once and answers from its indexes. Tensors, nodes, storages and events
are meant by their numbers, as in docs/study/recording.md.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from minitorch.study.tape.recording import Operator, Place, Recording, SavedInfo

PARAMETERS, DATA, GRADIENTS, OTHER = "parameters", "data", "gradients", "other"

# Operators that only fill the memory of a new tensor: a use of a parameter that says nothing about
# its gradient.
_FILLS = frozenset(
    "uniform_ normal_ fill_ zero_ kaiming_uniform_ kaiming_normal_ xavier_uniform_ xavier_normal_ "
    "constant_ ones_ zeros_ trunc_normal_ orthogonal_ copy_ requires_grad_ _no_grad_uniform_ "
    "_no_grad_normal_ _no_grad_zero_ _no_grad_fill_ __set__ retain_grad".split()
)
_NUMBERS = ("float64", "int64", "complex128", "bool")  # the dtypes of Python's
_MODES = ("no_grad", "inference_mode", "set_grad_enabled")


def module_text(entry: str) -> str:
    """Returns "1 ReLU" for the entry "1:ReLU" of a stack of modules, and "Model" for "Model"."""
    return entry.replace(":", " ", 1)


def _setting(node: ast.AST) -> Setting | None:
    """Returns what a call of requires_grad_() or retain_grad(), or an assignment, asks for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr.removesuffix("_")
        given = [*node.args, *[keyword.value for keyword in node.keywords]]
        target = node.func.value
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        name, given, target = node.targets[0].attr, [node.value], node.targets[0].value
    else:
        return None
    if name not in ("requires_grad", "retain_grad"):
        return None
    value = not (given and isinstance(given[0], ast.Constant) and not given[0].value)
    return Setting(0, node.lineno, ast.unparse(target), name, value)


class Backward(NamedTuple):
    """Says when one walk of a graph began and ended, and the gradients that it was asked for."""

    begin: int
    end: int
    name: str
    roots: list[int]
    keep: bool


class Setting(NamedTuple):
    """Names a statement that asks a tensor to require grad or not, or to keep its .grad.

    target: the tensor as the source writes it.  name: "requires_grad" or "retain_grad".
    """

    file: int
    line: int
    target: str
    name: str
    value: bool


class GradMode(NamedTuple):
    """Names the statement that turned grad mode off."""

    line: int
    text: str


class History:
    """Indexes of one recording, each made when it is first needed."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.events: list[Any] = recording.events
        self.tensors = recording.tensors
        self.nodes = recording.nodes
        self.storages = recording.storages

    # Places ------------------------------------------------------------------------------------

    @cached_property
    def _enclosing(self) -> dict[int, int]:
        """For each event inside a backward, the event at which that backward began."""
        found, open_walks = {}, []
        for number, event in enumerate(self.events):
            if event.kind == "backward":
                open_walks.append(number)
            elif open_walks:
                found[number] = open_walks[-1]
                if event.kind == "backward_end":
                    open_walks.pop()
        return found

    def place(self, event: int | None) -> Place | None:
        """Returns the innermost place of the reader's code at which an event happened, or None.

        A node has no place of its own: it ran where the backward was called.
        """
        place = self.recording.place_of(event)
        if place is None and event in self._enclosing:
            place = self.recording.place_of(self._enclosing[event])
        return place

    @cached_property
    def _is_in_several_files(self) -> bool:
        """Whether events happened in several files; that which called the program is no such."""
        places = {self.recording.place_of(event) for event in range(len(self.events))}
        return len({place.file for place in places if place is not None}) > 1

    def line_text(self, file: int, line: int) -> str:
        """Returns "line 5", or "train.py:5" where the program has several files."""
        if self._is_in_several_files:
            return f"{self.recording.files[file].name}:{line}"
        return f"line {line}"

    def spot(self, event: int | None) -> str:
        """Returns where an event happened, as "line 5", or "code that has no lines"."""
        place = self.place(event)
        return "code that has no lines" if place is None else self.line_text(place.file, place.line)

    def expression(self, event: int) -> str:
        """Returns the expression that an event evaluated, or the operator's name."""
        place = self.place(event)
        if getattr(self.events[event], "name", "") == "__setitem__" and place is not None:
            return self.source(place.file, place.line) or place.expression
        text = "" if place is None else place.expression
        return text or f"{getattr(self.events[event], 'name', self.events[event].kind)}(…)"

    def statement(self, event: int) -> str:
        """Returns the line of source on which an event happened, or its expression."""
        place = self.place(event)
        source = "" if place is None else self.source(place.file, place.line)
        return source or self.expression(event)

    def source(self, file: int, line: int) -> str:
        """Returns a line of a file without its comment, or "" where the text is not known."""
        lines = self.recording.files[file].text.splitlines()
        return lines[line - 1].split("  #")[0].strip() if 0 < (line or 0) <= len(lines) else ""

    @cached_property
    def _trees(self) -> dict[int, ast.AST | None]:
        return {}

    def _tree(self, file: int) -> ast.AST | None:
        if file not in self._trees:
            try:
                self._trees[file] = ast.parse(self.recording.files[file].text)
            except (SyntaxError, ValueError):
                self._trees[file] = None
        return self._trees[file]

    def grad_mode_off(self, event: int) -> GradMode | None:
        """Returns the statement around an event that turned grad mode off, or None.

        Looked for are `with` statements and decorators, from the innermost frame outwards, and then
        the last call of set_grad_enabled() on a line of its own above the event.
        """
        for visit in reversed(self.events[event].at or ()):
            place = self.recording.places[visit.place]
            tree = self._tree(place.file)
            if tree is None or place.line is None:
                continue
            found = None
            for node in ast.walk(tree):
                if not isinstance(node, (ast.With, ast.FunctionDef, ast.AsyncWith, ast.ClassDef)):
                    continue
                if not node.lineno <= place.line <= (node.end_lineno or 0):
                    continue
                if isinstance(node, (ast.With, ast.AsyncWith)):
                    parts = [("with ", item.context_expr) for item in node.items]
                else:
                    parts = [("@", decorator) for decorator in node.decorator_list]
                for before, part in parts:
                    text = ast.unparse(part)
                    if any(mode in text for mode in _MODES):
                        found = GradMode(part.lineno, before + text)
            if found is not None:
                return found
        place = self.place(event)
        return None if place is None else self._switch_before(place)

    def _switch_before(self, place: Place) -> GradMode | None:
        """Returns the last set_grad_enabled(False) above a place, if it is not taken back."""
        found = None
        for node in ast.walk(self._tree(place.file) or ast.Module([], [])):
            if isinstance(node, ast.Expr) and node.lineno < place.line:
                text = ast.unparse(node)
                if "set_grad_enabled(" in text and (found is None or node.lineno > found.line):
                    found = GradMode(node.lineno, text)
        return found if found is not None and found.text.endswith("(False)") else None

    @cached_property
    def settings(self) -> list[Setting]:
        """The statements that ask tensors to require grad, by their lines.

        They make no events, so that they are known from the source alone: not when they ran, and
        not what a variable in them was.
        """
        found = []
        for file in range(len(self.recording.files)):
            for node in ast.walk(self._tree(file) or ast.Module([], [])):
                setting = _setting(node)
                if setting is not None:
                    found.append(setting._replace(file=file))
        return sorted(found)

    # Backwards and nodes -----------------------------------------------------------------------

    @cached_property
    def backwards(self) -> list[Backward]:
        """Every backward and every autograd.grad, in the order in which they began."""
        ends = {
            begin: number
            for number, begin in self._enclosing.items()
            if self.events[number].kind == "backward_end"
        }
        return [
            Backward(
                number,
                ends.get(number, len(self.events)),
                event.name,
                [root for root in event.roots if root is not None],
                event.keep,
            )
            for number, event in enumerate(self.events)
            if event.kind == "backward"
        ]

    def backward_of(self, event: int) -> Backward | None:
        """Returns the innermost backward that was running at an event, or None."""
        return self._by_begin.get(self._enclosing.get(event, -1))

    @cached_property
    def _by_begin(self) -> dict[int, Backward]:
        return {walk.begin: walk for walk in self.backwards}

    @cached_property
    def runs(self) -> dict[int, list[int]]:
        """For each node, the events at which it ran."""
        found = defaultdict(list)
        for number, event in enumerate(self.events):
            if event.kind in ("node", "accumulate"):
                found[event.node].append(number)
        return found

    @cached_property
    def releases(self) -> dict[int, int]:
        """For each node that released its saved values, the event at which it did."""
        found = {}
        for node, events in self.runs.items():
            for event in events:
                walk = self.backward_of(event)
                if walk is None or not walk.keep:
                    found[node] = event
                    break
        return found

    @cached_property
    def nodes_made(self) -> dict[int, list[int]]:
        """For each operator's event, the nodes that it made."""
        found = defaultdict(list)
        for number, node in enumerate(self.nodes):
            if node.event is not None:
                found[node.event].append(number)
        return found

    @cached_property
    def accumulators(self) -> dict[int, list[int]]:
        """For each leaf, its AccumulateGrad nodes."""
        found = defaultdict(list)
        for number, node in enumerate(self.nodes):
            if node.leaf is not None:
                found[node.leaf].append(number)
        return found

    @cached_property
    def accumulations(self) -> dict[int, list[int]]:
        """For each leaf, the events at which its .grad received something.

        autograd.grad comes to leaves, too, but leaves their .grad as it is.
        """
        found = defaultdict(list)
        for number, event in enumerate(self.events):
            if event.kind == "accumulate" and (event.gs is not None or event.total is not None):
                found[event.leaf].append(number)
        return found

    @cached_property
    def cleared(self) -> dict[int, list[int]]:
        """For each leaf, the events at which its .grad was cleared: set to None or to zeros.

        Among them are operators that wrote zeros into it, as in w.grad.zero_().
        """
        found = defaultdict(list)
        leaves: dict[int, int] = {}  # by the storage of their .grad
        for number, event in enumerate(self.events):
            if event.kind == "zero":
                for tensor in event.tensors:
                    found[tensor].append(number)
            elif event.kind == "accumulate" and event.gs is not None:
                leaves[event.gs] = event.leaf
            elif event.kind == "op" and event.writes:
                storages = {self.tensors[tensor].storage for tensor in event.writes}
                if not storages.isdisjoint(leaves) and self._gives_zeros(event):
                    for storage in storages & leaves.keys():
                        found[leaves[storage]].append(number)
        return found

    def _gives_zeros(self, event: Operator) -> bool:
        return event.name == "zero_" or all(self.zero_share(out.value) == 1.0 for out in event.outs)

    def reached(self, walk: Backward) -> set[int]:
        """Returns the nodes that a backward comes to from its roots, the roots among them."""
        if walk.begin in self._reached:
            return self._reached[walk.begin]
        self._reached[walk.begin] = found = self.nodes_behind(walk.roots)
        return found

    @cached_property
    def reached_tensors(self) -> set[int]:
        """The leaves that backwards came to, and what the operators of their nodes took."""
        found = set()
        for node in {node for walk in self.backwards for node in self.reached(walk)}:
            about = self.nodes[node]
            if about.leaf is not None:
                found.add(about.leaf)
            elif about.event is not None:
                found.update(self.events[about.event].ins)
        return found

    def nodes_behind(self, roots: list[int]) -> set[int]:
        """Returns the nodes that edges lead to from some nodes, these among them."""
        found, waiting = set(roots), list(roots)
        while waiting:
            for edge in self.nodes[waiting.pop()].edges:
                if edge.node is not None and edge.node not in found:
                    found.add(edge.node)
                    waiting.append(edge.node)
        return found

    @cached_property
    def _reached(self) -> dict[int, set[int]]:
        return {}

    # Tensors and storages ----------------------------------------------------------------------

    @cached_property
    def uses(self) -> dict[int, list[int]]:
        """For each tensor, the operators that took it; filling it with numbers is no use."""
        found = defaultdict(list)
        for number, event in self.operators():
            for tensor in event.ins[1:] if event.name in _FILLS else event.ins:
                found[tensor].append(number)
        return found

    @cached_property
    def makers(self) -> dict[int, int]:
        """For each tensor, the operator that returned it first; written tensors are left out."""
        found: dict[int, int] = {}
        for number, event in self.operators():
            for out in event.outs:
                if out.tensor not in event.ins:
                    found.setdefault(out.tensor, number)
        return found

    @cached_property
    def writes(self) -> dict[int, list[int]]:
        """For each storage, the events that wrote into it in place."""
        found = defaultdict(list)
        for number, event in enumerate(self.events):
            if event.kind == "op":
                written = event.writes or ()
            elif event.kind == "update":
                written = [change.tensor for change in event.params]
            else:
                continue
            for storage in {self.tensors[tensor].storage for tensor in written}:
                found[storage].append(number)
        return found

    @cached_property
    def on_storage(self) -> dict[int, list[int]]:
        """For each storage, the tensors that look at it."""
        found = defaultdict(list)
        for number, tensor in enumerate(self.tensors):
            found[tensor.storage].append(number)
        return found

    @cached_property
    def holders(self) -> dict[int, list[int]]:
        """For each storage, the nodes that keep it for their backward."""
        found = defaultdict(list)
        for number, node in enumerate(self.nodes):
            storages = [saved.storage for saved in node.saved if saved.storage is not None]
            for storage in dict.fromkeys(storages):
                found[storage].append(number)
        return found

    @cached_property
    def storage_kinds(self) -> list[str]:
        """For each storage: parameters, data, gradients or other.

        Data are what the program brought along: tensors that no graph leads to and that were an
        operand or a result, not only something that a node keeps.
        """
        kinds = [OTHER] * len(self.storages)
        for storage, tensors in self.on_storage.items():
            about = [self.tensors[tensor] for tensor in tensors]
            if any(self.is_parameter(tensor) for tensor in tensors):
                kinds[storage] = PARAMETERS
            elif all(tensor.leaf for tensor in about) and not self.seen.isdisjoint(tensors):
                kinds[storage] = DATA
        for event in self.events:
            if event.kind == "accumulate" and event.gs is not None:
                kinds[event.gs] = GRADIENTS
        return kinds

    @cached_property
    def trained(self) -> set[int]:
        """The parameters of all optimizers that took a step."""
        return {
            change.tensor
            for event in self.events
            if event.kind == "update"
            for change in event.params
        }

    def requires_grad(self, tensor: int) -> bool:
        """Returns whether a tensor required grad when it was last seen, or when it was used."""
        return self.tensors[tensor].grad or tensor in self.accumulators

    def is_parameter(self, tensor: int) -> bool:
        """Returns whether a tensor is a leaf that requires grad, or an nn.Parameter."""
        about = self.tensors[tensor]
        return about.param or (about.leaf and self.requires_grad(tensor))

    def is_number(self, saved: SavedInfo) -> bool:
        """Returns whether a node keeps a Python number: shown as a tensor, of 8 bytes or so."""
        if saved.tensor is None or saved.shape:
            return False
        about = self.tensors[saved.tensor]
        return about.dtype in _NUMBERS and saved.tensor not in self.seen

    @cached_property
    def seen(self) -> set[int]:
        """The tensors that were an operand or a result, not only something that a node keeps."""
        found: set[int] = set()
        for _, event in self.operators():
            found.update(event.ins)
            found.update(out.tensor for out in event.outs)
        return found

    def operators(self) -> Iterator[tuple[int, Operator]]:
        """Returns the operators with their numbers, in order."""
        return ((number, event) for number, event in enumerate(self.events) if event.kind == "op")

    @cached_property
    def _first_names(self) -> dict[tuple[int, tuple[int, ...]], str]:
        names: dict[tuple[int, tuple[int, ...]], str] = {}
        for tensor in self.tensors:
            if tensor.name:
                names.setdefault((tensor.storage, tuple(tensor.shape)), tensor.name)
        return names

    def known_name(self, tensor: int) -> str | None:
        """Returns the reader's name of a tensor, else "relu(…)" after its operator, else None.

        A tensor that a node keeps is an object of its own: it has the name of the one with its
        storage and shape.
        """
        about = self.tensors[tensor]
        if about.name:
            return about.name
        shape = tuple(about.shape)
        named = self._first_names.get((about.storage, shape))
        if named is None and (turned := self._first_names.get((about.storage, shape[::-1]))):
            named = f"{turned}ᵀ"
        if named is None:
            for other in self.on_storage[about.storage]:
                if other in self.makers and tuple(self.tensors[other].shape) == shape:
                    event = self.makers[other]
                    name = self.events[event].name
                    return self.expression(event) if name.startswith("__") else f"{name}(…)"
        return named

    def name(self, tensor: int) -> str:
        """Returns the name of a tensor, or "a tensor of shape (8, 2)"."""
        known = self.known_name(tensor)
        return known or f"a tensor of shape {tuple(self.tensors[tensor].shape)}"

    # Values ------------------------------------------------------------------------------------

    def numbers(self, value: int | None) -> Any | None:
        """Returns the numbers of a value, float32 of any shape, if all of them were kept."""
        if value is None:
            return None
        about = self.recording.values[value]
        return about.array if about.is_whole else None

    def norm(self, value: int | None) -> float | None:
        """Returns the Euclidean norm of a value; of a large one it is the recorded estimate."""
        numbers = self.numbers(value)
        if numbers is not None:
            return float(np.linalg.norm(numbers.astype(np.float64)))
        return self._statistic(value, "norm")

    def zero_share(self, value: int | None) -> float | None:
        """Returns the share of zeros among a value's numbers, or None where it is not known."""
        numbers = self.numbers(value)
        if numbers is not None:
            return float((numbers == 0).mean()) if numbers.size else None
        return self._statistic(value, "zeros")

    def bad_count(self, value: int | None) -> int:
        """Returns how many numbers of a value are not finite, of those that were looked at."""
        numbers = self.numbers(value)
        if numbers is not None:
            return int(numbers.size - np.isfinite(numbers).sum())
        return int(self._statistic(value, "bad") or 0)

    def _statistic(self, value: int | None, name: str) -> float | None:
        if value is None:
            return None
        statistics = self.recording.values[value].statistics
        found = None if statistics is None else statistics.get(name)
        return None if found is None else float(found)
