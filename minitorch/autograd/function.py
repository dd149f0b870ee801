"""Function: operators written in Python by users, with a derivative of their own.

As https://docs.pytorch.org/docs/stable/notes/extending.html and
torch/csrc/autograd/python_function.cpp.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from minitorch.core.arrays import namespace
from minitorch.core.graph.modes import FormulaMode, GradMode, recording
from minitorch.core.graph.node import (
    FREED,
    FREED_TEXT,
    Node,
    keep_output,
    next_order,
    shown,
)
from minitorch.core.graph.node import keep as keep_input
from minitorch.core.graph.packing import HOOKS, SavedTensor, pack_input, pack_output, raw
from minitorch.core.graph.views import (
    CUSTOM,
    check_writable,
    edge_of,
    is_view,
    recorded_edge,
    view_of,
    written,
)
from minitorch.core.tensor.base import LEAF, NOWHERE, TensorBase, tensor, version_of


class FunctionCtx:
    """What `forward` and `backward` of one call share: saved tensors, marks, and any attributes."""

    __module__ = "torch.autograd.function"

    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True
    to_save: tuple[Any, ...] = ()
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    _saved: Any = ()
    _node: Any = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps inputs or outputs (or None) for backward, as `saved_tensors`."""
        for i, each in enumerate(tensors):
            if each is not None and not isinstance(each, TensorBase):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type "
                    f"{type(each).__name__}"
                )
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        raise NotImplementedError("torch.autograd.Function with save_for_forward")

    def mark_dirty(self, *args: Any) -> None:
        """Says which inputs forward wrote in place. They must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Says which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward receives zeros instead of None for outputs without gradient."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What save_for_backward kept. RuntimeError if it was freed or written in place since."""
        node = None if self._node is None else self._node()
        return tuple([shown(saved, node) for saved in self._kept()])

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        def replace(i: int, new: Any) -> None:
            self._saved = (*self._saved[:i], new, *self._saved[i + 1 :])

        return tuple(
            [
                raw(self._node(), lambda i=i: self._kept()[i], partial(replace, i))
                for i in range(len(self._kept()))
            ]
        )

    def _kept(self) -> Any:
        if self._saved is FREED:
            raise RuntimeError(FREED_TEXT)
        return self._saved

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        return self.saved_tensors

    def name(self) -> str:
        return type(self).__name__


class BackwardCFunction(Node):
    """The node of one call of a Function: runs its `backward`.

    ctx: what the user's methods receive; its attributes can also be read from the node.
    arguments: for each argument of apply, whether it was a Tensor.
    namespaces: the array namespace of each output, None for outputs that are no Tensors.
    """

    __module__ = "torch.autograd.function"
    __slots__ = ("arguments", "ctx", "namespaces")

    function: Any  # the Function's class
    ctx: Any
    arguments: tuple[bool, ...]
    namespaces: tuple[Any, ...]

    def sought(self, grads: tuple[Any, ...], wanted: list[bool]) -> tuple[Any, ...]:
        return grads  # whatever the user's backward gave

    def apply(self, grad: Any, keep: bool) -> tuple[Any, ...]:
        grads = grad if self.outputs > 1 else [grad]
        grads = self.run([None if g is None else tensor(g) for g in grads], keep)
        return tuple([None if g is None else g._array for g in grads])

    def apply_graph(self, grad: Any, keep: bool) -> tuple[Any, ...]:
        return self.run(list(grad) if self.outputs > 1 else [grad], keep)

    def run(self, grads: list[Any], keep: bool) -> tuple[Any, ...]:
        """The gradients of the Tensor arguments, from the user's backward."""
        ctx = self.ctx
        if ctx.materialize_grads:
            grads = [self._zeros(i) if g is None else g for i, g in enumerate(grads)]
        with FormulaMode(False):
            returned = self.function._differentiate()(ctx, *grads)
        if not keep:
            ctx._saved = FREED
        return self._checked(returned if isinstance(returned, tuple) else (returned,))

    def _zeros(self, i: int) -> Any:
        xp = self.namespaces[i]
        if xp is None:
            return None
        shape, dtype = (
            (self.shape, self.dtype) if self.outputs == 1 else (self.shape[i], self.dtype[i])
        )
        return tensor(xp.zeros(shape, dtype))

    def _checked(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        expected = len(self.arguments)
        if len(grads) > expected and all(grad is None for grad in grads[expected:]):
            grads = grads[:expected]
        if len(grads) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected "
                f"{expected}, got {len(grads)})"
            )
        result = []
        for i, (grad, is_tensor) in enumerate(zip(grads, self.arguments)):
            if not is_tensor:
                if grad is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at "
                        f"position {i + 1}, but the corresponding forward input was not a Variable"
                    )
            elif grad is not None and not isinstance(grad, TensorBase):
                raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
            else:
                result.append(grad)
        return tuple(result)

    def __getattr__(self, attribute: str) -> Any:
        if attribute != "ctx" and not attribute.startswith("__") and hasattr(self.ctx, attribute):
            return getattr(self.ctx, attribute)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute}'")

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        return self.ctx.saved_tensors  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"


class FunctionMeta(type):
    """Gives every Function the classes of its node and of its ctx, named after it."""

    __module__ = "torch.autograd.function"

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        super().__init__(name, bases, attrs)
        fields = {"__module__": "torch.autograd.function", "function": cls}
        cls._node_class = type(name + "Backward", (BackwardCFunction,), fields | {"__slots__": ()})
        cls._backward_cls = type(name + "Backward", (FunctionCtx,), fields | {"_forward_cls": cls})


class Function(FunctionCtx, metaclass=FunctionMeta):
    """An operator in Python: subclasses define the static methods forward and backward.

    forward(ctx, *args) computes the result, unrecorded; or forward(*args) does and
    setup_context(ctx, inputs, output) saves what backward needs. backward(ctx, *grad_outputs)
    returns the gradient (or None) of each argument. Called as `MyFunction.apply(*args)`.
    """

    __module__ = "torch.autograd.function"
    generate_vmap_rule = False
    _node_class: Any
    _backward_cls: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """What the operator computes."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Saves what backward needs, where forward does not take ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments, from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @classmethod
    def _differentiate(cls) -> Callable[..., Any]:
        """backward, or vjp, which is another name for it; not both."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and, if an argument requires grad, records the call."""
        ctx = cls._backward_cls()
        if kwargs:  # torch takes them for the arguments that they name, in the order of forward
            args, kwargs = _positional(cls, args, kwargs), {}
        arguments = tuple([isinstance(each, TensorBase) for each in args])
        inputs = [each for each in args if isinstance(each, TensorBase)]
        edges = tuple([recorded_edge(each) for each in inputs])
        ctx.needs_input_grad = tuple(
            [isinstance(each, TensorBase) and edge_of(each) is not None for each in args]
        )
        with GradMode(False):
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        outputs = output if isinstance(output, tuple) else (output,)
        node = None
        if recording() and any(ctx.needs_input_grad):
            node = _node_of(cls, ctx, outputs, arguments, edges)
        check_dirty(ctx, outputs, node is not None)
        outputs = tuple([_connected(each, i, ctx, node, inputs) for i, each in enumerate(outputs)])
        if node is not None:
            places = {id(each): i for i, each in enumerate(outputs)}
            ctx._saved = tuple([_saved(each, places, node) for each in ctx.to_save])
            ctx._node = weakref.ref(node)
        ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = ()
        return outputs if isinstance(output, tuple) else outputs[0]


def _positional(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments of apply in the order of forward's. TypeError where one between is missing."""
    names = list(inspect.signature(cls.forward).parameters)
    names = names[cls.setup_context is Function.setup_context :]
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


def _node_of(cls: Any, ctx: Any, outputs: Any, arguments: Any, edges: Any) -> Any:
    node = cls._node_class()
    node.ctx = ctx
    node.arguments = arguments
    node.edges = edges
    node.order = next_order()
    arrays = [each._array if isinstance(each, TensorBase) else None for each in outputs]
    node.namespaces = tuple([None if x is None else namespace(x) for x in arrays])
    shapes = tuple([() if x is None else x.shape for x in arrays])
    dtypes = tuple([None if x is None else x.dtype for x in arrays])
    node.outputs = len(outputs)
    node.shape, node.dtype = (shapes[0], dtypes[0]) if len(outputs) == 1 else (shapes, dtypes)
    return node


def _among(self: Any, tensors: Any) -> bool:
    return any(self is each for each in tensors)


def check_dirty(ctx: Any, outputs: Any, recorded: bool) -> None:
    """RuntimeError for inputs marked as written that are not returned, or that are leaves."""
    for each in ctx.dirty_tensors:
        if not isinstance(each, TensorBase):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        if not _among(each, outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the Function."
            )
        if recorded and each._edge is LEAF:
            version_of(each)[0] += 1
            raise RuntimeError(
                "a leaf Variable that requires grad has been used in an in-place operation."
            )
        try:
            check_writable(each, recorded)
        except RuntimeError:
            version_of(each)[0] += 1
            raise


def _connected(self: Any, number: int, ctx: Any, node: Any, inputs: Any) -> Any:
    """An output as apply returns it: with its history, a view if it is an input as it was."""
    if not isinstance(self, TensorBase):
        return self
    given = _among(self, inputs)
    differentiable = (
        node is not None
        and self._array.dtype.kind in "fcV"
        and not _among(self, ctx.non_differentiable)
    )
    edge = None if not differentiable else node if node.outputs == 1 else (node, number)
    dirty = _among(self, ctx.dirty_tensors)
    if node is None and (given or dirty) and self.requires_grad:
        if dirty:
            version_of(self)[0] += 1
        return self.detach()
    if dirty:
        if not differentiable:
            version_of(self)[0] += 1
        elif is_view(self) and (node.outputs > 1 or self is not inputs[0]):
            raise NotImplementedError(
                "torch.autograd.Function that writes a view which is not its only output and "
                "first argument"
            )
        else:
            written(self, node)
            if not is_view(self):
                self._edge = edge
        return self
    if given:
        with GradMode(True):
            return view_of(self, self._array, edge, CUSTOM)
    if differentiable or self._edge is NOWHERE:
        self._edge = edge if node is not None else self._edge
        if is_view(self) and differentiable:
            self._view = (self._view[0], self._cell[0], CUSTOM)
    return self


def _saved(self: Any, places: dict[int, int], node: Any) -> Any:
    """What ctx keeps of a tensor; of an output its array alone, which makes no cycle."""
    output = self is not None and id(self) in places and edge_of(self) is not None
    saved = keep_output(self, places[id(self)]) if output else keep_input(self)
    hooks = HOOKS.get()
    if not hooks:
        return saved
    return pack_output(saved, node, self, hooks[-1]) if output else pack_input(saved, hooks[-1])


class DelayedError(Node):
    """The history of a gradient that must not be differentiated again."""

    __module__ = "torch.autograd.function"
    __slots__ = ()

    def apply(self, grad: Any, keep: bool) -> tuple[Any, ...]:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )

    apply_graph = apply


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a backward that must not itself be differentiated: doing so raises."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with GradMode(False):
            outputs = fn(ctx, *args)
        given = [each for each in args if isinstance(each, TensorBase)]
        if not recording() or all(edge_of(each) is None for each in given):
            return outputs
        made = outputs if isinstance(outputs, tuple) else (outputs,)
        made = tuple([_forbidden(each, given) for each in made])
        return made if isinstance(outputs, tuple) else made[0]

    return wrapper


def _forbidden(self: Any, given: list[Any]) -> Any:
    if not isinstance(self, TensorBase):
        return self
    node = DelayedError()
    node.edges = tuple([recorded_edge(each) for each in given])
    node.order = next_order()
    node.shape, node.dtype = self._array.shape, self._array.dtype
    return tensor(self._array, node)
