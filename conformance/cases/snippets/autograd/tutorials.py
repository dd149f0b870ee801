# Tensor.mm: extending: a linear function with an optional bias
class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


x = torch.randn(2, 3, dtype=torch.double, requires_grad=True)
w = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
b = torch.randn(4, dtype=torch.double, requires_grad=True)
print(
    torch.autograd.gradcheck(LinearFunction.apply, (x, w, b)),
    torch.autograd.gradcheck(LinearFunction.apply, (x, w, None)),
    torch.autograd.gradgradcheck(LinearFunction.apply, (x, w, b)),
)
y = LinearFunction.apply(x, w, None)


# torch.allclose: extending: a cube that saves its intermediate result
class MyCube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        result = x**3
        dx = 3 * x**2
        return result, dx

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        result, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x


def my_cube(x):
    result, dx = MyCube.apply(x)
    return result


x = torch.randn(3, dtype=torch.double)
g = torch.func.grad(lambda x: my_cube(x).sum())(x)
ggx = torch.func.grad(lambda x: torch.func.grad(lambda x: my_cube(x).sum())(x).sum())(x)
print(torch.allclose(g, 3 * x**2), torch.allclose(ggx, 6 * x))


# torch.func.vmap: extending: a sort through NumPy with a rule for vmap
def to_numpy(t):
    return t.detach().cpu().numpy()


class NumpySort(torch.autograd.Function):
    @staticmethod
    def forward(x, dim):
        import numpy as np

        device = x.device
        x = to_numpy(x)
        ind = np.argsort(x, axis=dim)
        ind_inv = np.argsort(ind, axis=dim)
        result = np.take_along_axis(x, ind, axis=dim)
        return torch.tensor(result), torch.tensor(ind), torch.tensor(ind_inv)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, dim = inputs
        _, ind, ind_inv = output
        ctx.mark_non_differentiable(ind, ind_inv)
        ctx.save_for_backward(ind, ind_inv)
        ctx.dim = dim

    @staticmethod
    def backward(ctx, grad_output, _0, _1):
        ind, ind_inv = ctx.saved_tensors
        return NumpyTake.apply(grad_output, ind_inv, ind, ctx.dim), None

    @staticmethod
    def vmap(info, in_dims, x, dim):
        x_bdim, _ = in_dims
        x = x.movedim(x_bdim, 0)
        dim = dim if dim >= 0 else dim + x.dim() - 1
        print(info.batch_size, info.randomness)
        return NumpySort.apply(x, dim + 1), (0, 0, 0)


class NumpyTake(torch.autograd.Function):
    @staticmethod
    def forward(x, ind, ind_inv, dim):
        import numpy as np

        return torch.tensor(np.take_along_axis(to_numpy(x), to_numpy(ind), dim))

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ind, ind_inv, dim = inputs
        ctx.save_for_backward(ind, ind_inv)
        ctx.dim = dim

    @staticmethod
    def backward(ctx, grad_output):
        ind, ind_inv = ctx.saved_tensors
        return NumpyTake.apply(grad_output, ind_inv, ind, ctx.dim), None, None, None

    @staticmethod
    def vmap(info, in_dims, x, ind, ind_inv, dim):
        x_bdim, ind_bdim, ind_inv_bdim, _ = in_dims
        logical_dim = x.dim() if x_bdim is None else x_bdim - 1
        dim = dim if dim >= 0 else dim + logical_dim

        def maybe_expand_bdim_at_front(x, x_bdim):
            if x_bdim is None:
                return x.expand(info.batch_size, *x.shape)
            return x.movedim(x_bdim, 0)

        x = maybe_expand_bdim_at_front(x, x_bdim)
        ind = maybe_expand_bdim_at_front(ind, ind_bdim)
        ind_inv = maybe_expand_bdim_at_front(ind_inv, ind_inv_bdim)
        return NumpyTake.apply(x, ind, ind_inv, dim + 1), 0


x = torch.randn(2, 3)
result = torch.func.vmap(lambda x: NumpySort.apply(x, 0)[0])(x)
g = torch.func.vmap(
    torch.func.grad(lambda x: (NumpySort.apply(x, 0)[0] * torch.arange(3.0)).sum())
)(x)
h = torch.func.grad(lambda x: (NumpySort.apply(x, -1)[0] ** 2).sum())(x)


# Tensor.numpy: extending: an in-place exponential
class InplaceExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x_npy = x.numpy()
        x_npy += 1
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


a = torch.zeros(1, requires_grad=True, dtype=torch.double).clone()
b = InplaceExp.apply(a)
print(b is a, a.grad_fn.name(), a._version)
b.backward()


# torch.autograd.gradgradcheck: double backward: sinh with saved outputs
class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        expx = torch.exp(x)
        expnegx = torch.exp(-x)
        ctx.save_for_backward(expx, expnegx)
        return (expx - expnegx) / 2, expx, expnegx

    @staticmethod
    def backward(ctx, grad_out, _grad_out_exp, _grad_out_negexp):
        expx, expnegx = ctx.saved_tensors
        grad_input = grad_out * (expx + expnegx) / 2
        grad_input += _grad_out_exp * expx
        grad_input -= _grad_out_negexp * expnegx
        return grad_input


def sinh(x):
    return Sinh.apply(x)[0]


x = torch.rand(3, 3, requires_grad=True, dtype=torch.double)
print(torch.autograd.gradcheck(sinh, x), torch.autograd.gradgradcheck(sinh, x))
out = sinh(x)
(grad_x,) = torch.autograd.grad(out.sum(), x, create_graph=True)
g = torch.autograd.grad(grad_x.sum(), x)[0].clone()


# torch.autograd.Function: double backward: a Function whose backward is another
class CubeBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad_out, x):
        ctx.save_for_backward(x, grad_out)
        return grad_out * 3 * x**2

    @staticmethod
    def backward(ctx, grad_out):
        x, g = ctx.saved_tensors
        return grad_out * 3 * x**2, grad_out * g * 6 * x


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_out, x)


x = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
torch.autograd.gradcheck(Cube.apply, x)
torch.autograd.gradgradcheck(Cube.apply, x)
out = Cube.apply(x)
(g,) = torch.autograd.grad(out, x, create_graph=True)
(h,) = torch.autograd.grad(g, x, create_graph=True)

# torch.save: saved tensors on disk
import os
import tempfile
import uuid

folder = tempfile.mkdtemp()


class SelfDeletingTempFile:
    def __init__(self):
        self.name = os.path.join(folder, str(uuid.uuid4()))

    def __del__(self):
        os.remove(self.name)


def pack_hook(tensor):
    if tensor.numel() < 4:
        return tensor
    temp_file = SelfDeletingTempFile()
    torch.save(tensor, temp_file.name)
    return temp_file


def unpack_hook(tensor_or_sctf):
    if isinstance(tensor_or_sctf, torch.Tensor):
        return tensor_or_sctf
    return torch.load(tensor_or_sctf.name)


class SaveToDiskModule(nn.Module):
    def forward(self, x):
        with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
            return (x * x).exp() * x[:2].sum()


x = torch.rand(4, requires_grad=True)
y = SaveToDiskModule()(x)
print(len(os.listdir(folder)))
y.sum().backward()
del y
print(len(os.listdir(folder)))
os.rmdir(folder)
del folder

# torch.func.vmap: neural tangent kernels in three ways
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
params = {k: v.detach() for k, v in net.named_parameters()}


def fnet_single(params, x):
    return torch.func.functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)


x1, x2 = torch.rand(2, 3), torch.rand(3, 3)


def ntk_jac(func, params, x1, x2, compute="full"):
    jac1 = torch.func.vmap(torch.func.jacrev(func), (None, 0))(params, x1)
    jac1 = [j.flatten(2) for j in jac1.values()]
    jac2 = torch.func.vmap(torch.func.jacrev(func), (None, 0))(params, x2)
    jac2 = [j.flatten(2) for j in jac2.values()]
    einsum_expr = {"full": "Naf,Mbf->NMab", "trace": "Naf,Maf->NM", "diagonal": "Naf,Maf->NMa"}[
        compute
    ]
    return torch.stack([torch.einsum(einsum_expr, a, b) for a, b in zip(jac1, jac2)]).sum(0)


def ntk_vps(func, params, x1, x2):
    def get_ntk(x1, x2):
        def func_x1(params):
            return func(params, x1)

        def func_x2(params):
            return func(params, x2)

        output, vjp_fn = torch.func.vjp(func_x1, params)

        def get_ntk_slice(vec):
            vjps = vjp_fn(vec)
            _, jvps = torch.func.jvp(func_x2, (params,), vjps)
            return jvps

        basis = torch.eye(output.numel(), dtype=output.dtype).view(output.numel(), -1)
        return torch.func.vmap(get_ntk_slice)(basis)

    return torch.func.vmap(torch.func.vmap(get_ntk, (None, 0)), (0, None))(x1, x2)


a = ntk_jac(fnet_single, params, x1, x2).clone()
b = ntk_vps(fnet_single, params, x1, x2).clone()
c = ntk_jac(fnet_single, params, x1, x2, "trace").clone()
print(torch.allclose(a, b, atol=1e-5))

# torch.func.hessian: the tutorial on Jacobians and Hessians
torch.manual_seed(0)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


weight, bias, x = torch.randn(3, 3), torch.randn(3), torch.randn(3)
xp = x.clone().requires_grad_()
rows = [torch.autograd.grad(predict(weight, bias, xp), xp, v)[0] for v in torch.eye(3)]
j = torch.stack(rows)
k = torch.func.vmap(torch.func.vjp(lambda x: predict(weight, bias, x), x)[1])(torch.eye(3))[
    0
].clone()
l = torch.func.jacfwd(predict, argnums=2)(weight, bias, x)
m = torch.func.jacrev(predict, argnums=(0, 2))(weight, bias, x)
h = torch.func.hessian(predict, argnums=2)(weight, bias, x)
b = torch.func.vmap(torch.func.hessian(predict, argnums=2), in_dims=(None, None, 0))(
    weight, bias, torch.randn(2, 3)
)


def hvp(f, primals, tangents):
    return torch.func.jvp(torch.func.grad(f), primals, tangents)[1]


v = hvp(lambda x: x.sin().sum(), (x,), (torch.ones(3),))

# torch.randn: forward mode: the tutorial
import torch.autograd.forward_ad as fwAD

primal, tangent = torch.randn(4, 4), torch.randn(4, 4)


def fn(x, y):
    return x**2 + y**2


with fwAD.dual_level():
    dual_input = fwAD.make_dual(primal, tangent)
    print(fwAD.unpack_dual(dual_input).tangent is tangent)
    plain_tensor = torch.randn(4, 4)
    dual_output = fn(dual_input, plain_tensor)
    jvp = fwAD.unpack_dual(dual_output).tangent
print(fwAD.unpack_dual(dual_output).tangent)
del dual_input, dual_output

# torch.func.functional_call: model-agnostic meta-learning
torch.manual_seed(0)
net = nn.Linear(1, 1)
params = dict(net.named_parameters())


def loss(params, x, y):
    return ((torch.func.functional_call(net, params, x) - y) ** 2).mean()


x, y = torch.randn(3, 1), torch.randn(3, 1)


def maml(params):
    grads = torch.func.grad(loss)(params, x, y)
    new = {k: params[k] - g / 8 for k, g in grads.items()}
    return loss(new, x, y)


outer = torch.func.grad(maml)(params)
total = maml(params)
print(
    {
        k: torch.allclose(torch.autograd.grad(total, p, retain_graph=True)[0], outer[k])
        for k, p in params.items()
    }
)
total = total.detach()
