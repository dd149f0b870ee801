"""The in-place draws: uniform_, normal_, random_ and their kin.

Each has a row whose schema writes `self`, and whose forward fills the array it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from minitorch.aten.creation.random import (
    check_generator,
    fill,
    real_number,
    vanishing,
    whole_number,
)
from minitorch.aten.shape.views import refuse_rank
from minitorch.core import sampling
from minitorch.core.arrays import namespace
from minitorch.core.arrays.overlap import check_itself, overlaps_itself
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import composite
from minitorch.core.declare.general.recording import record
from minitorch.core.declare.general.tangents import pushed_write
from minitorch.core.declare.out import InPlace
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import Row
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.graph.forward import LEVELS
from minitorch.core.graph.views import check_writable, note_write, requires_grad


def writing(schema: str, node: str, forward: Any, **formulas: Any) -> Row:
    """The row of a draw into `self`: its forward fills the array it is given."""
    tangent = lambda F, self_t: F.zeros_like(self_t)
    row = Row(Schema.parse(schema), node, forward, {"self": vanishing, **formulas}, tangent)
    ROWS[row.key] = row
    return row


def write(row: Row, self: Any, *parameters: Any, generator: Any = None, **tensors: Any) -> Any:
    """Runs the row's forward on the memory of `self`, which is returned, and records its node."""
    if generator is not None:
        check_generator(generator)
    if LEVELS:
        draw = partial(_draw, row, parameters, generator)
        return pushed_write(row, draw, (), {"self": self, **tensors})
    return _draw(row, parameters, generator, self, **tensors)


def _draw(row: Row, parameters: Any, generator: Any, self: Any, **tensors: Any) -> Any:
    recorded = recording() and any(map(requires_grad, (self, *tensors.values())))
    if recorded:
        check_writable(self, recorded)
    arrays = [each._array for each in tensors.values()] if tensors else ()
    if not self._array.flags.c_contiguous:
        _check_overlap(row, self._array, arrays, parameters, generator)
    row.forward(self._array, *arrays, *parameters, generator)
    if recorded:
        note_write(self, record(row, {"self": self, **tensors}, self, written=True))
    else:
        note_write(self, None)
    return self


def _check_overlap(row: Row, x: Any, arrays: Any, parameters: Any, generator: Any) -> None:
    """RuntimeError if elements of `x` share memory; what is refused of numbers comes first."""
    kind = x.dtype.kind
    late = kind == "c" and row.name.startswith("bernoulli")
    if not (arrays or late) and overlaps_itself(x):
        size = int(kind in "biu" and row.name == "normal_")  # which refuses integers if there are
        row.forward(namespace(x).empty(size, x.dtype), *parameters, generator)
    check_itself(x)


def in_place(schema: str, node: str, forward: Any, what: str) -> Callable[..., Any]:
    """Declares the Tensor method of a draw whose parameters are numbers."""
    row = writing(schema, node, forward)
    name = row.name
    numbers = [a.name for a in row.schema.arguments[1:-1]]
    defaults = [None if a.default is None else float(a.default) for a in row.schema.arguments[1:-1]]
    texts = [
        f"float {a.name}" if a.default is None else f"float {a.name} = {a.default}"
        for a in row.schema.arguments[1:-1]
    ]

    @overloads(f"{', '.join(texts)}, *, torch.Generator generator = None")
    def method(self: Any, *given: Any, generator: Any = None, **named: Any) -> Any:
        if len(given) == len(numbers) and not named:
            return write(row, self, *[real_number(each) for each in given], generator=generator)
        values = [*given, *defaults[len(given) :]]
        for key in named:
            if key not in numbers[len(given) :]:
                raise TypeError(key)
            values[numbers.index(key)] = named[key]
        if len(values) > len(numbers):
            raise TypeError  # its caller lists the overloads
        return write(row, self, *map(real_number, values), generator=generator)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Fills `self` with {what}, and returns it."
    said = VMap("drawn", makes=True)
    return composite(name, on=("method",), in_place=InPlace(draws=True), vmap=said)(method)


uniform_ = in_place(
    "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "UniformBackward0",
    lambda x, low, high, generator: fill(x, generator, sampling.uniform, low, high),
    "uniform values from [from, to)",
)

normal_ = in_place(
    "normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "NormalBackward0",
    lambda x, mean, std, generator: fill(x, generator, sampling.normal, mean, std),
    "normal values of that mean and standard deviation",
)

log_normal_ = in_place(
    "log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "LogNormalBackward0",
    lambda x, mean, std, generator: fill(x, generator, sampling.log_normal, mean, std),
    "the exponentials of normal values of that mean and standard deviation",
)

exponential_ = in_place(
    "exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)",
    "ExponentialBackward0",
    lambda x, lambd, generator: fill(x, generator, sampling.exponential, lambd),
    "exponentially distributed values of rate lambd",
)

geometric_ = in_place(
    "geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)",
    "GeometricBackward0",
    lambda x, p, generator: fill(x, generator, sampling.geometric, p),
    "the number of trials up to the first success, whose chance is p",
)

cauchy_ = in_place(
    "cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "CauchyBackward0",
    lambda x, median, sigma, generator: fill(x, generator, sampling.cauchy, median, sigma),
    "values of the Cauchy distribution",
)


def bernoulli_each(x: Any, p: Any, generator: Any) -> Any:
    """Fills `x`, if it has elements, by the chances `p`."""
    if x.size:
        check_expandable(p, x.shape)
        fill(x, generator, sampling.bernoulli_each, p)


bernoulli_tensor = writing(
    "bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)",
    "BernoulliBackward1",
    bernoulli_each,
    p=vanishing,
)

bernoulli_float = writing(
    "bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
    "BernoulliBackward2",
    lambda x, p, generator: fill(x, generator, sampling.bernoulli, p),
)


@composite(
    "bernoulli_", on=("method",), vmap=VMap("drawn", makes=True), in_place=InPlace(draws=True)
)
@overloads(
    "Tensor p, *, torch.Generator generator = None",
    "float p = 0.5, *, torch.Generator generator = None",
)
def bernoulli_(self: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fills `self` with ones by the chance p, a number or a tensor of them, and zeros else."""
    if isinstance(p, TensorBase):
        return write(bernoulli_tensor, self, p=p, generator=generator)
    return write(bernoulli_float, self, real_number(p), generator=generator)


def check_expandable(p: Any, to: tuple[int, ...]) -> None:
    """RuntimeError with torch's texts unless the array `p` broadcasts to the shape `to`."""
    shape = p.shape
    target, sizes = list(to), list(shape)
    if len(shape) > len(to):
        raise refuse_rank(p, to)
    for dim in range(-1, -len(shape) - 1, -1):
        if shape[dim] not in (1, to[dim]):
            raise RuntimeError(
                f"The expanded size of the tensor ({to[dim]}) must match the existing size "
                f"({shape[dim]}) at non-singleton dimension {len(to) + dim}.  "
                f"Target sizes: {target}.  Tensor sizes: {sizes}"
            )


random_from = writing(
    "random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
    "RandomBackward0",
    lambda x, low, high, generator: fill(x, generator, sampling.random_range, low, high),
)

random_to = writing(
    "random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)",
    "RandomBackward1",
    lambda x, high, generator: fill(x, generator, sampling.random_range, 0, high),
)

random_all = writing(
    "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)",
    "RandomBackward2",
    lambda x, generator: fill(x, generator, sampling.random_full),
)


@composite("random_", on=("method",), vmap=VMap("drawn", makes=True), in_place=InPlace(draws=True))
@overloads(
    "*, torch.Generator generator = None",
    "int from, int to, *, torch.Generator generator = None",
    "int to, *, torch.Generator generator = None",
)
def random_(self: Any, *bounds: Any, generator: Any = None, **named: Any) -> Any:
    """Fills `self` with integers from [from, to); without bounds, all that its dtype can count."""
    given = dict(zip(("from", "to") if len(bounds) > 1 else ("to",), bounds, strict=False))
    given |= named
    if len(bounds) > 2 or given.keys() - {"from", "to"} or ("from" in given and "to" not in given):
        raise TypeError("random_() received an invalid combination of arguments")
    if not given:
        return write(random_all, self, generator=generator)
    high = given["to"]
    if high is not None or "from" not in given:
        high = whole_number(high)
    if "from" not in given:
        return write(random_to, self, high, generator=generator)
    low = whole_number(given["from"])
    return write(random_from, self, low, high, generator=generator)
