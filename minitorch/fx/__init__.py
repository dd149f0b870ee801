"""torch.fx: programs as graphs, traced with Proxies, changed, and run again as modules."""

from minitorch.fx import immutable_collections
from minitorch.fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from minitorch.fx.graph import CodeGen, Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.interpreter import Interpreter, Transformer
from minitorch.fx.node import Node, has_side_effect, map_arg
from minitorch.fx.proxy import Proxy
from minitorch.fx.subgraph_rewriter import replace_pattern

__all__ = [
    "symbolic_trace",
    "Tracer",
    "wrap",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Transformer",
    "Node",
    "Proxy",
    "replace_pattern",
    "has_side_effect",
    "map_arg",
]
