"""Calls that torch refuses: its own samples, with one argument of the right kind spoilt.

A key is an operator of op_db. What torch accepts nevertheless is no case.
"""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import torch

from conformance.cases import opinfo
from conformance.cases.case import Case
from conformance.cases.reach import UNINITIALISED, expression
from conformance.cases.trial import Trial
from conformance.options import Options
from conformance.oracle.describe import Unsupported, describe
from conformance.oracle.record import Failure

# Torch 2.13.0 reads out of bounds where these are given spoilt indices, and dies of it.
DEADLY = frozenset(("nn.functional.embedding_bag", "lu_unpack"))

SAMPLES = 40  # of these the one with the most arguments is spoilt
COUNT = {"quick": 24, "full": 200}


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db that runs at once."""
    return called_at_once(options)


def called_at_once(options: Options, but: frozenset[str] = frozenset()) -> list[str]:
    """Returns the operators of op_db that can be called with anything, but for some."""
    left_out = UNINITIALISED | DEADLY | but
    found = [key for key in opinfo.keys(options) if key not in left_out]
    return [key for key in found if not key.startswith("sparse.")]


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the calls of an operator that torch refuses."""
    op = opinfo.operators()[key]
    text = expression(key, op.name)
    found: list[Trial] = []
    for label, arguments, keywords in _spoilt(op, options.seed):
        try:
            trial = Trial("error", text, describe(tuple(arguments), keywords), label)
        except (Unsupported, RuntimeError):
            continue
        if isinstance(trial.perform(torch).get("error"), Failure):
            found.append(trial)
    Random(len(found)).shuffle(found)
    yield from found[: COUNT[options.profile]]


def _spoilt(op: Any, seed: int) -> Iterator[tuple[str, list, dict]]:
    """Yields a label, the arguments and keyword arguments, one of them spoilt."""
    supported = op.supported_dtypes("cpu")
    dtype = next((name for name in opinfo.DTYPES if getattr(torch, name) in supported), None)
    given = [] if dtype is None else opinfo.samples_of(op, dtype, False, seed, "cpu")
    samples = [sample for _, sample in islice(given, SAMPLES)]
    if not samples:
        return
    sample = max(samples, key=lambda each: len(each.args) + len(each.kwargs))
    arguments, keywords = [sample.input, *sample.args], dict(sample.kwargs)
    for number, value in enumerate(arguments):
        for what, other in _worse(value):
            changed = [*arguments]
            changed[number] = other
            yield f"argument {number} {what}", changed, keywords
    for name, value in keywords.items():
        for what, other in _worse(value):
            yield f"{name} {what}", arguments, {**keywords, name: other}


def _worse(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields values of the same kind that are hardly meant."""
    if isinstance(value, torch.Tensor):
        yield from _worse_tensors(value)
    elif isinstance(value, bool):
        yield "the other", not value
    elif isinstance(value, (int, float)):
        yield from {"-100": type(value)(-100), "100": type(value)(100)}.items()
    elif isinstance(value, str):
        yield "another text", "nonsense"
    elif isinstance(value, torch.dtype):
        yield from {"complex": torch.complex64, "bool": torch.bool, "int": torch.int32}.items()
    elif isinstance(value, (list, tuple)):
        kind = type(value) if type(value) in (list, tuple) else tuple
        yield "empty", kind()
        yield "one more", kind((*value, *value[:1]))
        yield "one less", kind(value[:-1])
        for what, other in _worse(value[-1]) if value else ():
            yield f"whose last is {what}", kind((*value[:-1], other))


def _worse_tensors(value: torch.Tensor) -> Iterator[tuple[str, Any]]:
    plain = value.detach()
    for dtype in (torch.bool, torch.int64, torch.float64, torch.complex64):
        if plain.dtype is not dtype and not (plain.is_complex() and not dtype.is_complex):
            yield f"of {str(dtype).removeprefix('torch.')}", plain.to(dtype)
    yield "with a dimension more", plain[None]
    if plain.dim():
        yield "with a dimension less", plain.new_ones(plain.shape[:-1])
        yield "of length 7", torch.ones((*plain.shape[:-1], 7), dtype=plain.dtype)
        yield "without elements", plain.new_zeros((*plain.shape[:-1], 0))
    if not plain.is_floating_point() and not plain.is_complex():
        for number in (100, -100):
            yield f"of {number}s", torch.ones_like(plain) * number
