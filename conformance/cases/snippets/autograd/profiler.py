# Tensor.relu: which operators and nodes a profile sees
from torch.profiler import ProfilerActivity, profile

x = torch.randn(3, 4, requires_grad=True)
layer = nn.Linear(4, 2)
with profile(activities=[ProfilerActivity.CPU]) as prof:
    y = layer(x).relu().sum()
    y.backward()
seen = {event.key: event.count for event in prof.key_averages()}
for name in ("linear", "addmm", "relu", "threshold_backward", "mm"):
    print(name, seen[f"aten::{name}"])
for name in ("Sum", "Relu", "Addmm"):
    print(seen[f"{name}Backward0"])
    print(seen[f"autograd::engine::evaluate_function: {name}Backward0"])
print(seen["autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"])
del prof, seen, profile, ProfilerActivity

# Tensor.cos: a block with a name, and what is inside of it
from torch.profiler import profile, record_function

x = torch.ones(2)
with profile() as prof:
    with record_function("outer"):
        x.exp()
        with record_function("inner"):
            x.sin().cos()
for event in prof.events():
    parent = event.cpu_parent
    print(event.name, parent and parent.name, event.is_user_annotation, event.thread, event.count)
    print([child.name for child in event.cpu_children], event.device_type, event.scope)
    assert event.cpu_time_total >= event.self_cpu_time_total >= 0
del prof, event, parent, profile, record_function

# Tensor.exp: a function with a name
from torch.autograd.profiler import profile, record_function


@record_function("mine")
def f(x):
    return x.exp()


with profile() as prof:
    f(torch.ones(2))
    f(torch.ones(2))
print({event.key: event.count for event in prof.key_averages() if "e" in event.key[-4:]})
del prof, f, profile, record_function

# Tensor.split: the columns of a table
from torch.profiler import profile

with profile() as prof:
    (torch.ones(2) + 1).exp()
table = prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=1)
lines = table.split("\n")
print(len(lines), lines[-3][:5], lines[-2][:20])
print([cell.strip() for cell in lines[1].split("  ") if cell.strip()])
del prof, table, lines, profile

# Tensor.split: a table with a title, of the outermost events
from torch.profiler import profile, record_function

with profile() as prof, record_function("a block with a name that is long"):
    torch.ones(2).exp()
table = prof.events().table(
    header="TITLE", top_level_events_only=True, max_name_column_width=20, time_unit="us"
)
lines = table.split("\n")
print([line for line in lines if "us" not in line])
del prof, table, lines, profile, record_function

# torch.profiler: a table of nothing
from torch.autograd.profiler import EventList

print(repr(EventList().table()), EventList(), EventList().self_cpu_time_total)
del EventList

# Tensor.split: memory and operations
from torch.profiler import profile

with profile(profile_memory=True, with_flops=True, record_shapes=True) as prof:
    x = torch.ones(3, 4) @ torch.ones(4, 2)
    y = torch.ones(5) * torch.ones(5)
for event in prof.key_averages():
    if event.key in ("aten::mm", "aten::mul"):
        print(event.key, event.cpu_memory_usage, event.self_cpu_memory_usage, event.flops)
        print(event.device_memory_usage, event.input_shapes)
for event in prof.key_averages(group_by_input_shape=True):
    if event.key in ("aten::mm", "aten::mul", "aten::matmul"):
        print(event.key, event.input_shapes)
heads = prof.key_averages().table().split("\n")[1]
print([head.strip() for head in heads.split("  ") if head.strip()])
del prof, event, heads, profile

# Tensor.exp: steps and their schedule
from torch.profiler import ProfilerAction, profile, schedule

plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
print([plan(step).name for step in range(12)])
plan = schedule(wait=2, warmup=1, active=1, skip_first_wait=1)
print([plan(step).name for step in range(8)])
print(list(ProfilerAction))
ready = []


def note(prof):
    counts = {
        e.key: e.count for e in prof.key_averages() if e.key in ("ProfilerStep*", "aten::exp")
    }
    ready.append((prof.step_num, counts))


with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1), on_trace_ready=note) as prof:
    for step in range(6):
        torch.ones(2).exp()
        prof.step()
print(ready)
del prof, plan, note, ready, profile, schedule, ProfilerAction

# Tensor.exp: cycles that follow one another
import warnings

from torch.profiler import profile, schedule

warnings.simplefilter("ignore")  # of events that are cleared torch warns once in a process
for acc_events in (False, True):
    ready = []
    with profile(
        schedule=schedule(wait=0, warmup=1, active=1),
        on_trace_ready=lambda prof: ready.append(prof.step_num),
        acc_events=acc_events,
    ) as prof:
        for step in range(5):
            torch.ones(2).exp()
            prof.step()
    print(ready, [e.count for e in prof.key_averages() if e.key == "aten::exp"])
del prof, ready, profile, schedule

# torch.profiler: a schedule that cannot be
from torch.profiler import schedule

schedule(wait=1, warmup=1, active=0)

# torch.profiler: a schedule without warming up, and a step that cannot be
from torch.profiler import schedule

plan = schedule(wait=1, warmup=0, active=1)
try:
    plan(-1)
except AssertionError as error:
    print(error)
del plan, schedule

# Tensor.exp: a schedule that goes astray
from torch.profiler import ProfilerAction, profile

actions = [ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.NONE, ProfilerAction.NONE]
with profile(schedule=actions.__getitem__) as prof:
    for step in range(3):
        torch.ones(2).exp()
        prof.step()
del prof, profile, actions, ProfilerAction

# torch.profiler: a schedule that says what it must not
from torch.profiler import ProfilerAction, profile

profile(schedule=lambda step: ProfilerAction.DEVICE_STOPPED)

# torch.profiler: profiles that were not opened
from torch.profiler import profile

prof = profile()
for ask in (prof.key_averages, prof.events, prof.stop_trace, lambda: prof.export_chrome_trace("")):
    try:
        ask()
    except AssertionError as error:
        print(error)
del prof, ask, profile

# torch.profiler: nothing to profile
from torch.profiler import profile

profile(activities=[])

# torch.profiler: a profile that is opened twice
from torch.autograd.profiler import profile

prof = profile()
print(prof, repr(prof))
with prof:
    pass
with prof:
    pass

# torch.ones: a profile that is not enabled
from torch.autograd.profiler import profile

with profile(enabled=False) as prof:
    torch.ones(2)
print(prof)
del prof, profile

# torch.profiler: devices that are not there
from torch.autograd.profiler import profile

for options in ({"use_device": "foo"}, {"use_cuda": True}, {"use_device": "xpu"}):
    try:
        print(profile(**options).use_device)
    except Exception as error:
        print(type(error).__name__, error)
del profile

# torch.profiler: only a device
from torch.autograd.profiler import profile

profile(use_cpu=False)

# torch.profiler: stacks without stacks
from torch.autograd.profiler import profile

with profile() as prof:
    pass
prof.export_stacks("stacks.txt")

# Tensor.exp: a trace in a file
import json
import os
import tempfile

from torch.profiler import profile, record_function

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "trace.json")
    with profile() as prof, record_function("block"):
        torch.ones(2).exp()
    prof.export_chrome_trace(path)
    with open(path) as file:
        trace = json.load(file)
print(sorted({"schemaVersion", "traceEvents", "traceName", "displayTimeUnit"} & trace.keys()))
events = {e["name"]: e for e in trace["traceEvents"] if e["ph"] == "X"}
for name in ("block", "aten::exp"):
    print(events[name]["cat"], events[name]["dur"] > 0, events[name]["ts"] > 0)
del prof, path, folder, trace, events, file, json, os, tempfile, profile, record_function

# Tensor.split: the sum of all events, and what prints
from torch.profiler import profile

with profile() as prof:
    torch.ones(2).exp()
total = prof.key_averages().total_average()
print(total.key, total.count > 1, type(total).__name__, type(prof.events()).__name__)
print(type(prof), type(prof.events()), type(prof.events()[0]))
print(str(total).split(" ")[:2], str(prof.events()[0]).split(" ")[0])
del prof, total, profile

# Tensor.values: smaller things
import torch.autograd.profiler as profiler
from torch.profiler import DeviceType, ProfilerActivity, kineto_available, supported_activities

print(kineto_available(), supported_activities(), list(ProfilerActivity.__members__))
print([device.name for device in DeviceType.__members__.values()])
unique = profiler.EnforceUnique()
unique.see(1, 2)
print(profiler.KinetoStepTracker.current_step())
print(profiler.emit_nvtx(enabled=False).__enter__(), profiler.emit_itt(enabled=False).__enter__())
try:
    unique.see(1, 2)
except RuntimeError as error:
    print(error)
del profiler, unique, DeviceType, ProfilerActivity, kineto_available, supported_activities

# nn.GELU: gradients are the same while somebody takes the time
from torch.profiler import profile

net = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 2))
x = torch.randn(5, 3, requires_grad=True)
with profile():
    F.cross_entropy(net(x), torch.tensor([0, 1, 0, 1, 1])).backward()
grads = [p.grad for p in net.parameters()]
(g,) = torch.autograd.grad(net(x).sum(), x)
del profile
