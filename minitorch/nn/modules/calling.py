"""Calling a module that has hooks, and keeping those hooks."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NoReturn

from minitorch.core.base.above import from_above
from minitorch.core.base.fields import TensorBase
from minitorch.core.graph.hooks import RemovableHandle, insert_hook, latch_of_hooks

# The dictionaries of hooks around the calls of all modules that have one: while there is none, a
# call does not look.
ANY_GLOBAL = latch_of_hooks()


class CallHooks(OrderedDict[int, Any]):
    """Hooks around the calls of all modules; libraries write into it past any handle."""

    def __setitem__(self, number: int, hook: Any) -> None:
        super().__setitem__(number, hook)
        ANY_GLOBAL.hold(self)

    def clear(self) -> None:
        """Takes all of them away."""
        super().clear()
        ANY_GLOBAL.release(self)


_global_buffer_registration_hooks = OrderedDict()
_global_module_registration_hooks = OrderedDict()
_global_parameter_registration_hooks = OrderedDict()
_global_backward_pre_hooks = CallHooks()
_global_backward_hooks = CallHooks()
_global_forward_pre_hooks = CallHooks()
_global_forward_hooks = CallHooks()
_global_forward_hooks_always_called = OrderedDict()
_global_forward_hooks_with_kwargs = OrderedDict()
_full: list[bool] = []  # whether global backward hooks are full ones, once there are any
_BOTH = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    "Please use only one of them."
)


def add_hook(
    hooks: OrderedDict[int, Any],
    hook: Callable[..., Any],
    prepend: bool = False,
    marks: tuple[tuple[OrderedDict[int, bool], bool], ...] = (),
) -> Any:
    """Puts `hook` behind (or before) the others and returns its handle.

    marks: (dictionary, whether it is to know the hook as well), ...
    """
    handle = RemovableHandle(hooks, extra_dict=[marked for marked, _ in marks])
    hooks[handle.id] = hook
    for marked, on in marks:
        if on:
            marked[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _add_global(hooks: OrderedDict[int, Any], hook: Callable[..., Any], *marks: Any) -> Any:
    handle = RemovableHandle(hooks, extra_dict=[marked for marked, _ in marks])
    for marked, on in marks:
        if on:
            marked[handle.id] = True
    insert_hook(hooks, handle.id, hook, ANY_GLOBAL)
    return handle


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> Any:
    """Calls hook(module, name, buffer) whenever a buffer is registered; what it returns is.

    Args:
        hook: the function; None from it changes nothing.

    Returns:
        A handle, whose remove() takes the hook away.

    As torch.nn.modules.module.register_module_buffer_registration_hook.
    """
    return add_hook(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> Any:
    """Calls hook(module, name, child) whenever a module is registered; what it returns is.

    Args:
        hook: the function; None from it changes nothing.

    Returns:
        A handle, whose remove() takes the hook away.

    As torch.nn.modules.module.register_module_module_registration_hook.
    """
    return add_hook(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> Any:
    """Calls hook(module, name, parameter) whenever one is registered; what it returns is.

    Args:
        hook: the function; None from it changes nothing.

    Returns:
        A handle, whose remove() takes the hook away.

    As torch.nn.modules.module.register_module_parameter_registration_hook.
    """
    return add_hook(_global_parameter_registration_hooks, hook)


def registered(hooks: OrderedDict[int, Any], module: Any, name: str, value: Any) -> Any:
    """The value to register: `value`, or the one that a hook of all modules returns instead."""
    for hook in hooks.values():
        returned = hook(module, name, value)
        value = value if returned is None else returned
    return value


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> Any:
    """Calls hook(module, args) before any module's forward; what it returns replaces args.

    Args:
        hook: the function; None from it changes nothing.

    Returns:
        A handle, whose remove() takes the hook away.

    As torch.nn.modules.module.register_module_forward_pre_hook.
    """
    return _add_global(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> Any:
    """Calls hook(module, args, output) after any module's forward; what it returns replaces it.

    Args:
        hook: the function; None from it changes nothing.
        with_kwargs: whether it is called with `module, args, kwargs, output`.
        always_call: whether it is called after an exception, too.

    Returns:
        A handle, whose remove() takes the hook away.

    As torch.nn.modules.module.register_module_forward_hook.
    """
    handle = _add_global(
        _global_forward_hooks, hook, (_global_forward_hooks_always_called, always_call)
    )
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> Any:
    """Calls hook(module, grad_output) before any module's backward.

    Args:
        hook: the function; None from it changes nothing.

    Returns:
        A handle, whose remove() takes the hook away.

    As torch.nn.modules.module.register_module_full_backward_pre_hook.
    """
    return _add_global(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> Any:
    """Calls hook(module, grad_input, grad_output) after any module's backward.

    Args:
        hook: the function; None from it changes nothing.

    Returns:
        A handle, whose remove() takes the hook away.

    Raises:
        RuntimeError: if there are global backward hooks of the other kind.

    As torch.nn.modules.module.register_module_full_backward_hook.
    """
    return _add_backward(hook, True)


def register_module_backward_hook(hook: Callable[..., Any]) -> Any:
    """Calls a hook after the backward of the node of any module's output. Deprecated.

    Args:
        hook: the function; None from it changes nothing.

    Returns:
        A handle, whose remove() takes the hook away.

    Raises:
        RuntimeError: if there are global backward hooks of the other kind.

    As torch.nn.modules.module.register_module_backward_hook.
    """
    return _add_backward(hook, False)


def _add_backward(hook: Callable[..., Any], full: bool) -> Any:
    if _full == [not full]:
        raise RuntimeError(_BOTH)
    _full[:] = [full]
    return _add_global(_global_backward_hooks, hook)


class WrappedHook:
    """A hook that gets its module first, which it does not keep alive."""

    def __init__(self, hook: Callable[..., Any], module: Any = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        module = {"module": self.module()} if self.with_module else {}
        return {"hook": self.hook, "with_module": self.with_module, **module}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


def _forward_unimplemented(self: Any, *input: Any) -> NoReturn:
    """The result of calling the module. Subclasses define it."""
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


def by_call_impl(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The call of a module whose class defines `_call_impl`."""
    return self._call_impl(*args, **kwargs)


def compile_calls(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Takes what torch.compile takes; calls go on to run as they are written.

    Raises:
        NotImplementedError: the backend is a function, to which calls would have to go.
    """
    compiler = from_above("compiler")  # which makes modules itself
    if callable(kwargs.get("backend")):
        raise NotImplementedError("torch.nn.Module.compile with a function as its backend")
    module._compiled_call_impl = compiler.compile(module._call_impl, *args, **kwargs)


def with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The output of `module` with all the hooks around its forward, and its backward.

    Hooks that were registered with always_call run also where something before them raised.
    """
    if module._backward_hooked and not (module._backward_hooks or module._backward_pre_hooks):
        forget_backward_hooks(module)
    called: set[int] = set()
    result = None
    try:
        full, others = backward_hooks(module)
        pre = backward_pre_hooks(module)
        args, kwargs = _before(module, args, kwargs)
        around = None
        if full or pre:
            from minitorch.utils.hooks import BackwardHook  # start-up: 1 ms

            around = BackwardHook(module, full, pre)
            args = around.setup_input_hook(args)
        result = module.forward(*args, **kwargs)
        for number, hook in (*_global_forward_hooks.items(), *module._forward_hooks.items()):
            called.add(number)
            returned = _call(module, number, hook, args, kwargs, result)
            result = result if returned is None else returned
        if around is not None:
            if not isinstance(result, (TensorBase, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple "
                    f"of Tensors but received {type(result)}",
                    stacklevel=3,
                )
            result = around.setup_output_hook(result)
        if others:
            _hook_node(module, others, args, result)
    except Exception:
        for kind, hooks, always in (
            ("global module", _global_forward_hooks, _global_forward_hooks_always_called),
            ("module", module._forward_hooks, module._forward_hooks_always_called),
        ):
            for number, hook in hooks.items():
                if number in always and number not in called:
                    try:
                        returned = _call(module, number, hook, args, kwargs, result)
                        result = result if returned is None else returned
                    except Exception as error:
                        warnings.warn(
                            f"{kind} forward hook with ``always_call=True`` raised an exception "
                            f"that was silenced as another error was raised in forward: {error}",
                            stacklevel=3,
                        )
        raise
    return result


def add_backward_hook(
    module: Any, hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool = False
) -> Any:
    """Adds a hook for the backward of a module, whose calls go the longer way from then on."""
    handle = add_hook(hooks, hook, prepend)
    module._backward_hooked = True
    return handle


def forget_backward_hooks(module: Any) -> None:
    """Lets calls of a module go the shorter way again, whose last hook for backward was removed."""
    module.__dict__.pop("_backward_hooked", None)
    if module._backward_hooks or module._backward_pre_hooks:  # another thread has just added one
        module._backward_hooked = True


def _call(module: Any, number: int, hook: Any, args: Any, kwargs: Any, result: Any) -> Any:
    if number in module._forward_hooks_with_kwargs or number in _global_forward_hooks_with_kwargs:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _before(module: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    for number, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
        if number in module._forward_pre_hooks_with_kwargs:
            returned = hook(module, args, kwargs)
            if returned is None:
                continue
            if not (isinstance(returned, tuple) and len(returned) == 2):
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but "
                    f"got {returned}."
                )
            args, kwargs = returned
        else:
            returned = hook(module, args)
            if returned is not None:
                args = returned if isinstance(returned, tuple) else (returned,)
    return args, kwargs


def backward_pre_hooks(module: Any) -> list[Any]:
    """The hooks before backward that a call has, those of all modules first."""
    return [*_global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]


def backward_hooks(module: Any) -> tuple[list[Any], list[Any]]:
    """The full backward hooks that a call has, and those of the old kind."""
    found: dict[bool, list[Any]] = {True: [], False: []}
    if _full:
        found[_full[0]] += _global_backward_hooks.values()
    if module._is_full_backward_hook is not None:
        found[module._is_full_backward_hook] += module._backward_hooks.values()
    return found[True], found[False]


def _hook_node(module: Any, hooks: list[Any], args: Any, result: Any) -> None:
    """Hangs backward hooks of the old kind on the node of the (first) output."""
    first = result
    while not isinstance(first, TensorBase):
        if isinstance(first, dict):
            first = next(each for each in first.values() if isinstance(each, TensorBase))
        else:
            first = first[0]
    node: Any = first.grad_fn
    if node is not None:
        for hook in hooks:
            node.register_hook(WrappedHook(hook, module))
        warn_of_missing(module, args, result, node)


def warn_of_missing(module: Any, inputs: Any, result: Any, grad_fn: Any) -> None:
    """Warns where a backward hook of the old kind sees a part of the gradients alone."""
    text = _missing(inputs, result, grad_fn)
    if text is not None:
        warnings.warn(f"Using {text}", FutureWarning, stacklevel=2)


_REMOVED = "is deprecated and will be removed in future versions. This hook will be missing some"
_ADVICE = "Please use register_full_backward_hook to get the documented behavior."


def _missing(args: Any, result: Any, node: Any) -> str | None:
    """The warning for gradients that a backward hook of the old kind misses, or None."""
    for things, what, part in (
        (result, "return a single", "of the grad_output"),
        (args, "take as input a single", "of the grad_input"),
    ):
        tensors = things if isinstance(things, tuple) else (things,)
        if not all([isinstance(each, TensorBase) for each in tensors]):
            return (
                f"non-full backward hooks on a Module that does not {what} Tensor or a tuple of "
                f"Tensors {_REMOVED} {part}. {_ADVICE}"
            )
    results = result if isinstance(result, tuple) else (result,)
    nodes = {each.grad_fn for each in results if each.grad_fn is not None}
    hook = "a non-full backward hook when"
    if not nodes or (len(nodes) == 1 and node not in nodes):
        return f"{hook} outputs are nested in python data structure {_REMOVED} grad_output."
    if len(nodes) > 1:
        made = "outputs are generated by different autograd Nodes"
        return f"{hook} {made} {_REMOVED} grad_output. {_ADVICE}"
    inputs = {each.grad_fn for each in args if each.grad_fn is not None}
    if inputs != {function for function, _ in node.next_functions}:
        several = "the forward contains multiple autograd Nodes"
        return f"{hook} {several} {_REMOVED} grad_input. {_ADVICE}"
    return None


# ---- methods of Module


def register_forward_pre_hook(
    self: Any, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
) -> Any:
    """Calls hook(module, args) before forward; what it returns replaces args.

    Args:
        hook: called with `module, args, kwargs` if `with_kwargs`, and returns both or None then.
        prepend: whether it is called before the hooks that are there.
        with_kwargs: whether it gets the arguments by name.

    Returns:
        A handle, whose remove() takes the hook away.
    """
    return add_hook(
        self._forward_pre_hooks,
        hook,
        prepend,
        ((self._forward_pre_hooks_with_kwargs, with_kwargs),),
    )


def register_forward_hook(
    self: Any,
    hook: Callable[..., Any],
    *,
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> Any:
    """Calls hook(module, args, output) after forward; what it returns replaces the output.

    Args:
        hook: called with `module, args, kwargs, output` if `with_kwargs`.
        prepend: whether it is called before the hooks that are there.
        with_kwargs: whether it gets the arguments by name.
        always_call: whether it is called after an exception, too.

    Returns:
        A handle, whose remove() takes the hook away.
    """
    marks = (
        (self._forward_hooks_with_kwargs, with_kwargs),
        (self._forward_hooks_always_called, always_call),
    )
    return add_hook(self._forward_hooks, hook, prepend, marks)


def register_full_backward_pre_hook(
    self: Any, hook: Callable[..., Any], prepend: bool = False
) -> Any:
    """Calls hook(module, grad_output) before backward; what it returns replaces grad_output.

    Args:
        hook: gets and returns tuples, or returns None.
        prepend: whether it is called before the hooks that are there.

    Returns:
        A handle, whose remove() takes the hook away.
    """
    return add_backward_hook(self, self._backward_pre_hooks, hook, prepend)


def register_full_backward_hook(self: Any, hook: Callable[..., Any], prepend: bool = False) -> Any:
    """Calls hook(module, grad_input, grad_output) once the gradients of the inputs are there;
    what it returns replaces grad_input.

    Args:
        hook: gets and returns tuples, or returns None.
        prepend: whether it is called before the hooks that are there.

    Returns:
        A handle, whose remove() takes the hook away.

    Raises:
        RuntimeError: if the module has hooks of register_backward_hook.
    """
    self._set_backward_hooks(full=True)
    return add_backward_hook(self, self._backward_hooks, hook, prepend)


def register_backward_hook(self: Any, hook: Callable[..., Any]) -> Any:
    """Calls a hook after the backward of the output's own node. Deprecated.

    Args:
        hook: called with `module, grad_input, grad_output`, the gradients of that node.

    Returns:
        A handle, whose remove() takes the hook away.

    Raises:
        RuntimeError: if the module has full backward hooks.
    """
    self._set_backward_hooks(full=False)
    return add_backward_hook(self, self._backward_hooks, hook)


def _set_backward_hooks(self: Any, full: bool) -> None:
    if self._is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks on a single "
            "Module. Please use only one of them."
        )
    self._is_full_backward_hook = full


METHODS = (
    register_forward_pre_hook,
    register_forward_hook,
    register_full_backward_pre_hook,
    register_full_backward_hook,
    register_backward_hook,
    _set_backward_hooks,
)
