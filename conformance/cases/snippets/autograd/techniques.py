# nn.LeakyReLU: a gradient penalty
torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
real, fake = torch.randn(4, 2), torch.randn(4, 2)
alpha = torch.rand(4, 1)
mixed = (alpha * real + (1 - alpha) * fake).requires_grad_()
score = critic(mixed)
grads = torch.autograd.grad(
    score, mixed, torch.ones_like(score), create_graph=True, retain_graph=True
)[0]
penalty = ((grads.norm(2, dim=1) - 1) ** 2).mean()
(critic(fake).mean() - critic(real).mean() + 10 * penalty).backward()
del grads, penalty, score

# torch.tanh: truncated backpropagation through time
torch.manual_seed(0)
cell = nn.Linear(4, 2)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
h = torch.zeros(3, 2)
losses = []
for step in range(4):
    loss = 0
    for t in range(3):
        x = torch.full((3, 2), float(t + step))
        h = torch.tanh(cell(torch.cat([x, h], 1)))
        loss = loss + h.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    h = h.detach()
    losses.append(round(loss.item(), 5))
print(losses)
del loss, h


# Tensor.round: a straight-through estimator and a gradient reversal
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.lam, None


x = torch.tensor([0.2, 0.7, 1.6], requires_grad=True)
y = Round.apply(x)
z = x + (x.round() - x).detach()
w = Reverse.apply(x, 0.5)
(y * 2 + z * 3 + w * 4).sum().backward()

# Tensor.mean: hypergradients through unrolled steps
torch.manual_seed(0)
lr = torch.tensor(0.1, requires_grad=True)
w = torch.tensor([1.0, -2.0], requires_grad=True)
x, y = torch.randn(5, 2), torch.randn(5)
current = w
for _ in range(3):
    loss = ((x @ current - y) ** 2).mean()
    (g,) = torch.autograd.grad(loss, current, create_graph=True)
    current = current - lr * g
final = ((x @ current - y) ** 2).mean()
final.backward()
current, final, loss, g = [t.detach().clone() for t in (current, final, loss, g)]

# torch.tanh: implicit differentiation of a fixed point
torch.manual_seed(0)


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        z = torch.zeros_like(b)
        for _ in range(100):
            z = torch.tanh(a @ z + b)
        ctx.save_for_backward(a, b, z)
        return z

    @staticmethod
    def backward(ctx, g):
        a, b, z = ctx.saved_tensors
        with torch.enable_grad():
            a, b, z = [t.detach().requires_grad_() for t in (a, b, z)]
            f = torch.tanh(a @ z + b)
        u = g
        for _ in range(100):
            u = g + torch.autograd.grad(f, z, u, retain_graph=True)[0]
        return torch.autograd.grad(f, (a, b), u)


a = (torch.randn(3, 3, dtype=torch.float64) * 0.2).requires_grad_()
b = torch.randn(3, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(FixedPoint.apply, (a, b)))

# F.log_softmax: a policy gradient
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
state = torch.randn(6, 3)
logp = F.log_softmax(policy(state), -1)
action = torch.multinomial(logp.exp().detach(), 1)
reward = torch.randn(6, 1)
loss = -(logp.gather(1, action) * (reward - reward.mean())).sum()
loss.backward()
loss = loss.detach()
del logp

# Tensor.allclose: an exponential moving average and a target network
torch.manual_seed(0)
net, target = nn.Linear(2, 1), nn.Linear(2, 1)
target.load_state_dict(net.state_dict())
for p in target.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    ((net(torch.ones(1, 2)) - target(torch.ones(1, 2)) - 1) ** 2).mean().backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), target.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
print([p.requires_grad for p in target.parameters()], [p._version for p in target.parameters()])
print(target.weight.allclose(target.weight.clone()))

# nn.utils.clip_grad_norm_: gradients clipped by hooks, and accumulated over small batches
torch.manual_seed(0)
net = nn.Linear(3, 1)
handles = [p.register_hook(lambda g: g.clamp(-0.1, 0.1)) for p in net.parameters()]
data = torch.randn(8, 3)
for part in data.chunk(4):
    (net(part).pow(2).mean() / 4).backward()
for h in handles:
    h.remove()
norm = nn.utils.clip_grad_norm_(net.parameters(), 0.01)
del handles, h

# Tensor.register_post_accumulate_grad_hook: an optimizer in the backward pass
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in net.parameters()}


def step(p):
    optimizers[p].step()
    optimizers[p].zero_grad()


for p in net.parameters():
    p.register_post_accumulate_grad_hook(step)
for _ in range(3):
    net(torch.ones(4, 2)).pow(2).mean().backward()
print([p.grad for p in net.parameters()])
del optimizers, p

# torch.autograd.graph.register_multi_grad_hook: all gradients of a layer at once, by reducing hooks
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
bucket = []


def reduce(grads):
    bucket.append(torch.cat([g.flatten() for g in grads]))


for layer in net:
    torch.autograd.graph.register_multi_grad_hook(list(layer.parameters()), reduce)
net(torch.ones(1, 2)).sum().backward()
del layer

# torch.autograd.grad: Hessian-vector products in four ways
torch.manual_seed(0)
x, v = torch.randn(4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
f = lambda x: (x**4).sum() + (x[:2] * x[2:]).prod()
a = torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]
b = torch.func.vjp(torch.func.grad(f), x)[1](v)[0].clone()
c = torch.autograd.functional.hvp(f, x, v)[1].clone()
y = x.clone().requires_grad_()
(g,) = torch.autograd.grad(f(y), y, create_graph=True)
d = torch.autograd.grad(g, y, v)[0].clone()
e = torch.func.hessian(f)(x) @ v
print([torch.allclose(a, t) for t in (b, c, d, e)])
del g

# Tensor.prod: the trick of two backwards for a jvp
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.stack([x.prod(), x.sum(), (x**2).sum()])
u = torch.ones(3, requires_grad=True)
(g,) = torch.autograd.grad(y, x, u, create_graph=True)
jvp = torch.autograd.grad(g, u, torch.tensor([1.0, 0.0]))[0].clone()
del g

# nn.SiLU: an energy and its forces, trained on the forces
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.SiLU(), nn.Linear(8, 1))
pos = torch.randn(4, 3, requires_grad=True)
dist = (pos[:, None] - pos[None]).pow(2).sum(-1)
i, j = torch.triu_indices(4, 4, 1)
energy = net(dist[i, j].sqrt()[:, None]).sum()
forces = -torch.autograd.grad(energy, pos, create_graph=True)[0]
loss = (forces - torch.ones(4, 3)).pow(2).mean() + energy.pow(2)
loss.backward()
energy, forces, loss, dist = [t.detach().clone() for t in (energy, forces, loss, dist)]

# torch.allclose: a Laplacian for an equation
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.rand(5, 2, requires_grad=True)
u = net(x)
(du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
lap = sum(torch.autograd.grad(du[:, k].sum(), x, create_graph=True)[0][:, k] for k in range(2))
(lap**2).mean().backward()
other = torch.func.vmap(
    lambda x: torch.func.hessian(lambda x: net(x).squeeze())(x).diagonal().sum()
)(x.detach()).detach()
print(torch.allclose(lap.detach(), other, atol=1e-5))
u, du, lap = [t.detach().clone() for t in (u, du, lap)]

# Tensor.half: activations kept in half precision
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
x = torch.randn(3, 4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: (t.dtype, t.half()), lambda p: p[1].to(p[0])
):
    y = net(x)
y.sum().backward()
y = y.detach()

# Tensor.sqrt: mixed precision with a gradient penalty and a scaler
torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
for _ in range(2):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = net(torch.ones(2, 3)).float().pow(2).mean()
    scaled = torch.autograd.grad(scaler.scale(loss), net.parameters(), create_graph=True)
    inv = 1.0 / scaler.get_scale()
    norm = sum((g * inv).pow(2).sum() for g in scaled).sqrt()
    scaler.scale(loss + norm).backward()
    scaler.step(opt)
    scaler.update()
print(scaler.get_scale())
loss, norm = loss.detach(), norm.detach().clone()
del scaled

# F.normalize: a Jacobian regularizer by random projections
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
x = torch.randn(4, 3, requires_grad=True)
y = net(x)
v = F.normalize(torch.randn(4, 2), dim=1)
(jv,) = torch.autograd.grad(y, x, v, create_graph=True)
(jv.pow(2).sum(1).mean() * 2).backward()
y, jv = y.detach(), jv.detach().clone()

# torch.func.jvp: influence of each example, by conjugate gradients
torch.manual_seed(0)
x, y = torch.randn(6, 3, dtype=torch.float64), torch.randn(6, dtype=torch.float64)
w = torch.zeros(3, dtype=torch.float64)
loss = lambda w: ((x @ w - y) ** 2).mean() + 0.1 * (w**2).sum()
g = torch.func.grad(loss)(w)
hvp = lambda v: torch.func.jvp(torch.func.grad(loss), (w,), (v,))[1]
s, r = torch.zeros_like(w), g.clone()
p = r.clone()
for _ in range(3):
    hp = hvp(p)
    a = r @ r / (p @ hp)
    s = s + a * p
    n = r - a * hp
    p = n + (n @ n / (r @ r)) * p
    r = n
each = torch.func.vmap(torch.func.grad(lambda w, x, y: (x @ w - y) ** 2), (None, 0, 0))(w, x, y)
influence = each @ s
