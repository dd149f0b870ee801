# F.celu: the alpha of celu, which is a float32 in a backward
F = torch.nn.functional
slopes = []
for alpha in (0.3, 1.0, 2.7, -0.7, 1e-3):
    x = torch.tensor([-1.5, -0.25, 0.0, 0.5], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(F.celu(x, alpha).sum(), x, create_graph=True)
    slopes += [first, torch.autograd.grad(first.sum(), x)[0]]
    if alpha > 0:
        slopes += torch.autograd.grad(F.celu(x * 1, alpha, inplace=True).sum(), x)
x = torch.tensor([-1.5, 0.5], dtype=torch.float64, requires_grad=True)
refused = F.celu(x, 1e39).sum()
refused.backward()

# nn.functional.hardsigmoid: the sixth of hardsigmoid, a float32 for doubles too
x = torch.tensor([-3.0, -1.0, 0.5, 3.0], dtype=torch.float64, requires_grad=True)
torch.nn.functional.hardsigmoid(x).sum().backward()

# nn.functional.binary_cross_entropy: what the second gradients of binary_cross_entropy divide by: 1e-12 at least
for reduction in ("sum", "mean"):
    x = torch.tensor([0.0, 1e-13, 1e-10, 0.3, 1.0], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([0.5, 0.5, 0.3, 0.2, 0.5], dtype=torch.float64, requires_grad=True)
    weight = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.float64)
    loss = torch.nn.functional.binary_cross_entropy(x, target, weight, reduction=reduction)
    (slope,) = torch.autograd.grad(loss, x, create_graph=True)
    quick = torch.autograd.grad(slope.sum(), (x, target), retain_graph=True)
    second = torch.autograd.grad(slope.sum(), (x, target), create_graph=True)
    quick, second = [[x.clone() for x in each] for each in (quick, second)]  # versions of 0
    third = torch.autograd.grad(second[1].sum(), (x, target), allow_unused=True)

# nn.functional.cosine_embedding_loss: what cosine_embedding_loss adds to squares: 1e-12, a float32 for doubles too
first = torch.full((3, 1), 1e-6, dtype=torch.float64, requires_grad=True)
second = torch.tensor([[1e-3], [1e-6], [0.0]], dtype=torch.float64, requires_grad=True)
sides = torch.tensor([1.0, -1.0, 1.0])
losses = torch.nn.functional.cosine_embedding_loss(first, second, sides, -0.5, reduction="none")
losses.sum().backward()

# torch.special.airy_ai: Airy's function, with the short fractions of its kernel
x = torch.linspace(-12, 12, 97, dtype=torch.float64)
found = [torch.special.airy_ai(x), torch.special.airy_ai(x.float())]
ends = torch.special.airy_ai(torch.tensor([float("inf"), -float("inf"), float("nan"), 104.0]))

# nn.functional.binary_cross_entropy: second gradients of binary_cross_entropy by what comes into its backward
for reduction in ("sum", "mean", "none"):
    x = torch.tensor([0.3, 1e-12, 0.0], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([0.3, 0.4, 0.5], dtype=torch.float64)
    loss = torch.nn.functional.binary_cross_entropy(x, target, reduction=reduction)
    incoming = torch.ones_like(loss, requires_grad=True)
    (slope,) = torch.autograd.grad(loss, x, incoming, create_graph=True)
    second = torch.autograd.grad(slope.sum(), incoming)[0].clone()  # of version 0

# torch._C: questions to the build, and the switches of torch.backends by the names of C++
import torch.utils._triton as triton

built = (
    triton.has_triton(),
    triton.has_triton_package(),
    torch._C._mps_is_available(),
    torch._C._has_distributed(),
)
del triton
named = torch._C._get_privateuse1_backend_name(), torch._C._get_mkldnn_enabled()
with torch.backends.cudnn.flags(benchmark=True):
    inside = torch._C._get_cudnn_benchmark(), torch._C._get_cudnn_enabled()
torch._C._set_sdp_use_math(False)
flash = torch._C._get_flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled()
torch._C._set_sdp_use_math(True)
with torch.autocast("cpu"):
    cast = torch._C._is_any_autocast_enabled()
precision = torch._C._get_float32_matmul_precision(), torch._C._get_warnAlways()
try:
    torch._C._set_cudnn_benchmark(3)  # torch's own tests freeze torch.backends.cudnn
except RuntimeError as error:
    refused = str(error)
