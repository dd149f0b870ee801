# use_deterministic_algorithms, the debug mode and their switches
def ask():
    return (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.get_deterministic_debug_mode(),
        torch._C._get_deterministic_algorithms(),
        torch._C._get_deterministic_algorithms_warn_only(),
        torch.utils.deterministic.fill_uninitialized_memory,
        torch._C._get_deterministic_fill_uninitialized_memory(),
    )


def fills(mode):
    torch.utils.deterministic.fill_uninitialized_memory = mode


use, debug = torch.use_deterministic_algorithms, torch.set_deterministic_debug_mode
for call in """
use(True)
use(True, warn_only=True)
use(False, warn_only=True)
use(False)
use(mode=True)
use(1)
use('x')
use(None)
use(True, True)
use(True, warn_only=1)
use()
debug(0)
debug(1)
debug(2)
debug(3)
debug(-1)
debug('default')
debug('warn')
debug('error')
debug('x')
debug(1.0)
debug(None)
debug(True)
debug(False)
debug(debug_mode=1)
torch._C._set_deterministic_algorithms(True)
torch._C._set_deterministic_algorithms(1)
torch._C._set_deterministic_algorithms(False, warn_only=True)
fills(False)
fills(3)
fills(None)
torch._C._set_deterministic_fill_uninitialized_memory(True)
torch._C._set_deterministic_fill_uninitialized_memory(3)
torch.set_warn_always(3)
torch.set_warn_always(True)
torch.is_warn_always_enabled()
""".split("\n")[1:-1]:
    try:
        result = eval(call)
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    print(call, result, ask())
debug("default")
fills(True)

# use_deterministic_algorithms: what raises or warns
x, i, w = torch.arange(6.0).view(2, 3), torch.tensor([0, 2]), torch.ones(4, requires_grad=True)
flat = F.max_pool1d(torch.arange(4.0).view(1, 1, 4), 2, return_indices=True)
pooled = F.max_pool2d(torch.arange(16.0).view(1, 1, 4, 4), 2, return_indices=True)
deep = F.max_pool3d(torch.arange(64.0).view(1, 1, 4, 4, 4), 2, return_indices=True)
try:
    for mode in ("error", "warn"):
        torch.set_deterministic_debug_mode(mode)
        for call in """
F.max_unpool1d(*flat, 2)
F.max_unpool2d(*pooled, 2).sum()
F.max_unpool3d(*deep, 2).sum()
nn.MaxUnpool2d(2)(*pooled).sum()
torch.zeros(4).put_(i, torch.ones(2))
torch.zeros(4, dtype=torch.long).put_(i, i)
torch.zeros(4).put_(i, torch.ones(2), accumulate=True)
torch.zeros(4).put(i, torch.ones(2))
torch.put(torch.zeros(4), i, torch.ones(2), True)
torch.zeros(4).put_(i[:0], torch.ones(0))
torch.zeros(4, device='meta').put_(i.to('meta'), torch.ones(2, device='meta'))
torch.autograd.grad(w.take(i).sum(), w)
torch.autograd.grad(w[i].sum(), w)
torch.autograd.grad(w.put(i, torch.ones(2), True).sum(), w)
torch.autograd.grad(torch.gather(w, 0, i).sum(), w)
torch.zeros(4).index_add_(0, i, torch.ones(2))
torch.zeros(4).index_copy_(0, i, torch.ones(2))
torch.zeros(4).index_put_((i,), torch.ones(2), accumulate=True)
torch.zeros(4).scatter_(0, i, torch.ones(2))
torch.zeros(4).scatter_add_(0, i, torch.ones(2))
torch.zeros(4).scatter_reduce_(0, i, torch.ones(2), 'amax')
torch.zeros(4).index_reduce_(0, i, torch.ones(2), 'amin')
torch.bincount(i, weights=torch.ones(2))
torch.histc(x, 2)
torch.kthvalue(x, 1)
x.median(1)
x.mode(1)
x.cumsum(0)
x.repeat_interleave(torch.tensor([1, 2]), 0)
F.ctc_loss(torch.zeros(5, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), [5], [2])
F.embedding_bag(i, torch.ones(3, 2), torch.tensor([0]), mode='max')
F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2, mode='bilinear').sum()
torch.bmm(torch.eye(2).to_sparse().unsqueeze(0), torch.ones(1, 2, 2))
""".split("\n")[1:-1]:
            try:
                result = eval(call)
            except Exception as error:
                result = f"{type(error).__name__}: {error}"
            print(mode, call, result)
finally:
    torch.set_deterministic_debug_mode("default")
    result = error = None

# use_deterministic_algorithms fills memory that nothing has written
x = torch.arange(6.0).view(2, 3)
dtypes = [torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128]
dtypes += [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool, torch.uint16]
try:
    for mode in ("error", "warn"):
        torch.set_deterministic_debug_mode(mode)
        print([torch.empty(2, dtype=dtype) for dtype in dtypes])
        for call in """
torch.empty(3)
torch.empty((2, 0))
torch.empty(2, 1, 1, 1, memory_format=torch.channels_last)
torch.empty(2, requires_grad=True)
torch.empty(2, device='meta')
torch.empty(3, out=torch.zeros(1))
torch.empty(3, out=torch.zeros(3))
torch.empty(2, out=torch.zeros(4)[::2])
torch.empty_like(x)
torch.empty_like(x, dtype=torch.int32)
x.new_empty(2)
torch.empty_strided((2, 2), (1, 2))
torch.empty_permuted((2, 3), (1, 0))
x.new_empty_strided((2,), (1,))
torch.Tensor(2)
torch.Tensor(torch.Size([2]))
torch.Tensor()
torch.FloatTensor(2)
torch.LongTensor(2)
torch.BoolTensor(2)
x.new(2)
torch.zeros(2).resize_(4)
torch.zeros(2, dtype=torch.int32).resize_(4)
torch.ones(4).resize_(2)
torch.ones(4).resize_(2).resize_(4)
torch.zeros(2, 2).resize_as_(torch.ones(3, 2))
torch.zeros(2)[1:].resize_(3)
torch.empty(0).resize_(2)
torch.zeros(1).set_().resize_(2)
torch.zeros(2).data.resize_(3)
torch.add(x, x, out=torch.zeros(0))
nn.Linear(2, 1).weight.isnan().any()
nn.Parameter(torch.empty(2))
torch.nn.utils.skip_init(nn.Linear, 2, 1).weight
nn.Embedding(2, 1).weight.isnan().any()
torch.cat([x, x]).sum()
torch.nonzero(x).sum()
""".split("\n")[1:-1]:
            print(mode, call, eval(call))
    torch.utils.deterministic.fill_uninitialized_memory = False
    print(torch.full((4,), 7.0).resize_(2).resize_(4), torch.empty(3).shape)
finally:
    torch.set_deterministic_debug_mode("default")
    torch.utils.deterministic.fill_uninitialized_memory = True

# set_warn_always: a warning once, or each time
import warnings


def warned(always):
    torch.set_warn_always(always)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            torch.zeros(4).put_(torch.tensor([0]), torch.ones(1))
            torch.ones(2, 3).T.T
            torch.ones(3).T
            F.max_unpool2d(torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1, dtype=torch.long), 2)
    return [str(each.message).partition(" (Triggered")[0][:60] for each in caught]


try:
    torch.use_deterministic_algorithms(True, warn_only=True)
    print(warned(True), warned(False))
finally:
    torch.use_deterministic_algorithms(False)
    torch.set_warn_always(True)
