"""torch.compile and torch.jit: handed on as they are, or refused clearly."""

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
    with pytest.raises(NotImplementedError, match=r"torch\.jit\.load"):
        torch.jit.load("file")


def test_what_is_not_there_says_so():
    assert not torch.mps.is_available()
    assert torch.xpu.device_count() == 0
    assert not torch.distributed.is_available()
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


def test_a_backend_refuses_what_fx_cannot_trace():
    f = torch.compile(lambda x: x if x.sum() > 0 else -x, backend=lambda graph, _: graph)
    with pytest.raises(NotImplementedError, match=r"torch\.fx cannot trace the program"):
        f(torch.ones(2))
