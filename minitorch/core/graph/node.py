"""Nodes: the backward half of an operator call, and what they keep of its forward half."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from functools import cache, partial
from typing import Any, ClassVar, NamedTuple

import numpy

from minitorch.core.arrays.layout import STRIDES, NoStrides, contiguous_strides
from minitorch.core.arrays.scalars import NUMBERS
from minitorch.core.base.fields import LEAF, NOWHERE, TensorBase, laid_out, tensor, version_of
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, OF_NODES, TAKEN_UP, FormulaMode, GradMode
from minitorch.core.graph.fit import summed_all
from minitorch.core.graph.hooks import add_hook, hooks_of
from minitorch.core.graph.wording import modified
from minitorch.core.numbers.dtype import FROM_NUMPY

FIRST = 1 - (1 << 64)  # the order of nodes that torch's engine runs before all others


def next_order() -> int:
    """The order of a node that is made now; anomaly mode puts another function in its place."""
    return ASSEMBLED_GLOBALS["next_order"]()


class _Freed(tuple[Any, ...]):
    """The type of FREED, the value of a saved slot once its node has run without retain_graph.

    FREED has the form of a saved output whose version is wrong: the assembled code, which checks
    versions anyway, needs no second check.
    """

    __slots__ = ()


FREED = _Freed((None, (0,), -1, 0))

FREED_TEXT = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


# The names that a node shows, besides what it keeps.
_SHOWN = (
    *dir(object),
    "_input_metadata",
    "_register_hook_dict",
    "_sequence_nr",
    "_set_sequence_nr",
    "metadata",
    "name",
    "next_functions",
    "register_hook",
    "register_prehook",
    "requires_grad",
)
_NATIVE = frozenset(("CopyBackwards",))  # nodes that are written by hand in torch


def _raw_slot(node: Node, name: str) -> Any:
    return OF_NODES.raw_slot(node, name)


class Node:
    """One operator call, as its gradient sees it.

    edges: where the gradient of each differentiable input goes (see core/base/fields.py).
    order: the smaller, the younger; the engine runs the youngest ready node first.
    shape, dtype: of its output, in NumPy's terms; tuples of them if it has several outputs.

    Subclasses are written by the assembler, one per row: they add a slot per saved value, and
    `apply(grad, retain)` on arrays and `apply_graph(grad, retain)` on Tensors give the gradients of
    the inputs, one per edge, and free what was saved unless `retain`. `grad` is a list of gradients
    (or None) for a node with several outputs.
    """

    __slots__ = ("__dict__", "__weakref__", "dtype", "edges", "order", "shape")

    edges: tuple[Any, ...]
    order: int
    shape: Any
    dtype: Any
    # Rare, and therefore in the instance's dict only if it is set:
    hooks: Any = None  # a NodeHooks
    tangents: Any = None  # {output number: its tangents}, of saved outputs
    saved: tuple[str, ...] = ()  # names of saved values, for `_saved_<name>`
    unsigned: tuple[str, ...] = ()  # of these, the ints, which torch shows as 64 unsigned bits
    tensors: tuple[str, ...] = ()  # of these, the tensors and lists of them
    kept_for: ClassVar[dict[str, list[int]]] = {}  # of these, the inputs, with their edges
    outputs = 1
    complex_only = False  # whether a complex gradient of a real input raises
    elementwise = False  # whether its gradients have the strides of the incoming one
    numbers = NUMBERS  # the 0-d arrays for Python numbers beside its arrays
    skips_unwanted = True  # whether it computes only wanted gradients
    all_or_none = False  # whether it computes all its gradients if one is wanted
    # By number, for edges whose gradient torch refuses: the function that raises the error.
    refusals: ClassVar[list[tuple[int, Callable[..., Any]]]] = []
    # Whether its gradients are known to have the shapes and dtypes of its inputs, so that the
    # engine need not check them (0.14 us an edge).
    fits = False

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        """The gradients of the inputs, one per edge, from those of the outputs: on arrays."""
        raise NotImplementedError

    def apply_graph(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        """The gradients of the inputs as Tensors; their graph is recorded if grad mode is on."""
        raise NotImplementedError

    def apply_nothing(self, retain: bool, create_graph: bool) -> tuple[Any, ...]:
        """No gradients, if the node received none. An input without a derivative raises."""
        check_kept(self)
        for number, refuse in self.refusals:
            if self.edges[number] is not None:
                refuse(None, None)
        return self.freed(retain)

    def pass_over(self, retain: bool) -> tuple[Any, ...]:
        """No gradients, if no input wants one. The saved tensors are checked all the same."""
        check_kept(self)
        return self.freed(retain)

    def freed(self, retain: bool) -> tuple[Any, ...]:
        """No gradients; the saved values are freed all the same."""
        if not retain:
            self.release()
        return (None,) * len(self.edges)

    def release(self) -> None:
        """Frees the saved values."""
        for slot in ["saved_" + name for name in self.tensors]:
            if getattr(self, slot) is not None:
                setattr(self, slot, FREED)

    def only_wanted(self, grads: tuple[Any, ...], wanted: list[bool]) -> tuple[Any, ...]:
        """`grads`, with None for gradients that torch does not compute for these `wanted`."""
        if self.all_or_none:
            return grads if any(wanted) else (None,) * len(grads)
        return tuple([grad if each else None for grad, each in zip(grads, wanted)])

    def name(self) -> str:
        """The name as torch prints it: AddBackward0, but torch::autograd::CopyBackwards."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in _NATIVE else name

    @property
    def public_node(self) -> Any:
        """The object that users see as this node: the ctx, if it is the node of a Function."""
        return self

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """(node, output number) for each edge; (None, 0) for an edge without gradient."""
        OF_NODES.relink()
        pairs = tuple([function_of(edge) for edge in self.edges])
        # An AccumulateGrad lives as long as a graph that leads to it, as in torch.
        self.__dict__["_shown"] = pairs
        return pairs

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes, and for the notes of anomaly mode."""
        return self.__dict__.setdefault("_metadata", getattr(self.order, "notes", {}))

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return -self.order

    def _set_sequence_nr(self, number: int) -> None:
        self.order = -number

    @property
    def several(self) -> bool:
        """Whether its gradients come as a list: if it has several outputs, or a list of one."""
        return self.outputs > 1 or type(self.dtype) is tuple

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        """The shape and dtype of each gradient that the node takes, one for each of its outputs."""
        forms = zip(self.shape, self.dtype) if self.several else [(self.shape, self.dtype)]
        return tuple([InputMetadata(shape, dtype, self) for shape, dtype in forms])

    def _register_hook_dict(self, tensor: Any) -> None:
        """Lets the hooks of `tensor`, an output, see its gradients."""
        if not isinstance(tensor, TensorBase):
            raise TypeError("_register_hook_dict expected a variable")
        hooks_of(self).tensors[tensor.output_nr] = tensor._backward_hooks  # type: ignore[attr-defined]

    def __call__(self, *grads: Any) -> Any:
        """The gradients of its inputs from those of its outputs, hooks aside."""
        if len(grads) != self.outputs:
            raise TypeError(f"expected {self.outputs} arguments, got {len(grads)} instead")
        for i, grad in enumerate(grads):
            if grad is not None and not isinstance(grad, TensorBase):
                raise TypeError(f"argument {i} is not a Variable")
        results = self.apply_graph(list(grads) if self.several else grads[0], True)
        return results[0] if len(results) == 1 else results

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def register_hook(self, hook: Callable[..., Any]) -> Any:
        """Calls hook(grad_inputs, grad_outputs) after this node ran. Returns a removable handle."""
        return add_hook(hooks_of(self), "post", hook)

    def register_prehook(self, hook: Callable[..., Any]) -> Any:
        """Calls hook(grad_outputs) before this node runs. Returns a removable handle."""
        return add_hook(hooks_of(self), "pre", hook)

    def __init_subclass__(cls) -> None:
        """Adds the attributes that show saved values. A __getattr__ for them would make the
        interpreter look up every attribute of every node the long way: 0.1 to 0.2 us a node."""
        for name in vars(cls).get("saved", ()):
            setattr(cls, f"_saved_{name}", property(partial(cls.shown_value, name=name)))
        for name in vars(cls).get("tensors", ()):
            setattr(cls, f"_raw_saved_{name}", property(partial(_raw_slot, name=name)))

    def shown_value(self, name: str) -> Any:
        """The value of `_saved_<name>` as users see it: a Tensor, a number, a shape, or None."""
        value = getattr(self, "saved_" + name)
        if name in self.kept_for:
            places = self.kept_for[name]
            nowhere = [self.edges[i] in (None, NOWHERE) for i in places]
            if value is FREED and all(nowhere) and len(places) < len(self.edges):
                return None  # it was never saved
            value = self.seen_number(name)
        if name.endswith("_sym_strides"):
            sizes = getattr(self, f"saved_{name.removesuffix('strides')}sizes", ())
            empty = value and 0 in sizes and not any(value[0])  # as NumPy leaves fresh ones
            value = contiguous_strides(sizes) if empty else seen_strides(value)
        else:
            value = seen_value(value, self)
        return unsigned(value) if name in self.unsigned else value

    def seen_number(self, name: str) -> Any:
        """The value of a saved slot. A number that stands for a tensor becomes one when it is first
        read, so that two reads share memory; the tensor is freed once the node has run."""
        value = getattr(self, "saved_" + name)
        if isinstance(value, (int, float, complex)):
            value = SeenNumber(tensor(numpy.asarray(value)))
            setattr(self, "saved_" + name, value)
        return value

    def __dir__(self) -> list[str]:
        raw = ["_raw_saved_" + name for name in self.tensors]
        return sorted({*_SHOWN, *raw, *["_saved_" + name for name in self.saved]})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


class InputMetadata:
    """Shape, dtype and device of one output of a node."""

    __module__ = "torch._C._autograd"
    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: Any, dtype: Any, node: Any) -> None:
        self.shape, self.dtype, self._node = list(shape), FROM_NUMPY[dtype], node

    @property
    def device(self) -> Any:
        """The device of the leaves to which the node leads."""
        node = self._node
        while not isinstance(node, TensorBase):
            leads = [each for each in node.edges if each is not None and each is not NOWHERE]
            edge = leads[0] if leads else getattr(node, "variable", tensor(numpy.zeros(())))
            node = edge[0] if type(edge) is tuple else edge
        return node.device  # type: ignore[attr-defined]


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds the gradient to `variable.grad`.

    Edges hold the leaf itself; this object is made on demand, and is the same one while anything
    references it. Its hooks live as long as any graph leads here: torch's nodes hold it.
    """

    __module__ = "builtins"
    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        self.variable = variable
        self.edges = ()
        self.order = FIRST
        self.shape = variable._array.shape
        self.dtype = variable._array.dtype

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def __del__(self) -> None:
        left = self.hooks is not None and self.hooks.are_left()
        fits = not left and self.shape == self.variable._array.shape
        if fits or sys.is_finalizing():
            return
        nodes = nodes_with_edge_to(self.variable)
        if nodes:  # they hold another one, with the same hooks and shape
            heir = AccumulateGrad(self.variable)
            heir.__dict__.update(self.__dict__)
            heir.shape = self.shape
            self.variable.__dict__["_accumulator"] = weakref.ref(heir)
            for each in nodes:
                each.next_functions  # noqa: B018

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "variable"]


def nodes_with_edge_to(leaf: Any) -> list[Node]:
    """The nodes with an edge to a leaf. Slow: it searches all objects that refer to the leaf."""
    found = gc.get_referrers(leaf)
    of_leaf = [edges for edges in found if type(edges) is tuple]
    nodes = [each for each in found if isinstance(each, Node)]
    nodes += [each for each in gc.get_referrers(*of_leaf) if isinstance(each, Node)]
    return [each for each in nodes if any([edge is leaf for edge in each.edges])]


class Undifferentiable(Node):
    """The node of an operator that torch has no derivative for. It runs before other nodes."""

    __slots__ = ()
    skips_unwanted = False

    @property
    def order(self) -> int:
        return FIRST

    @order.setter
    def order(self, made: Any) -> None:
        if hasattr(made, "notes"):
            self.__dict__["_metadata"] = made.notes

    def name(self) -> str:
        return "torch::autograd::NotImplemented"

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        pairs = zip(super().next_functions, self.edges)
        return tuple([each for each, edge in pairs if edge is not None])


class NotImplementedNode(Undifferentiable):
    """The history of an out= whose derivative is missing: autograd has only its inputs."""

    __slots__ = ("operator",)

    def __init__(self, operator: str, inputs: Any, result: TensorBase) -> None:
        self.operator = operator
        self.edges = tuple([each if each._edge is LEAF else each._edge for each in inputs])
        self.order = next_order()
        self.shape, self.dtype = result._array.shape, result._array.dtype

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        raise RuntimeError(f"derivative for {self.operator} is not implemented")

    apply_graph = apply

    def apply_nothing(self, retain: bool, create_graph: bool) -> tuple[Any, ...]:
        return self.apply(None, retain)


NotImplementedNode.__name__ = "NotImplemented"


def node_of(target: Any) -> Any:
    """The node of a target, or the leaf."""
    return target[0] if type(target) is tuple else target


def insert_first_nodes(nodes: list[Node]) -> list[Node]:
    """`nodes`, with each node of order FIRST right after the last node that leads to it."""
    ordinary = [node for node in nodes if node.order != FIRST]
    for node in nodes[: len(nodes) - len(ordinary)]:
        into = [node in map(node_of, each.edges) for each in ordinary]
        ordinary.insert(max([i + 1 for i, leads in enumerate(into) if leads], default=0), node)
    return ordinary


def accumulator(leaf: TensorBase) -> AccumulateGrad:
    """The AccumulateGrad of a leaf."""
    node = leaf._accumulator() if leaf._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(leaf)
        leaf.__dict__["_accumulator"] = weakref.ref(node)
    return node


def node_behind(public: Any) -> Any:
    """The node that users see as `public`."""
    return public if isinstance(public, Node) else public._node_of_call()


class GradientEdge(NamedTuple):
    """Where a gradient goes: output `output_nr` of `node`.

    Args:
        node, output_nr: that node, and which of its outputs.
        ownership_token: an object that keeps the graph alive.
    As torch.autograd.graph.GradientEdge.
    """

    node: Any
    output_nr: int
    ownership_token: Any = None

    @property
    def target(self) -> Any:
        """The target of the edge, as the engine names it: a leaf, a Node, or (Node, number)."""
        node = node_behind(self.node)
        if type(node) is AccumulateGrad:
            return node.variable
        return (node, self.output_nr) if node.several else node


GradientEdge.__module__ = "torch.autograd.graph"
InputMetadata.__name__ = InputMetadata.__qualname__ = "_InputMetadata"


def function_of(edge: Any) -> tuple[Any, int]:
    """An edge of `node.edges` as users see it: (node, output number)."""
    if edge is None or edge is NOWHERE:
        return None, 0
    if type(edge) is tuple:
        return edge[0].public_node, edge[1]
    return (edge.public_node if isinstance(edge, Node) else accumulator(edge)), 0


# ---- saved values
# A number in the place of a tensor is saved as itself, and is a SeenNumber once a program read it.
# A saved input is the Tensor itself while it was never written (_cell None), else the pair
# (Tensor, version); a saved list of tensors is a list of these. A saved output is (array, version
# cell, version, number): holding the Tensor itself would be a cycle through its own node.


class SeenNumber:
    """A number in the place of a saved tensor, and the tensor that a program got for it."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def number(self, node: Node) -> Any:
        """The number for a formula. RuntimeError if the tensor was written in place since."""
        return unmodified(self.tensor, node)._array.item()


def save_input(self: Any) -> Any:
    """The value that a node saves for its input `self`. A number or None is saved as it is."""
    if isinstance(self, TensorBase) and self._cell is not None:
        return self, self._cell[0]
    return self


def save_output(output: Any, number: Any = 0) -> Any:
    """The value that a node saves for its `output`.

    number: which output it is; None if no gradient flows through it; `source_of` a written tensor.
    """
    cell = version_of(output)
    level = output._level
    held = output._array if level is None else level.without_history(output)
    return held, cell, cell[0], number


def source_of(written: Any, number: Any = 0) -> Any:
    """The `number` to save for a tensor that the node wrote in place: `number` itself; for a view,
    a weak reference to the node that became its edge by the write."""
    view = written._view
    return number if view is None or view[0] is None else weakref.ref(written._edge)


def load_saved(saved: Any, node: Node) -> Any:
    """A saved input as an array for a formula of `node` (a number or None stays as it is).

    RuntimeError if it was freed, detached from its history, or written in place since.
    """
    if type(saved) is tuple:  # a parameter that an optimizer wrote, half a microsecond sooner
        self, expected = saved
        if self._detached is None and self._cell[0] == expected:
            return self._array
    elif isinstance(saved, TensorBase):
        self = saved
    elif saved is FREED:
        raise RuntimeError(FREED_TEXT)
    else:
        return saved.number(node) if type(saved) is SeenNumber else saved
    check_attached(self, node)
    return unmodified(saved, node)._array


def check_attached(self: Any, node: Node) -> None:
    """Raises RuntimeError if `self`, which `node` saved, has lost its history and got no other."""
    if cut_off_since(self, node) and self.grad_fn is None:
        raise RuntimeError(
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
            "This is not supported, please use out-of-place `.detach()` instead"
        )


def cut_off_since(self: Any, node: Node) -> bool:
    """Whether `self`, which `node` saved, has lost its history to detach_ after that."""
    return self._detached is not None and node.order > self._detached


def unmodified(saved: Any, node: Node) -> Any:
    """A saved input as a Tensor. RuntimeError if it was written in place since."""
    self, expected = saved if type(saved) is tuple else (saved, 0)
    if self._cell is not None and self._cell[0] != expected:
        maker = self.grad_fn or (node if cut_off_since(self, node) else None)
        raise modified(self, self._cell[0], expected, maker, 0)
    return self


def load_saved_tensor(saved: Any, node: Node) -> Any:
    """A saved input as a Tensor (a number or None stays as it is)."""
    array = load_saved(saved, node)
    if type(saved) is SeenNumber:
        return array
    return saved[0] if type(saved) is tuple else saved


def load_saved_output(saved: Any, node: Node) -> Any:
    """A saved output as a formula's array. RuntimeError if it was freed, or written since."""
    if saved is FREED:
        raise RuntimeError(FREED_TEXT)
    array, cell, expected, _ = saved
    if cell[0] != expected:
        self = load_saved_output_tensor(saved, node, check=False)
        raise modified(self, cell[0], expected, self.grad_fn, self.output_nr)
    return array


def load_saved_output_tensor(saved: Any, node: Node, check: bool = True) -> Any:
    """A saved output as a Tensor whose gradient flows into `node`."""
    if check:
        load_saved_output(saved, node)
    held, cell, _, number = saved
    of_level = isinstance(held, TensorBase)
    edge: Any = None
    if isinstance(number, weakref.ref):
        edge, number = number() or node, 0
    elif number is not None and (held._array if of_level else held).dtype.kind in "fcV":
        edge = node if node.outputs == 1 else (node, number)
    if of_level:
        result = held._level.without_history(held)
        result._edge = edge
    else:
        result = tensor(held, edge)
    result._cell = cell
    if node.tangents is not None and number in node.tangents:
        result._tangents = node.tangents[number]
    return TAKEN_UP[-1](result) if TAKEN_UP and edge is not None and not of_level else result


def seen_strides(saved: Any) -> Any:
    """The strides of an argument, from its array's strides and the item size that a node saved."""
    return () if saved and type(saved[0]) is NoStrides else STRIDES[saved]


def seen_value(saved: Any, node: Node) -> Any:
    """A saved value as `_saved_<name>` shows it."""
    if type(saved) is Packed:
        return saved.unpack(node)
    if saved is FREED:
        raise RuntimeError(FREED_TEXT)
    if type(saved) is tuple:
        if len(saved) == 4 and type(saved[1]) is list:
            return load_saved_output_tensor(saved, node)
        if len(saved) == 2 and isinstance(saved[0], TensorBase):
            return unmodified(saved, node)
        return saved
    if type(saved) is list:
        return tuple([seen_value(each, node) for each in saved])
    if type(saved) is SeenNumber:
        saved = saved.tensor
    return unmodified(saved, node) if isinstance(saved, TensorBase) else saved


def check_kept(node: Any, outputs: bool = True) -> None:
    """Raises the error for an unusable saved tensor; torch unpacks all, in the order of `tensors`,
    before it computes anything. Outputs are checked as well, unless `outputs` is False."""
    for name in node.tensors if outputs else node.kept_for:
        saved = getattr(node, "saved_" + name, None)
        if isinstance(saved, (int, float, complex)):
            continue
        for each in saved if type(saved) is list else (saved,):
            held = each[0] if type(each) is tuple and each else each
            if isinstance(held, TensorBase):
                check_attached(held, node)
        node.shown_value(name)


class Packed:
    """A saved tensor that a pack hook has packed, in a slot of a node or in the ctx of a Function.

    data: the object that the pack hook returned.
    edge: where the gradient of the tensor goes; for an output that has a gradient, its number.
    like: shape, strides and dtype of the tensor; an unpacked one may have others.
    """

    __slots__ = ("data", "edge", "is_output", "like", "tangents", "unpack_hook")

    def __init__(self, saved: TensorBase, edge: Any, is_output: bool, hooks: Any) -> None:
        pack, self.unpack_hook = hooks
        self.edge, self.is_output = edge, is_output
        self.like, self.tangents = form_of(saved._array), saved._tangents
        version = version_of(saved)[0]
        with GradMode(False), FormulaMode(False):
            self.data = pack(saved)
        if version_of(saved)[0] != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as "
                "input to pack hook cannot be modified by in-place operations as this can lead to "
                "unexpected side-effects. Please open an issue if you need to perform in-place "
                "operations on the input to a pack hook."
            )

    def unpack(self, node: Any) -> Any:
        """The tensor that the unpack hook makes of the data, with the history of the saved one."""
        with FormulaMode(False):
            data = self.unpack_hook(self.data)
        if not isinstance(data, TensorBase):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(data).__name__}"
            )
        edge = self.edge
        if edge is None and data._edge is None:
            return data
        if self.is_output and edge is not None:
            edge = node if node.outputs == 1 else (node, edge)
        result = tensor(data._array, edge)
        result._cell = version_of(data)
        if self.tangents is not None:
            result._tangents = self.tangents
        return result


def form_of(x: Any) -> tuple[Any, ...]:
    """Shape, strides and dtype of an array."""
    return x.shape, x.strides, x.dtype


def mixed_class(kind: type) -> Any:
    """The node class `kind` with its formulas run on Tensors also in a plain backward."""
    return _with(kind, ("apply", apply_mixed))


def apply_mixed(node: Any, grad: Any, retain: bool) -> tuple[Any, ...]:
    """apply_on_tensors, with sums over broadcast dimensions on Tensors too, so modes see them."""
    grad = [_wrapped(each) for each in grad] if type(grad) is list else _wrapped(grad)
    grads = summed_all(node.apply_graph(grad, retain), node)
    return tuple([None if each is None else each._array for each in grads])


def idle_class(kind: type) -> Any:
    """The node class `kind` for nodes whose edges lead nowhere: they compute nothing, but check
    the saved tensors."""
    return _with(kind, ("apply", _apply_nothing), ("apply_graph", _apply_nothing))


@cache
def _with(kind: type, *methods: tuple[str, Callable[..., Any]]) -> type:
    names = {"__slots__": (), "__module__": "builtins", **dict(methods)}
    return type(kind.__name__, (kind,), names)


def apply_on_tensors(node: Any, grad: Any, retain: bool) -> tuple[Any, ...]:
    """The gradients that `node` computes on Tensors, as arrays with torch's strides."""
    grad = [_wrapped(each) for each in grad] if type(grad) is list else _wrapped(grad)
    grads = node.apply_graph(grad, retain)
    return tuple([None if each is None else each._array for each in grads])


def _apply_nothing(node: Any, grad: Any, retain: bool) -> Any:
    return node.apply_nothing(retain, False)


def _wrapped(grad: Any) -> Any:
    return None if grad is None else laid_out(grad)


def unsigned(value: Any) -> Any:
    """An int, or a tuple of ints, as the 64 unsigned bits that torch shows."""
    if isinstance(value, (tuple, list)):
        return tuple([unsigned(each) for each in value])
    return value % (1 << 64) if isinstance(value, int) else value
