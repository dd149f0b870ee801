"""Nodes of TensorBoard's graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto


def attr_value_proto(
    dtype: object, shape: Sequence[int] | None, s: str | None
) -> dict[str, AttrValue]:
    """The attributes of a node: a text, and the shape of its result."""
    attributes = {}
    if s is not None:
        attributes["attr"] = AttrValue(s=s.encode())
    if shape is not None:
        shapes = AttrValue.ListValue(shape=[tensor_shape_proto(shape)])
        attributes["_output_shapes"] = AttrValue(list=shapes)
    return attributes


def tensor_shape_proto(outputsize: Sequence[int]) -> TensorShapeProto:
    """A shape, as TensorBoard writes it."""
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=each) for each in outputsize])


def node_proto(
    name: str,
    op: str = "UnSpecified",
    input: list[str] | str | None = None,
    dtype: Any = None,
    shape: tuple[int, ...] | None = None,
    outputsize: Sequence[int] | None = None,
    attributes: str = "",
) -> NodeDef:
    """A node.

    Args:
        name: its name, with the scopes before it, parted by /
        op: the operator
        input: the names of the nodes whose results it takes, or the only one
        outputsize: the shape of its result
        attributes: a text
        dtype, shape: nothing
    """
    if not isinstance(input, list):
        input = [] if input is None else [input]
    attr = attr_value_proto(dtype, outputsize, attributes)
    return NodeDef(name=name.encode(), op=op, input=input, attr=attr)
