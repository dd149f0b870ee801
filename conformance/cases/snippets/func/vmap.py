# torch.dot: a product of vectors, for each of a batch
from torch.func import vmap

x, y = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
out = vmap(torch.dot)(x, y)

# Tensor.reshape: one argument is the same for all
from torch.func import vmap

x, w = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
out = vmap(lambda x, w: x @ w, in_dims=(0, None))(x, w)

# torch.vmap: in_dims and out_dims
from torch.func import vmap

x = torch.arange(24.0).reshape(2, 3, 4)
out = vmap(lambda x: x * 2, in_dims=1, out_dims=2)(x)
last = vmap(lambda x: x * 2, in_dims=-1, out_dims=-1)(x)

# torch.vmap is the same
x = torch.arange(6.0).reshape(2, 3)
out = torch.vmap(torch.sum)(x)

# Tensor.reshape: nested
from torch.func import vmap

x, y = torch.arange(6.0).reshape(2, 3), torch.arange(8.0).reshape(4, 2)
out = vmap(vmap(lambda a, b: a * b, in_dims=(None, 0)), in_dims=(0, None))(x, y)

# Tensor.norm: a table of distances
from torch.func import vmap

x = torch.arange(6.0).reshape(3, 2)
out = vmap(lambda a: vmap(lambda b: (a - b).norm())(x))(x)

# Tensor.reshape: trees of arguments and results
from torch.func import vmap

x = {"a": torch.arange(4.0).reshape(2, 2), "b": [torch.ones(2), torch.zeros(2, 3)]}
out = vmap(lambda t: (t["a"] + t["b"][0], {"c": t["b"][1]}))(x)

# torch.vmap: in_dims as a tree
from torch.func import vmap

x = {"a": torch.arange(4.0).reshape(2, 2), "b": torch.ones(3)}
out = vmap(lambda t, n: t["a"] * n + t["b"].sum(), in_dims=({"a": 1, "b": None}, None))(x, 2)

# torch.vmap: out_dims as a tree
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3)
out = vmap(lambda x: (x, [x + 1]), out_dims=(0, [1]))(x)

# Tensor.reshape: what is the same for all comes out as often
from torch.func import vmap

x, y = torch.arange(6.0).reshape(2, 3), torch.ones(3)
out = vmap(lambda x: y * 2)(x)
none = vmap(lambda x: y * 2, out_dims=None)(x)

# Tensor.reshape: chunks
from torch.func import vmap

x = torch.arange(10.0).reshape(5, 2)
out = vmap(lambda x: x.sum(), chunk_size=2)(x)

# torch.ones: keyword arguments are not mapped
from torch.func import vmap

out = vmap(lambda x, scale: x * scale, chunk_size=None)(torch.ones(2, 3), scale=torch.ones(3))

# torch.vmap: the name of what is mapped
from torch.func import vmap


def double(x):
    """Twice."""
    return x * 2


mapped = vmap(double)
print(mapped.__name__, mapped.__doc__)

# Tensor.unsqueeze: how batched tensors print
from torch.func import vmap


def f(x):
    print(x)
    print(x.shape, x.dim(), x.numel(), x.dtype, x.requires_grad, x.stride(), len(x))
    print(x.unsqueeze(0) * 2)
    return x


out = vmap(f)(torch.arange(6.0).reshape(2, 3))
out = vmap(f, in_dims=1)(torch.arange(6.0).reshape(2, 3))

# Tensor.reshape: how tensors of two levels print
from torch.func import vmap


def f(x):
    print(x)
    return x


out = vmap(vmap(f))(torch.arange(6).reshape(2, 3))

# torch.stack: numbers as examples
from torch.func import vmap

x = torch.arange(3.0)
out = vmap(lambda x: x.sin() + 1)(x)
both = vmap(lambda x: torch.stack([x, x * 2]))(x)
total = vmap(lambda x: x.sum())(x)

# Tensor.double: numbers promote as numbers do
from torch.func import vmap

x, y = torch.arange(3), torch.ones(3, 2, dtype=torch.float16)
out = vmap(lambda x, y: x * y)(x.double(), y)
whole = vmap(lambda x: x + 0.5)(x)
kept = vmap(lambda x, y: x + y)(x, torch.ones(3, 2, dtype=torch.int32))

# torch.arange: examples of different ranks
from torch.func import vmap

x, y = torch.arange(3.0), torch.ones(3, 2, 2)
out = vmap(lambda x, y: x - y)(x, y)
other = vmap(lambda x, y: y / (x + 1))(x, y)

# Tensor.amax: reductions
from torch.func import vmap

x = torch.arange(12.0).reshape(2, 2, 3)
out = vmap(lambda x: (x.sum(), x.mean(0), x.max(), x.max(1), x.var(), x.prod(-1), x.amax()))(x)

# torch.vmap: all and any
from torch.func import vmap

x = torch.tensor([[True, False], [True, True]])
out = vmap(lambda x: (x.all(), x.any(), x.all(0)))(x)

# softmax and its kin
from torch.func import vmap

x = torch.arange(12.0).reshape(2, 2, 3) / 4
out = vmap(lambda x: (x.softmax(0), x.log_softmax(-1), x.logsumexp(1), x.cumsum(1)))(x)

# Tensor.argsort: sorting
from torch.func import vmap

x = torch.tensor([[3.0, 1.0, 2.0], [5.0, 6.0, 4.0]])
out = vmap(lambda x: (x.sort(), x.argsort(), x.topk(2), x.argmax(), x.argmin(0)))(x)

# Tensor.view: views
from torch.func import vmap

x = torch.arange(12.0).reshape(2, 2, 3)
out = vmap(lambda x: (x.T, x.view(-1), x.reshape(3, 2), x[0], x[:, 1:], x[..., None]))(x)

# Tensor.diagonal: more views
from torch.func import vmap

x = torch.arange(12.0).reshape(2, 2, 3)
out = vmap(lambda x: (x.expand(4, 2, 3), x.diagonal(), x.flatten(), x.unbind(1), x.split(2, 1)))(x)

# Tensor.reshape: results are views of what comes in
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3)
out = vmap(lambda x: x[1:])(x)
same = vmap(lambda x: x)(x)
turned = vmap(lambda x: x, out_dims=1)(x)

# torch.hstack: joining
from torch.func import vmap

x, y = torch.arange(4.0).reshape(2, 2), torch.ones(2)
out = vmap(lambda x: (torch.cat([x, y]), torch.stack([y, x], 1), torch.hstack([x, x])))(x)

# Tensor.matmul: products of matrices
from torch.func import vmap

x, y = torch.arange(12.0).reshape(2, 2, 3), torch.ones(2, 3, 2)
out = vmap(lambda x, y: (x @ y, torch.mm(x, y), x.matmul(y[:, 0]), x[0] @ y))(x, y)

# torch.addmm: products with what is the same for all
from torch.func import vmap

x, w = torch.arange(12.0).reshape(2, 2, 3), torch.ones(3, 2)
out = vmap(lambda x: (x @ w, w @ x, torch.addmm(w[:2], x, w), F.linear(x, w.T)))(x)

# einsum
from torch.func import vmap

x, y = torch.arange(12.0).reshape(2, 2, 3), torch.ones(2, 3, 2)
out = vmap(lambda x, y: torch.einsum("ij,jk->ik", x, y))(x, y)

# Tensor.reshape: picking by position
from torch.func import vmap

x, i = torch.arange(6.0).reshape(2, 3), torch.tensor([2, 0])
out = vmap(lambda x, i: x[i])(x, i)
all = vmap(lambda i: x[:, i])(i)
some = vmap(lambda x: x[torch.tensor([0, 2])])(x)

# Tensor.gather: picking by positions of its own
from torch.func import vmap

x, i = torch.arange(6.0).reshape(2, 3), torch.tensor([[2, 0], [1, 1]])
out = vmap(lambda x, i: x[i])(x, i)
gathered = vmap(lambda x, i: x.gather(0, i))(x, i)

# Tensor.masked_fill: where and masked_fill
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3) - 2
out = vmap(lambda x: (torch.where(x > 0, x, 0.0), x.masked_fill(x < 0, 9.0), x.clamp(min=0)))(x)

# nn.LayerNorm: layers
from torch.func import vmap

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.LayerNorm(4), nn.Linear(4, 2))
x = torch.arange(6.0).reshape(2, 3)
out = vmap(net)(x)

# Tensor.relu: convolution of one image at a time
from torch.func import vmap

torch.manual_seed(0)
conv = nn.Conv2d(1, 2, 3)
x = torch.arange(50.0).reshape(2, 1, 5, 5)
out = vmap(lambda x: F.max_pool2d(conv(x).relu(), 2))(x)

# F.l1_loss: losses
from torch.func import vmap

x, y = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
out = vmap(lambda x, y: (F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y)))(x, y)

# F.cross_entropy: cross entropy
from torch.func import vmap

x, y = torch.arange(12.0).reshape(2, 2, 3) / 4, torch.tensor([[0, 2], [1, 1]])
out = vmap(F.cross_entropy)(x, y)

# F.embedding: looking up
from torch.func import vmap

w, i = torch.arange(8.0).reshape(4, 2), torch.tensor([[0, 3], [1, 1]])
out = vmap(lambda i: F.embedding(i, w))(i)

# Tensor.add_: writing in place
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3)
out = vmap(lambda x: x.mul_(2).add_(1))(x)

# Tensor.clone: writing a part
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3)


def f(x):
    y = x.clone()
    y[0] = 7
    y[1:] *= 2
    return y


out = vmap(f)(x)

# Tensor.new_zeros: writing what was made in the likeness of an example
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3)


def f(x):
    y = torch.zeros_like(x)
    z = x.new_zeros(2)
    y[1] = x[0]
    z[0] = x[2]
    return y, z


out = vmap(f)(x)

# Tensor.add_: writing a batch into what is the same for all
from torch.func import vmap

y = torch.zeros(3)
vmap(lambda x: y.add_(x))(torch.ones(2, 3))

# torch.zeros: writing a batch into a part of what is the same for all
from torch.func import vmap


def f(x):
    y = torch.zeros(3)
    y[0] = x[0]
    return y


vmap(f)(torch.ones(2, 3))

# Tensor.requires_grad_: gradients flow through
from torch.func import vmap

x = torch.arange(6.0).reshape(2, 3).requires_grad_()
out = vmap(lambda x: (x * x).sum())(x)
out.sum().backward()

# Tensor.reshape: gradients flow through what is the same for all
from torch.func import vmap

w = torch.ones(3, requires_grad=True)
out = vmap(lambda x: x * w)(torch.arange(6.0).reshape(2, 3))
out.sum().backward()

# torch.manual_seed: gradients of a module's parameters
from torch.func import vmap

torch.manual_seed(0)
net = nn.Linear(3, 2)
out = vmap(net)(torch.arange(6.0).reshape(2, 3))
out.sum().backward()

# item
from torch.func import vmap

vmap(lambda x: x.item())(torch.ones(2))

# Tensor.sum: a number of a tensor
from torch.func import vmap

vmap(lambda x: float(x.sum()))(torch.ones(2, 3))

# Tensor.sum: a decision
from torch.func import vmap

vmap(lambda x: x if x.sum() > 0 else -x)(torch.ones(2, 3))

# Tensor.tolist: a list of numbers
from torch.func import vmap

vmap(lambda x: torch.tensor(x.tolist()))(torch.ones(2, 3))

# torch.from_numpy: an array
from torch.func import vmap

vmap(lambda x: torch.from_numpy(x.numpy()))(torch.ones(2, 3))

# backward within
from torch.func import vmap

w = torch.ones(3, requires_grad=True)
vmap(lambda x: (x * w).sum().backward())(torch.ones(2, 3))

# requires_grad within
from torch.func import vmap

vmap(lambda x: x.requires_grad_())(torch.ones(2, 3))

# torch.ones: data
from torch.func import vmap

vmap(lambda x: x.data)(torch.ones(2, 3))

# detach
from torch.func import vmap

x = torch.ones(2, 3, requires_grad=True)
out = vmap(lambda x: x.detach() * x)(x)

# nonzero has another size for each
from torch.func import vmap

vmap(lambda x: x.nonzero())(torch.ones(2, 3))

# torch.ones: masks select another number for each
from torch.func import vmap

vmap(lambda x: x[x > 0])(torch.ones(2, 3))

# masked_select
from torch.func import vmap

vmap(lambda x: x.masked_select(x > 0))(torch.ones(2, 3))

# unique
from torch.func import vmap

vmap(lambda x: x.unique())(torch.ones(2, 3))

# torch.rand: random numbers are refused
from torch.func import vmap

vmap(lambda x: x + torch.rand(3))(torch.ones(2, 3))

# torch.randn_like: different random numbers
from torch.func import vmap

x = torch.ones(2, 3)
out = vmap(
    lambda x: (
        torch.rand(3), torch.randn_like(x), torch.randint(0, 9, (2,)), torch.randperm(4),
        torch.bernoulli(x / 2), x.clone().normal_(), F.dropout(x), torch.normal(x, 1.0),
    ),
    randomness="different",
)(x)  # fmt: skip

# torch.randn_like: the same random numbers
from torch.func import vmap

x = torch.ones(2, 3)
out = vmap(
    lambda x: (
        torch.rand(3), torch.randn_like(x), torch.randint(0, 9, (2,)), torch.randperm(4),
        x.clone().normal_(), F.dropout(x), torch.normal(0.0, 1.0, (2,)),
    ),
    randomness="same",
)(x)  # fmt: skip

# torch.bernoulli: the same chances for different examples
from torch.func import vmap

vmap(torch.bernoulli, randomness="same")(torch.rand(2, 3))

# Tensor.normal_: different numbers in one place
from torch.func import vmap

vmap(lambda x: torch.zeros(3).normal_(), randomness="different")(torch.rand(2, 3))

# torch.vmap: an unknown randomness
torch.vmap(torch.sin, randomness="some")

# torch.vmap: a chunk of nothing
torch.vmap(torch.sin, chunk_size=0)

# dropout in evaluation mode
from torch.func import vmap

out = vmap(nn.Dropout().eval())(torch.ones(2, 3))

# dropout in training mode
from torch.func import vmap

vmap(nn.Dropout())(torch.ones(2, 3))

# torch.vmap: sizes that differ
torch.vmap(torch.add)(torch.ones(2), torch.ones(3))

# torch.vmap: no arguments
torch.vmap(lambda: 1)()

# torch.vmap: nothing to map over
torch.vmap(torch.sin, in_dims=None)(torch.ones(2))

# torch.vmap: nothing among several
torch.vmap(torch.add, in_dims=(None, None))(torch.ones(2), torch.ones(2))

# torch.vmap: in_dims of another type
torch.vmap(torch.sin, in_dims="0")(torch.ones(2))

# torch.vmap: in_dims of another structure
torch.vmap(lambda x, y: x, in_dims=(0,))(torch.ones(2), torch.ones(2))

# torch.vmap: in_dims that name no dimension
torch.vmap(lambda x: x, in_dims=1)(torch.ones(2))

# torch.vmap: in_dims for a number
torch.vmap(lambda x, n: x * n)(torch.ones(2), 3)

# torch.vmap: in_dims that is no number
torch.vmap(lambda x: x, in_dims=(0.5,))(torch.ones(2))

# torch.vmap: out_dims of another type
torch.vmap(lambda x: x, out_dims="a")(torch.ones(2))

# torch.vmap: out_dims of another structure
torch.vmap(lambda x: (x, x), out_dims=(0, 0, 0))(torch.ones(2))

# torch.vmap: out_dims=None for a batch
torch.vmap(lambda x: x, out_dims=None)(torch.ones(2))

# torch.vmap: out_dims that name no dimension
torch.vmap(lambda x: x, out_dims=3)(torch.ones(2))

# torch.vmap: a function that returns a number
torch.vmap(lambda x: 3)(torch.ones(2))

# torch.vmap: a function that returns nothing
torch.vmap(lambda x: None)(torch.ones(2))

# torch.vmap: a mistake within
torch.vmap(lambda x: x @ x)(torch.ones(2, 3, 4))

# torch.vmap: another mistake within
torch.vmap(lambda x: x.view(7))(torch.ones(2, 3))

# torch.vmap: a dimension that is not there
torch.vmap(lambda x: x.sum(1))(torch.ones(2, 3))

# torch.autograd.grad: gradients in batches
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**3
(batch,) = torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)

# torch.autograd.grad: gradients in batches, with a graph
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**3
(batch,) = torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True, create_graph=True)
batch.sum().backward()

# torch.autograd.grad: gradients in batches of another size
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad(x**3, x, torch.ones(2, 3), is_grads_batched=True)

# torch.autograd.grad: gradients in batches for what is not used
x, z = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
batch = torch.autograd.grad(x * 2, (x, z), torch.eye(2), is_grads_batched=True, allow_unused=True)

# torch.autograd.functional.jacobian: jacobians at once
x = torch.tensor([1.0, 2.0])
jac = torch.autograd.functional.jacobian(lambda x: x**3, x, vectorize=True)
both = torch.autograd.functional.jacobian(lambda a, b: (a * b, b.sum()), (x, x + 1), vectorize=True)

# torch.autograd.functional.hessian: hessians at once
x = torch.tensor([1.0, 2.0])
hess = torch.autograd.functional.hessian(lambda x: (x**3).sum(), x, vectorize=True)

# torch.autograd.functional.jacobian: jacobians at once, with a graph
x = torch.tensor([1.0, 2.0], requires_grad=True)
jac = torch.autograd.functional.jacobian(lambda x: x**3, x, vectorize=True, create_graph=True)
jac.sum().backward()

# torch.autograd.functional.jacobian: jacobians at once of what is not used
x = torch.tensor([1.0, 2.0])
jac = torch.autograd.functional.jacobian(lambda a, b: a * 2, (x, x), vectorize=True)

# F.conv2d: gradients of a convolution's kernels for each example
from torch.func import grad, vmap

torch.manual_seed(0)
w, x = torch.randn(2, 1, 3, 3), torch.randn(3, 1, 1, 6, 6)


def loss(w, x):
    return F.max_pool2d(F.conv2d(x, w).tanh(), 2).square().mean()


out = vmap(grad(loss), in_dims=(None, 0))(w, x).clone()

# F.conv1d: kernels of each example
from torch.func import vmap

torch.manual_seed(0)
w, b, x = torch.randn(3, 2, 1, 3), torch.randn(3, 2), torch.randn(3, 2, 1, 6)
out = vmap(F.conv1d)(x, w, b)
shared = vmap(F.conv1d, in_dims=(None, 0, 0))(x[0], w, b)

# F.cross_entropy: losses of classes, with weights and positions that do not count
from torch.func import grad, vmap

x = (torch.arange(18.0).reshape(2, 3, 3) / 4).requires_grad_()
y, w = torch.tensor([[0, 2, -100], [1, 1, 0]]), torch.tensor([1.0, 2.0, 0.5])
out = vmap(lambda x, y: F.cross_entropy(x, y, w))(x, y)
each = vmap(grad(lambda x, y: F.cross_entropy(x, y, w, reduction="sum")))(x.detach(), y)

# F.embedding: tables of each example
from torch.func import vmap

w = torch.arange(16.0).reshape(2, 4, 2).requires_grad_()
i = torch.tensor([[0, 3], [1, 1]])
both = vmap(F.embedding)(i, w)
one = vmap(lambda w: F.embedding(i[0], w))(w)

# F.layer_norm: weights of a normalisation for each example
from torch.func import vmap

x, w = torch.arange(12.0).reshape(2, 2, 3), torch.ones(2, 3, requires_grad=True)
out = vmap(lambda x, w: F.layer_norm(x, (3,), w))(x, w)

# F.binary_cross_entropy_with_logits: logistic losses
from torch.func import grad, vmap

x, y = torch.arange(6.0).reshape(2, 3) - 2, torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
out = vmap(F.binary_cross_entropy_with_logits)(x, y)
each = vmap(grad(lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=y + 1)))(x, y)


# torch.func.vmap: subclasses of Tensor count as Tensors below the first level
class Kind(torch.Tensor):
    pass


x = torch.arange(3.0).as_subclass(Kind)
kinds = []


def square(x):
    kinds.append(type(x * 2).__name__)
    return (x * x).sum()


found = [
    torch.func.vmap(square)(x),
    torch.func.vmap(lambda a: a * x)(torch.ones(2, 3)),
    torch.func.vmap(lambda a: a)(x),
    torch.func.grad(square)(x),
    *torch.func.grad_and_value(square)(x),
    *torch.func.vjp(square, x)[1](torch.tensor(1.0)),
    torch.func.jacrev(square)(x),
    torch.func.hessian(square)(x),
    *torch.func.grad(lambda x: (square(x), x), has_aux=True)(x),
    torch.func.functionalize(square)(x),
    torch.from_dlpack(x),
]
print([type(each).__name__ for each in found], kinds)
try:
    torch.func.vjp(square, x)[1]()
except TypeError as error:
    print(error)
