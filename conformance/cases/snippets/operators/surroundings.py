# torch.compile: what is compiled is what it was
import warnings

warnings.simplefilter("ignore")
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
c = torch.compile(m, backend="eager")
print(c, list(c.state_dict()), len(c), [n for n, _ in c.named_parameters()], c.training)
c.eval()
c.foo = 3
print(m.training, c.training, m.foo, isinstance(c, nn.Module), type(c).__name__)
for options in ({"mode": "bad"}, {"backend": "bad"}, {"mode": "default", "options": {}}):
    try:
        torch.compile(m, **options)
    except RuntimeError as error:
        print(type(error).__name__, error)
for model, options in ((m, {"dynamic": 3}), (3, {})):
    try:
        torch.compile(model, **options)
    except AssertionError as error:
        print(error)
print(torch.compiler.is_compiling(), torch.compiler.disable(m) is m, torch.compiler.list_backends())

# torch.jit.isinstance: functions that are handed on
from typing import Dict, List, Optional, Tuple

print(torch.jit.is_scripting(), torch.jit.is_tracing(), torch.jit.annotate(int, 3))
a = torch.jit.isinstance([1, 2], List[int]), torch.jit.isinstance([1, "a"], List[int])
b = torch.jit.isinstance({"a": torch.ones(1)}, Dict[str, torch.Tensor])
c = torch.jit.isinstance((1, 2), Tuple[int, int]), torch.jit.isinstance(None, Optional[int])
for wrong in (3, abs):
    try:
        torch.jit.script(wrong)
    except TypeError as error:
        print(error)
try:
    torch.jit.trace(3, torch.ones(2))
except RuntimeError as error:
    print(error)
d = torch.jit.trace(lambda x: x * 2, torch.ones(2), check_trace=False)(torch.arange(3.0))

# torch.overrides.wrap_torch_function: functions of one's own that others take over
from torch.overrides import handle_torch_function, has_torch_function, is_tensor_like


class Mine:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, [each.__name__ for each in types], len(args), kwargs


class Declines:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Sub(torch.Tensor):
    pass


def plus(x, y):
    if has_torch_function((x, y)):
        return handle_torch_function(plus, (x, y), x, y)
    return x + y


print(plus(torch.ones(1), Mine()), plus(torch.ones(1), torch.ones(1)), plus(Mine(), Mine()))
print(type(plus(Sub([1.0]), torch.ones(1))).__name__, is_tensor_like(Mine()), is_tensor_like(3))
print(has_torch_function((torch.ones(1),)), has_torch_function((Sub([1.0]), 3)))
try:
    plus(Declines(), 1)
except TypeError as error:
    print(str(error).partition(":")[0])


@torch.overrides.wrap_torch_function(lambda x: (x,))
def double(x):
    return x * 2


print(double(Mine()), double(torch.ones(1)))

# torch.mps.device_count: devices that are not there
said = []
for question in (
    torch.mps.device_count,
    torch.mps.synchronize,
    torch.mps.empty_cache,
    torch.mps.current_allocated_memory,
    torch.xpu.is_available,
    torch.xpu.device_count,
    torch.xpu.synchronize,
    torch.mtia.is_available,
    torch.cpu.synchronize,
    torch.cpu.device_count,
    torch.accelerator.current_stream,
    torch.accelerator.memory_allocated,
    torch.accelerator.empty_cache,
    torch.accelerator.synchronize,
    torch.accelerator.current_device_index,
    torch.backends.cuda.flash_sdp_enabled,
    torch.backends.kleidiai.is_available,
    torch.distributed.is_initialized,
):
    try:
        said.append(question())
    except (RuntimeError, AssertionError) as error:
        said.append(f"{type(error).__name__}: {error}")
with torch.cpu.stream(torch.cpu.Stream()), torch.cpu.StreamContext(None):
    said.append(torch.cpu.Event().query())
print(said)

# torch.compile: backends of a program's own get its graphs
counted = []


def backend(graph, examples):
    counted.append([tuple(getattr(each, "shape", ())) for each in examples])
    print(graph.code.strip())
    return graph.forward


def broken(x):
    y = x * 2
    return y + 1 if y.sum() > 0 else y


def written(params, options):
    for param in params:
        param.add_(options["lr"])
    return params[0].shape[0], params[1][1:], 1.0 - params[0], 2 / params[0], -params[0]


def quiet(x):
    with torch.no_grad():
        y = x * 2
    return y + x


held = torch.ones(2)
for function, *given in (
    (lambda x, y: torch.relu(y) + (x + 1).relu() * y.sum(), torch.ones(2), torch.ones(2)),
    (broken, torch.ones(2)),
    (written, [torch.ones(2), torch.ones(3)], {"lr": torch.tensor(0.5)}),
    (quiet, torch.ones(2, requires_grad=True)),
    (lambda x: x * held, torch.ones(2)),
    (lambda x: x.max(0)[0], torch.ones(2, 2)),
):
    print(torch.compile(function, backend=backend)(*given))
print(counted)
try:
    torch.compile(lambda x: x + 1, backend=lambda graph, examples: None)(held)
except RuntimeError as error:
    print(type(error).__name__, error)
