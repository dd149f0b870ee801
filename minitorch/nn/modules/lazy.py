"""LazyModuleMixin: modules that learn the shapes of their parameters from their first input."""

from __future__ import annotations

from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.nn.uninitialized import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """A module with uninitialised parameters, which `initialize_parameters` shapes by the first
    input; then it becomes an instance of `cls_to_become`.

    A load of numbers with a shape gives the shape, too.

    Args:
        *args, **kwargs: those of the next class.

    As torch.nn.modules.lazy.LazyModuleMixin.
    """

    __module__ = "torch.nn.modules.lazy"
    cls_to_become: type | None = None

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, member in [*self._parameters.items(), *self._buffers.items()]:
            if member is not None and name not in self._non_persistent_buffers_set:
                kept = keep_vars or is_lazy(member)
                destination[prefix + name] = member if kept else member.detach()

    def _lazy_load_hook(self: Any, state_dict: Any, prefix: str, *_: Any) -> None:
        """Takes the shapes of the tensors that are to be loaded."""
        for name, member in [*self._parameters.items(), *self._buffers.items()]:
            given = state_dict.get(prefix + name)
            if given is not None and is_lazy(member) and not is_lazy(given):
                with no_grad():
                    member.materialize(given.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Shapes the parameters for an input. Subclasses define it.

        Args:
            *args, **kwargs: those of the first call.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def _infer_parameters(self: Any, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        for name in ("_initialize_hook", "_load_hook"):
            getattr(module, name).remove()
            delattr(module, name)
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
            "forward pass to correctly initialize the modules"
        )
