"""The author of a program: writes statement after statement, and runs each with torch at once.

So it knows shapes, dtypes and numbers as they are, and can see to it that noise stays noise. Two
libraries may differ by a few units in the last place, and no program must make more of that:

- numbers that grow beyond LARGEST, or are not finite, undo the statement that made them, as does
  an assertion inside torch that fails;
- functions that are steep near zero are called only where no number is near zero;
- functions with steps or kinks (floor, a comparison, relu, max) are called only for numbers that
  are exact: sixteenths which every library computes without rounding.

Which memory holds exact numbers is written down by its address.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch

from conformance.cases.programs.functions import NEEDED

LARGEST = 300.0
MOST_ERRORS = 4
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Unfit(Exception):
    """Raised if there is nothing to write this statement about; the program does without it."""


class Author:
    """Writes one program.

    draw: gives a whole number from 0 to another; the smaller the simpler. Every choice is made so.
    features: names which the library has, of those that are written only on this condition.
    """

    def __init__(self, draw: Callable[[int], int], features: frozenset[str] = frozenset()):
        self.draw = draw
        self.features = features
        self.statements: list[str] = []
        self.needs: list[str] = []  # definitions that stand in front
        self.errors = 0
        self.made = 0
        self.handles = 0
        self.restart()

    # ---- choices

    def integer(self, largest: int) -> int:
        """Returns a whole number from 0 to `largest`."""
        return self.draw(largest) if largest > 0 else 0

    def choose(self, things: Sequence[Any]) -> Any:
        """Returns one of some things, the first being the simplest."""
        if not things:
            raise Unfit
        return things[self.integer(len(things) - 1)]

    def rarely(self, odds: int) -> bool:
        """Returns True one time in so many."""
        return self.integer(odds - 1) == odds - 1

    # ---- the tensors

    @property
    def tensors(self) -> dict[str, torch.Tensor]:
        """The variables that are tensors, the latest first."""
        return {
            name: value
            for name, value in reversed(self.names.items())
            if isinstance(value, torch.Tensor)
        }

    def tensor(self, fits: Callable[[torch.Tensor], Any] = lambda x: True) -> str:
        """Returns the name of a tensor, one time in forty of one that does not fit."""
        tensors = self.tensors
        wrong = self.rarely(40)
        return self.choose([name for name, x in tensors.items() if wrong or holds(fits, x)])

    def operand(self, condition: Callable[["Author", torch.Tensor], Any]) -> str:
        """Returns the name of a tensor for which a condition holds, most of the time.

        Always, if it is `strict`: what torch does otherwise is not defined.
        """
        name = self.tensor(lambda x: condition(self, x))
        if hasattr(condition, "strict") and not holds(lambda x: condition(self, x), self[name]):
            raise Unfit
        return name

    def __getitem__(self, name: str) -> torch.Tensor:
        return self.names[name]

    def is_exact(self, x: torch.Tensor) -> bool:
        """Whether every library has the same bits here."""
        return address(x) in self.exact or not is_inexact(x)

    def check_precision(self, *names: str) -> None:
        """Raises Unfit if rounded numbers would be compared by the measure of more precise ones."""
        parts = [x.real.dtype for x in map(self.__getitem__, names) if is_inexact(x)]
        finest = min((torch.finfo(each).eps for each in parts), default=0.0)
        for x in map(self.__getitem__, names):
            coarse = is_inexact(x) and torch.finfo(x.real.dtype).eps > finest
            if coarse and not (self.is_exact(x) and not x.requires_grad):
                raise Unfit

    # ---- writing

    def fresh(self) -> str:
        """Returns the name for another variable: now and then one that exists already."""
        if self.made > 3 and self.rarely(12):
            return self.tensor()
        number, letter = divmod(self.made, len(LETTERS))
        self.made += 1
        return LETTERS[letter] + (str(number) if number else "")

    def bind(self, expression: str, exact: bool = False) -> str:
        """Writes an assignment to a variable and returns its name."""
        name = self.fresh()
        self.write(f"{name} = {expression}", exact)
        return name

    def fresh_handle(self) -> str:
        """Returns the name for what a hook returns."""
        self.handles += 1
        return f"handle{self.handles}"

    def need(self, name: str) -> str:
        """Sees to it that a definition stands in front of the program; returns its name."""
        if name not in self.needs:
            self.needs.append(name)
            with quiet():
                exec(NEEDED[name], self.names)
        return name

    def write(self, text: str, exact: bool = False, writes: str = "") -> None:
        """Runs a statement and adds it to the program, unless its numbers become too large.

        exact: whether it computes without rounding, given exact numbers.
        writes: the name of the tensor which it writes in place, if it does.
        """
        before = {address(x) for x in self.tensors.values()}
        target = self.names.get(writes)
        self.check_written(target)
        error = self._run(text)
        too_much = self.errors == MOST_ERRORS or is_internal(error)
        if (error is not None and too_much) or self._is_wild():
            self.restart()
            raise Unfit
        self.errors += error is not None
        self.statements.append(text)
        if not exact and isinstance(target, torch.Tensor):
            self.exact.discard(address(target))
        self._take_note(exact, before)
        self.history.append((text, exact, writes))

    def check_written(self, target: Any) -> None:
        """Raises Unfit if the kernel chooses the values written to this tensor, or if it ends the
        process: torch takes the number of an output that retains its gradient to its new history,
        which has one output alone, and then reads beyond it."""
        if isinstance(target, torch.Tensor) and (
            is_tangled(target)
            or holds(lambda x: x._base.retains_grad and x._base.output_nr > 0, target)
        ):
            raise Unfit

    def _take_note(self, exact: bool, before: set[int]) -> None:
        """Notes which memory is exact now: freed memory may return as another tensor's."""
        still = set()
        for x in self.tensors.values():
            where = address(x)
            if (where in self.exact if where in before else exact) and is_on_lattice(x):
                still.add(where)
        self.exact = still

    def _run(self, text: str) -> Exception | None:
        """Runs a statement, and returns its exception."""
        try:
            with quiet():
                exec(text, self.names)
        except Exception as error:
            return error
        return None

    def _is_wild(self) -> bool:
        """Whether a number is too large to go on with, here or in a gradient."""
        log = self.names.get("log", ())
        with torch.no_grad(), quiet():
            for x in self.tensors.values():
                if breaks_torch(x) or is_wild(x) or holds(lambda x: is_wild(x.grad), x):
                    return True
            return any(is_wild(x) for _, grads in log for x in grads if x is not None)

    def restart(self) -> None:
        """Undoes statements that were run but not written, by running everything else again."""
        torch.set_grad_enabled(True)
        torch.manual_seed(0)
        self.names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
        self.exact: set[int] = set()
        with quiet():
            for name in self.needs:
                exec(NEEDED[name], self.names)
        earlier, self.history = getattr(self, "history", []), []
        for text, exact, writes in earlier:
            before = {address(x) for x in self.tensors.values()}
            target = self.names.get(writes)
            self._run(text)
            if not exact and isinstance(target, torch.Tensor):
                self.exact.discard(address(target))
            self._take_note(exact, before)
            self.history.append((text, exact, writes))

    @property
    def source(self) -> str:
        """The program."""
        return "".join(NEEDED[name] for name in self.needs) + "\n".join(self.statements) + "\n"


def holds(condition: Callable[[torch.Tensor], Any], x: torch.Tensor) -> bool:
    """Returns whether a condition holds; not if it cannot be asked."""
    try:
        with quiet():
            return bool(condition(x))
    except (RuntimeError, AttributeError):  # views that must not be looked at; no gradient
        return False


def is_inexact(x: torch.Tensor) -> bool:
    """Returns whether a tensor has numbers that may be rounded."""
    return x.is_floating_point() or x.is_complex()


def breaks_torch(x: torch.Tensor) -> bool:
    """Returns whether torch itself fails to say which node a tensor has."""
    try:
        x.grad_fn  # noqa: B018
    except RuntimeError as error:
        return is_internal(error)
    return False


def is_internal(error: Exception | None) -> bool:
    """Returns whether torch has found itself in a state that it holds to be impossible, or tried to
    write the zeros without memory that it makes in some derivatives, or refuses complex numbers of
    half precision: it warns of those as often as it happens to make some on the way."""
    text = str(error)
    return any(
        each in text
        for each in ("INTERNAL ASSERT FAILED", "ZeroTensors are immutable", "'ComplexHalf'")
    )


def is_tangled(x: torch.Tensor) -> bool:
    """Whether elements share memory in a way that torch finds too hard to refuse.

    What is then written depends on the order in which a kernel visits the elements.
    """
    if torch._debug_has_internal_overlap(x) != 2:
        return False
    places = torch.zeros((), dtype=torch.int64)
    for length, stride in zip(x.shape, x.stride(), strict=True):
        places = places[..., None] + torch.arange(length) * stride
    return places.unique().numel() < x.numel()


def address(x: torch.Tensor) -> int:
    """Returns where a tensor's memory begins."""
    return x.untyped_storage().data_ptr()


@cache
def _limits(dtype: torch.dtype) -> tuple[float, int]:
    return (16.0, 64) if dtype in (torch.float32, torch.float64, torch.complex64) else (4.0, 8)


def is_on_lattice(x: torch.Tensor) -> bool:
    """Returns whether products and sums of such numbers need no rounding."""
    if not is_inexact(x):
        return True
    with torch.no_grad():
        x = torch.view_as_real(x.detach().resolve_conj()) if x.is_complex() else x.detach()
        parts, largest = _limits(x.dtype)
        scaled = x.double() * parts
        return bool(((scaled == scaled.round()) & (scaled.abs() <= parts * largest)).all())


def is_wild(x: torch.Tensor) -> bool:
    """Returns whether a number is too large, or not finite, or of a dtype that torch tries out.

    So are the zeros without memory which torch makes in some derivatives and does not mean to hand
    out: nothing can be written there, and nothing copies them as they are.
    """
    x = x.detach()
    if x.dtype == torch.complex32 or x._is_zerotensor():
        return True
    return x.dtype != torch.bool and x.numel() > 0 and not bool((x.abs() <= LARGEST).all())


class quiet(warnings.catch_warnings):
    """Hides warnings."""

    def __enter__(self):
        super().__enter__()
        warnings.simplefilter("ignore")
