"""Parameters and buffers whose shape is not known yet: those of lazy modules."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodWrapperType
from typing import Any

from minitorch.core.base.fields import LEAF
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import watch
from minitorch.core.declare.protocols.torch_function import DisableTorchFunctionSubclass
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor

# The attributes that a tensor without a shape has.
_ALLOWED = frozenset(
    "size copy_ is_complex is_floating_point half float double char short int long cuda cpu to "
    "get_device".split()
)


class UninitializedTensorMixin:
    """A tensor that has a dtype and a device, but no shape until `materialize` gives it one.

    As long as one exists, all operators ask whether they were given it.

    Raises:
        ValueError: from operators that are given it.
        RuntimeError: if its shape is asked for.

    As torch.nn.parameter.UninitializedTensorMixin.
    """

    __slots__ = ()
    __module__ = "torch.nn.parameter"
    cls_to_become: type
    _asked_for = False

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Becomes an ordinary parameter or buffer of `shape`, its memory uninitialised.

        Args:
            shape: the sizes.
            device, dtype: None for those it has.
        """
        with DisableTorchFunctionSubclass():  # modes below autograd see that it is detached
            data = self.data
        device, dtype = device or data.device, dtype or data.dtype
        self._forget()
        self.data = OPS.empty(shape, device=device, dtype=dtype)
        self.__class__ = self.cls_to_become

    def _remember(self) -> Any:
        self._asked_for = True
        watch(+1)
        return self

    def _forget(self) -> None:
        if self.__dict__.pop("_asked_for", False):
            watch(-1)

    def __del__(self) -> None:
        self._forget()

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        )

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _made, (type(self).__name__, self.requires_grad)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.__name__ in _ALLOWED or type(func) is MethodWrapperType:  # or an attribute
            return super().__torch_function__(func, types, args, kwargs)
        what = _shown(func)
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {what}. This error happens when you "
            "are using a `LazyModule` or explicitly manipulating "
            f"`torch.nn.parameter.{cls.__name__}` objects. When using LazyModules Call `forward` "
            "with a dummy batch to initialize the parameters before calling torch functions"
        )


def _shown(func: Any) -> str:
    """How torch's function of that name is shown: most of them are written in C++.

    Calls of a function and of its method arrive alike, unless all functions ask their arguments.
    """
    name = func.__name__
    if name.startswith("__"):
        return f"<function Tensor.{name} at {id(func):#x}>"
    module = func.__module__.removeprefix("mini")
    if module == "torch._C._nn":
        return f"<built-in function {name}>"
    if module == "torch.nn.functional":
        return f"<function {name} at {id(func):#x}>"
    if name in vars(Tensor):
        return f"<method '{name}' of 'torch._C.TensorBase' objects>"
    return f"<built-in method {name} of type object at {id(Tensor):#x}>"


def _refusing(method: Any) -> Callable[..., Any]:
    """A method that is no operator, as an uninitialised tensor has it."""

    def refused(self: Any, *args: Any, **kwargs: Any) -> Any:
        return type(self).__torch_function__(method, (type(self),), (self, *args), kwargs)

    return refused


for _name in ("numel", "nelement", "dim", "stride", "is_contiguous", "tolist", "item", "numpy",
              "data_ptr", "detach", "requires_grad_", "__len__", "__deepcopy__"):  # fmt: skip
    setattr(UninitializedTensorMixin, _name, _refusing(getattr(Tensor, _name)))


class UninitializedParameter(UninitializedTensorMixin, Parameter, watched=False):
    """A Parameter whose shape is not known yet.

    Lazy modules have them until their first call.

    Args:
        requires_grad: whether gradients are computed for it.
        device, dtype: those that it has from the beginning.

    As torch.nn.parameter.UninitializedParameter.
    """

    __module__ = "torch.nn.parameter"
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        data = OPS.empty(0, device=device, dtype=dtype)
        return Parameter.__new__(cls, data, requires_grad)._remember()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor, watched=False):
    """A Buffer whose shape is not known yet.

    Lazy modules have them until their first call.

    Args:
        requires_grad: whether gradients are computed for it.
        device, dtype: those that it has from the beginning.
        persistent: whether state_dict holds it.

    As torch.nn.parameter.UninitializedBuffer.
    """

    __module__ = "torch.nn.parameter"
    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        self = OPS.empty(0, device=device, dtype=dtype)._of_class(cls)
        self._edge = LEAF if requires_grad else None
        self.persistent = persistent
        self._is_buffer = True
        return self._remember()


def _made(name: str, requires_grad: bool) -> Any:
    """One of both, for pickles."""
    return globals()[name](requires_grad)


def is_lazy(param: Any) -> bool:
    """Whether `param` is uninitialised.

    Args:
        param: any object.

    As torch.nn.parameter.is_lazy.
    """
    return isinstance(param, UninitializedTensorMixin)
