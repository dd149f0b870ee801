"""Attributes of a tensor that few programs ask for, and Python functions of its elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy

from minitorch.aten.shape.views import expand_forward
from minitorch.core.arrays import cuda, lies_pinned, namespace
from minitorch.core.arrays.lazy import raw_of
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import GradMode, recording
from minitorch.core.declare.calls import IN_PYTHON, NO_ARGUMENT, SELF, Calls
from minitorch.core.declare.expose import refusing
from minitorch.core.declare.families import composite
from minitorch.core.declare.out import Out, exactly
from minitorch.core.declare.registry import DUNDERS
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.declare.wording.signatures import type_name
from minitorch.core.graph.node import NotImplementedNode
from minitorch.core.graph.views import check_writable, requires_grad
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.scalars import fitted
from minitorch.core.tensor.conversion import native_type_name
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.warning import warn, warn_once

METHOD = ("method",)


@composite("const_data_ptr", on=METHOD)
def const_data_ptr(self: Any) -> int:
    """The address of the first element, for reading alone."""
    return self.data_ptr()


def _warn_of_device(name: str) -> None:
    warn_once(
        f"The argument 'device' of Tensor.{name}() is deprecated. "
        "Please do not pass this argument.",
        category=DeprecationWarning,
    )


@composite("is_pinned", on=METHOD)
def is_pinned(self: Any, device: Any = None) -> bool:
    """Whether the memory is locked for copies to a device."""
    if device is not None:
        devices.device(device)
        _warn_of_device("is_pinned")
    return lies_pinned(self._array)


def _unpinnable(self: Any) -> RuntimeError:
    kind = native_type_name(self)
    return RuntimeError(f"cannot pin '{kind}' only dense CPU tensors can be pinned")


@composite("pin_memory", on=METHOD)
def pin_memory(self: Any, device: Any = None) -> Any:
    """`self` if its memory is locked for copies to a device, else a copy that lies in such memory.

    RuntimeError with torch's texts without CUDA, and of a tensor that is not on the CPU.
    """
    if device is not None:
        _warn_of_device("pin_memory")
        _warn_of_device("is_pinned")
    if self.is_meta:
        raise _unpinnable(self)
    if device is not None and devices.device(device).type == "cpu":
        raise RuntimeError("CPU device type not an accelerator.")
    try:
        xp = cuda()
    except AssertionError:
        text = "Cannot access accelerator device when none is available."
        raise RuntimeError(text) from None
    if namespace(self._array).device_type != "cpu":
        raise _unpinnable(self)
    if is_pinned(self):
        return self
    if recording() and requires_grad(self):
        raise NotImplementedError("torch.Tensor.pin_memory of a tensor that requires grad")
    return tensor(xp.pinned(raw_of(self._array)))


@composite("dim_order", on=METHOD, calls=IN_PYTHON)
def dim_order(self: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the one whose steps are longest to the one whose steps are shortest.

    ambiguity_check: True refuses an order that is not the only one; a list of memory formats
    refuses it unless just one of them fits.
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    known = all(isinstance(each, devices.memory_format) for each in formats)
    if not isinstance(ambiguity_check, (bool, list)) or not known:
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape, strides = self.shape, self.stride()
    doubtful = 1 in shape or any(a == b for a, b in itertools.pairwise(strides))
    if ambiguity_check is not False and doubtful:
        fitting = [each for each in formats if self.is_contiguous(memory_format=each)]
        if len(fitting) != 1:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the "
                "given memory formats."
            )
    plain = self.is_contiguous()
    if plain != self.is_contiguous(memory_format=devices.channels_last):
        return tuple(range(len(shape))) if plain else (0, *range(2, len(shape)), 1)
    order = list(reversed(range(len(shape))))
    for i in range(1, len(order)):  # sorted from the inside out, where ties change nothing
        at = i
        for before in reversed(range(i)):
            sign = _longer(shape, strides, order[before], order[at])
            if sign < 0:
                break
            if sign > 0:
                order[before], order[at] = order[at], order[before]
                at = before
    if ambiguity_check and any(
        _longer(shape, strides, a, b) != -1 for a, b in itertools.pairwise(order)
    ):
        raise RuntimeError("The tensor does not have unique dim order.")
    return tuple(reversed(order))


def _longer(shape: Any, strides: Any, a: int, b: int) -> int:
    """1 or -1 if the steps of dimension `a` are longer or shorter than those of `b`; 0 if neither.

    As compute_elementwise_output_logical_to_physical_perm of torch/_prims_common.
    """
    if strides[a] == 0 or strides[b] == 0:
        return 0
    if strides[a] == strides[b]:
        return int(shape[b] < shape[a] and shape[a] != 0)
    return 1 if strides[a] > strides[b] else -1


@composite("module_load", on=METHOD, calls=IN_PYTHON)
def module_load(self: Any, other: Any, assign: bool = False) -> Any:
    """The tensor that load_state_dict puts in the place of this one to load `other`."""
    if assign:
        return other.detach()
    return self.copy_(other).detach()


@composite(
    "nonzero_static",
    on=("method", "function"),
    out=Out(
        exactly(
            "nonzero_static: Expected out tensor to have scalar type {result.scalar_name} but got "
            "scalar type{out.scalar_name}"
        )
    ),
    vmap=VMap("warned"),
)
def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """The indices of the first `size` elements that are not 0, filled up with `fill_value`."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    if is_numberless(input._array):
        return OPS.new_empty(input, (input.dim(), size), dtype=dtypes.int64).t()
    if not size:  # of any dtype
        return OPS.new_empty(input, (0, input.dim()), dtype=dtypes.int64)
    found = OPS.nonzero(input)._array[:size]
    fill_value = fitted(fill_value, dtypes.int64)
    out = namespace(found).full((size, found.shape[1]), fill_value, found.dtype)
    out[: len(found)] = found
    return tensor(out)


@composite("to_dense", on=METHOD)
def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    """Itself, as every tensor here is dense."""
    return self if dtype is None else self.to(dtype)


@composite("to_sparse", on=METHOD)
def to_sparse(
    self: Any,
    sparse_dim: int | None = None,
    *,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: Any = None,
) -> Any:
    """The places and values that are not 0, as a sparse tensor; whole rows beyond sparse_dim."""
    from minitorch.aten.sparse.gradients import from_dense  # start-up: 9 ms

    return from_dense(self, sparse_dim, layout, blocksize, dense_dim)


@composite("to_sparse_coo", on=METHOD, calls=Calls(asks=NO_ARGUMENT))
def to_sparse_coo(self: Any) -> Any:
    """The places and values that are not 0, as a sparse tensor."""
    return self.to_sparse()


def _to_compressed(name: str, form: str) -> None:
    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        import minitorch.aten.sparse.gradients  # noqa: F401  # whose operators its results have
        from minitorch.aten.sparse.compressed_conversion import CONVERSIONS  # start-up: 5 ms

        return CONVERSIONS[name](self, *args, **kwargs)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"A tensor of layout torch.{name.removeprefix('to_')}: {form}."
    composite(name, on=METHOD)(convert)


_to_compressed("to_sparse_csr", "the elements that are not 0, row by row")
_to_compressed("to_sparse_csc", "the elements that are not 0, column by column")
_to_compressed("to_sparse_bsr", "blocks that are not 0, row by row")
_to_compressed("to_sparse_bsc", "blocks that are not 0, column by column")


@composite("sparse_mask", on=METHOD)
def sparse_mask(self: Any, mask: Any) -> Any:
    """The elements where the sparse tensor `mask` has some."""
    from minitorch.aten.sparse.creation import masked  # start-up: 4 ms

    return masked(self, mask)


@composite("dequantize", on=METHOD)
def dequantize(self: Any) -> Any:
    """Its numbers as float32; autograd knows nothing of it, and says so in the tensor itself where
    that is float32 already."""
    recorded = recording() and requires_grad(self)
    with GradMode(False):
        found = self.to(dtypes.float32)
    if recorded:
        found._edge = NotImplementedNode("aten::dequantize", [self], found)
    return found


@composite("dequantize", on=("function",))
def dequantized(*args: Any, input: Any = None, tensors: Any = None) -> Any:
    """The numbers of a tensor as float32. As torch, which has no kernel for lists of these."""
    if len(args) + (input is not None) + (tensors is not None) > 1:
        raise TypeError  # worded by the signatures
    given = args[0] if args else tensors if input is None else input
    if not isinstance(given, (TensorBase, tuple, list)):
        raise TypeError
    if isinstance(given, TensorBase):
        return dequantize(given)
    raise no_kernel("dequantize.tensors")


@composite("sparse_dim", on=METHOD)
def sparse_dim(self: Any) -> int:
    """How many of its dimensions are sparse: none."""
    return 0


@composite("dense_dim", on=METHOD)
def dense_dim(self: Any) -> int:
    """How many of its dimensions are dense: all."""
    return self.dim()


def _of_sparse(name: str, layout: str) -> None:
    """A method that only sparse tensors have."""

    def refuse(self: Any) -> NoReturn:
        raise RuntimeError(f"{name} expected {layout} layout but got Strided")

    refuse.__name__ = name
    refuse.__doc__ = "Refuses: it is of sparse tensors alone."
    composite(name, on=METHOD)(refuse)


for _name in ("coalesce", "indices", "is_coalesced"):
    _of_sparse(_name, "sparse coordinate tensor")
_of_sparse("values", "sparse tensor")
for _name in ("_nnz", "_indices", "_values"):
    _of_sparse(_name, "sparse coordinate tensor")
for _name in ("crow_indices", "col_indices"):
    _of_sparse(_name, "sparse row compressed tensor")
for _name in ("ccol_indices", "row_indices"):
    _of_sparse(_name, "sparse column compressed tensor")


def _of_sparse_alone(name: str, on: tuple[str, ...] = METHOD) -> None:
    """A method that torch has no kernel of for dense tensors."""

    def refuse(input: Any, *args: Any, **kwargs: Any) -> NoReturn:
        if name == "resize_as_sparse_":  # the only one that autograd supports
            check_writable(input, input.requires_grad)
        raise no_kernel(name)

    refuse.__name__ = name
    refuse.__doc__ = "Refuses: it is of sparse tensors alone."
    composite(name, on=on)(refuse)


for _name in (
    "sparse_resize_",
    "sparse_resize_and_clear_",
    "_coalesced_",
    "_dimI",
):
    _of_sparse_alone(_name)
_of_sparse_alone("resize_as_sparse_", on=("method", "function"))


@composite("__nonzero__", on=METHOD)
def __nonzero__(self: Any) -> bool:
    """Whether its one element is not 0."""
    return bool(self)


@composite("is_nonzero", on=METHOD)
def is_nonzero(self: Any) -> bool:
    """Whether its one element is not 0."""
    return bool(self)


@composite("is_distributed", on=METHOD)
def is_distributed(self: Any) -> bool:
    """Whether it lies on several machines: never."""
    return False


DUNDERS.update(__div__="div", __idiv__="div_")


@composite("__div__", on=METHOD)
def __div__(self: Any, other: Any) -> Any:
    """self / other."""
    return self / other


@composite("__idiv__", on=METHOD)
def __idiv__(self: Any, other: Any) -> Any:
    """self /= other."""
    self /= other
    return self


@composite("__long__", on=METHOD)
def __long__(self: Any) -> int:
    """Its one element as an int."""
    return int(self)


def _constant(value: Any, text: str) -> property:
    return property(lambda self: value, doc=text)


for _kind in ("ipu", "maia", "mps", "mtia", "vulkan", "xla", "xpu"):
    setattr(Tensor, f"is_{_kind}", _constant(False, f"Whether it is on such a device: {_kind}."))
Tensor.is_sparse_csr = _constant(False, "Whether it is sparse, by rows.")
Tensor.name = _constant(None, "A name of its own: none.")
Tensor._has_symbolic_sizes_strides = _constant(False, "Whether a size is a symbol: never.")
Tensor._python_dispatch = _constant(False, "Whether its class sees operators by a key: never.")


def _volatile(self: Any) -> bool:
    """False: the word is from the time before torch.no_grad."""
    warn("volatile was removed (Variable.volatile is always False)")
    return False


def _set_volatile(self: Any, value: Any) -> None:
    warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")


Tensor.volatile = property(_volatile, _set_volatile, lambda self: _set_volatile(self, None))

# ---- Python functions of elements: apply_, map_, map2_


_OTHERS = "argument 'x'", "argument 'y'"  # of map2_


def _write(name: str, function: Callable[..., Any], self: Any, *others: Any) -> Any:
    """Calls `function` on the numbers at each place and writes its results into `self`."""
    for i, other in enumerate(others):
        if not isinstance(other, TensorBase):
            raise TypeError(
                f"{name}(): argument '{'other' if len(others) == 1 else 'xy'[i]}' (position "
                f"{i + 1}) must be Tensor, not {type_name(other)}"
            )
    if any(each.requires_grad for each in (self, *others)):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )
    if self.device.type not in ("cpu", "meta"):
        raise TypeError(f"{name} is only implemented on CPU tensors")
    wanted = native_type_name(self)
    for argument, other in zip(("'other'",) if len(others) == 1 else _OTHERS, others, strict=False):
        if (given := native_type_name(other)) != wanted:
            raise TypeError(f"{name}: expected {wanted} for {argument} (got {given})")
    if self.is_meta:  # which has no elements to call it with
        return self
    x = self._array
    arrays = (x, *[expand_forward(namespace(x), other._array, x.shape) for other in others])
    for place in numpy.ndindex(x.shape):  # one after the other: they may read what was written
        value = function(*[each[place].item() for each in arrays])
        if not isinstance(value, (bool, int, float, complex)):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        x[place] = value
    return self


@composite("apply_", on=("method",), calls=Calls(asks=SELF))
def apply_(self: Any, callable: Callable[[Any], Any]) -> Any:
    """Replaces every element by a Python function's result for it. As Tensor.apply_."""
    return _write("apply_", callable, self)


@composite("map_", on=("method",))
def map_(self: Any, other: Any, callable: Callable[[Any, Any], Any]) -> Any:
    """Replaces every element by a function of it and of that of `other`. As Tensor.map_."""
    return _write("map_", callable, self, other)


@composite("map2_", on=("method",))
def map2_(self: Any, x: Any, y: Any, callable: Callable[[Any, Any, Any], Any]) -> Any:
    """Replaces every element by a function of it and of those of two others."""
    return _write("map2_", callable, self, x, y)


# They are written by hand, and refuse calls in the words of torch's parser.
for _name in ("detach_", "is_same_size", "is_signed", "retain_grad", "type"):
    setattr(Tensor, _name, refusing(f"Tensor.{_name}", getattr(Tensor, _name)))
