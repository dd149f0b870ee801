"""Records what a person can see of a library's objects as plain data.

Plain data: None, bool, int, str, tuples, lists, dicts, and the classes of this file.
"""

import hashlib
import re
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from conformance.oracle.choices import DRAWS_OTHERWISE, holds
from conformance.oracle.device import place_of, without_place
from conformance.oracle.turns import saved_turn, turned

LARGEST_GRAPH = 2000
# What torch quotes of an exception of its own in C++: frames and addresses, new in each process.
TRACE = "\nException raised from "
# Then come the kernels that there are, each with its line of torch's own build.
KERNELS = " for possible resolutions."


@dataclass
class Values:
    """The numbers of a tensor (small floats as float32) or of a Python number."""

    dtype: str
    array: numpy.ndarray
    exact: bool = False  # nothing but the same bits will do

    @property
    def has_to_be_same(self) -> bool:
        """Whether only the same bits will do of torch that draws the library's random numbers."""
        return self.exact and not holds(DRAWS_OTHERWISE)

    def __repr__(self):
        with numpy.printoptions(threshold=20, precision=9):
            return f"{self.dtype} {list(self.array.shape)} {self.array}".replace("\n", " ")


@dataclass
class Failure:
    """An exception: its type's name and its text, and for people where it came from."""

    kind: str
    text: str
    where: str = field(default="", compare=False)

    def __repr__(self):
        return f"{self.kind}: {self.text}{self.where}"


def failure(error: BaseException) -> Failure:
    """Returns an exception as plain data."""
    frames = traceback.extract_tb(error.__traceback__)
    own = str(Path(__file__).parents[1])
    inside = [frame for frame in frames if not frame.filename.startswith(own)]
    where = f" (raised at {inside[-1].filename}:{inside[-1].lineno})" if inside else ""
    text, resolutions, _ = str(error).partition(TRACE)[0].partition(KERNELS)
    text = without_addresses(without_place(text + resolutions))
    return Failure(type(error).__name__, text, where)


def attempt(look: Callable[[], Any]) -> Any:
    """Returns the result of `look`, or its Failure: one hidden thing must not hide the others."""
    try:
        return look()
    except Exception as error:
        return failure(error)


def short_dtype(tensor) -> str:
    """Returns a dtype's name without its module's."""
    return str(tensor.dtype).rpartition(".")[2]


def values(tensor, exact: bool = False, turn: Any = None) -> Values:
    """Returns a copy of a tensor's numbers, of vectors turned if there is a `turn`."""
    tensor = tensor.detach()
    if str(getattr(tensor, "layout", "")) not in ("", "torch.strided"):
        tensor = tensor.to_dense()
    for resolve in ("resolve_conj", "resolve_neg"):
        tensor = getattr(tensor, resolve, lambda tensor=tensor: tensor)()
    dtype = short_dtype(tensor)
    if dtype == "bfloat16" or dtype.startswith("float8"):
        tensor = tensor.float()
    if dtype == "complex32":
        tensor = tensor.cfloat()
    # Of a clone, for torch refuses to resize what NumPy has seen. By force: torch has zeros
    # without memory, `_efficientzerotensor`, that refuse otherwise.
    return Values(dtype, turned(tensor.clone().numpy(force=True), turn), exact)


def full(tensor, numbers: bool = True, exact: bool = False, turn: Any = None) -> Any:
    """Returns everything but the graph about a tensor which may be None."""
    if tensor is None:
        return None
    seen = {
        "dtype": short_dtype(tensor),
        "shape": tuple(tensor.shape),
        "stride": attempt(lambda: strides(tensor)),
        "requires_grad": tensor.requires_grad,
    }
    return seen | {"values": attempt(lambda: values(tensor, exact, turn))} if numbers else seen


def strides(tensor) -> Any:
    """Returns a tensor's strides; an empty tensor's as well, for torch keeps them."""
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        return str(tensor.layout)
    return tuple(tensor.stride())


def flatten(torch: ModuleType, output: Any) -> tuple[list, Any]:
    """Returns an output's tensors and its structure, with Python numbers as `Values`."""
    tensors: list = []

    def visit(value):
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            return "tensor"
        if isinstance(value, (list, tuple)):
            kind = type(value).__name__
            return (kind, [visit(item) for item in value])
        if isinstance(value, dict):
            return {_key(key): visit(item) for key, item in value.items()}
        if isinstance(value, (set, frozenset)):  # whose order is another in every process
            return (type(value).__name__, sorted([without_addresses(str(each)) for each in value]))
        if isinstance(value, (bool, int, float, complex)):
            return python_number(value)
        if isinstance(value, str):
            return without_place(value)
        return value if value is None else without_addresses(str(value))

    return tensors, visit(output)


def plain(torch: ModuleType, value: Any, exact: bool = False) -> Any:
    """Returns everything about a nest of things: types, the order of keys, numbers."""
    if isinstance(value, torch.Tensor):
        return (type(value).__name__, attempt(lambda: full(value, exact=exact)))
    if isinstance(value, dict):
        items = {str(key): plain(torch, item, exact) for key, item in value.items()}
        return {"(type)": type(value).__name__, "(keys)": [*map(repr, value)], **items}
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [plain(torch, item, exact) for item in value])
    if isinstance(value, (bool, int, float, complex)):
        return python_number(value, exact)
    return value if value is None else without_addresses(str(value))


def _key(key: Any) -> Any:
    return key if isinstance(key, (str, int)) else without_addresses(str(key))


def without_addresses(text: str) -> str:
    """Returns the printed text of an object, without the parts that depend on earlier runs.

    These are its place in memory, and the number of a traced graph's code.
    """
    return re.sub(r" at 0x[0-9a-f]+|(?<=<eval_with_key>\.)\d+", "", text)


def python_number(value, exact: bool = False) -> Any:
    """Returns a Python number such that floats are compared with a tolerance."""
    if isinstance(value, (float, complex)):
        kind = "float64" if isinstance(value, float) else "complex128"
        return Values(kind, numpy.array(value), exact)
    return (type(value).__name__, value)


def storage_key(tensor) -> int:
    """Returns the address of the storage's first byte; 0 for one that has none."""
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        return 0
    if hasattr(tensor, "untyped_storage"):
        try:
            return tensor.untyped_storage().data_ptr()
        except NotImplementedError:
            pass
    if tensor.numel() == 0:
        return 0
    array = tensor.detach().numpy(force=True)
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    return array.__array_interface__["data"][0]


def whose(tensor, inputs: list, outputs: list) -> Any:
    """Returns which input or output an object is, if any."""
    if tensor is None:
        return None
    for kind, others in (("input", inputs), ("output", outputs)):
        for number, other in enumerate(others):
            if tensor is other:
                return f"{kind} {number}"
    for number, other in enumerate(inputs):
        if other._base is tensor:
            return f"base of input {number}"
    return "a tensor of its own"


def view(tensor, inputs: list, outputs: list) -> dict:
    """Returns the tensor that the output is a view of, and those it shares memory with."""
    key = storage_key(tensor)
    return {
        "is": whose(tensor, inputs, []),
        "base": whose(tensor._base, inputs, outputs),
        "shares memory with": [
            f"{kind} {number}"
            for kind, others in (("input", inputs), ("output", outputs))
            for number, other in enumerate(others)
            if key and other is not tensor and storage_key(other) == key
        ],
        "storage_offset": tensor.storage_offset() if key else 0,
        "version": attempt(lambda: tensor._version),
    }


def autograd_state(tensor) -> dict:
    """Returns what autograd says of a tensor itself."""
    return {
        "requires_grad": tensor.requires_grad,
        "is_leaf": tensor.is_leaf,
        "output_nr": tensor.output_nr,
    }


def node(tensor) -> Any:
    """Returns the names of a tensor's node: its own and its class's."""
    if tensor.grad_fn is None:
        return None
    return (tensor.grad_fn.name(), type(tensor.grad_fn).__name__)


def nodes(outputs: Iterable) -> list:
    """Returns all nodes reached from the outputs, in the order of a depth-first walk."""
    found: list = []
    seen: set[int] = set()
    waiting = [tensor.grad_fn for tensor in reversed(list(outputs))]
    while waiting:
        this = waiting.pop()
        if this is None or id(this) in seen:
            continue
        seen.add(id(this))
        found.append(this)  # held, so that no other node takes its id
        if len(found) > LARGEST_GRAPH:
            break
        waiting.extend(child for child, _ in reversed(this.next_functions))
    return found


def graph(outputs: list, inputs: list) -> list:
    """Returns the graph as text, one line a node: number, name, edges (node.slot), leaf."""
    found = nodes(outputs)
    numbers = {id(this): number for number, this in enumerate(found)}
    lines = []
    for this in found:
        edges = ", ".join(
            "None" if child is None else f"{numbers.get(id(child), '...')}.{slot}"
            for child, slot in this.next_functions
        )
        leaf = ""
        if type(this).__name__ == "AccumulateGrad":
            leaf = f" of {whose(this.variable, inputs, outputs)}"
        lines.append(f"{numbers[id(this)]} {this.name()}({edges}){leaf}")
    roots = [None if out.grad_fn is None else numbers[id(out.grad_fn)] for out in outputs]
    return [f"outputs from {roots}", *lines]


def saved(torch: ModuleType, outputs: list, numbers: bool = True) -> list:
    """Returns, node by node, the names and values of its saved values."""
    rows = []
    for this in nodes(outputs):
        names = sorted(name for name in dir(this) if name.startswith("_saved_"))
        look = {name: attempt(partial(_saved, torch, this, name, numbers)) for name in names}
        rows.append((this.name(), look))
    return rows


def _saved(torch: ModuleType, this, name: str, numbers: bool) -> Any:
    def look(value):
        if isinstance(value, torch.Tensor):
            seen = {"dtype": short_dtype(value), "shape": tuple(value.shape)}
            least = getattr(this, "_saved_S_sym_argsize_minus_1", max(value.shape, default=0))
            turn = saved_turn(this.name(), name, value, least)
            return seen | {"values": attempt(lambda: values(value, turn=turn))} if numbers else seen
        if isinstance(value, (list, tuple)):
            return [look(item) for item in value]
        if isinstance(value, (bool, int, float, complex)):
            return python_number(value)
        return value if value is None else without_addresses(str(value))

    return look(getattr(this, name))


def random_state(torch: ModuleType) -> Any:
    """Returns a digest of the default generator's state, None where it cannot be asked for."""
    try:
        there = torch.cuda if place_of(torch) == "cuda" else torch
        return hashlib.sha1(there.get_rng_state().numpy().tobytes()).hexdigest()[:12]
    except (AttributeError, NotImplementedError):
        return None
