# torch.split: hooks around the only output of a split
log = []
a = torch.ones(2, 2, requires_grad=True)
b = torch.split(a, 2)[-1]
b.retain_grad()
h = b.grad_fn.register_hook(lambda ins, outs: log.append((len(ins), len(outs))))
b.sum().backward()

# Tensor.narrow: implicit gradients are laid out as their roots
a = torch.ones(1, 3, requires_grad=True)
b = a.narrow(1, 0, 1)
(c,) = torch.autograd.grad(b, b)

# Tensor.unfold: a cast of complex numbers warns once, wherever it lays them out
a = torch.tensor([(-3 + 1j), (-2.75 + 2.75j)])
b = a.unfold(0, 2, 1).double()
c = a.as_strided((1, 2), (5, 1)).to(torch.int32)

# Tensor.set_: memory whose axes lie in another order
a = torch.arange(12.0).reshape(2, 3, 2).mT
b = torch.where(a > 3, a, 0.0)
c = torch.empty(0).set_(b.untyped_storage(), 1, (5,), (2,))
d = b.as_strided((12,), (1,))
e = torch.empty(0).set_(torch.ones(3).half().untyped_storage(), 0, (1,), (1,)).shape
file = __import__("io").BytesIO()
torch.save(b, file)
file.seek(0)
f = torch.load(file)
g = __import__("pickle").loads(__import__("pickle").dumps(b))

# torch.hsplit: the end of a graph keeps its sizes while a view that is taken again leads there
a = torch.ones(3, requires_grad=True)
a.backward(torch.ones(3))
b = torch.hsplit(a, 1)[0]
with torch.no_grad():
    a.unsqueeze_(0)
c = b.grad_fn.name()
a.backward(torch.ones(1, 3))

# Tensor.set_: an empty tensor keeps its strides when it is given no memory
a = torch.zeros(0)[::2]
b = a.stride(), a.set_().stride(), torch.zeros(3)[::2].set_().stride()

# Tensor.split: in-place functions of whole numbers and truths
names = """abs acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh
    bitwise_not ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac i0 lgamma
    log log10 log1p log2 logical_not logit nan_to_num neg negative rad2deg reciprocal relu round
    rsqrt sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc"""
for name in names.split():
    for x in (torch.tensor([1, 2, 3]), torch.tensor([True, False])):
        try:
            getattr(x, name + "_")()
            print(name, x)
        except Exception as error:
            print(name, type(error).__name__, str(error)[:70])

# Tensor.unfold: gradients of windows
x = torch.arange(20.0).reshape(2, 10).requires_grad_()
y = x.unfold(1, 4, 3)
y.backward(torch.arange(24.0).reshape(2, 3, 4))
s = torch.tensor(3.0, requires_grad=True)
s.unfold(0, 1, 1).sum().backward()
