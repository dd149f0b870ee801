"""Graphs of ONNX files, as TensorBoard shows graphs."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.versions_pb2 import VersionDef


def load_onnx_graph(fname: Any) -> GraphDef:
    """The graph of a file. ModuleNotFoundError without the package `onnx`."""
    import onnx  # start-up: only this needs it

    return parse(onnx.load(fname).graph)


def parse(graph: Any) -> GraphDef:
    """The nodes of a graph of ONNX; prints the name of each, as torch does."""
    nodes = []
    for each in [*graph.input, *graph.output]:
        print(each.name)
        held = each.type.tensor_type
        sizes = [TensorShapeProto.Dim(size=dim.dim_value) for dim in held.shape.dim]
        shape = AttrValue(shape=TensorShapeProto(dim=sizes))
        attr = {"dtype": AttrValue(type=held.elem_type), "shape": shape}
        nodes.append(NodeDef(name=each.name.encode(), op="Variable", input=[], attr=attr))
    for each in graph.node:
        print(each.output[0])
        texts = [
            " = ".join(str(value) for _, value in attribute.ListFields())
            for attribute in each.attribute
        ]
        attr = {"parameters": AttrValue(s=", ".join(texts).encode())}
        name = each.output[0].encode()
        nodes.append(NodeDef(name=name, op=each.op_type, input=each.input, attr=attr))
    return GraphDef(node=nodes, versions=VersionDef(producer=22))
