"""torch.utils.module_tracker: which modules run, forward or backward."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from typing import Any

from minitorch._C import _current_graph_task_id
from minitorch.autograd import Variable
from minitorch.autograd.graph import register_multi_grad_hook
from minitorch.core.tensor.tensor import Tensor
from minitorch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from minitorch.utils._pytree import tree_leaves

__all__ = ["ModuleTracker"]

logger = logging.getLogger("torch.utils.module_tracker")


class ModuleTracker:
    """A context that knows the modules that run.

    Attributes:
        parents: the names of the modules that run, as in state dictionaries, and always "Global".
        is_bw: whether a backward runs.

    As torch.utils.module_tracker.ModuleTracker.
    """

    __module__ = "torch.utils.module_tracker"
    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._known_modules: Any = weakref.WeakKeyDictionary()  # module -> its name
        self._seen_modules: Any = weakref.WeakSet()  # those whose children have names
        self._has_callback = False
        self._hooks: list[Any] = []

    @property
    def is_bw(self) -> bool:
        return _current_graph_task_id() != -1

    def __enter__(self) -> ModuleTracker:
        self._fw_pre_handle = register_module_forward_pre_hook(self._fw_pre_hook)
        self._fw_post_handle = register_module_forward_hook(self._fw_post_hook)
        return self

    def __exit__(self, *_: Any) -> None:
        for each in (self._fw_pre_handle, self._fw_post_handle, *self._hooks):
            each.remove()
        self._hooks.clear()

    def _fw_pre_hook(self, module: Any, inputs: Any) -> None:
        name = self._get_mod_name(module)
        self._get_append_fn(name, False)()
        self._at_gradients(inputs, self._get_pop_fn(name, True))

    def _fw_post_hook(self, module: Any, inputs: Any, outputs: Any) -> None:
        name = self._get_mod_name(module)
        self._get_pop_fn(name, False)()
        self._at_gradients(outputs, self._get_append_fn(name, True))

    def _at_gradients(self, values: Any, function: Callable[..., None]) -> None:
        """Calls a function once the gradients of some tensors are there."""
        tensors = [t for t in tree_leaves(values) if isinstance(t, Tensor) and t.requires_grad]
        if tensors:
            self._hooks.append(register_multi_grad_hook(tensors, function))

    def _get_mod_name(self, module: Any) -> str:
        name: str = self._known_modules.setdefault(module, type(module).__name__)
        if module not in self._seen_modules:
            for child_name, child in module.named_children():
                self._known_modules[child] = f"{name}.{child_name}"
                self._get_mod_name(child)
            self._seen_modules.add(module)
        return name

    def _get_append_fn(self, name: str, is_bw: bool) -> Callable[..., None]:
        def enter(*_: Any) -> None:
            if is_bw:
                self._maybe_set_engine_callback()
            if name in self.parents:
                logger.info(
                    "The module hierarchy tracking seems to be broken as this Module was already "
                    "entered. %s during %s",
                    name,
                    "backward" if is_bw else "forward",
                )
            self.parents.add(name)

        return enter

    def _get_pop_fn(self, name: str, is_bw: bool) -> Callable[..., None]:
        def leave(*_: Any) -> None:
            if name not in self.parents:
                logger.info(
                    "The Module hierarchy tracking is confused as we're exiting a Module that was "
                    "never entered. %s during %s",
                    name,
                    "backward" if is_bw else "forward",
                )
            self.parents.discard(name)

        return leave

    def _maybe_set_engine_callback(self) -> None:
        """Forgets all modules when the backward ends."""
        if not self._has_callback:
            Variable._execution_engine.queue_callback(self._forget)
            self._has_callback = True

    def _forget(self) -> None:
        self.parents = {"Global"}
        self._has_callback = False
