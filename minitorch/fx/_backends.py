"""torch.compile with a backend that is a function: it gets the graph that torch.fx traces.

Dynamo, which reads the bytecode of a program, is not here. What torch.fx cannot trace refuses,
because a backend that is never asked would be a silent no-op.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.fx._symbolic_trace import Tracer
from minitorch.fx.graph_module import GraphModule
from minitorch.nn.modules.module import Module


class _Inlining(Tracer):
    """Traces through all modules; the tensors that they hold are attributes of the graph's."""

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        """What the module's forward gives: no module is a leaf."""
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: Any) -> Any:
        """The attribute itself."""
        return attr_val

    def create_arg(self, a: Any) -> Any:
        """An argument as nodes have it; parameters become attributes as other tensors do."""
        if not isinstance(a, Tensor):
            return super().create_arg(a)
        if a not in self.tensor_attrs:
            self.tensor_attrs[a] = self.get_fresh_qualname("_tensor_constant")
            setattr(self.root, self.tensor_attrs[a], a)
        return self.create_node("get_attr", self.tensor_attrs[a], (), {})


def with_backend(model: Callable[..., Any], backend: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs what a backend makes of the graph of a model.

    Args:
        model: a function or a module, whose tensors are arguments by themselves
        backend: takes the GraphModule and a list of example tensors, and returns a function of them

    Raises: NotImplementedError, when it is called, for what torch.fx cannot trace.
    """
    function = model.forward if isinstance(model, Module) else model
    signature = inspect.signature(function)
    modules = list(model.modules()) if isinstance(model, Module) else []
    made: dict[Any, Callable[..., Any]] = {}

    def run(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        names = [name for name, each in given.items() if isinstance(each, Tensor)]
        modes = tuple([each.training for each in modules])
        key = modes, *[_form(name, each) for name, each in given.items()]
        if key not in made:
            graph = _graph(function, signature, given, names)
            made[key] = backend(graph, [given[name] for name in names])
        return made[key](*[given[name] for name in names])

    return run


def _form(name: str, value: Any) -> Any:
    """What of an argument a graph is made for."""
    if isinstance(value, Tensor):
        return name, tuple(value.shape), value.dtype, value.device.type, value.requires_grad
    return name, repr(value)


def _graph(
    function: Callable[..., Any],
    signature: inspect.Signature,
    given: dict[str, Any],
    names: list[str],
) -> GraphModule:
    """The graph of a function of the tensors of these names; all else is what it is now."""

    def call(*tensors: Any) -> Any:
        bound = inspect.BoundArguments(signature, {**given, **dict(zip(names, tensors))})  # type: ignore
        return function(*bound.args, **bound.kwargs)

    listed = ", ".join(names)
    traced = eval(f"lambda {listed}: call({listed})", {"call": call})
    tracer = _Inlining()
    try:
        graph = tracer.trace(traced)
    except Exception as error:
        raise NotImplementedError(
            "torch.compile with a backend of the program's own is not implemented by minitorch "
            f"where torch.fx cannot trace the program: {error}"
        ) from error
    return GraphModule(tracer.root, graph)
