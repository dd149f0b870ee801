"""torch._ops.HigherOrderOperator: operators that programs define, one function a dispatch key."""

from __future__ import annotations

import abc
from collections.abc import Callable
from inspect import isclass
from typing import Any, final

from minitorch._C import _dispatch
from minitorch._C._dispatch import DispatchKey, DispatchKeySet
from minitorch._C._functorch import TransformType
from minitorch._ops import _takers
from minitorch.core.base.modes import recording, transforms
from minitorch.core.declare.protocols.torch_function import handled
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils import _pytree
from minitorch.utils._python_dispatch import (
    TorchDispatchMode,
    _get_current_dispatch_mode,
    _pop_mode_temporarily,
)

Implementation = Callable[..., Any]


class OperatorBase:
    """The functions of an operator: one for each dispatch key, class of modes and class of tensors.

    As torch._ops.OperatorBase.
    """

    __module__ = "torch._ops"

    def __init__(self) -> None:
        self._dispatch_cache: dict[Any, Any] = {}
        self.py_kernels: dict[Any, Implementation] = {}
        self.python_key_table: dict[type, Implementation] = {}
        self.functorch_table: dict[Any, Implementation] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def has_kernel_for_dispatch_key(self, k: Any) -> bool:
        """Whether a function is registered for a key itself, not for an alias of it."""
        return k in self.py_kernels

    def has_kernel_for_any_dispatch_key(self, ks: Any) -> bool:
        """Whether a function is registered for one of a set of keys."""
        return any(not _dispatch._dispatch_is_alias_key(k) and ks.has(k) for k in self.py_kernels)

    def py_impl(self, k: Any) -> Callable[[Implementation], Implementation]:
        """A decorator that registers a function for a dispatch key, or a class of modes or tensors.

        Raises: RuntimeError or AssertionError if there is one already.
        """

        def keep(fn: Implementation) -> Implementation:
            if isclass(k) and issubclass(k, (TorchDispatchMode, Tensor)):
                _keep_once(self.python_key_table, "python_key_table", k, fn)
            elif isinstance(k, TransformType):
                _keep_once(self.functorch_table, "functorch_table", k, fn)
            elif not isinstance(k, DispatchKey):
                raise AssertionError(f"expected DispatchKey, got {type(k)}")
            elif k is DispatchKey.Python:
                raise AssertionError(
                    "Please register a mode for the DispatchKey.Python key instead."
                )
            elif k in self.py_kernels:
                raise RuntimeError(
                    f"Trying to override a python impl for {k} on operator {self.name()}"
                )
            else:
                self.py_kernels[k] = fn
            return fn

        return keep

    def py_functionalize_impl(self, fn: Implementation) -> Implementation:
        """`fn`, unchanged: only torch's compiler functionalizes, which never runs here."""
        return fn

    def name(self) -> str:
        """The operator's name."""
        raise NotImplementedError


def _keep_once(table: dict[Any, Any], name: str, key: Any, fn: Implementation) -> None:
    if key in table:
        raise AssertionError(f"{key} already registered in {name}")
    table[key] = fn


def resolve_key(op: OperatorBase, k: Any) -> Any:
    """The key whose function stands for `k`: its own, or that of an alias.

    Raises: NotImplementedError without one; `k` itself comes back if it is a key of autograd.
    """
    autograd = k.name.startswith("Autograd")
    inner = "" if autograd else "CompositeExplicitAutogradNonFunctional CompositeExplicitAutograd"
    aliases = f"{inner} CompositeImplicitAutograd {'Autograd' if autograd else ''}".split()
    backend = getattr(DispatchKey, k.name.removeprefix("Autograd"), None)
    below = (backend, DispatchKey.CompositeExplicitAutograd)
    for each in (k, *[getattr(DispatchKey, name) for name in aliases]):
        if each.name == "CompositeImplicitAutograd" and any(key in op.py_kernels for key in below):
            continue
        if op.has_kernel_for_dispatch_key(each):
            return each
    if not k.name.startswith("Auto"):  # for those of autograd and autocast, torch passes a call on
        raise NotImplementedError(f"could not find kernel for {op} at dispatch key {k}")
    return k


_higher_order_ops: dict[str, HigherOrderOperator] = {}
_PASSED = "PythonDispatcher PythonTLSSnapshot ADInplaceOrView BackendSelect"
_PASSED += " AutocastCPU AutocastCUDA AutocastXPU"


class HigherOrderOperator(OperatorBase, abc.ABC):
    """An operator whose arguments may be functions: torch.ops.higher_order.NAME.

    Subclasses have a __call__ that calls this one's.

    Args:
        name: its name
        cacheable, supports_training_input_mutation: for torch's compiler

    Raises: RuntimeError where the class itself is called.

    As torch._ops.HigherOrderOperator.
    """

    __module__ = "torch._ops"

    def __init__(
        self,
        name: str,
        *,
        cacheable: bool = False,
        supports_training_input_mutation: bool = False,
    ) -> None:
        super().__init__()
        if type(self) is HigherOrderOperator:
            raise RuntimeError(
                "Direct instantiation of HigherOrderOperator is not allowed. Please subclass it."
            )
        self._name = self.__name__ = name
        _higher_order_ops[name] = self
        self._ns = "higher_order"
        self.__module__ = "torch.ops.higher_order"
        self._cacheable = cacheable
        self._supports_training_input_mutation = supports_training_input_mutation
        self.non_fallthrough_keys = _dispatch._dispatch_keyset_full()
        for key in _PASSED.split():
            self.fallthrough(getattr(DispatchKey, key))

    def py_impl(self, k: Any) -> Callable[[Implementation], Implementation]:
        """A decorator that registers a function for a dispatch key, or a class of modes or
        tensors."""
        if isinstance(k, DispatchKey) and not self.non_fallthrough_keys.has(k):
            self.non_fallthrough_keys = self.non_fallthrough_keys.add(k)
        return super().py_impl(k)

    def py_autograd_impl(self, fn: Implementation) -> Implementation:
        """Registers `fn` for calls that record gradients, and returns it."""

        def maybe_run_autograd(*args: Any, **kwargs: Any) -> Any:
            tensors = _tensors(args, kwargs)
            if recording() and any(each.requires_grad for each in tensors):
                return fn(*args, **kwargs)
            with _dispatch._AutoDispatchBelowAutograd():
                return self(*args, **kwargs)

        self.py_impl(DispatchKey.Autograd)(maybe_run_autograd)
        return fn

    @property
    def namespace(self) -> str:
        """Always "higher_order"."""
        return self._ns

    @final
    def cacheable(self) -> bool:
        """The constructor's argument `cacheable`."""
        return self._cacheable

    def fallthrough(self, dispatch_key: Any) -> None:
        """Lets dispatch skip a key."""
        self.non_fallthrough_keys = self.non_fallthrough_keys.remove(dispatch_key)

    def dispatch(self, /, dispatch_key: Any, *args: Any, **kwargs: Any) -> Any:
        """The result of the function for a key. NotImplementedError if there is none."""
        if dispatch_key is DispatchKey.Python:
            return self._by_mode_or_class(args, kwargs)
        key = resolve_key(self, dispatch_key)
        if key not in self.py_kernels:
            raise NotImplementedError(
                f"could not find kernel for HigherOrderOperator {self._name} at dispatch key "
                f"{key} (resolved from {dispatch_key})"
            )
        return self.py_kernels[key](*args, **kwargs)

    def _by_mode_or_class(self, args: Any, kwargs: Any) -> Any:
        mode = _get_current_dispatch_mode()
        if mode is not None:
            rule = self.python_key_table.get(type(mode))
            if rule is None and not getattr(mode, "supports_higher_order_operators", False):
                raise NotImplementedError(
                    f"There was no rule registered for HigherOrderOperator {self._name} and mode "
                    f"{mode}.Hint: set {mode}'s supports_higher_order_operators to True. This "
                    f"causes all higher order operators to pass through {mode}'s "
                    "__torch_dispatch__, so handle them accordingly by adding support for "
                    f"HigerOrderOperators (in this case, {self._name}) in "
                    f"{mode}.__torch_dispatch__ or returning NotImplemented when not supported."
                )
            with _pop_mode_temporarily():
                if rule is None:
                    return mode.__torch_dispatch__(self, [], args, kwargs)
                result = rule(mode, *args, **kwargs)
            if result is not NotImplemented:
                return result
        given = [each for arg in (*args, *kwargs.values()) for each in _one_or_more(arg)]
        classes = [type(each) for each in given if isinstance(each, Tensor)]
        classes = [kind for kind in classes if _dispatch.is_dispatching(kind)]
        for kind in classes:
            if kind not in self.python_key_table:
                raise NotImplementedError(
                    f"There was no rule registered for HOP {self._name} and subclass {kind}. We "
                    "recommend filing an issue."
                )
            result = self.python_key_table[kind](*args, **kwargs)
            if result is not NotImplemented:
                return result
        raise TypeError(
            f"HigherOrderOperator '{self._name}' is not supported for the given input types. This "
            "typically happens when using custom tensor types or dispatch modes that don't have "
            f"implementations for this operation.\n\nCurrent mode: {mode}\nInput types: "
            f"{[kind.__name__ for kind in classes]}\n\nTo fix this, can add support for "
            f"'{self._name}' in {mode}'s __torch_dispatch__\n"
        )

    @abc.abstractmethod
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        leaves = tuple(_pytree.arg_tree_leaves(*args, **kwargs))
        takers = _takers(leaves, {})
        if takers is not None:
            return handled(self, f"torch.ops.higher_order.{self._name}", takers, args, kwargs)
        if transforms.get():
            raise NotImplementedError(
                f"torch.ops.higher_order.{self._name} within torch.func's transforms is not "
                "implemented by minitorch"
            )
        keys = _dispatch._dispatch_tls_local_include_set()
        for each in _tensors(args, kwargs):
            keys = keys | _dispatch._dispatch_keys(each)
        if _get_current_dispatch_mode() is not None:
            keys = keys | DispatchKeySet(DispatchKey.Python)
        keys = keys - _dispatch._dispatch_tls_local_exclude_set() & self.non_fallthrough_keys
        return self.dispatch(keys.highestPriorityTypeId(), *args, **kwargs)

    def gen_schema(self, *args: Any, **kwargs: Any) -> Any:
        """The schema of a call; an operator that writes its inputs has one of its own."""
        raise NotImplementedError(
            f"HigherOrderOperator {self._name} does not implement a gen_schema. This is OK as long "
            "as the hop is functional. e.g. it should not mutate its inputs and there are no "
            "input, output aliasing via views or direct referencing."
        )

    def __str__(self) -> str:
        return self.name()

    def name(self) -> str:
        """The operator's name."""
        return self._name

    def __deepcopy__(self, memo: Any = None) -> HigherOrderOperator:
        return self


def _tensors(args: Any, kwargs: Any) -> list[Any]:
    leaves = _pytree.arg_tree_leaves(*args, **kwargs)
    return [each for each in leaves if isinstance(each, Tensor)]


def _one_or_more(arg: Any) -> tuple[Any, ...]:
    return (arg, *arg) if isinstance(arg, (list, tuple)) else (arg,)
