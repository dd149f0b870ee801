"""Element-wise operators in general: promotion, broadcasting, layout, devices, writes into `self`.

The assembled functions handle two plain CPU tensors of one dtype, or one tensor and a Python
number, themselves; all other calls come here. As ATen/TensorIterator.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, layout, missing, namespace, on_numpy
from minitorch.core.arrays.floating_point import Silence, cast, warn_of_real_parts
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.arrays.overlap import check_itself, check_same_or_apart
from minitorch.core.arrays.scalars import as_scalar
from minitorch.core.base.fields import TensorBase, laid_out, plain, tensor
from minitorch.core.declare.codegen.assemble import assemble_on_device
from minitorch.core.declare.general.kernel_calls import call_kernel, scaled
from minitorch.core.declare.general.plans import (
    Plan,
    added_in_place,
    computed,
    have_histories,
    kind_of,
    plan_of,
    remember,
)
from minitorch.core.declare.general.recording import (
    check_histories,
    check_inputs,
    record,
    refuse_complex,
    wants_grad,
)
from minitorch.core.declare.out import check_castable
from minitorch.core.declare.registry import DUNDERS
from minitorch.core.declare.row import Row, ufunc
from minitorch.core.declare.wording.errors import check_self, fitting, wrong_arguments
from minitorch.core.declare.wording.out_rules import allows_overlap, check_out_dtype, in_place_of
from minitorch.core.graph.node import save_output, source_of
from minitorch.core.graph.views import check_writable, edge_of, note_write, requires_grad
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.promotion import can_cast, result_type
from minitorch.core.numbers.scalars import as_number, fitted, is_too_large, wrapped_dtype
from minitorch.core.tensor.conversion import from_array
from minitorch.core.tensor.tensor import Tensor

_NUMBERS = (int, float, complex, numpy.number, numpy.bool_)
_OPERANDS = (TensorBase, *_NUMBERS)

_ON_DEVICE: dict[Row, Any] = {}  # the functions for plain tensors on a device, if any


def elementwise(row: Row, operands: tuple[Any, ...], **attributes: Any) -> Any:
    """The result of an element-wise row for operands of any kind, with its node if one is due."""
    if DEVICE_ARRAYS and type(getattr(operands[0], "_array", None)) in DEVICE_ARRAYS:
        try:
            on_device = _ON_DEVICE[row]
        except KeyError:
            on_device = _ON_DEVICE[row] = assemble_on_device(row)
        if on_device is not None:
            return on_device(*operands, **attributes)
    kind, plan = plan_of(row, operands, attributes)
    if plan is not None:
        recorded = row.node is not None and have_histories(operands)
        try:
            x = computed(plan, operands, attributes)
        except Exception:
            pass  # the general way raises the right error
        else:
            result = plain(x)
            if plan.view is not None:
                result._view = plan.view
            if recorded and wants_grad(row, operands):
                if row.real_gradients and plan.compute.kind == "c":
                    refuse_complex(row)
                record(row, bind(row, operands, attributes), result, mixed=plan.mixed)
            return result
    return _without_plan(row, kind, operands, attributes)


def elementwise_of_self(row: Row, operands: tuple[Any, ...], **attributes: Any) -> Any:
    """`elementwise` for a method, whose first operand must be a tensor."""
    check_self(row.name, operands[0])
    return elementwise(row, operands, **attributes)


def elementwise_in_general(row: Row, operands: tuple[Any, ...], **attributes: Any) -> Any:
    """`elementwise` without the fast path for plain tensors on a device."""
    return _without_plan(row, kind_of(row, operands, attributes), operands, attributes)


def _without_plan(
    row: Row, kind: Any, operands: tuple[Any, ...], attributes: dict[str, Any]
) -> Any:
    """The result of a call for which there is no plan yet. It makes a plan if calls of the kind
    can have one."""
    check_operands(row, operands, attributes)
    operands = tuple([as_operand(each) for each in operands])
    if row.node is not None:
        check_histories(*operands)
    if not is_tensor(operands[0]) and not is_tensor(operands[-1]):
        if row.signatures:
            raise wrong_arguments(row, (operands, attributes))
        result_type(*operands)  # this refuses some combinations of numbers
        operands = (from_number(operands[0]), *operands[1:])
    try:
        common, compute, out_dtype = dtypes_of(row, operands, attributes)
        refusal = refusal_of(row, common, operands, attributes)
        if refusal is not None:
            shape_of(row, operands)  # torch raises errors for shapes first
            raise refusal
        if row.converts:
            try:
                numbers = converted(row, common, attributes)
            except RuntimeError:
                shape_of(row, operands)
                raise
        else:
            numbers = attributes
        x = compute_array(row, operands, numbers, compute, out_dtype)
    except Exception:
        if row.node is not None:
            check_inputs(row, operands)
        raise
    mixed = row.node is not None and is_mixed(operands, compute)
    if kind is not None:
        remember(kind, row, operands, attributes, compute, x, mixed)
    if row.real_gradients and compute.is_complex and wants_grad(row, operands):
        refuse_complex(row)
    return with_node(row, operands, attributes, x, mixed)


def with_node(
    row: Row, operands: tuple[Any, ...], attributes: dict[str, Any], x: Any, mixed: bool
) -> Any:
    """The numbers of a call's result as a tensor, with a node if one is due."""
    result = laid_out(x)
    if row.node is not None and wants_grad(row, operands):
        record(row, bind(row, operands, attributes), result, mixed=mixed)
    return result


def operate(row: Row, dunder: str, self: Any, other: Any, **attributes: Any) -> Any:
    """`self + other` for operands of any kind; NotImplemented if `other` is none."""
    check_self(dunder, self)
    if type(other) is not Tensor:
        other = operand_of(dunder, other)
        if not is_operand(other):
            return NotImplemented
    return elementwise(row, (self, other), **attributes)


def operand_of(dunder: str, other: Any) -> Any:
    """`other`; a tensor of it if it is an array of numbers and the operator is ==. All other
    operators leave arrays to NumPy."""
    array = dunder == "__eq__" and isinstance(other, numpy.ndarray) and other.dtype.kind in "biufc"
    return from_array(other) if array else other


def is_operand(other: Any) -> bool:
    """Whether a Python operator takes `other` beside a tensor."""
    return isinstance(other, _OPERANDS) and not is_too_large(other)


def python_operator(
    name: str, method: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function of a tensor and an operand a Python operator of Tensor, which returns
    NotImplemented if the function raises TypeError.

    method: the method that torch shows modes, if it is written in C++.
    """
    if method:
        DUNDERS[name] = method

    def place(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def operator(self: Any, other: Any) -> Any:
            try:
                return function(self, other)
            except TypeError:
                return NotImplemented

        operator.__name__ = operator.__qualname__ = name
        operator.__doc__ = function.__doc__
        setattr(Tensor, name, operator)
        return function

    return place


def operate_in_place(row: Row, self: Any, other: Any, **attributes: Any) -> Any:
    """`self += other` for operands of any kind; NotImplemented if `other` is none."""
    return write(row, (self, other), **attributes) if is_operand(other) else NotImplemented


def write(row: Row, operands: tuple[Any, ...], **attributes: Any) -> Any:
    """Writes the result of an element-wise row into its first operand, which is returned."""
    self = operands[0]
    kind, plan = plan_of(row, operands, attributes)
    if plan is not None and written_by_plan(plan, row, operands, attributes):
        return self
    check_operands(row, operands, attributes, row.inplace_name)
    if kind is None and attributes:  # tensors and NumPy scalars among them are numbers now
        kind, plan = plan_of(row, operands, attributes)
        if plan is not None and written_by_plan(plan, row, operands, attributes):
            return self
    operands = (self, *[as_operand(each) for each in operands[1:]])
    noted, weighed = noted_as(row, operands)
    recorded = wants_grad(noted, weighed)
    tensors = filter(is_tensor, operands)
    asking = recorded if noted.node else not row.writes_leaves and any(map(requires_grad, tensors))
    check_writable(self, asking)
    common, compute, out_dtype = dtypes_of(row, operands, attributes)
    node = None
    if recorded:
        node = record_write(row, operands, attributes, is_mixed(operands, compute))
    refusal = refusal_of(row, common, operands, attributes)
    if row.dtype == "real" and compute.is_complex:
        raise RuntimeError(f"In-place {row.name} is not supported for complex tensors.")
    own = self.dtype
    falls = row.dtype != "bool" and not can_cast(out_dtype, own)
    if falls and in_place_of(row.inplace_name).dtype_first:
        if own.number_kind >= Kind.FLOATING:  # torch checks only integers before the shapes
            shape_of(row, operands)
        check_out_dtype(row.name, out_dtype, own)
    if not allows_overlap(row.inplace_name, self):
        check_itself(self._array)
    for each in operands[1:]:
        if is_tensor(each):
            check_same_or_apart(self._array, each._array)
    shape = shape_of(row, operands)
    if shape != self._array.shape:
        raise RuntimeError(
            f"output with shape {list(self._array.shape)} doesn't match the broadcast shape "
            f"{list(shape)}"
        )
    if falls:
        check_castable(row.name, out_dtype, own)
    if refusal is not None:
        raise refusal
    numbers = converted(row, common, attributes) if row.converts else attributes
    x = compute_array(row, operands, numbers, compute, out_dtype)
    if kind is not None:
        mixed = row.node is not None and is_mixed(operands, compute)
        remember(kind, row, operands, attributes, compute, x, mixed)
    array = self._array
    array[...] = x if x.dtype == array.dtype else cast(x, array.dtype)
    warn_of_casts(row, self, operands)
    finish_write(row, self, node)
    return self


def noted_as(row: Row, operands: tuple[Any, ...]) -> tuple[Row, tuple[Any, ...]]:
    """The row by which a write is recorded, and the operands that this row has."""
    rows = in_place_of(row.inplace_name).rows
    if rows is None:
        return row, operands
    by_tensor = is_tensor(operands[1])
    return rows[by_tensor], operands if by_tensor else operands[:1]


def written_by_plan(
    plan: Plan, row: Row, operands: tuple[Any, ...], attributes: dict[str, Any]
) -> bool:
    """Writes the result of a plan into the first operand, if the others share no memory with it.
    Returns whether it did."""
    self = operands[0]
    own = self._array
    if row.node is None or not own.flags.c_contiguous or plan.dtype != own.dtype:
        return False
    alone = self._edge is self._view is None
    for each in operands[1:]:
        if is_tensor(each):
            x = each._array
            if x is not own and numpy.may_share_memory(own, x):
                return False
            alone = alone and each._edge is each._view is None
    if added_in_place(plan, operands, attributes, alone):
        finish_write(row, self, None)
        return True
    try:
        x = computed(plan, operands, attributes)
    except Exception:
        return False  # the general way raises the right error
    if x.shape != own.shape:
        return False
    node = None
    if not alone:  # one may have a history
        noted, weighed = noted_as(row, operands)
        if noted is not row and wants_grad(row, operands):
            return False
        if wants_grad(noted, weighed):
            check_writable(self, True)
            node = record_write(row, operands, attributes, plan.mixed)
    own[...] = x
    finish_write(row, self, node)
    return True


def record_write(
    row: Row, operands: tuple[Any, ...], attributes: dict[str, Any], mixed: bool
) -> Any:
    """The node of a write into the first operand; made before the write."""
    check_histories(*operands)
    self = operands[0]
    noted, weighed = noted_as(row, operands)
    kept = weighed
    if "self" in noted.saved:
        kept = (self.clone() if needs_original(row, operands) else self, *operands[1:])
    bound = bind(noted, kept, attributes)
    return record(noted, bound, self, mixed=mixed, edges_of=weighed, written=True)


def finish_write(row: Row, self: Any, node: Any) -> None:
    """Gives a tensor that was written its new version, and its history if there is one."""
    note_write(self, node)
    if node is not None and "result" in row.saved:
        node.saved_result = save_output(self, source_of(self))


def warn_of_casts(row: Row, out: Any, operands: tuple[Any, ...]) -> None:
    """Warns if a comparison of complex numbers is written into real numbers. In torch the result
    is complex before the write, since writes compute in the dtype of the inputs."""
    if row.family != "binary" or row.dtype != "bool" or not out._array.size:
        return
    given = any([is_tensor(each) and each.dtype.is_complex for each in operands])
    if given and out.dtype is not dtypes.bool and not out.dtype.is_complex:
        warn_of_real_parts()


def from_number(number: Any, xp: Any = on_numpy) -> Any:
    """A number as the 0-d tensor that torch makes from it."""
    return tensor(as_scalar(xp, number, wrapped_dtype(number)))


def needs_original(row: Row, operands: tuple[Any, ...]) -> bool:
    """Whether a formula that will run needs the value of `self` before the write."""
    wanted = row.wanted_by("self")
    return any(is_tensor(operands[i]) and edge_of(operands[i]) is not None for i in wanted)


def is_tensor(operand: Any) -> bool:
    return isinstance(operand, TensorBase)


def as_operand(operand: Any) -> Any:
    """The operand; a NumPy scalar becomes a number, as does a tensor that stands for one."""
    if is_tensor(operand):
        return operand if operand._number is None else operand._number
    return as_number(operand) if isinstance(operand, numpy.generic) else operand


def shape_of(row: Row, operands: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape to which the tensors among the operands are broadcast."""
    shapes = [each._array.shape for each in operands if is_tensor(each)]
    return layout.broadcast(*(reversed(shapes) if row.backwards else shapes))


def check_operands(
    row: Row, operands: tuple[Any, ...], attributes: dict[str, Any], name: str = ""
) -> None:
    """Raises torch's TypeError unless operands are tensors or, if allowed, numbers."""
    for i, (argument, each) in enumerate(zip(row.schema.tensors, operands, strict=True)):
        if each is None and argument.type == "Tensor?":
            continue
        if isinstance(each, TensorBase) or (
            row.family == "binary"
            and isinstance(each, _NUMBERS)
            and not row.tensors_only
            and (i or row.number_first)
        ):
            if type(each) is int:
                as_number(each)
            continue
        raise wrong_arguments(row, (operands, attributes), name)
    for key, value in attributes.items():
        if type(value) is int:
            if key in row.converts or key in row.numbers:
                as_number(value)
        elif type(value) is not float:
            attributes[key] = fitting(row, key, value, name)


def bind(row: Row, operands: tuple[Any, ...], attributes: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names of the schema."""
    bound = dict(zip(row.operands, operands, strict=True))
    for name, default in row.others:
        bound[name] = attributes.get(name, default)
    return bound


def dtypes_of(
    row: Row, operands: tuple[Any, ...], attributes: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """The operands' common dtype, the dtype of a row's computation, and the result's dtype."""
    numbers = () if row.dtype == "same" else promoting_numbers(row, attributes)
    if (len(operands) == 1 and not numbers) or row.dtype == "same":
        common = dtypes.of(operands[0]._array)
    else:
        if getattr(row.check, "before_promotion", False):
            row.check(row, None, operands, **attributes)  # type: ignore[misc]
        common = result_type(
            *[
                (dtypes.of(each._array), each._array.ndim) if is_tensor(each) else each
                for each in operands
                if each is not None
            ],
            *[each for each in numbers if each is not None],
        )
    compute = common
    if row.dtype == "float" and not (common.is_floating_point or common.is_complex):
        compute = dtypes.get_default_dtype()
    if row.dtype == "bool":
        return common, compute, dtypes.bool
    return common, compute, compute.to_real() if row.dtype == "real" else compute


def promoting_numbers(row: Row, attributes: dict[str, Any]) -> list[Any]:
    """The numbers of a call that take part in promotion: all but the factor of the subtrahend,
    which is an operand in `rsub.Scalar`."""
    names = [name for name in row.numbers if row.converts.get(name) != "negated_t"]
    return [attributes[name] for name in names if name in attributes]


def refusal_of(
    row: Row, common: Any, operands: tuple[Any, ...], attributes: dict[str, Any]
) -> Exception | None:
    """The error for these dtypes that torch raises after it checks shapes, or None. Raises the
    error if torch raises it before."""
    try:
        if row.check is not None:
            row.check(row, common, operands, **attributes)
    except NotImplementedError as error:
        if not str(error).startswith('"'):  # the name of a kernel
            raise
        return error
    try:
        if row.converts.get("alpha") in ("scalar_t", "negated_t"):
            check_alpha(attributes["alpha"], common)
    except RuntimeError as error:
        return error
    return None


def converted(row: Row, common: Any, attributes: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a call as the C++ types to which ATen converts them.

    RuntimeError with torch's text for a number that its type cannot hold.
    """
    numbers = attributes.copy()
    for name, kind in row.converts.items():
        value = numbers.get(name)
        if value is not None:
            numbers[name] = as_kind(value, common, kind)
    return numbers


def as_kind(value: Any, common: Any, kind: str) -> Any:
    """A number as the C++ type `kind` of a dtype, a word of a row's `converts`. A real type drops
    the imaginary part. RuntimeError with torch's text if the type cannot hold it."""
    if kind == "negated_t":
        return -as_kind(negated(value), common, "scalar_t")
    own = compute_dtype(common) if kind == "opmath_t" and common.itemsize == 2 else common
    if kind == "power_t" and common.itemsize > 2 and common.number_kind >= Kind.FLOATING:
        own = dtypes.complex128 if common.is_complex else dtypes.float64
    if kind == "limit_t" and common.number_kind is Kind.INTEGER:
        value = fitted(value, dtypes.int64)  # by way of int64: -0.5 is 0 in uint8
    number = fitted(value, own)
    return number if isinstance(value, complex) or own.number_kind is Kind.INTEGER else value


def negated(value: Any) -> Any:
    """-value as C++ computes it for a Scalar: integers are int64, and wrap around."""
    return (2**63 - value) % 2**64 - 2**63 if type(value) is int else -value


def check_alpha(alpha: Any, common: Any) -> None:
    """Raises torch's RuntimeError if the factor `alpha` does not fit the result's dtype."""
    if type(alpha) is bool and common is not dtypes.bool:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, complex)) and common.number_kind < Kind.FLOATING:
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    if isinstance(alpha, complex) and not common.is_complex:
        raise RuntimeError(
            "For non-complex input tensors, argument alpha must not be a complex number."
        )


def unsupported(kernel: str, *kinds: Kind, halves: bool = False) -> Callable[..., None]:
    """A row's `check` that refuses kinds of dtypes with the error of ATen's kernel dispatch.

    halves: whether it refuses float16 and bfloat16 as well, in which a row of `dtype="float"` may
        compute integers.
    """

    def check(row: Row | None, common: Any, operands: tuple[Any, ...], **attributes: Any) -> None:
        whole = common.number_kind < Kind.FLOATING and row is not None and row.dtype == "float"
        own = dtypes.get_default_dtype() if whole else common
        if halves and own.itemsize == 2 and own.is_floating_point:
            raise dtypes.unknown_to(kernel, own)
        rare = common in dtypes.LATE_UNSIGNED or common in dtypes.FLOAT8
        if common.number_kind in kinds or (rare and (row is None or row.refuses(common))):
            raise dtypes.unknown_to(kernel, common)

    return check


def refused(kind: Kind, message: str, error: type[Exception] = RuntimeError) -> Callable[..., None]:
    """A row's `check` that refuses one kind of dtype with a message."""

    def check(row: Row, common: Any, operands: tuple[Any, ...], **attributes: Any) -> None:
        if common.number_kind is kind:
            raise error(message)

    return check


def checks(*each: Callable[..., None]) -> Callable[..., None]:
    """Several checks, one after the other."""

    def check(row: Row, common: Any, operands: tuple[Any, ...], **attributes: Any) -> None:
        for one in each:
            one(row, common, operands, **attributes)

    return check


def is_mixed(operands: tuple[Any, ...], compute: Any) -> bool:
    """Whether the formulas must run on Tensors: if an operand has another dtype than the
    computation, or a layout that torch keeps for gradients and NumPy does not; if operands are on
    several devices; or if they have half precision, in which NumPy takes a formula's numbers."""
    arrays = [each._array for each in operands if is_tensor(each)]
    if compute.is_floating_point and compute.itemsize == 2:
        return True
    if any(
        dtypes.of(x) is not compute or not (x.flags.c_contiguous and layout.is_plain(x))
        for x in arrays
    ):
        return True
    kinds = {type(x) for x in arrays}
    return len(kinds) > 1 or (len(arrays) < len(operands) and numpy.ndarray not in kinds)


def rounded(number: Any, dtype: Any) -> float | complex:
    """A number as one of a floating or complex dtype."""
    if dtype is dtypes.complex32:
        number = complex(number)
        return complex(numpy.float16(number.real), numpy.float16(number.imag))
    return float(as_scalar(on_numpy, number, dtype))


def compute_array(
    row: Row, operands: tuple[Any, ...], attributes: dict[str, Any], compute: Any, out_dtype: Any
) -> Any:
    """The numbers of the result, with torch's strides."""
    tensors = [each._array for each in operands if is_tensor(each)]
    if row.backwards:
        tensors.reverse()
    xp = common_namespace(tensors, operands)
    shape = shape_of(row, operands)
    # 2-byte floats are computed in float32 and rounded once; comparisons take them as they are.
    inner = compute if compute.itemsize != 2 or row.dtype == "bool" else compute_dtype(compute)
    if compute not in row.knows and xp.device_type != "meta":
        raise dtypes.unknown_to(row.kernel_name, compute)
    if compute in dtypes.PACKED:
        inner = dtypes.complex64 if compute.is_complex else dtypes.float32
    arrays = _arrays_of(row, xp, operands, compute, inner)
    if isinstance(row.forward, ufunc) and "alpha" in attributes:
        alpha = attributes["alpha"]
        if alpha != 1 or (
            inner.is_complex and not missing.is_true(xp.isfinite(arrays[1]).all(), True)
        ):
            arrays = scaled(row.forward.of(xp), xp, arrays, alpha, compute, inner.numpy)
    strides = _result_strides(row, shape, len(operands), tensors, compute, arrays)
    numbered = row.family == "unary" and "Scalar" in row.schema.overload
    if numbered and inner is not compute and not row.unrounded:
        attributes = {name: rounded(value, compute) for name, value in attributes.items()}
    with Silence():
        x = call_kernel(row, xp, arrays, attributes, compute.numpy)
    if x.dtype != out_dtype.numpy:
        x = cast(x, out_dtype.numpy) if x.size else cast_empty(xp, x, out_dtype.numpy)
    if x.ndim and layout.strides_of(x) != strides:
        laid = xp.empty_strided(shape, strides, x.dtype)
        laid[...] = x
        x = laid
    return x


def _arrays_of(row: Row, xp: Any, operands: tuple[Any, ...], compute: Any, inner: Any) -> list[Any]:
    """The operands as arrays for the kernel; None for an operand that is None.

    compute: torch's dtype of the computation, to which each operand is rounded first.
    inner: the dtype that the kernel computes in: wider than `compute` for halves.
    """
    arrays: list[Any] = []
    keeps = row.keeps_exponent and not compute.is_complex
    if keeps and not dtypes.of(operands[0]._array).is_floating_point:
        keeps = dtypes.of(operands[1]._array).is_floating_point
    for i, each in enumerate(operands):
        if is_tensor(each):
            x = each._array
            if namespace(x) is not xp:
                x = xp.asarray(namespace(x).to_numpy(x))
            if keeps and i == 1 and x.dtype != bool:
                arrays.append(x)
                continue
        elif each is None:
            arrays.append(None)
            continue
        else:
            x = as_scalar(xp, each, compute if inner is compute else wrapped_dtype(each))
        unrounded = i == 1 and x.size == 1 and row.unrounded
        if x.dtype != compute.numpy and inner is not compute and x.size and not unrounded:
            x = cast(x, compute.numpy)
        if x.dtype != inner.numpy:
            x = cast(x, inner.numpy) if x.size else cast_empty(xp, x, inner.numpy)
        arrays.append(x)
    return arrays


def _result_strides(
    row: Row,
    shape: tuple[int, ...],
    count: int,
    tensors: list[Any],
    compute: Any,
    arrays: list[Any],
) -> tuple[int, ...]:
    """The strides of the result, in elements.

    shape: the shape of the result.
    count: the number of operands; `tensors` are the arrays that come from tensors.
    arrays: the operands as the kernel takes them.
    """
    inputs = [(x.shape, strides_as(x, compute)) for x in tensors]
    if row.preserves or (row.dtype == "real" and compute.is_complex):
        return layout.preserved_strides(*inputs[0])
    if row.contiguous:
        return layout.contiguous_strides(shape)
    if row.keeps_exponent and arrays[1].dtype.kind not in "iu":
        own = dtypes.of(tensors[0])
        # torch multiplies by pow.Scalar(2, exponents), whose result is a fresh block.
        if own is dtypes.float32 or own.number_kind < Kind.FLOATING:
            inputs[1] = inputs[1][0], layout.contiguous_strides(inputs[1][0])
    wraps = row.family == "unary" and row.schema.overload.startswith("Scalar")
    if wraps or len(tensors) < count:
        inputs.append(((), ()))  # a number has no strides, but a shape
    return layout.elementwise_strides(shape, inputs)


def strides_as(x: Any, dtype: Any) -> tuple[int, ...]:
    """The strides of an operand as the kernel reads it: those of a copy if it has another dtype or
    is a conjugate or negative."""
    strides = layout.strides_of(x)
    if (x.dtype == dtype.numpy and type(x) is not Lazy) or layout.is_dense(x.shape, strides):
        return strides
    return layout.elementwise_strides(x.shape, [(x.shape, strides)])


def cast_empty(xp: Any, x: Any, dtype: Any) -> Any:
    """The empty `x` as another dtype; its strides keep their gaps, since some results have gaps."""
    return xp.empty_strided(x.shape, layout.strides_of(x), dtype)


def compute_dtype(dtype: Any) -> Any:
    """The dtype in which 2-byte floats are computed."""
    return dtypes.float32 if dtype.is_floating_point else dtype


def common_namespace(tensors: list[Any], operands: tuple[Any, ...]) -> Any:
    """The namespace of the operands' device. RuntimeError if they are on two devices."""
    spaces = [on_numpy if type(x) is Lazy else namespace(x) for x in tensors]
    chosen = spaces[0]
    for space, x in zip(spaces, tensors, strict=True):
        if space is chosen:
            continue
        if chosen.device_type == space.device_type == "meta":  # of fake tensors
            if x.ndim and tensors[0].ndim:
                raise missing.MixedDevices(tensors[0], x)
            continue
        if x.ndim == 0 and space.device_type == "cpu":
            continue
        if chosen.device_type == "cpu" and tensors[0].ndim == 0:
            chosen = space
            continue
        if "meta" in (chosen.device_type, space.device_type):
            raise missing.wrong_device(space.device_type, chosen.device_type)
        names = sorted(
            {f"{s.device_type}" + (":0" if s.device_type == "cuda" else "") for s in spaces}
        )
        raise RuntimeError(missing.of_two_devices(*reversed(names)))
    return chosen
