"""What a sweep times: torch's own samples of an operator, made larger."""

import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy
import torch

from conformance.cases.database import op_db, optim_db
from conformance.cases.reach import expression, reach

SIZES = {"tiny": 9, "medium": 100_000, "large": 1_000_000}  # elements of the largest tensor, about
LONGEST = 0.25  # seconds that a call of torch's may take: a larger one is made smaller
LOOKED_AT = 8  # samples of an operator, of which the first that fits is taken


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
    """A call of an operator whose largest tensor has about as many elements as the size says.

    None if none of the first samples can be made so large. Tiny ones are torch's samples as they
    are: those with the fewest elements above one.
    """
    known = op.supported_dtypes("cpu")
    if not known:
        return None
    dtype = torch.float32 if torch.float32 in known else min(known, key=str)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(islice(op.sample_inputs("cpu", dtype), LOOKED_AT))
    calls = [
        Call(
            key,
            expression(key, op.name),
            (each.input, *each.args),
            dict(each.kwargs),
            bool(op.supports_autograd and dtype.is_floating_point),
        )
        for each in found
    ]
    calls = [call for call in calls if runs(call) is not None]
    calls.sort(key=lambda call: (largest(call) < 2, abs(math.log(max(largest(call), 1) / 9))))
    if size == "tiny":
        return calls[0] if calls else None
    larger = (scaled(call, SIZES[size]) for call in calls)
    return next((call for call in larger if call is not None), None)


def largest(call: Call) -> int:
    """The elements of the largest tensor."""
    return max([tensor.numel() for tensor in call.tensors], default=0)


def scaled(call: Call, wanted: int) -> Call | None:
    """The call with one of its sizes multiplied wherever that stands: the first dimension's size,
    else the next one's, so that a batch grows before a matrix does. None if torch takes none."""
    if largest(call) >= wanted / 3:
        return call
    shape = max([tensor.shape for tensor in call.tensors], key=math.prod, default=())
    for size in dict.fromkeys(shape):
        power = list(shape).count(size)
        factor = max(2, round((wanted / max(largest(call), 1)) ** (1 / power)))
        while factor > 1:
            made = multiplied(call, size, factor)
            seconds = runs(made)
            if seconds is None:
                break
            if seconds <= LONGEST:
                return made
            factor //= 2
    return None


def multiplied(call: Call, size: int, factor: int) -> Call:
    """The call with `factor` copies of each tensor side by side in each dimension of a size."""

    def change(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
            return value
        return value.repeat([factor if n == size else 1 for n in value.shape])

    return Call(
        call.name,
        call.function,
        mapped(call.args, change),
        mapped(call.kwargs, change),
        call.differentiable,
    )


def runs(call: Call) -> float | None:
    """How many seconds torch needs for a call; None if it refuses it."""
    arguments = mapped((call.args, call.kwargs), copied)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        try:
            function = reach(torch, call.function)
            start = time.perf_counter()
            function(*arguments[0], **arguments[1])
        except Exception:
            return None
    return time.perf_counter() - start


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
    return library.from_numpy(numpy.array(plain.numpy(), order="C"))
