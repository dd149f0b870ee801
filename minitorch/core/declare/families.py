"""The families of rows: the words with which an operator is declared.

    unary       element-wise, one operand            binary      element-wise, two operands
    pointwise   element-wise, more operands
    operator    anything else on arrays, views too
    composite   a function of Tensors, without a node of its own

Each takes the schema, the node's name, the forward, and a formula per differentiable argument; see
core/declare/row.py for the arguments of formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.declare.calls import CALLS, Calls
from minitorch.core.declare.expose import install, install_alias, install_function
from minitorch.core.declare.out import IN_PLACE, OUT, InPlace, Out, declare_out_by_element
from minitorch.core.declare.row import EMPTY, Row
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.vmap import VMAP_OF_COMPOSITES, VMAP_OF_ROWS, VMap
from minitorch.core.declare.wording.signatures import OTHERS
from minitorch.core.numbers.dispatch import EVERY, USUAL

METHOD = ("method",)
EVERYWHERE = ("method", "function")


def operator(
    schema: str,
    *,
    forward: Any,
    node: str | None = None,
    result: Any = None,
    variants: tuple[str, ...] = (),
    differentiable: tuple[bool, ...] | None = None,
    on: tuple[str, ...] = EVERYWHERE,
    inplace_on: tuple[str, ...] = METHOD,
    family: str = "operator",
    dtype: str = "promote",
    check: Callable[..., None] | None = None,
    dunder: tuple[str, ...] = (),
    varargs: str | None = None,
    overloads: dict[type | str, Callable[..., Any]] | None = None,
    tensors_only: bool = False,
    number_first: bool = False,
    signatures: tuple[str, ...] = (),
    joint: tuple[str, ...] = (),
    exact: bool = False,
    raw: Callable[..., Any] | None = None,
    elementwise: bool = False,
    complex_only: bool = False,
    real_gradients: bool = False,
    retypes: bool = False,
    contiguous: bool = False,
    preserves: bool = False,
    backwards: bool = False,
    constant: tuple[str, ...] = (),
    keeps_exponent: bool = False,
    converts: dict[str, str] | None = None,
    sheds_history: bool = False,
    writes_leaves: bool = False,
    kernel: str = "",
    knows: frozenset[Any] | None = None,
    spares: tuple[str, ...] = (EMPTY,),
    unrounded: bool = False,
    sparing: bool = False,
    copies: bool = False,
    zeros: str = "",
    doc: str = "",
    out: Out | None = None,
    in_place: InPlace | None = None,
    vmap: VMap | None = None,
    calls: Calls | None = None,
    **formulas: Any,
) -> Callable[..., Any]:
    """Declares one ATen operator and returns its public function.

    schema: its signature; `Tensor(a) self ... -> Tensor(a)` makes it a view.
    node: the name of its backward node, as torch prints it.
    forward: (xp, arguments...) on arrays, or the name of an array function (`ufunc`).
    result: forward mode: LINEAR, ELEMENTWISE or a formula.
    variants: 'inplace' adds `name_`, 'out' adds out=.
    differentiable: for several outputs, the outputs that gradients flow through.
    on: where it is exposed: 'method', 'function', or 'F' alone if only formulas call it.
    inplace_on: where the in-place variant is exposed, if there is one.
    dunder: the Python operators it implements.
    varargs: the list argument that may also be written out, as in x.view(2, 3).
    overloads: the function to call instead if the first of `varargs` has some type, or if a keyword
        is given in their place.
    tensors_only: whether a binary operator refuses a number as its second operand.
    number_first: whether it takes a number as its first operand.
    signatures: the overloads, as torch's error lists them for a call that fits none.
    joint: the arguments that the formula `inputs` is for, if not all tensors.
    exact: whether gradients always have the shapes and dtypes of their inputs, without broadcasts.
    raw: the forward as formulas call it on arrays, without checks that formulas never fail.
    elementwise: whether the gradients of a general operator have the strides of its operands: its
        formulas run on Tensors if an operand is not C-contiguous, as in the other families.
    complex_only: whether complex gradients are refused if the input is real, as by torch.
    real_gradients: whether a result of complex numbers must not require grad, as in torch.
    retypes: whether it is a view of other numbers than the input's.
    contiguous: whether the result of an element-wise operator is always row-major.
    preserves: whether its result may inherit strides of size-1 dimensions.
    backwards: whether torch calls its kernel with the operands in reverse.
    constant: the required tensors without a derivative, which must not require grad.
    converts: for each number of an element-wise operator, the C++ type to which ATen converts it;
        the conversion raises for numbers that do not fit. 'scalar_t': the dtype it computes in;
        'limit_t': that dtype, for integers by way of int64; 'opmath_t': that dtype, but
        float32 for 2-byte floats; 'power_t': double for floats of more bytes.
    keeps_exponent: whether the second operand reaches an element-wise forward in its own dtype.
    sheds_history: whether its result may be integers, which then have no history.
    writes_leaves: whether its in-place variant takes leaves that require grad.
    kernel: the kernel that refuses dtypes, as torch's errors name it; by default name_cpu for an
        element-wise operator, and none for a general one.
    knows: the dtypes that the kernel knows (dispatch.py), USUAL by default.
    spares: the results that torch has without the kernel of a general operator: EMPTY, SCALARS.
    unrounded: whether a number beside 2-byte floats keeps its value, not rounded to their dtype.
    sparing: whether it keeps only tensors that a formula will read, though other formulas name more
        (wrap_opt_if in derivatives.yaml).
    copies: whether its result is a copy of its input.
    zeros: its result for operands that are zeros without memory, a word of row.py.
    doc: the arguments, results and errors, which help() shows below the schema.
    out: the rules of its out=, if they are not the usual ones (out.py).
    in_place: the rules of its in-place variant, if they are not the usual ones (out.py).
    vmap: its rule for batched tensors, if it does not run once for each example (vmap.py).
    calls: which arguments may take calls over, and how it reads them, if not as usual (calls.py).
    formulas: one per differentiable argument, or `inputs` for all of them together.
    """
    known = knows or (EVERY if family == "operator" and not kernel else USUAL)
    row = Row(
        Schema.parse(schema),
        node,
        forward,
        {name: formula for name, formula in formulas.items() if formula is not None},
        result,
        family,
        dtype,
        frozenset(variants),
        differentiable,
        check,
        tensors_only,
        number_first,
        signatures,
        varargs,
        overloads or {},
        joint,
        exact,
        elementwise,
        complex_only,
        real_gradients,
        retypes,
        contiguous,
        preserves,
        backwards,
        constant,
        keeps_exponent,
        converts or {},
        sheds_history,
        writes_leaves,
        kernel,
        known,
        frozenset(spares),
        unrounded,
        copies,
        zeros,
        sparing,
        doc,
    )
    if out is not None:
        OUT[row.name] = out
    if in_place is not None:
        IN_PLACE[row.inplace_name] = in_place
    if vmap is not None:
        VMAP_OF_ROWS[row.key] = vmap
    if calls is not None:
        CALLS[row.name] = calls
    return install(row, on, dunder, raw, inplace_on)


def unary(schema: str, **fields: Any) -> Callable[..., Any]:
    """Declares an element-wise operator of one tensor; its in-place variant is a function, too.

    dtype: 'promote' (the input's), 'float' (integers become the default dtype), 'bool'.
    """
    fields.setdefault("variants", ("inplace", "out"))
    fields.setdefault("inplace_on", EVERYWHERE)
    declare_out_by_element(schema.partition("(")[0].partition(".")[0], fields.pop("out", None))
    return operator(schema, family="unary", **fields)


def binary(schema: str, **fields: Any) -> Callable[..., Any]:
    """Declares an element-wise operator of two tensors, or of a tensor and a number.

    dtype: 'promote', 'float' (integers become the default dtype), 'bool' (a comparison).
    """
    fields.setdefault("variants", ("inplace", "out"))
    declare_out_by_element(schema.partition("(")[0].partition(".")[0], fields.pop("out", None))
    return operator(schema, family="binary", **fields)


def pointwise(schema: str, **fields: Any) -> Callable[..., Any]:
    """Declares an element-wise operator of three or more tensors, some of which may be missing."""
    fields.setdefault("variants", ("inplace", "out"))
    declare_out_by_element(schema.partition("(")[0].partition(".")[0], fields.pop("out", None))
    return operator(schema, family="pointwise", **fields)


def composite(
    name: str,
    *,
    on: tuple[str, ...] = EVERYWHERE,
    out: bool | Out = False,
    own_out: Out | None = None,
    inplace: tuple[str, ...] = (),
    in_place: InPlace | None = None,
    vmap: VMap | None = None,
    calls: Calls | None = None,
    raw: Callable[..., Any] | None = None,
    bare: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Exposes a function of Tensors as an operator without a node: the operators in it have nodes.

    out: the rules of an out= that is added here, True for the usual ones (out.py).
    own_out: the rules of an out= that the function itself writes.
    inplace: where `name_` is exposed, which writes its result into `self`.
    in_place: the rules of `name_`, or of the function itself if its name ends so (out.py).
    vmap: its rule for batched tensors, if not those of the operators in it (vmap.py).
    calls: which arguments may take calls over, and how it reads them, if not as usual (calls.py).
    raw: the function on bare arrays, for formulas; without it they use Tensors (1-2 us more).
    bare: the function of the row that computes a call with only the first argument; such a call
        goes to it directly: 0.1 us less.
    """

    said = own_out or out
    if isinstance(said, Out):
        OUT[name] = said
    if in_place is not None:
        IN_PLACE[name if name.endswith("_") else f"{name}_"] = in_place

    if vmap is not None:
        VMAP_OF_COMPOSITES[name] = vmap
    if calls is not None:
        CALLS[name] = calls

    def declare(function: Any) -> Callable[..., Any]:
        if bare is not None:
            function.bare = bare
        return install_function(name, function, on, bool(out), inplace, raw)

    return declare


def alias(
    name: str,
    function: Callable[..., Any],
    on: tuple[str, ...] = EVERYWHERE,
    inplace_on: tuple[str, ...] = EVERYWHERE,
    same: bool = False,
) -> None:
    """Exposes an operator under a second name, and its in-place variant too if it has one.

    same: whether both names are one function in torch too, whose errors have the first name.
    """
    if same:
        OTHERS[f"torch.{name}"] = f"torch.{function.__name__}"
    install_alias(name, function, on, inplace_on)


def not_differentiable(name: str) -> Callable[..., Any]:
    """The formula of an operator that torch has no derivative for; its node is 'NotImplemented'."""

    return _refusing(RuntimeError(f"derivative for aten::{name} is not implemented"))


def not_implemented(name: str) -> Callable[..., Any]:
    """The formula of an input that torch has a node for, but no derivative."""
    return _refusing(NotImplementedError(f"the derivative for '{name}' is not implemented."))


def _refusing(error: Exception) -> Callable[..., Any]:
    def formula(F: Any, grad: Any) -> Any:
        raise type(error)(*error.args)

    formula.refuses = True  # type: ignore[attr-defined]
    return formula
