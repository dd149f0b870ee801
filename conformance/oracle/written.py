"""Writes described arguments as source code."""

from pprint import pformat

import numpy

from conformance.oracle.build import PACKED, array_of
from conformance.oracle.describe import Call, Made, Named, TensorSpec

LARGEST_LITERAL = 60


def name(spec: TensorSpec) -> str:
    """Returns the variable that stands for a tensor."""
    return f"t{spec.number}"


def written(value) -> str:
    """Returns the expression of a described argument."""
    if isinstance(value, TensorSpec):
        return name(value)
    if isinstance(value, Named):
        if value.kind in ("device", "Size"):
            return f"torch.{value.kind}({value.name!r})"
        if value.kind == "Generator":
            return f"torch.Generator().manual_seed({value.name})"
        return f"torch.{value.name}"
    if isinstance(value, Made):
        keywords = [f"{each}={written(item)}" for each, item in value.keywords.items()]
        return f"torch.{value.path}({', '.join(keywords)})"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, tuple):
        return f"({''.join(written(item) + ', ' for item in value)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {written(v)}' for k, v in value.items())}}}"
    if isinstance(value, float) and not numpy.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def making(spec: TensorSpec, call: Call) -> list[str]:
    """Returns the statements that make a tensor."""
    array = array_of(spec, call.storages[spec.storage])
    variable, dtype = name(spec), f"torch.{spec.dtype}"
    if array.size > LARGEST_LITERAL:
        made = f"{variable} = {_alike(array, spec)}  # for numbers that are too many to print"
    else:
        text = pformat(_numbers(array), width=88, compact=True)
        text = text.replace("nan", "float('nan')").replace("inf", "float('inf')")
        kept = f"torch.{array.dtype}" if spec.dtype in PACKED else dtype
        view = f".view({dtype})" if spec.dtype in PACKED else ""
        made = f"{variable} = torch.tensor({text}, dtype={kept}){view}.reshape({spec.size})"
    lines = [made]
    if spec.stride != _contiguous(spec.size) and 0 not in spec.size:
        span = 1 + sum((n - 1) * s for n, s in zip(spec.size, spec.stride, strict=True))
        if all(spec.stride):
            lines.append(
                f"{variable} = torch.zeros({span}, dtype={dtype})"
                f".as_strided({spec.size}, {spec.stride}).copy_({variable})"
            )
        else:
            lines.append(f"# its strides are {spec.stride}")
    if spec.requires_grad:
        lines.append(f"{variable} = {variable}.detach().requires_grad_()")
    return lines


def _alike(array: numpy.ndarray, spec: TensorSpec) -> str:
    """Returns an expression for other numbers of the same range."""
    dtype = f"torch.{spec.dtype}"
    if array.dtype.kind == "c":
        return f"torch.randn({spec.size}, dtype={dtype})"
    if array.dtype.kind != "f":
        return f"torch.randint({int(array.min())}, {int(array.max()) + 1}, {spec.size}).to({dtype})"
    finite = array[numpy.isfinite(array)].astype(numpy.float64)
    low, high = (float(f"{number:.6g}") for number in (finite.min(), finite.max()))
    return f"({low} + {high - low} * torch.rand({spec.size})).to({dtype})"


def _numbers(array: numpy.ndarray):
    """Returns nested lists of the shortest numbers that round to the array's."""
    if array.dtype.kind == "f" and array.itemsize < 8:
        array = array.astype(str).astype(float)
    return array.tolist()


def _contiguous(size: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for length in reversed(size):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))
