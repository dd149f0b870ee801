"""torch.fx: the graph, the code and the numbers of everything that can be traced.

Keys are of four kinds: `torch`, `Tensor` and the like, whose cases trace a call of each of their
names; `op.NAME`, operators of op_db with its samples; `nn.NAME`, the modules of module_db, called
as leaves and traced through; and the pieces of `snippets/fx/`.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch

from conformance.cases import modules, opinfo
from conformance.cases.case import Case
from conformance.cases.pieces import families, pieces
from conformance.cases.reach import UNINITIALISED, expression
from conformance.cases.scenario import Scenario
from conformance.options import Options
from conformance.oracle.describe import Call
from conformance.oracle.written import name, written
from minitorch._public.refused import names as names_alone

FOLDER = Path(__file__).parent / "snippets" / "fx"
NAMESPACES = (
    *("torch", "torch.nn.functional", "torch.fft", "torch.linalg", "torch.special"),
    *("torch.signal.windows", "torch.nn.init"),
)
WAITING = frozenset(("fork", "wait"))  # which wait for a value that never comes
COMPILERS = frozenset(("compile",))  # which look at the code of a value
# What takes back a call that would last beyond its case: a traced value as the default device makes
# a traced value of every tensor thereafter.
UNDONE = {
    "torch.set_default_device": "torch.set_default_device(None)",
    "torch.set_printoptions": "torch.set_printoptions(profile='default')",
}
SAMPLES = {"quick": 2, "full": 12}
# They give vectors up to a sign, which LAPACK chooses; `opinfo` compares what no sign changes.
SIGNED_BY_LAPACK = frozenset("linalg.eigh linalg.svd pca_lowrank svd svd_lowrank".split())
DTYPES = ("float32", "int64", "complex64", "bool")
SEEN = frozenset(("text", "warnings", "error"))
NUMBERS = frozenset(("value", "dtype", "shape", "grad"))

# What each case says of a traced program. Targets are shown by name: a function has no text of its
# own besides its address.
SHOW = """
def show(traced):
    print(traced.graph)
    print(traced.code)
    for node in traced.graph.nodes:
        target = node.target if isinstance(node.target, str) else node.target.__name__
        print(node.op, node.name, target, node.args, node.kwargs, node.users, node.type)
        print([kind.__name__ for path, kind in node.meta.get("nn_module_stack", {}).values()])
"""
DIFFERENTIATE = """
def differentiate(out, inputs):
    found = torch.utils._pytree.tree_leaves(out)
    found = [t for t in found if isinstance(t, torch.Tensor) and t.requires_grad]
    seeds = [torch.ones_like(t) for t in found]
    return torch.autograd.grad(found, inputs, seeds, allow_unused=True) if found else None
"""


def keys(options: Options) -> list[str]:
    """Returns the families of snippets; the full profile adds namespaces, operators, modules."""
    if options.profile != "full":
        return families(FOLDER)
    operators = [f"op.{key}" for key in opinfo.keys(options)]
    layers = [f"nn.{key}" for key in modules.keys(options)]
    return [*families(FOLDER), *NAMESPACES, "torch.Tensor", *operators, *layers]


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the cases of a key."""
    kind, _, rest = key.partition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if key in NAMESPACES:
            made = list(_names(key))
        elif key == "torch.Tensor":
            made = list(_methods())
        elif kind == "op":
            made = list(_operator(rest, options))
        elif kind == "nn":
            made = list(_module(rest, options))
        else:
            made = list(pieces(FOLDER / f"{key}.py"))
    yield from made


# ---- names


def _names(owner: str) -> Iterator[Case]:
    """Yields a call of each function of a namespace with one value; not of those that minitorch has
    as names alone, which the source `namespace` counts."""
    found: Any = torch
    refused = frozenset(names_alone())
    for part in owner.split(".")[1:]:
        found = getattr(found, part)
    for each in sorted(dir(found)):
        function = getattr(found, each)
        if (
            each in WAITING | COMPILERS
            or (owner == "torch" and each in refused)
            or each.startswith("_")
            or not isinstance(function, (FunctionType, BuiltinFunctionType))
        ):
            continue
        if owner == "torch" or function.__module__ in (None, owner) or "_C" in function.__module__:
            yield from _calls(f"{owner}.{each}", f"{owner}.{each}(x)")


def _methods() -> Iterator[Case]:
    """Yields a call of each method of Tensor with a value that is traced, and one that reads each
    attribute; and the same with a tensor that calls it with such a value."""
    for each in sorted(dir(torch.Tensor)):
        if each.startswith("_") and not (each.startswith("__") and len(each) > 6):
            continue
        if each in (
            "__deepcopy__",
            "__dict__",
        ):  # which show addresses, and the classes of fx itself
            continue
        if each in dir(object) and each not in ("__eq__", "__ne__", "__lt__", "__le__"):
            continue
        if callable(getattr(torch.Tensor, each)):
            yield from _calls(f"Tensor.{each}", f"x.{each}(x)")
            yield from _calls(f"Tensor.{each} of a tensor", f"torch.ones(2).{each}(x)")
        else:
            yield from _calls(f"Tensor.{each}", f"x.{each}")


def _calls(label: str, text: str) -> Iterator[Case]:
    source = f"{SHOW}\ndef program(x):\n    return {text}\n"
    shown = "show(torch.fx.symbolic_trace(program))\n"
    if label in UNDONE:
        source += f"\ntry:\n    {shown}finally:\n    {UNDONE[label]}\n"
    else:
        source += f"\n{shown}"
    yield Scenario(source, label, SEEN, "text")


# ---- operators and modules


def _operator(key: str, options: Options) -> Iterator[Case]:
    """Yields samples of an operator, as a program of its tensors."""
    op = opinfo.operators()[key]
    supported = {str(dtype).removeprefix("torch.") for dtype in op.supported_dtypes("cpu")}
    dtype = next((each for each in DTYPES if each in supported), None)
    if dtype is None:
        return
    differentiable = op.supports_autograd and dtype == "float32"
    calls = opinfo.Calls(opinfo.samples_of(op, dtype, differentiable, options.seed, "cpu"))
    text = expression(key, op.name)
    text = f"({text})" if text.startswith("lambda") else text
    for label, call in calls.spread(options.limit or SAMPLES[options.profile]):
        arguments = _arguments(call)
        names = [name(spec) for spec in call.tensors]
        seen = SEEN if op.name in UNINITIALISED or op.name in SIGNED_BY_LAPACK else SEEN | NUMBERS
        yield _program(f"{key}, {label}", f"{text}({arguments})", names, call, seen)
        yield _below(f"{key}, {label}", f"{text}({arguments})", names, call)
        method = getattr(op.method_variant, "__name__", None)
        if method is not None and arguments.startswith("t0"):
            rest = arguments.removeprefix("t0").removeprefix(", ")
            label = f"{key} as a method, {label}"
            yield _program(label, f"t0.{method}({rest})", names, call, seen)


# What a program of operators calls below autograd, and what its gradient calls.
BELOW = """
from torch.fx.experimental.proxy_tensor import make_fx

def program({given}):
    out = {text}
    found = torch.utils._pytree.tree_leaves(out)
    found = [t for t in found if isinstance(t, torch.Tensor) and t.requires_grad]
    seeds = [torch.ones_like(t) for t in found]
    wanted = [{wanted}]
    grads = torch.autograd.grad(found, wanted, seeds, allow_unused=True) if found and wanted else ()
    return out, grads

_traced = make_fx(program)({given})
print(_traced.code)
"""


def _below(label: str, text: str, names: list[str], call: Call) -> Scenario:
    given = ", ".join(names)
    wanted = ", ".join(name(spec) for spec in call.tensors if spec.requires_grad)
    source = BELOW.format(given=given, text=text, wanted=wanted)
    return Scenario(source, f"make_fx of {label}", SEEN, "text", call)


def _arguments(call: Call) -> str:
    named = [f"{key}={written(value)}" for key, value in call.keywords.items()]
    return ", ".join([*map(written, call.arguments), *named])


def _program(label: str, text: str, names: list[str], call: Call, seen: frozenset[str]) -> Scenario:
    given = ", ".join(names)
    wanted = ", ".join(name(spec) for spec in call.tensors if spec.requires_grad)
    source = f"{SHOW}{DIFFERENTIATE}\ndef program({given}):\n    return {text}\n"
    source += "\n_traced = torch.fx.symbolic_trace(program)\nshow(_traced)\n"
    source += f"out = _traced({given})\n" if seen & NUMBERS else ""
    if wanted and seen & NUMBERS:
        source += f"grad = differentiate(out, [{wanted}])\n"
    else:
        seen = seen - {"grad"}
    return Scenario(source, label, seen, "text", call)


LEAF = """
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {construction}

    def forward(self, {given}):
        return {forward}

module = Whole()
_traced = torch.fx.symbolic_trace(module)
show(_traced)
print(_traced)
out = _traced({given})
grad = differentiate(out, [{wanted}, *module.parameters()])
"""
THROUGH = """
class Through(torch.fx.Tracer):
    def is_leaf_module(self, m, module_qualified_name):
        return False

module = {construction}
_traced = torch.fx.GraphModule(module, Through().trace(module), "Through")
show(_traced)
out = _traced({given})
grad = differentiate(out, [{wanted}, *module.parameters()])
"""


def _module(key: str, options: Options) -> Iterator[Case]:
    """Yields samples of a module, called as a leaf and traced through."""
    info = modules.modules()[key]
    inputs = modules._seeded(info, info.module_inputs_func, "float32", True, options.seed)
    for number, given in modules._spread(list(enumerate(inputs)), SAMPLES[options.profile]):
        sample = modules._sample(info, given, "float32", f"sample {number}", options.seed)
        if sample is None:
            continue
        words = sample.forward.replace("(", " ").replace(")", " ").replace(",", " ").split()
        words = [word.rpartition("=")[2] for word in words]
        specs = [spec for spec in sample.given.tensors if name(spec) in words]
        texts = {
            "construction": sample.construction,
            "forward": sample.forward.replace("module(", "self.layer(", 1),
            "given": ", ".join(name(spec) for spec in specs),
            "wanted": ", ".join(name(spec) for spec in specs if spec.requires_grad),
        }
        seen = SEEN | NUMBERS
        for what, text in (("a leaf", LEAF), ("traced through", THROUGH)):
            source = SHOW + DIFFERENTIATE + text.format(**texts).replace("[, ", "[")
            if what == "traced through" and len(specs) != 1:
                source = source.replace(f"_traced({texts['given']})", sample.forward)
            yield Scenario(source, f"{what}, {sample.label}", seen, "text", sample.given)
