"""torch.ops: operators by the names and overloads that ATen gives them, as selective checkpoints
name them: torch.ops.aten.mm.default."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from minitorch._C._enumerations import Tag
from minitorch._public import foreach
from minitorch._public.compiled_libraries import load_library
from minitorch._public.composed_operators import composed, own_form
from minitorch._public.function_schema import (
    FunctionSchema,
    other_overloads,
    overload_names,
    overload_text,
    schema_of,
    tag_names,
)
from minitorch._public.operator_arguments import converted
from minitorch.aten.creation import made_calls
from minitorch.core.base.above import from_above
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.protocols.function_modes import active
from minitorch.core.declare.protocols.out_overloads import functions_into, writing
from minitorch.core.declare.protocols.torch_dispatch import WAITING
from minitorch.core.declare.protocols.torch_function import functions_off, handled, overriding
from minitorch.core.declare.registry import FUNCTIONS, ROWS, function_of_row, load_families
from minitorch.core.declare.row import Row
from minitorch.core.tensor.tensor import Tensor


def _takers(args: Any, kwargs: Any) -> list[Any] | None:
    """The arguments that take a call over; None if there are none, nor modes that see calls."""
    takers = [] if functions_off.get() else overriding(args, kwargs)
    return takers if takers or active() else None


def _plain(schema: str, args: Any, kwargs: Any) -> Any:
    """The arguments of a failed call with plain numbers; None if they are plain."""
    return converted(schema, args, kwargs)


class OpOverload:
    """One operator: torch.ops.aten.add.Tensor."""

    __module__ = "torch._ops"

    def __init__(
        self, packet: OpOverloadPacket, overload: str, function: Callable[..., Any], schema: str
    ) -> None:
        self.overloadpacket = self._overloadpacket = packet
        self.namespace = packet.namespace
        self.__module__ = packet.__module__
        self._opname, self._overloadname = packet.__name__, overload
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__qualname__ = self._name = f"{self.namespace}::{packet.__name__}" + (
            f".{overload}" if overload != "default" else ""
        )
        self._function = function
        self._text = f"{self.namespace}::{schema}"  # its row's, not always torch's

    @cached_property
    def _schema(self) -> FunctionSchema:
        if listed := self._listed():
            return FunctionSchema(f"{self.namespace}::{listed[0]}")
        return schema_of(self._name, self._text)

    def _listed(self) -> tuple[str, list[str]] | None:
        """The schema and the names of the tags in torch's other table; None if it is not in it."""
        if self.namespace != "aten" and self.namespace not in _OWN:
            return None
        return other_overloads(self.namespace, self._opname).get(self._overloadname)

    @property
    def tags(self) -> list[Any]:
        """The tags that torch gives it, or its program: those of torch.Tag."""
        listed = self._listed()
        names = listed[1] if listed else tag_names(self._name)
        if names is not None:
            return [Tag[name] for name in names]
        known = getattr(self._function, "tags", None)
        if known is None:
            raise NotImplementedError(f"torch.ops.{self}.tags is not implemented by minitorch")
        return list(known)

    @property
    def is_view(self) -> bool:
        """Whether its result is a view of an argument."""
        return self._schema._is_view_op()

    def name(self) -> str:
        """The name in schemas: aten::add.Tensor."""
        return self._name

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        takers = _takers(args, kwargs)
        if takers is not None:
            path = f"torch.ops.{self.namespace}.{self.__name__}"
            return handled(self, path, takers, args, kwargs)
        waiting = WAITING.get()
        if waiting is not None and waiting.is_for(self, args, kwargs):
            return self.handed_over(waiting.make())
        try:
            return self.handed_over(self._function(*args, **kwargs))
        except TypeError:
            again = _plain(self._text, args, kwargs)
            if again is None:
                raise
        return self.handed_over(self._function(*again[0], **again[1]))

    @cached_property
    def lists(self) -> tuple[bool, ...]:
        """Which of its results are lists."""
        return tuple([str(each.type).startswith("List[") for each in self._schema.returns])

    def handed_over(self, result: Any) -> Any:
        """A result as torch's dispatcher hands it over: a plain tuple of several, lists in it."""
        if not isinstance(result, (tuple, list)):
            return result
        lists = self.lists
        if len(lists) == 1:
            return list(result) if lists[0] and type(result) is not list else result
        if len(lists) != len(result):  # of another overload
            return result
        return tuple([list(x) if one else x for x, one in zip(result, lists, strict=True)])

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return (
            f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"
        )


class OpOverloadPacket:
    """The operators of one name: torch.ops.aten.add."""

    __module__ = "torch._ops"

    def __init__(
        self, name: str, known: dict[str, tuple[Callable[..., Any], str]], namespace: str = "aten"
    ) -> None:
        self.__name__, self.namespace = name, namespace
        self.__module__ = f"torch._ops.{namespace}"
        self._qualified_op_name = f"{namespace}::{name}"
        self._known = known

    def overloads(self) -> list[str]:
        """Their names, in torch's order."""
        listed = _absent(self.namespace, self.__name__)
        return list(listed or self._known)

    @property
    def is_real(self) -> bool:
        """Whether any of them can be called; the others are names that refuse."""
        return any([not hasattr(function, "refuses") for function, _ in self._known.values()])

    def __getattr__(self, name: str) -> Any:
        known = self._known
        if name not in known and not name.startswith("__"):
            known = _absent(self.namespace, self.__name__)
        if name.startswith("__") or name not in known:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        overload = self.__dict__[name] = OpOverload(self, name, *known[name])
        return overload

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        takers = _takers(args, kwargs)
        if takers is not None:
            return handled(self, f"torch.ops.{self}", takers, args, kwargs)
        if self.namespace != "aten":
            return getattr(self, self._fitting(args, kwargs))(*args, **kwargs)
        public = _public(self.__name__)
        if public is None and self.__name__.startswith("_foreach_"):
            result = foreach.function(self.__name__)(*args, **kwargs)
            return None if self.__name__.endswith("_") else list(result)
        if public is None:
            name = next(iter(self._known))
            if "vec" in self._known:  # whose output_size may be None, and whose factors are a list
                size = args[1] if len(args) > 1 else kwargs.get("output_size")
                listed = len(args) > 2 and isinstance(args[-1], (list, tuple))
                is_vec = size is None or listed or "scale_factors" in kwargs
                name = "vec" if is_vec else "default"
            public = getattr(self, name)
        else:
            public = own_form(self.__name__, None, public, next(iter(self._known.values()))[1])
        try:
            return self._handed_over(public(*args, **kwargs))
        except TypeError:
            known = self._known.get("default", (None, ""))[1]
            again = None
            with suppress(RuntimeError):
                again = _plain(f"{self.namespace}::{known}", args, kwargs)
            if again is None:
                raise
        return self._handed_over(public(*again[0], **again[1]))

    @cached_property
    def _of_several(self) -> list[OpOverload]:
        """The overloads that return a list, or several results."""
        overloads = [getattr(self, name) for name in self.overloads()]
        return [each for each in overloads if each.lists == (True,) or len(each.lists) > 1]

    def _handed_over(self, result: Any) -> Any:
        """A result as the overload hands it over that has as many."""
        if isinstance(result, tuple):
            for overload in self._of_several:
                if overload.lists == (True,) or len(overload.lists) == len(result):
                    return overload.handed_over(result)
        return result

    def _fitting(self, args: Any, kwargs: Any) -> str:
        """The first overload whose schema takes the arguments. RuntimeError if there is none."""
        known = self._known
        if len(known) == 1:
            return next(iter(known))
        reasons = []
        for overload, (operator, _) in known.items():
            bound = getattr(operator, "bound", None)
            try:
                if bound is not None:  # an operator that a program has defined
                    bound(args, kwargs)
                return overload
            except RuntimeError as error:
                reasons.append(f"{error}\n\n")
        raise RuntimeError(
            "Overloaded torch operator invoked from Python failed to match any schema:\n"
            + "".join(reasons)
        )

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


# Operators of two tensors that have an overload for a tensor and a number, which torch's formulas
# call, and of comparisons and remainders programs as well.
OF_NUMBERS = frozenset(
    """
    add sub mul div eq ne lt le gt ge remainder fmod bitwise_and bitwise_or bitwise_xor
    """.split()
)


def _public(name: str) -> Any:
    """The function of torch, or the method of tensors, that is the operator of a name."""
    method = None if name == "index" else getattr(Tensor, name, None)  # binds functorch's dims
    if isinstance(method, property):
        method = None
    return FUNCTIONS.get(name) or method or composed(name)


def _overloads(name: str) -> dict[str, tuple[Callable[..., Any], str]]:
    """The functions of the operators of a name, and their schemas, by overload."""
    if name.startswith("_foreach_"):
        return foreach.overloads_of(name) if name in foreach.names() else {}
    load_families()
    public = _public(name) or (getattr(OPS, name, None) if name in made_calls.schemas() else None)
    made = made_calls.overloads(name, public)
    rows = [row for row in ROWS.values() if row.name == name and overload_of(row) not in made]
    known = made | {overload_of(row): (function_of_row(row), row.schema.text) for row in rows}
    if "Tensor" in known and "Scalar" not in known and name.rstrip("_") in OF_NUMBERS:
        function, text = known["Tensor"]
        known["Scalar"] = (
            function,
            text.replace(".Tensor(", ".Scalar(").replace("Tensor other", "Scalar other"),
        )
    if name in ("all", "any") and known:
        function = known["dims"][0]
        known["dim"] = (function, f"{name}.dim(Tensor self, int dim, bool keepdim=False) -> Tensor")
    vec = getattr(OPS, f"{name}_vec", None)  # of sizes and factors in lists: upsample_nearest2d
    if vec is not None:
        known["vec"] = (vec, f"{name}.vec(...)")
    if not known and public is not None and name[-1] == "_":
        bases = [row for row in ROWS.values() if row.inplace_name == name]
        listed = overload_names().get(name, ())
        known = {
            written_overload(row, listed): (public, row.schema.text) for row in reversed(bases)
        }
    known |= {key: into for key, into in functions_into(name, public).items() if key not in known}
    if public is not None:
        known |= _by_public(name, public, known)
    return {
        each: (own_form(name, each, function, text), text)
        for each, (function, text) in known.items()
    }


def _by_public(name: str, public: Callable[..., Any], known: Any) -> dict[str, Any]:
    """The listed overloads that are not among the known: calls of the function that is public."""
    found = {}
    for each in overload_names().get(name, () if known else ("default",)):
        if each not in known:
            text = overload_text(name, each)
            found[each] = writing(name, public, text) or (public, text)
    return found


def _absent(library: str, name: str) -> dict[str, tuple[Callable[..., Any], str]]:
    """As `_overloads`, operators of torch that are not here: programs name them, and register
    functions for them; to call one refuses."""
    path = f"torch.ops.{library}.{name}"
    listed = overload_names().get(name, ()) if library == "aten" else ()
    known = {each: (_refusing(f"{path}.{each}"), f"{name}.{each}(...)") for each in listed}
    for each, (text, tags) in other_overloads(library, name).items():
        known.setdefault(each, (_refusing(f"{path}.{each}", [Tag[tag] for tag in tags]), text))
    return known


def _refusing(path: str, tags: list[Any] | None = None) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{path} is not implemented by minitorch")

    refuse.refuses = True
    if tags is not None:
        refuse.tags = tags
    return refuse


def written_overload(row: Row, known: Any) -> str:
    """The name that the overload of a row has among those of its in-place variant: pow_.Scalar of
    pow.Tensor_Scalar."""
    overload = overload_of(row)
    return overload if overload in known else overload.removeprefix("Tensor_")


def overload_of(row: Row) -> str:
    """The name of a row's overload."""
    return row.schema.overload or "default"


# Libraries whose operators minitorch defines, with other words in some schemas than torch's.
_OWN = frozenset(("profiler", "_c10d_functional", "_c10d_functional_autograd"))


class _OpNamespace(ModuleType):
    """The operators of a library: torch.ops.aten."""

    __module__ = "torch._ops"

    def __getattr__(self, name: str) -> Any:
        library = self.__name__.rpartition(".")[2]
        if library == "higher_order":
            return _higher_order(name)
        if library == "profiler":
            from_above("_public.profiler_operators")
        elif library in _OWN:
            from_above("distributed.functional_operators")
        if name.startswith("__") and not _absent(library, name):
            raise AttributeError(f"'_OpNamespace' '{library}' object has no attribute '{name}'")
        known = _overloads(name) if library == "aten" else {}
        defined = sys.modules.get("minitorch._public.custom_operators")
        if defined is not None and not known:  # by the program
            operators = defined.OPERATORS.get((library, name), {})
            known = {
                overload: (each, each.declaration.partition("::")[2])
                for overload, each in operators.items()
            }
        if not known and (operator := _compiled(f"{library}::{name}")) is not None:
            known = {"default": (operator, f"{name}(...)")}
        if not known:
            known = _absent(library, name)
        if not known:
            raise AttributeError(f"'_OpNamespace' '{library}' object has no attribute '{name}'")
        packet = self.__dict__[name] = OpOverloadPacket(name, known, library)
        return packet


def _higher_order(name: str) -> Any:
    """The HigherOrderOperator of a name that a program has defined."""
    defined = sys.modules.get("minitorch._public.higher_order_operators")
    if defined is not None and name in defined._higher_order_ops:
        return defined._higher_order_ops[name]
    raise AttributeError(
        f"'_HigherOrderNamespace' 'torch.ops.higher_order' object has no attribute '{name}'"
    )


def _compiled(name: str) -> Any:
    """A stand-in for an operator of a library that could not be loaded; None if there is none."""
    libraries = sys.modules.get("minitorch._public.compiled_libraries")
    return None if libraries is None else libraries.compiled(name)


class _Ops(ModuleType):
    """All libraries of operators: torch.ops."""

    __module__ = "torch._ops"
    __file__ = "_ops.py"

    def __init__(self) -> None:
        super().__init__("torch.ops")
        self.loaded_libraries: set[str] = set()
        self._dir: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        library = self.__dict__[name] = _OpNamespace(f"torch.ops.{name}")
        self._dir.append(name)
        return library

    def __iter__(self) -> Iterator[str]:
        return iter(self._dir)

    def import_module(self, module: str) -> None:
        """Imports a module that defines operators."""
        import_module(module)

    def load_library(self, path: Any) -> None:
        """Loads a library of compiled code, and notes it in `loaded_libraries`.

        path: its file. Libraries of operators need torch's C++ and cannot be loaded: OSError.
        """
        load_library(path, self.loaded_libraries)


ops = _Ops()


def __getattr__(name: str) -> Any:
    if name in ("HigherOrderOperator", "OperatorBase", "_higher_order_ops", "resolve_key"):
        return getattr(import_module("minitorch._public.higher_order_operators"), name)
    raise AttributeError(f"torch._ops.{name} is not implemented by minitorch")
