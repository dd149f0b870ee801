"""torch.compile with a backend that is a function: it gets the graphs of a program's calls.

A program runs by itself and has its calls noted (`_deferred.py`). When numbers are needed, the
calls so far are a graph. A graph that was made before is run again; for any other a backend is
asked. Numbers that differ from one call to the next become inputs, as dynamo makes them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple
from weakref import WeakSet

import minitorch
from minitorch._dynamo import config
from minitorch._public import outlines
from minitorch.core.base import modes
from minitorch.core.base.fields import TensorBase
from minitorch.fx._deferred import Input, Recorder, Step, Value, rebuilt, recorded
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.nn.modules.module import Module
from minitorch.nn.parameter import Parameter

_DEEP, _MANY = 6, 20_000  # how far names of tensors are looked for


def with_backend(
    model: Callable[..., Any],
    backend: Callable[..., Any],
    dynamic: bool | None = None,
    fullgraph: bool = False,
) -> Callable[..., Any]:
    """A function that calls a model, whose calls of torch a backend runs.

    Args:
        model: a function or a module
        backend: takes a GraphModule and a list of example tensors, and returns a function of them
            that gives a tuple of tensors
        dynamic: whether numbers that differ from call to call become inputs; None: yes
        fullgraph: whether a program that needs numbers halfway is refused

    Raises: what torch._dynamo raises: BackendCompilerFailed, and Unsupported under fullgraph.
    """
    function = model.forward if isinstance(model, Module) else model
    code = getattr(inspect.unwrap(function), "__code__", None)
    graphs = _Graphs(backend, dynamic is not False)

    def run(*args: Any, **kwargs: Any) -> Any:
        if modes.recorder.get() is not None or modes.transforms.get():
            return function(*args, **kwargs)  # it becomes a part of what is compiled already
        places = _Places(model, function, args, kwargs)
        segments = iter(range(1 << 60))

        def finished(steps: Any, inputs: Any, used: Any, outputs: Any, names: Any) -> Any:
            called = _Called(steps, inputs, used, outputs)
            return graphs.run(next(segments), called, lambda x: places.name(x, names))

        direct = [*args, *kwargs.values(), *[each for _, each in places.surrounding()]]
        recorder = Recorder(finished, code, direct, fullgraph)
        with recorded(recorder):
            try:
                result = function(*args, **kwargs)
            except BaseException:
                recorder.finish()
                raise
            recorder.finish(result)
            return result

    return run


def reset() -> None:
    """Forgets all graphs."""
    for each in list(EVERY):
        each._forget()


EVERY: WeakSet[_Graphs] = WeakSet()


class _Called(NamedTuple):
    """The calls of a program, as steps, with the graph's inputs and outputs."""

    steps: list[Step]
    inputs: list[Any]
    used: list[int]
    outputs: list[Value]


class _Made(NamedTuple):
    """A function that a backend returned for a graph, and the numbers that the graph holds."""

    values: list[Any]
    taken: frozenset[int]  # the places of numbers that are arguments of the graph
    used: list[int]  # the inputs, by their places
    function: Callable[..., Any]


class _Graphs:
    """The graphs of a function that a backend was asked for."""

    def __init__(self, backend: Callable[..., Any], dynamic: bool) -> None:
        self._backend, self._dynamic = backend, dynamic
        self._forget()
        EVERY.add(self)

    def _forget(self) -> None:
        self._made: dict[Any, list[_Made]] = {}
        self._counts: dict[int, int] = {}

    def run(self, segment: int, called: _Called, named: Callable[[Any], str]) -> list[Any]:
        """The outputs of steps. segment: how many graphs of the same call came before."""
        steps, inputs, _, outputs = called
        numbers: list[Any] = [size for x in inputs for size in x.shape]
        sizes = len(numbers)
        key = _frozen([tuple(each[:4]) for each in steps], numbers)
        key = segment, key, tuple([tuple(each) for each in outputs]), tuple(map(_kind, inputs))
        known = self._made.setdefault(key, [])
        made = next((each for each in known if _fits(each, numbers, sizes)), None)
        if made is None:
            if self._counts.get(segment, 0) >= config.recompile_limit:
                return _called(steps, inputs, outputs)
            self._counts[segment] = self._counts.get(segment, 0) + 1
            made = self._make(called, named, numbers, sizes, known)
            known.append(made)
        given = [numbers[i] for i in sorted(made.taken) if i >= sizes]
        results = made.function(*given, *[inputs[i] for i in made.used])
        return list(results)

    def _make(
        self, called: _Called, named: Any, numbers: list[Any], sizes: int, known: list[_Made]
    ) -> _Made:
        taken: set[int] = set()
        for each in known if self._dynamic else ():
            taken |= each.taken
            taken |= {i for i, pair in enumerate(zip(numbers, each.values)) if not _same(*pair)}
        inputs = {i - sizes: numbers[i] for i in sorted(taken) if i >= sizes}
        module = GraphModule(Module(), _graph(called, named, inputs))
        examples = [*inputs.values(), *[called.inputs[i] for i in called.used]]
        return _Made(numbers, frozenset(taken), called.used, self._asked(module, examples))

    def _asked(self, module: GraphModule, examples: list[Any]) -> Callable[..., Any]:
        """The function that the backend returns for a graph. BackendCompilerFailed if it raises."""
        try:
            made = self._backend(module, examples)
            if not callable(made):
                raise AssertionError("compiler_fn did not return callable")
        except Exception as error:
            name = getattr(self._backend, "__name__", str(self._backend))
            raise outlines.find("torch._dynamo.exc", "BackendCompilerFailed")(
                f"backend={name!r} raised:\n{type(error).__name__}: {error}\n\n"
                "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace (please do this especially "
                "if you're reporting a bug to PyTorch). For even more developer context, set "
                'TORCH_LOGS="+dynamo"\n'
            ) from error
        return made


def _graph(called: _Called, named: Callable[[Any], str], taken: dict[int, Any]) -> Graph:
    """The graph of a program's calls.

    taken: the numbers among the arguments that are inputs, by their places among all of them.
    """
    graph = Graph()
    count = iter(range(1 << 60))
    symbols = {
        i: graph.placeholder(f"s{i}", type_expr=minitorch.SymInt if type(n) is int else float)
        for i, n in taken.items()
    }
    nodes: dict[Any, Any] = {}
    for place in called.used:
        x = called.inputs[place]
        kind = type(x) if isinstance(x, Parameter) else minitorch.Tensor
        nodes[Input, place] = graph.placeholder(named(x), type_expr=kind)

    def argument(value: Any) -> Any:
        if isinstance(value, (Input, Value)):
            return nodes[type(value), value[0]]
        if type(value) in (int, float):
            place = next(count)
            return symbols.get(place, value)
        if isinstance(value, dict):
            return {key: argument(each) for key, each in value.items()}
        return rebuilt(value, argument)

    for i, step in enumerate(called.steps):
        args, kwargs = argument(step.args), argument(step.kwargs)
        nodes[Value, i] = graph.create_node(step.kind, step.target, args, kwargs, step.name)
    graph.output(tuple([nodes[Value, each.step] for each in called.outputs]))
    for i, step in reversed(list(enumerate(called.steps))):
        if step.part and not nodes[Value, i].users:
            graph.erase_node(nodes[Value, i])
    return graph


def _called(steps: list[Step], inputs: list[Any], outputs: list[Value]) -> list[Any]:
    """The outputs of steps without a backend: dynamo gives up after so many graphs."""
    results: list[Any] = []

    def value(each: Any) -> Any:
        if isinstance(each, Input):
            return inputs[each.place]
        if isinstance(each, Value):
            return results[each.step]
        if isinstance(each, dict):
            return {key: value(part) for key, part in each.items()}
        return rebuilt(each, value)

    for step in steps:
        args, kwargs = value(step.args), value(step.kwargs)
        function = step.target
        if step.kind == "call_method":
            function, args = getattr(args[0], step.target), args[1:]
        results.append(function(*args, **kwargs))
    return [results[each.step] for each in outputs]


# ---- which graph it is


def _frozen(value: Any, numbers: list[Any]) -> Any:
    """The parts of steps that tell graphs apart, hashable. Numbers are put into `numbers`."""
    if isinstance(value, (Input, Value)):
        return type(value), value[0]
    if type(value) in (int, float):
        numbers.append(value)
        return type(value)
    if isinstance(value, (list, tuple)):
        return type(value), tuple([_frozen(each, numbers) for each in value])
    if isinstance(value, dict):
        return tuple([(key, _frozen(each, numbers)) for key, each in value.items()])
    if type(value) is slice:
        return slice, _frozen((value.start, value.stop, value.step), numbers)
    try:
        hash(value)
    except TypeError:
        return type(value), repr(value)
    return type(value), value


def _kind(x: Any) -> Any:
    """The properties of an input that a graph is made for: all but the sizes above 1."""
    return (
        type(x), x.dim(), x.dtype, x.device.type, x.requires_grad, x.is_contiguous(),
        *[min(size, 2) for size in x.shape],
    )  # fmt: skip


def _fits(made: _Made, numbers: list[Any], sizes: int) -> bool:
    """Whether the numbers that a graph holds are these."""
    pairs = enumerate(zip(made.values, numbers))
    return all(i in made.taken or _same(*pair) for i, pair in pairs)


def _same(a: Any, b: Any) -> bool:
    return a == b or (a != a and b != b)


# ---- the names of inputs

# What has attributes, in which no program keeps its tensors.
_NO_HOLDERS = (type, ModuleType, FunctionType, MethodType)


class _Places:
    """The places of a program's tensors, for names such as L_x_ and L_self_modules_0_bias_."""

    def __init__(self, model: Any, function: Any, args: Any, kwargs: Any) -> None:
        self._model, self._function = model, function
        self._args, self._kwargs = args, kwargs
        self._found: dict[int, str] | None = None
        self._unknown = 0

    def name(self, x: Any, variables: dict[int, str]) -> str:
        """The name of an input: of the variable, or of the way to it from the arguments."""
        if id(x) in variables:
            return f"L_{variables[id(x)]}_"
        if self._found is None:
            self._found = {}
            for path, value in self._roots():
                self._look(path, value, 0)
        path = self._found.get(id(x))
        if path is None:
            self._unknown += 1
            return f"L_stack{self._unknown - 1}_"
        return re.sub(r"[^a-zA-Z0-9]+", "_", path)

    def _roots(self) -> Iterator[tuple[str, Any]]:
        model, function = self._model, self._function
        if isinstance(model, Module) and type(model).__module__.startswith(
            ("torch.", "minitorch.")
        ):
            yield from {
                "L['fn']": model,
                "L['args']": self._args,
                "L['kwargs']": self._kwargs,
            }.items()
            return
        plain = inspect.unwrap(getattr(function, "__func__", function))
        owner = getattr(function, "__self__", None)
        given = self._args if owner is None else (owner, *self._args)
        try:
            bound = inspect.signature(plain).bind(*given, **self._kwargs)
        except (TypeError, ValueError):
            return
        for name, value in bound.arguments.items():
            yield f"L['{name}']", value
        yield from self.surrounding()

    def surrounding(self) -> Iterator[tuple[str, Any]]:
        """The values that the function finds in enclosing functions, and in its module."""
        plain = inspect.unwrap(getattr(self._function, "__func__", self._function))
        code = getattr(plain, "__code__", None)
        for name, cell in zip(code.co_freevars if code else (), plain.__closure__ or ()):
            if cell.cell_contents is not None:
                yield f"L['{name}']", cell.cell_contents
        for name in code.co_names if code else ():
            if name in plain.__globals__:
                yield f"G['{name}']", plain.__globals__[name]

    def _look(self, path: str, value: Any, depth: int) -> None:
        """Notes the ways to the tensors that a value holds."""
        found: dict[int, str] = self._found  # type: ignore[assignment]
        if depth > _DEEP or len(found) > _MANY or id(value) in found:
            return
        if isinstance(value, TensorBase):
            found[id(value)] = path
            return
        if isinstance(value, dict):
            keys = [key if isinstance(key, (str, int)) else i for i, key in enumerate(value)]
            parts = [(f"{path}[{key!r}]", each) for key, each in zip(keys, value.values())]
        elif isinstance(value, (list, tuple)):
            parts = [(f"{path}[{i}]", each) for i, each in enumerate(value)]
        elif not isinstance(value, _NO_HOLDERS) and type(value).__dictoffset__:
            found[id(value)] = path
            parts = [(f"{path}.{key}", each) for key, each in vars(value).items()]
        else:
            return
        for each in parts:
            self._look(*each, depth + 1)
