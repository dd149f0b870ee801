# F.l1_loss: an operand that has the shape already is not expanded
a = torch.ones(2, 3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
c = F.l1_loss(a, b)

# F.binary_cross_entropy_with_logits: a complex target
a = torch.tensor([-3.0, -2.5])
b = torch.polar(a, a)
c = F.binary_cross_entropy_with_logits(a, b)
d = F.binary_cross_entropy_with_logits(a, b, pos_weight=a)

# nn.functional.mse_loss: halves are rounded on the way
a = torch.linspace(-4, 4, 30, dtype=torch.float16).reshape(5, 6).requires_grad_()
b = a.softmax(0)
(c,) = torch.autograd.grad(b, a, torch.ones_like(b))
d = torch.nn.functional.mse_loss(a, b, reduction="none")

# F.huber_loss: what a node saved is looked at also where no formula that runs asks for it
texts = []
for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
    a, b = torch.tensor([2.0, 3.0]), torch.tensor([-1.0, 1.0], requires_grad=True)
    c = torch.autograd.grad(loss(a, b), b, create_graph=True)[0]
    a.add_(1)
    try:
        c.sum().backward()
    except RuntimeError as error:
        texts.append(str(error))

# F.binary_cross_entropy: the curve of the cross entropy at its ends
x = torch.tensor([0.0, 1.0, 0.25, 1e-7, 1.0], dtype=torch.float64, requires_grad=True)
y = torch.tensor([0.0, 1.0, 1.0, 0.5, 0.0], dtype=torch.float64)
(first,) = torch.autograd.grad(F.binary_cross_entropy(x, y), x, create_graph=True)
second = torch.autograd.grad(first.sum(), x)

# F.binary_cross_entropy: second gradients of cross entropies where they are steep
x = torch.tensor([0.0, 1.0, 1e-13, 1e-7, 0.5], dtype=torch.float64, requires_grad=True)
y = torch.tensor([1.0, 0.0, 0.3, 1.0, 0.25], dtype=torch.float64)
(slope,) = torch.autograd.grad(F.binary_cross_entropy(x, y, reduction="sum"), x, create_graph=True)
curve = torch.autograd.grad(slope.sum(), x)[0] * 1
print(slope, curve)

# F.binary_cross_entropy_with_logits: targets that are beyond doubt
x, t = (
    torch.tensor([-1.5, 0.5, 2.0], requires_grad=True),
    torch.tensor([0.0, 1.0, 0.3], requires_grad=True),
)
loss = F.binary_cross_entropy_with_logits(x, t, pos_weight=torch.tensor([1.0, 2.0, 3.0]))
loss.backward()
more = F.binary_cross_entropy_with_logits(x, t)
by = torch.autograd.grad(more, (x, t), create_graph=True)
again = [each * 1 for each in torch.autograd.grad(by[0].sum() + by[1].sum(), (x, t))]
by = [each * 1 for each in by]
p = torch.tensor([0.2, 0.5, 0.9], requires_grad=True)
first = torch.autograd.grad(
    F.binary_cross_entropy(p, t.detach(), weight=torch.tensor([1.0, 2.0, 3.0])),
    p,
    create_graph=True,
)
second = torch.autograd.grad(first[0].sum(), p)


# F.mse_loss: gradients of gradients of pools, losses and weights of samples
def second(call, *inputs):
    first = torch.autograd.grad(call(*inputs).square().sum(), inputs, create_graph=True)
    found = torch.autograd.grad(
        sum(each.square().sum() for each in first), inputs, allow_unused=True
    )
    return [None if each is None else each.sum() for each in found], [
        each.detach() for each in first
    ]


x = torch.arange(32.0).remainder(7).reshape(1, 2, 4, 4).requires_grad_()
t = torch.arange(32.0).remainder(5).reshape(1, 2, 4, 4).requires_grad_()
a = (
    second(lambda x: F.avg_pool2d(x, 2), x),
    second(lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False), x),
)
b = second(F.mse_loss, x, t), second(lambda x, t: F.mse_loss(x, t, reduction="none"), x, t)
c = second(F.smooth_l1_loss, x, t), second(F.huber_loss, x, t), second(F.l1_loss, x, t)
w, s = (
    torch.arange(12.0).remainder(5).reshape(4, 3).requires_grad_(),
    torch.tensor([0.5, 2.0, 3.0], requires_grad=True),
)
d = second(
    lambda w, s: F.embedding_bag(
        torch.tensor([0, 3, 3]), w, torch.tensor([0, 2]), mode="sum", per_sample_weights=s
    ),
    w,
    s,
)
e = second(lambda x: F.adaptive_avg_pool2d(x, 3), x), second(lambda x: F.avg_pool1d(x[0], 2), x)
