# Tracer.is_leaf_module
class Mine(torch.fx.Tracer):
    def is_leaf_module(self, m, module_qualified_name):
        print(type(m).__name__, module_qualified_name)
        return isinstance(m, nn.Linear)


net = nn.Sequential(
    nn.Linear(2, 2),
    nn.ReLU(),
    nn.Sequential(nn.LayerNorm(2), nn.Dropout()),
    nn.BatchNorm1d(2),
    nn.Conv1d(1, 1, 1),
)
print(Mine().trace(net))


# Tracer.create_arg and create_args_for_root
class Mine(torch.fx.Tracer):
    def create_arg(self, a):
        if isinstance(a, complex):
            return self.create_node("call_function", complex, (a.real, a.imag), {})
        return super().create_arg(a)


print(Mine().trace(lambda x: x * (1 + 2j)))

# Tracer.create_arg of what it does not know
torch.fx.symbolic_trace(lambda x: torch.add(x, object))


# Tracer.create_arg of an instance
class Thing:
    def __repr__(self):
        return "Thing()"


torch.fx.symbolic_trace(lambda x: torch.add(x, Thing()))


# Tracer.call_module
class Mine(torch.fx.Tracer):
    def call_module(self, m, forward, args, kwargs):
        print(type(m).__name__, self.path_of_module(m), args, kwargs)
        return super().call_module(m, forward, args, kwargs)


print(Mine().trace(nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU()))))


# Tracer.path_of_module of a stranger
class Net(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return nn.Linear(2, 2)(x)


torch.fx.symbolic_trace(Net())


# Tracer.proxy and create_proxy
class Mine(torch.fx.Tracer):
    def create_proxy(
        self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None
    ):
        made = super().create_proxy(kind, target, args, kwargs, name, type_expr, proxy_factory_fn)
        made.node.meta["kind"] = kind
        return made


graph = Mine().trace(lambda x: torch.relu(x) + 1)
print([(n.name, n.meta) for n in graph.nodes])


# Tracer.create_node
class Mine(torch.fx.Tracer):
    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        if kind == "call_function":
            name = f"mine_{target.__name__}"
        return super().create_node(kind, target, args, kwargs, name, type_expr)


print(Mine().trace(lambda x: torch.relu(torch.relu(x)) + 1))


# Tracer.to_bool
class Mine(torch.fx.Tracer):
    def to_bool(self, obj):
        print("asked", obj.node)
        return True


print(Mine().trace(lambda x: x + 1 if x.sum() > 0 else x - 1))


# Tracer.iter
class Mine(torch.fx.Tracer):
    def iter(self, obj):
        return iter([obj[0], obj[1]])


def f(x):
    a, b = x
    return a + b


print(Mine().trace(f))


# Tracer.keys
class Mine(torch.fx.Tracer):
    def keys(self, obj):
        return ["a", "b"]


print(Mine().trace(lambda x: [x[k] for k in x.keys()]))
print(torch.fx.symbolic_trace(lambda x: x.keys()).code)


# Tracer.getattr, and parameters as Proxies
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(2))

    def forward(self, x):
        if self.p.shape[0] == 2:
            return self.p * x
        return x


print(torch.fx.Tracer().trace(Net()))


class Whole(torch.fx.Tracer):
    param_shapes_constant = True


print(Whole(param_shapes_constant=True).trace(Net()))


# Tracer: a size of a parameter in a condition
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(2))

    def forward(self, x):
        if self.p.shape[0] == 2:
            return self.p * x
        return x


torch.fx.symbolic_trace(Net())


# Tracer with buffers as Proxies
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.ones(2))

    def forward(self, x):
        return self.b.sum() + x


class Mine(torch.fx.Tracer):
    proxy_buffer_attributes = True


print(torch.fx.Tracer().trace(Net()))
print(Mine().trace(Net()))

# Tracer with functions that are wrapped by themselves
import math
import types


def mine(x, y):
    return x


print(torch.fx.Tracer(autowrap_modules=(math,)).trace(lambda x: math.sqrt(x) + math.floor(x)))
own = types.ModuleType("own")
own.mine = mine
mine.__module__ = "own"
print(torch.fx.Tracer(autowrap_modules=(own,)).trace(lambda x: own.mine(x, 2)))


# symbolic_trace with concrete arguments
def f(x, flag, y=None):
    if flag:
        return x + 1 if y is None else x + y
    return x


print(torch.fx.symbolic_trace(f, concrete_args={"flag": True}).code)
print(torch.fx.symbolic_trace(f, concrete_args={"flag": False, "y": None}).code)
g = torch.fx.symbolic_trace(f, concrete_args={"flag": True, "y": 3})
print(g.code, g(1, True, 3))
g(1, False, 3)


# symbolic_trace with concrete trees
def f(x):
    return x["a"] + x["b"][0], x["b"][1]


g = torch.fx.symbolic_trace(f, concrete_args={"x": {"a": torch.fx.PH, "b": [torch.fx.PH, 5]}})
print(g.code, g.graph)
print(g({"a": 1, "b": [2, 5]}))

# symbolic_trace of PH alone
print(
    repr(torch.fx.PH),
    torch.fx.symbolic_trace(
        lambda x, y: (x, y), concrete_args={"x": (torch.fx.PH, torch.fx.PH)}
    ).code,
)

# symbolic_trace of what cannot be called
torch.fx.symbolic_trace(3)

# symbolic_trace of a partial function
import functools

torch.fx.symbolic_trace(functools.partial(torch.add, 2))


# symbolic_trace of a method
class Thing:
    def run(self, x):
        return x + self.step

    step = 2


print(torch.fx.symbolic_trace(Thing().run).code)

# symbolic_trace of a decorated function
import functools


def twice(f):
    @functools.wraps(f)
    def run(*args):
        return f(f(*args))

    return run


@twice
def g(x):
    return torch.relu(x)


print(torch.fx.symbolic_trace(g).code)


# symbolic_trace inside symbolic_trace
def f(x):
    inner = torch.fx.symbolic_trace(lambda y: y * 2)
    print(inner.code)
    return inner(x)


print(torch.fx.symbolic_trace(f).code)


# is_fx_tracing and friends
def f(x):
    print(
        torch.fx._symbolic_trace.is_fx_tracing(),
        torch.compiler.is_compiling(),
        torch.jit.is_scripting(),
        torch.jit.is_tracing(),
    )
    return x


torch.fx.symbolic_trace(f)
print(torch.fx._symbolic_trace.is_fx_tracing())


# Proxy in conditions, loops and numbers
def attempt(f):
    try:
        print(torch.fx.symbolic_trace(f).code)
    except Exception as e:
        print(type(e).__name__, e)


attempt(lambda x: 1 if x > 0 else 2)
attempt(lambda x: [a + 1 for a in x])
attempt(lambda x: (lambda a, b: a)(*x))
attempt(lambda x: (lambda **k: k)(**x))
attempt(lambda x: len(x))
attempt(lambda x: int(x))
attempt(lambda x: float(x))
attempt(lambda x: range(x))
attempt(lambda x: [1, 2][x])
attempt(lambda x: 3 in x)
attempt(lambda x: x and 1)
attempt(lambda x: not x)
attempt(lambda x: torch.ones(x.shape[0], 2))
attempt(lambda x: torch.ones(2, 3) @ x)
attempt(lambda x: x.shape[0] // 2)
attempt(lambda x: sum(x))
attempt(lambda x: max(x, 2))
attempt(lambda x: isinstance(x, torch.Tensor))
attempt(lambda x: str(x))
attempt(lambda x: f"{x}")
attempt(lambda x: x.no_such_thing)
attempt(lambda x: x.no_such_thing(2))
attempt(lambda x: x.dtype == torch.float32)
attempt(lambda x: hash(x) == hash(x))
attempt(lambda x: {x: 1})
attempt(lambda x: math_sqrt(x))
attempt(lambda x: x())
attempt(lambda x: complex(x))
attempt(lambda x: reversed(x))
attempt(lambda x: bool(x))


# Proxy with assertions that are traced
class Mine(torch.fx.Tracer):
    trace_asserts = True


def f(x):
    assert x.shape[0] > 2, "too small"
    assert x.dim() == 2
    return x + 1


graph = Mine().trace(f)
print(graph)
print(torch.fx.GraphModule({}, graph).code)


# Proxy assertions that are not traced
def f(x):
    assert x.shape[0] > 2, "too small"
    return x


torch.fx.symbolic_trace(f)


# Proxy attributes become methods
def f(x):
    shape = x.shape
    size = x.size
    return size(0), shape[0], x.T, x.mT.contiguous(), x.real, x.device, x.grad_fn, x.a.b.c(1)


print(torch.fx.symbolic_trace(f).graph)


# Proxy prints itself
def f(x):
    print(x, repr(x + 1), x.shape, x.y, type(x).__name__, type(x.shape).__name__)
    return x


torch.fx.symbolic_trace(f)


# Proxy in functions of torch, of F and of modules
def f(x):
    a = F.conv2d(x, torch.ones(1, 1, 2, 2), padding=1)
    b = F.interpolate(a, scale_factor=2, mode="nearest")
    c = F.softmax(b.flatten(1), dim=-1)
    d = F.layer_norm(c, (4,), eps=1e-6)
    e = torch.einsum("ij,kj->ik", d, d)
    return (
        torch.where(e > 0, e, torch.zeros_like(e)),
        torch.split(e, 2)[0],
        F.pad(e, (1, 1)),
        F.dropout(e, training=False),
    )


print(torch.fx.symbolic_trace(f).code)

# wrap of a function by its name
import math

torch.fx.wrap("len")
torch.fx.wrap("sqrt")
from math import sqrt


def f(x):
    return len(x) + sqrt(x)


print(torch.fx.symbolic_trace(f).code)


# wrap as a decorator
@torch.fx.wrap
def leaf(x, n=2):
    if x.sum() > 0:
        return x * n
    return x


g = torch.fx.symbolic_trace(lambda x: leaf(x, n=3) + 1)
print(g.code, g(torch.ones(2)))

# wrap of what is no function
torch.fx.wrap(3)


# wrap inside a function
def f():
    torch.fx.wrap("len")


f()


# Tracer.trace of a module with a method of another name
class Net(nn.Module):
    def forward(self, x):
        return x

    def other(self, x):
        return x * 2


class Mine(torch.fx.Tracer):
    traced_func_name = "other"


print(Mine().trace(Net()))


# Tracer.trace of a module without such a method
class Mine(torch.fx.Tracer):
    traced_func_name = "missing"


Mine().trace(nn.ReLU())


# Tracer records stack traces
class Mine(torch.fx.Tracer):
    record_stack_traces = True


def f(x):
    return torch.relu(x)


graph = Mine().trace(f)
print(["return torch.relu(x)" in (n.stack_trace or "") for n in graph.nodes])

# Tracer.get_fresh_qualname and constants
tracer = torch.fx.Tracer()
tracer.root = nn.Module()
tracer.root.a0 = 1
print(tracer.get_fresh_qualname("a"), tracer.get_fresh_qualname("b"))
del tracer


# Tracer and tensors of a module without a name
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = torch.ones(2)
        self.listed = [torch.zeros(2)]

    def forward(self, x):
        return x + self.plain + self.listed[0]


g = torch.fx.symbolic_trace(Net())
print(g.code, [n for n in dir(g) if "constant" in n or n == "plain"])


# ProxyableClassMeta
class Pair(metaclass=torch.fx.ProxyableClassMeta):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def add(self, other):
        return Pair(self.left + other.left, self.right + other.right)

    def mul(self):
        return self.left * self.right


def f(x, y):
    return Pair(x, y).add(Pair(y, x)).mul()


g = torch.fx.symbolic_trace(f)
print(g.code, g(torch.tensor(2), torch.tensor(3)))


# Scope and module stacks
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU()))

    def forward(self, x):
        return self.a(x) + 1


g = torch.fx.symbolic_trace(Net())
for node in g.graph.nodes:
    stack = node.meta.get("nn_module_stack", {})
    print(node.name, [(k, v[0], v[1].__name__) for k, v in stack.items()], sorted(node.meta))

# torch.fx.symbolic_trace: functions that torch writes in C++ have no code to trace
refusals = []
for function in (
    torch.sin,
    torch.add,
    torch.relu_,
    torch.stack,
    F.gelu,
    F.linear,
    F.conv2d,
    F.avg_pool2d,
    F.softplus,
    torch.linalg.inv,
    torch.fft.fft,
    torch.special.erf,
    torch.Tensor.sin,
    torch.Tensor.add,
):
    try:
        refusals.append(torch.fx.symbolic_trace(function).code)
    except AssertionError as error:
        refusals.append(str(error))
print(refusals)
del function
