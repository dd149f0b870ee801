# GraphModule of a root module takes what the graph names
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.idle = nn.Linear(9, 9)
        self.p = nn.Parameter(torch.ones(3))
        self.register_buffer("b", torch.zeros(3))
        self.unused = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.used(x) * self.p + self.b


g = torch.fx.symbolic_trace(Net())
print(
    g,
    type(g).__name__,
    g._get_name(),
    [n for n, _ in g.named_parameters()],
    [n for n, _ in g.named_buffers()],
)
print(g.code)
print(list(g.state_dict()), g.training, type(g).__mro__[1].__name__)
out = g(torch.ones(1, 2))

# GraphModule of a dict
graph = torch.fx.Graph()
x = graph.placeholder("x")
a = graph.get_attr("a.weight")
b = graph.call_module("b", (x,))
graph.output((a, b))
g = torch.fx.GraphModule({"a.weight": torch.ones(2), "b": nn.ReLU()}, graph, class_name="Mine")
print(g, g.code, type(g).__name__)
out = g(torch.arange(-1.0, 2))

# GraphModule of a dict without what the graph names
graph = torch.fx.Graph()
graph.output(graph.call_module("b", (graph.placeholder("x"),)))
torch.fx.GraphModule({}, graph)

# GraphModule of something else
torch.fx.GraphModule([], torch.fx.Graph())


# GraphModule.print_readable
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(2, 3), nn.ReLU())

    def forward(self, x: torch.Tensor, y=None):
        return self.a(x), y


g = torch.fx.symbolic_trace(Net())
print(g.print_readable(print_output=False))
print(g.print_readable(False, include_stride=True, include_device=True))

# GraphModule.print_readable with values
g = torch.fx.symbolic_trace(lambda x: torch.relu(x).t())
for node in g.graph.nodes:
    node.meta["val"] = torch.ones(2, 3, dtype=torch.float16)
    node.meta["stack_trace"] = '  File "a.py", line 3, in f\n    return x\n'
print(g.print_readable(print_output=False, include_stride=True, include_device=True))
print(g.print_readable(print_output=False, expanded_def=True))

# GraphModule of GraphModules prints each
inner = torch.fx.symbolic_trace(lambda x: torch.relu(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) + 1


class Leaves(torch.fx.Tracer):
    def is_leaf_module(self, m, name):
        return True


net = Net()
g = torch.fx.GraphModule(net, Leaves().trace(net))
print(g.print_readable(print_output=False))
print(g)

# GraphModule.recompile after a change
g = torch.fx.symbolic_trace(lambda x: torch.relu(x))
node = list(g.graph.nodes)[1]
node.target = torch.sigmoid
a = g(torch.ones(2))
code = g.recompile()
print(g.code, type(code).__name__)
del code
b = g(torch.ones(2))

# GraphModule.graph is set
g = torch.fx.symbolic_trace(lambda x: torch.relu(x))
h = torch.fx.symbolic_trace(lambda x: torch.neg(x))
g.graph = h.graph
print(g.code, g.graph is h.graph, g.graph.owning_module is None)
g.graph = 3

# GraphModule deep copies and shallow copies
import copy

g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
g.meta["mark"] = 1
g.extra = 5
h = copy.deepcopy(g)
s = copy.copy(g)
print(h.code, h.meta, s.meta, h._get_name(), getattr(h, "extra", None))
print(
    getattr(h, "0").weight is getattr(g, "0").weight,
    getattr(s, "0").weight is getattr(g, "0").weight,
)
a, b = g(torch.ones(1, 2)), h(torch.ones(1, 2))

# GraphModule pickles
import pickle


g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
h = pickle.loads(pickle.dumps(g))
print(h.code, h, list(h.state_dict()))
a, b = g(torch.ones(1, 2)), h(torch.ones(1, 2))

# GraphModule is saved and loaded
import io

g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
file = io.BytesIO()
torch.save(g, file)
file.seek(0)
h = torch.load(file, weights_only=False)
print(h.code)
a, b = g(torch.ones(1, 2)), h(torch.ones(1, 2))

# GraphModule.to_folder
import pathlib
import tempfile

g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
with tempfile.TemporaryDirectory() as folder:
    g.to_folder(folder, "Written")
    print(sorted(p.name for p in pathlib.Path(folder).iterdir()))
    print(pathlib.Path(folder, "module.py").read_text().replace(folder, "FOLDER"))
    print(pathlib.Path(folder, "__init__.py").read_text())
del folder

# GraphModule.add_submodule and delete_submodule
g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
print(g.add_submodule("new.deep.relu", nn.ReLU6()), g.add_submodule("0.weight.x", nn.ReLU()))
print(g)
print(g.delete_submodule("new.deep.relu"), g.delete_submodule("no.such"), g.delete_submodule("1"))
print(g)


# GraphModule.delete_all_unused_submodules
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.ReLU())

    def forward(self, x):
        return self.b[1](self.b[0](self.a(x)))


g = torch.fx.symbolic_trace(Net())
for node in g.graph.nodes:
    if node.target == "b.0":
        node.replace_all_uses_with(node.args[0])
        g.graph.erase_node(node)
g.delete_all_unused_submodules()
g.recompile()
print(g, g.code)

# GraphModule: an error in the code says where
g = torch.fx.symbolic_trace(lambda x, y: torch.relu(x) @ y)
g(torch.ones(2, 3), torch.ones(2, 3))

# GraphModule calls its hooks and those of its children
g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
seen = []
g.register_forward_hook(lambda m, args, out: seen.append(type(m).__name__))
getattr(g, "0").register_forward_hook(lambda m, args, out: seen.append(type(m).__name__))
g(torch.ones(1, 2))
print(seen)

# GraphModule moves, trains and loads
g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5)))
g.eval()
print(g.training, getattr(g, "1").training)
g.double()
g.load_state_dict({k: torch.ones_like(v) for k, v in g.state_dict().items()})
out = g(torch.ones(1, 2, dtype=torch.double))
for p in g.parameters():
    p.requires_grad_(False)
print(sum(p.numel() for p in g.parameters()))


# GraphModule of a subclass
class Mine(torch.fx.GraphModule):
    def extra(self):
        return len(self.graph.nodes)


root = nn.Sequential(nn.Linear(2, 2))
g = Mine(root, torch.fx.Tracer().trace(root))
print(type(g).__name__, g.extra(), g)

# GraphModule: attributes of constants
c = torch.ones(2)
g = torch.fx.symbolic_trace(lambda x: x + c + torch.ones(2))
print(g.code, g._tensor_constant0, [n for n, _ in g.named_buffers()], list(g.state_dict()))

# GraphModule: functions with annotations print them
from typing import Dict, List, Optional, Tuple, Union


def f(
    x: torch.Tensor,
    y: Optional[int] = None,
    z: List[torch.Tensor] = (),
    *,
    w: Dict[str, Tuple[int, ...]] = None,
) -> Tuple[torch.Tensor, Union[int, str]]:
    return x + 1, 2


g = torch.fx.symbolic_trace(f)
print(g.code, [n.type for n in g.graph.nodes])


def h(
    x: "torch.Tensor", n: int | None, m: list[int], d: torch.dtype = torch.float32
) -> torch.nn.Parameter:
    return x.to(d)


print(torch.fx.symbolic_trace(h).code)

# GraphModule: kwargs, varargs and positional-only arguments
print(torch.fx.symbolic_trace(lambda *args: args[0] + args[1]).code)
print(torch.fx.symbolic_trace(lambda x, *args, y=1, **kw: x + y).code)


def f(a, b, /, c, *, d=2):
    return a + b + c + d


g = torch.fx.symbolic_trace(f)
print(g.code, g(1, 2, 3, d=4))


# GraphModule: code of operators, slices, comparisons
def f(x, y):
    a = x + y - 1 * x / 2 // 3 % 4**y
    b = -x, ~y, +x, abs(x)
    c = x < y, x <= 1, x == y, x != y, x > y, x >= y
    d = x & y | x ^ y, x << 1, x >> 1
    e = x @ y, 1 + x, 1 - x, 1 / x, 2**x, 3 // x, 3 % x
    i = x[0], x[1:], x[:, None], x[..., 1], x[y]
    return a, b, c, d, e, i, divmod(x, y), round(x)


torch.fx.symbolic_trace(f)


# GraphModule: code of operators and of slices
def f(x, y):
    a = x + y - 1 * x / 2 // 3 % 4**y
    b = -x, ~y, +x
    c = x < y, x <= 1, x == y, x != y, x > y, x >= y
    d = x & y | x ^ y, x << 1, x >> 1
    e = x @ y, 1 + x, 1 - x, 1 / x, 2**x, 3 // x, 3 % x
    i = x[0], x[1:], x[:, None], x[..., 1], x[y], x[-1:2, ::2]
    return a, b, c, d, e, i


g = torch.fx.symbolic_trace(f)
print(g.code)


# GraphModule: code of in-place operators
def f(x, y):
    x += y
    x *= 2
    x -= 1
    x /= 3
    x[0] = y
    return x


torch.fx.symbolic_trace(f)


# GraphModule: code of in-place operators without items
def f(x, y):
    x += y
    x *= 2
    y -= x
    x /= 3
    x |= y
    x @= y
    return x, y


print(torch.fx.symbolic_trace(f).code)


# GraphModule: names of dtypes, devices, formats and infinite numbers
def f(x):
    x = x.to(torch.device("cpu"), torch.bfloat16).contiguous(memory_format=torch.channels_last)
    x = x.clamp(-float("inf"), float("inf")).nan_to_num(float("nan")).reshape(torch.Size([1, -1]))
    return x.to(dtype=torch.complex64) * 2j, torch.zeros(2, layout=torch.strided)


print(torch.fx.symbolic_trace(f).code)

# GraphModule: named tuples as results
from collections import namedtuple

Pair = namedtuple("Pair", ["a", "b"])


g = torch.fx.symbolic_trace(lambda x: Pair(x + 1, x))
print(g.code)

# GraphModule in another GraphModule is traced again
inner = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x + 1)


g = torch.fx.symbolic_trace(Net())
print(g.code, g)
h = torch.fx.symbolic_trace(g)
print(h.code)


# GraphModule with shared parameters and modules
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = self.a
        self.c = nn.Linear(2, 2)
        self.c.weight = self.a.weight

    def forward(self, x):
        return self.c(self.b(self.a(x))) * self.c.weight


g = torch.fx.symbolic_trace(Net())
print(g.code, g, len(list(g.parameters())), list(g.state_dict()))
