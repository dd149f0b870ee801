"""torch._functorch.eager_transforms: the transforms that differentiate, which torch.func has."""

from minitorch.func.transforms import (
    functionalize,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)

__all__ = ["functionalize", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp"]
