"""Tensor: its attributes and methods in Python, except for the operators, which rows add."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from numbers import Number
from typing import Any, NoReturn

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, layout, namespace, offset_of
from minitorch.core.arrays.floating_point import readable
from minitorch.core.arrays.from_data import check_numpy
from minitorch.core.arrays.missing import NO_DATA, NoNumbers, is_numberless, no_item
from minitorch.core.base import fields
from minitorch.core.base.above import from_above
from minitorch.core.base.fields import (
    LEAF,
    STRIDED,
    UNTRACKED,
    Disowned,
    TensorBase,
    Unguarded,
    Untracked,
    laid_out,
    tensor,
    untrack,
    version_of,
)
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import (
    ACTIVE_CONTEXTS,
    ASSEMBLED_GLOBALS,
    TAKEN_UP,
    inference_mode,
    transforms,
)
from minitorch.core.graph.backward import backward
from minitorch.core.graph.hooks import append_hook, hooks_of
from minitorch.core.graph.node import next_order, node_behind
from minitorch.core.graph.views import edge_of, is_view, recorded_edge, requires_grad, reshape
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import FROM_NUMPY
from minitorch.core.numbers.size import size_of
from minitorch.core.tensor import conversion, dlpack


class TensorMeta(type):
    """The type of Tensor. Calling the class is the public constructor; the library bypasses it."""


_NO_TENSOR = (
    "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
    "Make sure your class inherits from Tensor."
)


@fields.register
class Tensor(TensorBase, metaclass=TensorMeta):
    """A multi-dimensional array of one dtype, on the CPU or a CUDA device, with autograd.

    `Tensor(2, 3)` is uninitialised, `Tensor([1, 2])` holds data, both of the default dtype; use
    `torch.tensor` and the factory functions instead. As https://docs.pytorch.org/docs/stable/tensors.html.
    """

    __module__ = "torch"
    __slots__ = ()
    __array_priority__ = 1000
    _is_param = False  # True in Parameter
    __torch_dispatch__: Any  # aten/rare_attributes.py gives it
    __torch_function__: Any  # core/declare/protocols/torch_function.py gives it, and
    _subclassed: Any
    _make_wrapper_subclass: Any
    _watched = False  # True in a program's subclasses
    _dispatches = False  # True in those that see operators by their __torch_dispatch__

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = conversion.legacy_constructor(None, None, *args, **kwargs)
        return made if cls is Tensor else made._of_class(cls)

    def __init_subclass__(cls, watched: bool = True, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._watched = watched
        if watched:  # its __torch_function__ may differ from Tensor's
            cls._subclassed()

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def shape(self) -> Any:
        """The size of each dimension."""
        return size_of(self._array.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return size_of(self._array.shape)
        if type(dim) is int:
            try:
                return self._array.shape[dim]  # 0.1 us less than wrapping it
            except IndexError:
                pass
        else:
            ASSEMBLED_GLOBALS["refuse_method"]("size", (self, dim), (), (), {})
        return conversion.entry_of(self._array.shape, dim)

    def stride(self, dim: int | None = None) -> Any:
        """The number of elements to step for each dimension, or for one."""
        strides = layout.strides_of(self._array)
        if dim is None:
            return strides
        if type(dim) is not int:
            ASSEMBLED_GLOBALS["refuse_method"]("stride", (self, dim), (), (), {})
        return conversion.entry_of(strides, dim)

    def storage_offset(self) -> int:
        """The place of the first element in its storage, in elements."""
        x = self._array
        return offset_of(x) // x.itemsize

    @property
    def dtype(self) -> Any:
        """The number type of the elements."""
        try:
            return FROM_NUMPY[self._array.dtype]
        except KeyError:
            return dtypes.of(self._array)

    @property
    def device(self) -> Any:
        """The place of the elements: cpu or cuda:0."""
        xp = namespace(self._array)
        return devices.located(xp.device_type, xp.device_index)

    @property
    def layout(self) -> Any:
        return devices.strided

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def ndimension(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def numel(self) -> int:
        """The number of elements."""
        return int(self._array.size)

    def nelement(self) -> int:
        """The number of elements."""
        return int(self._array.size)

    def element_size(self) -> int:
        """The bytes of one element."""
        return self._array.itemsize

    @property
    def itemsize(self) -> int:
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        return int(self._array.size * self._array.itemsize)

    def data_ptr(self) -> int:
        """The address of the first element; 0 if there is none."""
        conversion.check_storage(self)
        x = self._array
        return int(namespace(x).pointer(x)) if x.size and not is_numberless(x) else 0

    def untyped_storage(self) -> Any:
        """The bytes behind this tensor and its views."""
        from minitorch.core.tensor.storage import UntypedStorage  # start-up: 5 ms

        conversion.refuse_storage(self)
        return UntypedStorage(self._array)

    def is_contiguous(self, *rest: Any, memory_format: Any = devices.contiguous_format) -> bool:
        """Whether the elements lie in row-major (or the given) order without gaps."""
        if rest:
            ASSEMBLED_GLOBALS["refuse_method"]("is_contiguous", (self,), rest, (memory_format,), {})
        x = self._array
        if memory_format in (devices.contiguous_format, devices.preserve_format):
            return bool(x.flags.c_contiguous)
        if memory_format in (devices.channels_last, devices.channels_last_3d):
            rank = 4 if memory_format is devices.channels_last else 5
            return x.ndim == rank and layout.is_channels_last_contiguous(
                x.shape, layout.strides_of(x)
            )
        ASSEMBLED_GLOBALS["refuse_method"]("is_contiguous", (self,), (), (memory_format,), {})
        raise RuntimeError("unsupported memory format option")

    # Python's errors for wrong calls use torch's name.
    for each in (size, stride, is_contiguous):
        each.__qualname__ = each.__name__
    del each

    def is_floating_point(self) -> bool:
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        kind = self._array.dtype.kind
        return bool(kind == "c" or (kind == "V" and self.dtype.is_complex))

    def is_signed(self) -> bool:
        return self.dtype.is_signed

    @property
    def is_cuda(self) -> bool:
        return bool(namespace(self._array).device_type == "cuda")

    @property
    def is_meta(self) -> bool:
        return bool(namespace(self._array).device_type == "meta")

    is_cpu = property(lambda self: bool(namespace(self._array).device_type == "cpu"))
    is_sparse = is_quantized = is_mkldnn = is_nested = property(lambda self: False)

    def get_device(self) -> int:
        return -1 if not self.is_cuda else int(self.device.index or 0)

    def is_same_size(self, other: Tensor) -> bool:
        return bool(self._array.shape == other._array.shape)

    is_same_size.__qualname__ = "is_same_size"

    # ---- autograd -------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to or through this tensor."""
        edge = self._edge
        return (edge is not None and edge is not fields.NOWHERE) or requires_grad(self)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        if type(on) is not bool:
            raise RuntimeError("requires_grad must be a bool")
        if not fields.is_leaf(self):
            hint = (
                " If you want to use a computed variable in a subgraph that doesn't require "
                "differentiation use var_no_grad = var.detach()."
            )
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables." + ("" if on else hint)
            )
        if on:
            self._check_can_require_grad("only")
        self._edge = LEAF if on else None

    def requires_grad_(self, requires_grad: bool = True, *rest: Any) -> Tensor:
        """Switches gradients for this leaf on or off, in place."""
        if rest or type(requires_grad) is not bool:
            ASSEMBLED_GLOBALS["refuse_method"](
                "requires_grad_", (self, requires_grad), rest, (), {}
            )
        if ACTIVE_CONTEXTS and transforms.get():
            raise conversion.transformed(
                "requires_grad_()", " (or perhaps using torch.autograd.functional.* APIs)"
            )
        if requires_grad and self._edge is None and self._array.dtype.kind not in "fcV":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if fields.is_leaf(self) or not requires_grad:
            self.requires_grad = requires_grad
        return self

    requires_grad_.__qualname__ = "requires_grad_"

    def _check_can_require_grad(self, how: str = "Only") -> None:
        """Raises RuntimeError unless the dtype is floating or complex and the tensor is tracked."""
        dtype = dtypes.of(self._array)  # not self.dtype: modes would see that
        if not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError(
                f"{how} Tensors of floating point and complex dtype can require gradients"
            )
        tracked = not isinstance(self._cell, Untracked) or isinstance(self._cell, Disowned)
        if not tracked and not inference_mode.get():
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed."
            )

    @property
    def is_leaf(self) -> bool:
        """Whether no operator that is part of the graph made this tensor."""
        edge = self._edge if self._view is None else edge_of(self)
        return edge is None or isinstance(edge, (fields.Sentinel, fields.TensorBase))

    @property
    def grad_fn(self) -> Any:
        """The node of the operator that made this tensor; None for a leaf."""
        edge = self._edge if self._view is None else edge_of(self)
        if edge is None or isinstance(edge, (fields.Sentinel, fields.TensorBase)):
            return None
        return (edge[0] if type(edge) is tuple else edge).public_node

    @property
    def output_nr(self) -> int:
        """Which output of its grad_fn this tensor is."""
        return self._edge[1] if type(self._edge) is tuple else 0

    @property
    def grad(self) -> Any:
        """The accumulated gradient; None before the first."""
        if self._grad is None and not fields.is_leaf(self) and not self.retains_grad:
            conversion.warn_grad_of_non_leaf()
        return self._grad

    @grad.setter
    def grad(self, grad: Any) -> None:
        conversion.check_assigned_grad(self, grad)
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def _version(self) -> int:
        if isinstance(self._cell, Unguarded):
            return int(self._cell.version)
        if isinstance(self._cell, Untracked):
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._cell is None else self._cell[0]

    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode."""
        return isinstance(self._cell, Untracked) and not isinstance(self._cell, Disowned)

    @property
    def _base(self) -> Any:
        return self._view[0] if is_view(self) else None

    def _is_view(self) -> bool:
        return is_view(self)

    @property
    def retains_grad(self) -> bool:
        """Whether retain_grad() was called on this non-leaf."""
        return self._retains

    def retain_grad(self) -> None:
        """Keeps the gradient of this non-leaf in .grad during backward."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._level is not None:
            raise conversion.transformed("retain_grad()")
        if not (self._retains or fields.is_leaf(self)):
            hooks_of(node_behind(self.grad_fn)).retain(self.output_nr, weakref.ref(self))
            self.__dict__["_retains"] = True

    def register_hook(self, hook: Callable[[Any], Any]) -> Any:
        """Calls hook(grad) whenever a gradient of this tensor is computed. Returns a handle."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is None:
            if self._hooks is None:
                self._hooks = OrderedDict()
            return append_hook(self._hooks, hook)
        hooks = hooks_of(node_behind(node)).tensors.setdefault(self.output_nr, OrderedDict())
        return append_hook(hooks, hook)

    @property
    def _backward_hooks(self) -> Any:
        """The hooks that register_hook keeps; None before the first."""
        node = self.grad_fn
        if node is None:
            return self._hooks
        around = node_behind(node).hooks
        return None if around is None else around.tensors.get(self.output_nr)

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: Any) -> None:
        node = self.grad_fn
        if node is None:
            self._hooks = hooks
        else:
            hooks_of(node_behind(node)).tensors[self.output_nr] = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def _post_accumulate_grad_hooks(self) -> Any:
        """The hooks that register_post_accumulate_grad_hook keeps; None before the first."""
        return self._post_hooks

    @_post_accumulate_grad_hooks.setter
    def _post_accumulate_grad_hooks(self, hooks: Any) -> None:
        self._post_hooks = hooks

    @_post_accumulate_grad_hooks.deleter
    def _post_accumulate_grad_hooks(self) -> None:
        raise RuntimeError("Deletion of _post_accumulate_grad_hooks not allowed!")

    def register_post_accumulate_grad_hook(self, hook: Callable[[Any], Any]) -> Any:
        """Calls hook(self) after a gradient was added to this leaf's .grad. Returns a handle."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        if self._post_hooks is None:
            self._post_hooks = OrderedDict()
        return append_hook(self._post_hooks, hook)

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Adds the gradients of this tensor to the .grad of the leaves it depends on.

        As https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html.
        """
        backward((self,), gradient, retain_graph, create_graph, inputs=inputs)

    @property
    def data(self) -> Any:
        """A tensor over this memory without history; autograd does not see writes to it."""
        if self._level is not None:
            return self._level.detached(self, as_data=True)
        if TAKEN_UP:  # modes below autograd see torch's calls
            Tensor.detach(self)
        result = laid_out(self._array)
        result._cell = None
        if self.is_inference():
            untrack(result, UNTRACKED if inference_mode.get() else Unguarded([0]))
        return result

    @data.setter
    def data(self, other: Any) -> None:
        conversion.check_assigned_data(self, other)
        reshape(self, other._array)
        self._array = other._array
        if self.is_inference() and not other.is_inference():
            self._cell = Disowned([0])
        if not is_view(self):
            plain = other._view is None and not isinstance(self._cell, Untracked)
            self._view = None if plain else STRIDED

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def detach(self) -> Any:
        """A tensor over this memory without history; autograd notices writes to it."""
        if self._level is not None:
            return self._level.detached(self)
        result = laid_out(self._array)
        result._cell = version_of(self)
        if self.is_inference():
            untrack(result, UNTRACKED if inference_mode.get() else Unguarded([0]))
        return result

    def detach_(self) -> Any:
        """Cuts this tensor off its history, in place."""
        if inference_mode.get() or self.is_inference():
            return self
        if is_view(self):
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set "
                "as True, gradients are "
                "views of DDP buckets, and hence detach_() cannot be called on these gradients. "
                "To fix this error, please refer to the Optimizer.zero_grad() function in "
                "torch/optim/optimizer.py as the solution."
            )
        if not fields.is_leaf(self):
            version_of(self)
            self.__dict__["_detached"] = next_order()
        self._edge = None
        self.__dict__.pop("_tangents", None)
        self.__dict__.pop("_pushed", None)
        return self

    # ---- numbers and containers -----------------------------------------------------------------

    def item(self) -> Any:
        """The only element as a Python number."""
        x = self._array
        if x.size != 1:
            if isinstance(x, numpy.ndarray) and type(x) is not numpy.ndarray:
                x.item()  # an example of a batch raises: it has no numbers
            raise RuntimeError(f"a Tensor with {x.size} elements cannot be converted to Scalar")
        if DEVICE_ARRAYS and type(x) in DEVICE_ARRAYS:
            x = namespace(x).to_numpy(x)
        try:
            return x.item() if x.dtype.kind != "V" else readable(x).item()
        except NoNumbers:
            raise no_item() from None

    def tolist(self) -> Any:
        """The elements as Python numbers in nested lists."""
        conversion.check_storage(self)
        if self.is_meta:
            raise NotImplementedError(NO_DATA)
        x = namespace(self._array).to_numpy(self._array)
        return x.tolist() if x.dtype.kind != "V" else readable(x).tolist()

    def numpy(self, *rest: Any, force: bool = False) -> Any:
        """The elements as a NumPy array that shares this tensor's memory."""
        if rest or type(force) is not bool:
            ASSEMBLED_GLOBALS["refuse_method"]("numpy", (self,), rest, (force,), {})
        return conversion.to_numpy(self, force)

    numpy.__qualname__ = "numpy"

    # These two are as in torch: NumPy warns users of either that they are out of date.
    def __array__(self, dtype: Any = None) -> Any:
        x = conversion.to_numpy(self, False)
        return x if dtype is None else x.astype(dtype, copy=False)

    def __array_wrap__(self, array: Any) -> Any:
        if array.dtype == bool:
            array = array.astype("uint8")
        return tensor(check_numpy(array))

    def __dlpack__(
        self, *, stream: Any = -1, max_version: Any = None, dl_device: Any = None, copy: Any = None
    ) -> Any:
        return dlpack.exported(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> Any:
        return dlpack.device_of(self)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return int(self._array.shape[0])

    def __iter__(self) -> Iterator[Any]:
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))  # type: ignore[attr-defined]

    def __bool__(self) -> bool:
        x = self._array
        if x.size != 1:
            if x.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        try:
            return bool(x.reshape(()))
        except NoNumbers:
            raise no_item() from None

    def __float__(self) -> float:
        conversion.check_detached(self)
        return float(conversion.real_element(self, "double"))

    def __int__(self) -> int:
        return int(conversion.real_element(self, "int64_t"))

    def __complex__(self) -> complex:
        conversion.check_detached(self)
        conversion.check_one_element(self)
        return complex(self.item())

    def __index__(self) -> int:
        x = self._array
        if x.size != 1 or x.dtype.kind not in "biu":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        try:
            return int(x.reshape(()))
        except NoNumbers:
            raise no_item() from None

    def __contains__(self, element: Any, /) -> bool:
        if isinstance(element, (Tensor, Number)):
            equal: Any = element == self
            return bool(equal.any().item())
        raise RuntimeError(
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(element)}."
        )

    __hash__ = object.__hash__  # by identity, at the speed of C: the engine keys dicts by leaves

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from minitorch.core.tensor.printing import tensor_repr  # start-up: 1 ms

        return tensor_repr(self, tensor_contents=tensor_contents)

    def __format__(self, format_spec: str) -> str:
        from minitorch.core.tensor.printing import tensor_format  # start-up: 1 ms

        return tensor_format(self, format_spec)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self)} - {"_array", "_edge"})

    def type(
        self, dtype: Any = None, non_blocking: bool = False, *, memory_format: Any = None
    ) -> Any:
        """The legacy type's name ('torch.FloatTensor'), or this tensor cast to a type."""
        if dtype is None:
            return conversion.type_name(self)
        return OPS.to(self, conversion.dtype_of_type(dtype), memory_format=memory_format)

    def as_subclass(self, cls: Any) -> Any:
        """A view of all of this tensor as an instance of the Tensor subclass `cls`."""
        return OPS.alias(self)._of_class(cls)

    def _of_class(self, cls: Any) -> Any:
        """This tensor's memory and history in an object of another class."""
        try:
            result = TensorBase.__new__(cls)
        except TypeError:
            if isinstance(cls, type):
                raise TypeError(_NO_TENSOR) from None
            raise TypeError(f"cls must be a type (got {type(cls).__name__})") from None
        result._array = self._array
        result._edge = recorded_edge(self) if self._edge is not LEAF else LEAF
        result._grad = None
        result._cell = self._cell
        result._view = self._view
        if self._tangents is not None:
            result._tangents = self._tangents
        if self._level is not None:
            result._level = self._level
            result.__dict__.update(self.__dict__)  # what the level keeps with its tensors
        if cls._dispatches:
            from_above("utils.wrapper_subclasses:ask")(cls)
        return result

    @staticmethod
    def _make_subclass(cls: Any, data: Any, require_grad: bool = False, **options: Any) -> Any:
        """An instance of the Tensor subclass `cls` with the memory of `data`, and no history.

        TypeError if `cls` is not a class of tensors; NotImplementedError for options that dispatch
        by class.
        """
        given = (
            (data, "data", 2, TensorBase, "Tensor"),
            (require_grad, "require_grad", 3, bool, "bool"),
        )
        for value, name, place, kind, wanted in given:
            if not isinstance(value, kind):
                raise TypeError(
                    f"_make_subclass(): argument '{name}' (position {place}) must be {wanted}, not "
                    f"{type(value).__name__}"
                )
        if any(options.values()):
            raise NotImplementedError(f"torch.Tensor._make_subclass with {', '.join(options)}")
        result = data.detach()._of_class(cls)
        return result.requires_grad_() if require_grad else result

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return conversion.deepcopy(self, memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        from minitorch.core.tensor.pickling import reduce_tensor  # start-up: 0.1 ms

        return reduce_tensor(self)

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __reversed__(self) -> Any:
        return self if self._array.ndim == 0 else OPS.flip(self, (0,))


def _refuse_to_write(name: str) -> Callable[..., NoReturn]:
    """A setter and deleter that raises torch's error for an attribute without a setter."""

    def write(self: Any, *value: Any) -> NoReturn:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    write.refuses = True  # type: ignore[attr-defined]
    return write


def refuse_to_write() -> None:
    """Gives torch's error to the attributes of tensors that have no setter."""
    for name, value in list(vars(Tensor).items()):
        if type(value) is property and value.fset is None:
            refuse = _refuse_to_write(name)
            setattr(Tensor, name, property(value.fget, refuse, refuse, value.__doc__))
