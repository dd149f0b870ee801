"""A row: the declaration of one operator, and the facts read from its formulas' parameter names.

The parameters of a formula name the values that it needs, and the node saves exactly those:

    grad, grads       the gradient of the (first) output; of all differentiable outputs
    <argument>        that argument of the operator
    <argument>_sym_sizes, _sym_strides, _sym_numel   its shape, strides, number of elements alone
    <argument>_geometry, _options   its (shape, strides, offset); its (dtype, device)
    <argument>_info                 its shape, for zeros that take its place
    <argument>_sym_argsize_0, _dim  its size in dimension 0; its number of dimensions
    <argument>_sym_argsize_minus_1  its size in the last dimension
    <argument>_args_sizes           the shapes of a list of tensors
    result, <output>  an output
    grad_input_mask   which inputs want a gradient
    F                 the array language: every operator by name (core/base/formulas.py)

In `result=`, the forward-mode formula or a tuple of one per output, <argument>_p and <argument>_t
are its value and tangent, and call(<argument>=x, ...) calls the operator on the values of its
arguments, except for the given ones.

A row is whole: every fact about one operator stands in its declaration, or in that of its
composite. Most operators need none of these words; the file at the right explains each:

    out=Out(EXACT)              its out=: dtype, overlap, shape, the name in errors   out.py
    own_out=Out(...)            the out= of a composite that writes it itself         out.py
    in_place=InPlace(...)       its in-place variant: overlap, what it reads, shape   out.py
    vmap=NAMES_DIMS             its rule for batched tensors                          vmap.py
    calls=IN_PYTHON             which arguments take calls over (__torch_function__)  calls.py
    kernel="tril"               the kernel as torch's errors name it, and
    knows=FLOATING | HALVES     the dtypes it knows                                   dispatch.py
    zeros, copies, ...          flags of the row itself: those of `Row` below

Only autocast has lists of operators, by device as in torch: minitorch/amp/casting.py. A house test
(tests/test_house_names.py) finds names of operators in core/ and func/.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from minitorch.core.declare.schema import Schema
from minitorch.core.declare.struct import Struct
from minitorch.core.numbers.dispatch import EVERY

# Forward-mode formulas in one word: methods of FormulaArguments (general/tangents.py).
LINEAR = "auto_linear"  # the operator is linear: it is called with the tangents of its inputs
ELEMENTWISE = "auto_element_wise"  # its backward formulas serve as forward ones
# It combines the elements along `dim`, or all of them: the tangent is the sum of products of the
# inputs' tangents with the gradient of one element of the result.
REDUCTION = "auto_reduction"
LOSS = "auto_loss"  # it is element-wise except for its `reduction`
# It computes the gradients of another operator, so its derivatives by the inputs of that operator
# are a symmetric matrix.
GRADIENT = "auto_gradient"
GRADIENT_OF_ELEMENTS = "auto_gradient_of_elements"  # as GRADIENT; no tangents without elements


# The result of a row for an operand that is zeros without memory, such as a constant's tangent.
ABSORB = "absorbs"  # zeros, if the first operand is such zeros
ABSORB_EITHER = "absorbs either"  # zeros, if the first or the second operand is such zeros
ADD_NOTHING = "adds nothing"  # the other operand, with its strides
SUBTRACT_NOTHING = "subtracts nothing"  # the first operand, or the second one negated


# Tensors for which torch does not call the kernel of a general row, whatever their dtype.
EMPTY = "no elements"  # inputs or results without elements
SCALARS = "no dimensions"


def linear_in_gradient(call: Any, grad_output_t: Any) -> Any:
    """The forward-mode formula of gradients in which all but `grad_output` is a constant."""
    return call(grad_output=grad_output_t)


FREE = frozenset(("F", "grad", "grads", "grad_input_mask"))
# Properties that a formula may have in place of an argument: expressions on its array `x`.
DERIVED = {
    "_sym_sizes": "x.shape",
    "_sym_sizes_opt": "((0,) if x is None else x.shape)",
    "_sym_strides": "(x.strides, x.itemsize)",
    "_sym_numel": "x.size",
    "_geometry": "geometry_of(x)",
    "_options": "options_of(x)",
    "_info": "x.shape",
    "_args_sizes": "[each.shape for each in x]",
    "_sym_argsize_0": "x.shape[0]",
    "_sym_argsize_1": "x.shape[1]",
    "_sym_argsize_2": "x.shape[2]",
    "_sym_argsize_minus_1": "x.shape[-1]",
    "_sym_argsize_minus_2": "x.shape[-2]",
    "_sym_argsize_minus_3": "x.shape[-3]",
    "_dim": "x.ndim",
    "_self_sym_blocksize_opt": "getattr(x, 'blocksize', None)",  # of sparse layouts with blocks
    "_layout": "getattr(x, 'layout', None)",  # None if strided
}
HIDDEN = (
    "_geometry",
    "_options",
    "_args_sizes",
    "_info",
    "_layout",
)  # saved, but not shown: as in torch


class ufunc(str):
    """A forward that is one function of the array namespace, with NumPy's ufunc signature.

    The name may be dotted: elementary.exp.
    """

    __slots__ = ()

    def of(self, xp: Any) -> Callable[..., Any]:
        """The function in a namespace."""
        return attrgetter(self)(xp) if "." in self else getattr(xp, self)


class Saving(NamedTuple):
    """How a node keeps one of the values that formulas need.

    slot: the name of the slot. of_output: whether it is an output. part: the argument and the word
    of DERIVED, if a property of the argument is kept. is_tensor: whether it is an argument that is
    a tensor. kept_for: the inputs, by position, for whose gradients it is kept. always: whether
    these are all inputs.
    """

    slot: str
    of_output: bool
    part: tuple[str, str] | None
    is_tensor: bool
    kept_for: tuple[int, ...]
    always: bool


class Row(Struct):
    """One operator.

    node: the name of its backward node, None if nothing flows back.
    forward: a `ufunc`, or a function (xp, argument, ...) on arrays that names the arguments it
        wants; in the element-wise families too, where it gets arrays of one floating dtype.
    formulas: argument -> formula for its gradient; 'inputs' -> one formula for all of them.
    differentiable: for several outputs, the outputs that gradients flow through.
    family: 'unary', 'binary', 'pointwise' or 'operator'.
    dtype: the rule of an element-wise family: 'promote' (of all operands), 'float' (integers become
        the default dtype), 'bool', 'same' (that of `self`), 'real' (complex numbers become real).
    check: raises the errors of an element-wise operator for dtypes, dimensions or types of numbers.
        A floating-point call of a known kind is not checked again (plans.py), so in floating point
        it must not depend on the values of numbers.
    tensors_only: whether a binary row refuses a number as its second operand.
    number_first: whether it takes a number as its first operand.
    signatures: the overloads, as torch's error lists them for a call that fits none.
    """

    schema: Schema
    node: str | None
    forward: Any
    formulas: dict[str, Callable[..., Any]]
    result: Any = None
    family: str = "operator"
    dtype: str = "promote"
    variants: frozenset[str] = frozenset()
    differentiable: tuple[bool, ...] | None = None
    check: Callable[..., None] | None = None
    tensors_only: bool = False
    number_first: bool = False
    signatures: tuple[str, ...] = ()
    varargs: str | None = None  # the list argument that may also be written out: x.view(2, 3)
    overloads: dict[type | str, Callable[..., Any]]  # by the type of its first value, or a keyword
    joint: tuple[str, ...] = ()  # the inputs that the formula `inputs` is for; () for all
    exact: bool = False  # gradients always have the shapes and dtypes of their inputs
    elementwise: bool = False  # of family 'operator': gradients get the strides of torch's iterator
    complex_only: bool = False  # its formulas do not take the real part for real inputs
    real_gradients: bool = False  # refuses to be recorded for complex numbers
    retypes: bool = False  # returns a view of other numbers than its input's
    contiguous: bool = False  # its element-wise results are row-major whatever its inputs are
    preserves: bool = False  # keeps strides of size-1 dimensions, as empty_like does
    backwards: bool = False  # torch calls its kernel with the operands in reverse
    constant: tuple[str, ...] = ()  # tensors without a derivative that must not require grad
    keeps_exponent: bool = False  # its second operand reaches the forward in its own dtype
    converts: dict[str, str] = {}  # element-wise: a number -> the C++ type it is converted to
    sheds_history: bool = False  # integer results have no history; other rows raise
    writes_leaves: bool = False  # its in-place variant takes leaves that require grad
    kernel: str = ""  # the kernel, as errors name it: see `kernel_name`
    knows: frozenset[Any] = EVERY  # the dtypes of computation that it knows
    spares: frozenset[str] = frozenset()  # EMPTY, SCALARS: results that torch gets without it
    unrounded: bool = False  # a number beside 2-byte floats is not rounded to one of them
    copies: bool = False  # its result is a copy of its input
    zeros: str = ""  # its result for a tangent of zeros: a word above
    sparing: bool = False  # keeps only tensors that a formula will read
    doc: str = ""  # the text of help() below the schema

    @property
    def name(self) -> str:
        return self.schema.name

    @cached_property
    def key(self) -> str:
        return self.schema.key

    @property
    def help(self) -> str:
        """The docstring of its function."""
        return f"{self.schema.text}\n\n    {self.doc.lstrip()}" if self.doc else self.schema.text

    @property
    def inplace_name(self) -> str:
        """The name of its in-place variant; its own name if the row is an in-place operator."""
        return self.name if self.name.endswith("_") else self.name + "_"

    @property
    def kernel_name(self) -> str:
        """The kernel that refuses dtypes, as torch's errors name it; "" if none is known."""
        return self.kernel or ("" if self.family == "operator" else f"{self.name}_cpu")

    def refuses(self, common: Any) -> bool:
        """Whether its kernel refuses the dtype of its operands, in which it computes."""
        return self.dtype != "float" and common not in self.knows

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the arguments that have an edge, in order."""
        joint = "inputs" in self.formulas
        return tuple(
            [
                a.name
                for a in self.schema.tensors
                if (joint and a.name in (self.joint or (a.name,))) or a.name in self.formulas
            ]
        )

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """The names of the tensors that must not require grad: optional ones without a formula."""
        optional = [a.name for a in self.schema.tensors if a.type == "Tensor?"]
        without = [n for n in optional if self.node is not None and n not in self.inputs]
        return (*without, *self.constant)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numbers that take part in promotion, in the element-wise families."""
        return tuple(
            [
                a.name
                for a in self.schema.arguments
                if a.type.startswith("Scalar") and not a.keyword_only
            ]
        )

    @cached_property
    def saved(self) -> tuple[str, ...]:
        """The names of the values that the formulas need, and the node saves."""
        names = {
            name
            for formula in self.formulas.values()
            for name in parameters(formula)
            if name not in FREE
        }
        return tuple(sorted(names))

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of the tensors, in order."""
        return tuple([a.name for a in self.schema.tensors])

    @cached_property
    def leads(self) -> tuple[bool, ...]:
        """For each of the tensors, whether it has an edge."""
        return tuple([name in self.inputs for name in self.operands])

    @cached_property
    def others(self) -> tuple[tuple[str, Any], ...]:
        """The arguments that are not tensors, each with its default."""
        rest = [a for a in self.schema.arguments if not a.is_tensor]
        return tuple([(a.name, eval(a.default, {}) if a.default else None) for a in rest])

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """The parameters of the forward."""
        return parameters(self.forward)

    @cached_property
    def savings(self) -> dict[str, Saving]:
        """How each of `saved` is kept."""
        return {name: self._saving(name) for name in self.saved}

    def _saving(self, name: str) -> Saving:
        part = None if name in self.schema.outputs else derived(self, name)
        kept_for = tuple([] if name in self.schema.outputs or part else self.kept_for(name))
        return Saving(
            f"saved_{name}",
            name in self.schema.outputs,
            part,
            name in self.operands,
            kept_for,
            len(kept_for) == len(self.inputs),
        )

    def wanted_by(self, name: str) -> list[int]:
        """The inputs (by position) whose formulas have the parameter `name`."""
        if "inputs" in self.formulas:
            return list(range(len(self.inputs)))
        return [i for i, each in enumerate(self.inputs) if name in parameters(self.formulas[each])]

    def kept_for(self, name: str) -> list[int]:
        """The inputs (by position) for whose gradients the tensor `name` is kept.

        If only one formula needs it, the input of that formula; else all inputs, and derivatives of
        derivatives too. As guard_for of tools/autograd/gen_variable_type.py.
        """
        wanted = self.wanted_by(name)
        optional = any(a.name == name and a.type == "Tensor?" for a in self.schema.tensors)
        guarded = len(wanted) == 1 and not optional and "backward" not in self.name
        guarded = guarded or self.sparing
        return wanted if guarded else list(range(len(self.inputs)))

    @property
    def fits(self) -> bool:
        """Whether gradients have the shapes and dtypes of their inputs: see Node.fits."""
        if self.family == "unary":
            # A number may promote the dtype: a real tensor times 1j.
            lifted = self.numbers and self.dtype != "same"
            return self.dtype in ("promote", "float", "same") and not lifted
        return self.exact or (self.schema.is_view and not self.schema.returns_list)

    @cached_property
    def public_saved(self) -> tuple[str, ...]:
        """The names of `saved` that users see as `_saved_<name>`."""
        never = ("ScalarType", "bool?")
        hidden = {a.name for a in self.schema.arguments if a.type.startswith(never)}
        return tuple([n for n in self.saved if not (n.endswith(HIDDEN) or n in hidden)])

    @cached_property
    def tangent_inputs(self) -> tuple[str, ...]:
        """The inputs whose tangents its forward-mode formula needs."""
        if self.result is None or isinstance(self.result, str):
            return self.inputs
        formulas = self.result if isinstance(self.result, tuple) else (self.result,)
        asked = {name for formula in formulas for name in parameters(formula)}
        return tuple([name for name in self.inputs if f"{name}_t" in asked])

    @cached_property
    def differentiable_outputs(self) -> tuple[int, ...]:
        outputs = range(len(self.schema.outputs))
        chosen = self.differentiable or (True,) * len(outputs)
        return tuple([i for i in outputs if chosen[i]])


def derived(row: Row, name: str) -> tuple[str, str] | None:
    """('self', '_sym_sizes') for 'self_sym_sizes'; None for the name of an argument."""
    if all(a.name != name for a in row.schema.arguments):
        for ending in DERIVED:
            if name.endswith(ending):
                return name.removesuffix(ending), ending
    return None


def parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters; those of the function within a decorated one."""
    code = getattr(formula, "__wrapped__", formula).__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def entitle(formula: Callable[..., Any], name: str) -> None:
    """Names a lambda, so that tracebacks and profiles show 'MulBackward0.self'."""
    if formula.__name__ == "<lambda>":
        formula.__code__ = formula.__code__.replace(co_name=name)
        formula.__name__ = formula.__qualname__ = name
