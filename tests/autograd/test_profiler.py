"""Profiles: which events there are, how they nest, what tables and files show of them."""

import gzip
import json
import threading

import pytest

import minitorch as torch
from minitorch.autograd import profiler
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, TENSOR_FORMULAS, WALK_CLASSES
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.profiler import ProfilerAction, ProfilerActivity, profile, schedule
from minitorch.utils._python_dispatch import TorchDispatchMode


def counts(prof):
    return {event.key: event.count for event in prof.key_averages()}


def test_operators_and_nodes_are_seen():
    x = torch.randn(3, 4, requires_grad=True)
    layer = torch.nn.Linear(4, 2)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        layer(x).relu().sum().backward()
    seen = counts(prof)
    for name in ("aten::linear", "aten::addmm", "aten::relu", "AddmmBackward0", "ReluBackward0"):
        assert seen[name] == 1, name
    assert seen["aten::mm"] == 2  # in the backward
    assert seen["torch::autograd::AccumulateGrad"] == 3
    assert seen["autograd::engine::evaluate_function: SumBackward0"] == 1


def test_events_nest_and_their_times_add_up():
    x = torch.ones(4, 4)
    with profiler.profile() as prof, profiler.record_function("block"):
        torch.nn.functional.linear(x, x, x[0])
    block = prof.function_events[0]
    assert (block.name, block.is_user_annotation, block.cpu_parent) == ("block", True, None)
    linear = next(each for each in block.cpu_children if each.name == "aten::linear")
    assert [each.name for each in linear.cpu_children] == ["aten::t", "aten::addmm"]
    inside = sum(each.cpu_time_total for each in linear.cpu_children)
    assert linear.self_cpu_time_total == pytest.approx(linear.cpu_time_total - inside)
    assert linear.self_cpu_time_total > 0
    assert prof.self_cpu_time_total == pytest.approx(block.cpu_time_total)


@pytest.mark.usefixtures("no_garbage")
def test_nothing_is_left_behind():
    before = ASSEMBLED_GLOBALS["WATCHED"], list(WATCHERS), list(WALK_CLASSES), list(TENSOR_FORMULAS)
    with profile(), profile():
        assert before[0] < ASSEMBLED_GLOBALS["WATCHED"]
    assert before == (ASSEMBLED_GLOBALS["WATCHED"], WATCHERS, WALK_CLASSES, TENSOR_FORMULAS)


def test_gradients_are_the_same_under_a_profile():
    def gradients():
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.GELU(), torch.nn.Linear(4, 2))
        x = torch.randn(5, 3, requires_grad=True)
        torch.nn.functional.cross_entropy(net(x), torch.tensor([0, 1, 0, 1, 1])).backward()
        return [x.grad.tolist(), *[each.grad.tolist() for each in net.parameters()]]

    expected = gradients()
    with profile():
        assert gradients() == expected


def test_half_precision_and_nan_are_the_same_under_a_profile():
    def gradients():
        x = torch.linspace(-3, 3, 9).bfloat16().requires_grad_()
        y = torch.nn.functional.mish(x) * torch.nn.functional.silu(x)
        (y.sum() / y.sum() * 0 + y.prod()).backward()
        z = torch.zeros(2, requires_grad=True)
        (z / z).sum().backward()
        return x.grad.float().tolist(), str(z.grad)

    expected = gradients()
    with profile():
        assert gradients() == expected


def test_a_function_can_have_a_name_and_threads_have_numbers():
    @profiler.record_function("mine")
    def f():
        torch.ones(2).exp()

    with profiler.profile() as prof:
        f()
        thread = threading.Thread(target=f)
        thread.start()
        thread.join()
    assert [each.thread for each in prof.function_events if each.name == "mine"] == [1, 2]
    assert counts(prof)["aten::exp"] == 2


def test_tables_are_sorted_and_cut():
    with profile() as prof:
        (torch.ones(200, 200) @ torch.ones(200, 200)).exp()
        torch.ones(2)
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=1)
    lines = table.split("\n")
    assert [head.strip() for head in lines[1].split("  ") if head.strip()] == [
        "Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls",
    ]  # fmt: skip
    slowest = max(prof.key_averages(), key=lambda event: event.cpu_time_total)
    assert slowest.key in lines[3]
    assert lines[4] == lines[2] == lines[0]
    assert lines[5].startswith("Self CPU time total: ")
    with pytest.raises(AttributeError, match="nonsense"):
        prof.key_averages().table(sort_by="nonsense")


def test_memory_operations_and_shapes():
    with profile(profile_memory=True, with_flops=True, record_shapes=True) as prof:
        torch.ones(3, 4) @ torch.ones(4, 2)
    found = {each.key: each for each in prof.key_averages(group_by_input_shape=True)}
    product, whole = found["aten::mm"], found["aten::matmul"]
    assert product.input_shapes == [[3, 4], [4, 2]]
    assert product.flops == 2 * 3 * 4 * 2
    assert product.cpu_memory_usage == whole.cpu_memory_usage == 3 * 2 * 4
    assert whole.self_cpu_memory_usage == 0
    assert "Total FLOPs" in prof.key_averages().table()


def test_stacks(tmp_path):
    with profiler.profile(with_stack=True) as prof:
        (torch.ones(50, 50) @ torch.ones(50, 50)).exp()
    event = next(each for each in prof.function_events if each.name == "aten::exp")
    assert event.stack[0].startswith(f"{__file__}(")
    assert "test_stacks" in event.stack[0]
    prof.export_stacks(str(tmp_path / "stacks"))
    assert "test_stacks" in (tmp_path / "stacks").read_text()
    assert "Source Location" in prof.key_averages(group_by_stack_n=1).table()


def test_a_trace_can_be_written(tmp_path):
    with profile() as prof, profiler.record_function("block"):
        torch.ones(2).exp()
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    prof.export_chrome_trace(str(tmp_path / "again.json.gz"))
    trace = json.loads((tmp_path / "trace.json").read_text())
    names = {event["name"]: event["cat"] for event in trace["traceEvents"]}
    assert names["block"] == "user_annotation"
    assert names["aten::exp"] == "cpu_op"
    with gzip.open(tmp_path / "again.json.gz") as file:
        assert len(json.load(file)["traceEvents"]) == len(trace["traceEvents"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.json.gz", "trace.json"]


def test_a_schedule_says_which_steps_are_recorded():
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    letters = "".join([plan(step).name[0] + plan(step).name[-1] for step in range(11)])
    assert letters == "NENE" + "WPRDRE" + "NE" + "WPRDRE" + "NENE"
    ready = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
        on_trace_ready=lambda prof: ready.append((prof.step_num, counts(prof))),
    ) as prof:
        for _ in range(6):
            torch.ones(2).exp()
            prof.step()
    assert ready == [(4, {"ProfilerStep*": 2, "aten::ones": 2, "aten::exp": 2})]


def test_what_is_not_possible_says_so():
    with pytest.raises(AssertionError, match="Invalid profiler schedule arguments"):
        schedule(wait=1, warmup=1, active=0)
    with pytest.raises(ValueError, match="DEVICE_STOPPED is set internally"):
        profile(schedule=lambda step: ProfilerAction.DEVICE_STOPPED)
    with pytest.raises(AssertionError, match="before getting key averages"):
        profile().key_averages()
    with pytest.raises(RuntimeError, match="not reentrant"), profiler.profile() as prof:
        prof.__enter__()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        profiler.emit_nvtx().__enter__()
    with pytest.raises(NotImplementedError, match=r"emit_itt: no operator is marked"):
        profiler.emit_itt().__enter__()


def test_legacy_profile_says_that_it_has_not_ended():
    legacy = torch.autograd.profiler_legacy.profile()
    with pytest.raises(RuntimeError, match="didn't finish"):
        legacy.table()
    assert repr(legacy) == "<unfinished profiler_legacy.profile>"
    with legacy as prof:
        torch.ones(2) + 1
    assert "aten::add" in prof.key_averages().table()


def test_activities_are_numbers_to_python():
    assert int(torch.profiler.ProfilerActivity.CUDA) == 2
    assert [10, 20, 30][torch.profiler.ProfilerActivity.CUDA] == 30
    assert torch.profiler.DeviceType.CUDA.name == "CUDA"


def test_execution_traces_are_refused(tmp_path):
    observer = torch.profiler.ExecutionTraceObserver()
    with pytest.raises(NotImplementedError, match="ExecutionTraceObserver"):
        observer.register_callback(str(tmp_path / "trace.json"))
    observer.stop()
    assert not observer.is_running()
    trace = str(tmp_path / "trace.json")
    assert observer.get_resources_dir_for_et_path(trace) is None
    assert observer.get_resources_dir_for_et_path(trace, True) == str(tmp_path / "trace_resources")


def test_ranges_for_intels_tools_are_refused():
    assert not torch.profiler.itt.is_available()
    with pytest.raises(RuntimeError, match="not installed"), torch.profiler.itt.range("{}", "x"):
        pass


def test_record_function_is_seen_by_modes_as_two_operators():
    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), [type(each).__name__ for each in args]))
            return func(*args, **(kwargs or {}))

    with Mode(), torch.profiler.record_function("a block"):
        torch.ones(1) + 1
    names = [name for name, _ in seen]
    assert names[0] == "profiler._record_function_enter_new.default"
    assert names[-1] == "profiler._record_function_exit._RecordFunction"
    assert [seen[0][1], seen[-1][1]] == [["str"], ["ScriptObject"]]


def test_record_function_under_a_mode_gives_its_name_to_the_profile():
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    with profiler.profile() as taken, Mode(), profiler.record_function("a block"):
        torch.ones(1)
    assert "a block" in [event.name for event in taken.function_events]
