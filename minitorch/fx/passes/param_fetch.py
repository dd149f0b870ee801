"""torch.fx.passes.param_fetch: what a module's computation depends on, noted at its nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.tensor.type_names import typename
from minitorch.fx.graph_module import GraphModule
from minitorch.nn.modules.activation import ReLU
from minitorch.nn.modules.batchnorm import BatchNorm2d
from minitorch.nn.modules.conv import Conv2d
from minitorch.nn.modules.linear import Linear
from minitorch.nn.modules.module import Module
from minitorch.nn.modules.pooling import AdaptiveAvgPool2d, MaxPool2d

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name: str, target_version: int) -> str:
    """The name of an attribute in a version of its class: the same."""
    return name


def _entry(version: int, names: str = "") -> tuple[int, list[str], Callable[[str, int], str]]:
    return version, names.split(), default_matching


# A class -> the newest version known, its attributes, and their names in a version.
module_fetch_book: dict[type, tuple[int, list[str], Callable[[str, int], str]]] = {
    Linear: _entry(1, "weight bias"),
    Conv2d: _entry(1, "weight bias kernel_size stride padding dilation groups padding_mode"),
    BatchNorm2d: _entry(2, "weight bias running_mean running_var eps"),
    AdaptiveAvgPool2d: _entry(1),
    MaxPool2d: _entry(1, "kernel_size stride padding dilation return_indices ceil_mode"),
    ReLU: _entry(1, "inplace"),
}


def extract_attrs_for_lowering(mod: Module) -> dict[str, Any]:
    """The name of a module's class and the attributes that its computation depends on.

    Raises: RuntimeError for a class, or a version of it, that is not in `module_fetch_book`.

    Source: torch.fx.passes.param_fetch.extract_attrs_for_lowering.
    """
    name = typename(mod)
    ask = "open an issue and @842974287 or report a bug to AIACC team directly."
    if type(mod) not in module_fetch_book:
        raise RuntimeError(
            f"{name} is not in the module_fetch_book yet, please add it to the "
            f"module_fetch_book, {ask}"
        )
    version, attributes, matching = module_fetch_book[type(mod)]
    if version < mod._version:
        raise RuntimeError(
            f"Fetcher version {version} try to fetch {name} version {mod._version}, please "
            f"upgrade the module_fetch_book, {ask}"
        )
    found = {each: getattr(mod, matching(each, mod._version)) for each in attributes}
    return {"name": name, **found}


def lift_lowering_attrs_to_nodes(fx_module: GraphModule) -> None:
    """Sets `attrs_for_lowering` of all nodes that call a module, in modules of graphs as well.

    Source: torch.fx.passes.param_fetch.lift_lowering_attrs_to_nodes.
    """
    modules = dict(fx_module.named_modules())
    for node in fx_module.graph.nodes:
        if node.op != "call_module":
            continue
        module = modules[node.target]
        if isinstance(module, GraphModule):
            lift_lowering_attrs_to_nodes(module)
        else:
            node.attrs_for_lowering = extract_attrs_for_lowering(module)
