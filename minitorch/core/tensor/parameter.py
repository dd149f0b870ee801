"""Parameter: a Tensor that a Module counts as its own."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.fields import CLASSES, LEAF, TensorBase, tensor
from minitorch.core.base.modes import recorder
from minitorch.core.tensor.conversion import empty_tensor
from minitorch.core.tensor.tensor import Tensor


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    """Makes isinstance(t, Parameter) also true for subclass tensors marked as parameters."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            cls is Parameter
            and isinstance(instance, Tensor)
            and getattr(instance, "_is_param", False)
        )


# Classes of parameters of sparse layouts, by (class of parameter, class of tensor).
_OF_LAYOUTS: dict[tuple[type, type], type] = {}


def _of_layout(cls: Any, kind: type) -> Any:
    """The class of parameters that are tensors of a class for another kind of array."""
    if issubclass(cls, kind):
        return cls
    found = _OF_LAYOUTS.get((cls, kind))
    if found is None:
        found = type(cls)(cls.__name__, (cls, kind), {}, watched=False)
        found.__module__, found.__qualname__ = cls.__module__, cls.__qualname__
        _OF_LAYOUTS[cls, kind] = found
    return found


class Parameter(Tensor, metaclass=_ParameterMeta, watched=False):
    """A Tensor that a Module registers when it is assigned as an attribute.

    Args:
        data: the Tensor whose memory it shares; None for an empty one.
        requires_grad: whether gradients are computed for it.

    Raises:
        RuntimeError: if it requires grad and its dtype is neither floating nor complex.

    As torch.nn.Parameter.
    """

    __module__ = "torch.nn.parameter"
    _is_param = True

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = empty_tensor()
        if type(requires_grad) is not bool:
            raise TypeError(
                "_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                f"{type(requires_grad).__name__}"
            )
        kind = type(data)
        if getattr(kind, "_watched", True):  # keeps its class; other objects have no detach
            if recorder.get() is not None:  # the data may be a result that waits for its numbers
                return recorder.get().aside(cls, data, requires_grad)
            marked = data.detach().requires_grad_(requires_grad)
            if type(marked) is not kind:
                raise RuntimeError(
                    f"Creating a Parameter from an instance of type {kind.__name__} requires that "
                    "detach() returns an instance of the same type, but return type "
                    f"{type(marked).__name__} was found instead. To use the type as a Parameter, "
                    "please correct the detach() semantics defined by its __torch_dispatch__() "
                    "implementation."
                )
            marked._is_param = True
            return marked
        if CLASSES and type(data._array) in CLASSES:
            cls = _of_layout(cls, type(tensor(data._array)))
        self = TensorBase.__new__(cls)
        self._array = data._array
        self._grad = None
        self._cell = data._cell
        self._view = None if data._view is None else (None, 0, None)
        self._edge = None
        if requires_grad:
            data._check_can_require_grad()
            self._edge = LEAF
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        from minitorch.core.tensor.pickling import PUBLIC  # start-up: 1 ms

        if PUBLIC:
            return PUBLIC[0](self)
        extra = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
        return rebuild_parameter, (self.data, self.requires_grad, extra)


def rebuild_parameter(data: Any, requires_grad: bool, extra: dict[str, Any]) -> Any:
    """The Parameter over the memory of `data`, with the attributes that a user set."""
    result = Parameter(data, requires_grad)
    result.__dict__.update(extra)
    return result
