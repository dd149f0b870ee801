"""The calls that modes see while an operator of op_db runs, forward and backward.

A TorchFunctionMode's calls are compared as they are. Of those that a TorchDispatchMode sees, what
torch's engine itself calls is left out: `BOOKKEEPING`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import torch as real_torch

from conformance.cases import opinfo
from conformance.cases.case import Case, Outcome
from conformance.cases.experiments import Run
from conformance.cases.reach import expression
from conformance.cases.trial import Trial
from conformance.options import DTYPES, Options

# The copies of outputs that nodes keep, leaves' gradients, the root's, sums of gradients, and what
# fits them to broadcast operands: torch calls operators there, minitorch's engine adds arrays.
BOOKKEEPING = frozenset(
    """
    aten.detach.default aten.ones_like.default aten.add.Tensor aten.sum.dim_IntList
    aten.view.default aten.new_empty_strided.default aten.copy_.default aten.lift_fresh.default
    aten.zeros_like.default aten.clone.default aten.empty_like.default
    """.split()
)
SAMPLES = 4
EVERY = 8  # of the calls, where all sources run
KINDS = ("functions", "operators", "backward")


@dataclass
class Seen(Case):
    """The calls that modes see while one call runs.

    how: `functions` for a TorchFunctionMode, `operators` for a TorchDispatchMode, `backward` for
    a TorchDispatchMode that looks at the backward alone.
    """

    trial: Trial
    how: str
    main: str = "order"
    properties: frozenset[str] = frozenset(("order",))

    def run(self, torch: ModuleType) -> Outcome:
        """Makes the call, and a backward, in a mode that notes calls."""
        mode, seen = _noting(torch, self.how)
        run = Run(torch, self.trial, replace=lambda tensors: _entered(mode))
        mode.__exit__(None, None, None)
        if self.how != "backward":
            return {"order": [*seen]}
        seen.clear()
        targets = [x for x in run.outputs if x.requires_grad and not x.is_complex()]
        if targets:
            total = sum(x.sum() for x in targets) if len(targets) > 1 else targets[0].sum()
            with mode:
                total.backward()
        return {"order": [each for each in seen if each.partition(" ")[0] not in BOOKKEEPING]}

    def script(self, impl: str) -> str:
        """Returns the call; the modes are those of `conformance/cases/seen_calls.py`."""
        return self.trial.script(impl)

    @property
    def label(self) -> str:
        """The sample and the kind of mode."""
        return f"{self.how}, {self.trial.label}"

    @property
    def title(self) -> str:
        """The sample and the kind of mode."""
        return self.label

    @property
    def size(self) -> int:
        """The size of the sample."""
        return self.trial.size


def _entered(mode: Any) -> dict:
    """Enters a mode once the arguments are there; they stay the same."""
    mode.__enter__()
    return {}


def _noting(torch: ModuleType, how: str) -> tuple[Any, list[str]]:
    """Returns a mode, and the list of the names of the calls that it sees."""
    seen: list[str] = []
    overrides = import_module(f"{torch.__name__}.overrides")

    def name(func: Any) -> str:
        return str(overrides.resolve_name(func) or getattr(func, "__name__", func))

    if how == "functions":

        class Functions(overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                seen.append(f"{name(func)} {len(args)} {sorted(kwargs or {})}")
                return func(*args, **(kwargs or {}))

        return Functions(), seen

    def kinds(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"{value.dtype}{[*value.shape]}"
        if isinstance(value, (list, tuple)):
            return f"{type(value).__name__}({', '.join(map(kinds, value))})"
        if isinstance(value, dict):
            return str({key: kinds(each) for key, each in value.items()})
        return f"{type(value).__name__} {value!r}"

    dispatch = import_module(f"{torch.__name__}.utils._python_dispatch")

    class Operators(dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            if str(func) != "aten.detach.default":
                seen.append(f"{func} {kinds(args)} {kinds(kwargs or {})} -> {kinds(result)}")
            return result

    return Operators(), seen


def keys(options: Options) -> list[str]:
    """Returns each kind of mode with each operator; of a run of all sources, an eighth of those."""
    keys = [f"{how}/{key}" for how in KINDS for key in opinfo.keys(options)]
    return keys[options.seed % EVERY :: EVERY] if options.sampled else keys


def cases(key: str, options: Options) -> Iterator[Seen]:
    """Yields the cases of a kind of mode and an operator."""
    how, _, name = key.partition("/")
    op = opinfo.operators()[name]
    supported = {str(dtype).removeprefix("torch.") for dtype in op.supported_dtypes("cpu")}
    dtype = next((each for each in DTYPES if each in supported), None)
    if dtype is None:
        return
    graph = op.supports_autograd and getattr(real_torch, dtype).is_floating_point
    text = expression(name, op.name)
    calls = opinfo.Calls(list(opinfo.samples_of(op, dtype, graph, options.seed, "cpu")))
    for label, call in calls.spread(SAMPLES):
        if not ("noncontiguous" in label or "reordered" in label):
            yield Seen(Trial("forward", text, call, label, dtype), how)
