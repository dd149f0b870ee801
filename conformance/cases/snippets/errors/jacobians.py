# torch.autograd.gradcheck: what it says of gradients of other dtypes, sizes and parts
from torch.autograd import Function, gradcheck

x = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
z = torch.tensor([0.3 + 1j, -0.7j], dtype=torch.complex128, requires_grad=True)


def twice(change, push=None):
    """A function that doubles, of which `change` changes the gradient."""

    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return change(grad * 2)

        if push is not None:

            @staticmethod
            def jvp(ctx, tangent):
                return push(tangent * 2)

    return Twice.apply


class Unscaled(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.full_like(grad, 2.0)


CALLS = {
    "right": lambda: gradcheck(twice(lambda g: g), x),
    "of another dtype": lambda: gradcheck(twice(lambda g: g.float()), x),
    "of another size": lambda: gradcheck(twice(lambda g: g[:, None]), x),
    "of a larger size": lambda: gradcheck(twice(lambda g: g.expand(3, 2)), x),
    "of a complex dtype": lambda: gradcheck(twice(lambda g: g + 0j), x),
    "not multiplied": lambda: gradcheck(Unscaled.apply, x),
    "not multiplied, fast": lambda: gradcheck(Unscaled.apply, x, fast_mode=True),
    "other dtypes unseen": lambda: gradcheck(twice(lambda g: g.float()), x, rtol=1, atol=1),
    "complex inputs forward": lambda: gradcheck(
        twice(lambda g: g, lambda t: t), z, check_forward_ad=True
    ),
    "complex tangents": lambda: gradcheck(
        twice(lambda g: g, lambda t: t + 0j), x, check_forward_ad=True
    ),
    "real tangents": lambda: gradcheck(
        twice(lambda g: g, lambda t: t.real), z, check_forward_ad=True
    ),
    "float tangents": lambda: gradcheck(
        twice(lambda g: g, lambda t: t.float()), x, check_forward_ad=True
    ),
    "complex outputs": lambda: gradcheck(lambda x: x * 1j, x, check_forward_ad=True),
    "fast of another dtype": lambda: gradcheck(twice(lambda g: g.float()), x, fast_mode=True),
    "fast of another size": lambda: gradcheck(twice(lambda g: g[:, None]), x, fast_mode=True),
    "fast of a larger size": lambda: gradcheck(twice(lambda g: g.expand(3, 2)), x, fast_mode=True),
}
for label, call in CALLS.items():
    try:
        print(label, call())
    except Exception as error:
        print(label, type(error).__name__, error)

# torch.autograd.gradcheck.get_numerical_jacobian: parts of it that programs call
import warnings

from torch.autograd.gradcheck import (
    get_analytical_jacobian,
    get_numerical_jacobian,
    get_numerical_jacobian_wrt_specific_input,
)

warnings.simplefilter("ignore")
x = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
z = torch.tensor([0.3 + 1j, -0.7j], dtype=torch.complex128, requires_grad=True)
plain = x.detach()
CALLS = {
    "numerical": lambda: get_numerical_jacobian(lambda x: x * 2, x),
    "numerical by one": lambda: get_numerical_jacobian_wrt_specific_input(
        lambda x: x * 2, 0, (plain,), (plain * 2,), 1e-6
    ),
    "by one of complex outputs": lambda: get_numerical_jacobian_wrt_specific_input(
        lambda x: x * 1j, 0, (x,), (x * 1j,), 1e-6
    ),
    "by a complex one": lambda: get_numerical_jacobian_wrt_specific_input(
        lambda x: x * 1j, 0, (z,), (z * 1j,), 1e-6
    ),
    "analytical": lambda: get_analytical_jacobian((x,), x * 2),
}
for label, call in CALLS.items():
    try:
        print(label, call())
    except Exception as error:
        print(label, type(error).__name__, error)
