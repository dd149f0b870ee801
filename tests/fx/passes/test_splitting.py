"""Graphs taken apart into modules, and layers joined."""

import pytest

import minitorch as torch
from minitorch import fx, nn
from minitorch.fx.experimental import optimization
from minitorch.fx.experimental.merge_matmul import merge_matmul
from minitorch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from minitorch.fx.passes.operator_support import create_op_support
from minitorch.fx.passes.shape_prop import ShapeProp
from minitorch.fx.passes.split_module import split_module, split_module_simple
from minitorch.fx.passes.split_utils import (
    getattr_recursive,
    move_non_tensor_nodes_on_boundary,
    split_by_tags,
)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        hidden = self.layers(x) * self.scale
        return hidden.sum(), hidden


PARTS = {"layers_0": 0, "layers_1": 0, "mul": 1, "sum_1": 2}


def test_split_module_calls_a_module_for_each_part():
    net, x, paths = Net(), torch.ones(1, 2), {}
    split = split_module(fx.symbolic_trace(net), net, lambda node: PARTS[node.name], paths)
    assert "submod_1 = self.submod_1(submod_0, scale)" in split.code
    assert paths == {"submod_0.layers_0": "layers.0", "submod_0.layers_1": "layers.1"}
    assert split.meta["partition_names"] == {"submod_0", "submod_1", "submod_2"}
    assert all(map(torch.equal, split(x), net(x)))


def test_split_module_refuses_parts_that_need_each_other():
    net = Net()
    with pytest.raises(RuntimeError, match="cycle exists between partitions!"):
        split_module(fx.symbolic_trace(net), net, lambda node: node.name == "layers_1")


def test_split_module_enters_autocast_in_each_part():
    graph = fx.Graph()
    x = graph.placeholder("x")
    began = graph.call_function(torch.amp._enter_autocast, ("cpu", torch.bfloat16, True, None))
    first = graph.call_function(torch.mm, (x, x))
    second = graph.call_function(torch.mm, (first, first))
    graph.call_function(torch.amp._exit_autocast, (began,))
    graph.output(second)
    module = fx.GraphModule({}, graph)
    split = split_module(module, module, lambda node: int(node in (second, began.next.next.next)))
    assert split.submod_1.code.count("_enter_autocast(") == 1
    assert split(torch.ones(2, 2)).dtype == torch.bfloat16
    assert not torch.is_autocast_enabled("cpu")


def test_split_module_simple_takes_numbers_of_nodes():
    traced = fx.symbolic_trace(lambda x: torch.cos(torch.sin(x)))
    numbers = {node: int(node.name == "cos") for node in traced.graph.nodes}
    split = split_module_simple(traced, numbers, partition_affix="part")
    assert "self.submod_part_1(submod_part_0)" in split.code
    assert torch.equal(split(torch.ones(1)), torch.cos(torch.sin(torch.ones(1))))


def test_split_by_tags_keeps_paths():
    net = Net()
    traced = fx.symbolic_trace(net)
    for node in traced.graph.nodes:
        node.tag = "last" if node.name == "sum_1" else "first"
    split, paths = split_by_tags(traced, ["first", "last"], return_fqn_mapping=True)
    assert paths["layers.0"] == "first.layers.0"
    assert getattr_recursive(split, "first.layers.0") is net.layers[0]
    assert all(map(torch.equal, split(torch.ones(1, 2)), net(torch.ones(1, 2))))
    with pytest.raises(AssertionError, match="order must be >= max"):
        split_by_tags(traced, ["last", "first"])


def test_move_non_tensor_nodes_on_boundary_moves_sizes(capsys):
    class Part:
        def __init__(self, is_acc, nodes):
            self.is_acc, self.nodes = is_acc, nodes

    traced = fx.symbolic_trace(lambda x: torch.relu(x) * x.size(0))
    ShapeProp(traced).propagate(torch.ones(2))
    nodes = {node.name: node for node in traced.graph.nodes}
    parts = [Part(True, [nodes["relu"], nodes["size"]]), Part(False, [nodes["mul"]])]
    move_non_tensor_nodes_on_boundary(parts)
    assert parts[1].nodes == [nodes["mul"], nodes["size"]]
    assert "moved node size from acc_0 to gpu_1" in capsys.readouterr().out


def test_partitioner_fuses_supported_nodes_without_circles():
    traced = fx.symbolic_trace(lambda x: torch.sin(x).relu() + torch.cos(torch.exp(x)).relu())
    supported = create_op_support(lambda modules, node: node.name in ("sin", "exp", "cos", "add"))
    partitioner = CapabilityBasedPartitioner(traced, supported)
    (part,) = partitioner.propose_partitions()
    assert [node.name for node in part.nodes] == ["sin", "exp", "cos"]
    fused = partitioner.fuse_partitions([part])
    x = torch.ones(2)
    assert torch.equal(fused(x), torch.sin(x).relu() + torch.cos(torch.exp(x)).relu())


def test_fuse_and_remove_dropout_keep_the_result():
    net = nn.Sequential(nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.Dropout(0.5)).eval()
    net[1].running_mean.fill_(0.5)
    faster = optimization.optimize_for_inference(net, {"mkldnn_layout_optimize": False})
    x = torch.ones(1, 1, 3, 3)
    assert [type(each) for each in faster.children()] == [nn.Conv2d]
    torch.testing.assert_close(faster(x), net(x))
    with pytest.raises(NotImplementedError, match="optimize_for_inference"):
        optimization.optimize_for_inference(net)


def test_merge_matmul_calls_matmul_once():
    class Products(nn.Module):
        def forward(self, x, y, w):
            return torch.matmul(x, w), torch.matmul(y, w)

    merged = merge_matmul(Products())
    given = torch.ones(1, 2), torch.ones(2, 2), torch.ones(2, 2)
    assert merged.code.count("torch.matmul(") == 1
    assert all(map(torch.equal, merged(*given), Products()(*given)))
