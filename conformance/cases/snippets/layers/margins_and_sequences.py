# F.soft_margin_loss: soft margins by every reduction
x = torch.randn(2, 3, requires_grad=True)
t = torch.tensor([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])
a, b, c = (F.soft_margin_loss(x, t, reduction=r) for r in ("none", "mean", "sum"))
(a.sum() + b + c).backward()

# F.soft_margin_loss: soft margins, derived twice
x = torch.randn(3, requires_grad=True)
y = F.soft_margin_loss(x, torch.tensor([1.0, -1.0, 1.0]))
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()

# F.soft_margin_loss: soft margins of targets that require grad
F.soft_margin_loss(torch.zeros(3), torch.ones(3, requires_grad=True))

# F.soft_margin_loss: soft margins of whole numbers
F.soft_margin_loss(torch.ones(3).long(), torch.ones(3))

# F.soft_margin_loss: soft margins of complex numbers that require grad
F.soft_margin_loss(torch.ones(3, dtype=torch.complex64, requires_grad=True), torch.ones(3))

# F.soft_margin_loss: soft margins of halves
x = torch.randn(4).half().requires_grad_()
y = F.soft_margin_loss(x, torch.tensor([1, -1, 1, -1]))
y.backward()

# F.multi_margin_loss: several classes with a margin
x = torch.randn(4, 5, requires_grad=True)
t = torch.tensor([0, 4, 2, 2])
w = torch.tensor([1.0, 0.5, 2.0, 0.0, 3.0])
a = F.multi_margin_loss(x, t)
b = F.multi_margin_loss(x, t, p=2, margin=0.5, weight=w, reduction="sum")
c = F.multi_margin_loss(x, t, reduction="none")
(a + b + c.mean()).backward()

# F.multi_margin_loss: several classes of one row
x = torch.randn(5, requires_grad=True)
a = F.multi_margin_loss(x, torch.tensor(3), reduction="none")
b = F.multi_margin_loss(x, torch.tensor([3]), reduction="none")
(a + b).sum().backward()
print(a, b, x.grad)

# F.multi_margin_loss: several classes are derived once
x = torch.randn(2, 3, requires_grad=True)
y = F.multi_margin_loss(x, torch.tensor([1, 0]))
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()

# F.multi_margin_loss: several classes with a class too many
F.multi_margin_loss(torch.zeros(2, 3), torch.tensor([1, 3]))

# F.multi_margin_loss: several classes with a target too few
F.multi_margin_loss(torch.zeros(2, 3), torch.tensor([1]))

# F.multi_margin_loss: several classes with weights that require grad
F.multi_margin_loss(torch.zeros(2, 3), torch.tensor([1, 0]), weight=torch.ones(3).requires_grad_())

# F.multilabel_margin_loss: several labels with a margin
x = torch.randn(3, 4, requires_grad=True)
t = torch.tensor([[0, 1, -1, 2], [2, 2, -1, -1], [-1, 0, 0, 0]])
a = F.multilabel_margin_loss(x, t)
b = F.multilabel_margin_loss(x, t, reduction="none")
c = F.multilabel_margin_loss(x, t, reduction="sum")
(a + b.sum() + c).backward()

# F.multilabel_margin_loss: several labels of one row
x = torch.randn(4, dtype=torch.float64, requires_grad=True)
y = F.multilabel_margin_loss(x, torch.tensor([3, 0, -1, 1]))
y.backward()

# F.multilabel_margin_loss: several labels out of range
F.multilabel_margin_loss(torch.zeros(3), torch.tensor([0, 3, -1]))

# F.multilabel_margin_loss: several labels of another shape
F.multilabel_margin_loss(torch.zeros(2, 3), torch.tensor([0, 3, -1]))

# F.ctc_loss: a loss of sequences, one shorter than its input
x = torch.randn(6, 2, 4).log_softmax(2).detach().requires_grad_()
t = torch.tensor([[1, 2, 3], [1, 1, 2]])
y = F.ctc_loss(x, t, torch.tensor([6, 6]), torch.tensor([3, 3]))
y.backward()

# F.ctc_loss: a loss of sequences of their own lengths
x = torch.randn(6, 3, 4).log_softmax(2).detach().requires_grad_()
t = torch.tensor([1, 2, 3, 3, 2])
a = F.ctc_loss(x, t, (6, 4, 5), (3, 2, 0), reduction="none")
b = F.ctc_loss(x, t, (6, 4, 5), (3, 2, 0), reduction="sum")
(a.sum() + b).backward()
print(a, b, x.grad)

# nn.CTCLoss: a loss of sequences in double, with another blank
x = torch.randn(7, 2, 5, dtype=torch.float64).log_softmax(2).detach().requires_grad_()
t = torch.tensor([[0, 0, 1], [3, 1, 3]], dtype=torch.int32)
y = nn.CTCLoss(blank=4)(x, t, (7, 7), (3, 3))
y.backward()
print(y, x.grad)

# F.ctc_loss: a loss of sequences too short for their targets
x = torch.randn(3, 2, 4).log_softmax(2).detach().requires_grad_()
t = torch.tensor([[1, 1, 1], [1, 2, 3]])
a = F.ctc_loss(x, t, (3, 3), (3, 3), reduction="none")
b = F.ctc_loss(x, t, (3, 3), (3, 3), zero_infinity=True)
b.backward()
print(a, b, x.grad)

# F.ctc_loss: a loss of one sequence
x = torch.randn(5, 4).log_softmax(1).detach().requires_grad_()
a = F.ctc_loss(x, torch.tensor([1, 2, 2]), torch.tensor(5), torch.tensor(3), reduction="none")
b = F.ctc_loss(x, torch.tensor([1, 2, 2]), (5,), (3,))
(a + b).backward()
print(a, b, x.grad)

# F.ctc_loss: a loss of sequences is derived once
x = torch.randn(4, 1, 3).log_softmax(2).detach().requires_grad_()
y = F.ctc_loss(x, torch.tensor([[1, 2]]), (4,), (2,))
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()

# F.ctc_loss: a loss of sequences longer than the input
F.ctc_loss(torch.zeros(4, 1, 3), torch.tensor([[1, 2]]), (5,), (2,))

# F.ctc_loss: a loss of sequences with lengths of both kinds
F.ctc_loss(torch.zeros(4, 1, 3), torch.tensor([[1, 2]]), torch.tensor([4]), (2,))

# F.ctc_loss: a loss of sequences with lengths that are no whole numbers
F.ctc_loss(torch.zeros(4, 1, 3), torch.tensor([[1, 2]]), torch.tensor([4.0]), torch.tensor([2]))

# F.ctc_loss: a loss of sequences with a blank that is no class
F.ctc_loss(torch.zeros(4, 1, 3), torch.tensor([[1, 2]]), (4,), (2,), blank=3)

# F.ctc_loss: a loss of sequences with targets too few
F.ctc_loss(torch.zeros(4, 2, 3), torch.tensor([1, 2]), (4, 4), (2, 2))

# nn.AdaptiveLogSoftmaxWithLoss: an adaptive softmax
m = nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 7], div_value=2.0, head_bias=True)
x = torch.randn(5, 8, requires_grad=True)
output, loss = m(x, torch.tensor([0, 11, 5, 2, 7]))
loss.backward()
print(m, m.cutoffs)

# nn.AdaptiveLogSoftmaxWithLoss: an adaptive softmax of one row, all classes and the most likely ones
m = nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 7])
x = torch.randn(5, 8)
a = m(x[0], torch.tensor(4))
b, c = m.log_prob(x), m.predict(x)
print(a, c)

# nn.AdaptiveLogSoftmaxWithLoss: an adaptive softmax with a class too many
nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 7])(torch.zeros(2, 8), torch.tensor([0, 12]))

# nn.AdaptiveLogSoftmaxWithLoss: an adaptive softmax with cutoffs in disorder
nn.AdaptiveLogSoftmaxWithLoss(8, 12, [7, 3])

# nn.LinearCrossEntropyLoss: a linear layer within the cross entropy
m = nn.LinearCrossEntropyLoss(4, 3, bias=True)
x = torch.randn(5, 4, requires_grad=True)
y = m(x, torch.tensor([0, 2, 1, 1, 0]))
y.backward()
print(m)

# F.linear_cross_entropy: a linear layer within the cross entropy of pixels
x, w = torch.randn(2, 4, requires_grad=True), torch.randn(3, 2, 4, requires_grad=True)
y = F.linear_cross_entropy(x, w, torch.tensor([[0, 1], [2, 0]]), linear_bias=torch.randn(3, 2))
y.backward()

# F.linear_cross_entropy: a linear layer within the cross entropy of other features
F.linear_cross_entropy(torch.zeros(2, 4), torch.zeros(3, 5), torch.tensor([0, 1]))

# F.linear_cross_entropy: a linear layer within the cross entropy of chances, some ignored
F.linear_cross_entropy(torch.zeros(2, 4), torch.zeros(3, 4), torch.ones(2, 3), ignore_index=1)

# nn.LinearCrossEntropyOptions: a linear layer within the cross entropy, in chunks of every policy and precision
results = []
for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
    for policy in ("auto", "accurate", "balanced", "compact"):
        for reduction in ("mean", "sum", "none"):
            torch.manual_seed(1)
            x = torch.randn(7, 4).to(dtype).requires_grad_()
            w = torch.randn(5, 4).to(dtype).requires_grad_()
            b = torch.randn(5).to(dtype).requires_grad_()
            wide = torch.float64 if dtype == torch.float64 else torch.float32
            options = nn.LinearCrossEntropyOptions(
                batch_chunk_size=3, acc_policy=policy, acc_dtype=wide
            )
            y = F.linear_cross_entropy(
                x,
                w,
                torch.tensor([0, 4, -100, 1, 1, 2, 0]),
                linear_bias=b,
                weight=torch.tensor([1.0, 2, 0.5, 1, 3]).to(dtype),
                reduction=reduction,
                options=options,
            )
            y.sum().backward()
            results += [z.clone() for z in (y.detach(), x.grad, w.grad, b.grad)]

# nn.LinearCrossEntropyOptions: a linear layer within the cross entropy, in chunks that backward uses up
x, w = torch.randn(6, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
y = F.linear_cross_entropy(
    x, w, torch.tensor([0, 1, 2, 3, 4, 0]), options=nn.LinearCrossEntropyOptions()
)
y.backward(retain_graph=True)
y.backward()

# nn.LinearCrossEntropyLoss: a linear layer within the cross entropy, in chunks that stay
x, w = torch.randn(6, 4, requires_grad=True), torch.randn(9, 4, requires_grad=True)
options = nn.LinearCrossEntropyOptions(allow_retain_graph=True, chunking_method="aspect_ratio:2")
y = F.linear_cross_entropy(x, w, torch.tensor([0, 1, 2, 3, 4, 0]), options=options)
y.backward(retain_graph=True)
y.backward()
m = nn.LinearCrossEntropyLoss(4, 3, reduction="none", options=options)
z = m(x[0], torch.tensor(2))
z.backward()
print(m, y, z)

# F.linear_cross_entropy: a linear layer within the cross entropy, with options that it cannot follow
options = nn.LinearCrossEntropyOptions(batch_chunk_size=3, chunking_method="aspect_ratio")
x, w, t = torch.ones(6, 4), torch.ones(5, 4), torch.tensor([0, 1, 2, 3, 4, 0])
y = F.linear_cross_entropy(x, w, t, label_smoothing=0.1, options=options)
F.linear_cross_entropy(x, w, t, options=options)

# nn.LinearCrossEntropyOptions: a linear layer within the cross entropy, added up in another dtype
options = nn.LinearCrossEntropyOptions(acc_dtype=torch.float64)
F.linear_cross_entropy(torch.ones(2, 4), torch.ones(3, 4), torch.tensor([0, 1]), options=options)
