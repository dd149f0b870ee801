"""Surroundings: what both libraries have alike and a recording sees besides operators: modules,
optimizers, zero_grad(), and printed text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from minitorch.study.libraries.swapping import Step, Swap, undo


class Surroundings:
    """Attaches a recorder to modules, optimizers and sys.stdout."""

    def __init__(self, torch: Any, listener: Callable[[], Any]) -> None:
        modules = import_module(f"{torch.__name__}.nn.modules.module")
        optimizers = import_module(f"{torch.__name__}.optim.optimizer")

        def enter(module: Any, args: Any) -> None:
            to = listener()
            if to is not None:
                to.enter_module(module, args)

        def leave(module: Any, args: Any, output: Any) -> None:
            to = listener()
            if to is not None:
                to.leave_module(module)

        def before(optimizer: Any, args: Any, kwargs: Any) -> None:
            to = listener()
            if to is not None:
                to.begin_step(optimizer)

        def after(optimizer: Any, args: Any, kwargs: Any) -> None:
            to = listener()
            if to is not None:
                to.end_step(optimizer)

        self._stdout = sys.stdout
        self._tee = Tee(sys.stdout, listener)
        self._steps: list[Step] = [
            Swap(modules.Module, "zero_grad", _zero_grad(modules.Module, listener, of_module)),
            Swap(
                optimizers.Optimizer,
                "zero_grad",
                _zero_grad(optimizers.Optimizer, listener, of_optimizer),
            ),
        ]
        self._handles = [
            modules.register_module_forward_pre_hook(enter),
            modules.register_module_forward_hook(leave, always_call=True),
            optimizers.register_optimizer_step_pre_hook(before),
            optimizers.register_optimizer_step_post_hook(after),
        ]
        sys.stdout = self._tee

    def undo(self) -> None:
        """Detaches it."""
        if sys.stdout is self._tee:
            sys.stdout = self._stdout
        for each in self._handles:
            each.remove()
        undo(self._steps)


def of_module(module: Any) -> list[Any]:
    """The parameters of a module."""
    return list(module.parameters())


def of_optimizer(optimizer: Any) -> list[Any]:
    """The parameters of an optimizer."""
    return [each for group in optimizer.param_groups for each in group["params"]]


def _zero_grad(owner: type, listener: Callable[[], Any], parameters: Any) -> Any:
    """A wrapper of the method zero_grad of a class, which reports to the listener."""
    original = vars(owner)["zero_grad"]

    def zero_grad(self: Any, *args: Any, **kwargs: Any) -> Any:
        to = listener()
        if to is None:
            return original(self, *args, **kwargs)
        return to.clear(parameters(self), lambda: original(self, *args, **kwargs))

    zero_grad.__doc__, zero_grad.__qualname__ = original.__doc__, original.__qualname__
    return zero_grad


class Tee:
    """A stream that passes the written text on to the recorder, too."""

    def __init__(self, stream: Any, listener: Callable[[], Any]) -> None:
        self._stream = stream
        self._listener = listener

    def write(self, text: str) -> Any:
        """Writes, as the stream does."""
        to = self._listener()
        if to is not None and isinstance(text, str):
            to.printed(text)
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """Writes each of them."""
        for each in lines:
            self.write(each)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
