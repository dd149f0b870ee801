"""Meta-learning without modules' state: inner steps by torch.func, tasks mapped by vmap."""

import torch
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
params = {name: p.detach().clone().requires_grad_() for name, p in net.named_parameters()}


def loss(params, x, y):
    return F.mse_loss(functional_call(net, params, (x,)), y)


def adapted(params, x, y, rate=0.1):
    slopes = grad(loss)(params, x, y)
    return {name: p - rate * slopes[name] for name, p in params.items()}


def outer(params, x, y, query, wanted):
    return loss(adapted(params, x, y), query, wanted)


optimizer = torch.optim.Adam(params.values(), 1e-2)
for step in range(5):
    scale = torch.rand(5, 1, 1) * 2
    x, query = torch.randn(5, 6, 1), torch.randn(5, 6, 1)
    losses = vmap(outer, in_dims=(None, 0, 0, 0, 0))(
        params, x, scale * x.sin(), query, scale * query.sin()
    )
    optimizer.zero_grad()
    losses.mean().backward()
    optimizer.step()
    print(step, losses.detach())
each = vmap(grad(loss), (None, 0, 0))(params, torch.ones(3, 1), torch.arange(3.0).unsqueeze(1))
print({name: tuple(slope.shape) for name, slope in each.items()})
ensemble = [nn.Linear(2, 1) for _ in range(3)]
weights, buffers = stack_module_state(ensemble)
base = nn.Linear(2, 1).to("meta")
found = vmap(lambda w, b, x: functional_call(base, (w, b), (x,)), (0, 0, None))(
    weights, buffers, torch.ones(4, 2)
)
print(found.shape, torch.allclose(found[1], ensemble[1](torch.ones(4, 2))))
for wrong in (lambda: vmap(torch.add)(torch.ones(2), torch.ones(3)), lambda: grad(torch.sin)(x)):
    try:
        wrong()
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
