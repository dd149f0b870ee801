"""torch.fx: programs traced with Proxies, their graphs as text, and what the graphs compute."""

import copy
import math
import pickle

import pytest

import minitorch as torch
import minitorch.nn.functional as F
from minitorch import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("offset", torch.zeros(2))

    def forward(self, x, y: int = 3, *, z=None):
        a, b = self.rest(self.first(x)).chunk(2)
        return {"a": a * self.scale + self.offset, "b": [b, y]}


NET = """\
graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : int [num_users=1] = placeholder[target=y](default=3)
    %z : [num_users=0] = placeholder[target=z](default=None)
    %first : [num_users=1] = call_module[target=first](args = (%x,), kwargs = {})
    %rest_0 : [num_users=1] = call_module[target=rest.0](args = (%first,), kwargs = {})
    %rest_1 : [num_users=1] = call_module[target=rest.1](args = (%rest_0,), kwargs = {})
    %chunk : [num_users=2] = call_method[target=chunk](args = (%rest_1, 2), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 0), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 1), kwargs = {})
    %scale : [num_users=1] = get_attr[target=scale]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%getitem, %scale), kwargs = {})
    %offset : [num_users=1] = get_attr[target=offset]
    %add : [num_users=1] = call_function[target=operator.add](args = (%mul, %offset), kwargs = {})
    return {'a': add, 'b': [getitem_1, y]}"""  # noqa: E501
CODE = """


def forward(self, x, y : int = 3, z = None):
    first = self.first(x);  x = None
    rest_0 = getattr(self.rest, "0")(first);  first = None
    rest_1 = getattr(self.rest, "1")(rest_0);  rest_0 = None
    chunk = rest_1.chunk(2);  rest_1 = None
    getitem = chunk[0]
    getitem_1 = chunk[1];  chunk = None
    scale = self.scale
    mul = getitem * scale;  getitem = scale = None
    offset = self.offset
    add = mul + offset;  mul = offset = None
    return {'a': add, 'b': [getitem_1, y]}
    """


def lines_of(program, **options):
    """The statements of a traced program."""
    code = fx.symbolic_trace(program, **options).code
    return [line.strip().split(";")[0] for line in code.strip().splitlines()[1:]]


def test_symbolic_trace_prints_a_module_as_torch_does():
    traced = fx.symbolic_trace(Net())
    assert str(traced.graph) == NET
    assert traced.code == CODE


def test_symbolic_trace_names_functions_as_torch_does():
    def program(x):
        a = torch.relu(x), F.relu(x), F.gelu(x), torch.fft.fft(x), torch.linalg.norm(x)
        return a, torch.cat([x, x]), torch.einsum("i", x), x.view(-1), x.T

    assert lines_of(program)[:-1] == [
        "relu = torch.relu(x)",
        "relu_1 = torch.nn.functional.relu(x, inplace = False)",
        "gelu = torch._C._nn.gelu(x)",
        "fft_fft = torch._C._fft.fft_fft(x)",
        "linalg_norm = torch._C._linalg.linalg_norm(x)",
        "cat = torch.cat([x, x])",
        "einsum = torch.functional.einsum('i', x)",
        "view = x.view(-1)",
        "getattr_1 = x.T",
    ]


def test_a_graph_module_computes_and_differentiates_as_its_module():
    torch.manual_seed(0)
    net = Net()
    traced = fx.symbolic_trace(net)
    x = torch.randn(4, 3)
    for module in (net, traced):
        net.zero_grad()
        out = module(x)
        (out["a"].sum() + out["b"][0].square().sum()).backward()
        module.found = out["a"], [p.grad.clone() for p in net.parameters()]
    assert torch.equal(net.found[0], traced.found[0])
    assert all(map(torch.equal, net.found[1], traced.found[1]))


def test_copies_and_pickles_of_a_graph_module_have_its_code():
    traced = fx.symbolic_trace(Net())
    x = torch.ones(2, 3)
    for other in (copy.deepcopy(traced), pickle.loads(pickle.dumps(traced)), copy.copy(traced)):
        assert other.code == traced.code
        assert torch.equal(other(x)["a"], traced(x)["a"])


@pytest.mark.parametrize(
    ("program", "kind", "text"),
    [
        (lambda x: 1 if x else 2, fx.proxy.TraceError, "symbolically traced variables cannot"),
        (lambda x: list(x), fx.proxy.TraceError, "Proxy object cannot be iterated"),
        (len, AssertionError, "Expected FunctionType"),
        (lambda x: len(x), RuntimeError, "'len' is not supported in symbolic tracing"),
        (lambda x: x + object(), NotImplementedError, "argument of type: <class 'object'>"),
    ],
)
def test_control_flow_on_values_is_refused_in_torchs_words(program, kind, text):
    with pytest.raises(kind, match=text):
        fx.symbolic_trace(program)


def test_concrete_args_are_kept_and_checked():
    def program(a, b):
        return a["x"] + a["y"][0] + (b or 0)

    traced = fx.symbolic_trace(program, concrete_args={"a": {"x": fx.PH, "y": [fx.PH]}, "b": None})
    assert traced({"x": 1, "y": [2]}, None) == 3
    with pytest.raises(AssertionError, match="b has been specialized to have value None"):
        traced({"x": 1, "y": [2]}, 4)


def test_functions_of_math_and_those_of_wrap_are_nodes():
    traced = fx.symbolic_trace(lambda x: math.sqrt(x))
    assert "sqrt = math_sqrt(x);  x = None" in traced.code
    assert 'torch.fx._symbolic_trace.wrap("math_sqrt")' in traced.code
    assert traced(4.0) == 2
    assert fx.symbolic_trace(traced)(9.0) == 3


def test_annotations_of_torchs_modules_are_shown_as_torchs():
    graph = fx.Tracer().trace(nn.Linear(2, 2))
    assert "def forward(self, input : torch.Tensor) -> torch.Tensor:" in graph.python_code("s").src
    assert "target=torch._C._nn.linear" in str(graph)


def test_interpreter_and_transformer_run_a_graph():
    class Doubled(fx.Transformer):
        def call_function(self, target, args, kwargs):
            target = torch.add if target is torch.sub else target
            return super().call_function(target, args, kwargs)

    traced = fx.symbolic_trace(lambda x: torch.sub(x, 1))
    assert fx.Interpreter(traced).run(torch.tensor(3)).item() == 2
    assert Doubled(traced).transform()(torch.tensor(3)).item() == 4


def test_replace_pattern_replaces_each_place():
    def program(x):
        return torch.relu(torch.relu(x) + 1) + 2

    traced = fx.symbolic_trace(program)
    found = fx.replace_pattern(
        traced, lambda x, y: torch.relu(x) + y, lambda x, y: torch.sigmoid(x * y)
    )
    assert len(found) == 2
    assert "relu" not in traced.code
    x = torch.tensor(0.5)
    assert torch.equal(traced(x), torch.sigmoid(torch.sigmoid(x * 1) * 2))


def test_graphs_are_edited_and_checked():
    traced = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    relu = traced.graph.find_nodes(op="call_function", target=torch.relu)[0]
    with pytest.raises(RuntimeError, match="but it still had 1 users in the graph"):
        traced.graph.erase_node(relu)
    with traced.graph.inserting_after(relu):
        new = traced.graph.call_function(torch.neg, (relu,))
    relu.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    with traced.graph.inserting_before():
        traced.graph.call_function(torch.neg, (relu,))
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        traced.graph.lint()
    traced.graph.erase_node(next(iter(traced.graph.nodes)))
    traced.graph.lint()
    traced.recompile()
    assert traced(torch.tensor(2.0)).item() == -1
    assert sorted(traced.graph.nodes) == list(traced.graph.nodes)


def test_arguments_of_nodes_cannot_be_changed():
    node = fx.symbolic_trace(lambda x: torch.cat([x, x])).graph.find_nodes(
        op="call_function", target=torch.cat
    )[0]
    with pytest.raises(TypeError, match="'immutable_list' object does not support mutation"):
        node.args[0].append(1)


def test_to_folder_writes_a_package(tmp_path):
    traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
    traced.to_folder(tmp_path / "net", "Net")
    written = (tmp_path / "net" / "module.py").read_text()
    assert "class Net(torch.nn.Module):" in written
    assert "setattr(self, '0', Linear(in_features=2, out_features=2, bias=True))" in written
    with torch.installed_as_torch():
        names = {}
        exec(written, names)
        x = torch.ones(3, 2)
        assert torch.equal(names["Net"]()(x), traced(x))


def test_unused_submodules_go():
    traced = fx.symbolic_trace(Net())
    traced.add_submodule("rest.extra.deep", nn.ReLU())
    assert traced.get_submodule("rest.extra.deep")
    traced.delete_all_unused_submodules()
    assert [name for name, _ in traced.named_modules()] == ["", "first", "rest", "rest.0", "rest.1"]


def test_a_tracer_of_another_package_patches_modules_as_ours_does():
    from minitorch.fx import _symbolic_trace as parts

    seen = []

    @parts.functools.wraps(parts._orig_module_call)
    def call(module, *args, **kwargs):
        seen.append(type(module).__name__)
        return parts._orig_module_call(module, *args, **kwargs)

    with parts._Patcher() as patcher:
        patcher.patch_method(nn.Module, "__call__", call, deduplicate=False)
        assert patcher.visit_once(seen)
        nn.Sequential(nn.ReLU())(torch.ones(2))
    assert seen == ["Sequential", "ReLU"]
    assert nn.Module.__call__ is parts._orig_module_call
    assert not patcher.patches_made
    assert patcher.visit_once(seen)


def test_graphs_call_functions_by_the_module_that_torch_writes_them_in():
    from minitorch.fx.node import _get_qualified_name

    functions = (torch.lobpcg, torch.svd_lowrank, torch.save, torch.einsum, torch.can_cast)
    names = [_get_qualified_name(each) for each in (*functions, torch.manual_seed, F.gelu)]
    assert names == [
        "torch._lobpcg.lobpcg",
        "torch._lowrank.svd_lowrank",
        "torch.serialization.save",
        "torch.functional.einsum",
        "torch.can_cast",
        "torch.random.manual_seed",
        "torch._C._nn.gelu",
    ]
