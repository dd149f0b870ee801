"""Operators with tensors of every dtype, also of those that torch's database does not list.

A key is an operator of op_db. Of two of its samples all tensors, then the first one alone, become
ones of another dtype: torch computes, promotes or refuses, and the words of a refusal count. Of
complex32 and floats of 8 bits only the refusal itself does: most kernels know none, under names of
their own. Nor do the warnings of complex32: torch warns at each tensor of it that it makes inside.
"""

import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import torch

from conformance.cases import opinfo
from conformance.cases.case import Case
from conformance.cases.reach import DRAW, expression
from conformance.cases.refusals import called_at_once
from conformance.cases.trial import Trial
from conformance.options import Options
from conformance.oracle.describe import Unsupported, describe
from conformance.oracle.record import Failure

DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128"),
    *("float8_e4m3fn", "float8_e5m2"),
)
WORDLESS = frozenset(("complex32", "float8_e4m3fn", "float8_e5m2"))
UNSIGNED = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
COUNT = {"quick": 1, "full": 3}  # samples


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db that runs at once."""
    return called_at_once(options, but=DRAW)


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the calls of an operator with other dtypes."""
    op = opinfo.operators()[key]
    yield from judged(expression(key, op.name), _calls(op, options))


def judged(text: str, calls: Iterable[tuple[str, list, dict]]) -> Iterator[Trial]:
    """Yields each call of an operator: its result, or its error if torch refuses it."""
    for label, arguments, keywords in calls:
        try:
            call = describe(tuple(arguments), keywords)
            trial = Trial("error", text, call, label, twice=False)
            found = trial.perform(torch).get("error")
        except (Unsupported, RuntimeError):
            continue
        refused = isinstance(found, Failure)
        if refused and found.kind == "Missing":  # no function of torch: the database's own
            continue
        given = {spec.dtype for spec in call.tensors}
        how = ("error" if given.isdisjoint(WORDLESS) else "refusal") if refused else "forward"
        yield Trial(how, text, call, label, warned="complex32" not in given)


def _calls(op: Any, options: Options) -> Iterator[tuple[str, list, dict]]:
    """Yields a label, the arguments and keyword arguments of each call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        supported = op.supported_dtypes("cpu")
    native = next((name for name in opinfo.DTYPES if getattr(torch, name) in supported), None)
    given = [] if native is None else opinfo.samples_of(op, native, False, options.seed, "cpu")
    wanted = islice(sorted(islice(given, 40), key=_richness, reverse=True), COUNT[options.profile])
    for number, sample in wanted:
        arguments = [sample.input, *sample.args]
        for name in options.dtypes or DTYPES:
            dtype = getattr(torch, name)
            for first in (False, True):
                changed = _changed(arguments, dtype, [first])
                if changed is not None:
                    what = "the first" if first else "all"
                    yield f"sample {number}, {what} of {name}", changed, sample.kwargs


def _richness(numbered: tuple[int, Any]) -> int:
    """The number of a sample's arguments, less 10 if its tensor is empty and shows little."""
    _, sample = numbered
    empty = isinstance(sample.input, torch.Tensor) and not sample.input.numel()
    return len(sample.args) + len(sample.kwargs) - 10 * empty


def _changed(value: Any, dtype: torch.dtype, first: list[bool]) -> Any:
    """The arguments with tensors of another dtype; None if that changes nothing.

    first: whether only the first tensor changes; empty once it did.
    """
    touched = []

    def change(each: Any) -> Any:
        if isinstance(each, torch.Tensor) and first and not each.is_sparse:
            numbers = each.detach()
            if numbers.dtype is not dtype:
                touched.append(each)
            if first[0]:
                first.clear()
            real = numbers.real if numbers.is_complex() and not dtype.is_complex else numbers
            unsigned = dtype is torch.bool or dtype in UNSIGNED
            return (real.abs() if unsigned and real.dtype is not torch.bool else real).to(dtype)
        if type(each) in (list, tuple):
            return type(each)(map(change, each))
        return each

    changed = change(value)
    return changed if touched else None
