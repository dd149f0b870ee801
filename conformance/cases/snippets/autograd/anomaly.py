# torch.is_anomaly_enabled: anomaly mode says that it is slow, and is off again afterwards
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
with torch.autograd.detect_anomaly():
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
with torch.autograd.detect_anomaly(check_nan=False):
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())

# torch.is_anomaly_enabled: switched as a function
torch.autograd.set_detect_anomaly(True, False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.autograd.set_detect_anomaly(mode=False, check_nan=True)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())

# torch.is_anomaly_enabled: nested contexts restore what was
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    with torch.autograd.set_detect_anomaly(False):
        print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())

# torch.set_anomaly_enabled: a switch that is no bool
torch.set_anomaly_enabled(1)

# torch.set_anomaly_enabled: a second switch that is no bool
torch.set_anomaly_enabled(True, check_nan=None)

# torch.autograd.detect_anomaly: a NaN out of a division, and where it was made
x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.detect_anomaly():
    y = (x / x).sum()
    y.backward()

# Tensor.sqrt: a NaN out of the root of zero
x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = (x.sqrt() * x).sum()
    y.backward()

# torch.autograd.set_detect_anomaly: a NaN with check_nan=False
x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    (x / x).sum().backward()
print(x.grad)

# torch.autograd.set_detect_anomaly: a NaN that comes in with the gradient
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    (x * 2).backward(torch.tensor([1.0, float("nan")]))

# torch.autograd.set_detect_anomaly: a NaN where the forward was without anomaly mode
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = (x / x).sum()
with torch.autograd.set_detect_anomaly(True):
    y.backward()

# torch.autograd.set_detect_anomaly: a NaN that a gradient asked for has
x = torch.tensor([0.0, 1.0], requires_grad=True)
w = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = (x / x * w).sum()
    torch.autograd.grad(y, x)

# Tensor.sqrt: a NaN in a gradient that is not asked for
x = torch.tensor([0.0, 1.0], requires_grad=True)
w = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = (x.sqrt() * 0 * x + w).sum()
    (g,) = torch.autograd.grad(y, w)

# Tensor.log: an infinity is no NaN
x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    x.log().sum().backward()
print(x.grad)

# torch.autograd.set_detect_anomaly: a tensor that was overwritten: the text has another hint
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x.exp()
    z = y * 2
    y.add_(1)
    z.sum().backward()

# Tensor.zero_: an input that was overwritten
x = torch.ones(2, requires_grad=True)
w = torch.ones(2)
with torch.autograd.set_detect_anomaly(True):
    z = (x * w).sum()
    w.zero_()
    z.backward()

# Tensor.relu: where the forward calls stood
x = torch.ones(2, requires_grad=True)


def layer(x):
    return (x * 3).relu()


with torch.autograd.set_detect_anomaly(True):
    y = layer(x)
print(y.grad_fn.metadata["traceback_"][-2:])
print(y.grad_fn.next_functions[0][0].metadata["traceback_"][-2:])

# torch.autograd.set_detect_anomaly: notes of the user beside those of anomaly mode
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x * 2
y.grad_fn.metadata["mine"] = 1
print(sorted(y.grad_fn.metadata), y.grad_fn.metadata["mine"], (x * 2).grad_fn.metadata)

# torch.autograd.set_detect_anomaly: nodes made while gradients are computed know for whom
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x.sin().sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
print(g.grad_fn.metadata["parent_"].name())
print(g.grad_fn.next_functions[1][0].metadata["parent_"].name())
print("parent_" in y.grad_fn.metadata)


# torch.autograd.Function: a Function whose backward fails
class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("no gradient today")


x = torch.ones(2, requires_grad=True)
y = Fails.apply(x).sum()
with torch.autograd.set_detect_anomaly(True):
    y.backward()


# Tensor.register_hook: a hook that fails, of a tensor in the middle
def fails(grad):
    raise ValueError("hook")


x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x * 2
    y.register_hook(fails)
    y.sum().backward()

# Tensor.register_hook: a hook that makes NaN
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: grad * float("nan"))
with torch.autograd.set_detect_anomaly(True):
    y.sum().backward()

# torch.autograd.set_detect_anomaly: a hook of a node that mends NaN comes too early for anomaly mode
x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = (x / x).sum()
    y.grad_fn.next_functions[0][0].register_hook(lambda inputs, _: (inputs[0].nan_to_num(), None))
    y.backward()
print(x.grad)

# torch.atan2: which of several outputs has the NaN
a = torch.ones(2, requires_grad=True)
b = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    torch.atan2(a * 0, b).sum().backward()

# torch.autograd.set_detect_anomaly: complex numbers
x = torch.tensor([0j, 1 + 1j], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    (x / x).abs().sum().backward()

# torch.autograd.set_detect_anomaly: a graph that was freed
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x.exp().sum()
    y.backward()
    y.backward()

# F.log_softmax: all is well
x = torch.ones(2, 3, requires_grad=True)
w = torch.ones(3, 2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    F.log_softmax(x @ w, 1).square().sum().backward()
print(x.grad, w.grad)

# Tensor.sqrt: a double backward in which NaN arises tells of both nodes
import warnings

x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as given:
    y = (x**1.5).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    try:
        (g * x.detach().sqrt() * 0).sum().backward()
    except RuntimeError as error:
        print(error)
print([str(each.message).strip().split("\n")[0] for each in given])
del warnings, given

# torch.autograd.set_detect_anomaly: a gradient with a history was made at the end of the graph
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    x.sin().sum().backward(create_graph=True)
print(x.grad.grad_fn.metadata["parent_"].name())
x.grad = None

# torch.autograd.set_detect_anomaly: nodes of views that were written, and of their base
x = torch.ones(3, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x * 2
    v = y[1:]
    y.add_(1)
    print(v.grad_fn.name(), sorted(v.grad_fn.metadata))
    z = x * 1
    z[0] = 5
for node in (y.grad_fn, z.grad_fn, z.grad_fn.next_functions[0][0]):
    print(node.name(), sorted(node.metadata))
del node


# Tensor.register_hook: a hook of a leaf that fails
def fails(grad):
    raise ValueError("leaf")


x = torch.ones(2, requires_grad=True)
x.register_hook(fails)
with torch.autograd.set_detect_anomaly(True):
    (x * 2).sum().backward()
