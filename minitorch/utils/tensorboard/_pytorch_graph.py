"""Graphs of modules, as TensorBoard shows them: the operators that one call runs.

torch takes the graph from its compiler, which sees operators above autograd (`aten::linear`) and
numbers them. Here a dispatch mode watches the call, so the nodes are the operators below autograd
(`aten::t`, `aten::addmm`), and named after them; settings that are no tensors stand in a node's
attributes. Scopes, parameters, inputs, outputs and shapes are those of torch's graph.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.step_stats_pb2 import DeviceStepStats, StepStats
from tensorboard.compat.proto.versions_pb2 import VersionDef

from minitorch.core.declare.schema import Schema
from minitorch.core.tensor.tensor import Tensor
from minitorch.jit import trace
from minitorch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from minitorch.utils._python_dispatch import TorchDispatchMode
from minitorch.utils._pytree import tree_leaves
from minitorch.utils.tensorboard._proto_graph import node_proto


def graph(
    model: Any, args: Any, verbose: bool = False, use_strict_trace: bool = True
) -> tuple[GraphDef, RunMetadata]:
    """The graph of a module, and the message about its run, which says the device alone.

    The module runs once, in evaluation.

    Args:
        model: the module
        args: its inputs, a tuple or a list of tensors, or the only one
        verbose: whether the nodes are printed
        use_strict_trace: whether a result that is a dict is refused

    Raises: RuntimeError for results other than tensors, and containers of them; and, as of any
        RuntimeError of the call, two lines are printed.

    Source: torch.utils.tensorboard._pytorch_graph.graph.
    """
    with _set_model_to_eval(model):
        try:
            nodes = _recorded(model, args, use_strict_trace)
        except RuntimeError as error:
            print(error)
            print("Error occurs, No graph saved")
            raise
    if verbose:
        for node in nodes:
            print(f"{node.name} : {node.op}({', '.join(node.inputs)}) {node.attributes}")
    listed = [
        node_proto(
            each.name, each.op, each.inputs, outputsize=each.shape, attributes=each.attributes
        )
        for each in nodes
    ]
    # The device and the number are those of torch's files, wherever the module runs.
    steps = StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")])
    made = GraphDef(node=listed, versions=VersionDef(producer=22))
    return made, RunMetadata(step_stats=steps)


@contextmanager
def _set_model_to_eval(model: Any) -> Iterator[None]:
    """A context in which the module evaluates."""
    before = model.training
    model.train(False)
    try:
        yield
    finally:
        model.train(before)


class _Node(NamedTuple):
    """A node: its name with scopes, and the names of those whose results it takes."""

    name: str
    op: str
    inputs: list[str]
    shape: Sequence[int] | None
    attributes: str


def _recorded(model: Any, args: Any, strict: bool) -> list[_Node]:
    """The nodes of one call: inputs that are used, the output, and what leads to it, as it ran."""
    inputs = _checked_inputs(args)
    results: list[Any] = []
    recorder = _Recorder(model)
    recorder.add_inputs(model, inputs)
    kept = model.register_forward_hook(lambda module, given, result: results.append(result))
    try:
        with recorder.scopes(), recorder:
            trace(model, None if args is None else inputs, strict=strict)
    finally:
        kept.remove()
    _check_results(results[-1], strict)
    return recorder.leading_to(recorder.output(results[-1]))


def _checked_inputs(args: Any) -> tuple[Any, ...]:
    """The inputs of a call, all of them tensors or containers of tensors."""
    if args is None:
        return ()
    inputs = (args,) if isinstance(args, (Tensor, dict)) else tuple(args)
    if not all(isinstance(each, Tensor) for each in tree_leaves(inputs)):
        kinds = ", ".join(type(each).__name__ for each in inputs)
        raise RuntimeError(
            f"Type 'Tuple[{kinds}]' cannot be traced. Only Tensors and (possibly nested) Lists, "
            "Dicts, and Tuples of Tensors can be traced"
        )
    return inputs


def _check_results(result: Any, strict: bool) -> None:
    """Refuses what a graph of torch.jit cannot give back."""
    if result is None:
        raise RuntimeError(
            "The traced function didn't return any values! Side-effects are not captured in traces,"
            " so it would be a no-op."
        )
    if not all(isinstance(each, Tensor) for each in tree_leaves(result)):
        raise RuntimeError(
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from "
            "traced functions"
        )
    if strict and isinstance(result, dict):
        raise RuntimeError(
            "Encountering a dict at the output of the tracer might cause the trace to be incorrect,"
            " this is only valid if the container structure does not change based on the module's "
            "inputs. Consider using a constant container instead (e.g. for `list`, use a `tuple` "
            "instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know"
            " the side effects, pass strict=False to trace() to allow this behavior."
        )


class _Recorder(TorchDispatchMode):
    """Notes each operator as a node, in the scope of the modules that run."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.nodes: dict[str, _Node] = {}  # by name, in the order of calls
        self.names: dict[int, str] = {}  # by id of a tensor: the node that it comes from
        self.kept: list[Any] = []  # the tensors themselves, so that no other gets the id of one
        self.taken: Counter[str] = Counter()
        self.root = type(model).__name__
        self.model = model
        self.running: list[str] = []
        self.labels = {
            id(module): f"{type(module).__name__}[{name.rpartition('.')[2]}]"
            for name, module in model.named_modules()
        }
        self.owned: dict[int, tuple[str, str]] = {}  # by id of a parameter: its scope and name
        for path, module in model.named_modules():
            tensors = [
                *module.named_parameters(recurse=False),
                *module.named_buffers(recurse=False),
            ]
            for name, tensor in tensors:
                self.owned.setdefault(id(tensor), (self._scope_of(path), name))

    def _scope_of(self, path: str) -> str:
        """The scope of a module that is named by its path: those of the modules around it."""
        scope, module = self.root, self.model
        for part in path.split(".") if path else ():
            module = getattr(module, part)
            scope += f"/{type(module).__name__}[{part}]"
        return scope

    @contextmanager
    def scopes(self) -> Iterator[None]:
        """A context in which modules that run are scopes."""

        def enter(module: Any, given: Any) -> None:
            if module is not self.model:
                self.running.append(self.labels.get(id(module), type(module).__name__))

        def leave(module: Any, given: Any, result: Any) -> None:
            if module is not self.model:
                self.running.pop()

        # Even a module that raises is left, where the one around it goes on.
        hooks = [
            register_module_forward_pre_hook(enter),
            register_module_forward_hook(leave, always_call=True),
        ]
        try:
            yield
        finally:
            for each in hooks:
                each.remove()

    def add_inputs(self, model: Any, inputs: Sequence[Any]) -> None:
        """Notes the inputs, named as the module's parameters are."""
        try:
            bound = inspect.signature(model.forward).bind(*inputs).arguments
        except (TypeError, ValueError):  # the call says what is wrong
            bound = dict(enumerate(inputs))
        for name, value in bound.items():
            tensors = [each for each in tree_leaves(value) if isinstance(each, Tensor)]
            for number, tensor in enumerate(tensors, 1):
                suffix = f".{number}" if len(tensors) > 1 else ""
                self._add(f"input/{name}{suffix}", "IO Node", [], tensor.shape, "", tensor)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        made = [each for each in tree_leaves(result) if isinstance(each, Tensor)]
        if made:
            self._note(func, args, kwargs, made)
        return result

    def _note(self, func: Any, args: Any, kwargs: Any, made: list[Any]) -> None:
        """Notes one operator with its arguments and its results."""
        given = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        inputs = [self._name_of(each) for each in given]
        settings = _settings(func, args, kwargs)
        op = func.name().partition(".")[0]
        scope = "/".join([self.root, *self.running])
        name = self._free(f"{scope}/{op.partition('::')[2]}")
        self._add(name, op, inputs, made[0].shape, settings, made[0])
        for number, tensor in enumerate(made[1:], 1):
            self._name(tensor, f"{name}:{number}")

    def _add(
        self, name: str, op: str, inputs: list[str], shape: Any, attributes: str, tensor: Any
    ) -> str:
        self.nodes[name] = _Node(name, op, inputs, shape, attributes)
        self._name(tensor, name)
        return name

    def _name(self, tensor: Any, name: str) -> None:
        self.names[id(tensor)] = name
        self.kept.append(tensor)

    def _name_of(self, tensor: Any) -> str:
        """The name of the node that a tensor comes from, which a parameter or constant gets now."""
        known = self.names.get(id(tensor))
        if known is not None:
            return known
        if id(tensor) in self.owned:
            scope, name = self.owned[id(tensor)]
            text = f"{{ name :  {name} }}"
            return self._add(f"{scope}/{name}/{name}", "prim::GetAttr", [], None, text, tensor)
        scope = "/".join([self.root, *self.running])
        name = self._free(f"{scope}/Constant")
        return self._add(name, "prim::Constant", [], tensor.shape, "{}", tensor)

    def _free(self, name: str) -> str:
        """A name that no node has: the second is called name_1."""
        number = self.taken[name]
        self.taken[name] += 1
        return f"{name}_{number}" if number else name

    def output(self, result: Any) -> str:
        """The name of the node of a result; a container is a node that takes those inside."""
        if isinstance(result, Tensor):
            return self._name_of(result)
        kind = next(kind for kind in (dict, list, tuple) if isinstance(result, kind))
        inside = result.values() if kind is dict else result
        name = self._free(f"{self.root}/{kind.__name__}")
        inputs = [self.output(each) for each in inside]
        op = f"prim::{kind.__name__.title()}Construct"
        return self._add(name, op, inputs, None, "{}", result)

    def leading_to(self, name: str) -> list[_Node]:
        """The nodes that lead to one: inputs, then the output, then the others as they ran."""
        wanted, waiting = set(), [name]
        while waiting:
            each = waiting.pop().partition(":")[0]
            if each not in wanted:
                wanted.add(each)
                waiting += self.nodes[each].inputs
        found = [node for node in self.nodes.values() if node.name in wanted]
        inputs = [node for node in found if node.op == "IO Node"]
        inside = [node for node in found if node.op != "IO Node"]
        last = self.nodes[name.partition(":")[0]]
        shape = [1] if last.shape is None else last.shape  # as torch shows containers
        return [*inputs, _Node("output/output.1", "IO Node", [name], shape, ""), *inside]


def _settings(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """The arguments of an operator that are no tensors, by name."""
    schema = Schema.parse(func._text.partition("::")[2])
    names = [each.name for each in schema.arguments]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    plain = {
        name: value
        for name, value in given.items()
        if not any(isinstance(each, Tensor) for each in tree_leaves(value))
    }
    # TensorBoard trips over quotes; torch writes blanks for them, too.
    return str(plain).replace("'", " ")
