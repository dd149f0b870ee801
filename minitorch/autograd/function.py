"""Function: operators written in Python by users, with a derivative of their own.

As https://docs.pytorch.org/docs/stable/notes/extending.html and torch/autograd/function.py.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from minitorch.autograd.function_node import Error, FunctionNode, State, finish, prepare
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import GradMode, recorder, recording, transforms
from minitorch.core.graph.forward import LEVELS, VisibleLevels
from minitorch.core.graph.hooks import RemovableHandle
from minitorch.core.graph.node import FREED, FREED_TEXT, seen_value
from minitorch.core.graph.saved_hooks import SavedTensor, raw
from minitorch.core.tensor.type_names import typename

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]

_next_id = itertools.count().__next__


class _FunctionBase:
    """The base of a ctx: the node as users see it."""

    __module__ = "torch._C"
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_call_state",
        "dirty_tensors",
        "needs_input_grad",
        "non_differentiable",
        "saved_for_forward",
        "to_save",
    )

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = super().__new__(cls)
        self._call_state = State()
        self.needs_input_grad = self.to_save = self.saved_for_forward = None
        self.dirty_tensors = self.non_differentiable = None
        return self

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and, if an argument requires grad, records the call."""
        apart = _is_setup_context_defined(cls.setup_context)
        if kwargs:  # torch sorts them by the parameters of forward
            args = _positional(cls, args, kwargs)
        ctx, node = prepare(cls._backward_cls, args)
        if LEVELS:
            with VisibleLevels(0):
                output = cls._computed(ctx, args, apart)
        else:
            output = cls._computed(ctx, args, apart)
        outputs = output if isinstance(output, tuple) else (output,)
        results = finish(ctx, node, args, outputs, apart)
        return tuple(results) if isinstance(output, tuple) else results[0]

    @classmethod
    def _computed(cls, ctx: Any, args: Any, apart: bool) -> Any:
        """The output of forward, unrecorded."""
        with GradMode(False):
            if not apart:
                return cls.forward(ctx, *args)
            output = cls.forward(*args)
            cls.setup_context(ctx, args, output)
            return output

    def _node_of_call(self) -> FunctionNode:
        """The node; made again if the graph that had it is gone."""
        node = None if self._call_state.node is None else self._call_state.node()
        return FunctionNode(self) if node is None else node

    def name(self) -> str:
        """The name of the node."""
        return type(self).__name__

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors of save_for_backward. RuntimeError if one was freed or written in place."""
        if self.saved_for_forward is not None:
            return self.saved_for_forward
        kept = self._kept_for_backward()
        node = self._node_of_call() if kept else None
        found = tuple([seen_value(saved, node) for saved in kept])
        self.maybe_clear_saved_tensors()
        return found

    def maybe_clear_saved_tensors(self) -> None:
        """Frees saved tensors if they may be read only once."""
        if getattr(self, "clear_saved_tensors_on_access", False):
            self._call_state.saved = None

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The saved_tensors under their old name; warns."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        def replace(i: int, new: Any) -> None:
            kept = self._kept_for_backward()
            self._call_state.saved = (*kept[:i], new, *kept[i + 1 :])

        return tuple(
            [
                raw(
                    self._node_of_call(),
                    lambda i=i: self._kept_for_backward()[i],
                    functools.partial(replace, i),
                )
                for i in range(len(self._kept_for_backward()))
            ]
        )

    def _kept_for_backward(self) -> Any:
        saved = self._call_state.saved
        if saved is None:
            raise RuntimeError(
                "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True "
                "is set on the autograd.Function. Either access saved_tensors only once, or set "
                "clear_saved_tensors_on_access=False."
            )
        if saved is FREED:
            raise RuntimeError(FREED_TEXT)
        return saved

    @property
    def materialize_grads(self) -> bool:
        raise AttributeError(
            "attribute 'materialize_grads' of 'torch._C._FunctionBase' objects is not readable"
        )

    @materialize_grads.setter
    def materialize_grads(self, value: bool) -> None:
        if type(value) is not bool:
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but "
                "expected (bool)"
            )
        self._call_state.materialize = value

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """(node, output number) for each Tensor argument."""
        return self._node_of_call().next_functions

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes."""
        return self._call_state.metadata

    @property
    def requires_grad(self) -> bool:
        return True

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        return getattr(self._node_of_call(), "_input_metadata", ())  # none before forward has ended

    def _sequence_nr(self) -> int:
        return self._node_of_call()._sequence_nr()

    def _set_sequence_nr(self, number: int) -> None:
        self._call_state.order = -number
        self._node_of_call().order = -number

    def _register_hook_dict(self, tensor: Any) -> None:
        self._node_of_call()._register_hook_dict(tensor)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(grad_inputs, grad_outputs) after the node ran."""
        return self._node_of_call().register_hook(hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(grad_outputs) before the node runs."""
        return self._node_of_call().register_prehook(hook)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


class FunctionCtx:
    """The ctx that forward and backward of a call share: saved tensors, marks, and attributes."""

    __module__ = "torch.autograd.function"

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps inputs or outputs (or None) for backward, as `saved_tensors`."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors (or None) for jvp."""
        for each in tensors:
            if not (isinstance(each, TensorBase) or each is None):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save "
                    "non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Marks the inputs that forward wrote in place. They must be returned."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Does nothing: shared memory is found without it."""
        warnings.warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically "
            "tracked. Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Any) -> None:
        """Marks the outputs that have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Sets whether backward receives zeros instead of None for outputs without gradient."""
        self.materialize_grads = value


_ContextMethodMixin = FunctionCtx


class _HookMixin:
    """An old way to register hooks."""

    __module__ = "torch.autograd.function"

    @staticmethod
    def _register_hook(backward_hooks: Any, hook: Callable[..., Any]) -> Any:
        hooks = OrderedDict() if backward_hooks is None else backward_hooks
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return hooks, handle


class BackwardCFunction(_FunctionBase, FunctionCtx, _HookMixin):
    """The class of every ctx."""

    __module__ = "torch.autograd.function"
    _forward_cls: Any

    def _get_user_fn(self) -> Callable[..., Any]:
        """backward, or vjp, which is another name for it; not both."""
        cls = self._forward_cls
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        return cls.vjp

    def apply(self, *args: Any) -> Any:
        """The result of the user's backward for gradients."""
        given = (list(args),) if self._forward_cls.boxed_grads_call else args
        return self._get_user_fn()(self, *given)

    def apply_boxed(self, *args: Any) -> Any:
        """The result of the user's backward if it takes the gradients in one list."""
        return self._get_user_fn()(self, *args)

    def apply_jvp(self, *args: Any) -> Any:
        """The result of the user's jvp for tangents."""
        return self._forward_cls.jvp(self, *args)

    @property
    def clear_saved_tensors_on_access(self) -> bool:
        return self._forward_cls.clear_saved_tensors_on_access

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"


class FunctionMeta(type):
    """Gives every Function the class of its ctx, named after it."""

    __module__ = "torch.autograd.function"

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        fields = {"__module__": "torch.autograd.function", "_forward_cls": cls}
        cls._backward_cls: Any = type(name + "Backward", (BackwardCFunction,), fields)
        cls._backward_cls._autograd_function_id = _next_id()
        super().__init__(name, bases, attrs)


# func/autograd_function.py, which every transform loads, sets this function: it calls a Function
# inside a level of a transform.
ON_LEVEL: list[Callable[..., Any]] = []


class _SingleLevelFunction(_FunctionBase, FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    """Function without the transforms of torch.func."""

    __module__ = "torch.autograd.function"

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The outputs of the operator. Subclasses define it."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Saves values for backward, if forward does not take ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments, from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    # Whether saved tensors are freed as soon as they were read.
    clear_saved_tensors_on_access = False
    # Whether backward takes the gradients in one list, from which it may take them out.
    boxed_grads_call = False

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs, from those of the arguments."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )


class Function(_SingleLevelFunction):
    """An operator in Python: subclasses define the static methods forward and backward.

    forward(ctx, *args) computes the result, unrecorded; or forward(*args) does and
    setup_context(ctx, inputs, output) saves what backward needs. backward(ctx, *grad_outputs)
    returns the gradient (or None) of each argument. Called as `MyFunction.apply(*args)`.

    As torch.autograd.Function.
    """

    __module__ = "torch.autograd.function"
    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The result of a call on batches: (output, out_dims)."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or "
            "set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and, if an argument requires grad, records the call."""
        running = recorder.get()
        if running is not None:
            return running.aside(cls.apply, *args, **kwargs)
        if _is_setup_context_defined(cls.setup_context):
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        levels = transforms.get()
        if levels:
            if not _is_setup_context_defined(cls.setup_context):
                raise RuntimeError(
                    "In order to use an autograd.Function with functorch transforms (vmap, grad, "
                    "jvp, jacrev, ...), it must override the setup_context staticmethod. For more "
                    "details, please see https://pytorch.org/docs/main/notes/extending.func.html"
                )
            return ON_LEVEL[0](levels[-1], cls, args, kwargs)
        return super().apply(*args, **kwargs)

    @staticmethod
    def _compiled_autograd_key(ctx: Any) -> tuple[int]:
        return (ctx._autograd_function_id,)


def _is_setup_context_defined(function: Any) -> bool:
    return function is not _SingleLevelFunction.setup_context


def _positional(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments of apply in the order of forward's. TypeError if one between is missing."""
    names = list(inspect.signature(cls.forward).parameters)
    names = names[not _is_setup_context_defined(cls.setup_context) :]
    given = list(args)
    for name in names[len(args) :]:
        if name not in kwargs:
            break
        given.append(kwargs.pop(name))
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            raise TypeError(f"forward() got multiple values for argument '{name}'")
        missing = names[len(given)]
        raise TypeError(f"forward() missing required argument: '{missing}' (position {len(given)})")
    return tuple(given)


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a backward that must not itself be differentiated: doing so raises."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with GradMode(False):
            outputs = fn(ctx, *args, **kwargs)
        if not recording() or not any(
            isinstance(each, TensorBase) and each.requires_grad for each in args
        ):
            return outputs
        made = outputs if isinstance(outputs, tuple) else (outputs,)
        text = "trying to differentiate twice a function that was marked with @once_differentiable"
        ends = [None if each is None else each.detach().requires_grad_() for each in made]
        return Error(text, ends).outcome()

    return wrapper


class InplaceFunction(Function):
    """A Function with a switch `inplace`: an old style."""

    __module__ = "torch.autograd.function"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def _flat(thing: Any, wanted: str = "Tensors") -> Iterator[Any]:
    """The tensors in nested lists, tuples and dictionaries."""
    if isinstance(thing, TensorBase) or (thing is None and wanted != "Tensors"):
        yield thing
    elif isinstance(thing, (list, tuple)):
        for each in thing:
            yield from _flat(each, wanted)
    elif isinstance(thing, dict):
        yield from _flat(list(thing.values()), wanted)
    elif thing is not None:
        raise ValueError(
            f"Auto nesting doesn't know how to process an input object of type {typename(thing)}. "
            f"Accepted types: {wanted}, or lists/tuples of them"
        )


def _unflatten(flat: Any, like: Any) -> Any:
    """Tensors in the nesting of `like`."""

    def nested(left: Any, like: Any) -> Any:
        if not isinstance(like, (list, tuple)):
            return left[0], left[1:]
        found: list[Any] = []
        for each in like:
            if each is None:
                found.append(None)
            else:
                one, left = nested(left, each)
                found.append(one)
        return type(like)(found), left

    return nested(flat, like)[0]


class NestedIOFunction(Function):
    """A Function whose arguments and results are nested: an old style.

    As torch.autograd.function.NestedIOFunction.
    """

    __module__ = "torch.autograd.function"
    _nested_input: Any
    _nested_output: Any
    _to_save_nested: Any

    def _do_forward(self, *input: Any) -> Any:
        self._nested_input = input
        flat = tuple(_flat(input))
        super()._do_forward(*flat)

    __call__ = _do_forward

    def _do_backward(self, gradients: Any, retain_variables: bool) -> Any:
        self.retain_variables = retain_variables
        result = super()._do_backward(gradients, retain_variables)  # type: ignore[misc]
        if not retain_variables:
            del self._nested_output, self._to_save_nested
        return result

    def backward(self, *gradients: Any) -> Any:
        result = self.backward_extended(*_unflatten(gradients, self._nested_output))
        return tuple(_flat(result, "Tensors or None"))

    def forward(self, *args: Any) -> Any:
        result = self.forward_extended(*self._nested_input)
        self._nested_output = result
        return tuple(_flat(result))

    def save_for_backward(self, *args: Any) -> None:
        self.to_save = tuple(_flat(args))
        self._to_save_nested = args

    @property
    def saved_tensors(self) -> Any:
        return _unflatten(super().saved_tensors, self._to_save_nested)

    def mark_dirty(self, *args: Any, **kwargs: Any) -> None:
        self.dirty_tensors = tuple(_flat((args, kwargs)))

    def mark_non_differentiable(self, *args: Any, **kwargs: Any) -> None:
        self.non_differentiable = tuple(_flat((args, kwargs)))

    def forward_extended(self, *input: Any) -> None:
        raise NotImplementedError

    def backward_extended(self, *grad_output: Any) -> None:
        raise NotImplementedError
