"""The cost of networks on a device: how many kernels, and how often the host waits.

Runs over the harness alone: python -m tests.cupy_on_host FOLDER python -m pytest tests/cupy_on_host
"""

import os

import pytest

import minitorch as torch
import minitorch.nn.functional as F
from minitorch import nn, optim

if "EMU_DIR" not in os.environ:
    pytest.skip("CuPy over memory of the host is not built", allow_module_level=True)

from tests.cupy_on_host.counting import counts_of

DEVICE = "cuda"


def forward(function):
    """A call of a function on 8 rows of 16 numbers."""
    x = torch.randn(8, 16).to(DEVICE)
    return lambda: function(x)


def both(function):
    """A call of a function on 8 rows of 16 numbers, and of its gradient."""
    x = torch.randn(8, 16).to(DEVICE).requires_grad_()
    weight = torch.ones(16, device=DEVICE, requires_grad=True)
    target = torch.randint(0, 16, (8,)).to(DEVICE)
    gradient = torch.randn(8, 16).to(DEVICE)

    def call():
        x.grad = weight.grad = None
        y = function(x, weight, target)
        y.backward(gradient if y.dim() else None)

    return call


def steps(kind, **options):
    """A step of an optimizer over ten tensors."""
    parameters = [torch.randn(4, 4).to(DEVICE).requires_grad_() for _ in range(10)]
    for each in parameters:
        each.grad = torch.randn(4, 4).to(DEVICE)
    return kind(parameters, **options).step


def clipping():
    """The norm of ten gradients, and these scaled by it."""
    parameters = [torch.randn(4, 4).to(DEVICE).requires_grad_() for _ in range(10)]
    for each in parameters:
        each.grad = torch.randn(4, 4).to(DEVICE)
    return lambda: nn.utils.clip_grad_norm_(parameters, 1.0)


class Block(nn.Module):
    """A layer of a transformer, normalised before attention and before the two linear layers."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        n, length, width = x.shape
        parts = self.qkv(self.first(x)).split(width, dim=2)
        shape = (n, length, self.heads, width // self.heads)
        q, k, v = [each.view(shape).transpose(1, 2) for each in parts]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.dropout(self.out(y.transpose(1, 2).contiguous().view(x.shape)))
        return x + self.dropout(self.down(F.gelu(self.up(self.second(x)))))


class GPT(nn.Module):
    """Two layers over 20 symbols."""

    def __init__(self):
        super().__init__()
        self.symbols, self.places = nn.Embedding(20, 16), nn.Embedding(8, 16)
        self.blocks = nn.Sequential(Block(), Block())
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 20, bias=False)

    def forward(self, index):
        x = self.symbols(index) + self.places(torch.arange(index.shape[1], device=index.device))
        return self.head(self.norm(self.blocks(x)))


def lenet():
    return nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(400, 32), nn.ReLU(), nn.Linear(32, 10)),
    )


def training(model, kind, inputs, targets):
    """A step of training."""
    model = model.to(DEVICE)
    optimizer = kind(model.parameters(), lr=1e-3)
    inputs, targets = inputs.to(DEVICE), targets.to(DEVICE)

    def step():
        optimizer.zero_grad()
        y = model(inputs)
        F.cross_entropy(y.view(-1, y.shape[-1]), targets.view(-1)).backward()
        optimizer.step()

    return step


def gpt_step():
    symbols = torch.randint(0, 20, (2, 8))
    return training(GPT(), optim.AdamW, symbols, symbols)


def lenet_step():
    return training(lenet(), optim.SGD, torch.randn(4, 1, 28, 28), torch.randint(0, 10, (4,)))


@pytest.mark.parametrize(
    ("name", "made", "most"),
    [
        ("add", lambda: forward(lambda x: x + x), 1),
        ("mul by a number", lambda: forward(lambda x: x * 2.0), 1),
        ("sigmoid", lambda: forward(torch.sigmoid), 1),
        ("softmax", lambda: forward(lambda x: x.softmax(-1)), 1),
        ("log_softmax", lambda: forward(lambda x: x.log_softmax(-1)), 1),
        ("cross_entropy", lambda: both(lambda x, w, t: F.cross_entropy(x, t)), 5),
        ("layer_norm", lambda: both(lambda x, w, t: F.layer_norm(x, (16,), w, w)), 4),
        ("batch_norm", lambda: both(lambda x, w, t: F.batch_norm(x, None, None, w, w, True)), 3),
        ("gelu", lambda: both(lambda x, w, t: F.gelu(x)), 2),
        ("silu", lambda: both(lambda x, w, t: F.silu(x)), 2),
        ("relu", lambda: both(lambda x, w, t: F.relu(x)), 2),
        ("SGD", lambda: steps(optim.SGD, lr=0.1), 3),
        ("SGD with momentum", lambda: steps(optim.SGD, lr=0.1, momentum=0.9), 3),
        ("Adam", lambda: steps(optim.Adam), 3),
        ("AdamW", lambda: steps(optim.AdamW), 3),
        ("clip_grad_norm_", clipping, 3),
        ("a step of LeNet", lenet_step, 90),
        ("a step of a GPT", gpt_step, 130),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_launches_stay_within_their_budgets(name, made, most):
    counts = counts_of(made())
    assert 0 < counts.launches <= most
    assert counts.waits == 0


def assert_alike(function, *shapes, dtype=torch.float32):
    """A function and its gradients return the same on the device as on the CPU, but for sums that
    are taken in another order."""
    torch.manual_seed(0)
    given = [torch.randn(shape).to(dtype) for shape in shapes]
    results = []
    for device in ("cpu", DEVICE):
        inputs = [each.to(device).detach().requires_grad_() for each in given]
        y = function(*inputs)
        y.backward(torch.arange(y.numel()).reshape(y.shape).to(device, dtype) / y.numel())
        results.append([y.detach().cpu(), *[each.grad.cpu() for each in inputs]])
    for expected, found in zip(*results, strict=True):
        assert expected.stride() == found.stride()
        scale = expected.double().abs().max()
        error = (expected.double() - found.double()).abs().max()
        assert error <= scale * 32 * torch.finfo(dtype).eps


CASES = {
    "softmax along the first of three": (lambda x: x.softmax(0), (3, 5, 7)),
    "softmax of long rows": (lambda x: x.softmax(-1), (2, 5000)),
    "log_softmax in the middle": (lambda x: x.log_softmax(1), (3, 5, 7)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (7,), w, b), (3, 5, 7), (7,), (7,)),
    "layer_norm over two axes": (lambda x: F.layer_norm(x, (5, 7)), (3, 5, 7)),
    "batch_norm": (
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True), (3, 4, 5, 2), (4,), (4,)
    ),
    "batch_norm of vectors": (lambda x: F.batch_norm(x, None, None, training=True), (600, 4)),
    "batch_norm by running statistics": (
        lambda x, w, b: F.batch_norm(x, w.detach(), b.detach() ** 2, w, b), (3, 4, 5), (4,), (4,)
    ),
    "a number to the power of a tensor": (lambda x: 2.0**x, (3, 5)),
    "a number less a tensor": (lambda x: 1 - x, (3, 5)),
    "gelu": (F.gelu, (3, 5)),
    "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), (3, 5)),
    "silu": (F.silu, (3, 5)),
    "products of transposed matrices": (lambda a, b: a.mT @ b.mT, (2, 4, 3), (2, 5, 4)),
    "products of broadcast matrices": (lambda a, b: a @ b, (2, 1, 3, 4), (6, 4, 5)),
    "conv2d in groups": (
        lambda x, w, b: F.conv2d(x, w, b, 2, 1, 1, 2), (2, 4, 7, 8), (6, 2, 3, 2), (6,)
    ),
    "conv_transpose2d": (
        lambda x, w: F.conv_transpose2d(x, w, None, 2, 1), (2, 4, 5, 4), (4, 3, 3, 2)
    ),
    "max_pool2d with padding": (lambda x: F.max_pool2d(x, 3, 2, 1), (2, 3, 8, 7)),
    "attention": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), *[(2, 3, 5, 4)] * 3
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_fused_functions_give_what_the_cpu_gives(name, dtype):
    function, *shapes = CASES[name]
    assert_alike(function, *shapes, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_batch_norm_of_the_device_keeps_running_statistics_in_float32(dtype):
    torch.manual_seed(0)
    x, results = torch.randn(4, 3, 5, 2).to(dtype), []
    for device in ("cpu", DEVICE):
        norm = nn.BatchNorm2d(3).to(device)
        given = x.to(device).detach().requires_grad_()
        for _ in range(2):
            y = norm(given)
        (y * torch.arange(2, device=device)).sum().backward()
        kept = [norm.running_mean, norm.running_var, norm.weight.grad, norm.bias.grad, given.grad]
        results.append([each.detach().cpu() for each in (y, *kept)])
    for expected, found in zip(*results, strict=True):
        assert expected.dtype == found.dtype
        tolerance = 8 * torch.finfo(expected.dtype).eps
        torch.testing.assert_close(found, expected, rtol=tolerance, atol=8 * tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("most", [0.5, 1e6])
def test_clip_grad_norm_scales_on_the_device_as_on_the_cpu(dtype, most):
    torch.manual_seed(0)
    values, results = [torch.randn(n, dtype=dtype) for n in (3, 5000, 0, 1)], []
    for device in ("cpu", DEVICE):
        parameters = [each.to(device).requires_grad_() for each in values]
        for each in parameters:
            each.grad = each.detach() * 2
        norm = nn.utils.clip_grad_norm_(parameters, most)
        assert [each.grad._version for each in parameters] == [1, 1, 1, 1]
        results.append([norm.cpu(), *[each.grad.cpu() for each in parameters]])
    for expected, found in zip(*results, strict=True):
        assert expected.dtype == found.dtype
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(6, 9), (2, 9, 3)])
def test_nll_loss_ignores_and_weighs_on_the_device_too(shape, reduction):
    target = torch.tensor([0, 8, 3, 4, 3, 1]).reshape(shape[0], *shape[2:])
    weight = torch.linspace(0.5, 2, 9)

    def loss(x):
        given = target.to(x.device), weight.to(x.device)
        return F.cross_entropy(x, *given, ignore_index=4, reduction=reduction)

    assert_alike(loss, shape)


BY_INDEX = {
    "nll_loss": lambda x, i: F.nll_loss(x, i),
    "embedding": lambda x, i: F.embedding(i, x),
    "embedding_bag": lambda x, i: F.embedding_bag(i[:, None], x),
    "index": lambda x, i: x[i],
    "index in the second place": lambda x, i: x[:, i],
    "index_put_": lambda x, i: x.clone().index_put_((i,), x),
    "index_put_, adding": lambda x, i: x.clone().index_put_((i,), x, accumulate=True),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_add": lambda x, i: x.index_add(0, i, x),
    "index_copy": lambda x, i: x.index_copy(0, i, x),
    "index_fill": lambda x, i: x.index_fill(0, i, 1.0),
    "gather": lambda x, i: x.gather(0, i[:, None]),
    "scatter": lambda x, i: x.scatter(0, i[:, None], x),
    "scatter_add": lambda x, i: x.scatter_add(0, i[:, None], x),
    "scatter_reduce": lambda x, i: x.scatter_reduce(0, i[:, None], x, "amax"),
    "take": lambda x, i: x.take(i * x.numel()),
    "put": lambda x, i: x.put(i * x.numel(), x[:, 0]),
}


@pytest.mark.parametrize("name", BY_INDEX)
def test_index_out_of_range_is_told_when_the_host_waits(name):
    x = torch.randn(3, 3).to(DEVICE)
    right, wrong = [torch.tensor(each, device=DEVICE) for each in ([0, 2, 1], [0, 3, 1])]
    if name not in ("take", "put"):
        assert BY_INDEX[name](x, right).sum().isfinite().item()
    y = BY_INDEX[name](x, wrong)
    with pytest.raises(torch.AcceleratorError, match="device-side assert triggered"):
        y.sum().item()
    assert torch.isfinite(x.sum()).item()


@pytest.mark.parametrize("name", BY_INDEX)
def test_host_does_not_wait_to_see_whether_an_index_is_in_range(name):
    x, index = torch.randn(3, 3).to(DEVICE), torch.tensor([0, 2, 1], device=DEVICE)
    if name in ("take", "put"):
        index = index // 4
    if name != "embedding_bag":  # whose offsets the host reads
        assert counts_of(lambda: BY_INDEX[name](x, index)).waits == 0


def test_index_that_is_negative_counts_from_the_end():
    x = torch.arange(12.0, device=DEVICE).reshape(3, 4)
    index = torch.tensor([[-1], [0], [-3]], device=DEVICE)
    assert x[:, index].shape == (3, 3, 1)
    assert x[:, index][0].flatten().tolist() == [3, 0, 1]
    assert x.take(index.flatten()).tolist() == [11, 0, 9]
