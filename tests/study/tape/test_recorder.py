"""record(): its notes, and that it leaves a program and the library as they are."""

import contextlib
import gc
import io
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch as torch
import minitorch.amp.casting  # adds a watcher for ever, as record() would
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, WALK_CLASSES
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.graph.hooks import ANY_HOOKS
from minitorch.nn.modules.calling import ANY_GLOBAL
from minitorch.optim.optimizer import Optimizer
from minitorch.study import record
from minitorch.study.tape import recorder
from minitorch.study.tape.recording import Backward, Operator, Recording, Update, Zero

Record = Callable[..., Recording]
_FAILED = recorder.Recorder._failed  # which the fixture of all tests replaces
_SWAPPED = [
    *((torch.Tensor, name) for name in ("detach", "item", "tolist", "numpy", "__array__")),
    *((torch.Tensor, name) for name in ("__float__", "data", "grad")),
    (torch.autograd.Function, "apply"),
    (torch.nn.Module, "zero_grad"),
    (Optimizer, "zero_grad"),
]


def state() -> dict[str, Any]:
    """The state that a recording changes while it is open."""
    modules = sys.modules["minitorch.nn.modules.calling"]
    return {
        "watchers": list(WATCHERS),
        "walks": list(WALK_CLASSES),
        "hooked": dict(ANY_HOOKS),
        "global": dict(ANY_GLOBAL),
        "watched": ASSEMBLED_GLOBALS["WATCHED"],
        "next": ASSEMBLED_GLOBALS["next_order"],
        "attributes": [vars(owner)[name] for owner, name in _SWAPPED],
        "hooks": [
            list(modules._global_forward_pre_hooks),
            list(modules._global_forward_hooks),
        ],
        "stdout": sys.stdout,
    }


@pytest.fixture
def unchanged(no_garbage: None) -> Iterator[None]:
    """Checks that everything is as it was once the test is over."""
    before = state()
    yield
    assert state() == before


def kinds(tape: Recording) -> list[str]:
    return [event.kind for event in tape.events]


def operators(tape: Recording) -> list[Operator]:
    return [event for event in tape.events if isinstance(event, Operator)]


def train() -> tuple[Any, list[float]]:
    """A model and its losses."""
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, losses = torch.randn(5, 3), []
    for _ in range(3):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


# ---- leaving things as they are


def test_a_recording_puts_everything_back(unchanged: None) -> None:
    with record():
        assert state()["watchers"] != [*WATCHERS[:-1]]
        train()


def test_a_recording_of_a_block_that_raises_puts_everything_back(unchanged: None) -> None:
    with pytest.raises(ZeroDivisionError), record() as tape:
        divmod(len(train()), 0)
    assert tape.events[-1].text == "ZeroDivisionError: integer division or modulo by zero"


def test_a_recording_that_is_interrupted_puts_everything_back(unchanged: None) -> None:
    with pytest.raises(KeyboardInterrupt), record() as tape:
        raise KeyboardInterrupt
    assert tape.events[-1].text == "KeyboardInterrupt"


def test_an_interrupt_inside_an_operator_leaves_nothing_behind(unchanged: None) -> None:
    class Stops(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            raise KeyboardInterrupt

    with record() as tape:
        with contextlib.suppress(KeyboardInterrupt):
            Stops.apply(torch.ones(2))
        torch.ones(2) + 1
    assert operators(tape)[-1].name == "add"


def test_a_recording_that_is_dropped_puts_everything_back(unchanged: None) -> None:
    block = record()
    tape = block.__enter__()
    torch.ones(2)
    del block
    gc.collect()
    torch.zeros(2)
    assert [event.name for event in operators(tape)] == ["ones"]


def test_a_generator_that_is_never_finished_puts_everything_back(unchanged: None) -> None:
    def steps() -> Iterator[None]:
        with record():
            yield

    running = steps()
    next(running)
    del running
    gc.collect()


def test_what_others_put_in_place_meanwhile_stays() -> None:
    original, mine = vars(torch.Tensor)["item"], lambda self: 3
    try:
        with record():
            torch.Tensor.item = mine  # type: ignore[method-assign]
        assert vars(torch.Tensor)["item"] is mine
    finally:
        torch.Tensor.item = original  # type: ignore[method-assign]


def test_a_stream_that_replaced_stdout_meanwhile_stays() -> None:
    before, other = sys.stdout, io.StringIO()
    try:
        with record():
            sys.stdout = other
        assert sys.stdout is other
    finally:
        sys.stdout = before


def test_hooks_that_were_there_before_stay_latched(unchanged: None) -> None:
    x = torch.ones(2, requires_grad=True)
    handle = x.register_hook(lambda grad: grad * 2)
    with record():
        (x * 3).sum().backward()
    assert ANY_HOOKS
    x.grad = None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [6, 6]
    handle.remove()
    del handle, x
    gc.collect()


def test_the_fast_walk_is_taken_again_after_a_recording() -> None:
    gc.collect()
    if ANY_HOOKS:
        pytest.skip("hooks of other tests are alive")
    with record():
        train()
    assert not ANY_HOOKS
    assert not ANY_GLOBAL
    assert not WALK_CLASSES


# ---- leaving the program as it is


def test_training_gives_the_same_bits_as_without_a_recording() -> None:
    model, losses = train()
    with record():
        recorded, again = train()
    assert losses == again
    for one, other in zip(model.parameters(), recorded.parameters(), strict=True):
        assert one.tolist() == other.tolist()


def test_random_numbers_are_those_without_a_recording() -> None:
    torch.manual_seed(5)
    expected = [torch.randn(3).tolist(), torch.rand(2).tolist()]
    torch.manual_seed(5)
    with record():
        found = [torch.randn(3).tolist()]
    assert [*found, torch.rand(2).tolist()] == expected


def test_version_counters_are_those_without_a_recording() -> None:
    with record():
        x = torch.zeros(3)
        y = x.view(3)
        assert (x._version, y._version) == (0, 0)
        x.add_(1)
        assert (x._version, y._version) == (1, 1)
        assert x.detach()._version == 1


def test_errors_are_those_without_a_recording() -> None:
    x = torch.ones(2, 3)
    with pytest.raises(RuntimeError) as expected:
        x @ x
    with pytest.raises(RuntimeError) as found, record():
        x @ x
    assert str(found.value) == str(expected.value)


def test_warnings_are_those_without_a_recording() -> None:
    def warned() -> list[tuple[str, str]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            y = torch.ones(2, requires_grad=True) * 2
            y.grad  # noqa: B018
        return [(str(each.message), each.filename) for each in caught]

    expected = warned()
    with record():
        assert warned() == expected
    assert expected


def test_a_failure_of_the_recorder_warns_once_and_drops_the_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recorder.Recorder, "_failed", _FAILED)

    def fails(*args: Any) -> None:
        raise LookupError("broken")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with record() as tape:
            x = torch.ones(2)
            with monkeypatch.context() as broken:
                broken.setattr(recorder.Recorder, "_note_operator", fails)
                y = x + 1
                z = y * 2
            z.sum()
    assert z.tolist() == [4, 4]
    assert [event.name for event in operators(tape)] == ["ones", "sum"]
    assert len(caught) == 1
    assert "LookupError: broken" in str(caught[0].message)


def test_no_tensor_lives_longer_for_a_recording(uncollected: None) -> None:
    with record():
        x = torch.ones(3, requires_grad=True)
        h = x * 2
        y = h.exp().sum()
        alive = [weakref.ref(h), weakref.ref(y.grad_fn)]
        y.backward()
        del h, y
        assert [each() for each in alive] == [None, None]


_UNARY = ("exp", "sin", "tanh", "relu", "neg", "square", "abs")
_BINARY = ("add", "sub", "mul", "maximum", "atan2")


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from((*_UNARY, *_BINARY, "add_", "index")), st.integers(0, 99)),
        min_size=1,
        max_size=12,
    )
)
def test_a_random_program_computes_the_same_bits_while_recorded(steps: list[Any]) -> None:
    def run() -> list[Any]:
        torch.manual_seed(1)
        leaves = [torch.randn(4, requires_grad=True) for _ in range(2)]
        tensors = [leaf * 1.5 for leaf in leaves]
        for name, number in steps:
            one, other = tensors[number % len(tensors)], tensors[number // 7 % len(tensors)]
            if name == "add_":
                tensors.append(one.clone().add_(other))
            elif name == "index":
                tensors.append(one[number % 4] * other)
            elif name in _UNARY:
                tensors.append(getattr(torch, name)(one * 0.1))
            else:
                tensors.append(getattr(torch, name)(one, other))
        torch.stack(tensors).sum().backward()
        grads = [leaf.grad for leaf in leaves]
        return [numpy.asarray(each.detach()).tobytes() for each in (*tensors, *grads)] + [
            each._version for each in tensors
        ]

    expected = run()
    with record():
        found = run()
    assert found == expected


# ---- notes


def test_autocast_that_is_first_met_in_a_recording_stands_inside_of_it() -> None:
    with record() as tape:
        recorders_own = WATCHERS[-1]
        x = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            torch.nn.functional.linear(x @ x, x)
            assert WATCHERS[-1] is recorders_own
    assert [event.name for event in operators(tape)] == ["ones", "matmul", "linear"]
    assert [tape.tensors[each].dtype for each in operators(tape)[1].ins] == ["float32"]


def test_a_backward_is_noted_node_by_node(recorded: Record) -> None:
    tape = recorded(
        "x = torch.ones(3, requires_grad=True)\n(x * 2).sum().backward(retain_graph=True)\n"
    )
    assert kinds(tape)[3:] == [
        *("backward", "node", "node", "accumulate", "backward_end"),
        "end",
    ]
    backward, first, second, leaf = tape.events[3:7]
    assert (backward.name, backward.keep, backward.create) == ("backward", True, False)
    names = [tape.nodes[event.node].name for event in (first, second, leaf)]
    assert names == ["SumBackward0", "MulBackward0", "AccumulateGrad"]
    assert tape.values[second.out_of[0]].array.tolist() == [2, 2, 2]
    assert tape.values[leaf.total].array.tolist() == [2, 2, 2]


def test_autograd_grad_is_noted_and_accumulates_nothing(recorded: Record) -> None:
    tape = recorded(
        "x = torch.ones(3, requires_grad=True)\ng, = torch.autograd.grad((x * x).sum(), x)\n"
    )
    assert "accumulate" not in kinds(tape)
    assert tape.events[3].name == "grad"


def test_a_graph_of_gradients_belongs_to_the_nodes_that_made_it(recorded: Record) -> None:
    tape = recorded(
        "x = torch.ones(3, requires_grad=True)\n"
        "g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)\n(g * g).sum().backward()\n"
    )
    made = [node.event for node in tape.nodes if node.event is not None]
    assert {tape.events[event].kind for event in made} == {"op", "node"}


def test_saved_values_are_the_tensors_of_the_program(recorded: Record) -> None:
    tape = recorded("w = torch.ones(2, 2, requires_grad=True)\nh = torch.sigmoid(w)\ny = h * w\n")
    names = {
        each.name: tape.tensors[each.tensor].name
        for node in tape.nodes
        for each in node.saved
        if each.tensor is not None
    }
    assert names == {"result": "h", "self": "h", "other": "w"}


def test_checkpointed_values_are_not_looked_at(recorded: Record) -> None:
    tape = recorded(
        "from minitorch.utils.checkpoint import checkpoint\nruns = []\n"
        "def f(x):\n    runs.append(1)\n    return (x * x).exp()\n"
        "y = checkpoint(f, torch.ones(2, requires_grad=True), use_reentrant=False)\n"
        "assert len(runs) == 1\ny.sum().backward()\nassert len(runs) == 2\n"
    )
    packed = {each.packed for node in tape.nodes for each in node.saved if each.name == "self"}
    assert "recomputed" in packed
    assert [event.name for event in operators(tape)].count("mul") == 2


def test_packed_values_are_not_unpacked(recorded: Record) -> None:
    tape = recorded(
        "seen = []\nx = torch.ones(2, requires_grad=True)\n"
        "hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: t, seen.append)\n"
        "with hooks:\n    y = x.exp()\nassert not seen\n"
    )
    assert [each.packed for each in tape.nodes[0].saved] == ["packed by a hook"]


def test_writes_are_noted_with_the_tensor_that_was_written(recorded: Record) -> None:
    tape = recorded("x = torch.zeros(3)\nx[0] = 1\nx.add_(2)\ny = x + 1\n")
    writes = [event.writes for event in operators(tape)]
    assert writes == [None, [0], [0], None]


def test_storages_die_when_the_program_lets_go_of_them(recorded: Record, uncollected: None) -> None:
    tape = recorded("x = torch.ones(3)\ny = x * 2\ndel x\nz = y + 1\nw = y.view(3)\ndel y\n")
    lives = [(each.bytes, each.born, each.died) for each in tape.storages]
    assert lives == [(12, 0, 2), (12, 1, None), (12, 2, None)]


def test_a_graph_lets_go_of_its_memory_node_by_node(recorded: Record, uncollected: None) -> None:
    tape = recorded(
        "x = torch.ones(3, requires_grad=True)\ny = x.exp().sin().exp().sum()\ny.backward()\n"
    )
    # The inner exp keeps its result for sin, which runs as event 9; no node keeps sin's.
    assert [each.died for each in tape.storages if each.born in (1, 2, 3)] == [10, 4, 8]


def test_modules_are_named_by_their_path(recorded: Record) -> None:
    tape = recorded(
        "m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())\nm(torch.ones(1, 2))\n"
    )
    assert [event.module for event in operators(tape)[-2:]] == [
        ["Sequential", "0:Linear"],
        ["Sequential", "1:ReLU"],
    ]
    assert [each.name for each in tape.tensors if each.param] == ["0.weight", "0.bias"]


def test_a_module_that_raises_leaves_the_stack(recorded: Record) -> None:
    tape = recorded(
        "class M(torch.nn.Module):\n    def forward(self, x):\n        raise ValueError\n"
        "try:\n    M()(1)\nexcept ValueError:\n    pass\ny = torch.ones(2)\n"
    )
    assert operators(tape)[-1].module is None


def test_a_step_of_an_optimizer_is_one_update(recorded: Record) -> None:
    tape = recorded(
        "w = torch.ones(2, requires_grad=True)\no = torch.optim.Adam([w], lr=0.5)\n"
        "(w * 2).sum().backward()\no.step()\no.zero_grad()\n"
    )
    update = next(event for event in tape.events if isinstance(event, Update))
    assert update.name == "Adam"
    before, after = [tape.values[each].array.tolist() for each in update.params[0][1:]]
    assert before == [1, 1]
    assert after == pytest.approx([0.5, 0.5])
    zero = next(event for event in tape.events if isinstance(event, Zero))
    assert (zero.tensors, zero.to) == ([0], "none")
    assert [event.name for event in operators(tape)] == ["ones", "mul", "sum"]


def test_a_closure_is_noted_and_the_optimizer_around_it_is_not(recorded: Record) -> None:
    tape = recorded(
        "w = torch.ones(2, requires_grad=True)\no = torch.optim.LBFGS([w], max_iter=2)\n"
        "def closure():\n    o.zero_grad()\n    loss = (w * w).sum()\n    loss.backward()\n"
        "    return loss\no.step(closure)\n"
    )
    assert {event.name for event in operators(tape)} == {"ones", "mul", "sum"}
    assert kinds(tape).count("update") == 1


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("x.grad = None", "none"),
        ("m.zero_grad()", "none"),
        ("m.zero_grad(set_to_none=False)", "zeros"),
    ],
)
def test_gradients_that_are_cleared_are_noted(recorded: Record, text: str, to: str) -> None:
    tape = recorded(
        "m = torch.nn.Linear(2, 1, bias=False)\nx = m.weight\nm(torch.ones(1, 2)).sum().backward()"
        f"\n{text}\n{text.replace('False', 'True')}\n"
    )
    zeros = [event for event in tape.events if isinstance(event, Zero)]
    assert zeros[0].to == to


def test_prints_are_noted_with_the_step_that_follows(
    recorded: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    tape = recorded("x = torch.ones(1)\nprint('a', 1)\ny = x + 1\nprint('b')\n")
    assert [event.out for event in tape.events] == [None, "a 1\n", "b\n"]
    assert capsys.readouterr().out == "a 1\nb\n"


def test_printing_a_tensor_is_no_step(recorded: Record) -> None:
    tape = recorded("x = torch.randn(3, 3)\nprint(x)\nf'{x.sum():.2f}'\n")
    assert [event.name for event in operators(tape)] == ["randn", "sum"]


@pytest.mark.parametrize("name", ["tolist", "numpy", "detach", "data", "item", "__float__"])
def test_what_leaves_autograd_is_noted(recorded: Record, name: str) -> None:
    call = {"data": "x.data", "__float__": "float(x)"}.get(name, f"x.{name}()")
    assert operators(recorded(f"x = torch.ones(1)\n{call}\n"))[-1].name == name


def test_a_function_of_the_programs_own_is_noted_with_what_is_inside(recorded: Record) -> None:
    tape = recorded(
        "class Cube(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        ctx.n = 3\n        return x * x * x\n"
        "    @staticmethod\n    def backward(ctx, g):\n"
        "        x, = ctx.saved_tensors\n        return g * 3 * x * x\n"
        "x = torch.ones(2, requires_grad=True)\nCube.apply(x).sum().backward()\n"
    )
    names = [event.name for event in operators(tape)]
    assert names == ["ones", "mul", "mul", "Cube", "sum", "mul", "mul", "mul"]
    node = next(node for node in tape.nodes if node.name == "CubeBackward")
    assert [(each.name, each.tensor, each.text) for each in node.saved] == [
        ("saved_tensors[0]", 0, None),
        ("ctx.n", None, "3"),
    ]
    assert tape.events[node.event].name == "Cube"


def test_an_error_is_a_step_with_its_place(recorded: Record) -> None:
    tape = recorded("x = torch.ones(2)\ndef f():\n    x @ torch.ones(3)\nf()\n", RuntimeError)
    assert tape.events[-1].kind == "error"
    assert tape.events[-1].text.startswith("RuntimeError: ")
    assert [tape.places[visit.place].line for visit in tape.events[-1].at] == [4, 3]


def test_leaving_a_program_is_no_error(recorded: Record) -> None:
    assert kinds(recorded("raise SystemExit(3)\n", SystemExit)) == ["end"]


def test_other_threads_are_noted_with_their_number() -> None:
    with record() as tape:
        x = torch.ones(2, requires_grad=True)
        thread = threading.Thread(target=lambda: (x * 2).sum().backward())
        thread.start()
        thread.join()
        torch.zeros(1)
    threads = [event.thread for event in tape.events]
    assert threads == [None, *[1] * (len(threads) - 3), None, None]


def test_lines_limit_what_is_noted(recorded: Record) -> None:
    with record(lines=range(10_000, 10_001)) as tape:
        (torch.ones(2, requires_grad=True) * 2).sum().backward()
    assert kinds(tape) == ["end"]


@pytest.mark.parametrize("values", ["small", "none"])
def test_values_can_be_left_out(recorded: Record, values: str) -> None:
    tape = recorded("x = torch.ones(1000) * 2\ny = x[:3] * 2\n", values=values)
    assert len(tape.values) == (1 if values == "small" else 0) + (values == "small")


@pytest.mark.parametrize(
    "text",
    [
        "torch.zeros(0, 3).sum()",
        "torch.tensor(True) & torch.tensor(False)",
        "torch.ones(2, dtype=torch.bfloat16) * 2",
        "torch.tensor([1 + 2j]).conj() * 1",
        "torch.ones(2, 2).to_sparse() * 2",
        "torch.ones(3).expand(4, 3).sum()",
        "torch.tensor([float('nan'), float('inf')]) + 1",
        "torch.arange(10) // 3",
    ],
)
def test_tensors_of_all_kinds_are_recorded(recorded: Record, text: str) -> None:
    assert len(operators(recorded(f"y = {text}\n"))) >= 1


def test_transforms_are_not_looked_into(recorded: Record) -> None:
    tape = recorded(
        "def f(x):\n    return (x * x).sum()\nx = torch.ones(3, 2)\ny = torch.vmap(f)(x)\n"
        "g = torch.func.grad(f)(x)\nz = y + 1\n"
    )
    names = [event.name for event in operators(tape)]
    assert names[0] == "ones"
    assert names[-1] == "add"


# ---- names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = torch.ones(2)\n", ["x"]),
        ("x, y = torch.ones(2), torch.zeros(2)\n", ["x", "y"]),
        ("a, b = torch.ones(2, 2).unbind(0)\n", [None, "a", "b"]),
        ("x = torch.ones(2) + 1\n", [None, "x"]),
        ("w = torch.nn.Parameter(torch.ones(2))\ny = w * 2\n", [None, "w", "y", None]),
        ("def f(v):\n    return v * 2\nf(torch.ones(2))\n", ["v", None]),
    ],
)
def test_tensors_have_the_names_of_the_source(
    recorded: Record, text: str, names: list[str | None]
) -> None:
    assert [each.name for each in recorded(text).tensors] == names


# ---- bad input


def test_a_recording_inside_a_recording_names_the_outer_line() -> None:
    with record(), pytest.raises(RuntimeError, match=r"test_recorder.py:\d+"), record():
        pass


def test_one_recording_after_another_is_fine() -> None:
    for _ in range(2):
        with record() as tape:
            torch.ones(1)
        assert kinds(tape) == ["op", "end"]


def test_a_block_cannot_be_entered_twice() -> None:
    block = record()
    with block:
        pass
    with pytest.raises(RuntimeError, match="call record\\(\\) again"):
        block.__enter__()


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="'all', 'small' or 'none', not 'many'"):
        record(values="many")
    with pytest.raises(ValueError, match="'minitorch' or 'torch', not 'jax'"):
        record("jax")


def test_a_recording_stops_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    before = state()["attributes"]
    monkeypatch.setattr(recorder, "VALUES_LIMIT", 3)
    monkeypatch.setattr(recorder, "LIMIT", 5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with record() as tape:
            for _ in range(10):
                torch.ones(2)
            assert state()["attributes"] == before
    assert kinds(tape) == [*["op"] * 5, "stopped"]
    assert [event.outs[0].value for event in operators(tape)] == [0, 0, 0, None, None]
    assert [("test_recorder.py" in str(each.message)) for each in caught] == [True, True]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_a_backward_creates_a_graph_if_the_program_says_so() -> None:
    from minitorch import masked  # from here on backwards through Functions run on Tensors

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    with record() as tape:
        Double.apply(x).sum().backward()
        Double.apply(x).sum().backward(create_graph=True)
    walks = [each for each in tape.events if isinstance(each, Backward)]
    assert [each.create for each in walks] == [False, True]
    assert masked
