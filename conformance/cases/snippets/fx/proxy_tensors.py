# make_fx of operators
from torch.fx.experimental.proxy_tensor import make_fx


def f(x, y):
    return torch.relu(x) * y + x.sum(), x @ y.t(), x[0], torch.cat([x, y])


g = make_fx(f)(torch.randn(2, 3), torch.randn(2, 3))
print(g.graph, g.code, g)
out = g(torch.ones(2, 3), torch.ones(2, 3))

# make_fx of a module
from torch.fx.experimental.proxy_tensor import make_fx

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
g = make_fx(net)(torch.randn(5, 3))
print(g.code, [n for n, _ in g.named_parameters()])
out = g(torch.ones(1, 3))

# make_fx of a module in evaluation mode
from torch.fx.experimental.proxy_tensor import make_fx

net = nn.Sequential(
    nn.Conv2d(1, 2, 3),
    nn.BatchNorm2d(2),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Dropout(),
    nn.LayerNorm(8),
    nn.Softmax(-1),
)
g = make_fx(net.eval())(torch.randn(5, 1, 6, 6))
print(g.code)
out = g(torch.ones(1, 1, 6, 6))

# make_fx of a gradient
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    x = x.detach().requires_grad_()
    y = (x * x).sum()
    return torch.autograd.grad(y, x)[0]


g = make_fx(f)(torch.randn(3))
print(g.code)
out = g(torch.ones(3))

# make_fx of func.grad
from torch.fx.experimental.proxy_tensor import make_fx

g = make_fx(torch.func.grad(lambda x: (torch.sin(x) * x).sum()))(torch.randn(3))
print(g.code)
out = g(torch.ones(3))

# make_fx of vmap
from torch.fx.experimental.proxy_tensor import make_fx

g = make_fx(torch.func.vmap(lambda x, y: torch.dot(x, y)))(torch.randn(2, 3), torch.randn(2, 3))
print(g.code)

# make_fx of func.grad of a model by functional_call
from torch.fx.experimental.proxy_tensor import make_fx

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
params = {k: v.detach() for k, v in net.named_parameters()}


def loss(params, x, y):
    return F.mse_loss(torch.func.functional_call(net, params, (x,)), y)


g = make_fx(torch.func.grad(loss))(params, torch.randn(5, 3), torch.randn(5, 1))
print(g.code)
out = g(params, torch.ones(2, 3), torch.ones(2, 1))

# make_fx of a training step
from torch.fx.experimental.proxy_tensor import make_fx

net = nn.Linear(2, 2)


def step(x, y):
    out = F.cross_entropy(net(x), y)
    return [out, *torch.autograd.grad(out, list(net.parameters()))]


g = make_fx(step)(torch.randn(3, 2), torch.tensor([0, 1, 1]))
print(g.code)

# make_fx of a joint graph
from torch.fx.experimental.proxy_tensor import make_fx


def joint(primals, tangents):
    out = torch.sigmoid(primals[0] @ primals[1])
    return out, torch.autograd.grad(out, primals, tangents)


g = make_fx(joint)(
    [torch.randn(2, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True)], torch.ones(2, 2)
)
print(g.code)

# make_fx with a decomposition
from torch.fx.experimental.proxy_tensor import make_fx

aten = torch.ops.aten
table = {
    aten.relu.default: lambda x: torch.where(x > 0, x, torch.zeros_like(x)),
    aten.addmm.default: lambda b, x, y: x @ y + b,
}
g = make_fx(lambda x, w, b: torch.relu(F.linear(x, w, b)), decomposition_table=table)(
    torch.randn(2, 3), torch.randn(4, 3), torch.randn(4)
)
print(g.code)
out = g(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4))

# make_fx of writes in place
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    y = x.clone()
    y.add_(1)
    y[0] = 2
    y.mul_(x).relu_()
    z = torch.zeros(2, 2)
    z.fill_(3)
    return y, z


g = make_fx(f)(torch.randn(2, 2))
print(g.code)
out = g(torch.ones(2, 2))[0]

# make_fx of constants
from torch.fx.experimental.proxy_tensor import make_fx

c = torch.arange(3.0)


def f(x):
    return x + c + torch.tensor([1.0, 2.0, 3.0]) + torch.ones(3) + torch.tensor(2.0).item()


g = make_fx(f)(torch.randn(3))
print(g.code, [n for n, _ in g.named_buffers()])
out = g(torch.ones(3))

# make_fx of a number asked for
from torch.fx.experimental.proxy_tensor import make_fx

make_fx(lambda x: x * x.sum().item())(torch.randn(3))

# make_fx of a condition
from torch.fx.experimental.proxy_tensor import make_fx

make_fx(lambda x: x + 1 if x.sum() > 0 else x)(torch.randn(3))

# make_fx of conditions on shapes
from torch.fx.experimental.proxy_tensor import make_fx

print(make_fx(lambda x: x + x.shape[0] if x.dim() == 2 else x - 1)(torch.randn(3, 2)).code)

# make_fx of several results and trees
from torch.fx.experimental.proxy_tensor import make_fx


def f(tree, n):
    a, b = tree["a"], tree["b"]
    top = torch.topk(a, 2)
    return {"values": top.values, "mean": torch.var_mean(b), "chunks": torch.chunk(a, 2), "n": n}


g = make_fx(f)({"a": torch.arange(4.0), "b": torch.ones(3)}, 3)
print(g.code)
print(g.graph)

# make_fx of views
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    a = x.view(-1).reshape(3, 2).permute(1, 0).unsqueeze(0).squeeze().expand(2, 3)
    b = x.transpose(0, 1).contiguous().flatten().split(2)
    return a, b, x[:, 1:], x.T, x.narrow(1, 0, 1), x.diagonal(), x.unfold(1, 2, 1), x.select(0, 1)


print(make_fx(f)(torch.randn(2, 3)).code)

# make_fx of reductions and losses
from torch.fx.experimental.proxy_tensor import make_fx


def f(x, y):
    return (
        x.mean(),
        x.std(0),
        x.max(1),
        x.argmin(),
        x.norm(),
        F.mse_loss(x, y),
        F.l1_loss(x, y),
        F.softmax(x, 1),
        x.logsumexp(0),
        x.cumsum(1),
        x.prod(),
    )


print(make_fx(f)(torch.randn(2, 3), torch.randn(2, 3)).code)

# make_fx of attention and normalisation
from torch.fx.experimental.proxy_tensor import make_fx


def f(q, k, v):
    w = torch.softmax(q @ k.transpose(-2, -1) / 2, -1)
    return (
        F.layer_norm(w @ v, (4,)),
        F.group_norm(q, 1),
        F.normalize(v, dim=-1),
        F.gelu(q),
        F.silu(k),
    )


print(make_fx(f)(*[torch.randn(1, 3, 4) for _ in range(3)]).code)

# make_fx of autograd.Function
from torch.fx.experimental.proxy_tensor import make_fx


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


def f(x):
    return torch.autograd.grad(Double.apply(x).sum(), x)


print(make_fx(f)(torch.randn(3, requires_grad=True)).code)

# make_fx of random numbers
from torch.fx.experimental.proxy_tensor import make_fx

print(
    make_fx(
        lambda x: (
            x + torch.rand(3) + torch.randn_like(x) + torch.randint(0, 3, (3,)) + F.dropout(x, 0.5)
        )
    )(torch.ones(3)).code
)

# make_fx of a traced graph
from torch.fx.experimental.proxy_tensor import make_fx

first = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
print(make_fx(first)(torch.ones(1, 2)).code)
second = make_fx(lambda x: F.linear(x, torch.ones(2, 2)))(torch.ones(1, 2))
print(make_fx(second)(torch.ones(1, 2)).code)

# make_fx inside make_fx
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    inner = make_fx(lambda y: y * 2)(x)
    print(inner.code)
    return inner(x) + 1


print(make_fx(f)(torch.ones(2)).code)

# make_fx: meta of nodes
from torch.fx.experimental.proxy_tensor import make_fx

g = make_fx(lambda x: torch.relu(x).t())(torch.randn(2, 3))
for node in g.graph.nodes:
    print(
        node.name,
        sorted(k for k in node.meta if k in ("val", "tensor_meta")),
        getattr(node.meta.get("val"), "shape", None),
        node.meta.get("tensor_meta"),
    )
print(g.print_readable(print_output=False))

# make_fx of an optimizer's step
from torch.fx.experimental.proxy_tensor import make_fx


def f(p, g):
    m = g * 0.1
    v = g * g * 0.01
    p.addcdiv_(m, v.sqrt().add_(1e-8), value=-0.1)
    return p.lerp(m, 0.5), torch.addcmul(p, m, v, value=2)


print(make_fx(f)(torch.ones(3), torch.ones(3)).code)

# make_fx with an argument that is a module's method
from torch.fx.experimental.proxy_tensor import make_fx


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.zeros(2))

    def forward(self, x):
        return x * self.p + self.b

    def other(self, x):
        return x - self.b


print(make_fx(Net())(torch.ones(2)).code, make_fx(Net().other)(torch.ones(2)).code)

# make_fx of comparisons and dtypes
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    return (
        x > 0,
        x.eq(1),
        x.to(torch.float64),
        x.int(),
        x.bool(),
        torch.isnan(x),
        x.clamp(0, 1),
        x**2,
        2**x,
        1 / x,
        1 - x,
        x // 2,
        x % 2,
        -x,
        ~(x > 0),
        x.type_as(torch.ones(1, dtype=torch.half)),
    )


print(make_fx(f)(torch.tensor([1.0, 2.0])).code)

# make_fx of indexing
from torch.fx.experimental.proxy_tensor import make_fx


def f(x, i):
    y = x.clone()
    y[i] = 0
    return (
        x[i],
        x[:, 0],
        x[..., None],
        x.gather(1, i[:, None]),
        x.index_select(0, i),
        x.masked_fill(x > 0, 0.0),
        x.scatter(1, i[:, None], 1.0),
        y,
        x[x > 0],
        torch.where(x > 0),
        x.index_add(0, i, x),
        F.embedding(i, x),
        x.flip(0),
        x.roll(1, 0),
        torch.stack([x, x]),
        F.pad(x, (1, 1)),
    )


print(make_fx(f)(torch.randn(2, 3), torch.tensor([0, 1])).code)

# make_fx with an unknown mode
from torch.fx.experimental.proxy_tensor import make_fx

make_fx(lambda x: x, tracing_mode="other")

# get_proxy_mode tells whether something is traced
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing, get_proxy_mode, make_fx


def f(x):
    print(type(get_proxy_mode()).__name__)
    with disable_proxy_modes_tracing():
        y = torch.ones(2)
    return x + y


print(get_proxy_mode(), make_fx(f)(torch.ones(2)).code)

# DecompositionInterpreter
from torch.fx.experimental.proxy_tensor import DecompositionInterpreter, make_fx

g = make_fx(lambda x: torch.relu(x) + 1)(torch.ones(2))
graph = torch.fx.Graph()
table = {torch.ops.aten.relu.default: lambda x: x.clamp(0)}
print(DecompositionInterpreter(g, graph, table).run(torch.ones(2)), graph)

# make_fx of one_hot
from torch.fx.experimental.proxy_tensor import make_fx

make_fx(lambda i: F.one_hot(i, 3))(torch.tensor([0, 1]))

# make_fx of dropouts
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    return (
        F.dropout(x, 0.3),
        F.alpha_dropout(x, 0.3, True),
        F.dropout1d(x, 0.4),
        F.dropout(x, 0.5, False),
        F.feature_alpha_dropout(x, 0.5, True),
    )


g = make_fx(f)(torch.randn(2, 3, 4))
print(g.code)

# make_fx of a training step with batch norm
from torch.fx.experimental.proxy_tensor import make_fx

net = nn.Sequential(
    nn.Conv2d(1, 2, 2, bias=False),
    nn.BatchNorm2d(2),
    nn.ReLU(),
    nn.AvgPool2d(2),
    nn.Flatten(),
    nn.Linear(2, 2),
)


def step(x, y):
    loss = F.cross_entropy(net(x), y)
    return loss, torch.autograd.grad(loss, list(net.parameters()))


g = make_fx(step)(torch.randn(2, 1, 3, 3), torch.tensor([0, 1]))
print(g.code)

# make_fx of activations and their gradients
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    y = (
        F.gelu(x)
        + F.silu(x)
        + torch.tanh(x)
        + torch.exp(x)
        + F.softplus(x)
        + F.leaky_relu(x)
        + F.elu(x)
        + x.sigmoid()
        + torch.sqrt(x * x + 1)
        + x.abs()
        + F.hardtanh(x)
        + x.softmax(0)
    )
    return torch.autograd.grad(y.sum(), x)[0]


g = make_fx(f)(torch.randn(3, requires_grad=True))
print(g.code)

# make_fx of a second gradient
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    y = (x**3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return torch.autograd.grad(g.sum(), x)


print(make_fx(f)(torch.randn(3, requires_grad=True)).code)

# make_fx of gradients of each example
from torch.fx.experimental.proxy_tensor import make_fx

print(
    make_fx(torch.func.vmap(torch.func.grad(lambda w, x: (w * x).sum()), in_dims=(None, 0)))(
        torch.randn(3), torch.randn(2, 3)
    ).code
)

# make_fx of no_grad, detach and requires_grad
from torch.fx.experimental.proxy_tensor import make_fx


def f(x):
    with torch.no_grad():
        a = x * 2
    return a + x.detach(), x.data * 3, x.clone().requires_grad_()


print(make_fx(f)(torch.randn(3, requires_grad=True)).code)

# make_fx of attention
from torch.fx.experimental.proxy_tensor import make_fx

layer = nn.MultiheadAttention(4, 2, batch_first=True)
print(make_fx(lambda x: layer(x, x, x))(torch.randn(1, 3, 4)).code)

# make_fx of scaled_dot_product_attention
from torch.fx.experimental.proxy_tensor import make_fx

print(
    make_fx(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True))(
        torch.randn(1, 2, 3, 4)
    ).code
)

# make_fx of a recurrent layer
from torch.fx.experimental.proxy_tensor import make_fx

layer = nn.GRUCell(2, 3)
print(make_fx(layer)(torch.randn(1, 2)).code)

# make_fx of module stacks
from torch.fx.experimental.proxy_tensor import make_fx

net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU()))
g = make_fx(net, record_module_stack=True)(torch.ones(1, 2))
for node in g.graph.nodes:
    print(node.name, node.meta.get("nn_module_stack"))

# make_fx with decompositions of a gradient
from torch.fx.experimental.proxy_tensor import make_fx

aten = torch.ops.aten
table = {
    aten.t.default: lambda x: x.transpose(0, 1),
    aten.sigmoid_backward.default: lambda g, y: g * (y * (1 - y)),
}


def f(x, w):
    return torch.autograd.grad(torch.sigmoid(F.linear(x, w)).sum(), w)[0]


print(
    make_fx(f, decomposition_table=table)(
        torch.randn(2, 3), torch.randn(4, 3, requires_grad=True)
    ).code
)

# make_fx changed by hand
from torch.fx.experimental.proxy_tensor import make_fx

aten = torch.ops.aten
g = make_fx(lambda x: torch.relu(x) + torch.relu(x * 2))(torch.ones(3))
for node in g.graph.find_nodes(op="call_function", target=aten.relu.default):
    node.target = aten.sigmoid.default
g.recompile()
g.graph.lint()
print(g.code)
out = g(torch.zeros(3))

# make_fx and an interpreter that counts
from torch.fx.experimental.proxy_tensor import make_fx


class Count(torch.fx.Interpreter):
    def __init__(self, gm):
        super().__init__(gm)
        self.counts = {}

    def call_function(self, target, args, kwargs):
        self.counts[str(target)] = self.counts.get(str(target), 0) + 1
        return super().call_function(target, args, kwargs)


net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
count = Count(make_fx(net)(torch.ones(1, 2)))
out = count.run(torch.ones(1, 2))
print(count.counts)
del count
