"""Forward mode: calls of rows compute the tangents of their results from those of their inputs.

A row declares this in `result`: a formula, whose parameters name the values that it needs, gives
the tangent of the first output, or a tuple of tangents. Or it is a word (core/declare/row.py): the
tangent then follows from the formulas for gradients. An input without tangent counts as zeros;
their products are zeros whatever the other factor is, as with torch's zero tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitorch.core.arrays import layout, namespace, on_numpy
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.base.fields import TensorBase, Untracked, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import FormulaMode, RunningFormulas
from minitorch.core.declare.general.recording import DERIVING
from minitorch.core.declare.registry import function_of_row
from minitorch.core.declare.row import (
    ABSORB,
    ABSORB_EITHER,
    ADD_NOTHING,
    ELEMENTWISE,
    SUBTRACT_NOTHING,
    Row,
    derived,
    parameters,
)
from minitorch.core.graph.forward import (
    VisibleLevels,
    dualize,
    level_of,
    primal_of,
    set_tangent,
    tangent_of,
)
from minitorch.core.graph.node import Node
from minitorch.core.graph.views import edge_of
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind

_int64 = dtypes.int64.numpy


def pushed(row: Row, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result of `function`, the function of `row`, with tangents if an argument in which
    it is differentiable has some."""
    if kwargs.get("out") is not None:
        return function(*args, **kwargs)
    bound = bind(row, args, kwargs)
    inputs = _tensors(row.tangent_inputs, bound)
    level = level_of(inputs)
    unseen = level >= 0 and all(map(_is_unseen, _all(row, bound)))
    if unseen and not row.copies:
        return function(*args, **kwargs)
    if level < 0:
        result = function(*args, **kwargs)
        _pass_on(row, bound, result)
        return result
    if row.result is None:
        raise unsupported(row.name, row.node)
    with VisibleLevels(level):
        result = pushed(row, function, args, kwargs)
        copied = (tangent_of(inputs[0], level),)  # unchanged, even if the numbers are cast
        tangents = copied if unseen else tangents_of(row, bound, result, level)
    outputs = result if isinstance(result, tuple) else (result,)
    if not row.schema.returns_list:
        outputs = tuple([outputs[i] for i in row.differentiable_outputs])
    for output, tangent in zip(outputs, tangents, strict=False):
        if tangent is not None and output is not None and output.dtype.number_kind >= Kind.FLOATING:
            given = any([tangent is tangent_of(each, level) for each in inputs])
            dualize(output, tangent.clone() if given else tangent, level)
            keep_tangents(output)
    return result


def _all(row: Row, bound: dict[str, Any]) -> list[Any]:
    numbers = [bound[a.name] for a in row.schema.tensors if a.type == "Tensor"]
    return _tensors([a.name for a in row.schema.tensors], bound) + [
        each for each in numbers if isinstance(each, (int, float, complex))
    ]


def _is_unseen(operand: Any) -> bool:
    """Whether autograd does not see an operand: an inference tensor, if all tensors of a call are.

    A number becomes an ordinary tensor, and so is the tensor that torch's clone copies into.
    """
    return isinstance(operand, TensorBase) and isinstance(operand._cell, Untracked)


def pushed_write(row: Row, writer: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """pushed() for a function that writes its result into its first argument."""
    bound = bind(row, args, kwargs)
    level = level_of(_tensors(row.inputs, bound))
    if level < 0:
        return writer(*args, **kwargs)
    self = bound["self"]
    with VisibleLevels(level):
        given = dict(bound, self=_original(row, self, level))
        pushed_write(row, writer, args, kwargs)
        (tangent,) = tangents_of(row, given, self, level)
        if tangent is None and tangent_of(self, level) is not None:
            tangent = tangent_of(self, level).zero_()  # the written value has none
    if tangent is not None:
        dualize(self, tangent, level, in_place=True)
    keep_tangents(self)
    return self


def _original(row: Row, self: Any, level: int) -> Any:
    """`self` for the formula: a copy if the formula needs the overwritten value."""
    if not asks_for_self(row):
        return self
    original = self.clone()
    set_tangent(original, level, tangent_of(self, level))
    return original


def asks_for_self(row: Row) -> bool:
    """Whether the formula for tangents needs the overwritten value."""
    formulas = row.formulas.values() if row.result == ELEMENTWISE else (row.result,)
    asked = {name for each in formulas if callable(each) for name in parameters(each)}
    return bool(asked & {"self", "self_p"})


def move_tangents(self: Any, result: Any) -> None:
    """The tangents of `result`, which was written into `self`, become those of `self`."""
    for level, tangent in (result._tangents or {}).items():
        if tangent is not None:
            dualize(self, tangent, level, in_place=True)
    keep_tangents(self)


def keep_tangents(output: Any) -> None:
    """Stores the tangents of `output` in the node that saved it, too."""
    edge = edge_of(output)
    node, number = edge if type(edge) is tuple else (edge, 0)
    if isinstance(node, Node) and output._tangents is not None:
        node.__dict__.setdefault("tangents", {})[number] = output._tangents


def bind(row: Row, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by the names of the schema."""
    arguments = row.schema.arguments
    names = [a.name for a in arguments if not a.keyword_only and a.name != row.varargs]
    bound = {a.name: eval(a.default) for a in arguments if a.default}
    bound.update(zip(names, args, strict=False), **kwargs)
    return bound


def _tensors(names: Sequence[str], bound: dict[str, Any]) -> list[Any]:
    """The tensors among arguments, those in lists included."""
    given = [bound[name] for name in names]
    flat = [t for each in given for t in (each if isinstance(each, (list, tuple)) else (each,))]
    return [each for each in flat if isinstance(each, TensorBase)]


def unsupported(name: str, node: str | None = None) -> NotImplementedError:
    """The error for a dual tensor in an operator without a formula for tangents."""
    if node == "NotImplemented":
        return NotImplementedError(
            f"Trying to use forward AD with aten::{name} that does not support it."
        )
    advice = " or submit a PR adding the implementation to derivatives.yaml"
    return NotImplementedError(
        f"Trying to use forward AD with {name} that does not support it because it has not "
        "been implemented yet.\nPlease file an issue to PyTorch at https://github.com/pytorch/"
        "pytorch/issues/new?template=feature-request.yml so that we can prioritize its "
        f"implementation{'.' if name.endswith('_') else advice}"
    )


def tangents_of(row: Row, bound: dict[str, Any], result: Any, level: Any, seen: Any = None) -> Any:
    """The tangents of the first outputs of a call.

    seen: the class of the formulas' arguments; FormulaArguments if None.
    """
    formula = row.result
    if formula is None:
        raise unsupported(row.name, row.node)
    given = (seen or FormulaArguments)(row, bound, result, level)
    with FormulaMode(True), RunningFormulas(True):
        if isinstance(formula, str):
            tangent = getattr(given, formula)()
        elif isinstance(formula, tuple):
            tangent = [given.evaluated(each) for each in formula]
        else:
            tangent = given.evaluated(formula)
    return tangent if isinstance(tangent, (tuple, list)) else (tangent,)


class FormulaArguments:
    """The arguments that the forward formulas of one call can have, by name."""

    def __init__(self, row: Row, bound: dict[str, Any], result: Any, level: Any) -> None:
        self.row = row
        self.bound = dict(bound)
        self.level = level
        outputs = row.schema.outputs
        self.outputs = dict(zip(outputs, (result,) if len(outputs) == 1 else result, strict=True))
        found = result if isinstance(result, tuple) else (result,)
        self.result = next(each for each in found if each is not None)
        self.dtype, self.shape = self.result._array.dtype, self.result._array.shape

    def __getitem__(self, name: str) -> Any:
        """The value of a formula's parameter."""
        if name in ("F", "call"):
            return OPS if name == "F" else self.call
        if name in self.outputs:
            return self.outputs[name]
        if name in self.bound:
            return self.bound[name]
        part = derived(self.row, name)
        if part is not None:
            return DERIVING[part[1]](self.bound[part[0]]._array)
        of = self.tangent if name.endswith("_t") else self.primal
        value = self.bound[name[:-2]]
        return [of(x) for x in value] if isinstance(value, (list, tuple)) else of(value)

    def evaluated(self, formula: Callable[..., Any]) -> Any:
        """The result of a formula; None if none of the tangents that it needs exists."""
        names = parameters(formula)
        asked = [name for name in self.row.inputs if f"{name}_t" in names]
        if all(self.held(each) is None for each in _tensors(asked, self.bound)):
            return None
        return formula(*[self[name] for name in names])

    def primal(self, value: Any) -> Any:
        """An argument without its tangent; a number as the tensor that stands for it."""
        if isinstance(value, TensorBase):
            plain = value._edge is None and value._view is None and value._tangents is None
            return value if plain else primal_of(value, self.level)
        return value if value is None else tensor(self.number(value))

    def number(self, value: Any) -> Any:
        """The array that stands for a number: of the number's dtype if that promotes nothing."""
        return scalar_like(value, _int64 if type(value) is int else self.dtype, on_numpy)

    def held(self, value: Any) -> Any:
        """The tangent of a tensor, or None."""
        return tangent_of(value, self.level)

    def tangent(self, value: Any) -> Any:
        """The tangent of an argument, zeros if it has none."""
        if isinstance(value, TensorBase):
            tangent = self.held(value)
            return zeros_for(value._array) if tangent is None else tangent
        return value if value is None else zeros_for(self.number(value))

    def call(self, /, **changed: Any) -> Any:
        """The result of the operator for its arguments, some of them replaced by `changed`."""
        tensors = [a.name for a in self.row.schema.tensors if a.name not in changed]
        values = {**self.bound, **{name: self[f"{name}_p"] for name in tensors}, **changed}
        given = [a for a in self.row.schema.arguments if a.name in values]
        plain = [a.name for a in given if not a.keyword_only and a.name != self.row.varargs]
        named = {a.name: values[a.name] for a in given[len(plain) :]}
        return function_of_row(self.row)(*[values[name] for name in plain], **named)

    def auto_linear(self) -> Any:
        """The result of the operator for the tangents in place of the inputs."""
        return self.call(**{name: self[f"{name}_t"] for name in self.row.inputs})

    def auto_element_wise(self) -> Any:
        """The sum of the results of the gradients' formulas on the conjugates of the tangents."""
        joint, parts = "inputs" in self.row.formulas, []
        for i, name in enumerate(self.row.inputs):
            tangent = self.known(name)
            if tangent is not None:
                found = self.applied("inputs" if joint else name, self.spread(tangent).conj())
                parts.append((found[i] if joint else found).conj())
        return self.real(sum(parts[1:], parts[0]))

    def auto_loss(self) -> Any:
        """The loss of the unreduced tangents, reduced as the loss itself is."""
        reduction, self.bound["reduction"] = self.bound["reduction"], 0
        self.shape = layout.broadcast(*[self.bound[name].shape for name in self.row.inputs])
        losses = self.auto_element_wise()
        return (losses, OPS.mean(losses), OPS.sum(losses))[reduction]

    def auto_reduction(self) -> Any:
        """The products of the tangent and the gradient of the result, summed up."""
        (name,) = self.row.formulas
        gradient = self.applied(name, OPS.ones_like(self.result))
        if gradient is None:
            return OPS.zeros_like(self.result)
        products = self[f"{name}_t"] * gradient.conj()
        dim = self.bound.get("dim")
        dims = (dim,) if isinstance(dim, int) else dim or tuple(range(products.dim()))
        return self.real(OPS.sum_dim_IntList(products, dims, self.bound.get("keepdim", False)))

    def auto_gradient(self) -> Any:
        """The tangent of the result: the parts by the gradient and by the inputs and weights."""
        first, *others = self.row.inputs
        inputs = [name for name in others if name in ("input", "self", "weight")]
        tangents = [self.known(name) for name in inputs]
        outputs: list[Any] = [None] * len(self.outputs)
        if self.known(first) is not None:
            outputs = list(self.call(**{first: self.known(first)}))
        if any(tangent is not None for tangent in tangents):
            found = self.applied("inputs", [*tangents, None][: len(outputs)])
            parts = [found[self.row.inputs.index(name)] for name in inputs]
            for i, (part, result) in enumerate(zip(parts, self.outputs.values(), strict=False)):
                if part is not None and result is not None:
                    part = OPS.sum_to_size(part, result.shape)
                    outputs[i] = part if outputs[i] is None else outputs[i] + part
        return tuple(outputs)

    def auto_gradient_of_elements(self) -> Any:
        """auto_gradient(), or None for each output if there are no elements."""
        empty = self.bound[self.row.inputs[0]].numel() == 0
        return (None,) * len(self.outputs) if empty else self.auto_gradient()

    def known(self, name: str) -> Any:
        """The tangent of an argument, None if it has none."""
        value = self.bound[name]
        return self.held(value) if isinstance(value, TensorBase) else None

    def applied(self, name: str, grad: Any) -> Any:
        """The result of the formula for the gradient of an argument, for the gradient `grad`."""
        formula = self.row.formulas[name]
        given = {"grad": grad, "grads": grad, "grad_input_mask": (True,) * len(self.row.inputs)}
        names = [f"{p}_p" if p in self.row.inputs else p for p in parameters(formula)]
        return formula(*[given[n] if n in given else self[n] for n in names])

    def spread(self, tangent: Any) -> Any:
        """A tangent in the shape of the result, and in its dtype if there are several inputs."""
        if tangent._array.shape != self.shape:
            tangent = OPS.expand(tangent, self.shape)
        if len(self.row.inputs) > 1 and tangent.dtype is not self.result.dtype:
            tangent = OPS._to_copy(tangent, dtype=self.result.dtype)
        return tangent

    def real(self, tangent: Any) -> Any:
        """The tangent of a real function of complex numbers is the real part."""
        wider = tangent._array.dtype.kind == "c" and self.dtype.kind != "c"
        return OPS.real(tangent) if wider else tangent


# ---- zeros


def zeros_for(x: Any) -> Any:
    """The tangent of an array that has none: zeros that are marked as such."""
    xp = namespace(x)
    zeros = tensor(xp.expand(xp.zeros((), x.dtype), x.shape))
    zeros._zero = True
    return zeros


def _pass_on(row: Row, bound: dict[str, Any], result: Any) -> None:
    """Notes tangents without computing: products of zeros are zeros, sums with them copies, and a
    view lacks the tangents that its base lacks."""
    first = bound.get("self")
    if not isinstance(first, TensorBase):
        return
    if row.schema.is_view and first._tangents is not None:
        for each in result if isinstance(result, tuple) else (result,):
            for level in [n for n, tangent in first._tangents.items() if tangent is None]:
                set_tangent(each, level, None)
    absorbs = row.zeros in (ABSORB, ABSORB_EITHER) or row.schema.is_view
    second = bound.get("other")
    last = getattr(second, "_zero", False)
    either = row.zeros == ABSORB_EITHER and last
    if absorbs and (first._zero or either) and isinstance(result, TensorBase):
        x = zeros_for(result._array)._array
        result._array, result._view, result._zero = x, tensor(x)._view, True
    elif (
        row.zeros in (ADD_NOTHING, SUBTRACT_NOTHING)
        and first._zero != last
        and isinstance(second, TensorBase)
    ):
        x, xp = result._array, namespace(result._array)
        source = (second if first._zero else first)._array
        if source.shape != x.shape:
            return  # a sum of broadcast tangents has the strides of sums
        strides = layout.preserved_strides(x.shape, layout.strides_of(source))
        laid = xp.empty_strided(x.shape, strides, x.dtype)
        copied = last or (row.zeros == ADD_NOTHING and bound.get("alpha", 1) == 1)
        laid[...] = source if copied else x  # zeros keep their signs
        result._array, result._view = laid, tensor(laid)._view
