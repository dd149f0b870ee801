"""The calls that a sweep times: torch's own samples of an operator, made larger."""

import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy
import torch

from conformance.cases.database import op_db, optim_db
from conformance.cases.reach import expression, reach

SIZES = {"tiny": 9, "medium": 100_000, "large": 1_000_000}  # elements of the largest tensor, about
LONGEST = 0.25  # seconds that a call of torch's may take: a larger one is made smaller
LOOKED_AT = 40  # samples of an operator; the first that fits is taken


@dataclass(frozen=True)
class Call:
    """A call of torch: the expression of its function, and its arguments as torch's tensors."""

    name: str
    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    differentiable: bool

    @property
    def tensors(self) -> list[Any]:
        return list(tensors_in((self.args, self.kwargs)))


def operators() -> dict[str, Any]:
    """The entries of op_db by name, with the variant's after a dot."""
    return {
        f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name: op for op in op_db
    }


def optimizers() -> dict[str, Any]:
    """The entries of optim_db by name."""
    return {f"optim.{info.optim_cls.__name__}": info for info in optim_db}


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors of a call's arguments, those within lists too."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A call's arguments, of whichever library, with other tensors in them."""
    if type(value) in (list, tuple):  # a Size is an argument by itself
        return type(value)([mapped(each, change) for each in value])
    if isinstance(value, dict):
        return {name: mapped(each, change) for name, each in value.items()}
    return change(value)


def sample(key: str, op: Any, size: str) -> Call | None:
    """A call of an operator whose largest tensor has about as many elements as the size says, its
    result among them, or fewer where it would take torch too long.

    None if none of the first samples can be made larger. Tiny ones are torch's samples as they
    are: those with the fewest elements above one.
    """
    known = op.supported_dtypes("cpu")
    if not known:
        return None
    dtype = torch.float32 if torch.float32 in known else min(known, key=str)
    differentiable = bool(op.supports_autograd and dtype.is_floating_point)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = op.sample_inputs("cpu", dtype, requires_grad=differentiable)
        found = list(islice(every, LOOKED_AT))
    function = expression(key, op.name)
    calls = [
        Call(key, function, (each.input, *each.args), dict(each.kwargs), differentiable)
        for each in found
    ]
    calls = [call for call in calls if runs(call) is not None]
    calls.sort(key=lambda call: (largest(call) < 2, abs(math.log(max(largest(call), 1) / 9))))
    if size == "tiny":
        return calls[0] if calls else None
    larger = (scaled(call, SIZES[size]) for call in calls)
    return next((call for call in larger if call is not None), None)


def largest(call: Call) -> int:
    """The elements of the largest tensor among a call's arguments."""
    return elements((call.args, call.kwargs))


def elements(value: Any) -> int:
    """The elements of the largest tensor in a value."""
    return max([tensor.numel() for tensor in tensors_in(value)], default=0)


def scaled(call: Call, wanted: int) -> Call | None:
    """The call with one of its sizes multiplied wherever that stands: the first dimension's size,
    else the next one's, so that a batch grows before a matrix does. None if torch takes none."""
    first = runs(call)
    if first is not None and first.elements >= wanted / 3:
        return call
    shape = max([tensor.shape for tensor in call.tensors], key=math.prod, default=())
    for size in dict.fromkeys(shape):
        factor = factor_of(call, size, wanted)
        if factor > 1:
            return multiplied(call, size, factor)
    return None


def factor_of(call: Call, size: int, wanted: int) -> int:
    """The factor by which a size may be multiplied, 1 if it cannot be.

    Elements and seconds of a call that was doubled predict those of the next doubling,
    before a result of 1e10 elements or an hour of an eigensolver is begun.
    """
    factor, last, growth, slowing = 1, runs(call), 3.0, 3.0
    while last is not None and factor <= wanted:
        allowed = min(
            (wanted / max(last.elements, 1)) ** (1 / growth),
            (LONGEST / max(last.seconds, 1e-5)) ** (1 / slowing),
        )
        step = min(2, allowed) if factor < 4 else min(8, allowed)
        following = max(factor + 1, round(factor * step)) if allowed > 1.2 else factor
        if following == factor:
            return factor
        found = runs(multiplied(call, size, following))
        if found is None or found.seconds > 2 * LONGEST:
            return factor
        ratio = math.log(following / factor)
        growth = max(math.log(max(found.elements, 1) / max(last.elements, 1)) / ratio, 0.5)
        slowing = min(max(math.log(found.seconds / last.seconds) / ratio, 1.0), 3.0)
        factor, last = following, found
    return 1


def multiplied(call: Call, size: int, factor: int) -> Call:
    """The call with `factor` copies of each tensor side by side in each dimension of a size.

    Copies of floats are smaller, by up to a quarter, lest sorts meet nothing but equals.
    """

    def change(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
            return value
        larger = value.detach().repeat([factor if n == size else 1 for n in value.shape])
        if larger.is_floating_point() and larger.numel() > value.numel():
            larger *= 1 - torch.rand(larger.shape, dtype=larger.dtype) / 4
        return larger.requires_grad_(value.requires_grad)

    args, kwargs = mapped((call.args, call.kwargs), change)
    return Call(call.name, call.function, args, kwargs, call.differentiable)


class Trial(NamedTuple):
    """The time that a call took torch, and the elements of its largest tensor, results included."""

    seconds: float
    elements: int


def runs(call: Call) -> Trial | None:
    """A trial of a call by torch; None if torch refuses it."""
    arguments = mapped((call.args, call.kwargs), copied)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        try:
            function = reach(torch, call.function)
            start = time.perf_counter()
            result = function(*arguments[0], **arguments[1])
        except Exception:
            return None
    return Trial(time.perf_counter() - start, elements((arguments, result)))


def copied(value: Any) -> Any:
    """A tensor's own copy, so that a call in place leaves the sample as it was."""
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def carried(library: Any, value: Any) -> Any:
    """An argument of torch's as `library` has it."""
    if isinstance(value, torch.Tensor):
        return tensor_of(library, value)
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        return getattr(library, str(value).removeprefix("torch."))
    if isinstance(value, torch.device):
        return library.device(str(value))
    if isinstance(value, torch.Size):
        return library.Size(value)
    if isinstance(value, torch.nn.Module) and library is not torch:
        return module_of(library, value)
    return value


def module_of(library: Any, value: torch.nn.Module) -> Any:
    """A module of torch's without parameters, such as a distance, as `library` has it."""
    kind = getattr(library.nn, type(value).__name__)
    if any(True for _ in value.parameters()):
        raise NotImplementedError(f"a {kind.__name__} with parameters")
    made = kind()
    made.__dict__.update({name: vars(value)[name] for name in value.__constants__})
    return made


def tensor_of(library: Any, x: Any) -> Any:
    """A tensor of torch's as `library` has it: a fresh row-major one, no view, as samples are."""
    if x.layout is not torch.strided:
        raise NotImplementedError(f"a tensor of layout {x.layout}")
    if x.dtype in (torch.bfloat16, torch.complex32):
        raise NotImplementedError(f"a tensor of dtype {x.dtype}")
    plain = x.detach().resolve_conj().resolve_neg()
    made = library.from_numpy(numpy.array(plain.numpy(), order="C"))
    return made.requires_grad_(x.requires_grad)
