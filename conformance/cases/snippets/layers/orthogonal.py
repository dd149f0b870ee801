# torch.manual_seed: an orthogonal weight by every map
import torch.nn.utils.parametrizations as parametrizations

torch.manual_seed(2)
for name in ("matrix_exp", "cayley", "householder"):
    for shape in ((3, 3), (3, 5), (4, 2)):
        m = parametrizations.orthogonal(nn.Linear(*shape), orthogonal_map=name)
        w = m.weight
        w.sum().backward()
        print(name, m, w, m.parametrizations.weight.original.grad)

# torch.manual_seed: an orthogonal weight that is not a change of another
import torch.nn.utils.parametrizations as parametrizations

torch.manual_seed(2)
m = parametrizations.orthogonal(nn.Linear(3, 4), use_trivialization=False)
x = torch.randn(2, 3)
y = m(x)
y.sum().backward()
print(sorted(m.state_dict()), m.parametrizations.weight.original)

# torch.manual_seed: an orthogonal weight is assigned
import torch.nn.utils.parametrizations as parametrizations

torch.manual_seed(2)
m = parametrizations.orthogonal(nn.Linear(2, 2))
m.weight = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
print(m.weight)
m.weight = torch.tensor([[0.0, 2.0], [-3.0, 1.0]])
print(m.weight)

# torch.eye: an orthogonal weight without a base is not assigned
import torch.nn.utils.parametrizations as parametrizations

m = parametrizations.orthogonal(nn.Linear(2, 2), use_trivialization=False)
m.weight = torch.eye(2)

# torch.eye: an orthogonal weight of another shape
import torch.nn.utils.parametrizations as parametrizations

parametrizations.orthogonal(nn.Linear(2, 3)).weight = torch.eye(2)

# torch.geqrf: reflectors
x = torch.randn(2, 4, 3, dtype=torch.float64)
a, tau = torch.geqrf(x)
a.requires_grad_(), tau.requires_grad_()
q = torch.linalg.householder_product(a, tau)
r = torch.orgqr(a, tau)
(q * r).sum().backward()
print(torch.geqrf(x))

# torch.geqrf: reflectors have no derivative
a, tau = torch.geqrf(torch.randn(3, 2, requires_grad=True))
a.sum().backward()
