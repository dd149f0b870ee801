# Tensor.view: a view of a view that was taken without grad mode, written
a = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    b = a.view(6)
c = b.view(3, 2)
c.add_(1)

# torch.inference_mode: the same in inference mode
a = torch.ones(2, 3, requires_grad=True)
with torch.inference_mode():
    b = (a * 1).view(6)
    c = a.view(6)
d = c.view(3, 2)
d.add_(1)

# Tensor.unbind: one of several views that must not be looked at is an operand that does not fit
a = torch.ones(2, 3, requires_grad=True)
b, c = (a * 2).unbind(0)
b._base.add_(1)
b.view(7)

# Tensor.unbind: such a view as the other operand, for a leaf that must not be written
a = torch.ones(3, requires_grad=True)
b, c = (torch.ones(2, 3, requires_grad=True) * 2).unbind(0)
b._base.add_(1)
a.add_(b)

# Tensor.unbind: such a view in operators that need no history
b, c = (torch.ones(2, 3, requires_grad=True) * 2).unbind(0)
b._base.add_(1)
d = b > 0
e = b.long()
f = [b.output_nr, b.grad, b.retains_grad]
b.retain_grad()

# torch.tensor: a leaf that requires no grad any more, of a dtype that does not fit
a = torch.ones(3, requires_grad=True)
a ^= torch.tensor(True)

# Tensor.retain_grad: a view of a tensor that has got a history, never looked at since
a = torch.zeros(3)
b = a[0]
a.mul_(torch.ones(3, requires_grad=True))
b.retain_grad()
kept = b.retains_grad
b.add_(1)

# Tensor.add_: a view of a tensor that was written before it required grad
a = torch.zeros(3)
b = a[0]
b.add_(1)
a.requires_grad_()
node = b.grad_fn is None

# torch.ones: shapes before kernels: two wrong things
torch.ones(2) & torch.ones(3)

# Tensor.add_: an expanded tensor before shapes
torch.ones(1).expand(3).add_(torch.ones(2))

# Tensor.div_: an expanded tensor before shapes, of an operator with overloads
torch.ones(1).expand(3).div_(torch.ones(2))

# Tensor.add_: a factor after shapes
torch.ones(3, dtype=torch.int64).add_(torch.ones(2, dtype=torch.int64), alpha=0.5)

# Tensor.pow_: an operand that is a part, of an operator with overloads
a = torch.arange(1.0, 5).reshape(2, 2)
a.pow_(a.t())

# torch.inference_mode: an inference tensor is refused before anything is written
with torch.inference_mode():
    a = torch.full((3,), 2.0)
b = torch.ones(3, requires_grad=True) * 1
b.mul_(a)

# Tensor.fill_: fills from a tensor, which copy
torch.ones(1).expand(3).fill_(torch.tensor(2.0))

# Tensor.fill_: a fill from a tensor that has dimensions, of a leaf
torch.ones(3, requires_grad=True).fill_(torch.ones(2))

# Tensor.masked_fill_: a mask that is a part of what it fills
a = torch.tensor([[True, False], [True, True]])
a.masked_fill_(a.diagonal(), True)

# torch.tensor: a mask that is itself what it fills
a = torch.tensor([True, False])
a[a] = 0.25

# Tensor.conj_physical_: real numbers that have no conjugate
a = torch.ones(1, requires_grad=True).expand(3) * 1
b = torch.ones(1).expand(3).conj_physical_()
c = torch.arange(1).expand(3).nan_to_num_()
d = torch.threshold_(torch.ones(1).expand(3), 2.0, 0.5)

# Tensor.clamp_: bounds that would promote bools
torch.tensor([True]).clamp_(min=0)

# Tensor.clamp_max_: bounds that would promote ints
torch.tensor([1]).clamp_max_(0.5)

# torch.tensor: slices of a number that are written
a = torch.tensor(0.5)
a[1:] = 1

# Tensor.index_fill_: an index into nothing, filled
torch.zeros(0, 3).index_fill_(0, torch.tensor([0]), 1)

# Tensor.index_copy_: an index into nothing, copied to
torch.zeros(0, 3).index_copy_(0, torch.tensor([0]), torch.ones(1, 3))

# Tensor.index_add_: an index into a dimension, where others are empty
a = torch.zeros(2, 0).index_fill_(0, torch.tensor([5]), 1)
b = torch.zeros(0, 3).index_add_(0, torch.tensor([0]), torch.ones(1, 3))

# torch.index_select: an index that selects out of nothing
torch.index_select(torch.zeros(0, 3), 0, torch.tensor([0]))

# Tensor.index_fill_: an index into elements that lie in one another
a = torch.arange(6)
b = a.as_strided((2, 2), (1, 1))
b.index_fill_(0, torch.tensor([0]), 9)

# Tensor.adjoint: transposes of a number
a = torch.tensor(0.5, requires_grad=True)
b = [a.mT is a, a.mH is a, a.H is a, a.adjoint() is a]

# torch.polar: half numbers in polar coordinates
torch.polar(torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.float16))

# Tensor.add_: of two tensors that were written, the first by name
a = torch.ones(2, 3, requires_grad=True)
b = a.t()
c = b.t() @ b
a.detach().add_(1)
c.sum().backward()

# Tensor.tril_: of two tensors that were written, the first by name, where it is not the first argument
a = torch.ones(3, 2, requires_grad=True) * 1
b = a.as_strided((2, 2), (1, 1))
c = F.linear(a, b, b.sum(1))
a.tril_()
c.sum().backward()

# Tensor.detach_: detaching in inference mode
a = torch.ones(3, requires_grad=True)
b = a * 2
c = b[0]
with torch.inference_mode():
    a.detach_()
    b.detach_()
    c.detach_()

# Tensor.is_inference: data and detached inference tensors
with torch.inference_mode():
    a = torch.ones(3)
b, c = a.data, a.detach()
b.add_(1)
c.mul_(2)
seen = [b._version, c._version, b.is_inference(), c.is_inference()]
b[0].add_(1)

# torch.inference_mode: an inference tensor that is detached has no version that could be saved
with torch.inference_mode():
    a = torch.ones(3)
b = a.data
b * torch.ones(3, requires_grad=True)

# torch.no_grad: a number of what requires grad, where nothing is recorded
a = torch.tensor(0.5, requires_grad=True)
with torch.no_grad():
    b = [float(a), int(a)]

# Tensor.retain_grad: what is retained before a transpose in place keeps its shape
a = torch.ones(2, 3, requires_grad=True)
b = a.sin()
b.retain_grad()
b.t_()
(b * 2).sum().backward()

# Tensor.requires_grad_: a leaf that has got a history
a = torch.tensor([-1.0, 0.5], requires_grad=True)
b = a[[0, -1]]
a.requires_grad_(False)
a *= torch.ones(2, requires_grad=True)
(b * 1).sum().backward()

# Tensor.expand: an expanded tensor, part of which was written
a = torch.ones(1, 3, requires_grad=True)
b = (a * 1).expand(2, 3)
b[[0]] = a
b.sum().backward()

# Tensor.view: a view whose base requires grad, where formulas ask for both operands
a = torch.ones(2, requires_grad=True)
with torch.no_grad():
    b = a.view(2)
c = torch.minimum(b, b)
d = F.binary_cross_entropy_with_logits(a.detach(), a * 1)


# torch.autograd.Function: a Function that gives no gradient frees what lies behind it
class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return None


class Heard(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(grad)
        return grad * 2


a = torch.ones(3, requires_grad=True)
b = Heard.apply(a)
c = b.exp()
Forgetful.apply(c).sum().backward()
d = a.grad
c.sum().backward()


# Tensor.unbind: what leads to several outputs of which none has a gradient
class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return None, None


a = torch.ones(2, requires_grad=True)
b, c = (a * 2).unbind()
Forgetful.apply(b, c).backward()


# torch.autograd.Function: a Function that writes a view which was taken in inference mode
class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad


a = torch.diag_embed(torch.ones(2, requires_grad=True))
with torch.inference_mode():
    b = a.swapaxes(0, 1)
Shift.apply(b)


# torch.autograd.Function: a view that a Function returned without need
class Turn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


a = torch.ones(2)
b = Turn.apply(a[0])
a.lerp_(torch.ones(2, requires_grad=True), 0.25)
b.grad_fn

# Tensor.detach_: a saved tensor that is detached in place
a = torch.ones(3, requires_grad=True)
b = a * 2
c = b * b
b.detach_()
seen = c.grad_fn._saved_self
c.sum().backward()

# Tensor.detach_: a saved tensor that is detached in place and written
a = torch.ones(3, requires_grad=True)
b = a * 2
c = b.cummax(0)[0]
b.detach_()
b.zero_()
c.grad_fn._saved_self

# Tensor.detach_: what is detached in place before it is saved
a = torch.ones(3, requires_grad=True)
b = a * 2
b.detach_()
(b * a).sum().backward()

# torch.cumprod: of a saved tensor that was written, which output it is, is not known
a = torch.ones(2, 3, requires_grad=True)
b = (a * 1).unbind()[1]
c = b.exp().cumprod(0)
d = torch.cumprod(b, 0)
with torch.no_grad():
    b.zero_()
d.sum().backward()

# torch.unique: a node without a derivative, asked for itself
a = torch.unique(torch.ones(3, requires_grad=True))
a.sum().backward(inputs=[a])

# Tensor.add_: a node that runs for itself alone looks at what it saved all the same
a = torch.ones(3, requires_grad=True) * 1
b = a.sin()
a.add_(1)
b.sum().backward(inputs=[b])

# F.leaky_relu: what leads to nothing is saved, and freed
a = torch.ones(3, requires_grad=True)
b = F.leaky_relu(a)
c = torch.autograd.grad(b, a, torch.ones(3), create_graph=True)[0]
d = torch.autograd.grad(c, [a], torch.ones(3), materialize_grads=True)
c.backward(torch.ones(3))

# torch.inference_mode: views of views that were taken in inference mode
a = torch.ones(2, 3, requires_grad=True) * 1
with torch.inference_mode():
    b = a.view(2, 3)
c, d = b.unbind(0)
with torch.no_grad():
    e = b.view(6)
texts = []
for each in c, e:
    try:
        each.add_(1)
    except RuntimeError as error:
        texts.append(str(error))
print(texts)

# torch.atan2: both gradients of an angle, differentiated
a = torch.tensor([0.25, 0.5], requires_grad=True)
(b,) = torch.autograd.grad(torch.atan2(a, a), a, torch.ones(2), create_graph=True)

# torch.var_mean: the variance of nothing, of which there are none
a = torch.ones(2, 0, requires_grad=True).var(0)
b = torch.var_mean(torch.ones(0, 3), 1)

# Tensor.trace: the trace of bools in three dimensions
torch.ones(2, 3, 2, dtype=torch.bool).trace()

# Tensor.masked_fill_: a mask that does not fit, in place
torch.ones(3).masked_fill_(torch.tensor([True, False]), 1)

# Tensor.masked_fill_: a mask that does not fit an expanded tensor, in place
torch.ones(1).expand(2, 1).masked_fill_(torch.ones(3) > 0, torch.tensor(2.0))

# torch.addcdiv: a quotient by integers, differentiated
a = torch.ones(2, requires_grad=True)
torch.addcdiv(a, a, torch.tensor([2, 4])).sum().backward()

# Tensor.mul_: half numbers times a complex number, in place
torch.ones(2, dtype=torch.float16).mul_(torch.tensor(1j))


# torch.autograd.Function: a Function is given a view that must not be looked at, where nothing is recorded
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x


a = torch.ones(3, requires_grad=True) * 1
with torch.no_grad():
    b = a.view(3)
    a[0] = 2
    c = Product.apply(b, b)

# Tensor.backward: a derivative that is not implemented, asked for the node's own output
a = torch.ones(3, requires_grad=True)
b = a // a
b.sum().backward(inputs=[b])

# torch.float_power: the age of nodes: which are freed when one fails
a = torch.tensor([6.25, 0.25], requires_grad=True)
b = a.exp()
c = F.kl_div(a, b, reduction="sum")
d = torch.tensordot(torch.ones(2, 2, requires_grad=True), a, 1)
e = torch.float_power(a, b)
f = F.cross_entropy(a[None], torch.tensor([1]), label_smoothing=0.1)
ages = []
for each in (c, d, e, f):
    nodes = [each.grad_fn]
    for node in nodes:
        nodes += [into for into, _ in node.next_functions if into and into not in nodes]
    named = [node for node in nodes if "Accumulate" not in node.name()]
    ages.append([nodes.index(node) for node in sorted(named, key=lambda n: n._sequence_nr())])
print(ages)

# Tensor.view: what a view taken without gradient was saved for, is freed
a = torch.ones(3, requires_grad=True) * 1
with torch.no_grad():
    b = a.view(3)
c = torch.linalg.vector_norm(b, dim=0)
c.backward()

# Tensor.register_hook: a hook of what only hooks know: the end of the graph lives while one leads there
log = []
a = torch.ones(2, requires_grad=True)
b = a * 2
torch.autograd.graph.get_gradient_edge(a).node.register_hook(lambda i, o: log.append(len(o)))
torch.autograd.graph.get_gradient_edge(a).node.register_prehook(lambda o: log.append(len(o)))
b.sum().backward()

# Tensor.register_hook: a hook sees no gradient of an input that leads nowhere
log = []
a = torch.ones(2, requires_grad=True) * 1
with torch.no_grad():
    b = a.view(2)
c = b.view(1, 2)
c.grad_fn.register_hook(lambda i, o: log.append((i[0] is None, o[0] is None)))
c.sum().backward()

# torch.stack: the gradient of a stack, with a history
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = torch.autograd.grad(torch.stack([a * b, b * 2]), [a, b], torch.ones(2, 2), create_graph=True)

# Tensor.tanh: half numbers through a tanh are rounded once
a = torch.tensor([1.5, 3.0, -1.75], dtype=torch.float16, requires_grad=True)
(a.tanh() + a.sigmoid()).sum().backward()

# Tensor.signbit: signs of complex numbers
torch.tensor(1j).signbit()

# Tensor.masked_fill_: a mask of numbers that does not fit either, in place
torch.ones(3).masked_fill_(torch.ones(2), 1)

# Tensor.index_add_: an index into an empty vector, added to
torch.zeros(0).index_add_(0, torch.tensor([0]), torch.ones(1))

# Tensor.amax: what gradients of gradients keep: counts, and a number that spreads
a = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
b = torch.autograd.grad(a.max(), a, create_graph=True)[0] * 2
c = torch.autograd.grad(a.amax(0), a, create_graph=True)[0] * 2
d = torch.autograd.grad(a.var(0), a, create_graph=True)[0] * 2

# F.normalize: the norm of what is normalised
F.normalize(torch.ones(3, requires_grad=True), dim=-1).sum().backward()

# Tensor.conj: copies of views: without gradient, of conjugates and negatives
from copy import deepcopy

a = torch.ones(3, requires_grad=True)
with torch.no_grad():
    b = a.expand(2, 3)
c = deepcopy(b)
d = deepcopy(torch.tensor([1 + 2j, 3 - 4j]).conj())
e = deepcopy(torch.tensor([1 + 2j, 3 - 4j]).conj().imag)
f = deepcopy(torch.tensor([1 + 2j, 3 - 4j]).imag)


# torch.autograd.Function: a gradient that was retained is gone when a Function writes the tensor
class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad


a = torch.ones(2, requires_grad=True) * 2
a.retain_grad()
(a * 1).sum().backward()
b = Shift.apply(a)

# F.layer_norm: rows of nothing, normalised
a = F.layer_norm(torch.zeros(4, 0, requires_grad=True), (0,))
b = [a.grad_fn._saved_result1, a.grad_fn._saved_result2]

# torch.autograd.grad: numbers that gradients of gradients keep
a = torch.tensor([1.0, 3.0], requires_grad=True)
b = torch.autograd.grad((a * 2).sin(), a, torch.ones(2), create_graph=True)[0] * 1
c = torch.autograd.grad((a / 4).sin(), a, torch.ones(2), create_graph=True)[0] * 1
d = torch.autograd.grad(a.half().mul(2).sin(), a, torch.ones(2).half(), create_graph=True)[0] * 1

# Tensor.index_copy_: a vector copied into a number
torch.tensor(1.0).index_copy_(0, torch.tensor([0]), torch.ones(1, 1))

# torch.autograd.graph.get_gradient_edge: the edge of a view whose gradient goes nowhere
a = torch.ones(2, requires_grad=True) * 1
with torch.no_grad():
    b = a.view(2)
torch.autograd.graph.get_gradient_edge(b)

# Tensor.index_copy_: an index into an expanded tensor before slices that do not fit
torch.ones(1).expand(2, 3).index_copy_(0, torch.tensor([0]), torch.ones(1, 1))

# Tensor.lerp_: an end of another dtype that lies in the same memory
a = torch.arange(6.0).reshape(3, 2)
a.lerp_(torch.view_as_complex(a), 0.25)

# torch.ones: a gradient that does not fit a root of another shape, with a history
a = torch.ones(2, 2, requires_grad=True)
b = a * 2
b.data = torch.ones(3)
b.backward(torch.ones(3), create_graph=True)

# F.binary_cross_entropy_with_logits: a complex target, with a gradient
a = torch.ones(2, requires_grad=True)
F.binary_cross_entropy_with_logits(a, torch.ones(2) * 1j)

# torch.inner: an inner product with a number of another dtype
a = torch.inner(torch.tensor([1j, 2j]), torch.tensor(2.0))
torch.inner(torch.ones(2), torch.ones(3) * 1j)

# Tensor.view: what fails within a write of a view is not freed
a = torch.ones(2, requires_grad=True) * 1
b = a.view(2)
c = a.narrow(0, 0, 1)
c *= b[:1]
texts = []
for _ in range(2):
    try:
        a.sum().backward()
    except RuntimeError as error:
        texts.append(str(error))
print(texts)
