"""torch.compile and torch.jit: handed on as they are, given to backends, or refused clearly."""

import subprocess
import sys
import textwrap
import warnings

import pytest

import minitorch as torch
from minitorch import nn


def test_a_compiled_module_stands_for_the_module():
    m = nn.Sequential(nn.Linear(2, 3))
    c = torch.compile(m)
    assert list(c.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert torch.equal(c(torch.ones(1, 2)), m(torch.ones(1, 2)))
    assert c.eval() is c
    assert not m.training
    c.extra = 1
    assert m.extra == 1


def test_compile_is_a_decorator_too():
    @torch.compile(mode="reduce-overhead")
    def double(x):
        return x * 2

    assert double(torch.ones(1)).item() == 2
    assert double.__name__ == "double"


@pytest.mark.parametrize(
    ("model", "options", "kind"),
    [
        (abs, {"mode": "fast"}, RuntimeError),
        (abs, {"mode": "default", "options": {}}, RuntimeError),
        (abs, {"backend": "other"}, RuntimeError),
        (3, {}, AssertionError),
    ],
)
def test_what_cannot_be_compiled_is_refused(model, options, kind):
    with pytest.raises(kind):
        torch.compile(model, **options)


def test_scripts_and_traces_run_what_they_are_made_of():
    m = nn.Linear(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for script in (torch.jit.script(m), torch.jit.trace(m, torch.ones(1, 2))):
            assert script.weight is m.weight
            assert torch.equal(script(torch.ones(1, 2)), m(torch.ones(1, 2)))
        with pytest.raises(RuntimeError, match="mat1 and mat2"):
            torch.jit.trace(m, torch.ones(1, 5))
        with pytest.raises(TypeError, match="is a built-in class"):
            torch.jit.script(3)


def test_what_is_not_there_says_so():
    assert not torch.mps.is_available()
    assert torch.xpu.device_count() == 0
    assert not torch.distributed.is_nccl_available()
    assert torch.backends.mkldnn.is_available()  # as torch has it on every processor
    with pytest.raises(RuntimeError, match="when none is available"):
        torch.accelerator.current_stream()
    with pytest.raises(AttributeError, match=r"backends. has no attribute .other."):
        _ = torch.backends.other


def test_a_backend_of_the_programs_own_gets_a_graph():
    seen = []

    def backend(graph, examples):
        seen.append(([str(node.op) for node in graph.graph.nodes], len(examples)))
        return graph.forward

    f = torch.compile(lambda x, y, n=2: torch.relu(x) * y + n, backend=backend)
    assert f(torch.ones(2), torch.ones(2)).tolist() == [3, 3]
    assert f(torch.ones(2), torch.zeros(2)).tolist() == [2, 2]
    assert len(seen) == 1
    assert seen[0][1] == 2
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    compiled = torch.compile(net, backend=backend)
    x = torch.ones(1, 2)
    assert torch.equal(compiled(x), net(x))
    compiled(x).sum().backward()
    assert net[0].weight.grad is not None
    dropout = torch.compile(nn.Dropout(1.0), backend=backend)
    assert dropout(x).tolist() == [[0, 0]]
    assert dropout.eval()(x).tolist() == [[1, 1]]


def _codes_of(function, *calls, **options):
    """The code of each graph that a backend gets, and the results of the calls."""
    codes = []

    def backend(graph, examples):
        codes.append(graph.code.strip())
        return graph.forward

    compiled = torch.compile(function, backend=backend, **options)
    return codes, [compiled(*each) for each in calls]


def test_a_backend_gets_inputs_named_after_the_programs_variables():
    def step(params, options):
        for param in params:
            param.add_(options["lr"])
        return params[1] * 2

    params = [torch.ones(2), torch.ones(3)]
    (code,), (result,) = _codes_of(step, (params, {"lr": torch.tensor(0.5)}))
    assert code.startswith(
        "def forward(self, L_params_0_ : torch.Tensor, L_options_lr_ : torch.Tensor, "
        "L_params_1_ : torch.Tensor):"
    )
    assert "mul = l_params_1_ * 2;  l_params_1_ = None\n    return (mul,)" in code
    assert params[0].tolist() == [1.5, 1.5]
    assert type(result) is torch.Tensor
    assert result.tolist() == [3, 3, 3]


def test_a_graph_ends_where_a_program_needs_numbers():
    def either(x):
        y = x * 2
        return y + 1 if y.sum() > 0 else y - 1

    codes, results = _codes_of(either, (torch.ones(2),), (-torch.ones(2),), (torch.ones(2),))
    assert [code.splitlines()[-1].strip() for code in codes] == [
        "return (gt, y)",
        "return (add,)",
        "return (sub,)",
    ]
    assert [each.tolist() for each in results] == [[3, 3], [-3, -3], [3, 3]]
    with pytest.raises(RuntimeError, match="Graph break under fullgraph=True"):
        _codes_of(either, (torch.ones(2),), fullgraph=True)


def test_sizes_and_numbers_that_change_become_inputs_of_graphs():
    calls = [(torch.ones(n), n / 2) for n in (2, 3, 4, 5)]
    codes, results = _codes_of(lambda x, s: x.sum() * s, *calls)
    assert len(codes) == 2
    assert "* 1.0" in codes[0]
    assert [each.item() for each in results] == [2, 4.5, 8, 12.5]


def test_compiled_programs_keep_gradients_views_and_written_arguments():
    class Times(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 10

        @staticmethod
        def backward(ctx, grad):
            return grad * 100

    def program(x, out):
        y = Times.apply(x * 2)
        with torch.no_grad():
            still = x * 3
        torch.mul(still, 2, out=out)
        view = out.view(-1)
        view[0] = 7
        y.sum().backward()
        return still.requires_grad, view, f"{out[1]:.1f}"

    x, out = torch.ones(2, requires_grad=True), torch.empty(2)
    _, ((recorded, view, text),) = _codes_of(program, (x, out))
    assert not recorded
    assert x.grad.tolist() == [200, 200]
    assert out.tolist() == view.tolist() == [7, 6]
    assert view.data_ptr() == out.data_ptr()
    assert text == "6.0"


def test_compiled_programs_train_as_others_do():
    def train(steps):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        for _ in range(steps):
            optimizer.zero_grad()
            loss = (net(torch.randn(4, 2)) ** 2).mean()
            loss.backward()
            optimizer.step()
        return [loss.item(), *net.state_dict().values()]

    _, (found,) = _codes_of(train, (3,))
    for each, wanted in zip(found, train(3)):
        assert torch.equal(torch.as_tensor(each), torch.as_tensor(wanted))


def test_dynamos_counter_counts_graphs_and_calls():
    from minitorch._dynamo.testing import CompileCounter, CompileCounterWithBackend

    counter = CompileCounter()
    f = torch.compile(lambda x: x.sin() + 1, backend=counter)
    f(torch.ones(2))
    f(torch.zeros(2))
    assert (counter.frame_count, counter.op_count) == (1, 2)
    torch._dynamo.reset()
    f(torch.ones(2))
    assert counter.frame_count == 2
    with pytest.raises(NotImplementedError, match="CompileCounterWithBackend"):
        CompileCounterWithBackend("inductor")


def test_a_program_knows_whether_a_backend_gets_its_graphs():
    @torch.compiler.disable
    def apart(x):
        return x * torch.compiler.is_compiling()

    def program(x):
        return apart(x + 1), torch.compiler.is_compiling()

    codes, ((result, compiling),) = _codes_of(program, (torch.ones(2),))
    assert result.tolist() == [0, 0]
    assert compiling
    assert not torch.compiler.is_compiling()
    assert len(codes) == 1


def test_a_backend_that_fails_is_named():
    def backend(graph, examples):
        raise ValueError("no")

    f = torch.compile(lambda x: x + 1, backend=backend)
    with pytest.raises(RuntimeError, match="backend='backend' raised:\nValueError: no"):
        f(torch.ones(2))


def test_modes_see_a_foreach_function_as_one_call():
    seen = []

    class Seeing(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Seeing():
        torch._foreach_add_([torch.zeros(2)], [torch.zeros(2)], alpha=2)
    assert seen == ["zeros", "zeros", "_foreach_add_"]


def test_a_compiled_module_can_be_given_another_module():
    compiled, other = torch.compile(nn.Linear(1, 1)), nn.ReLU()
    compiled._orig_mod = other
    assert compiled._orig_mod is other
    assert list(other.children()) == []


def test_set_default_backend_gives_compile_its_backend():
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    assert torch.compiler.get_default_backend() == "inductor"
    torch.compiler.set_default_backend(backend)
    try:
        assert torch.compile(lambda x: x + 1)(torch.ones(1)).item() == 2
    finally:
        torch.compiler.set_default_backend(None)
    assert len(graphs) == 1
    assert torch.compiler.get_default_backend() == "inductor"
    with pytest.raises(TypeError, match="must be a string or callable, got <class 'int'>"):
        torch.compiler.set_default_backend(3)


def test_the_first_compile_lets_distributions_not_validate_their_arguments():
    program = """
        import minitorch as torch
        Bernoulli = torch.distributions.Bernoulli
        torch.compile(lambda x: x, disable=True)
        assert Bernoulli._validate_args
        torch.compile(lambda x: x)
        Bernoulli(torch.tensor(2.0))
        Bernoulli.set_default_validate_args(True)
        torch.compile(lambda x: x)
        assert Bernoulli._validate_args
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)
