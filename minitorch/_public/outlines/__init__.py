"""Modules of torch of which only the names are here: compilers, servers, quantisation.

Packages import such names, annotate with them, derive classes from them and ask isinstance, and
few of their users ever call one. A name of a table (the .txt files beside this one) is made when it
is first asked for:

    [torch.distributed.tensor/]     a module; the stroke marks a package
    class DTensor(torch.Tensor)     a class that cannot be made, and its base
    class G raise RuntimeError(text)    likewise, and what torch says without a device
    enum Color(Enum): RED=1; ...    an enumeration, complete
    value NAME = 3                  a constant
    def f g                         functions that refuse
    answer(0) f g                   questions to a device that is not there, and the answer
    raise RuntimeError(text) f g    functions of such a device, and what torch's say
    enter RuntimeError(text) f g    context managers of such a device: what entering them says
    takes(device=None) f g          the parameters of functions of such a device
    alias T                         names of types: typing.Any
    from torch.x: A B               names that another module has

A function, or the making of an object, raises a NotImplementedError with the name that torch has
for it. `python -m conformance.oracle.outline` writes the tables.
"""

from __future__ import annotations

import builtins
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from inspect import signature
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from minitorch.core.base.above import from_above
from minitorch.core.tables import table

# The tables by what their modules' names begin with.
_TABLES = (
    ("torch.distributed", "distributed"),
    ("torch._C._distributed", "distributed"),
    ("torch._C", "native"),
    *((f"torch.{name}", "quantization") for name in ("ao", "quantization")),
    *(
        (f"torch.nn.{name}", "quantization")
        for name in ("intrinsic", "qat", "quantizable", "quantized")
    ),
    *((f"torch.{name}", "devices") for name in ("cuda", "monitor", "mps", "mtia", "numa", "xpu")),
    *(
        (f"torch.{name}", "compilers")
        for name in (
            "_decomp",
            "_dynamo",
            "_export",
            "_functorch",
            "_guards",
            "_higher_order_ops",
            "_inductor",
            "_logging",
            "_prims_common",
            "_refs",
            "_subclasses",
            "export",
            "nativert",
            "onnx",
            "package",
        )
    ),
    ("torch.utils.", "tools"),
    ("torch.fx.experimental", "compilers"),
    ("torch", "others"),
)


class Outline(NamedTuple):
    """A module of a table: its lines, by each name that they describe."""

    lines: dict[str, str]
    package: bool
    parameters: dict[str, str]


def outline(module: str) -> Outline | None:
    """The outline of a module of torch in the tables; None if they do not have it."""
    # The deprecated torch.distributed._tensor has the modules of torch.distributed.tensor.
    newer = module.replace("torch.distributed._tensor.", "torch.distributed.tensor.")
    for start, name in _TABLES:
        if module.startswith(start):
            known = _read(name, module) or _read(name, newer)
            if known is not None:
                return known
    return None


@cache
def _parts(name: str) -> dict[str, str]:
    """The text of each module in a table; most of its modules are never asked for."""
    parts = table(f"_public/outlines/{name}.txt").split("\n\n")
    return {part[1 : part.index("]")].rstrip("/"): part for part in parts}


@cache
def _read(name: str, module: str) -> Outline | None:
    """The outline of one module of a table; None if the table does not have the module."""
    part = _parts(name).get(module)
    if part is None:
        return None
    head, *lines = part.splitlines()
    taken = [line for line in lines if line.startswith("takes(")]
    named = _by_name([line for line in lines if line not in taken])
    parameters = {name: line.rpartition(") ")[0][6:] for line in taken for name in _last(line)}
    return Outline(named, head.endswith("/]"), parameters)


def _last(line: str) -> list[str]:
    """The names at the end of a line that begins with something in parentheses."""
    return line.rpartition(") ")[2].split()


def _by_name(lines: list[str]) -> dict[str, str]:
    named = {}
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind.startswith(("answer(", "raise", "enter")):
            named.update(dict.fromkeys(_last(line), line))
        elif kind in ("class", "enum", "value"):
            named[rest.split(" ")[0].partition("(")[0].rstrip(":")] = line
        else:
            names = rest.partition(": ")[2] if kind == "from" else rest
            named.update(dict.fromkeys(names.split(), line))
    return named


# ---- importing


def spec_of(name: str) -> ModuleSpec | None:
    """The spec that loads the module `name` of this package; None without an outline of it."""
    known = outline(name.removeprefix("mini"))
    if known is None:
        return None
    return ModuleSpec(name, Loader(), origin="outline", is_package=known.package)


class Loader:
    """Loads a module that has an outline alone."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leaves it to the import system."""

    def exec_module(self, module: ModuleType) -> None:
        """Lets its names be made when they are asked for."""
        name = module.__name__.removeprefix("mini")
        module.__doc__ = f"{name}: names alone; what is called refuses."
        module.__getattr__, module.__dir__ = rest_of(name)  # type: ignore[method-assign]


def rest_of(module: str) -> tuple[Any, Any]:
    """`__getattr__` and `__dir__` of a module, which find the names of its outline."""

    def __getattr__(name: str) -> Any:
        return find(module, name)

    def __dir__() -> list[str]:
        known = outline(module)
        listed = vars(sys.modules[f"mini{module}"])
        return sorted({*listed, *(known.lines if known else ())})

    return __getattr__, __dir__


def _is_module(path: str) -> bool:
    return outline(path) is not None or find_spec(f"mini{path}") is not None


def names(module: str) -> list[str]:
    """The names without an underscore in the outline of a module."""
    known = outline(module)
    return [] if known is None else [each for each in known.lines if not each.startswith("_")]


def find(module: str, name: str) -> Any:
    """The object under a name in the outline of a module, or the submodule of that name.

    Raises:
        AttributeError: there is neither.
    """
    known = outline(module)
    made = _MISSING
    if known is not None:
        if name == "__all__":
            return names(module)
        if name in known.lines:
            made = _made(module, name, known.lines[name])
        elif known.package and not name.startswith("__") and _is_module(f"{module}.{name}"):
            made = import_module(f"mini{module}.{name}")
    if made is _MISSING:
        raise AttributeError(f"{module}.{name} is not implemented by minitorch")
    own = sys.modules.get(f"mini{module}")
    if own is None or getattr(own.__spec__, "origin", None) != "outline":
        return made  # a module with code of its own is completed where it stands for torch's
    return own.__dict__.setdefault(name, made)


_MISSING = object()


# ---- making what a line describes


# Names that minitorch has, in modules whose other names are outlines -> where they are written.
_WRITTEN = {
    "torch._C._distributed_c10d.FileStore": "minitorch.distributed.file_store",
    "torch._C._distributed_c10d.HashStore": "minitorch.distributed.store",
    "torch._C._distributed_c10d.TCPStore": "minitorch.distributed.tcp_store",
    "torch._C._distributed_c10d._make_nccl_premul_sum": "minitorch.distributed.reduce_op",
    "torch._C._distributed_c10d._set_thread_isolation_mode": (
        "minitorch.testing._internal.distributed.multi_threaded_pg"
    ),
    "torch.distributed.utils._sync_module_states": "minitorch.distributed.shared_states",
    "torch._dynamo.eval_frame.OptimizedModule": "minitorch.compiler",
    "torch._library.custom_ops.CustomOpDef": "minitorch.library",
}


# Methods of classes that cannot be made, which are called on the class itself.
_METHODS = {
    "torch.distributed.tensor.DTensor": "from_local",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel": (
        "fsdp_modules full_optim_state_dict get_state_dict_type optim_state_dict "
        "optim_state_dict_to_load set_state_dict_type state_dict_type summon_full_params"
    ),
}


@cache  # so that a name is one thing, wherever it is asked for
def _made(module: str, name: str, line: str) -> Any:
    kind, _, rest = line.partition(" ")
    if kind == "from":
        home = rest.partition(":")[0]
        found = getattr(import_module(f"mini{home}"), name, None)
        return from_above("_public.private_names:find")(home, name) if found is None else found
    if kind == "alias":
        return Any
    if kind == "value":
        from ast import literal_eval

        return literal_eval(rest.partition(" = ")[2])
    if kind == "enum":
        return _enumeration(module, name, rest)
    if kind in ("raise", "enter") or kind.startswith("answer("):
        return _absent(module, name, line.rpartition(") ")[0])
    if f"{module}.{name}" in _WRITTEN:
        return getattr(import_module(_WRITTEN[f"{module}.{name}"]), name)
    if kind == "class":
        head, _, error = rest.partition(" raise ")
        return refused_class(module, name, _base(head), error)
    return refused_function(module, name)


def refused_function(module: str, name: str) -> Any:
    """A function that raises a NotImplementedError with its name."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{module}.{name} is not implemented by minitorch")

    refuse.__module__, refuse.__name__, refuse.__qualname__ = module, name, name
    refuse.__doc__ = "Refuses: it is not implemented."
    return refuse


def _absent(module: str, name: str, line: str) -> Any:
    """A function of a device that is not there: it answers or refuses as torch's does then."""
    kind, _, text = line.partition("(")
    if kind == "answer":
        from ast import literal_eval

        given = literal_eval(text)
    known = outline(module)
    taken = None if known is None else known.parameters.get(name)
    checked = None if taken is None else eval(f"lambda {taken}: None")
    if checked is not None:
        checked.__name__ = checked.__qualname__ = name  # which its errors say

    def ask(*args: Any, **kwargs: Any) -> Any:
        if checked is not None:
            checked(*args, **kwargs)
        if module.startswith("torch.cuda") and import_module("minitorch.cuda").is_available():
            raise NotImplementedError(f"{module}.{name} is not implemented by minitorch")
        if kind == "answer":
            return given.copy() if isinstance(given, (list, dict)) else given
        raise getattr(builtins, kind.partition(" ")[2])(text)

    if kind.startswith("enter"):
        ask = _entered(ask, checked)
    ask.__module__, ask.__name__, ask.__qualname__ = module, name, name
    ask.__doc__ = "Answers as where there is no such device."
    if checked is not None:
        ask.__signature__ = signature(checked)  # type: ignore[attr-defined]
    return ask


def _entered(ask: Any, checked: Any) -> Any:
    """A context manager, and so a decorator, that asks when it is entered and not before."""
    from contextlib import contextmanager

    @contextmanager
    def enter(*args: Any, **kwargs: Any) -> Any:
        yield ask(*args, **kwargs)

    def called(*args: Any, **kwargs: Any) -> Any:
        if checked is not None:
            checked(*args, **kwargs)
        return enter(*args, **kwargs)

    return called


def refused_class(module: str, name: str, base: type = object, error: str = "") -> type:
    """A class without instances, unless it is an exception; classes may derive from it.

    Making an object of it, or of a class that derives from it, raises a NotImplementedError.

    error: what torch raises without a device, as it would be written: RuntimeError(text).
    """
    members: dict[str, Any] = {"__module__": module, "__doc__": "Names what is not implemented."}
    if not issubclass(base, BaseException):

        def refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
            if error and not import_module("minitorch.cuda").is_available():
                kind, _, text = error.partition("(")
                raise getattr(builtins, kind)(text.removesuffix(")"))
            raise NotImplementedError(f"{module}.{name} is not implemented by minitorch")

        members["__new__"] = refuse
    for each in _METHODS.get(f"{module}.{name}", "").split():
        members[each] = staticmethod(refused_function(f"{module}.{name}", each))
    made = type(base)(name, (base,), members)
    _REFUSED.add(made)
    return made


_REFUSED: set[type] = set()


def is_refused(cls: type) -> bool:
    """Whether a class is one that cannot be made, or derives from one."""
    return not _REFUSED.isdisjoint(cls.__mro__)


def _base(text: str) -> type:
    """The base that a line names; object if it is nothing that is here."""
    path = text.partition("(")[2].rstrip(")")
    home, _, name = path.rpartition(".")
    if not path:
        return object
    if not home:
        return getattr(builtins, name)
    try:
        base = getattr(import_module(f"mini{home}"), name)
    except (ImportError, AttributeError):
        return object
    return base if isinstance(base, type) else object


def _enumeration(module: str, name: str, text: str) -> Any:
    import enum
    from ast import literal_eval

    head, _, members = text.partition(":")
    kind = getattr(enum, head.partition("(")[2].rstrip(")"))
    members = members.strip()
    pairs = [each.partition("=") for each in members.split("; ") if each]
    return kind(name, [(key, literal_eval(value)) for key, _, value in pairs], module=module)
