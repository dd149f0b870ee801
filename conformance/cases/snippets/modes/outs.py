# calls with out= that a mode sees: the overloads that write, and what they write by name
from torch.utils._python_dispatch import TorchDispatchMode


def shown(x):
    if isinstance(x, torch.Tensor):
        return str(list(x.shape))
    return str(list(map(shown, x))) if isinstance(x, (list, tuple)) else repr(x)


class Log(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        named = [f"{name}={shown(value)}" for name, value in (kwargs or {}).items()]
        result = func(*args, **(kwargs or {}))
        print("  ", func, *map(shown, args), *named, shown(result))
        return result


def call(function, *args, out, **kwargs):
    print(function.__name__)
    with Log():
        function(*args, out=out, **kwargs)
    print(out)


x, y = torch.arange(6.0).reshape(2, 3) + 1, torch.ones(2, 3) * 2
square = torch.tensor([[2.0, 1.0], [0.0, 4.0]])
for function in (torch.mul, torch.add, torch.maximum, torch.pow, torch.div):
    call(function, x, y, out=torch.empty(2, 3))
for function in (torch.mul, torch.sub, torch.pow, torch.floor_divide, torch.clamp):
    call(function, x, 2, out=torch.empty(2, 3))
for function in (torch.gt, torch.eq):
    call(function, x, 2, out=torch.empty(2, 3, dtype=torch.bool))
call(torch.div, x, y, rounding_mode="floor", out=torch.empty(0))
for function in (torch.sum, torch.amax, torch.logsumexp, torch.std, torch.mean):
    call(function, x, 1, out=torch.empty(2))
call(torch.any, x, out=torch.empty((), dtype=torch.bool))
for function in (torch.max, torch.sort, torch.cummax):
    sizes = 2 if function is torch.max else (2, 3)
    call(function, x, 1, out=(torch.empty(sizes), torch.empty(sizes, dtype=torch.int64)))
call(torch.addmm, x, square, y, alpha=-1, out=torch.empty(2, 3))
for function in (torch.cat, torch.stack, torch.hstack, torch.vstack):
    call(function, [x, y], out=torch.empty(0))
for function in (torch.mm, torch.matmul):
    call(function, square, x, out=torch.empty(2, 3))
for function in (torch.square, torch.absolute, torch.special.expit, torch.fft.fft):
    kind = torch.complex64 if function is torch.fft.fft else torch.float32
    call(function, x, out=torch.empty(2, 3, dtype=kind))
call(torch.outer, x[0], y[0], out=torch.empty(3, 3))
call(torch.tensordot, square, x, 1, out=torch.empty(2, 3))
call(torch.where, x > 2, x, y, out=torch.empty(2, 3))
call(torch.linalg.inv, square, out=torch.empty(2, 2))
call(torch.linalg.cholesky, torch.eye(2) * 4, out=torch.empty(2, 2))
call(torch.permute_copy, x, (1, 0), out=torch.empty(3, 2))
call(torch.zeros, 3, out=torch.empty(3))
call(torch.linspace, 0, 1, 3, out=torch.empty(3))
call(torch.normal, x, y * 0, out=torch.empty(2, 3))
for out in (torch.zeros(2, 3, requires_grad=True), torch.zeros(2, 3, dtype=torch.int64)):
    try:
        call(torch.exp, x, out=out)
    except RuntimeError as error:
        print(error)
