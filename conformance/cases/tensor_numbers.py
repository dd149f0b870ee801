"""Torch's own samples, with one number of each call as a tensor without dimensions, or of NumPy.

Where its parser wants a number, torch takes some of these, of some dtypes, and refuses the others.
"""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import numpy
import torch

from conformance.cases import opinfo
from conformance.cases.case import Case
from conformance.cases.other_dtypes import judged
from conformance.cases.reach import expression
from conformance.cases.refusals import called_at_once
from conformance.options import Options

SAMPLES = 60  # of these as many are taken as are needed for each argument that is a number
COUNT = {"quick": 12, "full": 400}
TENSORS = ("float32", "float64", "int64", "int32", "bool", "complex64", "bfloat16")
SCALARS = (
    *(numpy.float32, numpy.float64, numpy.float16, numpy.int64, numpy.int32, numpy.uint8),
    *(numpy.bool_, numpy.complex64),
)


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db with a sample that has a number."""
    return called_at_once(options)


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields calls of an operator with other kinds of numbers."""
    op = opinfo.operators()[key]
    found = list(_calls(op, options.seed))
    Random(len(found)).shuffle(found)
    count = options.limit or COUNT[options.profile]
    yield from judged(expression(key, op.name), found[:count])


def _calls(op: Any, seed: int) -> Iterator[tuple[str, list, dict]]:
    """Yields a label, the arguments and keyword arguments, one number of them of another kind."""
    supported = op.supported_dtypes("cpu")
    dtype = next((name for name in opinfo.DTYPES if getattr(torch, name) in supported), None)
    given = [] if dtype is None else opinfo.samples_of(op, dtype, False, seed, "cpu")
    seen = set()
    for label, sample in islice(given, SAMPLES):
        arguments, keywords = [sample.input, *sample.args], dict(sample.kwargs)
        for number, value in enumerate(arguments):
            if (number, type(value)) in seen:
                continue
            for what, other in _others(value):
                seen.add((number, type(value)))
                changed = [*arguments]
                changed[number] = other
                yield f"{label}, argument {number} {what}", changed, keywords
        for name, value in keywords.items():
            if (name, type(value)) in seen:
                continue
            for what, other in _others(value):
                seen.add((name, type(value)))
                yield f"{label}, {name} {what}", arguments, {**keywords, name: other}


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields a number as tensors and NumPy's scalars; of a list, its first and its last."""
    if type(value) in (list, tuple) and value:
        for place, which in ((0, "first"), (-1, "last"))[: len(value)]:
            for what, other in _others(value[place]):
                changed = [*value]
                changed[place] = other
                yield f"whose {which} is {what}", type(value)(changed)
    if not isinstance(value, (bool, int, float)):
        return
    for name in TENSORS:
        made = torch.tensor(value).to(getattr(torch, name))
        yield f"a tensor of {name}", made
        if made.is_floating_point() or made.is_complex():
            yield f"a tensor of {name} that requires grad", made.clone().requires_grad_()
    yield "a tensor of one dimension", torch.tensor([value])
    for kind in SCALARS:
        try:
            yield f"a {kind.__name__}", kind(value)
        except OverflowError:  # infinity is no integer, and -1 no uint8
            continue
