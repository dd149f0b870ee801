# torch.matmul: gradients that are right
x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
w = torch.randn(3, dtype=torch.float64, requires_grad=True)
found = [
    torch.autograd.gradcheck(f, (x, w))
    for f in (
        torch.mul,
        torch.matmul,
        lambda x, w: (x.sin() @ w, x.sum()),
        lambda x, w: [x * 2, w.exp()],
    )
]

# Tensor.tanh: in all modes
x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
found = [
    torch.autograd.gradcheck(lambda x: (x.tanh() * x, x.sum(0)), x, **options)
    for options in (
        {"fast_mode": True},
        {"check_forward_ad": True},
        {"check_forward_ad": True, "fast_mode": True},
        {"check_forward_ad": True, "check_backward_ad": False},
        {"check_undefined_grad": False},
        {"check_grad_dtypes": True},
        {"masked": True},
        {"eps": 1e-4, "atol": 1e-3, "rtol": 1e-2},
        {"check_batched_grad": True},
        {"check_forward_ad": True, "check_batched_forward_grad": True},
    )
]

# torch.view_as_real: of complex numbers
z = torch.randn(3, dtype=torch.complex128, requires_grad=True)
found = [
    torch.autograd.gradcheck(f, (z,), check_forward_ad=forward, fast_mode=fast)
    for f in (
        lambda z: z * z,
        torch.abs,
        torch.view_as_real,
        lambda z: z.real,
        lambda z: z.conj() * 2,
    )
    for forward in (False, True)
    for fast in (False, True)
]

# torch.autograd.gradcheck: from real numbers to complex ones
x = torch.randn(3, dtype=torch.float64, requires_grad=True)
found = [
    torch.autograd.gradcheck(lambda x: x * 1j + x, x, check_forward_ad=forward)
    for forward in (False, True)
]

# torch.autograd.gradcheck: inputs that require no grad, and that are no tensors
x = torch.randn(3, dtype=torch.float64, requires_grad=True)
found = torch.autograd.gradcheck(
    lambda x, n, s: x * n + s, (x, torch.ones(3, dtype=torch.float64), 2)
)


# torch.autograd.gradcheck: a wrong gradient
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


torch.autograd.gradcheck(
    Wrong.apply, torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
)


# torch.autograd.gradcheck: a wrong gradient, found in fast mode
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


torch.autograd.gradcheck(
    Wrong.apply, torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True), fast_mode=True
)


# torch.autograd.gradcheck: a wrong gradient, found without an exception
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
found = [
    torch.autograd.gradcheck(Wrong.apply, x, raise_exception=False, fast_mode=fast)
    for fast in (False, True)
]


# torch.autograd.gradcheck: a wrong gradient of the second input and output
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * 1, y * 2

    @staticmethod
    def backward(ctx, x_grad, y_grad):
        return x_grad, y_grad


x, y = [torch.tensor([1.0], dtype=torch.float64, requires_grad=True) for _ in range(2)]
torch.autograd.gradcheck(Wrong.apply, (x, y))


# torch.autograd.gradcheck: a wrong gradient of complex numbers
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        return z * 2j

    @staticmethod
    def backward(ctx, grad):
        return grad * 2j


torch.autograd.gradcheck(
    Wrong.apply, torch.tensor([1 + 1j], requires_grad=True, dtype=torch.complex128)
)


# torch.autograd.gradcheck: a wrong tangent
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 3


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(Wrong.apply, x, check_forward_ad=True, check_backward_ad=False)


# torch.autograd.gradcheck: a wrong tangent of complex numbers, in fast mode
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        return z * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 3


z = torch.tensor([1 + 1j, 2], dtype=torch.complex128, requires_grad=True)
torch.autograd.gradcheck(
    Wrong.apply, z, check_forward_ad=True, check_backward_ad=False, fast_mode=True
)


# torch.autograd.gradcheck: a gradient that is another each time
class Restless(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        Restless.calls += 1
        return grad * 2 + 1e-7 * Restless.calls


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Restless.apply, x, nondet_tol=1e-3, raise_exception=False))
torch.autograd.gradcheck(Restless.apply, x)


# torch.autograd.gradcheck: a gradient that does not heed that of the result
class Constant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(2, dtype=torch.float64)


torch.autograd.gradcheck(
    Constant.apply, torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
)


# torch.autograd.gradcheck: a backward that cannot do without gradients
class Strict(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, first, second):
        if first is None or second is None:
            raise RuntimeError("both gradients are needed")
        return first * 2 + second * 3


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Strict.apply, x, check_undefined_grad=False))
torch.autograd.gradcheck(Strict.apply, x)


# torch.autograd.gradcheck: a backward with a gradient of its own where there is none
class Eager(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(2, dtype=torch.float64) if grad is None else grad * 2


torch.autograd.gradcheck(
    Eager.apply, torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
)

# torch.autograd.gradcheck: a function without gradient that is not constant
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda x: x.detach() * 0, x, raise_exception=False))
torch.autograd.gradcheck(lambda x: x.detach() * 2, x)

# torch.autograd.gradcheck: a function without gradient, in fast mode
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(lambda x: x.detach() * 2, x, fast_mode=True)

# torch.autograd.gradcheck: single precision
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.gradcheck(lambda x: x.exp(), x)

# torch.autograd.gradcheck: single precision with tolerances to match
x = torch.tensor([1.0, 2.0], requires_grad=True)
found = torch.autograd.gradcheck(lambda x: x * 2, x, eps=1e-2, atol=1e-2, rtol=1e-2)

# torch.autograd.gradcheck: nothing requires grad
torch.autograd.gradcheck(lambda x: x * 2, torch.ones(2, dtype=torch.float64))

# torch.autograd.gradcheck: an input that overlaps itself
x = torch.ones(1, dtype=torch.float64).expand(3).requires_grad_()
torch.autograd.gradcheck(lambda x: x * 2, x)

# torch.autograd.gradcheck: results that change their shape
x = torch.tensor([1e-8, 1.0], dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(lambda x: x[x > 0], x)

# torch.autograd.gradcheck: options that exclude one another
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
for options in (
    {"check_backward_ad": False},
    {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True},
    {"check_batched_forward_grad": True},
):
    try:
        torch.autograd.gradcheck(torch.exp, x, **options)
    except AssertionError as error:
        print(error)

# torch.autograd.gradcheck: empty inputs, and results of no elements
x = torch.zeros(0, 3, dtype=torch.float64, requires_grad=True)
found = [
    torch.autograd.gradcheck(lambda x: x * 2, x),
    torch.autograd.gradcheck(lambda x: x.sum(), x),
]

# torch.autograd.gradgradcheck: gradients of gradients that are right
x = torch.randn(2, 2, dtype=torch.float64, requires_grad=True)
w = torch.randn(2, dtype=torch.float64, requires_grad=True)
found = [
    torch.autograd.gradgradcheck(f, (x, w), **options)
    for f in (lambda x, w: x**3 * w, lambda x, w: (x.sin() @ w, w.exp()))
    for options in (
        {},
        {"fast_mode": True},
        {"check_fwd_over_rev": True},
        {"gen_non_contig_grad_outputs": True},
        {"check_fwd_over_rev": True, "check_rev_over_rev": False, "check_undefined_grad": False},
    )
]

# torch.autograd.gradgradcheck: gradients of gradients of complex numbers
z = torch.randn(2, dtype=torch.complex128, requires_grad=True)
found = [torch.autograd.gradgradcheck(f, (z,)) for f in (lambda z: z * z * z, torch.abs)]

# torch.autograd.gradgradcheck: gradients of gradients with gradients given
x = torch.randn(2, dtype=torch.float64, requires_grad=True)
given = torch.randn(2, dtype=torch.float64, requires_grad=True)
found = [torch.autograd.gradgradcheck(torch.exp, x, g) for g in (given, (given,), given.detach())]


# torch.autograd.gradgradcheck: gradients of gradients that are wrong
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x.detach() ** 2


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(
    torch.autograd.gradcheck(Cube.apply, x),
    torch.autograd.gradgradcheck(Cube.apply, x, raise_exception=False),
)
torch.autograd.gradgradcheck(Cube.apply, x, torch.ones(2, dtype=torch.float64, requires_grad=True))

# torch.autograd.gradgradcheck: options of gradgradcheck that exclude one another
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
for options in (
    {"check_rev_over_rev": False},
    {"check_rev_over_rev": False, "check_fwd_over_rev": True},
    {
        "check_rev_over_rev": False,
        "check_fwd_over_rev": True,
        "check_undefined_grad": False,
        "check_batched_grad": True,
    },
):
    try:
        torch.autograd.gradgradcheck(torch.exp, x, **options)
    except AssertionError as error:
        print(error)

# torch.autograd.gradcheck: what the checks are called, and what they raise
from torch.autograd.gradcheck import GradcheckError, gradcheck

same = gradcheck is torch.autograd.gradcheck
print(GradcheckError.__mro__[1:], same, callable(torch.autograd.gradgradcheck))

# torch.autograd.gradcheck: Jacobians from differences
from torch.autograd.gradcheck import (
    get_numerical_jacobian,
    get_numerical_jacobian_wrt_specific_input,
)

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
w = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
whole = get_numerical_jacobian(lambda given: given[0] * given[1], (x, w))
by_w = get_numerical_jacobian(lambda given: given[0] * given[1], (x, w), target=(w,), eps=1e-6)
by_x = get_numerical_jacobian_wrt_specific_input(lambda x, w: x * w, 0, (x, w), (x * w,), 1e-6)

# torch.autograd.gradcheck: Jacobians from backwards
from torch.autograd.gradcheck import get_analytical_jacobian

x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
w = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
(by_x, by_w), same, sizes, types = get_analytical_jacobian((x, w), x * w)

# torch.autograd.gradcheck: Jacobians are for real results and gradients of one
from torch.autograd.gradcheck import get_analytical_jacobian, get_numerical_jacobian

z = torch.ones(2, dtype=torch.complex128, requires_grad=True)
for call in (
    lambda: get_numerical_jacobian(lambda given: given[0], (z,)),
    lambda: get_analytical_jacobian((z,), z),
    lambda: get_numerical_jacobian(lambda given: given[0], (z,), grad_out=2.0),
    lambda: get_analytical_jacobian((z,), z.real, grad_out=2.0),
):
    try:
        call()
    except ValueError as error:
        print(error)
