# batch norm over several processes, of which there is one
m = nn.SyncBatchNorm(3, momentum=None)
x = torch.randn(4, 3, 2, requires_grad=True)
y = m(x)
y.sum().backward()
n = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)))
print(m, m.running_mean, n, sorted(n.state_dict()))
a = n(torch.randn(4, 2))

# batch norm over several processes, of too few dimensions
nn.SyncBatchNorm(3)(torch.zeros(3))

# batch norm over several processes, without channels
nn.SyncBatchNorm(3)(torch.zeros(2, 0))

# a module on several devices that are not there
m = nn.DataParallel(nn.Linear(2, 3))
y = m(torch.ones(1, 2))
print(m, sorted(m.state_dict()), m.device_ids)

# neighbouring channels
m = nn.LocalResponseNorm(2, alpha=0.1)
x = torch.randn(2, 4, 3, requires_grad=True)
y = m(x)
y.sum().backward()
print(m)

# neighbouring channels of too few dimensions
nn.LocalResponseNorm(2)(torch.zeros(2, 3))

# neighbouring channels by a Function
m = nn.CrossMapLRN2d(3, alpha=0.5, k=2)
x = torch.randn(2, 5, 3, 2, requires_grad=True)
m(x).sum().backward()
print(m, x.grad)

# neighbouring channels by a Function, of too few dimensions
nn.CrossMapLRN2d(3)(torch.zeros(2, 3))

# noise for choices
torch.manual_seed(3)
x = torch.randn(3, 4, requires_grad=True)
a = F.gumbel_softmax(x, tau=0.5)
b = F.gumbel_softmax(x, hard=True, dim=0)
(a * b).sum().backward()
print(a, b)

# the gradients of convolutions by their sizes
x, w = torch.randn(1, 2, 5), torch.randn(4, 1, 3)
y = torch.nn.functional.conv1d(x, w, stride=2, padding=1, groups=2)
a = torch.nn.grad.conv1d_input(x.shape, w, torch.ones_like(y), stride=2, padding=1, groups=2)
b = torch.nn.grad.conv1d_weight(x, w.shape, torch.ones_like(y), stride=2, padding=1, groups=2)
x, w = torch.randn(1, 2, 5, 4), torch.randn(3, 2, 2, 2)
c = torch.nn.grad.conv2d_input(x.shape, w, torch.ones(1, 3, 4, 3))
d = torch.nn.grad.conv2d_weight(x, w.shape, torch.ones(1, 3, 2, 1), dilation=(2, 3), stride=2)

# attention in ways that are chosen
from torch.nn.attention import SDPBackend, sdpa_kernel

q = torch.randn(1, 2, 3, 4, requires_grad=True)
with sdpa_kernel(SDPBackend.MATH) as x:
    a = F.scaled_dot_product_attention(q, q, q)
    print(x, torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled())
with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
    b = F.scaled_dot_product_attention(q, q, q)
(a * b).sum().backward()
print(repr(SDPBackend.MATH), str(SDPBackend.MATH), SDPBackend(1), list(SDPBackend.__members__))

# attention in no way
from torch.nn.attention import SDPBackend, sdpa_kernel

q = torch.zeros(1, 2, 3, 4)
with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
    F.scaled_dot_product_attention(q, q, q)

# attention in a way that has no such name
from torch.nn.attention import sdpa_kernel

with sdpa_kernel("math"):
    pass

# modules and losses of old
import warnings

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    m = nn.Container(first=nn.Linear(1, 2), second=nn.ReLU())
    loss = nn.NLLLoss2d()
x = torch.randn(1, 2, 3, 3).log_softmax(1)
y = loss(x, torch.zeros(1, 3, 3, dtype=torch.int64))
print(m, loss, [(each.category.__name__, str(each.message)) for each in seen])

# keyword arguments for factories
a = nn.factory_kwargs({"dtype": torch.float64, "factory_kwargs": {"device": "cpu"}})
print(a, nn.factory_kwargs(None))
nn.factory_kwargs({"dtype": torch.float64, "factory_kwargs": {"dtype": torch.float32}})

# slopes drawn at random
torch.manual_seed(1)
x = torch.randn(3, 4, requires_grad=True)
a, b = F.rrelu(x, training=True), F.rrelu(x, 0.2, 0.6)
c = nn.RReLU(inplace=True)(x * 2)
(a + b + c).sum().backward()
print(a, c, x.grad)

# slopes between bounds in reverse
F.rrelu(torch.zeros(2), 0.5, 0.2)

# two inputs in one layer
m = nn.Bilinear(2, 3, 4)
x, z = torch.randn(5, 2, requires_grad=True), torch.randn(5, 3)
y = m(x, z)
y.sum().backward()
print(m)

# two inputs of another size
nn.Bilinear(2, 3, 4)(torch.zeros(5, 2), torch.zeros(5, 2))
