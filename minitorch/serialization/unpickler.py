"""Unpickling that runs nothing: `load(weights_only=True)`.

A machine of the instructions that files of tensors need, which knows the globals of `names.ALLOWED`
and those that the user marked as safe. A mutated file can make it fail, nothing else: it asks for
no more memory than the file has bytes for, and never recurses.
"""

from __future__ import annotations

import pickle
import struct
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable
from operator import methodcaller
from pickle import UnpicklingError
from typing import Any

from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor
from minitorch.serialization.names import ALLOWED
from minitorch.serialization.older_names import IMPORT_MAPPING, NAME_MAPPING
from minitorch.serialization.settings import marked_globals

_BLOCKED = frozenset(("sys", "os", "posix", "nt"))
_DEEPEST = 200  # tuples in tuples: to hash them, Python recurses
_MAPPINGS = (dict, OrderedDict, Counter)


class Unpickler:
    """Reads one object from a file.

    persistent_load: gives the storage for an id.
    """

    def __init__(self, file: Any, *, encoding: str = "bytes") -> None:
        self.file = file
        self.encoding = encoding
        self.persistent_load: Callable[[Any], Any] = _refuse_id
        self.memo: dict[int, Any] = {}
        self.depths: dict[int, tuple[Any, int]] = {}  # id of a tuple that holds tuples -> how deep
        self.stack: list[Any] = []
        self.marked: list[list[Any]] = []
        self.marks = marked_globals()
        self.allowed = {**ALLOWED, **self.marks}

    def load(self) -> Any:
        """The object. EOFError or UnpicklingError if the file does not hold one."""
        self.stack, self.marked = [], []
        while True:
            key = self.file.read(1)
            if not key:
                raise EOFError
            if key == pickle.STOP:
                return self.stack.pop()
            step = _STEPS.get(key)
            if step is None:
                raise UnpicklingError(f"Unsupported operand {key[0]}")
            step(self)

    def number(self, form: str) -> Any:
        """The next number of the file, in a format of `struct`."""
        return struct.unpack(form, self.file.read(struct.calcsize(form)))[0]

    def bytes(self, count: int) -> bytes:
        """The next bytes of the file, which has to have them."""
        data: bytes = self.file.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def since_mark(self) -> list[Any]:
        """The items put on the stack since the last mark."""
        items, self.stack = self.stack, self.marked.pop()
        return items

    def is_allowed(self, each: Any) -> bool:
        """Whether a file may call this."""
        return any(each is other for other in self.allowed.values())

    # ---- globals, calls, state ------------------------------------------------------------------

    def find(self) -> None:
        module, name = global_named(self.file)
        path = f"{module}.{name}"
        if module in _BLOCKED:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked."
            )
        if path not in self.allowed:
            path = path.removeprefix("builtins.")
            raise UnpicklingError(
                f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please "
                f"use `torch.serialization.add_safe_globals([{path}])` or the "
                f"`torch.serialization.safe_globals([{path}])` context manager to allowlist this "
                "global if you trust this class/function."
            )
        self.stack.append(self.allowed[path])

    def new(self) -> None:
        arguments, cls = self.stack.pop(), self.stack.pop()
        if cls is Parameter:
            self.stack.append(Parameter(*arguments))
        elif self.is_allowed(cls) and not (cls is Tensor and arguments):
            self.stack.append(cls.__new__(cls, *arguments))
        else:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via "
                f"`add_safe_globals` but got {cls}"
            )

    def call(self) -> None:
        arguments, function = self.stack.pop(), self.stack[-1]
        if not self.is_allowed(function) or (function is Tensor and arguments):
            owner = f" which belongs to {s}" if (s := getattr(function, "__self__", None)) else ""
            raise UnpicklingError(
                f"Trying to call reduce for unrecognized function {function}{owner}"
            )
        self.stack[-1] = function(*arguments)

    def build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        kind = type(target)
        if kind is OrderedDict:
            target.__dict__.update(state)
        elif not any(kind is other for other in (*self.marks.values(), Counter)):
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                f"`add_safe_globals`, but got {kind}"
            )
        elif hasattr(target, "__setstate__"):
            target.__setstate__(state)
        else:
            slots = None
            if isinstance(state, tuple) and len(state) == 2:
                state, slots = state
            if state:
                target.__dict__.update(state)
            for name, value in (slots or {}).items():
                setattr(target, name, value)

    def persistent(self) -> None:
        key = self.stack.pop()
        if type(key) not in (tuple, int):
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(key)}")
        if type(key) is tuple and key and key[0] not in ("storage", b"storage"):
            raise UnpicklingError(
                f"Only persistent_load of storage is allowed, but got {type(key[0])}"
            )
        self.stack.append(self.persistent_load(key))

    # ---- containers -----------------------------------------------------------------------------

    def group(self, items: list[Any]) -> None:
        made = tuple(items)
        depth = 1 + max(
            [self.depths.get(id(e), (e, 1))[1] for e in items if type(e) is tuple] or [0]
        )
        if depth > _DEEPEST:
            raise UnpicklingError(f"Tuples in tuples, more than {_DEEPEST} deep")
        if depth > 1:
            self.depths[id(made)] = (made, depth)
        self.stack.append(made)

    def last(self, count: int) -> list[Any]:
        """Takes the last items off the stack."""
        if len(self.stack) < count:
            raise IndexError("list index out of range")
        items = self.stack[-count:]
        del self.stack[-count:]
        return items

    def extend(self, items: list[Any], verb: str) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise UnpicklingError(f"Can only {verb} lists, but got {type(target)}")
        target.extend(items)

    def set_items(self, items: list[Any], instruction: str) -> None:
        target = self.stack[-1]
        if type(target) not in _MAPPINGS:
            raise UnpicklingError(
                f"Can only {instruction} for dict, collections.OrderedDict, collections.Counter, "
                f"but got {type(target)}"
            )
        for i in range(0, len(items), 2):
            target[items[i]] = items[i + 1]

    def mark(self) -> None:
        self.marked.append(self.stack)
        self.stack = []

    # ---- numbers and text -----------------------------------------------------------------------

    def text(self) -> None:
        self.stack.append(str(self.bytes(self.number("<I")), "utf-8", "surrogatepass"))

    def old_text(self) -> None:
        data = self.bytes(self.number("B"))
        self.stack.append(
            data if self.encoding == "bytes" else data.decode(self.encoding, "strict")
        )

    def protocol(self) -> None:
        number = self.number("B")
        if number != 2:
            warnings.warn(
                f"Detected pickle protocol {number} in the checkpoint, which was not the default "
                "pickle protocol used by `torch.load` (2). The weights_only Unpickler might not "
                "support all instructions implemented by this protocol, please file an issue for "
                "adding support if you encounter this.",
                stacklevel=2,
            )

    def put(self, index: int) -> None:
        self.memo[index] = self.stack[-1]


def _pushing(make: Callable[[Unpickler], Any]) -> Callable[[Unpickler], None]:
    return lambda self: self.stack.append(make(self))


_STEPS: dict[bytes, Callable[[Unpickler], None]] = {
    pickle.GLOBAL: methodcaller("find"),
    pickle.NEWOBJ: methodcaller("new"),
    pickle.REDUCE: methodcaller("call"),
    pickle.BUILD: methodcaller("build"),
    pickle.BINPERSID: methodcaller("persistent"),
    pickle.APPEND: lambda self: self.extend([self.stack.pop()], "append to"),
    pickle.APPENDS: lambda self: self.extend(self.since_mark(), "extend"),
    pickle.SETITEM: lambda self: self.set_items(self.last(2), "SETITEM"),
    pickle.SETITEMS: lambda self: self.set_items(self.since_mark(), "SETITEMS"),
    pickle.MARK: methodcaller("mark"),
    pickle.TUPLE: lambda self: self.group(self.since_mark()),
    pickle.TUPLE1: lambda self: self.group(self.last(1)),
    pickle.TUPLE2: lambda self: self.group(self.last(2)),
    pickle.TUPLE3: lambda self: self.group(self.last(3)),
    pickle.NONE: _pushing(lambda self: None),
    pickle.NEWFALSE: _pushing(lambda self: False),
    pickle.NEWTRUE: _pushing(lambda self: True),
    pickle.EMPTY_TUPLE: _pushing(lambda self: ()),
    pickle.EMPTY_LIST: _pushing(lambda self: []),
    pickle.EMPTY_DICT: _pushing(lambda self: {}),
    pickle.EMPTY_SET: _pushing(lambda self: set()),
    pickle.BININT: _pushing(lambda self: self.number("<i")),
    pickle.BININT1: _pushing(lambda self: self.number("B")),
    pickle.BININT2: _pushing(lambda self: self.number("<H")),
    pickle.BINFLOAT: _pushing(lambda self: self.number(">d")),
    pickle.LONG1: _pushing(
        lambda self: int.from_bytes(self.bytes(self.number("B")), "little", signed=True)
    ),
    pickle.BINUNICODE: methodcaller("text"),
    pickle.SHORT_BINSTRING: methodcaller("old_text"),
    pickle.BINGET: _pushing(lambda self: self.memo[self.number("B")]),
    pickle.LONG_BINGET: _pushing(lambda self: self.memo[self.number("<I")]),
    pickle.BINPUT: lambda self: self.put(self.number("B")),
    pickle.LONG_BINPUT: lambda self: self.put(self.number("<I")),
    pickle.PROTO: methodcaller("protocol"),
}


def global_named(file: Any) -> tuple[str, str]:
    """The module and the name that an instruction GLOBAL is followed by, as Python 3 calls them."""
    module, name = (file.readline()[:-1].decode("utf-8") for _ in range(2))
    if (module, name) in NAME_MAPPING:
        return NAME_MAPPING[module, name]
    return IMPORT_MAPPING.get(module, module), name


def _refuse_id(key: Any) -> Any:
    raise UnpicklingError("unsupported persistent id encountered")


class Listing(Unpickler):
    """Notes the globals of a file, and makes nothing."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.globals: set[str] = set()
        self.persistent_load = lambda key: None

    def find(self) -> None:
        self.globals.add(".".join(global_named(self.file)))
        self.stack.append(None)

    def new(self) -> None:
        self.stack.pop()

    call = build = new

    def extend(self, items: list[Any], verb: str) -> None:
        """Does nothing: the list for these items was not made."""

    def set_items(self, items: list[Any], instruction: str) -> None:
        """Does nothing: the dictionary for these items was not made."""
