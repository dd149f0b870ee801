"""torch.func: transforms of functions, which differentiate them or map them over examples."""

from minitorch.func import autograd_function as _functions
from minitorch.func.mapping import layer_rules as _layer_rules
from minitorch.func.mapping.vmap import vmap
from minitorch.func.rearranging import rearrange
from minitorch.func.stateless import (
    functional_call,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from minitorch.func.transforms import (
    debug_unwrap,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
