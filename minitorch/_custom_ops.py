"""torch._custom_ops: the older way to define an operator, which packages still import.

`torch.library.custom_op` is the newer one. Both make the operators of `custom_operators`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, NoReturn

from minitorch._public.custom_operators import Operator, define, found, undefine
from minitorch._public.library_schema import infer_schema
from minitorch.core.tensor.tensor import Tensor
from minitorch.library import get_ctx, register_autograd, register_fake, register_kernel
from minitorch.utils import _pytree

__all__ = [
    "custom_op",
    "get_ctx",
    "impl",
    "impl_abstract",
    "impl_backward",
    "impl_save_for_backward",
]

_RESERVED = {"prim", "prims", "aten", "at", "torch", "pytorch"}
_DEVICES = {"cpu": "CPU", "cuda": "CUDA"}

# What each operator keeps for its gradient, until both of its functions are registered.
_saving: dict[str, Callable[..., Any]] = {}


def custom_op(qualname: str, func_or_schema: Callable[..., Any] | str | None = None) -> Any:
    """Defines an operator by a schema, or by a function whose annotations say one.

    Args:
        qualname: "namespace::name".
        func_or_schema: a function that is never called, or the schema's text; without it the
            result is a decorator.

    Returns:
        The function, None for a schema, or the decorator.

    Raises:
        ValueError: for a name without a namespace, a namespace of torch's, or a function that has
            another name.

    As torch/_custom_ops.py.
    """
    namespace, name = _parts(qualname)

    def by_function(function: Any) -> Any:
        if not inspect.isfunction(function):
            raise ValueError(
                f"custom_op(...)(func): Expected `func` to be a Python function, "
                f"got: {type(function)}"
            )
        if function.__name__ != name:
            raise ValueError(
                f"custom_op(qualname='{qualname}', ...)(func): expected `func` to have name "
                f"'{name}' but got '{function.__name__}'. Please either change the name of `func` "
                "or the qualname that is passed to `custom_op`"
            )
        _define(namespace, name, infer_schema(function, mutates_args=()))
        return function

    if func_or_schema is None:
        return by_function
    if isinstance(func_or_schema, str):
        _define(namespace, name, func_or_schema)
        return None
    return by_function(func_or_schema)


def _parts(qualname: str) -> tuple[str, str]:
    namespace, separator, name = qualname.partition("::")
    if not separator:
        raise ValueError(
            f"Expected there to be a namespace in {qualname}, i.e. The operator name should look "
            "something like ns::foo"
        )
    if "." in name:
        raise ValueError(
            "The torch.custom_ops APIs do not handle overloads, i.e. operator names with '.' in "
            f"them. Please name your operator something like ns::foo. Got: {qualname}"
        )
    if "." in namespace:
        raise ValueError(
            f'custom_op(..., ns="{namespace}"): expected ns to not contain any . (and be a valid '
            "variable name)"
        )
    if namespace in _RESERVED:
        raise ValueError(
            f"custom_op(..., ns='{namespace}'): '{namespace}' is a reserved namespace, please "
            "choose something else. "
        )
    return namespace, name


def _define(namespace: str, name: str, schema: str) -> None:
    """Makes the operator known; it has no gradient until one is registered."""
    operator = Operator(namespace, name + schema, fresh=True)
    if any([argument.alias for argument in operator.schema.arguments]):
        raise ValueError(
            "custom_op only supports functional operators (ops that do not mutate any inputs, do "
            "not return views of the inputs, and has at least one return). Got the following "
            f"non-functional schema: {name}{schema}"
        )
    operator.setup, operator.gradient = _refuse_gradients, f"{name}_customop"
    define(operator)


def _refuse_gradients(ctx: Any, inputs: Any, output: Any) -> NoReturn:
    raise RuntimeError("Autograd has not been implemented for operator")


def impl(
    qualname: str,
    *,
    device_types: str | Iterable[str] = ("cpu", "cuda"),
    func: Callable[..., Any] | None = None,
) -> Any:
    """Registers, also as a decorator, the function that computes on some types of devices."""
    _found(qualname)
    listed = [device_types] if isinstance(device_types, str) else list(device_types)
    for each in listed:
        if each not in _DEVICES:
            raise ValueError(
                f"CustomOp.impl(device_types=[{each}, ...]): we only support device_type in "
                f"{_DEVICES.keys()}."
            )
    return register_kernel(qualname, listed, func)


def _found(qualname: str) -> Any:
    """The operator of a name; ValueError if there is none."""
    try:
        return found(qualname)
    except RuntimeError:
        raise ValueError(
            f"Could not find the operator {qualname}. Please make sure you have already registered "
            "the operator and (if registered from C++) loaded it via torch.ops.load_library."
        ) from None


def impl_abstract(qualname: str, *, func: Callable[..., Any] | None = None) -> Any:
    """Registers, also as a decorator, the function for tensors without memory."""
    return register_fake(qualname, func)


def impl_save_for_backward(qualname: str, *, func: Callable[..., Any] | None = None) -> Any:
    """Registers, also as a decorator, func(inputs, output), which returns values for backward.

    `inputs` has the operator's arguments as attributes.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _saving[_found(qualname).key] = function
        return function

    return register if func is None else register(func)


def impl_backward(
    qualname: str, output_differentiability: Any = None, *, func: Callable[..., Any] | None = None
) -> Any:
    """Registers, also as a decorator, func(ctx, saved, *grads), the gradient of an operator.

    Args:
        qualname: "namespace::name".
        output_differentiability: a bool for each result, or None if all have gradients.
        func: gives a dict from the name of each argument that is a tensor to its gradient or None.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        operator = _found(qualname)
        names = [argument.name for argument in operator.schema.arguments]

        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            kept, ctx.structure = _pytree.tree_flatten(
                _saver(operator, function)(
                    SimpleNamespace(**dict(zip(names, inputs, strict=True))), output
                )
            )
            tensors = [x if isinstance(x, Tensor) else None for x in kept]
            ctx.save_for_backward(*tensors)
            ctx.others = [None if isinstance(x, Tensor) else x for x in kept]
            _mark(ctx, output, output_differentiability)

        def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
            pairs = zip(ctx.saved_tensors, ctx.others, strict=True)
            kept = [other if tensor is None else tensor for tensor, other in pairs]
            saved = _pytree.tree_unflatten(kept, ctx.structure)
            found_grads = function(object(), saved, *grads)
            _check(operator, function, found_grads)
            return tuple([found_grads.get(name) for name in names])

        register_autograd(qualname, backward, setup_context=setup_context)
        return function

    return register if func is None else register(func)


def _saver(operator: Operator, backward: Callable[..., Any]) -> Callable[..., Any]:
    if operator.key not in _saving:
        _fail(operator, backward, "no function of impl_save_for_backward was registered")
    return _saving[operator.key]


def _mark(ctx: Any, output: Any, differentiable: Any) -> None:
    """Marks the results that have no gradient."""
    if differentiable is None:
        return
    outputs = output if isinstance(output, tuple) else (output,)
    plain: list[Tensor] = []
    for each, has_gradient in zip(outputs, differentiable, strict=True):
        if not has_gradient:
            plain += each if isinstance(each, list) else [each]
    ctx.mark_non_differentiable(*plain)


def _check(operator: Operator, backward: Callable[..., Any], grads: Any) -> None:
    """Refuses gradients that are no dict of the arguments which are tensors."""
    if not isinstance(grads, dict):
        _fail(
            operator,
            backward,
            f"expected the output of the backward function to be a dict but got {type(grads)}",
        )
    expected = {a.name for a in operator.schema.arguments if a.type.startswith("Tensor")}
    if expected != grads.keys():
        _fail(
            operator,
            backward,
            f"expected the returned grad_input dict to have keys {expected} but got "
            f"{grads.keys()}. The backward function must return a gradient (can be None) for each "
            "arg to the CustomOp that may be a Tensor or Sequence[Tensor]. Args declared to be "
            "non-Tensor-like types should not appear in the grad_input dict",
        )
    for name, grad in grads.items():
        if grad is not None and not isinstance(grad, (Tensor, list, tuple)):
            _fail(
                operator,
                backward,
                f"got object of type {type(grad)} as the gradient for input '{name}', but "
                "expected the gradient to be either None or a Tensor",
            )


def _fail(operator: Operator, backward: Callable[..., Any], what: str) -> NoReturn:
    code = backward.__code__
    raise RuntimeError(
        f"In the backward function defined for <CustomOp(op='{operator.key}')> at "
        f"{code.co_filename}:{code.co_firstlineno} using the CustomOp API, {what}"
    )


def _destroy(qualname: str) -> None:
    operator = found(qualname)
    _saving.pop(operator.key, None)
    undefine(operator)
