"""The operators that a module runs, as the exporter reads them."""

from __future__ import annotations

import ast
from typing import Any

import numpy

from minitorch.core.declare.schema import Schema
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils._python_dispatch import TorchDispatchMode
from minitorch.utils._pytree import tree_leaves

# Operators that tell Python what a tensor holds.
_READING = ("aten::_local_scalar_dense", "aten::is_nonzero", "aten::equal", "aten::nonzero")
# Operators that take of a tensor its shape and dtype alone.
_SHAPED = tuple(
    f"aten::{name}"
    for name in (
        "zeros_like ones_like full_like empty_like new_zeros new_ones new_full new_empty".split()
    )
)


UNSEEN = (
    "torch.onnx.export: the module makes a tensor in a way that minitorch does not record (through "
    "NumPy?), and the model would keep what it was this time"
)


class Call:
    """One operator with its arguments by name, defaults included, and the tensors that it gave.

    op: its name with overload: aten::add.Tensor. written: the tensors that it wrote into.
    constants: the arrays of its results, if these depend on no input and no parameter.
    """

    def __init__(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.op = func.name()
        schema = Schema.parse(func._text.partition("::")[2]).arguments
        defaults = {each.name: _value(each.default) for each in schema if each.default is not None}
        given = dict(zip([each.name for each in schema], args, strict=False))
        self.arguments = {**defaults, **given, **kwargs}
        self.inputs = _tensors(self.arguments)
        names = [each.name for each in schema if each.alias.endswith("!")]
        if self.op.partition(".")[0].endswith("_"):  # some of their schemas are those without it
            names += ["self"]
        written = [self.arguments.get(each) for each in {*names, "out"}]
        self.written = _tensors(written)
        self.results: list[Any] = []
        self.constants: list[numpy.ndarray] | None = None

    @property
    def is_of_shape(self) -> bool:
        """Whether the values of its inputs play no role."""
        return self.op.partition(".")[0] in _SHAPED

    @property
    def is_empty(self) -> bool:
        """Whether it gives memory as it found it."""
        return "empty" in self.op


def _tensors(tree: Any) -> list[Any]:
    return [each for each in tree_leaves(tree) if isinstance(each, Tensor)]


def _value(default: str) -> Any:
    """The value of a default in a schema; names of torch's stay text."""
    try:
        return ast.literal_eval(default)
    except (ValueError, SyntaxError):
        return default


class Recorder(TorchDispatchMode):
    """A mode that lists the operators below autograd.

    Args:
        sources: the inputs and parameters of the module, on which values depend
    """

    def __init__(self, sources: list[Any]) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.depending = {id(each) for each in sources}
        self.versions: dict[int, int] = {}  # by address: how often recorded calls wrote there
        self.apart: dict[int, int] = {}  # by id of a tensor: what stands for its address instead

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        call = Call(func, args, kwargs or {})
        self.check_versions(call.inputs)
        depends = any(id(each) in self.depending for each in call.inputs) and not call.is_of_shape
        if depends and call.op in _READING:
            raise NotImplementedError(
                "torch.onnx.export: the module reads what a tensor holds "
                f"({call.op}), and the model would keep what it was this time"
            )
        result = func(*args, **(kwargs or {}))
        call.results = _tensors(result)
        if depends:
            self.depending.update(id(each) for each in call.results)
        else:
            call.constants = [each.detach().cpu().clone().numpy() for each in call.results]
        if call.op.startswith("aten::unsafe_"):  # each of the results counts its own versions
            self.apart.update((id(each), -id(each)) for each in call.results)
        self.versions.update((self._counter(each), each._version) for each in call.written)
        for each in call.results:
            self.versions.setdefault(self._counter(each), each._version)
        self.calls.append(call)
        return result

    def _counter(self, tensor: Any) -> int:
        """A number for the counter of a tensor's writes, which the tensor shares with its views."""
        return self.apart.get(id(tensor)) or _address(tensor)

    def check_versions(self, tensors: list[Any]) -> None:
        """Refuses tensors that were written into by other than recorded calls."""
        for each in tensors:
            if each._version != self.versions.setdefault(self._counter(each), each._version):
                raise NotImplementedError(
                    "torch.onnx.export: the module writes into a tensor in a way that minitorch "
                    "does not record, as scatter_, masked_fill_, clamp_ and copy_ do"
                )

    def seen(self) -> dict[int, Any]:
        """All tensors that calls took and gave, by id."""
        return {id(each): each for call in self.calls for each in [*call.inputs, *call.results]}

    def leading_to(self, results: list[Any], before: dict[int, Any]) -> list[Call]:
        """The calls whose results these tensors need, in the order in which they ran.

        Args:
            results: the tensors
            before: tensors that an earlier run has seen, by id

        Raises: NotImplementedError where one takes a tensor that a call has changed through another
            one, which shares its memory: in ONNX it would be what it was. And where one takes a new
            tensor that no call gave: it would be a constant.
        """
        self.check_versions(results)
        self._check_writes(results)
        found = self._needed(results)
        known = {id(each) for call in self.calls for each in call.results} | before.keys()
        taken = [each for call in found if call.constants is None for each in call.inputs]
        if any(id(each) not in known for each in [*taken, *results]):
            raise NotImplementedError(UNSEEN)
        return found

    def has_constants_of(self, other: Recorder) -> bool:
        """Whether two runs called the same operators, with the same values where none depends."""
        if [each.op for each in self.calls] != [each.op for each in other.calls]:
            return False
        for mine, others in zip(self.calls, other.calls, strict=True):
            if (mine.constants is None) != (others.constants is None):
                return False
            # An empty tensor's memory holds arbitrary numbers.
            if mine.constants is not None and others.constants is not None and not mine.is_empty:
                pairs = zip(mine.constants, others.constants, strict=True)
                if any(x.tobytes() != y.tobytes() for x, y in pairs):
                    return False
        return True

    def _needed(self, results: list[Any]) -> list[Call]:
        wanted = {id(each) for each in results}
        found = []
        for call in reversed(self.calls):
            if any(id(each) in wanted for each in call.results):
                found.append(call)
                if call.constants is None:
                    wanted.update(id(each) for each in call.inputs)
        return found[::-1]

    def _check_writes(self, results: list[Any]) -> None:
        users: dict[int, dict[int, Any]] = {}  # by the address of memory: the tensors in it, by id
        made: set[int] = set()
        stale: dict[int, str] = {}  # by id of a tensor: the call that changed it
        for call in self.calls:
            _refuse_stale(call.inputs, stale)
            for each in call.written:
                if id(each) not in made:
                    raise NotImplementedError(
                        f"torch.onnx.export: {call.op} writes into a tensor that no operator made: "
                        "an input, a parameter or a buffer"
                    )
                for other in users.get(_address(each), {}).values():
                    if other is not each and _overlap(other, each):
                        stale[id(other)] = call.op
            made.update(id(each) for each in call.results)
            for each in [*call.inputs, *call.results]:
                users.setdefault(_address(each), {})[id(each)] = each
        _refuse_stale(results, stale)


def _refuse_stale(tensors: list[Any], stale: dict[int, str]) -> None:
    for each in tensors:
        if id(each) in stale:
            raise NotImplementedError(
                f"torch.onnx.export: {stale[id(each)]} writes into memory that another tensor has, "
                "which is used afterwards"
            )


def _address(tensor: Any) -> int:
    """The address of a tensor's memory; a number of its own if the tensor has none."""
    return tensor.untyped_storage().data_ptr() or -id(tensor)


def _overlap(x: Any, y: Any) -> bool:
    """Whether two tensors have an element in common."""
    try:
        return numpy.shares_memory(x.detach().numpy(), y.detach().numpy(), max_work=100_000)
    except numpy.exceptions.TooHardError:
        return True
