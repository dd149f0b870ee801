"""Torch's own tables of its operators: native_functions.yaml and derivatives.yaml.

They lie in torch's wheel, beside the generator that makes torch's C++ of them. It reads them here
too, so that nodes are numbered and formulas are handed to in-place variants as in torch.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torchgen
from torchgen.api import cpp
from torchgen.api.autograd import (
    dispatch_strategy,
    gen_differentiable_outputs,
    match_differentiability_info,
)
from torchgen.context import native_function_manager
from torchgen.gen import parse_native_yaml
from torchgen.model import SchemaKind
from torchgen.packaged.autograd.gen_python_functions import should_generate_py_binding
from torchgen.packaged.autograd.gen_variable_type import DONT_REQUIRE_DERIVATIVE
from torchgen.packaged.autograd.load_derivatives import load_derivatives

PACKAGED = Path(torchgen.__file__).parent / "packaged"


class Entry(NamedTuple):
    """One overload of one operator."""

    schema: str
    node: str | None
    inputs: tuple[str, ...]  # the arguments that its node has an edge for
    outputs: tuple[int, ...]  # those of its outputs that gradients flow through
    forward_mode: bool  # whether there is a formula for tangents
    node_known: bool  # not where the node is written by hand, or gives an error for all dtypes
    module: str | None  # of its function in Python: nn, linalg, ..., None for torch itself
    in_python: bool  # has a binding that is generated
    writes_out: bool  # is an overload with `out=`


@cache
def entries() -> dict[str, Entry]:
    """Returns every overload by its name, such as add.Tensor. It takes seconds."""
    native = str(PACKAGED / "ATen/native/native_functions.yaml")
    tags = str(PACKAGED / "ATen/native/tags.yaml")
    functions = parse_native_yaml(native, tags).native_functions
    derivatives = str(PACKAGED / "autograd/derivatives.yaml")
    infos, _ = load_derivatives(derivatives, native, tags)
    matched = match_differentiability_info(functions, infos)
    return {str(each.func.func.name): _entry(each) for each in matched}


@cache
def with_out() -> frozenset[str]:
    """Returns the names of the operators that take `out=` in one of their overloads."""
    return frozenset(
        name.partition(".")[0]
        for name, each in entries().items()
        if each.writes_out and each.in_python
    )


def _entry(each: Any) -> Entry:
    function = each.func
    info = (each.info or {}).get("Default")  # some have formulas for other devices alone
    derived = info is not None and info.has_derivatives
    with native_function_manager(function):
        differentiable = gen_differentiable_outputs(each) if derived else []
        composite = dispatch_strategy(each) == "use_type"
        in_python = should_generate_py_binding(function)
    inert = composite or function.func.name.name.base in DONT_REQUIRE_DERIVATIVE
    return Entry(
        schema=str(function.func),
        node=info.op if derived else None,
        inputs=tuple(a.name for a in info.args_with_derivatives) if derived else (),
        outputs=_positions(function, differentiable),
        forward_mode=bool((each.fw_derivatives or {}).get("Default")),
        node_known=derived or inert,
        module=function.python_module,
        in_python=in_python,
        writes_out=function.func.kind() is SchemaKind.out,
    )


def _positions(function: Any, differentiable: list) -> tuple[int, ...]:
    """Returns which of a function's outputs are the differentiable ones."""
    names = cpp.return_names(function)
    return tuple(names.index(output.name) for output in differentiable)
