"""Calls of an operator that are made of torch's samples by changing all of them in one way."""

import warnings
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import torch

from conformance.cases import opinfo
from conformance.cases.reach import expression
from conformance.cases.trial import Trial
from conformance.options import Options
from conformance.oracle.describe import Call


class Samples:
    """Some samples of an operator in the first dtype that it knows, shuffled.

    Args:
        key: of op_db.
        count: so many samples are looked at.
    """

    def __init__(self, key: str, options: Options, count: int) -> None:
        self.op: Any = opinfo.operators()[key]
        self.text = expression(key, self.op.name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known = self.op.supported_dtypes("cpu")
            found = (name for name in opinfo.DTYPES if getattr(torch, name) in known)
            self.dtype = next(found, None)
            self.graph = self.op.supports_autograd and self.dtype in opinfo.DIFFERENTIATED
            self.all = list(islice(self._given(options), count))
        Random(len(self.all)).shuffle(self.all)

    def _given(self, options: Options) -> Iterator[tuple[str, Any]]:
        if self.dtype is not None:
            yield from opinfo.samples_of(self.op, self.dtype, self.graph, options.seed, "cpu")

    def trials(self, call: Call, label: str, kind: type[Trial] = Trial) -> Iterator[Trial]:
        """Yields a call, and its gradient where torch has one."""
        name = self.op.name
        exact, saves = name in opinfo.EXACT, name in opinfo.SAVE_UNINITIALISED
        yield kind("forward", self.text, call, label, self.dtype, False, saves, exact=exact)
        if self.graph and any(each.requires_grad for each in call.tensors):
            yield kind("gradient", self.text, call, label, self.dtype)
