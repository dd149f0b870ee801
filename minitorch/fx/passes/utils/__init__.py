"""torch.fx.passes.utils: parts of graphs that look like others."""

from minitorch.fx.passes.utils.common import HolderModule, compare_graphs, lift_subgraph_as_module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]
