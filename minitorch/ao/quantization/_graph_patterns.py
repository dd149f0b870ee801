"""Calls in graphs whose output is quantized as their input is. Of torch.ao.quantization.utils."""

from __future__ import annotations

from typing import Any

import minitorch as torch

NodePattern = Any
QuantizerCls = Any
Pattern = Any


class MatchAllNode:
    """Stands in a pattern for any node."""


module_type_list = {
    getattr(torch.nn, name)
    for name in (
        "ReLU ReLU6 AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AvgPool1d AvgPool2d "
        "AvgPool3d MaxPool1d MaxPool2d MaxPool3d Identity Hardsigmoid Sigmoid Tanh"
    ).split()
}
func_list = {
    *(
        getattr(torch.nn.functional, name)
        for name in (
            "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d elu hardswish "
            "instance_norm layer_norm leaky_relu silu mish dropout max_pool1d max_pool2d "
            "max_pool3d relu hardtanh hardtanh_ hardsigmoid sigmoid"
        ).split()
    ),
    *(
        getattr(torch, name)
        for name in (
            "transpose repeat_interleave sigmoid squeeze stack sum tanh unsqueeze cat"
        ).split()
    ),
}
method_list = {
    torch.mean,
    *(
        "relu relu_ contiguous detach detach_ hardsigmoid hardsigmoid_ permute repeat "
        "repeat_interleave reshape resize_ shape sigmoid sigmoid_ size squeeze squeeze_ tanh "
        "tanh_ transpose unsqueeze unsqueeze_ view"
    ).split(),
}


def check_node(node: Any, modules: Any) -> tuple[bool, bool, bool]:
    """Whether a node calls a function, a method or a module of the lists above.

    Args:
        node: a Node of torch.fx.
        modules: the modules of its graph by name.
    """
    return (
        node.op == "call_function" and node.target in func_list,
        node.op == "call_method" and node.target in method_list,
        node.op == "call_module" and type(modules[str(node.target)]) in module_type_list,
    )
