"""The globals of assembled code: the names that it calls, in one shared dictionary."""
# ruff: noqa: F401  (assembled code finds these names here)

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import numpy

from minitorch.core.arrays import NAMESPACES, layout, meta, namespace, on_numpy
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.arrays.missing import NUMBERLESS, NoNumbers
from minitorch.core.arrays.scalars import NUMBERS, NUMBERS_ON_DEVICE, scalar_like
from minitorch.core.base.fields import (
    LEAF,
    NOWHERE,
    STRIDED,
    TensorBase,
    laid_out,
    strided_view,
    tensor,
)
from minitorch.core.base.formulas import OPS, RAW, is_complex
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, in_formula, recording
from minitorch.core.declare.general.elementwise import (
    elementwise,
    elementwise_in_general,
    elementwise_of_self,
    operate,
    operate_in_place,
    write,
)
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.general.observe import (
    observed,
    observed_of_self,
    observed_operator,
    observed_operator_in_place,
    observed_store,
    observed_write,
)
from minitorch.core.declare.general.plans import LARGEST
from minitorch.core.declare.general.recording import (
    check_dtype,
    check_inputs,
    options_of,
    refuse_complex,
    refuse_integers,
)
from minitorch.core.declare.general.writing import into
from minitorch.core.declare.wording.errors import (
    call_of,
    constant_argument,
    missing_argument,
    wrong_arguments,
)
from minitorch.core.declare.wording.failures import failed, refuse, refuse_method
from minitorch.core.declare.wording.public import MISSING, UNSET, Misfit
from minitorch.core.declare.wording.signatures import described
from minitorch.core.graph.edge_slots import ONE_EDGE, TWO_EDGES
from minitorch.core.graph.fit import fit_gradients
from minitorch.core.graph.node import (
    FREED,
    Node,
    SeenNumber,
    Undifferentiable,
    check_kept,
    load_saved,
    load_saved_output,
    load_saved_output_tensor,
    load_saved_tensor,
    mixed_class,
    save_input,
    save_output,
)
from minitorch.core.graph.views import (
    MULTIPLE,
    NO_GRAD,
    check_writable,
    edge_of,
    geometry_of,
    input_edge,
    irregular,
    irregular_on_device,
    note_view_step,
    note_write,
    recorded_edge,
    unrecorded_origin,
    unrecorded_views_of,
    view_of,
)
from minitorch.core.numbers.device import layout as LAYOUT
from minitorch.core.numbers.device import memory_format as MEMORY_FORMAT
from minitorch.core.numbers.device import preserve_format as PRESERVE
from minitorch.core.numbers.dtype import dtype as DTYPE
from minitorch.core.numbers.dtype import meant
from minitorch.core.numbers.size import Size
from minitorch.core.tensor.generator import Generator
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor

FLOATING_POINT = (FloatingPointError, RuntimeWarning, NoNumbers)


class MultiNode(Node):
    """A node with several differentiable outputs; `outputs` says how many."""

    __slots__ = ()


def quietly(forward: Callable[..., Any], *args: Any) -> Any:
    """Calls `forward` again without errors, after NumPy was set to raise or warn about infinities
    and NaNs; or with ones, after it read the numbers of a meta tensor."""
    if NUMBERLESS and meta().is_hollow(args):
        return meta().of_ones(forward, args)
    with Silence():
        return forward(*args)


def on_scalars(function: Callable[..., Any], *args: Any) -> Any:
    """Calls an operator of formulas with 0-d arrays after NumPy made scalars of them.

    Called while a KeyError is handled; the error is raised again if there are no scalars.
    """
    if not any([isinstance(each, numpy.generic) for each in args]):
        raise
    return function(
        *[numpy.asarray(each) if isinstance(each, numpy.generic) else each for each in args]
    )


def ints_of(numbers: tuple[Any, ...]) -> tuple[int, ...]:
    """The ints of a list argument that was given as one sequence, or written out."""
    if len(numbers) == 1 and not hasattr(numbers[0], "__index__"):
        numbers = numbers[0]
        if type(numbers) is tuple:
            for each in numbers:
                if type(each) is not int:
                    break
            else:
                return numbers
        if not isinstance(numbers, (tuple, list)):
            raise TypeError(f"ints are wanted, not {type(numbers).__name__}")
    return tuple([x if type(x) is int else _int_of(x, numbers[0]) for x in numbers])


def _int_of(number: Any, first: Any) -> int:
    """An int of a list. TypeError if it is a tensor of a bool, or if the first element is a bool:
    torch checks no other."""
    if type(first) is bool or (isinstance(number, TensorBase) and number._array.dtype.kind == "b"):
        raise TypeError("ints are wanted, not bool")
    return index(number)


def arrays_of(tensors: Any) -> list[Any]:
    """The arrays of a list of tensors, None for None."""
    if type(tensors) is not list and not isinstance(tensors, (list, tuple)):
        raise AttributeError
    try:
        return [each._array for each in tensors]
    except AttributeError:
        pass
    for position, each in enumerate(tensors):
        if each is not None and not isinstance(each, TensorBase):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got {described(each)}"
            )
    return [None if each is None else each._array for each in tensors]


def recorded_edges(tensors: Any) -> tuple[Any, ...] | None:
    """The edges of a list of tensors; None if none requires grad or calls are not recorded."""
    if not recording():
        return None
    edges = tuple([recorded_edge(each) for each in tensors])
    return edges if any([edge is not None for edge in edges]) else None


def load_saved_list(saved: Any, node: Node) -> Any:
    """A saved list of tensors as arrays."""
    return [load_saved(each, node) for each in unfreed(saved, node)]


def load_saved_list_tensor(saved: Any, node: Node) -> Any:
    """A saved list of tensors."""
    return [load_saved_tensor(each, node) for each in unfreed(saved, node)]


def unfreed(saved: Any, node: Node) -> Any:
    """`saved`; RuntimeError if it was freed."""
    return load_saved(saved, node) if saved is FREED else saved


def load_saved_operand(saved: Any, node: Node) -> Any:
    """A saved operand as a formula's array; a number becomes a 0-d one of the result's dtype."""
    x = saved if type(saved) in NUMBERS else load_saved(saved, node)
    if type(x) in NUMBERS:
        try:
            return node.numbers[type(x)][node.dtype, x]
        except KeyError:
            pass
    return x if hasattr(x, "dtype") else scalar_like(x, node.dtype, on_numpy)


def load_saved_operand_tensor(saved: Any, node: Node) -> Any:
    """A saved operand as a Tensor. A number becomes a 0-d tensor, as torch shows it, which
    promotes like the number."""
    if isinstance(saved, (TensorBase, tuple)) or saved is FREED:
        return load_saved_tensor(saved, node)
    if type(saved) is SeenNumber:
        saved = saved.number(node)
    if type(saved) is complex and not node.shape:
        return tensor(scalar_like(saved, node.dtype, on_numpy))  # its conjugate is a tensor
    x = tensor(numpy.asarray(saved))
    x._number = saved
    return x


def fill_globals() -> None:
    """Puts this module's names into the globals of assembled code."""
    ASSEMBLED_GLOBALS.update(
        {name: value for name, value in globals().items() if not name.startswith("__")}
    )
    ASSEMBLED_GLOBALS.update(
        new=object.__new__,
        new_tuple=tuple.__new__,
        ndarray=numpy.ndarray,
        multiply=numpy.multiply,
        strides_of=layout.strides_of,
        with_default_strides=layout.with_default_strides,
        with_zero_strides=layout.with_zero_strides,
        is_plain=layout.is_plain,
        in_torch_layout=layout.in_torch_layout,
        STRIDES=layout.STRIDES,
        int64=numpy.dtype("int64"),
        LISTS=(tuple, list, Size),
        PLAIN_NUMBERS=frozenset((int, float, bool)),
        float32=numpy.dtype("float32"),
        truth=numpy.dtype("bool"),
        uint16=numpy.dtype("uint16"),
        uint32=numpy.dtype("uint32"),
        uint64=numpy.dtype("uint64"),
        float64=numpy.dtype("float64"),
    )
