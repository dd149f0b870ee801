"""The public names of torch and its modules and classes: which exist, and their parameters.

A key is a module or class; a case is a name, or what `from module import *` takes. What torch
writes in Python must have the same parameters, with the same defaults; what it writes in C++ must
take what torch's .pyi files say.

What is public: the names in a module's `__all__`; without it, those without an underscore that the
module makes itself or, as a package, has from its parts. What a file only imports belongs to where
it comes from: torch.nn.functional is not asked for `Tensor` or `has_torch_function`. A class is
asked for what it does not have from Python or from another class that is asked.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, Signature
from itertools import chain
from types import FunctionType, MethodType, ModuleType
from typing import Any

from conformance.cases import outlined
from conformance.cases.case import Case, Outcome
from conformance.options import Options
from conformance.oracle.record import without_addresses
from conformance.oracle.stubs import made, stubs, takes

# Modules and classes of the eager library. Not here: what compiles, exports, distributes or
# quantises programs, back-ends for devices other than CPU and CUDA, and what runs on CUDA alone.
OWNERS = """
    torch torch.Tensor torch.Size torch.dtype torch.device torch.finfo torch.iinfo torch.Generator
    torch.accelerator torch.amp torch.autograd torch.backends torch.backends.cuda
    torch.backends.cudnn torch.backends.mkl torch.cpu.amp torch.cpu.amp.autocast_mode
    torch.cpu.amp.grad_scaler torch.cuda torch.cuda.amp torch.cuda.amp.autocast_mode
    torch.cuda.amp.common torch.cuda.amp.grad_scaler torch.distributions
    torch.distributions.constraints torch.distributions.Distribution torch.distributions.transforms
    torch.fft torch.func torch.hub torch.library torch.linalg torch.masked torch.nested torch.nn
    torch.nn.Module torch.nn.Parameter torch.optim torch.optim.Optimizer
    torch.optim.lr_scheduler.LRScheduler torch.overrides torch.profiler torch.profiler.itt
    torch.profiler.profiler torch.random torch.return_types torch.serialization torch.signal
    torch.signal.windows torch.sparse torch.special torch.storage torch.testing torch.types
    torch.utils torch.utils.checkpoint torch.utils.data torch.utils.dlpack torch.utils.hooks
    torch.utils.benchmark torch.version
""".split()
# The packages all of whose modules are owners, without those of the kinds that are not here:
# flex_attention is made for the compiler, and data pipes moved to torchdata.
WITH_MODULES = "torch.amp torch.autograd torch.nn torch.optim torch.utils.data".split()
NOT_HERE = re.compile(
    r".*\._|torch\.nn\.(intrinsic|qa|quant|parallel|cpp|backends)"
    r"|torch\.nn\.attention\.(experimental|flex_|varlen)|torch\.utils\.data\.(datapipes|graph)"
)
# The modules whose classes are owners as well.
WITH_CLASSES = re.compile(
    r"torch\.(autograd|amp|c(pu|uda)\.amp|func|nn|optim|profiler|utils\.(checkpoint|data|hooks))\b"
)
ARITHMETIC = re.compile(r"__\w+__$")
INHERITED = frozenset(dir(type("Plain", (), {}))) - {"__eq__", "__ne__", "__repr__", "__hash__"}
# Methods whose dimensions may stand in a row by torch's .pyi files, which torch's parser refuses.
NEVER_SPREAD = {("torch.Tensor", "hash_tensor")}
# Functions whose options may stand by place by torch's .pyi files, which torch's parser refuses.
OPTIONS_BY_NAME = {("torch", "as_tensor")}
# How a class is written and compiled, and its objects are pickled and freed; and a table of
# functions in C, which a library in Python cannot have.
UNSEEN = INHERITED | set(
    "__dlpack_c_exchange_api__ "
    "__abstractmethods__ __annotations__ __class_getitem__ __constants__ __del__ __deprecated__ "
    "__jit_unused_properties__ __match_args__ __orig_bases__ __parameters__ __setstate__ "
    "__slotnames__ __slots__".split()
)


@dataclass
class Name(Case):
    """One public name of one owner."""

    owner: str
    name: str
    main: str = "signature"
    properties: frozenset[str] = frozenset({"signature"})

    @property
    def label(self) -> str:
        """The full name."""
        return f"{self.owner}.{self.name}"

    def run(self, torch: ModuleType) -> Outcome:
        """Returns the kind of the thing, and its parameters."""
        thing = attribute(found(torch, self.owner), self.name)
        return {"signature": {"is": kind(thing), "takes": self.taken(thing)}}

    def taken(self, thing: Any) -> Any:
        """Returns the parameters of a function written in Python, else the fate of overloads."""
        owner = found(_torch(), self.owner)
        if not callable(thing):
            return constant(thing) if isinstance(owner, ModuleType) else ""
        known = overloads(self.owner, self.name)
        if isinstance(known, Signature):
            return parameters(thing, known, not isinstance(owner, ModuleType))
        return [f"{overload}: {takes(thing, overload) or 'taken'}" for overload in known]

    def script(self, impl: str) -> str:
        """Returns a script that shows the name and its signature."""
        module = self.owner if isinstance(found(_torch(), self.owner), ModuleType) else "torch"
        return (
            f"import inspect\nimport {module}  # or: import {impl} as torch\n\n"
            f"print({self.label})\nprint(inspect.signature({self.label}))\n"
        )

    @property
    def title(self) -> str:
        """The full name."""
        return self.label

    @property
    def size(self) -> int:
        """The length of the name."""
        return len(self.name)


@dataclass
class Star(Case):
    """The names that `from module import *` takes from one module."""

    owner: str
    main: str = "signature"
    properties: frozenset[str] = frozenset({"signature"})

    @property
    def label(self) -> str:
        """The statement."""
        return f"from {self.owner} import *"

    title = label

    def run(self, torch: ModuleType) -> Outcome:
        """Returns the names; where torch lists none, those alone that are public and no modules."""
        judged = found(_torch(), self.owner)
        names = set(starred(found(torch, self.owner)))
        if not hasattr(judged, "__all__"):
            names &= {name for name in public(judged) if kind(getattr(judged, name)) != "module"}
        return {"signature": {"names": sorted(names)}}

    def script(self, impl: str) -> str:
        """Returns a script that shows the names."""
        return f"names = {{}}\nexec({self.label!r}, names)\nprint(sorted(names))\n"

    @property
    def size(self) -> int:
        """The length of the module's name."""
        return len(self.owner)


def starred(module: ModuleType) -> list[str]:
    """Returns the names that a star takes from a module."""
    if (listed := getattr(module, "__all__", None)) is not None:
        return list(listed)
    return [name for name in vars(module) if not name.startswith("_")]


def keys(options: Options) -> list[str]:
    """Returns the modules and classes."""
    return list(_owners())


@cache
def _owners() -> dict[str, Any]:
    """Returns torch's modules and classes that are judged, by name."""
    paths = [*OWNERS, *chain.from_iterable(map(_modules, WITH_MODULES))]
    known = {path: found(_torch(), path) for path in paths}
    for path, module in list(known.items()):
        if not (isinstance(module, ModuleType) and WITH_CLASSES.match(path)):
            continue
        for name in public(module):
            thing = getattr(module, name)
            if not isinstance(thing, type) or thing in known.values() or not _of_torch(thing):
                continue
            if not NOT_HERE.match(thing.__module__):
                known[f"{path}.{name}"] = thing
    return known


def _modules(package: str) -> Iterator[str]:
    """Yields the modules in a package, and in those in it."""
    for each in pkgutil.iter_modules(found(_torch(), package).__path__, f"{package}."):
        if not NOT_HERE.match(each.name):
            yield each.name
            if each.ispkg:
                yield from _modules(each.name)


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields every public name of a module or class, and what a star takes from a module."""
    owner = found(_torch(), key)
    for name in public(owner):
        yield Name(key, name)
    if isinstance(owner, ModuleType):
        yield Star(key)


@cache
def found(torch: ModuleType, path: str) -> Any:
    """Returns the thing with torch's name `path` in a library; its modules are imported for it."""
    here: Any = torch
    for part in path.split(".")[1:]:
        here = _module(here, part) or getattr(here, part)
    return here


def _module(owner: Any, name: str) -> ModuleType | None:
    """Returns a module in a package, which a function of the same name may hide."""
    if not isinstance(owner, ModuleType):
        return None
    try:
        return importlib.import_module(f"{owner.__name__}.{name}")
    except ImportError:
        return None


def attribute(owner: Any, name: str) -> Any:
    """Returns what stands under a name, which may be a module that is not imported yet.

    What only an outline of minitorch gives is not there, unless outlined.toml has the name.
    """
    if isinstance(owner, ModuleType) and outlined.counts_as_missing(owner, name):
        raise AttributeError(f"{owner.__name__}.{name} is not implemented by minitorch")
    try:
        return getattr(owner, name)
    except AttributeError:
        module = None if name.startswith("_") else _module(owner, name)
        # What only objects have, as the name of a member of an Enum.
        found = inspect.getattr_static(owner, name, None) if module is None else module
        if found is None:
            raise
        return found


def with_options_by_name(signature: Signature) -> Signature:
    """Returns a signature whose parameters after the first are given by name alone."""
    first, *options = signature.parameters.values()
    options = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in options]
    return signature.replace(parameters=[first, *options])


@cache
def overloads(owner: str, name: str) -> Signature | list[Signature]:
    """Returns the signature of a function written in Python, the overloads of one written in C++.

    None are known for functions that hand everything on, or make objects in C++.
    """
    thing = attribute(found(_torch(), owner), name)
    if listed := stubs(owner).get(name):
        if (owner, name) in OPTIONS_BY_NAME:
            return [with_options_by_name(each) for each in listed]
        return [each for each in listed if (owner, name) not in NEVER_SPREAD or not spreads(each)]
    if isinstance(thing, type) and not in_python(thing):
        return []
    if name == "__exit__":  # which Python calls, by place
        return [
            Signature(
                [Parameter(n, Parameter.POSITIONAL_ONLY) for n in "self kind value where".split()]
            )
        ]
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    if hands_on(signature):
        return []
    return signature if in_python(thing) else [signature]


def in_python(thing: Any) -> bool:
    """Returns whether a function, or what makes the objects of a class, is written in Python."""
    if isinstance(thing, type):
        return any(
            isinstance(inspect.unwrap(made), FunctionType)
            for base in thing.__mro__
            for name in ("__init__", "__new__")
            if callable(made := getattr(vars(base).get(name), "__func__", vars(base).get(name)))
        )
    return isinstance(inspect.unwrap(thing), (FunctionType, MethodType))


def spreads(signature: Signature) -> bool:
    """Returns whether any number of arguments may stand in a row."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    return Parameter.VAR_POSITIONAL in kinds


def hands_on(signature: Signature) -> bool:
    """Returns whether a signature is `(*args, **kwargs)`."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    return kinds == {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}


def public(owner: Any) -> list[str]:
    """Returns the public names, of classes with their operators."""
    if not isinstance(owner, ModuleType):
        return sorted(
            name
            for name in dir(owner)
            if (not name.startswith("_") or (ARITHMETIC.match(name) and name not in UNSEEN))
            and _own_of_class(owner, name)
        )
    listed = getattr(owner, "__all__", None)
    if listed and owner.__name__ != "torch":
        return sorted(name for name in set(listed) if hasattr(owner, name))
    names = {name for name in dir(owner) if not name.startswith("_")} - _imported(owner)
    return sorted(name for name in names if _own(owner, name))


def _own_of_class(owner: type, name: str) -> bool:
    """Returns whether a class's attribute is its own, or from a base that no unit judges."""
    home = next((base for base in owner.__mro__ if name in vars(base)), owner)
    if home is owner or not _of_torch(home):
        return home is owner
    judged = [each for each in owner.__mro__[1:] if each in _owners().values()]
    return all(getattr(each, name, None) is not getattr(owner, name) for each in judged)


def _imported(owner: ModuleType) -> set[str]:
    """Returns what a file imports and does not claim; what a package imports are its parts."""
    if hasattr(owner, "__path__"):
        return set()
    statements = ast.parse(inspect.getsource(owner)).body
    imports = [each for each in statements if isinstance(each, (ast.Import, ast.ImportFrom))]
    names = {alias.asname or alias.name for each in imports for alias in each.names}
    return {n for n in names if getattr(attribute(owner, n), "__module__", "") != owner.__name__}


def _own(owner: ModuleType, name: str) -> bool:
    """Returns whether a module's attribute is torch's, not something that torch has imported."""
    thing = getattr(owner, name)
    if isinstance(thing, ModuleType):
        return thing.__name__.startswith(f"{owner.__name__}.")
    return getattr(thing, "__module__", None) in (None, "builtins") or _of_torch(thing)


def _of_torch(thing: Any) -> bool:
    return str(thing.__module__).startswith("torch")


def kind(thing: Any) -> str:
    """Returns what a thing is."""
    if isinstance(thing, ModuleType):
        return "module"
    if isinstance(thing, type):
        return "class"
    if callable(thing):
        return "callable"
    return "attribute"


def constant(thing: Any) -> str:
    """Returns what a constant prints; the values of others, such as tables, say nothing."""
    if isinstance(thing, str) and thing.startswith("/"):
        return "a folder"
    plain = isinstance(thing, (bool, int, float, str, type(None)))
    return repr(thing) if plain or type(thing).__name__ in ("dtype", "layout", "device") else ""


def parameters(function: Any, known: Signature, method: bool) -> str:
    """Returns names, kinds and defaults of the parameters; those known where it hands all on."""
    own = inspect.signature(made(function))
    if hands_on(own):
        own = known
    listed = [each.replace(annotation=Parameter.empty) for each in own.parameters.values()]
    if method and not inspect.ismethod(function) and not isinstance(function, type):
        listed = listed[1:]  # whatever it calls itself
    return re.sub(r"\bminitorch\b", "torch", without_addresses(str(Signature(listed))))


def _torch() -> ModuleType:
    import torch

    return torch
