"""Out and InPlace: an operator's out= and in-place variant, as its row or composite declares them.

Most rows need neither: their result is cast into out= as by an in-place write, and an out= of
another shape is resized with a warning. A row that differs declares `out=Out(EXACT)` or
`in_place=InPlace(...)`; out_rules.py, writing.py and in_place.py look these up by the name of the
called function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.declare.struct import Struct
from minitorch.core.numbers.promotion import can_cast

# (operator's name, dtype of the result, dtype of out) -> None or an error
Rule = Callable[[str, Any, Any], None]


# ---- rules of dtypes


def check_castable(name: str, result: Any, out: Any) -> None:
    """The result must not be cast to a lower kind of number."""
    if not can_cast(result, out):
        raise RuntimeError(
            f"result type {result.scalar_name} can't be cast to the desired output type "
            f"{out.scalar_name}"
        )


def exactly(text: str, error: type[Exception] = RuntimeError) -> Rule:
    """A rule that requires the result's dtype; `text` is formatted with name, result and out."""

    def rule(name: str, result: Any, out: Any) -> None:
        if result is not out:
            raise error(text.format(name=name, result=result, out=out))

    return rule


def castable_as(text: str, error: type[Exception] = RuntimeError) -> Rule:
    """The rule of `check_castable` with another error text."""

    def rule(name: str, result: Any, out: Any) -> None:
        if not can_cast(result, out):
            raise error(text.format(name=name, result=result, out=out))

    return rule


def safely_castable(shown: str, *outputs: str) -> tuple[Rule, ...]:
    """A rule for each output of an operator of matrices whose errors name it `shown`."""
    return tuple(
        [
            castable_as(
                f"{shown}: Expected {each} to be safely castable from {{result.scalar_name}} "
                f"dtype, but got {each} with dtype {{out.scalar_name}}"
            )
            for each in outputs or ("result",)
        ]
    )


# torch's errors for a dtype that is not the result's differ between operators.
EXACT = exactly("Expected out tensor to have dtype {result.c_name}, but got {out.c_name} instead")
FOUND = exactly("Found dtype {out.scalar_name} but expected {result.scalar_name}")
MATCHING = exactly(
    "Expected the dtype for input and out to match, but got {result.scalar_name} for input's dtype "
    "and {out.scalar_name} for out's dtype."
)
SAME = exactly("{name}(): self and result must have the same scalar type")
SCALAR = exactly("expected scalar type {result.scalar_name} but found {out.scalar_name}")

# ---- out=

# What memory out= may share, and when that is checked: after the arguments, unless marked
# "first".
ANYTHING = "anything"  # no check: torch reads memory it has begun to write, or checks elsewhere
APART = "apart"  # it overlaps neither itself nor an input
APART_OR_INPUT = "apart or an input"  # but it may be exactly an input, written in place
APART_OR_FIRST = "apart or the first input"
NOT_ITSELF = "not itself"  # it may lie among the inputs
NOT_ITSELF_FIRST = "not itself, first"
NOT_PARTLY = "not partly"  # it may be all of an input's memory, as a copy takes it
BY_ELEMENT = "by element"  # as the element-wise families: first; it may be exactly an input
BY_ELEMENT_AFTER_DTYPE = "by element, after the dtype"

# How out= of another shape gets that of the result.
WARNS = "warns"
SILENT = "silent"
SILENT_FOR_SCALARS = "silent for scalars"  # silent if the input is a scalar
NEVER = "never"  # it is copied into without a resize, whatever its shape and dtype
ONCE = "once"  # by element, but without a temporary (resized as well) for out= of another dtype
ONCE_FOR_NUMBERS = "once for numbers"  # as ONCE, if its first operand is a number

# When out= gets the shape of the result, if not at the end.
BEFORE_ARGUMENTS = "before arguments"
BEFORE_DTYPE = "before dtype"
BEFORE_MEMORY = "before memory"

# Which strides out= of another shape gets, if not those of the result.
ROWS = "rows"  # row-major
ROWS_UNLESS_EMPTY = "rows unless empty"  # an empty out= is made anew, with the result's strides
ROWS_OR_KEPT = "rows, unless empty and of another shape"  # an empty one that fits stays as it is


class Out(Struct):
    """How an operator treats its out=.

    dtypes: the rule for the dtype of each output; the last one holds for all further outputs.
    operands: how many tensors a call must have for that rule to hold; none of them is complex if
        the result is real. With other tensors torch casts.
    copies_first: the place of the tensor that is copied into out= before the dtype is checked.
    overlap, resize, shaped, strides: constants of this module.
    given: (out=, arguments) -> raises the operator's own errors, before dtypes are checked.
    list_name: the operator's name in the error for an out= list of another length.
    looked_at: (the tensors of the call) -> the tensors that out= must not overlap; None for all.
    sized: (arguments) -> the shape that out= gets before the operator raises, unless the error's
        text begins with one of `memory_first`; or None. For several outputs: the shape of each.
    refused_first: beginnings of errors that are raised before memory is checked, besides those of
        all operators.
    error_name: the name in the error for tensors that require grad, if not the operator's.
    arguments_first: whether arguments are checked before anything is refused for requiring grad.
    autograd: whether autograd supports the out= form. If not, an out= that requires grad raises,
        and the result of inputs that require grad has the node NotImplemented.
    takes_grad: whether neither out= nor inputs are refused for requiring grad.
    takes_history: whether inputs are not refused for requiring grad.
    memory_first: beginnings of errors that are raised before memory and dtype are checked, for an
        operator that checks these before most other things.
    known: (the tensors of the call) -> the dtypes of the results, for an operator that checks the
        dtypes of out= before its other arguments.
    with_dim: for a reduction that resizes out= before it removes `dim`: (rank of out=, rank of the
        input, dim) -> whether out= gets that dimension first.
    order: the order in which outputs are checked and written.
    as_element_wise: whether an operator made of element-wise rows prepares out= as they do, before
        a kernel refuses the dtype.
    reversed: whether outputs are written in the reverse of the order in which they are checked.
    """

    dtypes: tuple[Rule, ...] = (check_castable,)
    operands: int | None = None
    copies_first: int | None = None
    overlap: str = ANYTHING
    resize: str = WARNS
    shaped: str = ""
    strides: str = ""
    error_name: str = ""
    arguments_first: bool = False
    autograd: bool = True
    takes_grad: bool = False
    takes_history: bool = False
    given: Callable[..., None] | None = None
    list_name: str = ""
    looked_at: Callable[..., list[Any]] | None = None
    sized: Callable[..., Any] | None = None
    refused_first: tuple[str, ...] = ()
    memory_first: tuple[str, ...] = ()
    known: Callable[..., tuple[Any, ...]] | None = None
    with_dim: Callable[[int, int, int], bool] | None = None
    order: tuple[int, ...] = ()
    as_element_wise: bool = False
    reversed: bool = False

    def __init__(self, *dtypes: Rule, **words: Any) -> None:
        if dtypes:
            self.dtypes = dtypes
        self.__dict__.update(words)  # the class has the defaults: 0.3 us instead of 1


PLAIN = Out()  # the usual rules
BY_ELEMENT_ALONE = Out(overlap=BY_ELEMENT)
OUT: dict[str, Out] = {}  # by the name of the function


def declare_out(names: str, out: Out) -> None:
    """Declares the Out of functions that are neither rows nor composites of that name."""
    OUT.update(dict.fromkeys(names.split(), out))


def declare_out_by_element(name: str, out: Any) -> None:
    """Declares the Out of a row of the element-wise families, BY_ELEMENT_ALONE for None."""
    if out is not None:
        OUT[name] = out if "overlap" in out.__dict__ else out.but(overlap=BY_ELEMENT)
    elif name not in OUT:  # another row of the name may have declared it
        OUT[name] = BY_ELEMENT_ALONE


def out_of(name: str) -> Out:
    """The Out of the function of a name."""
    return OUT.get(name, PLAIN)


# ---- in place


class InPlace(Struct):
    """How an operator's in-place variant treats the tensor that it writes, `self`.

    dtype: the rule for the dtype of the result.
    dtype_first: whether the dtype is checked before memory and shapes.
    error_name: the operator's name in the error for a result of another shape: see shape_error.
    overlaps: whether it writes a tensor whose elements share memory, such as an expanded one; or
        the greatest kind of number for which it does.
    triangle: whether it writes zeros outside of a triangle: see out_rules.allows_overlap.
    fills: set if it writes one value, its last argument, at some elements and keeps the others,
        with a warning if elements share memory; the code that this warning advises.
    check: for a variant with `fills`: raises its own errors for the arrays of the other arguments,
        before memory is checked.
    refused_first: beginnings of errors that are raised before memory is checked, besides those of
        all operators.
    given: (`self`, arguments by place) -> raises the errors of the variant alone, before all errors
        of the operator that does not write.
    reads: which part of the memory that it writes it may read: ANYTHING, NOTHING, ITSELF (all of it
        or none), or NOTHING_AFTER_SHAPES if shapes are checked before.
    itself_first: whether overlap of `self` with itself is checked first of all.
    clamps: how many bounds it takes; bounds that promote `self` raise an error of their own.
    reshapes: whether `self` gets the shape of the result, since torch writes it like an out=.
    shape_error: (shape of `self`, shape of the result) -> the error if they differ.
    moves: whether it gives `self` another shape or place, as a view does.
    aligns: whether vmap writes all examples at once, with sizes of 1 where another tensor has more
        dimensions than an example of `self`; else it writes each example alone.
    falls_back: the overloads, with a tensor and with a number as last operand, that torch's vmap
        runs for each example, with a warning, as it has no rule for them; None for one with a rule.
    squeezes: whether it removes dimensions of size 1, except the dimension of the examples.
    draws: whether it draws random numbers, so that no operator without a write can replace it.
    copies: whether it copies the numbers of another tensor, as copy_ does.
    rows: the rows that record it with a number and with a tensor as second operand, if it has a
        derivative although the operator that does not write has none.
    through: whether it changes the tangent of `self` as it changes the value.
    reached: writes the elements that torch has written before it meets an index out of range: see
        minitorch/aten/indexing/partial_writes.py.
    """

    dtype: Rule = staticmethod(check_castable)
    dtype_first: bool = False
    overlaps: bool | int = False
    triangle: bool = False
    fills: str = ""
    check: Callable[[Any], None] | None = None
    refused_first: tuple[str, ...] = ()
    given: Callable[..., None] | None = None
    reads: str = ANYTHING
    itself_first: bool = False
    clamps: int = 0
    reshapes: bool = False
    moves: bool = False
    aligns: bool = False
    falls_back: tuple[str | None, str | None] = (None, None)
    squeezes: bool = False
    draws: bool = False
    copies: bool = False
    rows: tuple[Any, Any] | None = None
    through: bool = False
    shape_error: Callable[[tuple[int, ...], tuple[int, ...]], Exception] | None = None
    reached: Callable[..., None] | None = None


NOTHING, NOTHING_AFTER_SHAPES, ITSELF = "nothing", "nothing, after shapes", "itself"
PLAIN_IN_PLACE = InPlace()
# For InPlace.falls_back: operators without overloads, and with one for each kind of operand.
ALONE, BY_OPERAND = ("", ""), ("Tensor", "Scalar")
ALIGNED = InPlace(aligns=True)
IN_PLACE: dict[str, InPlace] = {}  # by the name of the in-place function
