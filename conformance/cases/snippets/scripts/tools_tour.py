"""What surrounds training: the timer, hooks as handles, versions, devices, profiler, finder of rates."""

import copy
import io
import math
import pickle
from collections import OrderedDict

import torch
from torch import nn
from torch.utils.benchmark import Timer
from torch.utils.hooks import RemovableHandle

torch.manual_seed(0)
timer = Timer(
    stmt="y = x @ w",
    setup="x = torch.ones(4, 4); w = torch.eye(4)",
    globals={"torch": torch},
    label="products",
)
measured = timer.timeit(20)
print(type(measured).__name__, measured.number_per_run, measured.median > 0, len(measured.times))
print(measured.task_spec.stmt, measured.task_spec.setup, measured.title)
repeated = timer.blocked_autorange(min_run_time=0.001)
print(repeated.mean > 0, repeated.iqr >= 0, repeated.has_warnings in (True, False))

hooks: OrderedDict = OrderedDict()
handle = RemovableHandle(hooks)
hooks[handle.id] = print
handle.remove()
print(hooks, handle.id >= 0)
layer = nn.Linear(2, 2)
with layer.register_forward_hook(lambda module, args, out: print("seen", out.shape)) as held:
    layer(torch.ones(1, 2))
layer(torch.ones(1, 2))
print(len(layer._forward_hooks))

print(
    torch.__version__.split(".")[0], torch.version.hip, isinstance(torch.version.git_version, str)
)
print(torch.__version__ >= "2.0", type(torch.__version__).__name__, torch.version.__version__[:2])
print(isinstance(torch.__config__.show(), str), isinstance(torch.__config__.parallel_info(), str))
torch.set_num_interop_threads(3)  # which a process can say once
print(torch.get_num_interop_threads())
try:
    torch.set_num_interop_threads(4)
except RuntimeError as error:
    print(error)
print(torch.cuda.is_initialized(), torch.backends.cudnn.enabled)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.get_num_threads() > 0, torch.is_grad_enabled(), torch.get_default_dtype())
if not torch.cuda.is_available():
    print(
        device,
        torch.cuda.device_count(),
        torch.cuda.memory_allocated(),
        torch.cuda.is_bf16_supported(),
    )
    torch.cuda.empty_cache()
    torch.cuda.manual_seed_all(3)
    for call in (
        torch.cuda.current_device,
        torch.cuda.get_device_name,
        torch.cuda.synchronize,
        lambda: torch.ones(1, device="cuda"),
        lambda: torch.ones(1).cuda(),
    ):
        try:
            call()
        except (AssertionError, RuntimeError) as error:
            print(type(error).__name__, str(error).splitlines()[0][:60])
print(torch.backends.mps.is_available(), torch.backends.mkl.is_available() in (True, False))

model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(64, 3)
y = x.prod(1, keepdim=True)
start = copy.deepcopy(model.state_dict())
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: (1e4) ** (step / 30))
best, curve = math.inf, []
for step in range(31):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    rate = scheduler.get_last_lr()[0]
    optimizer.step()
    scheduler.step()
    curve.append((rate, loss.item()))
    best = min(best, loss.item())
    if loss.item() > 4 * best or math.isnan(loss.item()):
        break
print(len(curve), [f"{rate:.2e}: {loss:.4f}" for rate, loss in curve[::6]])
print(model.load_state_dict(start))

averaged = torch.optim.swa_utils.AveragedModel(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.05, total_steps=24)
swa = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.01, anneal_epochs=4)
for step in range(36):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    if step < 24:
        cycle.step()
    else:
        averaged.update_parameters(model)
        swa.step()
    if step % 9 == 0:
        print(f"{step}: {loss.item():.5f} at {optimizer.param_groups[0]['lr']:.6f}")
print(averaged.n_averaged, f"{nn.functional.mse_loss(averaged(x), y).item():.4f}")

stored = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 36}, stored)
stored.seek(0)
read = torch.load(stored, weights_only=True)
print(list(read), read["optimizer"]["param_groups"][0]["betas"])
twin = pickle.loads(pickle.dumps(model))
print(all(torch.equal(a, b) for a, b in zip(twin.parameters(), model.parameters())))
for wrong in (
    {"0.weight": torch.ones(8, 3)},
    {**model.state_dict(), "0.bias": torch.ones(3), "x": torch.ones(1)},
):
    try:
        model.load_state_dict(wrong)
    except RuntimeError as error:
        print(error)
print(model.load_state_dict({"0.bias": torch.zeros(8)}, strict=False))

with torch.autograd.profiler.record_function("forward"):
    model(x)
with torch.autograd.detect_anomaly(check_nan=True):
    z = torch.tensor([-1.0], requires_grad=True)
    try:
        z.sqrt().backward()
    except RuntimeError as error:
        print(error)
