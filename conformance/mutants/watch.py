"""The lines that each case runs, and the units that are clean, before any fault is planted.

Operators are assembled when they are first used: so that the code a case runs does not depend
on other cases, each of torch's operators is looked at in a process of its own.
"""

import dis
import hashlib
import os
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ClassVar
from zlib import crc32

import numpy
import torch

import conformance
import minitorch
from conformance.cases.case import EVERY
from conformance.cases.sources import PENDING, SOURCES, Unit, cases, source
from conformance.differ.compare import PASSING, worst
from conformance.examine import Witness, differences_of
from conformance.mutants.fault import ROOT
from conformance.mutants.processes import each_in_a_process
from conformance.options import Options
from conformance.oracle.record import Failure
from minitorch.core.declare.registry import ROWS
from minitorch.core.graph.hooks import ANY_HOOKS

LEFT_OUT = {"namespace", "printing", "scripts", *PENDING}  # they run what others run, too
LARGEST = 3_000_000  # bytes of a case with what torch makes of it
MISSING = ("Missing", "NotImplementedError")
SECONDS = 300.0  # of processor time, for the units of one process
DTYPES = ("float32", "complex128", "int64", "bfloat16")
OPTIONS = Options(dtypes=DTYPES, examples=250, seconds=60)
# Their quick profile takes every ninth program or one sample: most refusals would run nowhere.
WHOLE = ("compressed", "sizes", "sparse")
# Modes show calls of one function a unit: that first asks for tables of all names, which takes 1 s.
TOGETHER = {"modes": 15}  # units in a process


@dataclass
class Watched:
    """A case: its inputs and torch's results, as bytes, and the code that it runs."""

    unit: Unit
    title: str
    content: bytes
    clean: tuple[str, ...]  # the properties in which minitorch does not differ
    runs: numpy.ndarray  # the code that it runs, as `mark` numbers it
    seconds: float

    def differs(self) -> str:
        """Returns the first property that was clean and differs now."""
        case, theirs = pickle.loads(self.content)
        ANY_HOOKS.clear()
        ours = case.perform(minitorch)
        witness = Witness(case, torch)
        for name in self.clean:
            if not agrees(name, theirs, ours, witness):
                return name
        return ""


def mark(what: tuple[str, Any]) -> numpy.uint32:
    """Returns the number of a line, or of a row's assembled code, the same in all processes."""
    return numpy.uint32(crc32(f"{what[0]}:{what[1]}".encode()))


def agrees(name: str, theirs: Any, ours: Any, witness: Witness) -> bool:
    """Returns whether both libraries' outcomes agree in one property, noise aside."""
    missing = Failure("Missing", "not recorded")
    given = ours.get(name, ours.get(EVERY, missing))
    return worst(differences_of(name, theirs, given, witness)) <= PASSING


class Trace:
    """Notes the lines of the library that run, and the rows whose assembled code does.

    A function is followed until it has run all its lines; one without jumps runs them all at once.
    """

    prefix: ClassVar[str] = f"{ROOT}{os.sep}"

    def __enter__(self) -> "Trace":
        self.lines: dict[CodeType, set[int]] = {}
        self.rows: set[tuple[str, str]] = set()
        self.followed: dict[CodeType, Any] = {}  # None for code that is not followed
        sys.settrace(self.call)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.settrace(None)

    @property
    def seen(self) -> set[tuple[str, Any]]:
        """The code that ran: lines of files, and assembled code of rows."""
        files = {code: code.co_filename[len(self.prefix) :] for code in self.lines}
        return self.rows.union(
            (files[c], line) for c, lines in self.lines.items() for line in lines
        )

    def call(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Called for every call: returns the function that follows its frame, or None."""
        code = frame.f_code
        if code not in self.followed:
            self.followed[code] = self.met(code)
        return self.followed[code]

    def met(self, code: CodeType) -> Any:
        """Notes a function that runs for the first time; returns the function for its lines."""
        file = code.co_filename
        if file.startswith("<minitorch "):
            key = file[11:-1].split(" ")[0]
            self.rows.add(("backward" if code.co_name.startswith("apply") else "row", key))
        if not file.startswith(self.prefix):
            return None
        every = lines_of(code)
        if not jumps(code):
            self.lines[code] = every
            return None
        seen = self.lines[code] = {code.co_firstlineno}

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            seen.add(frame.f_lineno)
            if len(seen) >= len(every):
                self.followed[code] = None
                frame.f_trace_lines = False
            return line

        return line


@cache
def lines_of(code: CodeType) -> set[int]:
    """Returns the lines that a function has."""
    return {line for _, _, line in code.co_lines() if line} | {code.co_firstlineno}


@cache
def jumps(code: CodeType) -> bool:
    """Returns whether a function can leave lines out, or run some of them more than once."""
    return any(each.opcode in dis.hasjrel + dis.hasjabs for each in dis.get_instructions(code))


@cache
def formulas() -> dict[Any, set]:
    """Returns the lines of the formulas of each row: assembled code may have them written out."""
    found: dict[Any, set] = {}
    for key, row in ROWS.items():
        lines = found.setdefault(("backward", key), set())
        for formula in row.formulas.values():
            code = getattr(formula, "__wrapped__", formula).__code__
            file = code.co_filename.removeprefix(Trace.prefix)
            lines |= {(file, line) for line in lines_of(code)}
    return found


def options_of(source: str) -> Options:
    """The options under which a source is watched."""
    return replace(OPTIONS, profile="full") if source in WHOLE else OPTIONS


def watch_all(batch: list[Unit]) -> list[Watched]:
    """Returns the cases of several units."""
    return [case for unit in batch for case in watch(unit)]


def watch(unit: Unit) -> list[Watched]:
    """Returns the cases of a unit in which minitorch agrees with torch, and their code."""
    found = []
    missing = 0
    everywhere = {} if unit.source == "rows" else formulas()
    for case in cases(unit, options_of(unit.source)):
        theirs = case.perform(torch)
        if EVERY in theirs:
            theirs = {case.main: theirs[EVERY]}
        start = time.process_time()
        ANY_HOOKS.clear()  # else every case after one with hooks would take the engine's longer way
        with Trace() as trace:
            ours = case.perform(minitorch)
        seconds = time.process_time() - start
        witness = Witness(case, torch)
        clean = tuple(name for name in theirs if agrees(name, theirs, ours, witness))
        refusal = ours.get(EVERY, ours.get(case.main))
        if not clean and isinstance(refusal, Failure) and refusal.kind in MISSING:
            missing += 1
            if missing > 3 and not found:  # the library does not have what the unit is about
                break
        content = pickle.dumps((case, theirs))
        if not clean or len(content) > LARGEST:
            continue
        if unit.source == "rows":
            ran: set[tuple[str, Any]] = {("declaration", unit.key)}
        else:
            ran = trace.seen
        seen = ran.union(*[everywhere.get(each, ()) for each in ran])
        runs = numpy.array(sorted(map(mark, seen)), numpy.uint32)
        found.append(Watched(unit, case.title, content, clean, runs, seconds))
    return found


def everything(wanted: list[str], jobs: int, note: Any) -> list[Watched]:
    """Returns all cases, or those of the units that are wanted.

    Those of a source are kept in a file for as long as neither the library nor the suite changes.
    """
    found: list[Watched] = []
    for name in [name for name in SOURCES if name not in LEFT_OUT]:
        units = [Unit(name, key) for key in source(name).keys(options_of(name))]
        if wanted:
            units = [unit for unit in units if unit.name in wanted]
        file = Path(tempfile.gettempdir()) / f"minitorch-cases-{name}-{_digest(name)}.pickle"
        if file.exists() and not wanted:
            found += pickle.loads(file.read_bytes())
            continue
        many = len(units) if name == "rows" else TOGETHER.get(name, 1)
        batches = [units[n : n + many] for n in range(0, len(units), many or 1)]
        cases = list(_watched(batches, jobs, note))
        if not wanted:
            file.write_bytes(pickle.dumps(cases))
        found += cases
    return found


def _watched(batches: list[list[Unit]], jobs: int, note: Any) -> Iterator[Watched]:
    made = each_in_a_process(watch_all, batches, jobs, seconds=SECONDS)
    for number, (units, result) in enumerate(made, 1):
        note(f"looked at {number} of {len(batches)}: {units[0].name}")
        if isinstance(result, list):
            yield from result
        else:
            warnings.warn(f"{units[0].name} is left out: {result}", stacklevel=1)


@cache
def _digest(name: str) -> str:
    """Returns what changes with any file that the cases of a source depend on."""
    digest = hashlib.sha1(f"{torch.__version__} {numpy.__version__} {OPTIONS}".encode())
    others = {"mutants", "tests", "snippets"}
    for package in (minitorch, conformance):
        root = Path(str(package.__file__)).parent
        for path in sorted(path for end in ("py", "txt") for path in root.rglob(f"*.{end}")):
            own = name in path.parts or path == Path(__file__)
            if own or not others & set(path.relative_to(root).parts):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
