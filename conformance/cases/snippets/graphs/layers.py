# a linear layer
m = nn.Linear(3, 2)
x = torch.randn(4, 3)
y = m(x)
y.sum().backward()
g = [p.grad for p in m.parameters()]

# a linear layer without a bias, of one sample
m = nn.Linear(3, 2, bias=False)
y = m(torch.randn(3))
y.sum().backward()
g = m.weight.grad

# two layers and an activation
m = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(5, 2, requires_grad=True)
y = m(x)
y.mean().backward()
g = [p.grad for p in m.parameters()]


# a class of one's own
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 3), nn.Linear(3, 1)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


y = Net()(torch.randn(4, 2))

# a convolution
m = nn.Conv2d(1, 2, 3, padding=1)
x = torch.randn(1, 1, 4, 4, requires_grad=True)
y = m(x)
y.sum().backward()
g = [p.grad for p in m.parameters()]

# convolution, activation and pooling
x = torch.randn(2, 1, 8, 8, requires_grad=True)
w = torch.randn(3, 1, 3, 3, requires_grad=True)
y = F.max_pool2d(F.relu(F.conv2d(x, w)), 2)
y.sum().backward()

# a convolution with a stride, in groups
x = torch.randn(1, 4, 5, 5, requires_grad=True)
m = nn.Conv2d(4, 4, 3, stride=2, groups=2, bias=False)
y = m(x)
y.sum().backward()

# one axis and three axes
a = nn.Conv1d(2, 3, 2)(torch.randn(1, 2, 5, requires_grad=True))
b = nn.Conv3d(1, 1, 2)(torch.randn(1, 1, 3, 3, 3, requires_grad=True))

# a transposed convolution
x = torch.randn(1, 2, 3, 3, requires_grad=True)
m = nn.ConvTranspose2d(2, 1, 2, stride=2)
y = m(x)
y.sum().backward()

# pooling by mean, to a size, and in one axis
x = torch.randn(1, 2, 4, 4, requires_grad=True)
a, b = F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 1)
c = F.max_pool1d(x[0], 2)
(a.sum() + b.sum() + c.sum()).backward()

# batch normalisation
m = nn.BatchNorm1d(3)
x = torch.randn(4, 3, requires_grad=True)
y = m(x)
(y**3).sum().backward()
state = m.state_dict()

# batch normalisation while evaluating
m = nn.BatchNorm2d(2).eval()
x = torch.randn(2, 2, 3, 3, requires_grad=True)
y = m(x)
y.sum().backward()

# layer normalisation
m = nn.LayerNorm(4)
x = torch.randn(2, 4, requires_grad=True)
y = m(x)
(y**2 * torch.arange(4.0)).sum().backward()
g = [p.grad for p in m.parameters()]

# group and instance normalisation
x = torch.randn(2, 4, 3, requires_grad=True)
a, b = nn.GroupNorm(2, 4)(x), nn.InstanceNorm1d(4)(x)
(a * b).sum().backward()

# an embedding
m = nn.Embedding(5, 3)
y = m(torch.tensor([[0, 2], [2, 4]]))
y.sum().backward()
g = m.weight.grad

# an embedding whose padding has no gradient
m = nn.Embedding(4, 2, padding_idx=0)
y = m(torch.tensor([0, 1, 0, 3]))
y.sum().backward()
g = m.weight.grad

# dropout draws in training and not in evaluation
m = nn.Dropout(0.5)
x = torch.ones(10, requires_grad=True)
a = m(x)
b = m.eval()(x)
a.sum().backward()
print(a, b is x)

# activations as layers
x = torch.randn(6, requires_grad=True)
ys = [m()(x) for m in (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.GELU, nn.SiLU, nn.ELU, nn.Softplus)]
sum(ys).sum().backward()

# more activations
x = torch.randn(6, requires_grad=True)
ys = [f(x) for f in (F.leaky_relu, F.hardtanh, F.relu6, F.selu, F.mish, F.hardswish, F.logsigmoid)]
sum(ys).sum().backward()

# softmax and log softmax
x = torch.randn(2, 3, requires_grad=True)
a, b = nn.Softmax(dim=1)(x), F.log_softmax(x, dim=-1)
(a * b).sum().backward()

# gelu, approximated
x = torch.randn(4, requires_grad=True)
y = F.gelu(x, approximate="tanh")
y.sum().backward()

# prelu and glu
x = torch.randn(2, 4, requires_grad=True)
m = nn.PReLU()
a, b = m(x), F.glu(x)
(a.sum() + b.sum()).backward()

# flatten between layers
m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
y = m(torch.randn(3, 1, 4, 4))
F.cross_entropy(y, torch.tensor([0, 1, 1])).backward()
g = [p.grad for p in m.parameters()]

# a residual block
m = nn.Linear(3, 3)
x = torch.randn(2, 3, requires_grad=True)
y = x + F.relu(m(x))
y.sum().backward()

# one layer used twice
m = nn.Linear(3, 3)
x = torch.randn(2, 3)
y = m(torch.tanh(m(x)))
y.sum().backward()
g = [p.grad for p in m.parameters()]

# weights that are tied
e = nn.Embedding(4, 3)
out = nn.Linear(3, 4, bias=False)
out.weight = e.weight
y = out(e(torch.tensor([1, 2])))
y.sum().backward()
g = e.weight.grad

# a recurrent cell by hand
wx, wh = torch.randn(2, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
for x in torch.randn(4, 1, 2):
    h = torch.tanh(x @ wx + h @ wh)
h.sum().backward()

# a recurrent layer
m = nn.RNN(2, 3, batch_first=True)
y, h = m(torch.randn(1, 4, 2))
y.sum().backward()
g = [p.grad for p in m.parameters()]

# an LSTM and a GRU
x = torch.randn(4, 1, 2, dtype=torch.float64)
a, (h, c) = nn.LSTM(2, 3, dtype=torch.float64)(x)
b, s = nn.GRU(2, 3, dtype=torch.float64)(x)

# attention as a layer
m = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(1, 3, 4, requires_grad=True)
y, w = m(x, x, x)
y.sum().backward()

# padding and interpolation
x = torch.randn(1, 1, 2, 2, requires_grad=True)
a = F.pad(x, (1, 1, 0, 2))
b = F.pad(x, (1, 1, 1, 1), mode="reflect")
c = F.interpolate(x, scale_factor=2)
(a.sum() + b.sum() + c.sum()).backward()

# bilinear interpolation and pixels that are shuffled
x = torch.randn(1, 4, 2, 2, requires_grad=True)
a = F.interpolate(x, size=(3, 3), mode="bilinear", align_corners=False)
b = F.pixel_shuffle(x, 2)
(a.sum() + b.sum()).backward()

# parameters that are frozen
m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
m[0].requires_grad_(False)
y = m(torch.ones(1, 2))
y.backward()
print([p.grad is None for p in m.parameters()])


# a buffer and a parameter of one's own
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("shift", torch.tensor(1.0))


m = Scale()
y = m.s * torch.ones(2) + m.shift
y.sum().backward()
print(dict(m.named_parameters()), dict(m.named_buffers()))

# a module that is printed
m = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
print(m)

# normalize
x = torch.randn(2, 3, requires_grad=True)
y = F.normalize(x, dim=1)
(y * torch.arange(3.0)).sum().backward()

# a one-by-one convolution is a linear map
x = torch.randn(1, 3, 2, 2, requires_grad=True)
w = torch.randn(2, 3, requires_grad=True)
a = F.conv2d(x, w[:, :, None, None])
b = torch.einsum("oc,bchw->bohw", w, x)
(a * b).sum().backward()

# the clipping of gradients
m = nn.Linear(2, 2)
(m(torch.ones(1, 2)) * 100).sum().backward()
n = nn.utils.clip_grad_norm_(m.parameters(), 1.0)
g = [p.grad for p in m.parameters()]

# bilinear and embedding bag
a = nn.Bilinear(2, 3, 2)(torch.randn(4, 2), torch.randn(4, 3))
b = nn.EmbeddingBag(5, 3, mode="mean")(torch.tensor([[0, 1], [2, 3]]))
