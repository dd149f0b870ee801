"""Images at another size: the nearest pixel, linear and cubic interpolation, with or without
anti-aliasing. All are one pair of functions on tables: core/arrays/resampling.py.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from minitorch.aten.layers.convolution import channels_last, laid_out_as
from minitorch.core.arrays import layout, resampling
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.wording.plain_numbers import as_float
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES

_AXES = "DHW"


def check(shape: Any, size: Any, count: int) -> None:
    """RuntimeError for sizes that do not fit. As ATen/native/UpSample.h."""
    for name, value, wanted in (("output", size, count), ("input", shape, count + 2)):
        if len(value) != wanted:
            raise RuntimeError(
                f"It is expected {name}_size equals to {wanted}, but got size {len(value)}"
            )
    if min(*shape[2:], *size) <= 0:
        given, made = [
            ", ".join([f"{axis}: {n}" for axis, n in zip(_AXES[-count:], sizes, strict=True)])
            for sizes in (shape[2:], size)
        ]
        joint = " and" * (count == 1)
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({given}){joint} "
            f"output ({made})"
        )
    if shape[1] == 0:
        raise RuntimeError(
            f"Non-empty {count + 2}D data tensor expected but got a tensor with sizes {list(shape)}"
        )


def is_vectorized(kind: str, x: Any, size: Any) -> bool:
    """Whether ATen runs a kernel over channels, whose weights are not rounded to half types."""
    if kind == "cubic" or len(size) == 1:
        return False
    small = len(size) == 2 and sum(size) <= 128
    return small or (x.shape[1] > 3 and channels_last(x))


def check_dtype(kind: str, x: Any, size: Any) -> None:
    """NotImplementedError for dtypes that an interpolation is not made for, by torch's kernels."""
    count, smooth = len(size), kind.endswith("_aa")
    if x.dtype.kind == "u" and x.dtype.itemsize == 1:
        if kind.startswith("nearest") or count == 2:
            return
    elif dtypes.of(x) in (FLOATING if smooth else FLOATING | HALVES):
        return
    word = kind.partition("-")[0]
    kernel = f"compute_indices_weights_{word}"
    if smooth:
        kernel = "compute_index_ranges_weights"
    elif is_vectorized(kind, x, size):
        title = {"nearest": "nearest", "linear": {2: "bilinear", 3: "trilinear"}[count]}[word]
        kernel = f"upsample_{title}{count}d_channels_last"
    raise dtypes.unknown_to(kernel, x)


def check_dtype_of_gradient(name: str, kind: str, x: Any) -> None:
    """NotImplementedError for dtypes whose interpolation has no gradient, by torch's kernels."""
    smooth = kind.endswith("_aa")
    if dtypes.of(x) in (FLOATING if smooth else FLOATING | HALVES):
        return
    kernel = f"{name}_backward"
    if smooth:
        kernel = f"{name[1:]}_backward_cpu"
    elif kind != "cubic" and layout.is_channels_last_contiguous(x.shape, layout.strides_of(x)):
        kernel += "_channels_last" if kind == "linear" else "_cl"
        kernel = f"_{kernel}" if name == "upsample_nearest3d" else kernel
    raise dtypes.unknown_to(kernel, x)


@cache
def _spelling(text: str) -> Any:
    return eval(f"lambda function: lambda {text}: function({text})")


def spelled(function: Any, *names: str) -> Any:
    """`function` as a formula that asks for `names`, which it takes one after the other."""
    return _spelling(", ".join(names))(function)


def sizes_of(shape: Any, size: Any, factors: Any) -> tuple[int, ...]:
    """The size that was asked for, or that factors make. As ATen/native/UpSample.cpp."""
    if (size is None) == (factors is None):
        raise RuntimeError("Must specify exactly one of output_size and scale_factors")
    if len(size or factors) != len(shape) - 2:
        given = "output_size" if factors is None else "scale_factors"
        raise RuntimeError(
            f"Expected static_cast<int64_t>({given}->size()) == spatial_dimensions to be true, but "
            "got false.  (Could this error message be improved?  If so, please report an "
            "enhancement request to PyTorch.)"
        )
    if size is not None:
        return tuple(map(int, size))
    made = [n * factor for n, factor in zip(shape[2:], factors, strict=True)]
    if not all(abs(n) < 2**63 for n in made):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return tuple(map(int, made))


def _declare(name: str, kind: str, count: int, node: str) -> None:
    """The row of one kind of interpolation of `count` axes, and that of its gradient."""
    aligned = not kind.startswith("nearest")
    words = [f"scales_{axis}" for axis in "dhw"[-count:]] if count > 1 else ["scales"]
    settings = ["align_corners"] * aligned + words
    written = "bool align_corners, " * aligned + ", ".join([f"float? {w}=None" for w in words])

    def tables(image: Any, size: Any, rest: Any, dtype: Any) -> list[Any]:
        corners = aligned and bool(rest[0])
        axes = zip(image, size, rest[aligned:], strict=True)
        return [resampling.table(kind, n, o, corners, scale, dtype) for n, o, scale in axes]

    def forward(xp: Any, self: Any, output_size: Any, *rest: Any) -> Any:
        check(self.shape, output_size, count)
        check_dtype(kind, self, output_size)
        dtype = self.dtype
        if dtype.itemsize == 2 and is_vectorized(kind, self, output_size):
            dtype = xp.dtype("float32")
        made = tables(self.shape[2:], output_size, rest, dtype)
        if kind.endswith("_aa"):  # ATen leaves such an axis out, whatever its scale
            pairs = zip(made, self.shape[2:], output_size, strict=True)
            made = [None if n == out else each for each, n, out in pairs]
        return laid_out_as(xp, resampling.resample(xp, self, made), self)

    def backward(xp: Any, grad_output: Any, output_size: Any, input_size: Any, *rest: Any) -> Any:
        image = tuple(input_size[2:])
        check_dtype_of_gradient(name, kind, grad_output)
        dtype = grad_output.dtype
        made = tables(image, output_size, rest, xp.promote_types(dtype, "float32"))
        out = resampling.resample_backward(xp, grad_output, made, image)
        kept = name in ("upsample_trilinear3d", "_upsample_bilinear2d_aa") or (
            count == 2 and "cubic" not in kind and "_aa" not in kind
        )
        return laid_out_as(xp, out, grad_output) if kept else xp.ascontiguousarray(out)

    declared = operator(
        f"{name}(Tensor self, SymInt[{count}] output_size, {written}) -> Tensor",
        node=f"{node}Backward0",
        forward=spelled(forward, "xp", "self", "output_size", *settings),
        self=spelled(
            lambda F, *rest: getattr(F, f"{name}_backward")(*rest),
            "F", "grad", "output_size", "self_sym_sizes", *settings,
        ),
        result=LINEAR,
        on=("F",),
    )  # fmt: skip
    operator(
        f"{name}_backward(Tensor grad_output, SymInt[{count}] output_size,"
        f" SymInt[{count + 2}] input_size, {written}) -> Tensor",
        node=f"{node}BackwardBackward0",
        forward=spelled(backward, "xp", "grad_output", "output_size", "input_size", *settings),
        grad_output=spelled(
            lambda F, *rest: getattr(F, name)(*rest), "F", "grad", "output_size", *settings
        ),
        result=LINEAR,
        on=("F",),
    )

    def by_lists(input: Any, output_size: Any, *rest: Any) -> Any:
        """This interpolation by a size or by factors, one number for each axis."""
        factors = rest[-1] and [*map(as_float, rest[-1])]  # tensors of one element among them
        size = sizes_of(input.shape, output_size, factors)
        return declared(input, size, *rest[:-1], *(factors or [None] * count))

    settings = ["align_corners"] * aligned + ["scale_factors"]
    composite(f"{name}_vec", on=())(spelled(by_lists, "input", "output_size", *settings))


# mode of interpolate -> {dimensions of the input: (operator, kind of table, node)}
MODES: dict[str, dict[int, tuple[str, str, str]]] = {
    "nearest": {
        n + 2: (f"upsample_nearest{n}d", "nearest", f"UpsampleNearest{n}D") for n in (1, 2, 3)
    },
    "nearest-exact": {
        n + 2: (f"_upsample_nearest_exact{n}d", "nearest-exact", f"UpsampleNearestExact{n}D")
        for n in (1, 2, 3)
    },
    "linear": {3: ("upsample_linear1d", "linear", "UpsampleLinear1D")},
    "bilinear": {4: ("upsample_bilinear2d", "linear", "UpsampleBilinear2D")},
    "trilinear": {5: ("upsample_trilinear3d", "linear", "UpsampleTrilinear3D")},
    "bicubic": {4: ("upsample_bicubic2d", "cubic", "UpsampleBicubic2D")},
    "bilinear_aa": {4: ("_upsample_bilinear2d_aa", "linear_aa", "UpsampleBilinear2DAa")},
    "bicubic_aa": {4: ("_upsample_bicubic2d_aa", "cubic_aa", "UpsampleBicubic2DAa")},
    "lanczos_aa": {4: ("_upsample_lanczos2d_aa", "lanczos_aa", "UpsampleLanczos2DAa")},
}

for _ranks in MODES.values():
    for _rank, (_name, _kind, _node) in _ranks.items():
        _declare(_name, _kind, _rank - 2, _node)
