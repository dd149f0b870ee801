# backward of many threads into one leaf
import threading

x = torch.ones(4, requires_grad=True)


def work():
    for _ in range(5):
        (x * 2).sum().backward()


_threads = [threading.Thread(target=work) for _ in range(4)]
for _thread in _threads:
    _thread.start()
for _thread in _threads:
    _thread.join()

# backward of many threads through one graph that is kept
import threading

x = torch.ones(4, requires_grad=True)
y = (x * x).exp().sum()


def work():
    y.backward(retain_graph=True)


_threads = [threading.Thread(target=work) for _ in range(4)]
for _thread in _threads:
    _thread.start()
for _thread in _threads:
    _thread.join()

# Tensor.register_post_accumulate_grad_hook: backward of many threads, with hooks
import threading

calls = []
x = torch.ones(4, requires_grad=True)
w = torch.ones(4, requires_grad=True)
x.register_hook(lambda g: calls.append("x") or g * 2)
w.register_post_accumulate_grad_hook(lambda t: calls.append("w"))


def work(n):
    y = x * w * n
    y.register_hook(lambda g: calls.append("y"))
    y.sum().backward()


_threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for _thread in _threads:
    _thread.start()
for _thread in _threads:
    _thread.join()
calls.sort()

# torch.autograd.grad: gradients that threads ask for
from concurrent.futures import ThreadPoolExecutor

x = torch.ones(4, requires_grad=True)
with ThreadPoolExecutor(4) as _pool:
    results = list(_pool.map(lambda n: torch.autograd.grad((x * n).sum(), x)[0], range(8)))
print(results, x.grad)

# torch.is_inference_mode_enabled: modes belong to a thread
import threading

seen = []


def work():
    seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
    torch.set_grad_enabled(False)


with torch.no_grad(), torch.inference_mode():
    _thread = threading.Thread(target=work)
    _thread.start()
    _thread.join()
seen.append(torch.is_grad_enabled())

# torch.is_grad_enabled: a backward in a thread within no_grad
import threading

x = torch.ones(4, requires_grad=True)
y = (x * 2).sum()
seen = []
x.register_hook(lambda g: seen.append((torch.is_grad_enabled(), threading.current_thread().name)))


def work():
    with torch.no_grad():
        y.backward()


_thread = threading.Thread(target=work, name="worker")
_thread.start()
_thread.join()

# Tensor.backward: an error in the backward of a thread
import threading

x = torch.ones(4, requires_grad=True)
errors = []


def work():
    y = x * 2
    y.register_hook(lambda g: {}[1])
    try:
        y.sum().backward()
    except KeyError as error:
        errors.append(repr(error))


_thread = threading.Thread(target=work)
_thread.start()
_thread.join()
(x * 3).sum().backward()

# torch.autograd.Function: a Function in several threads
import threading

calls = []


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.name = threading.current_thread().name
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        calls.append(ctx.name == threading.current_thread().name)
        return grad * 2 * ctx.saved_tensors[0]


x = torch.ones(4, requires_grad=True)
_threads = [threading.Thread(target=lambda: Double.apply(x).sum().backward()) for _ in range(4)]
for _thread in _threads:
    _thread.start()
for _thread in _threads:
    _thread.join()

# torch.autograd.graph.register_multi_grad_hook: hooks of several tensors, called once in each backward of several threads
import threading

calls = []
x = torch.ones(4, requires_grad=True)
w = torch.ones(4, requires_grad=True)
torch.autograd.graph.register_multi_grad_hook(
    (x, w), lambda grads: calls.append([g.sum().item() for g in grads])
)
_threads = [threading.Thread(target=lambda: (x * w).sum().backward()) for _ in range(4)]
for _thread in _threads:
    _thread.start()
for _thread in _threads:
    _thread.join()

# torch.autograd.graph.saved_tensors_hooks: what was packed, unpacked in several threads
import threading

x = torch.ones(4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 2, lambda t: t / 2):
    y = (x * x).exp().sum()
_threads = [threading.Thread(target=lambda: y.backward(retain_graph=True)) for _ in range(4)]
for _thread in _threads:
    _thread.start()
for _thread in _threads:
    _thread.join()

# Tensor.register_hook: a graph is freed at once, without the garbage collector
import gc
import weakref


class Tracked(torch.Tensor):
    pass


gone = []


class Kept:
    def __call__(self, grad):
        pass


def work(run):
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).exp()
    kept = Kept()
    weakref.finalize(kept, gone.append, run.__name__)
    y.register_hook(kept)
    z = y.sum()
    run(z, x)


def plain(z, x):
    z.backward()


def kept(z, x):
    z.backward(retain_graph=True)


def unused(z, x):
    pass


def asked(z, x):
    torch.autograd.grad(z, x)


gc.collect()
gc.disable()
for _run in (plain, kept, unused, asked):
    work(_run)
gc.enable()

# Tensor.exp: a saved tensor is freed when its node has run
import gc
import weakref

gone = []
x = torch.ones(2, requires_grad=True)
y = x.exp()
weakref.finalize(y, gone.append, "y")
z = (y * y).sum()
del y
gone.append("before backward")
z.backward()
gone.append("after backward")

# Tensor.backward: a long chain is freed without recursion
import gc

gc.disable()
x = torch.ones(1, requires_grad=True)
y = x
for _ in range(20000):
    y = y + 1
y.backward()
del y
gc.enable()

# torch.ones: a leaf does not keep the end of its graph, nor the end the leaf
import gc
import weakref

gone = []
gc.disable()
x = torch.ones(2, requires_grad=True)
weakref.finalize(x, gone.append, "leaf")
_end = (x * 2).grad_fn.next_functions[0][0]
del x
gone.append("the end is held")
del _end
gone.append("nothing is held")
gc.enable()
