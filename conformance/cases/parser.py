"""Calls that torch's argument parser refuses, made of the signatures that it prints.

Each argument of each function in turn is of another type, is missing or doubled; there is one too
many, or one with an unknown name.

`f(x, input=x)` gives an argument twice. A function of Python with named parameters never sees that
call: CPython refuses it, with the sentence that torch has for a function of one signature. For one
of several, torch lists them all, and such calls are left out. Parameters that have no names would
let the call through to `**others`, but then each call that names an argument takes twice as long
(240 ns, not 120).
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch

import minitorch
from conformance.cases.case import Case
from conformance.cases.snippet import Snippet
from conformance.options import Options

COUNT = {"quick": 240, "full": 2000}
SIGNATURES = Path(minitorch.__file__).parent / "aten" / "signatures.txt"
SPACES = {"Tensor": "x", "torch": "torch", "nn": "torch.nn.functional"}
ORDINARY = {
    "Tensor": "x",
    "Number": "1",
    "int": "0",
    "float": "0.5",
    "bool": "False",
    "str": "'a'",
    "object": "[1]",
    "tuple of ints": "(0,)",
    "tuple of floats": "(1.0,)",
    "tuple of Tensors": "[x, x]",
    "tuple of Scalars": "[1]",
    "torch.dtype": "torch.float32",
    "torch.layout": "torch.strided",
    "torch.device": "'cpu'",
    "torch.memory_format": "torch.contiguous_format",
    "torch.Generator": "None",
}
WRONG = ("'a'", "None", "[1.5]", "['a']", "{}", "1.5", "x", "object()", "True", "3", "1j")
OPTIONS = (
    "torch.dtype? dtype = None, torch.layout? layout = None, torch.device? device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)
# minitorch refuses them as a whole, in a NotImplementedError that names them: quantised tensors,
# oneDNN's and MIOpen's own layers.
ABSENT = frozenset(
    """
    Tensor.to_mkldnn torch.empty_quantized torch.fbgemm_linear_fp16_weight
    torch.fbgemm_linear_fp16_weight_fp32_activation torch.fbgemm_linear_int8_weight
    torch.fbgemm_linear_int8_weight_fp32_activation torch.fbgemm_linear_quantize_weight
    torch.fbgemm_pack_gemm_matrix_fp16 torch.fbgemm_pack_quantized_matrix
    torch.miopen_ctc_loss torch.mkldnn_convolution
    torch.mkldnn_rnn_layer torch.quantize_per_channel torch.quantize_per_tensor
    torch.quantize_per_tensor_dynamic torch.quantized_gru_cell torch.quantized_lstm_cell
    torch.quantized_rnn_relu_cell torch.quantized_rnn_tanh_cell
    """.split()
)
# They take nothing, and CPython refuses arguments for them: in torch before a function written in
# C is called, in minitorch before one of Python, in other words.
TAKE_NOTHING = frozenset(
    """
    Tensor.__bool__ Tensor.__complex__ Tensor.__float__ Tensor.__index__ Tensor.__int__
    Tensor.__invert__ Tensor.data_ptr Tensor.detach Tensor.dim Tensor.element_size
    Tensor.get_device Tensor.is_complex Tensor.is_floating_point Tensor.is_inference Tensor.item
    Tensor.ndimension Tensor.nelement Tensor.numel Tensor.storage_offset Tensor.tolist
    Tensor.untyped_storage torch.get_default_dtype torch.is_grad_enabled
    """.split()
)
# Calls that are judged by themselves: functions, and what their labels end with. CPython counts
# `self` among the arguments of a method that is written in Python, and refuses one too many. Some
# functions of torch give an input that is out= the shape of their result, and read it after that.
APART = {
    "counts self": (("Tensor.size", "Tensor.stride"), ("one too many", "two too many")),
    "reads what it has resized": (
        ("linalg.linalg_det", "linalg.linalg_eigvalsh", "linalg.linalg_matrix_rank")
        + ("linalg.linalg_svdvals",),
        ("out=x",),
    ),
}
# They end the process, wait, or say where something lies in memory.
LEFT_OUT = frozenset(("Tensor.cuda", "Tensor.share_memory_", "torch.from_file", "torch.frombuffer"))


class Parameter(NamedTuple):
    """One parameter of a signature."""

    kind: str
    name: str
    keyword_only: bool
    optional: bool


@cache
def signatures() -> dict[str, list[list[Parameter]]]:
    """Returns the parameters of each signature, by the function: 'torch.add'."""
    found = {}
    for line in SIGNATURES.read_text().splitlines():
        name, *texts = line.split("\t")
        shown = [text for text in texts if not text.startswith("!")]
        if name not in LEFT_OUT and callable(_function(name)):
            found[name] = [list(_parameters(text)) for text in shown] or [[]]
    return found


def batches() -> dict[str, list[str]]:
    """Returns the functions by their namespace and first letter: 'torch a'."""
    found: dict[str, list[str]] = {}
    for name in signatures():
        found.setdefault(batch_of(name), []).append(name)
    return found | {batch: [*names] for batch, (names, _) in APART.items()}


def batch_of(name: str) -> str:
    """Returns the batch of a function; those have their own that are absent, or take nothing."""
    space, _, own = name.partition(".")
    if name in ABSENT:
        return "absent"
    if name in TAKE_NOTHING:
        return "take nothing"
    return f"{space} {own.removeprefix(f'{space}_')[0]}"


def apart(name: str, label: str) -> str:
    """Returns the batch of its own that a call is in; nothing for most."""
    found = [
        batch for batch, (names, ends) in APART.items() if name in names and label.endswith(ends)
    ]
    return found[0] if found else ""


def _function(name: str) -> Any:
    try:
        return eval(path(name), {"torch": torch, "x": torch.ones(2, 2)})
    except (AttributeError, RuntimeError):
        return None


def path(name: str) -> str:
    """Returns how 'linalg.linalg_norm' is written: 'torch.linalg.norm'."""
    space, _, own = name.partition(".")
    return f"{SPACES.get(space, f'torch.{space}')}.{own.removeprefix(f'{space}_')}"


def _parameters(text: str) -> Iterator[Parameter]:
    keyword_only = False
    for part in text.replace("OPTIONS", OPTIONS).split(", ") if text else ():
        if part == "*":
            keyword_only = True
            continue
        head, _, default = part.partition(" = ")
        kind, _, name = head.rpartition(" ")
        yield Parameter(kind.rstrip("?~[]0123456789"), name, keyword_only, bool(default))


def sources(name: str) -> Iterator[tuple[str, str]]:
    """Yields a label and the source of each wrong call of a function."""
    seen = set()
    for number, parameters in enumerate(signatures()[name]):
        for label, call in _calls(path(name), parameters, len(signatures()[name]) == 1):
            if call not in seen:
                seen.add(call)
                # Neither triangle is of a singular matrix, whose results depend on rounding.
                head = "x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])\n"
                yield f"{name} {number}, {label}", f"{head}result = {call}\n"


def _calls(function: str, parameters: list[Parameter], alone: bool) -> Iterator[tuple[str, str]]:
    """Yields calls of a signature; one with an argument twice if it is the function's only one."""
    required = [each for each in parameters if not each.optional]
    values = {each.name: ORDINARY.get(each.kind, "None") for each in parameters}

    def text(given: list[Parameter], *more: str, **changed: str) -> str:
        shown = []
        named = False
        for each in parameters:
            if each not in given:
                named = True  # what follows cannot be given by its place
                continue
            value = changed.get(each.name, values[each.name])
            by_name = each.keyword_only or named
            shown.append(f"{each.name}={value}" if by_name else value)
        places = [each for each in shown if "=" not in each]
        names = [each for each in shown if "=" in each]
        extra = [each for each in more if "=" not in each]
        return f"{function}({', '.join([*places, *extra, *names, *more[len(extra) :]])})"

    yield "as it is", text(required)
    for each in parameters:
        for wrong in WRONG:
            given = [other for other in parameters if other in required or other is each]
            yield f"{each.name}={wrong}", text(given, **{each.name: wrong})
    for each in required:
        yield f"without {each.name}", text([other for other in required if other is not each])
    positional = [each for each in parameters if not each.keyword_only]
    yield "one too many", text(positional, "x")
    yield "two too many", text(positional, "1", "2")
    yield "an unknown keyword", text(required, "nonsense=1")
    for each in positional[:alone]:
        yield f"{each.name} doubled", text(required, f"{each.name}=x")


def keys(options: Options) -> list[str]:
    """Returns the namespaces with the first letters of their functions: 'torch a'."""
    return list(batches())


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields wrong calls of functions."""
    found = [
        (label, text)
        for name in batches()[key]
        for label, text in sources(name)
        if apart(name, label) == key * (key in APART)
    ]
    Random(options.seed).shuffle(found)
    for label, text in found[: COUNT[options.profile]]:
        yield Snippet(text, label, frozenset(("error",)))
