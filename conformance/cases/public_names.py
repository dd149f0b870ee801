"""The public names of torch and its modules and classes: which exist, and what they take.

A key is a module or class; a case is a name. What torch writes in Python must have the same
parameters, with the same defaults; what it writes in C++ must take what torch's .pyi files say.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, Signature
from types import FunctionType, MethodType, ModuleType
from typing import Any

from conformance.cases.case import Case, Outcome
from conformance.options import Options
from conformance.oracle.record import without_addresses
from conformance.oracle.stubs import stubs, takes

# Modules and classes of the eager library. Not here: what compiles, exports, distributes or
# quantises programs, and back-ends for devices other than CPU and CUDA.
OWNERS = """
    torch torch.Tensor torch.Size torch.dtype torch.device torch.finfo torch.iinfo torch.Generator
    torch.accelerator torch.amp torch.amp.autocast_mode torch.amp.grad_scaler torch.autograd
    torch.autograd.anomaly_mode torch.autograd.forward_ad torch.autograd.function
    torch.autograd.functional torch.autograd.grad_mode torch.autograd.gradcheck torch.autograd.graph
    torch.autograd.profiler torch.autograd.profiler_legacy torch.autograd.profiler_util
    torch.autograd.variable torch.backends torch.backends.cuda torch.backends.cudnn
    torch.backends.mkl torch.cpu.amp torch.cpu.amp.autocast_mode torch.cpu.amp.grad_scaler
    torch.cuda torch.cuda.amp torch.cuda.amp.autocast_mode torch.cuda.amp.common
    torch.cuda.amp.grad_scaler torch.distributions torch.distributions.constraints
    torch.distributions.Distribution torch.distributions.transforms torch.fft torch.func torch.hub
    torch.library torch.linalg torch.masked torch.nested torch.nn torch.nn.Module torch.nn.Parameter
    torch.nn.attention torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.utils
    torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune
    torch.nn.utils.rnn torch.nn.utils.stateless torch.optim torch.optim.Optimizer
    torch.optim.lr_scheduler torch.optim.lr_scheduler.LRScheduler torch.optim.swa_utils
    torch.overrides torch.profiler torch.profiler.itt torch.profiler.profiler torch.random
    torch.return_types torch.serialization torch.signal torch.signal.windows torch.sparse
    torch.special torch.storage torch.testing torch.types torch.utils torch.utils.checkpoint
    torch.utils.data torch.utils.dlpack torch.utils.hooks torch.utils.benchmark torch.version
""".split()
# The modules whose classes are owners as well.
WITH_CLASSES = re.compile(
    r"torch\.(autograd|amp|c(pu|uda)\.amp|func|profiler|utils\.(checkpoint|hooks))\b"
)
ARITHMETIC = re.compile(r"__\w+__$")
INHERITED = frozenset(dir(type("Plain", (), {}))) - {"__eq__", "__ne__", "__repr__", "__hash__"}
# Methods whose dimensions may stand in a row by torch's .pyi files, which torch's parser refuses.
NEVER_SPREAD = {("torch.Tensor", "hash_tensor")}
# How a class is written, and its objects are pickled and freed.
WRITING = frozenset(
    "__abstractmethods__ __annotations__ __del__ __deprecated__ __match_args__ "
    "__orig_bases__ __setstate__ __slots__".split()
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
        """Returns what kind of thing it is, and what it takes."""
        thing = attribute(found(torch, self.owner), self.name)
        return {"signature": {"is": kind(thing), "takes": self.taken(thing)}}

    def taken(self, thing: Any) -> Any:
        """Returns the parameters of what torch writes in Python, else how overloads fare."""
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


def keys(options: Options) -> list[str]:
    """Returns the modules and classes."""
    keys = dict.fromkeys(OWNERS)
    known = [found(_torch(), owner) for owner in OWNERS]
    for owner in filter(WITH_CLASSES.match, OWNERS):
        module = found(_torch(), owner)
        for name in public(module):
            thing = getattr(module, name)
            if isinstance(thing, type) and thing not in known:
                known.append(thing)
                keys[f"{owner}.{name}"] = None
    return list(keys)


def cases(key: str, options: Options) -> Iterator[Name]:
    """Yields every public name of a module or class."""
    for name in public(found(_torch(), key)):
        yield Name(key, name)


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
    """Returns what stands under a name, which may be a module that is not imported yet."""
    try:
        return getattr(owner, name)
    except AttributeError:
        module = None if name.startswith("_") else _module(owner, name)
        if module is None:
            raise
        return module


@cache
def overloads(owner: str, name: str) -> Signature | list[Signature]:
    """Returns the signature of what torch writes in Python, the overloads of what it writes in C++.

    There are none where nobody can say: in what hands everything on, or makes objects in C++.
    """
    thing = attribute(found(_torch(), owner), name)
    if listed := stubs(owner).get(name):
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
    """Returns the public names: those torch lists, else those that are its own; operators too."""
    if not isinstance(owner, ModuleType):
        return sorted(
            name
            for name in dir(owner)
            if not name.startswith("_")
            or (ARITHMETIC.match(name) and name not in INHERITED | WRITING)
        )
    listed = getattr(owner, "__all__", None)
    if listed and owner.__name__ != "torch":
        return sorted(name for name in set(listed) if hasattr(owner, name))
    return sorted(name for name in dir(owner) if not name.startswith("_") and _own(owner, name))


def _own(owner: ModuleType, name: str) -> bool:
    """Returns whether a module's attribute is torch's, not something that torch has imported."""
    thing = getattr(owner, name)
    if isinstance(thing, ModuleType):
        return thing.__name__.startswith("torch")
    home = getattr(thing, "__module__", None)
    if home is None or home == "builtins":
        return True
    return str(home).startswith("torch")


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
    plain = isinstance(thing, (bool, int, float, str, type(None)))
    return repr(thing) if plain or type(thing).__name__ in ("dtype", "layout", "device") else ""


def parameters(function: Any, known: Signature, method: bool) -> str:
    """Returns names, kinds and defaults of the parameters; those known where it hands all on."""
    own = inspect.signature(function)
    if hands_on(own):
        own = known
    listed = [each.replace(annotation=Parameter.empty) for each in own.parameters.values()]
    if method and not inspect.ismethod(function) and not isinstance(function, type):
        listed = listed[1:]  # whatever it calls itself
    return re.sub(r"\bminitorch\b", "torch", without_addresses(str(Signature(listed))))


def _torch() -> ModuleType:
    import torch

    return torch
