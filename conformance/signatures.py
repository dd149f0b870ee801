"""Writes minitorch/aten/signatures.txt: the signatures that torch's argument parser prints.

They are facts about torch, for its refusals to be given in its words: names, types, defaults and
the order of overloads, as the code generator in torch's wheel makes them of native_functions.yaml,
and as torch's library holds them for the functions that are written by hand.

    python -m conformance.signatures
"""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import Any

import torch
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd import gen_python_functions as generator

import minitorch
from minitorch.core.declare.wording.signatures import signature

TARGET = Path(minitorch.__file__).parent / "aten" / "signatures.txt"
PACKAGED = Path(generator.__file__).parents[1]
SPACES: dict[str, tuple[Callable[[Any], bool], Callable[[], Any]]] = {
    "Tensor": (generator.is_py_variable_method, lambda: minitorch.Tensor),
    "torch": (generator.is_py_torch_function, lambda: minitorch),
    "nn": (generator.is_py_nn_function, lambda: minitorch.nn.functional),
    "fft": (generator.is_py_fft_function, lambda: minitorch.fft),
    "linalg": (generator.is_py_linalg_function, lambda: minitorch.linalg),
    "special": (generator.is_py_special_function, lambda: minitorch.special),
}
# Written by hand in torch/csrc/autograd/python_variable_methods.cpp and its neighbour of functions.
METHODS = """
is_contiguous requires_grad_ type to cuda cpu contiguous copy_ new_tensor numpy stride size nonzero
bfloat16 bool byte cdouble cfloat char double float half int long short ipu mtia xpu map_ map2_ set_
""".split()
FUNCTIONS = """
arange tensor frombuffer as_tensor asarray range nonzero numel get_device
get_autocast_dtype is_autocast_enabled set_anomaly_enabled set_autocast_dtype set_autocast_enabled
sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor
sparse_csr_tensor
""".split()
TYPES = {
    "Tensor": "Tensor",
    "TensorList": "tuple of Tensors",
    "ITensorListRef": "tuple of Tensors",
    "Scalar": "Number",
    "ScalarList": "tuple of Scalars",
    "int64_t": "int",
    "SymInt": "int~",  # which takes more than an int does
    "IntArrayRef": "tuple of ints",
    "SymIntArrayRef": "tuple of ints~",
    "ArrayRef<double>": "tuple of floats",
    "ArrayRef<Scalar>": "tuple of Scalars",
    "double": "float",
    "bool": "bool",
    "ScalarType": "torch.dtype",
    "Layout": "torch.layout",
    "Device": "torch.device",
    "Generator": "torch.Generator",
    "MemoryFormat": "torch.memory_format",
    "Storage": "torch.Storage",
    "Stream": "torch.Stream",
    "Dimname": "name",
    "DimnameList": "tuple of names",
    "c10::string_view": "str",
    "std::string_view": "str",
    "PyObject*": "object",
    "c10::List<::std::optional<Tensor>>": "tuple of Tensors[0]",  # some may be None
    "QScheme": "torch.qscheme",
}
OPTIONS = (
    "torch.dtype? dtype = None, torch.layout? layout = None, torch.device? device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)
# Where torch's functions of Python find those of C++.
BELOW = {"nn": "_nn", "torch": "_VF"}


def _is_of_cpp(function: Any) -> bool:
    """Returns whether torch's parser reads the calls of a public function."""
    return function is not None and not isinstance(function, FunctionType)


def _theirs(space: str) -> Any:
    """Returns where torch has the functions of a space."""
    if space in ("torch", "Tensor"):
        return torch if space == "torch" else torch.Tensor
    return torch.nn.functional if space == "nn" else getattr(torch, space)


def printed(text: str) -> str:
    """Returns 'Tensor input, *, Number alpha = 1' for a signature of the code generator, with '!'
    in front if it is deprecated."""
    text, _, mark = text.partition("|")
    parts = []
    for part in re.split(r", (?![^<]*>)", text.partition("(")[2].removesuffix(")")):
        if part in ("*", ""):
            parts.append(part)
            continue
        head, equals, default = part.partition("=")
        kind, _, name = head.rpartition(" ")
        bare, length, nullable = re.fullmatch(r"(.*?)(\[\d*\])?(\??)", kind).groups("")
        parts.append(f"{TYPES[bare]}{length}{nullable} {name}{' = ' if equals else ''}{default}")
    shown = ", ".join(parts).replace(OPTIONS, "OPTIONS")
    return "!" * bool(mark) + shown


def generated() -> Iterator[tuple[str, list[str]]]:
    """Yields 'torch.add' and its signatures in the order in which torch tries them."""
    native = PACKAGED / "ATen" / "native"
    functions = parse_native_yaml(
        str(native / "native_functions.yaml"), str(native / "tags.yaml")
    ).native_functions
    functions = list(filter(generator.should_generate_py_binding, functions))
    deprecated = str(PACKAGED / "autograd" / "deprecated.yaml")
    for space, (belongs, owner) in SPACES.items():
        method = space == "Tensor"
        pairs = generator.load_signatures(functions, deprecated, method=method)
        for name, overloads in generator.group_filter_overloads(pairs, belongs).items():
            public = str(name).removeprefix(f"{space}_")
            below = space in BELOW and not public.startswith("_")
            below = below and not _is_of_cpp(getattr(_theirs(space), public, None))
            if below:  # a function of Python, or none, hands calls to it
                texts = [
                    each.signature.signature_str() for each in generator.group_overloads(overloads)
                ]
                yield f"{BELOW[space]}.{name}", list(map(printed, texts))
                continue
            if public.startswith("_") or not hasattr(owner(), public):
                continue
            if isinstance(getattr(_theirs(space), public), FunctionType):
                continue  # of Python
            if generator.is_noarg(overloads):
                yield f"{space}.{name}", []
                continue
            groups = generator.group_overloads(overloads)
            texts = [each.signature.signature_str() for each in groups]
            texts.sort(key=lambda text: text.endswith("|deprecated"))
            yield f"{space}.{name}", list(map(printed, texts))


def written_by_hand() -> Iterator[tuple[str, list[str]]]:
    """Yields the same for what torch's library holds as text."""
    library = Path(torch.__file__).parent / "lib" / "libtorch_python.so"
    found = re.findall(rb"[\x20-\x7e]{6,}", library.read_bytes())
    texts = [each.decode() for each in found]
    for space, names in (("Tensor", METHODS), ("torch", FUNCTIONS)):
        for name in names:
            own = [t for t in texts if re.fullmatch(rf"{name}\(.*\)(\|deprecated)?", t)]
            if name != "set_":
                own = [t for t in own if "Storage" not in t]  # of another class
            if name == "nonzero":
                own = [t for t in own if ("Tensor input" in t) == (space == "torch")]
            own.sort(key=lambda text: text.endswith("|deprecated"))
            shown = []
            for text in own:
                try:
                    shown.append(printed(text))
                except (KeyError, AttributeError):
                    continue
            listed = _shown_for_misfit(torch.ones(2) if space == "Tensor" else torch, name)
            if all([signature(text).text in listed for text in shown]):
                shown.sort(key=lambda text: listed.index(signature(text).text))
            yield f"{space}.{name}", shown


def _shown_for_misfit(owner: Any, name: str) -> list[str]:
    """Returns the signatures, in torch's order, that a call with too many arguments lists."""
    try:
        getattr(owner, name)(*[object()] * 20)
    except Exception as error:
        return re.findall(r"^ \* \((.*)\)$", str(error), re.MULTILINE)
    return []


def without_arguments() -> Iterator[tuple[str, list[str]]]:
    """Yields the names of functions of C that take nothing, by CPython's words for a call with an
    argument."""
    kinds = (BuiltinFunctionType, MethodDescriptorType)
    for space, owner in (("Tensor", torch.ones(2)), ("torch", torch)):
        for name, function in inspect.getmembers_static(_theirs(space)):
            private = name.startswith("_") and not name.endswith("__")
            if private or name in dir(object) or not isinstance(function, kinds):
                continue
            if not hasattr(SPACES[space][1](), name):
                continue
            try:
                getattr(owner, name)(object())
            except Exception as error:
                if str(error).endswith(" takes no arguments (1 given)"):
                    yield f"{space}.{name}", []


def main() -> None:
    """Writes the file: a line for each function, its signatures divided by tabs."""
    entries = {**dict(generated()), **dict(written_by_hand()), **dict(without_arguments())}
    lines = ["\t".join([name, *texts]) for name, texts in sorted(entries.items())]
    TARGET.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} functions, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
