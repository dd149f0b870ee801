"""torch.utils.hooks: handles of hooks, and the hooks around the backward of a module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitorch.autograd.function import Function
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import recording
from minitorch.core.graph.hooks import RemovableHandle, unserializable_hook, warn_if_has_hooks
from minitorch.core.warning import warn

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


class BackwardHookFunction(Function):
    """Hands tensors on as views, through one node that sees all their gradients."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


def _spread(places: Sequence[int], values: Sequence[Any], size: int) -> tuple[Any, ...]:
    """`values` at their places among `size`, None elsewhere."""
    found: list[Any] = [None] * size
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return tuple(found)


class BackwardHook:
    """The backward hooks of one call of a module.

    Its tensors pass through a node before the call and one after it; the hooks are called once the
    gradients of both are there.
    """

    __module__ = "torch.utils.hooks"

    def __init__(self, module: Any, user_hooks: Any, user_pre_hooks: Any) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Any = None
        self.n_outputs = self.n_inputs = -1
        self.output_tensors_index: Any = None
        self.input_tensors_index: Any = None

    def _through_a_node(self, hook: Callable[..., Any], args: Any) -> tuple[Any, Any]:
        """`args` with its tensors passed through a node that has `hook`, and where these are."""
        places = [i for i, arg in enumerate(args) if isinstance(arg, TensorBase)]
        if not (recording() and any([args[i].requires_grad for i in places])):
            return args, None
        passed = BackwardHookFunction.apply(*[args[i] for i in places])
        next(each.grad_fn for each in passed if each.requires_grad).register_hook(hook)
        found = list(args)
        for place, each in zip(places, passed, strict=True):
            found[place] = each
        return (tuple(found) if type(args) is tuple else type(args)(*found)), places

    def setup_input_hook(self, args: Any) -> Any:
        """The arguments of the call, to be seen once their gradients are there."""
        args, self.input_tensors_index = self._through_a_node(self._on_inputs, args)
        self.n_inputs = len(args)
        return args

    def _on_inputs(self, grad_input: Any, _: Any) -> Any:
        if self.grad_outputs is None:
            return None  # a gradient that came past the outputs, as in a second derivative
        grads = _spread(self.input_tensors_index, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            returned = hook(self.module, grads, self.grad_outputs)
            if returned is None:
                continue
            if len(returned) != len(grads):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(returned)}, but expected {len(grads)}"
                )
            grads = returned
        self.grad_outputs = None
        return tuple([grads[i] for i in self.input_tensors_index])

    def setup_output_hook(self, args: Any) -> Any:
        """The result of the call, to be seen once its gradients are there."""
        several = isinstance(args, tuple)
        outputs = args if several else (args,)
        outputs, self.output_tensors_index = self._through_a_node(self._on_outputs, outputs)
        self.n_outputs = len(outputs)
        return outputs if several else outputs[0]

    def _on_outputs(self, _: Any, grad_output: Any) -> Any:
        self.grad_outputs = _spread(self.output_tensors_index, grad_output, self.n_outputs)
        expected = len(self.grad_outputs)
        for hook in self.user_pre_hooks:
            returned = hook(self.module, self.grad_outputs)
            if returned is None:
                continue
            if len(returned) != expected:
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(returned)}, but expected {expected}"
                )
            self.grad_outputs = returned
        grads = self.grad_outputs
        if self.input_tensors_index is None:
            self._without_inputs()
        return tuple([grads[i] for i in self.output_tensors_index])

    def _without_inputs(self) -> None:
        """Calls the hooks where no input has a gradient for which to wait."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
            "register_full_backward_hook for more details."
        )
        nothing = (None,) * self.n_inputs
        for hook in self.user_hooks:
            returned = hook(self.module, nothing, self.grad_outputs)
            ignored = isinstance(returned, tuple) and all([each is None for each in returned])
            if returned is not None and not ignored:
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients."
                )
        self.grad_outputs = None


# What errors call them.
BackwardHook._on_inputs.__name__ = BackwardHook._on_outputs.__name__ = "hook"
