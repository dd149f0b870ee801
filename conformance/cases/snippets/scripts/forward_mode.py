"""Derivatives without backward: dual numbers, modules with tangents, the transforms of torch.func."""

import torch
import torch.autograd.forward_ad as fwAD
from torch import nn
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

torch.manual_seed(3)

primal, tangent = torch.randn(4, 4), torch.randn(4, 4)


def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x**2 + y**2


with fwAD.dual_level():
    dual = fwAD.make_dual(primal, tangent)
    print(fwAD.unpack_dual(dual).tangent is tangent)
    out = fn(dual, dual * 3)
    print(
        fwAD.unpack_dual(out).tangent,
        torch.allclose(fwAD.unpack_dual(out).tangent, 20 * primal * tangent),
    )
print(fwAD.unpack_dual(fn(dual, dual)).tangent)

model = nn.Linear(4, 4)
tangents = {name: torch.rand_like(p) for name, p in model.named_parameters()}
with fwAD.dual_level():
    for name, p in list(model.named_parameters()):
        delattr(model, name)
        setattr(model, name, fwAD.make_dual(p.detach(), tangents[name]))
    print(fwAD.unpack_dual(model(primal)).tangent)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x**3
        ctx.x = x
        ctx.save_for_backward(x)
        return result

    @staticmethod
    def jvp(ctx, x_t):
        return 3 * ctx.x**2 * x_t

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad_output


with fwAD.dual_level():
    print(fwAD.unpack_dual(Cube.apply(fwAD.make_dual(primal[0], tangent[0]))))
print(
    torch.autograd.gradcheck(
        Cube.apply, (torch.rand(3, dtype=torch.double, requires_grad=True),), check_forward_ad=True
    )
)

weight, bias, x = torch.randn(3, 4), torch.randn(3), torch.randn(4)


def predict(weight: torch.Tensor, bias: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.linear(x, weight, bias).tanh()


by_forward, by_reverse = [make(predict, argnums=2)(weight, bias, x) for make in (jacfwd, jacrev)]
rows = torch.stack([vjp(lambda x: predict(weight, bias, x), x)[1](row)[0] for row in torch.eye(3)])
print(by_forward, torch.allclose(by_forward, by_reverse), torch.allclose(rows, by_reverse))
print(
    torch.allclose(
        by_reverse, torch.autograd.functional.jacobian(lambda x: predict(weight, bias, x), x)
    )
)
print([tuple(each.shape) for each in jacrev(predict, argnums=(0, 1))(weight, bias, x)])
second = hessian(predict, argnums=2)(weight, bias, x)
print(
    second.shape, torch.allclose(second, jacfwd(jacrev(predict, 2), 2)(weight, bias, x), atol=1e-6)
)
batch = torch.randn(5, 4)
print(vmap(jacrev(predict, 2), in_dims=(None, None, 0))(weight, bias, batch).shape)
print(vmap(hessian(lambda x: predict(weight, bias, x).sum()))(batch)[0])


def hvp(f, primals, tangents):
    return jvp(grad(f), primals, tangents)[1]


print(hvp(lambda x: x.sin().sum(), (x,), (torch.ones(4),)))

net = nn.Sequential(nn.Linear(4, 6), nn.Softplus(), nn.Linear(6, 2))
params = {name: p.detach() for name, p in net.named_parameters()}
targets = torch.tensor([0, 1, 1, 0, 1])


def loss(params: dict, sample: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    scores = functional_call(net, params, (sample.unsqueeze(0),))
    return nn.functional.cross_entropy(scores, target.unsqueeze(0))


each = vmap(grad(loss), in_dims=(None, 0, 0))(params, batch, targets)
for name, p in net.named_parameters():
    alone = torch.stack(
        [
            torch.autograd.grad(nn.functional.cross_entropy(net(b[None]), t[None]), p)[0]
            for b, t in zip(batch, targets)
        ]
    )
    print(name, tuple(each[name].shape), torch.allclose(alone, each[name], atol=1e-6))


def ntk(params: dict, x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    def single(params: dict, x: torch.Tensor) -> torch.Tensor:
        return functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)

    jac1 = [j.flatten(2) for j in vmap(jacrev(single), (None, 0))(params, x1).values()]
    jac2 = [j.flatten(2) for j in vmap(jacrev(single), (None, 0))(params, x2).values()]
    return torch.stack([torch.einsum("Naf,Mbf->NMab", a, b) for a, b in zip(jac1, jac2)]).sum(0)


kernel = ntk(params, batch, batch[:2])
print(kernel.shape, kernel.diagonal(dim1=2, dim2=3).sum(-1))
