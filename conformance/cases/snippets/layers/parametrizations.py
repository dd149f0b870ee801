# Tensor.triu: a symmetric weight
import torch.nn.utils.parametrize as P


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)

    def right_inverse(self, a):
        return a.triu()


m = P.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
x = torch.randn(2, 3)
y = m(x)
y.sum().backward()
print(m, type(m), sorted(m.state_dict()), P.is_parametrized(m), P.is_parametrized(m, "bias"))
print(m.parametrizations.weight.original.grad, P.type_before_parametrizations(m))
m.weight = torch.arange(9.0).view(3, 3)
print(m.weight, m.parametrizations.weight.original)
P.remove_parametrizations(m, "weight")
print(m, type(m), m.weight, sorted(m.state_dict()))

# nn.Module: two parametrisations, one computed once
import torch.nn.utils.parametrize as P

calls = []


class Doubled(nn.Module):
    def forward(self, x):
        calls.append(1)
        return 2 * x


m = nn.Linear(2, 2)
P.register_parametrization(m, "weight", Doubled())
P.register_parametrization(m, "weight", Doubled())
P.register_parametrization(m, "bias", Doubled())
with P.cached():
    a, b = m.weight, m.weight
print(len(calls), a is b, m.weight is a, len(m.parametrizations.weight))
y = m(torch.randn(1, 2))
y.sum().backward()
P.remove_parametrizations(m, "weight", leave_parametrized=False)
print(m, m.weight)

# nn.Module: a tensor of two
import torch.nn.utils.parametrize as P


class Product(nn.Module):
    def forward(self, a, b):
        return a @ b

    def right_inverse(self, x):
        return x, torch.eye(x.shape[1])


m = P.register_parametrization(nn.Linear(3, 3), "weight", Product())
y = m(torch.randn(1, 3))
y.sum().backward()
print(m, [n for n, _ in m.named_parameters()], m.parametrizations.weight.original1.grad)
P.remove_parametrizations(m, "weight")
print(m.weight, type(m.weight))

# nn.BatchNorm1d: parametrised buffers, copied and moved on
import copy
import torch.nn.utils.parametrize as P


class Squared(nn.Module):
    def forward(self, x):
        return x * x


m = nn.BatchNorm1d(2)
P.register_parametrization(m, "running_var", Squared())
other = copy.deepcopy(m)
fresh = P.transfer_parametrizations_and_params(m, nn.BatchNorm1d(2), "running_var")
print(other, sorted(other.state_dict()), fresh.running_var, type(fresh))

# nn.Flatten: a parametrisation that changes the shape
import torch.nn.utils.parametrize as P

P.register_parametrization(nn.Linear(2, 3), "weight", nn.Flatten(0))

# nn.Identity: a second one that changes the shape
import torch.nn.utils.parametrize as P

m = P.register_parametrization(nn.Linear(2, 3), "weight", nn.Identity())
P.register_parametrization(m, "weight", nn.Flatten(0))

# nn.Identity: a parametrisation of nothing
import torch.nn.utils.parametrize as P

P.register_parametrization(nn.Linear(2, 3), "wait", nn.Identity())

# nn.Linear: nothing to remove
import torch.nn.utils.parametrize as P

P.remove_parametrizations(nn.Linear(2, 3), "weight")

# nn.Identity: a parametrised module is not pickled
import pickle
import torch.nn.utils.parametrize as P

pickle.dumps(P.register_parametrization(nn.Linear(2, 3), "weight", nn.Identity()))

# nn.Tanh: a weight that cannot be assigned
import torch.nn.utils.parametrize as P

m = P.register_parametrization(nn.Linear(2, 3), "weight", nn.Tanh())
m.weight = torch.zeros(3, 2)

# nn.utils.weight_norm: a weight of a length and a direction
import torch.nn.utils.parametrizations as parametrizations

m = parametrizations.weight_norm(nn.Linear(4, 3))
x = torch.randn(2, 4)
y = m(x)
y.sum().backward()
print(m, sorted(m.state_dict()), [p.grad for p in m.parameters()])
old = nn.utils.weight_norm(nn.Linear(4, 3))
print(m.load_state_dict(old.state_dict()))
a = m(x) - old(x)

# nn.ConvTranspose1d: a weight over its norm
import torch.nn.utils.parametrizations as parametrizations

torch.manual_seed(4)
m = parametrizations.spectral_norm(nn.Linear(4, 3))
c = parametrizations.spectral_norm(nn.ConvTranspose1d(2, 3, 2), n_power_iterations=2)
b = parametrizations.spectral_norm(nn.Linear(4, 3), "bias")
ys = [
    m(torch.randn(2, 4)),
    c(torch.randn(1, 2, 5)),
    b(torch.randn(1, 4)),
    m.eval()(torch.ones(1, 4)),
]
sum(y.sum() for y in ys).backward()
print(m, sorted(m.state_dict()), [p.grad for p in m.parameters()])

# nn.Linear: no such tensor to divide
import torch.nn.utils.parametrizations as parametrizations

parametrizations.spectral_norm(nn.Linear(4, 3), "wait")

# nn.Linear: no such dimension to divide
import torch.nn.utils.parametrizations as parametrizations

parametrizations.spectral_norm(nn.Linear(4, 3), dim=2)

# nn.Linear: an orthogonal bias
import torch.nn.utils.parametrizations as parametrizations

parametrizations.orthogonal(nn.Linear(4, 3), "bias")

# nn.Linear: orthogonal in another way
import torch.nn.utils.parametrizations as parametrizations

parametrizations.orthogonal(nn.Linear(4, 3), orthogonal_map="gram")
