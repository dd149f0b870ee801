# attention of more queries' heads than keys'
q, k, v = (torch.randn(2, n, 3, 4, requires_grad=True) for n in (4, 2, 2))
a = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
b = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], is_causal=True, enable_gqa=True)
c = F.scaled_dot_product_attention(
    q[0], k[0], v[0], enable_gqa=True, attn_mask=torch.ones(3, 3).tril()
)
(a.sum() + b.sum() + c.sum()).backward()
for heads in (3, 5, 8):
    try:
        F.scaled_dot_product_attention(q, torch.randn(2, heads, 3, 4), v, enable_gqa=True)
    except RuntimeError as error:
        print(error)

# shifts by more bits than there are
n = torch.arange(-2, 70)
for kind in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    x = torch.tensor([[1], [77], [-3]]).to(kind)
    m = n[n.abs() < 64 if kind != torch.int64 else n < 70].to(kind)
    print((x << m).tolist(), (x >> m).tolist(), (x << 5).tolist(), (x >> 5).tolist())

# pseudo-inverses of symmetric matrices, some of them singular, of different sizes
a = torch.tensor([[2.0, 1.0], [1.0, 3.0]]).double()
b = torch.stack([a * 1e3, a * 1e-13, torch.tensor([[0.1, 0.3], [0.3, 0.9]]).double(), -a])
c = torch.linalg.pinv(b, hermitian=True), torch.linalg.pinv(b)
print(torch.linalg.matrix_rank(b, hermitian=True), torch.linalg.matrix_rank(b))

# gradients of eigenvectors, one part at a time
a = torch.tensor([[2.0, 1.0, 0.5], [0.25, -3.0, 1.0], [1.5, 0.75, 4.0]]).double()
made = []
for x in (a, a @ (a + 1), a * (1 + 0.5j) + torch.eye(3) * 2j):
    for taken in ((0,), (1,), (0, 1)):
        for function in (torch.linalg.eig, lambda x: torch.linalg.eigh(x @ x.mH)):
            leaf = x.clone().requires_grad_()
            parts = function(leaf)
            loss = sum((parts[i].abs() * torch.tensor([1.0, -2.0, 0.5])).sum() for i in taken)
            made.append(torch.autograd.grad(loss, leaf)[0])
del leaf, parts, loss

# second gradients of the soft margin
x, t = torch.tensor([-1.5, 0.25, 2.0]).double(), torch.tensor([1.0, -1.0, 1.0]).double()
made = []
for reduction in ("none", "mean", "sum"):
    leaf, w = x.clone().requires_grad_(), torch.tensor(1.5).double().requires_grad_()
    out = F.soft_margin_loss(leaf, t, reduction=reduction)
    (first,) = torch.autograd.grad(out, leaf, w.expand_as(out), create_graph=True)
    second = torch.autograd.grad((first * torch.tensor([1.0, -2.0, 3.0])).sum(), (leaf, w))
    made += [each * 1 for each in second]
del leaf, w, out, first, second

# how often a gradient was written
for uses in (1, 2, 3, 5):
    for hooked in (False, True):
        for shape in ((2,), (2, 3), ()):
            x = torch.ones(shape, requires_grad=True)
            if hooked:
                x.register_post_accumulate_grad_hook(lambda x: None)
            y = sum((x * (i + 1) for i in range(uses)), torch.zeros(shape))
            if hooked:
                y.register_hook(lambda grad: None)
            y.sum().backward()
            seen = [x.grad._version]
            (x * 3).sum().backward()
            seen.append(x.grad._version)
            (g,) = torch.autograd.grad(sum(x * i for i in range(1, uses + 1)).sum(), x)
            print(uses, hooked, shape, seen, g._version)
del x, y, g

# slopes of exponents of zero
made = []
for base in (0, 0.0, 0j, torch.tensor(0.0), torch.tensor([0.0, -2.0, 3.0])):
    for exponent in ([-1.5, 0.0, 2.0], [-1.0, 0.5, -0.0]):
        x = torch.tensor(exponent, requires_grad=True)
        made.append(torch.autograd.grad((base**x).sum().real, x)[0])
del x

# gradients of what least squares leave
A = torch.tensor([[2.0, 1.0], [0.25, -3.0], [1.5, 0.75], [-1.0, 2.0]]).double()
made = []
for b in (torch.tensor([[1.0], [2.0], [-1.0], [0.5]]).double(), A.flip(0).cos()):
    for weights in ((1.0, 0.0), (0.0, 1.0), (0.5, -2.0)):
        x, y = A.clone().requires_grad_(), b.clone().requires_grad_()
        solution, residuals, *_ = torch.linalg.lstsq(x, y, driver="gelsd")
        loss = weights[0] * solution.sum() + weights[1] * (residuals * residuals).sum()
        made += torch.autograd.grad(loss, (x, y))
del x, y, solution, residuals, loss, _

# which gradients are one tensor
x, z = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
for y in (x + z, x + z + x, (x + z).reshape(1).sum(), x * 1):
    g = torch.autograd.grad(y, [x, y, x], retain_graph=True)
    print([[a is b for a in g] for b in g])
    given = torch.ones(())
    g = torch.autograd.grad(y, [x, y], given)
    print([each is given for each in g])
del x, y, z, g, given
