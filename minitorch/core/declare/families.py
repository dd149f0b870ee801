"""The families of rows: the words with which an operator is declared.

    unary       element-wise, one operand            binary      element-wise, two operands
    pointwise   element-wise, more operands
    operator    anything else on arrays, views too
    composite   a function of Tensors, without a node of its own

Each takes the schema, the node's name, the forward, and a formula per differentiable argument; see
core/declare/row.py for what formulas can ask for.
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
    differentiable: for several outputs, which of them gradients flow through.
    on: where it is exposed: 'method', 'function', or 'F' alone for what only formulas call.
    inplace_on: where the in-place variant is, if there is one.
    dunder: the Python operators it implements.
    varargs: the list argument that may also be written out, as in x.view(2, 3).
    overloads: what to call instead where the first of `varargs` is of some type, or where a keyword
        is given in their place.
    tensors_only: whether a binary operator refuses a number as its second operand.
    number_first: whether it takes one as its first.
    signatures: the overloads, as torch lists them where a call fits none.
    joint: the arguments that the formula `inputs` is for, if not all tensors.
    exact: gradients always have the shapes and dtypes of their inputs; nothing is broadcast, cast.
    raw: the forward as formulas call it on arrays, without checks that formulas never fail.
    elementwise: of a general operator, that gradients lie in memory as its operands do: its
        formulas run on Tensors where an operand is not C-contiguous, as in the other families.
    complex_only: that complex gradients are refused where the input is real, as by torch.
    real_gradients: that a result of complex numbers must not require grad, as in torch.
    retypes: of a view, that it is one of other numbers than the input's.
    contiguous: of an element-wise operator, that its result is always row-major.
    preserves: that its result may inherit strides of size-1 dimensions.
    backwards: that torch calls its kernel with the operands in reverse.
    constant: the tensors without a derivative that must not require grad, but for optional ones.
    converts: of an element-wise operator, what ATen converts its numbers to, which refuses those
        that do not fit: 'scalar_t', the dtype it computes in; 'limit_t', that by way of int64
        where it is one of integers; 'opmath_t', float32 for 2-byte
        floats; 'power_t', double for floats of more bytes.
    keeps_exponent: that the second operand reaches an element-wise forward in its own dtype.
    sheds_history: that it may be asked for integers, which have no history then.
    writes_leaves: that its in-place variant takes leaves that require grad.
    kernel: the kernel that refuses dtypes, as torch's errors name it: name_cpu of an element-wise
        operator; a general one has none unless it says so.
    knows: the dtypes that the kernel knows (dispatch.py), USUAL unless it says otherwise.
    spares: of a general operator, the results that torch has without the kernel: EMPTY, SCALARS.
    unrounded: that a number beside 2-byte floats is not rounded to one of them.
    sparing: that it keeps no tensor that no formula will ask for, however many may (wrap_opt_if
        in derivatives.yaml).
    copies: that its result is its input, copied.
    zeros: what it makes of operands that are zeros without memory, a word of row.py.
    doc: the arguments, results and errors, which help() shows below the schema.
    out: what is true of its out=, where that is not as plain as most are (out.py).
    in_place: what is true of its in-place variant, as well.
    vmap: what batched tensors make of it, if it does not run once for each example (vmap.py).
    calls: which arguments calls ask, and how they read them, if not as most do (calls.py).
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
    """Exposes a function of Tensors as an operator: no node of its own, its parts have theirs.

    out: it takes out=, put in here; what is true of that, where it is not as plain as most are.
    own_out: what is true of an out= that the function itself puts in.
    inplace: where `name_` is, which writes its result into `self`.
    in_place: what is true of `name_`, or of itself if its name ends so (out.py).
    vmap: what batched tensors make of it, if not what it is made of (vmap.py).
    calls: which arguments calls ask, and how they read them, if not as most do (calls.py).
    raw: the same on bare arrays, for formulas; without it they go by way of Tensors (1-2 us more).
    bare: the function of the row that a call with nothing but its first argument comes to, which is
        called straight away: 0.1 us less.
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
    """Exposes an operator under a second name; its in-place variant too, where that one is.

    same: whether it is one function in torch, too, whose errors have the first name.
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
