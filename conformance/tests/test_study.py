"""The adapter of real torch: everything is detached once a recording is over."""

import gc
import linecache
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch

import minitorch
from minitorch.study import record
from minitorch.study.tape.recording import Recording


def state() -> dict[str, Any]:
    """The state that a recording of real torch changes while it is open."""
    module = sys.modules["torch.nn.modules.module"]
    optimizer = sys.modules["torch.optim.optimizer"]
    return {
        "modes": torch._C._len_torch_function_stack(),
        "engine": torch.autograd._engine_run_backward,
        "apply": vars(torch.autograd.Function)["apply"],
        "run": vars(threading.Thread)["run"],
        "zero_grad": [
            vars(torch.nn.Module)["zero_grad"],
            vars(torch.optim.Optimizer)["zero_grad"],
        ],
        "hooks": [
            len(module._global_forward_hooks),
            len(module._global_forward_pre_hooks),
            len(optimizer._global_optimizer_pre_hooks),
        ],
        "stdout": sys.stdout,
    }


def train() -> list[float]:
    """The losses of a small training."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer, losses = torch.optim.Adam(model.parameters()), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(5, 3)).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_a_recording_leaves_torch_and_the_numbers_as_they_are() -> None:
    before, expected = state(), train()
    with record("torch"):
        assert train() == expected
    assert state() == before


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_a_block_that_raises_leaves_torch_as_it_was(error: type[BaseException]) -> None:
    before = state()
    with pytest.raises(error), record("torch"):
        raise error
    assert state() == before


def test_a_backward_that_raises_leaves_torch_as_it_was() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            raise ValueError("no gradient")

    before = state()
    y = torch.ones(2, requires_grad=True)
    with record("torch") as tape:
        with pytest.raises(ValueError, match="no gradient"):
            Fails.apply(y).sum().backward()
        assert state()["modes"] == before["modes"] + 1
    assert state() == before
    assert [event.kind for event in tape.events][-2:] == ["backward_end", "end"]


def test_a_recording_that_is_dropped_leaves_torch_as_it_was() -> None:
    before = state()
    block = record("torch")
    block.__enter__()
    torch.ones(2)
    del block
    gc.collect()
    assert state() == before


def test_graphs_and_tensors_die_while_they_are_recorded() -> None:
    class Marked:
        pass

    gc.collect()
    gc.disable()
    try:
        with record("torch"):
            x = torch.ones(3, requires_grad=True)
            h = x * 2
            y = h.exp().sum()
            mark = Marked()
            y.grad_fn.metadata["mark"] = mark
            alive = [weakref.ref(h.untyped_storage()), weakref.ref(mark)]
            del mark, h, y
            assert [each() for each in alive] == [None, None]
    finally:
        gc.enable()


def test_hooks_are_gone_from_nodes_that_outlive_a_recording() -> None:
    x = torch.ones(3, requires_grad=True)
    with record("torch") as tape:
        y = (x * 2).sum()
    events = len(tape.events)
    y.backward()
    assert len(tape.events) == events
    assert x.grad.tolist() == [2, 2, 2]


def test_a_tensor_that_is_held_has_its_number() -> None:
    before = torch.ones(2, requires_grad=True)
    with record("torch") as tape:
        h = (before * 2).relu()
    numbers = [tape.number_of(each) for each in (before, h)]
    assert [tape.tensors[each].name for each in numbers] == ["before", "h"]
    assert tape.number_of(torch.ones(2)) is None


def recorded(text: str, path: Path, library: Any) -> Recording:
    """A recording of a text under one of the libraries."""
    path.write_text(text)
    linecache.checkcache(str(path))
    name = "torch" if library is torch else "minitorch"
    with record(name) as tape:
        exec(compile(text, str(path), "exec"), {"torch": library, "__name__": "__main__"})
    return tape


def what(tape: Recording) -> list[Any]:
    """The events of a recording, with the names and values of their results."""
    found: list[Any] = []
    for event in tape.events:
        row: list[Any] = [event.kind, getattr(event, "name", "")]
        for out in getattr(event, "outs", None) or ():
            if out is not None:
                array = tape.values[out.value].array.round(5).tolist()
                row.append((out.tensor, tape.tensors[out.tensor].name, array))
        for edge in getattr(event, "fn", None) or ():
            row.append(edge and (tape.nodes[edge.node].name, tape.nodes[edge.node].event))
        if event.kind == "node":
            row.append((tape.nodes[event.node].name, tape.nodes[event.node].event))
        found.append(row)
    return found


_BEFORE = """
def f(v):
    return (v * v).sum()
def g(v):
    return v * v
x = torch.ones(3, requires_grad=True)
w = torch.full((2, 3), 2.0, requires_grad=True)
"""


@pytest.mark.parametrize(
    "text",
    [
        "d, = torch.autograd.grad((w * x).sum(), w, create_graph=True)\nz = d * 2",
        "d = torch.autograd.grad((w * x).sum(), [w, x], retain_graph=True)[1]",
        "ds = torch.autograd.grad(f(x), [x, w], allow_unused=True)",
        "ds = torch.autograd.grad(f(x), [x, w], materialize_grads=True)\nz = ds[1] * 2",
        "d, = torch.autograd.grad(x * 2, x, torch.eye(3), is_grads_batched=True)\nz = d + 1",
        "d, = torch.autograd.grad(f(x), x, create_graph=True)\nz, = torch.autograd.grad(f(d), x)",
        "J = torch.autograd.functional.jacobian(g, x, create_graph=True)\nz = J * 2",
        "H = torch.autograd.functional.hessian(f, x)",
        "y, d = torch.autograd.functional.vjp(f, x)\nz = y + d",
        "y, d = torch.autograd.functional.jvp(f, x, x)\nz = y + d",
        "y = torch.func.grad(f)(x)\nz = y + 1",
        "y = torch.vmap(torch.func.grad(f))(w)\nz = y + 1",
        "y, pull = torch.func.vjp(f, x)\nd, = pull(torch.ones(()))\nz = d * 2\nz.sum().backward()",
        "y = torch.func.jacrev(g)(x)\nz = y * 2\nz.sum().backward()",
        "y, t = torch.func.jvp(f, (x,), (torch.ones(3),))",
        "v, y = torch.func.grad_and_value(f)(x)",
        "y = torch.func.hessian(f)(x)\nz = y * 2",
        "y = torch.vmap(lambda v: v * x)(w)\ny.sum().backward()",
    ],
)
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
def test_returned_gradients_and_transforms_are_the_same_in_both_libraries(
    text: str, tmp_path: Path
) -> None:
    expected, found = [
        recorded(_BEFORE + text, tmp_path / "script.py", each) for each in (torch, minitorch)
    ]
    assert what(found) == what(expected)
    assert [each.name for each in found.tensors] == [each.name for each in expected.tensors]


def test_transforms_of_torch_are_put_back_and_seen_when_made_before() -> None:
    made = torch.vmap(torch.func.grad(lambda v: (v * v).sum()))
    apis, eager = torch._functorch.apis, torch._functorch.eager_transforms

    def attributes() -> list[Any]:
        return [apis.vmap_impl, eager.grad_impl, torch.func.jacrev, torch._vmap_internals._vmap]

    before = attributes()
    with record("torch") as tape:
        y = made(torch.ones(2, 3))
    assert attributes() == before
    assert [getattr(event, "name", "") for event in tape.events] == ["ones", "vmap", ""]
    assert tape.tensors[tape.number_of(y)].name == "y"
