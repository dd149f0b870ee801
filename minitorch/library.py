"""torch.library: operators that a program defines, found as torch.ops.NAMESPACE.NAME."""

from __future__ import annotations

import contextlib
import functools
import re
import weakref
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NoReturn

from minitorch._C import DispatchKey
from minitorch._C._enumerations import Tag
from minitorch._ops import OpOverload, ops
from minitorch._public.custom_operators import Operator, found, put_kernel, switched, undefine
from minitorch._public.custom_operators import define as _define
from minitorch._public.kernel_functions import SafeKernelFunction, overload_named
from minitorch._public.kernel_keys import caller, check_dispatch_key, key_of
from minitorch._public.library_schema import infer_schema
from minitorch._public.operator_checks import CHECKS, checked
from minitorch._public.schema_parser import parsed
from minitorch._public.schema_tags import check_tags
from minitorch.amp.autocast_mode import is_autocast_available
from minitorch.core.tensor.tensor import Tensor

__all__ = (
    "Library custom_op define fallthrough_kernel get_ctx get_kernel impl impl_abstract "
    "infer_schema register_autocast register_fake register_torch_dispatch register_vmap triton_op "
    "wrap_triton"
).split()

_RESERVED = ("prim",)
_NAMELESS = re.compile(r"\(.*\) -> .*")  # a schema without the operator's name


def _refused(name: str) -> NoReturn:
    raise NotImplementedError(f"torch.library.{name} is not implemented by minitorch")


def _operator(op: Any, asked: str = "") -> Operator:
    """The operator of a name, an overload of torch.ops, or a definition.

    asked: the function that was called with it, as errors name it; AttributeError then for a name
    that torch.ops does not have.
    """
    if isinstance(op, CustomOpDef):
        return op._operator
    if not isinstance(op, (str, OpOverload)):
        raise ValueError(f"{asked}({op}): got unexpected type for op: {type(op)}")
    if not asked or not isinstance(op, str):
        return found(op if isinstance(op, str) else op.name())
    namespace, name = _split(op)
    try:
        return found(op)
    except RuntimeError:
        raise AttributeError(
            f"'_OpNamespace' '{namespace}' object has no attribute '{name}'"
        ) from None


def _split(qualname: str) -> tuple[str, str]:
    """The namespace and the name of "namespace::name". ValueError in torch's words for others."""
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The '
            "qualname passed to the torch.library APIs must consist of a namespace and a name, "
            "e.g. aten::sin"
        )
    return parts[0], parts[1]


# ---- operators from a function


class CustomOpDef:
    """An operator that `custom_op` made of a function."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, operator: Operator, function: Callable[..., Any]) -> None:
        self._operator, self._init_fn = operator, function
        self._namespace, self._name = operator.namespace, operator.schema.name
        self._qualname = f"{self._namespace}::{self._name}"
        self._schema = operator.text.removeprefix(self._name)
        self._tags: tuple[Any, ...] = ()

    @property
    def _opoverload(self) -> Any:
        return getattr(getattr(ops, self._namespace), self._name).default

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def register_kernel(
        self, device_types: Any, fn: Callable[..., Any] | None = None, /
    ) -> Callable[..., Any]:
        """Registers, also as a decorator, the function for some types of devices, or None."""
        return register_kernel(self, device_types, fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Registers the function for tensors without memory, which minitorch does not have."""
        return register_fake(self, fn)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Registers backward(ctx, *grads), and the function that saves values for it."""
        register_autograd(self, backward, setup_context=setup_context)

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """Registers, also as a decorator, func(info, in_dims, *args) for batches."""
        return register_vmap(self, func)

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Any = None, /) -> Any:
        """Registers, also as a decorator, a function that handles calls under a mode."""
        return register_torch_dispatch(self, torch_dispatch_class, fn)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """Registers the dtype in which autocast hands over the arguments."""
        register_autocast(self, device_type, cast_inputs)

    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Any:
        """A block in which the kernel of a device is used, or is not."""
        return switched(self._operator, key_of(device_type), enabled)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: Any,
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes an operator of a function; also a decorator.

    Args:
        name: "namespace::name".
        fn: computes on tensors; its annotations say the schema.
        mutates_args: the names of the arguments that it writes, or "unknown".
        device_types: those that it is for, or None for all.
        schema: in place of the annotations.
        tags: one of torch.Tag, or several, as infer_schema takes them.

    Returns:
        A CustomOpDef, with functions to register gradients and kernels.

    Raises:
        ValueError: if the annotations do not make a schema.

    As torch.library.custom_op.
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        listed = () if tags is None else (tags,) if isinstance(tags, Tag) else tuple(tags)
        text = schema
        if text is None:
            text = infer_schema(function, mutates_args=mutates_args, tags=listed)
        namespace, separator, short = name.partition("::")
        if not separator:
            raise ValueError(
                f"Expected `{name}` to be of the form `namespace::name`, got no namespace"
            )
        operator = Operator(namespace, f"{short}{text}", fresh=True)
        operator.tags = tuple(dict.fromkeys((Tag.pt2_compliant_tag, *listed)))
        with contextlib.suppress(RuntimeError):  # the name is free
            undefine(found(name))
        _define(operator)
        made = CustomOpDef(operator, function)
        made._tags = tuple(dict.fromkeys(listed))
        register_kernel(made, device_types, function)
        return made

    return make if fn is None else make(fn)


def register_kernel(
    op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None
) -> Callable[..., Any]:
    """Registers the function of an operator for some types of devices, or None for all.

    The function is returned, as a decorator does, for an operator that custom_op gave, not for a
    name.
    """

    def register(function: Callable[..., Any]) -> Any:
        listed = [device_types] if isinstance(device_types, str) else device_types
        for each in listed or ["default"]:
            put_kernel(name, key_of(each), function)
        return None if isinstance(op, str) else function

    if not isinstance(op, (str, OpOverload, CustomOpDef)):
        raise ValueError(f"register_kernel({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else _operator(op).key
    return register if func is None else register(func)


def register_autograd(
    op: Any,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Any = None,
) -> None:
    """Registers the gradients of an operator.

    Args:
        op: its name, overload, or definition.
        backward: backward(ctx, *grads) gives a gradient or None for each argument.
        setup_context: setup_context(ctx, inputs, output) keeps what it needs.

    Raises:
        RuntimeError: if the operator writes its arguments.

    As torch.library.register_autograd.
    """
    operator = _operator(op, "register_autograd")
    if not isinstance(operator, Operator):  # compiled
        operator.backward, operator.setup = backward, setup_context
        return
    if Tag.out in operator.tags:
        raise RuntimeError(
            f"Cannot register autograd formula for operator tagged with torch.Tag.out: {op}. Out "
            "variants do not support autograd."
        )
    if any(["!" in a.alias for a in operator.schema.arguments]):
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {op} with schema "
            f"{operator.text}. Please create a functional operator and register an autograd "
            "formula for that."
        )
    operator.backward, operator.setup = backward, setup_context


def register_fake(
    op: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Any = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Any:
    """Registers the function of an operator for tensors without memory."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        put_kernel(name, "Meta", function)
        return function

    if not isinstance(op, (str, OpOverload, CustomOpDef)):
        raise ValueError(f"register_fake({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else _operator(op).key
    return register if func is None else register(func)


def impl_abstract(
    qualname: Any, func: Callable[..., Any] | None = None, *, lib: Any = None, _stacklevel: int = 1
) -> Any:
    """register_fake() by its former name."""
    return register_fake(qualname, func, lib=lib)


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None) -> Any:
    """Registers func(info, in_dims, *args), which gives results and where their batches are.

    Without func, the result is a decorator.
    """

    def register(function: Callable[..., Any]) -> None:
        _operator(op, "register_vmap").vmap = function

    return register if func is None else register(func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> Any:
    """Registers the dtype in which autocast hands an operator its arguments.

    For what custom_op made, the result is the function that does so: kernel(keys, *args).

    Args:
        op: its name, overload, or definition.
        device_type: the kind of devices whose autocast does so.
        cast_inputs: the dtype for tensors of floating point other than float64.

    Raises:
        ValueError: for a kind of devices that has no autocast.

    As torch.library.register_autocast.
    """
    if not is_autocast_available(device_type):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")
    operator = _operator(op)
    operator.autocast.setdefault(device_type, cast_inputs)

    def kernel(_: Any, *args: Any) -> Any:
        return operator.call_cast(list(args), device_type)

    return kernel if operator.fresh else None


def register_torch_dispatch(
    op: Any,
    torch_dispatch_class: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Any = None,
) -> Any:
    """Registers a function that handles an operator for a mode, in place of its __torch_dispatch__.

    Args:
        op: the operator's name, overload, or definition.
        torch_dispatch_class: a class of modes.
        func: func(mode, op, types, args, kwargs); without it, the result is a decorator.

    Raises:
        NotImplementedError: for a class of tensors.

    As torch.library.register_torch_dispatch.
    """
    if issubclass(torch_dispatch_class, Tensor):
        raise NotImplementedError(
            "torch.library.register_torch_dispatch for a class of tensors is not implemented by "
            "minitorch"
        )

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _operator(op).dispatch[torch_dispatch_class] = function
        return function

    return register if func is None else register(func)


# ---- operators from a schema


class Library:
    """The operators of a namespace that a program defines, or what it adds to them.

    Args:
        ns: the namespace.
        kind: "DEF", "FRAGMENT" or "IMPL".
        dispatch_key: what `impl` registers for.

    Raises:
        ValueError: for a namespace of torch's own, or another kind.

    As torch.library.Library.
    """

    __module__ = "torch.library"

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "FRAGMENT", "IMPL"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in _RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        if ns == "aten":
            raise NotImplementedError(
                "torch.library.Library: operators of aten cannot be added or replaced in minitorch"
            )
        if dispatch_key:
            check_dispatch_key(dispatch_key)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._place = caller(1)
        self._defined: list[Operator] = []
        self._kernels: set[tuple[str, str, str]] = set()
        if kind == "DEF":
            self._own_namespace()

    def _own_namespace(self) -> None:
        """RuntimeError if there is a library of the kind DEF for the namespace."""
        first = _OWNERS.setdefault(self.ns, self)
        if first is not self:
            raise RuntimeError(
                "Only a single TORCH_LIBRARY can be used to register the namespace "
                f"{self.ns}; please put all of your definitions in a single TORCH_LIBRARY block.  "
                "If you were trying to specify implementations, consider using TORCH_LIBRARY_IMPL "
                "(which can be duplicated).  If you really intended to define operators for a "
                "single namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to "
                "explicitly indicate this.  Previous registration of TORCH_LIBRARY was registered "
                f"at {first._place}; latest registration was registered at {self._place}"
            )

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    @property
    def _block(self) -> str:
        """How torch's C++ calls such a library."""
        suffix = {"DEF": "", "FRAGMENT": "_FRAGMENT", "IMPL": "_IMPL"}[self.kind]
        return f"TORCH_LIBRARY{suffix} block"

    @property
    def _processing(self) -> str:
        return f"(Error occurred while processing {self._block} at {self._place})"

    def _refuse_namespace(self, start: str, named: str, where: str, move: str) -> NoReturn:
        raise RuntimeError(
            f"{start}Explicitly provided namespace ({named}) in {where} does not match namespace "
            f"of enclosing {self._block} ({self.ns}).  Move this definition to the {move} "
            "corresponding to this namespace (and consider deleting the namespace from your "
            f"schema string.){f'  {self._processing}' if start else ''}"
        )

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Makes an operator of a schema; returns its name as the schema has it.

        Args:
            schema: "name(arguments) -> results".
            alias_analysis: "", "FROM_SCHEMA" or "CONSERVATIVE", which change nothing here.
            tags: one of torch.Tag, or several.

        Raises:
            RuntimeError: if there is such an operator, the schema is none, or names another
                namespace. ValueError: if the tags do not go with it.
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        listed = (tags,) if isinstance(tags, Tag) else tags
        asks = Tag.out in listed or Tag.inplace in listed  # TypeError for what holds none
        read = parsed(schema)
        if not read.is_whole:
            raise RuntimeError(
                "Tried to parse a function schema but only the operator name was given"
            )
        named, mark, _ = read.name.rpartition("::")
        operator = Operator(self.ns, read.text.removeprefix(f"{named}{mark}"))
        if asks:
            check_tags(operator.schema, listed)
        if any([not isinstance(each, Tag) for each in listed]):
            raise TypeError(
                "define(): incompatible function arguments. The following argument types are "
                "supported:\n    1. (self: object, schema: str, alias_analysis: str = '', tags: "
                "collections.abc.Sequence[torch._C.Tag] = []) -> str\n\nInvoked with: "
                f"<torch._C._DispatchModule object at {id(self):#x}>, {schema!r}, "
                f"{alias_analysis!r}, {tuple(listed)!r}"
            )
        if self.kind == "IMPL":
            raise RuntimeError(
                f'def("{read.name}"): Cannot define an operator inside of a {self._block}.  All '
                "def()s should be placed in the (unique) TORCH_LIBRARY block for their namespace.  "
                f"{self._processing}"
            )
        if mark and named != self.ns:
            self._refuse_namespace("", named, "schema string", "(unique) TORCH_LIBRARY block")
        operator.tags, operator.place = tuple(listed), self._place
        _define(operator)
        self._defined.append(operator)
        return f"{named}{mark}{operator.schema.name}"

    def impl(
        self,
        op_name: Any,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Registers a kernel for a key: "CPU", "CompositeImplicitAutograd", and so on.

        The operator may be defined later. TypeError for a kernel that is none, RuntimeError for an
        operator of another namespace, for a key that torch does not have, or not here, and for a
        second kernel unless `allow_override`.
        """
        if not callable(fn):
            raise TypeError(
                f"Input function is required to be a callable but found type {type(fn)}"
            )
        if not isinstance(op_name, (str, OpOverload)):
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first "
                f"argument, got {type(op_name)}"
            )
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        own = op_name if isinstance(op_name, str) else op_name.name()
        entry = self.ns, own.rpartition("::")[2], key
        if not allow_override and entry in _KERNELS:
            raise RuntimeError(
                "This is not allowed since there's already a kernel registered from python "
                f"overriding {entry[1]}'s behavior for {key} dispatch key and {self.ns} namespace."
            )
        if not isinstance(dispatch_key, str):
            raise TypeError(
                f'can only concatenate str (not "{type(dispatch_key).__name__}") to str'
            )
        if with_keyset:
            _refused("Library.impl with with_keyset")
        check_dispatch_key(key)
        written = op_name if isinstance(op_name, str) else op_name.name().partition("::")[2]
        name = parsed(written.removesuffix(".default") if op_name is not written else written).name
        named, mark, short = name.rpartition("::")
        if mark and named != self.ns:
            self._refuse_namespace(
                f'impl("{name}", ...): ', named, "operator name", f"{self._block}"
            )
        self._check_key(name, key)
        put_kernel(f"{self.ns}::{short}", key, fn)
        _KERNELS.add(entry)
        self._kernels.add(entry)

    def _check_key(self, name: str, key: str) -> None:
        """RuntimeError in torch's words for a key other than that of the library."""
        if not self.dispatch_key or key == self.dispatch_key:
            return
        if self.kind != "IMPL":
            raise RuntimeError(
                "!dispatch_key_.has_value() INTERNAL ASSERT FAILED at "
                '"/__w/pytorch/pytorch/aten/src/ATen/core/library.cpp":108, please report a bug '
                f"to PyTorch. {self._processing}"
            )
        raise RuntimeError(
            f'impl("{name}", ...): Explicitly provided dispatch key ({key}) is inconsistent with '
            f"the dispatch key of the enclosing {self._block} ({self.dispatch_key}).  Please "
            "declare a separate TORCH_LIBRARY_IMPL block for this dispatch key and move your "
            f"impl() there.  {self._processing}"
        )

    def _destroy(self) -> None:
        for operator in self._defined:
            undefine(operator)
        self._defined.clear()
        _KERNELS.difference_update(self._kernels)
        self._kernels.clear()
        if _OWNERS.get(self.ns) is self:
            del _OWNERS[self.ns]


_KERNELS: set[tuple[str, str, str]] = set()  # namespace, operator and key of `impl`
_OWNERS: weakref.WeakValueDictionary[str, Library] = weakref.WeakValueDictionary()  # kind DEF
_libraries: dict[str, Library] = {}


@functools.singledispatch
def define(qualname: Any, schema: Any, *, lib: Any = None, tags: Any = ()) -> Any:
    """Makes an operator of a name such as "mylib::foo" and the rest of its schema.

    With a Library in place of the name, and a whole schema, the result is a decorator of the
    function that computes the operator.
    """
    if not isinstance(qualname, str):
        raise ValueError(
            f"define(qualname, schema): expected qualname to be instance of str, got "
            f"{type(qualname)}"
        )
    namespace, name = _split(qualname)
    if not _NAMELESS.fullmatch(schema):
        raise ValueError(
            "define(qualname, schema, ...): expected schema to look like e.g. "
            f'"(Tensor x) -> Tensor" but got "{schema}"'
        )
    owner = lib or _libraries.setdefault(namespace, Library(namespace, "FRAGMENT"))
    owner.define(name + schema, tags=tags)
    return None


@define.register(Library)
def _define_in(lib: Library, schema: str, alias_analysis: str = "") -> Callable[..., Any]:
    return lambda function: _given(lib, lib.define(schema, alias_analysis), function, "")


def _given(library: Library, name: str, function: Callable[..., Any], key: str) -> Any:
    """Registers the function that a decorator got, and returns it."""
    library.impl(name, function, key)
    return function


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Registers a kernel for types of devices, "default" for all; also a decorator.

    With a Library, the name of an operator and a key such as "CPU", the result is a decorator.
    """
    if isinstance(qualname, Library):
        return lambda function: _given(qualname, types, function, func or "")

    keys = [key_of(each) for each in ([types] if isinstance(types, str) else types)]

    def register(function: Callable[..., Any]) -> None:
        namespace, name = _split(qualname)
        owner = lib or _libraries.setdefault(namespace, Library(namespace, "FRAGMENT"))
        for key in keys:
            owner.impl(name, function, key)

    return register if func is None else register(func)


# ---- what eager programs do not need


def get_ctx() -> Any:
    """The context of a fake kernel: None, for none ever runs."""
    return None


def opcheck(
    op: Any,
    args: Any,
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: Any = CHECKS,
    raise_exception: bool = True,
    **_: Any,
) -> dict[str, Any]:
    """Calls an operator and checks that it writes only what its schema says.

    Args:
        op: its overload or definition.
        args, kwargs: one call.
        test_utils: of torch's tests those that need no compiler.
        raise_exception: whether a failure is raised, or returned.

    Raises:
        OpCheckError: of torch.testing._internal.optests, for a failure.
        NotImplementedError: for a test that needs fake tensors.
    """
    return checked(_operator(op), args, kwargs or {}, test_utils, raise_exception)


def triton_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: Any, schema: Any = None
) -> Any:
    """Makes an operator of a function that calls kernels of Triton; also a decorator.

    Args:
        name: "namespace::name".
        fn: computes on tensors, and tells shapes and dtypes from tensors without memory.
        mutates_args: the names of the arguments that it writes, or "unknown".
        schema: is not looked at, as in torch: the annotations of `fn` say it.

    Returns:
        A CustomOpDef, as `custom_op`.

    Raises:
        ValueError: if the annotations do not make a schema.

    As torch.library.triton_op.
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        made = custom_op(name, function, mutates_args=mutates_args)
        made.register_fake(function)
        return made

    return make if fn is None else make(fn)


def wrap_triton(triton_kernel: Any, /) -> NoReturn:
    """Refuses: kernels of Triton are not run. ModuleNotFoundError, as torch's, without Triton."""
    import_module("triton")
    _refused("wrap_triton")


def get_kernel(op: Any, dispatch_key: Any) -> Any:
    """The kernel of an operator for a dispatch key. RuntimeError for unknown operators."""
    if isinstance(op, CustomOpDef):
        op = op._qualname
    if not isinstance(op, (str, OpOverload)):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else op.name()
    if isinstance(dispatch_key, str) and dispatch_key not in DispatchKey.__members__:
        raise ValueError(f"Invalid dispatch key: {dispatch_key}")
    return SafeKernelFunction(overload_named(name))


def fallthrough_kernel() -> NoReturn:
    """Refuses to be called, as torch's."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


@contextlib.contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A Library, of whose operators none is left after the block."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()
