"""The ScriptModules that `script` and `trace` return: their methods run as they are written.

A ScriptModule stands for a copy of the module that shares its parameters and buffers, and has its
own flags and submodules. Attributes that need compiled code (`code`, `graph`) refuse.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from minitorch._jit_internal import module_has_exports
from minitorch.core.base.above import from_above
from minitorch.jit._errors import interpreter_error
from minitorch.nn.modules.module import Module


def _refusal(owner: str, name: str) -> NotImplementedError:
    return NotImplementedError(
        f"torch.jit.{owner}.{name} is not implemented by minitorch, which runs scripts as they are "
        "written and compiles nothing"
    )


class ScriptModule(Module):
    """A module whose methods are scripts: they run as they are written.

    Source: torch.jit.ScriptModule.
    """

    __module__ = "torch.jit._script"

    def save(self, f: Any, _extra_files: dict[str, Any] | None = None, **_: Any) -> None:
        """Writes the file that torch.jit.load reads to a path."""
        with open(f, "wb") as file:
            file.write(self.save_to_buffer(_extra_files))

    def save_to_buffer(self, _extra_files: dict[str, Any] | None = None, **_: Any) -> bytes:
        """The file that torch.jit.load reads."""
        return from_above("jit._files:as_bytes")(self, _extra_files)


class RecursiveScriptModule(ScriptModule):
    """The module that `script` returns for a module.

    Args:
        cpp_module: the copy of the module that this one stands for

    Source: torch.jit.RecursiveScriptModule.
    """

    __module__ = "torch.jit._script"

    def __init__(self, cpp_module: Module) -> None:
        super().__init__()
        own = self.__dict__
        own["_wrapped"] = cpp_module
        for name in ("_parameters", "_buffers", "_non_persistent_buffers_set"):
            own[name] = getattr(cpp_module, name)
        for name, child in cpp_module._modules.items():
            self._modules[name] = None if child is None else type(self)._of(child)
        own["training"] = cpp_module.training

    @classmethod
    def _of(cls, module: Module) -> RecursiveScriptModule:
        return RecursiveScriptModule(module)

    @property
    def original_name(self) -> str:
        """The name of the class of the module."""
        return type(self._wrapped).__name__

    def extra_repr(self) -> str:
        """The name of the module's class."""
        return f"original_name={self.original_name}"

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module."""
        try:
            return self._wrapped.forward(*args, **kwargs)
        except Exception as error:
            raise interpreter_error(error) from None

    def train(self, mode: bool = True) -> Any:
        """Sets the mode of the module and of all of its own."""
        super().train(mode)
        self._wrapped.train(mode)
        return self

    @property
    def code(self) -> NoReturn:
        """Refuses: nothing is compiled."""
        raise _refusal("ScriptModule", "code")

    @property
    def graph(self) -> NoReturn:
        """Refuses: nothing is compiled."""
        raise _refusal("ScriptModule", "graph")

    inlined_graph = code_with_constants = graph

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_wrapped" not in own:
            raise AttributeError(name)
        for held in ("_parameters", "_buffers", "_modules"):
            if name in own[held]:
                return own[held][name]
        return getattr(own["_wrapped"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        wrapped = self.__dict__.get("_wrapped")
        if wrapped is None or name in ("training", *self._modules) or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            setattr(wrapped, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._wrapped)})

    # A container's own methods, which find the modules themselves.

    def _need(self, method: str) -> None:
        if not hasattr(type(self._wrapped), method):
            raise NotImplementedError

    def __len__(self) -> int:
        self._need("__len__")
        return len(self._wrapped)

    def __iter__(self) -> Iterator[Any]:
        self._need("__iter__")
        return iter(self._wrapped)

    def __getitem__(self, idx: Any) -> Any:
        self._need("__getitem__")
        return self._wrapped[idx]

    def __contains__(self, key: Any) -> bool:
        self._need("__contains__")
        return key in self._wrapped

    def __bool__(self) -> bool:
        return True

    def __copy__(self) -> Any:
        return type(self)._of(_shared(self._wrapped, {}))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)._of(copy.deepcopy(self._wrapped, memo))


class TracedModule(RecursiveScriptModule):
    """A submodule of the module that `trace` returns."""

    __module__ = "torch.jit._trace"

    @classmethod
    def _of(cls, module: Module) -> RecursiveScriptModule:
        return TracedModule(module)

    def _get_name(self) -> str:
        return self.original_name


class TopLevelTracedModule(TracedModule):
    """The module that `trace` returns for a module."""

    __module__ = "torch.jit._trace"


class ScriptFunction:
    """The callable that `script` and `trace` return for a function; it runs the function.

    Source: torch.jit.ScriptFunction.
    """

    __module__ = "torch.jit"
    __qualname__ = "torch.jit.ScriptFunction"  # as pybind11 names it

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._torchdynamo_inline = self._function = function
        self.__name__ = self.__qualname__ = self.name = name
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._function(*args, **kwargs)
        except Exception as error:
            raise interpreter_error(error) from None

    save = ScriptModule.save
    save_to_buffer = ScriptModule.save_to_buffer

    @property
    def code(self) -> NoReturn:
        """Refuses: nothing is compiled."""
        raise _refusal("ScriptFunction", "code")

    @property
    def graph(self) -> NoReturn:
        """Refuses: nothing is compiled."""
        raise _refusal("ScriptFunction", "graph")

    def __repr__(self) -> str:
        return f"<torch.jit.ScriptFunction object at {id(self):#x}>"


def _shared(module: Module, known: dict[Module, Module]) -> Module:
    """A copy of a module with the parameters and buffers of its own; so are its submodules."""
    if isinstance(module, RecursiveScriptModule):
        module = module._wrapped
    if module in known:
        return known[module]
    # Past a __new__ of its own: that of a GraphModule would make a class without a forward.
    made = known[module] = object.__new__(type(module))
    own = made.__dict__
    own.update(module.__dict__)
    for name in ("_parameters", "_buffers", "_non_persistent_buffers_set"):
        own[name] = copy.copy(own[name])
    own["_modules"] = {
        name: None if child is None else _shared(child, known)
        for name, child in module._modules.items()
    }
    return made


def as_script(module: Module) -> Any:
    """The ScriptModule for a module; one that is one already, as it is."""
    if isinstance(module, ScriptModule):
        return module
    return RecursiveScriptModule(_shared(module, {}))


def as_trace(module: Module) -> Any:
    """The ScriptModule that a trace of a module is."""
    if isinstance(module, ScriptModule):
        return module
    kind = RecursiveScriptModule if module_has_exports(module) else TopLevelTracedModule
    return kind(_shared(module, {}))
