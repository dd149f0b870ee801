"""torch.utils.flop_counter: how many multiplications and additions matrix products take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any

from minitorch._ops import OpOverloadPacket, ops
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils._python_dispatch import TorchDispatchMode
from minitorch.utils._pytree import tree_map, tree_map_
from minitorch.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

aten = ops.aten
flop_registry: dict[Any, Callable[..., int]] = {}


def get_shape(i: Any) -> Any:
    """The shape of a tensor; other things as they are."""
    return i.shape if isinstance(i, Tensor) else i


def shape_wrapper(f: Callable[..., int]) -> Callable[..., int]:
    """A formula on shapes as one on tensors."""

    @wraps(f)
    def on_tensors(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        args, kwargs, out_shape = tree_map(get_shape, (args, kwargs, out_val))
        return f(*args, out_shape=out_shape, **kwargs)

    return on_tensors


def register_flop_formula(
    targets: Any, get_raw: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the function counts for some operators.

    Args:
        targets: torch.ops.aten.mm and the like, or a list of them.
        get_raw: whether it takes tensors and `out_val`, and not their shapes and `out_shape`.

    Raises:
        ValueError: for what is no operator. RuntimeError: for one that has a formula.

    As torch.utils.flop_counter.register_flop_formula.
    """

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        counting = formula if get_raw else shape_wrapper(formula)

        def register_one(target: Any) -> None:
            if not isinstance(target, OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be "
                    "OpOverloadPacket (i.e. torch.ops.mylib.foo), JitFunction, "
                    f"or HigherOrderOperator, got {target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = counting

        tree_map_(register_one, targets)
        return counting

    return register


# ---- formulas


def _check(right: bool, text: str) -> None:
    if not right:
        raise AssertionError(text)


@register_flop_formula(aten.mm)
def mm_flop(a_shape: Any, b_shape: Any, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """The operations of a product of matrices."""
    (m, k), (k2, n) = a_shape, b_shape
    _check(k == k2, f"matmul: inner dimensions must match (k == k2), got {k} and {k2}")
    return m * n * 2 * k


@register_flop_formula(aten.addmm)
def addmm_flop(
    self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any
) -> int:
    """The operations of a product of matrices that is added to something."""
    return mm_flop(a_shape, b_shape)


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """The operations of products of matrices."""
    (b, m, k), (b2, k2, n) = a_shape, b_shape
    _check(b == b2, f"bmm: batch dimensions must match (b == b2), got {b} and {b2}")
    _check(k == k2, f"bmm: inner dimensions must match (k == k2), got {k} and {k2}")
    return b * m * n * 2 * k


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(
    self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any
) -> int:
    """The operations of products of matrices that are added to something."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: Any, w_shape: Any, out_shape: Any, transposed: bool = False) -> int:
    """The operations of a convolution, without its bias: each position meets each weight."""
    positions = prod((x_shape if transposed else out_shape)[2:])
    return int(x_shape[0] * positions * prod(w_shape) * 2)


@register_flop_formula(aten.convolution)
def conv_flop(
    x_shape: Any,
    w_shape: Any,
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    *args: Any,
    out_shape: Any = None,
    **kwargs: Any,
) -> int:
    """The operations of a convolution, transposed or not."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


@register_flop_formula(aten.convolution_backward)
def conv_backward_flop(
    grad_out_shape: Any,
    x_shape: Any,
    w_shape: Any,
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    _output_padding: Any,
    _groups: Any,
    output_mask: Any,
    out_shape: Any = None,
    **kwargs: Any,
) -> int:
    """The operations of a convolution's gradients, each of which is a convolution, too."""

    def swapped(shape: Any) -> list[int]:
        return [shape[1], shape[0], *shape[2:]]

    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        one, two = (grad_out_shape, x_shape) if transposed else (x_shape, grad_out_shape)
        count += conv_flop_count(swapped(one), swapped(two), swapped(out_shape[1]))
    return count


def sdpa_flop_count(query_shape: Any, key_shape: Any, value_shape: Any) -> int:
    """The operations of an attention: scores, and the sums of values that they weigh."""
    (b, h, s_q, d_q), (b2, h2, s_k, d_k), (b3, h3, s_k2, d_v) = query_shape, key_shape, value_shape
    shapes = f"q={query_shape}, k={key_shape}, v={value_shape}"
    fit = b == b2 == b3 and h2 == h3 and d_q == d_k and s_k == s_k2
    _check(fit, f"sdpa_flop_count: query/key/value shapes are incompatible: {shapes}")
    _check_heads("sdpa_flop_count", h, h2)
    scores = bmm_flop((b * h, s_q, d_q), (b * h, d_q, s_k))
    return scores + bmm_flop((b * h, s_q, s_k), (b * h, s_k, d_v))


def _check_heads(name: str, query: int, key: int) -> None:
    text = f"{name}: query heads ({query}) must be a multiple of key/value heads ({key})"
    _check(query >= key and query % key == 0, text)


def sdpa_backward_flop_count(
    grad_out_shape: Any, query_shape: Any, key_shape: Any, value_shape: Any
) -> int:
    """The operations of an attention's gradients, whose scores are computed again."""
    name = "sdpa_backward_flop_count"
    (b, h, s_q, d_q), (b2, h2, s_k, d_k), (b3, h3, s_k2, d_v) = query_shape, key_shape, value_shape
    b4, h4, s_q2, d_v2 = grad_out_shape
    _check(
        b == b2 == b3 == b4 and h2 == h3 and h == h4,
        f"{name}: batch/heads mismatch among tensors",
    )
    _check_heads(name, h, h2)
    _check(
        d_q == d_k and d_v == d_v2 and s_k == s_k2 and s_q == s_q2,
        f"{name}: grad_out/value/key/query shapes are incompatible",
    )
    n = b * h
    return sum(
        [
            bmm_flop((n, s_q, d_q), (n, d_q, s_k)),  # scores
            bmm_flop((n, s_q, d_v), (n, d_v, s_k)),  # their gradient
            bmm_flop((n, s_k, s_q), (n, s_q, d_v)),  # that of the values
            bmm_flop((n, s_q, s_k), (n, s_k, d_q)),  # that of the queries
            bmm_flop((n, d_q, s_q), (n, s_q, s_k)),  # that of the keys
        ]
    )


# ---- the table

_SUFFIXES = ["", "K", "M", "B", "T"]


def get_suffix_str(number: int) -> str:
    """The thousands in which a number is written: with up to four digits before the point."""
    return _SUFFIXES[max(0, min(len(_SUFFIXES) - 1, (len(str(number)) - 2) // 3))]


def convert_num_with_suffix(number: float, suffix: str) -> str:
    """A number in thousands, millions, and so on."""
    return f"{number / 1000 ** _SUFFIXES.index(suffix):.3f}{suffix}"


def convert_to_percent_str(num: float, denom: float) -> str:
    """A part of a whole."""
    return "0%" if denom == 0 else f"{num / denom:.2%}"


def _table(header: list[str], rows: list[list[str]]) -> str:
    """Columns as tabulate's format `simple` sets them, the first to the left."""
    cells = [list(row) for row in rows]
    for column in (1, 2):
        try:
            plain = [f"{float(row[column]):g}" for row in cells]
        except ValueError:
            continue
        for row, text in zip(cells, plain, strict=True):
            row[column] = text
    widths = [max(len(h) + 2, *[len(r[i]) for r in cells]) for i, h in enumerate(header)]
    lines = [header, ["-" * width for width in widths], *cells]
    return "\n".join(
        [
            "  ".join([a.ljust(widths[0]), b.rjust(widths[1]), c.rjust(widths[2])]).rstrip()
            for a, b, c in lines
        ]
    )


class FlopCounterMode:
    """A context that counts the multiplications and additions of matrix products within it.

    Args:
        mods: deprecated; modules are found without.
        depth: how deep modules may be nested to have rows of their own.
        display: whether the table is printed at the end.
        custom_mapping: formulas for other operators, as `register_flop_formula` takes them.

    As torch.utils.flop_counter.FlopCounterMode.
    """

    __module__ = "torch.utils.flop_counter"

    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        if mods is not None:
            import warnings

            warnings.warn(
                "mods argument is not needed anymore, you can stop passing it", stacklevel=2
            )
        self.flop_counts: Any = defaultdict(lambda: defaultdict(int))
        self.depth, self.display = depth, display
        self.mode: Any = None
        own = {
            target: f if getattr(f, "_get_raw", False) else shape_wrapper(f)
            for target, f in (custom_mapping or {}).items()
        }
        self.flop_registry = {**flop_registry, **own}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        """The number of all operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The numbers of operations, by module and operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as text, modules nested no deeper than `depth`."""
        deepest = next((d for d in (depth, self.depth) if d is not None), 999999)
        total = self.get_total_flops()
        rows: list[list[str]] = []
        subsumed = False
        for name in sorted(self.flop_counts):
            nested = name.count(".") + 1
            if name != "Global" and nested <= deepest:
                subsumed |= sum(self.flop_counts[name].values()) >= total
                rows += self._rows(name, nested - 1, total)
        if "Global" in self.flop_counts and not subsumed:
            rows = self._rows("Global", 0, total) + [[f" {row[0]}", *row[1:]] for row in rows]
        return _table(["Module", "FLOP", "% Total"], rows or [["Global", "0", "0%"]])

    def _rows(self, name: str, indent: int, total: int) -> list[list[str]]:
        suffix = get_suffix_str(total)
        counts = self.flop_counts[name]
        lines = {name: sum(counts.values()), **{f" - {op}": n for op, n in counts.items()}}
        return [
            [
                " " * indent + label,
                convert_num_with_suffix(count, suffix),
                convert_to_percent_str(count, total),
            ]
            for label, count in lines.items()
        ]

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _FlopCounterMode(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.mode is None:
            raise AssertionError("Internal error: FlopCounter.__exit__ called but mode is None")
        self.mode.__exit__(*exception)
        self.mode = None
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table(self.depth))

    def _count_flops(self, func_packet: Any, out: Any, args: Any, kwargs: Any) -> Any:
        if func_packet in self.flop_registry:
            count = self.flop_registry[func_packet](*args, **kwargs, out_val=out)
            for name in set(self.mod_tracker.parents):
                self.flop_counts[name][func_packet] += count
        return out


class _FlopCounterMode(TorchDispatchMode):
    """The mode that sees the operators for a counter."""

    def __init__(self, counter: FlopCounterMode) -> None:
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = kwargs or {}
        result = func(*args, **named)
        return self.counter._count_flops(func.overloadpacket, result, args, named)
