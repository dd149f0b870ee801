"""torch._functorch.functional_call: modules as functions of their state, which torch.func has."""

from minitorch.func.stateless import functional_call, stack_module_state

__all__ = ["functional_call", "stack_module_state"]
