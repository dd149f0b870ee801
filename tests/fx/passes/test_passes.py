"""Passes over graphs, and their notes at nodes."""

import operator

import pytest

import minitorch as torch
from minitorch import fx, nn
from minitorch.fx.annotate import annotate
from minitorch.fx.passes import graph_manipulation, operator_support, param_fetch, pass_manager
from minitorch.fx.passes.dialect.common.cse_pass import CSEPass
from minitorch.fx.passes.infra import pass_manager as infra_manager
from minitorch.fx.passes.infra.pass_base import PassBase, PassResult
from minitorch.fx.passes.shape_prop import ShapeProp, _extract_tensor_metadata
from minitorch.fx.passes.tools_common import get_node_target, legalize_graph
from minitorch.fx.passes.utils.common import compare_graphs
from minitorch.fx.passes.utils.fuser_utils import (
    fuse_as_graphmodule,
    fuse_by_partitions,
    validate_partition,
)
from minitorch.fx.passes.utils.source_matcher_utils import (
    check_subgraphs_connected,
    get_source_partitions,
)
from minitorch.fx.tensor_type import Dyn, TensorType, is_consistent, is_more_precise


def two_layers() -> fx.GraphModule:
    return fx.symbolic_trace(nn.Sequential(nn.Linear(3, 4), nn.ReLU()))


def forked(x, y):
    added = x + y
    rectified = added.relu()
    wave = torch.sin(rectified)
    return wave * y + torch.cos(wave), rectified


def nodes_of(traced: fx.GraphModule) -> dict:
    return {node.name: node for node in traced.graph.nodes}


def test_shape_prop_notes_each_tensor():
    traced = two_layers()
    ShapeProp(traced).propagate(torch.ones(2, 3))
    meta = nodes_of(traced)["_0"].meta
    assert meta["tensor_meta"].shape == (2, 4)
    assert meta["type"] is torch.Tensor
    assert meta["tensor_meta"].memory_format is torch.contiguous_format
    sizes = graph_manipulation.get_size_of_node(traced, nodes_of(traced)["_0"])
    assert sizes == (32, 96)


def test_shape_prop_says_which_node_failed(capsys):
    with pytest.raises(RuntimeError, match="ShapeProp error for: node=%_0"):
        ShapeProp(two_layers()).propagate(torch.ones(2, 2))


def test_shape_prop_refuses_a_fake_mode():
    with pytest.raises(NotImplementedError, match="ShapeProp"):
        ShapeProp(two_layers(), fake_mode=object())


def test_extract_tensor_metadata_of_sparse_tensors_has_no_strides():
    assert _extract_tensor_metadata(torch.eye(3).to_sparse()).stride == ()


def test_pass_manager_orders_passes_by_constraints():
    def first(module):
        return PassResult(module, False)

    class Second(PassBase):
        def call(self, graph_module):
            return PassResult(graph_module, False)

    second = Second()
    before = infra_manager.this_before_that_pass_constraint(first, second)
    manager = infra_manager.PassManager([second, first], [before])
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        manager.validate_constraints()
    assert manager(two_layers()).modified is False
    assert manager.passes == [first, second]


def test_pass_manager_names_the_pass_that_fails():
    def fails(module):
        raise ValueError

    with pytest.raises(Exception, match="running the 'fails' pass after the following passes"):
        infra_manager.PassManager([fails])(two_layers())


def test_plain_pass_manager_hands_on_the_object():
    def append(numbers):
        numbers.append(1)

    grow = pass_manager.inplace_wrapper(append)
    again = pass_manager.loop_pass(grow, n_iter=2)
    assert pass_manager.PassManager([grow, again])([]) == [1, 1, 1]
    with pytest.raises(AssertionError, match="Exactly one"):
        pass_manager.loop_pass(grow)


def test_replace_target_nodes_with_changes_the_called_function():
    traced = fx.symbolic_trace(forked)
    replace = graph_manipulation.replace_target_nodes_with
    replace(traced, "call_function", torch.sin, "call_function", torch.cos)
    assert "sin = torch.cos(relu)" in traced.code


def test_operator_support_looks_at_names_and_dtypes():
    traced = two_layers()
    ShapeProp(traced).propagate(torch.ones(2, 3))
    modules, nodes = dict(traced.named_modules()), nodes_of(traced)
    name = get_node_target(modules, nodes["_0"])
    assert name.endswith("nn.modules.linear.Linear")
    table = operator_support.OperatorSupport({name: ([[torch.float64]], {})})
    assert not table.is_node_supported(modules, nodes["_0"])
    table = operator_support.OperatorSupport({name: ([None], {})})
    declines = operator_support.OpSupports.decline_if_input_dtype(torch.float32)
    assert table.is_node_supported(modules, nodes["_0"])
    assert not operator_support.chain(table, declines).is_node_supported(modules, nodes["_0"])
    assert operator_support.any_chain(table, declines).is_node_supported(modules, nodes["_0"])


def test_param_fetch_knows_some_classes():
    assert list(param_fetch.extract_attrs_for_lowering(nn.ReLU())) == ["name", "inplace"]
    with pytest.raises(RuntimeError, match="is not in the module_fetch_book yet"):
        param_fetch.extract_attrs_for_lowering(nn.Tanh())


def test_fuse_by_partitions_makes_modules():
    traced = fx.symbolic_trace(forked)
    nodes = nodes_of(traced)
    expected = traced(torch.ones(2), torch.ones(2))
    assert validate_partition([nodes["relu"], nodes["sin"]])
    with pytest.raises(AssertionError, match="found dependency cycles"):
        fuse_as_graphmodule(traced, [nodes["add"], nodes["mul"]], "fused")
    fused = fuse_by_partitions(traced, [{nodes["relu"]: None, nodes["sin"]: None}])
    assert "self.fused_0(add)" in fused.code
    assert all(map(torch.equal, fused(torch.ones(2), torch.ones(2)), expected))


def test_legalize_graph_keeps_the_result():
    traced = legalize_graph(fx.symbolic_trace(forked))
    traced.graph.lint()
    assert compare_graphs(traced.graph, fx.symbolic_trace(forked).graph)


def test_cse_pass_shares_equal_calls():
    traced = fx.symbolic_trace(lambda x: torch.sin(x) + torch.sin(x))
    once = CSEPass()(traced)
    assert once.modified
    assert once.graph_module.code.count("torch.sin") == 1
    assert not CSEPass()(once.graph_module).modified


def test_get_source_partitions_groups_nodes_by_their_source():
    traced = fx.symbolic_trace(forked)
    for node in traced.graph.nodes:
        if node.op == "call_function":
            node.meta["source_fn_stack"] = [(node.name, node.target)]
    found = get_source_partitions(traced.graph, [torch.sin, operator.mul])
    sine, product = found[torch.sin][0], found[operator.mul][0]
    assert [node.name for node in sine.input_nodes] == ["relu"]
    assert check_subgraphs_connected(sine, product)
    assert not check_subgraphs_connected(product, sine)


def test_annotate_gives_a_node_a_tensor_type():
    traced = fx.symbolic_trace(lambda x: annotate(x.relu(), TensorType((1, Dyn))))
    kind = nodes_of(traced)["relu"].type
    assert str(kind) == "TensorType[(1, Dyn)]"
    assert is_consistent(kind, TensorType((Dyn, 2)))
    assert is_more_precise(TensorType((1, 2)), kind)
