"""The level of jvp: tensors with a tangent, from which forward-mode formulas compute tangents."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import layout
from minitorch.core.arrays.lazy import bits_of
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.general.tangents import FormulaArguments, asks_for_self, tangents_of
from minitorch.core.declare.row import Row
from minitorch.core.declare.wording.out_rules import in_place_of
from minitorch.core.graph import forward
from minitorch.core.graph.views import is_view, note_write, replay_view
from minitorch.core.numbers.dtype import Kind
from minitorch.func.levels.base import TrackingLevel, mapped, self_written, wrap


def laid_as(value: Any, tangent: Any) -> Any:
    """A tangent with the strides and bits of its value, so that views of both are alike."""
    x = value._array
    pairs = zip(x.shape, layout.strides_of(x), layout.strides_of(tangent._array), strict=True)
    same = not x.size or all([own == other for n, own, other in pairs if n > 1])
    if tangent._zero or (same and bits_of(x) == bits_of(tangent._array)):
        return tangent
    made = OPS.new_empty_strided(tangent, tuple(x.shape), layout.strides_of(x))
    return made.copy_(tangent)


class DualLevel(TrackingLevel):
    """The level of jvp: `_pushed` of its tensors is their tangent, a tensor of the level below."""

    overwritten: Any = None  # the tensor that is being written in place

    def __enter__(self) -> Any:
        forward.enter()  # inside, operators recognise the zeros of formulas: see TensorBase._zero
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        forward.leave()

    def dual(self, value: Any, tangent: Any) -> Any:
        """A tensor of this level that carries `tangent`."""
        for what, x in (("primal", value), ("tangent", tangent)):
            if x.dtype.number_kind < Kind.FLOATING:
                raise ValueError(
                    f"Expected {what} to be floating point or complex, but got: {x.dtype}"
                )
        if value.shape != tangent.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the "
                "original Tensor, this is not supported. Tensor is of size "
                f"{list(value.shape)} while the given forward gradient is of size "
                f"{list(tangent.shape)}."
            )
        with self.below():
            value = OPS.alias(value)
            tangent = laid_as(value, tangent)
        result = self.lifted(value)
        result._pushed = tangent
        return result

    def tangent(self, x: Any) -> Any:
        """The tangent of a tensor; None if it has none. To be called below."""
        if not isinstance(x, TensorBase) or x._level is not self:
            return None
        found = x.__dict__.get("_pushed")
        if found is None and is_view(x):
            whole = self.tangent(x._view[0])
            found = x._pushed = None if whole is None else replay_view(x, whole)
        return found

    def check_out(self, name: str, tensors: list[Any]) -> None:
        with self.below():
            if any([self.tangent(x) is not None for x in tensors]):
                raise NotImplementedError(
                    f"Trying to use forward AD with {name}_out that does not support it because it "
                    "is an out= function"
                )

    def parted(self, x: Any, strict: bool) -> tuple[Any, Any]:
        """The value of a tensor, and its tangent; zeros for none, unless `strict`."""
        tangent = self.tangent(x)
        if tangent is None and strict:
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                "inputs. This is not allowed with strict=True."
            )
        value = OPS.alias(self.value(x))
        if tangent is None or tangent._zero:  # zeros in memory, which a caller may write
            tangent = OPS.zeros_like(value)
        return value, tangent

    def call_in_place(self, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        said = in_place_of(name)
        through = said.through or said.moves  # changes the tangent as it changes the value
        before, self.overwritten = self.overwritten, None if through else args[0]
        try:
            return super().call_in_place(name, function, args, kwargs)
        finally:
            self.overwritten = before

    def original(self, row: Row, x: Any) -> Any:
        """A copy of a tensor that is written in place, if the formula for tangents needs it."""
        tangent = self.tangent(x)
        if tangent is None:
            return x
        copy = wrap(self, x._value.clone() if asks_for_self(row) else x._value)
        copy._pushed = OPS.clone(tangent)
        return copy

    def follow(self, row: Row, bound: Any, outputs: list[Any], result: Any) -> None:
        inputs = [bound[name] for name in row.tangent_inputs]
        flat = [x for each in inputs for x in (each if isinstance(each, (list, tuple)) else [each])]
        with self.below():
            if all([self.tangent(x) is None for x in flat]):
                return
            if self.overwritten is not None and bound["self"] is self.overwritten:
                bound["self"] = self.original(row, self.overwritten)
            tangents = tangents_of(row, bound, result, self, Seen)
        if not row.schema.returns_list:
            outputs = [outputs[i] for i in row.differentiable_outputs]
        for output, tangent in zip(outputs, tangents, strict=False):
            if (
                tangent is not None
                and output is not None
                and output.dtype.number_kind >= Kind.FLOATING
            ):
                with self.below():
                    output._pushed = laid_as(output._value, tangent)

    def after(self, x: Any, result: Any, before: Any) -> None:
        note_write(x, None)
        with self.below():
            tangent, held = self.tangent(result), self.tangent(x)
            if tangent is None and held is None:
                return
            if tangent is None:
                tangent = OPS.zeros_like(x._value)
            if held is None and is_view(x):
                base = x._view[0]
                base._pushed = OPS.new_zeros(tangent, tuple(base._array.shape))  # also for a batch
                held = self.tangent(x)
            if held is None or (held._level is None and tangent._level is not None):
                x._pushed = tangent
            else:
                self_written(held, tangent, copied=self.overwritten is not None)


class Seen(FormulaArguments):
    """The arguments that the formulas of a call on a DualLevel can have."""

    def __getitem__(self, name: str) -> Any:
        found = mapped(self.level.value, super().__getitem__(name))
        return (
            OPS.alias(found) if name == "result" and self.level.overwritten is not None else found
        )

    def primal(self, value: Any) -> Any:
        tensor = isinstance(value, TensorBase)
        return OPS.alias(self.level.value(value)) if tensor else super().primal(value)

    def held(self, value: Any) -> Any:
        return self.level.tangent(value)
