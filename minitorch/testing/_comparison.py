"""torch.testing.assert_close: whether two results agree, and if not, where and by how much."""

from __future__ import annotations

import cmath
import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import minitorch
from minitorch.core.base.fields import TensorBase
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes

# dtype -> (rtol, atol); values of other dtypes must be equal.
TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
OF_NUMBERS = {int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}


class Mismatch(Exception):
    """The exception for things that do not agree, with the item of the containers."""

    def __init__(self, kind: type[Exception], text: str, where: tuple[Any, ...]) -> None:
        super().__init__(text)
        self.kind, self.text, self.where = kind, text, where

    def error(self, msg: Any) -> Exception:
        """The exception for the user, with the text that was asked for."""
        if isinstance(msg, str):
            return self.kind(msg)
        text = self.text
        if self.where:
            items = "".join(str([item]) for item in self.where)
            text += f"\n\nThe failure occurred for item {items}"
        return self.kind(msg(text) if callable(msg) else text)


@dataclass
class Rules:
    """The rules of a comparison: how much may differ."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    allow_subclasses: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, where: tuple[Any, ...], *kinds: Any) -> tuple[float, float]:
        """The relative and the absolute tolerance between values of these dtypes."""
        if (self.rtol is None) != (self.atol is None):
            none = "rtol" if self.rtol is None else "atol"
            raise Mismatch(
                ValueError,
                "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                + none
                + ".",
                where,
            )
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        return widest(TOLERANCES, *kinds)


def widest(table: dict[Any, tuple[float, float]], *kinds: Any) -> tuple[float, float]:
    """The larger of the tolerances of some dtypes."""
    rtols, atols = zip(*(table.get(kind, (0.0, 0.0)) for kind in kinds))
    return max(rtols), max(atols)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere.

    actual, expected: tensors or what makes them, numbers, or sequences and mappings of such.
    rtol, atol: both or none; by default they go by the dtypes.
    msg: the text of the error, or what makes one of the text that would be given.
    As https://docs.pytorch.org/docs/stable/testing.html.
    """
    __tracebackhide__ = True
    rules = Rules(
        rtol,
        atol,
        equal_nan,
        allow_subclasses,
        check_device,
        check_dtype,
        check_layout,
        check_stride,
    )
    try:
        comparisons = list(_comparisons(actual, expected, (), rules))
    except Mismatch as found:
        raise found.error(None) from None
    failed = None
    for compare in comparisons:
        try:
            compare()
        except Mismatch as found:
            failed = failed or found
    if failed is not None:
        raise failed.error(msg)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """assert_close as it was once: whatever the dtypes, and nan equal to nan. Deprecated."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead. You can find detailed "
        "upgrade instructions in https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    if not isinstance(actual, TensorBase):
        actual = minitorch.tensor(actual)
    if not isinstance(expected, TensorBase):
        expected = minitorch.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        table = {
            dtypes.float16: (1e-3, 1e-3),
            dtypes.float32: (1e-4, 1e-5),
            dtypes.float64: (1e-5, 1e-8),
        }
        rtol, atol = widest(table, actual.dtype, expected.dtype)
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_dtype=False,
        msg=msg or None,
    )


# ---- pairs


def _comparisons(
    actual: Any, expected: Any, where: tuple[Any, ...], rules: Rules
) -> Iterator[Callable[[], None]]:
    """Yields what compares each pair of the two, in order. Mismatch where they are built apart."""
    if all(isinstance(x, Sequence) and not isinstance(x, str) for x in (actual, expected)):
        if len(actual) != len(expected):
            raise Mismatch(
                AssertionError,
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}",
                where,
            )
        for i, pair in enumerate(zip(actual, expected)):
            yield from _comparisons(*pair, (*where, i), rules)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        keys: Any = set(actual)
        if keys != set(expected):
            raise Mismatch(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(set(expected) - keys)}\n"
                f"Additional keys in the actual mapping: {sorted(keys - set(expected))}",
                where,
            )
        with contextlib.suppress(Exception):
            keys = sorted(keys)
        for key in keys:
            yield from _comparisons(actual[key], expected[key], (*where, key), rules)
    else:
        yield _comparison(actual, expected, where, rules)


def _comparison(
    actual: Any, expected: Any, where: tuple[Any, ...], rules: Rules
) -> Callable[[], None]:
    """The comparison of two things that are no containers. Mismatch if there is none for them."""
    if actual is None or expected is None:
        same = actual is expected
        return _only_if(same, f"None mismatch: {actual} is not {expected}", where)
    if all(isinstance(x, (bool, np.bool_)) for x in (actual, expected)):
        same = bool(actual) is bool(expected)
        return _only_if(same, f"Booleans mismatch: {actual} is not {expected}", where)
    if all(isinstance(x, (int, float, complex, np.number)) for x in (actual, expected)):
        pair = [x.item() if isinstance(x, np.number) else x for x in (actual, expected)]
        kinds = [_kind_of_number(x, pair, where) for x in pair]
        tolerances = rules.tolerances(where, *kinds)
        return lambda: _compare_numbers(*pair, where, rules, *tolerances)
    if type(actual) is type(expected) or (
        rules.allow_subclasses
        and (isinstance(actual, type(expected)) or isinstance(expected, type(actual)))
    ):
        a, b = _tensor(actual), _tensor(expected)
        if a is not None and b is not None:
            tolerances = rules.tolerances(where, a.dtype, b.dtype)
            return lambda: _compare_tensors(a, b, where, rules, *tolerances)
    raise Mismatch(
        TypeError,
        "No comparison pair was able to handle inputs of type "
        f"{type(actual)} and {type(expected)}.",
        where,
    )


def _tensor(x: Any) -> Any:
    """A tensor made of `x`; None if that fails."""
    with contextlib.suppress(Exception):
        return x if isinstance(x, TensorBase) else minitorch.as_tensor(x)


def _only_if(same: bool, text: str, where: tuple[Any, ...]) -> Callable[[], None]:
    def compare() -> None:
        if not same:
            raise Mismatch(AssertionError, text, where)

    return compare


def _compare_numbers(
    actual: Any, expected: Any, where: tuple[Any, ...], rules: Rules, rtol: float, atol: float
) -> None:
    if rules.check_dtype and type(actual) is not type(expected):
        text = f"The (d)types do not match: {type(actual)} != {type(expected)}."
        raise Mismatch(AssertionError, text, where)
    if actual == expected or (rules.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    difference = abs(actual - expected)
    if not (cmath.isfinite(difference) and difference <= atol + rtol * abs(expected)):
        raise Mismatch(AssertionError, _of_numbers(actual, expected, rtol, atol), where)


def _compare_tensors(
    actual: Any, expected: Any, where: tuple[Any, ...], rules: Rules, rtol: float, atol: float
) -> None:
    strided = actual.layout == expected.layout == devices.strided
    for name, checked, value in (
        ("shape", True, lambda x: x.shape),
        ("layout", rules.check_layout, lambda x: x.layout),
        ("stride()", rules.check_stride and strided, lambda x: x.stride()),
        ("device", rules.check_device, lambda x: x.device),
        ("dtype", rules.check_dtype, lambda x: x.dtype),
    ):
        if checked and (a := value(actual)) != (b := value(expected)):
            text = f"The values for attribute '{name}' do not match: {a} != {b}."
            raise Mismatch(AssertionError, text, where)
    if actual.is_meta or expected.is_meta:
        return
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    if actual.dtype != expected.dtype:
        dtype = minitorch.promote_types(*(_signed(x.dtype) for x in (actual, expected)))
        actual, expected = actual.to(dtype), expected.to(dtype)
    if actual.layout != expected.layout:
        actual, expected = [
            x if x.layout == devices.strided else x.to_dense() for x in (actual, expected)
        ]
    for things, a, b, exact in _parts(actual, expected, where):
        _compare_values(a, b, where, rules, *(0, 0) if exact else (rtol, atol), things)


def _compare_values(
    actual: Any,
    expected: Any,
    where: tuple[Any, ...],
    rules: Rules,
    rtol: float,
    atol: float,
    things: str | None,
) -> None:
    equal_nan = rules.equal_nan
    near = minitorch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if not near.all():
        text = (
            _of_tensors(actual, expected, near, rtol, atol, things or "Tensor-likes")
            if actual.shape
            else _of_numbers(actual.item(), expected.item(), rtol, atol, things or "Scalars")
        )
        raise Mismatch(AssertionError, text, where)


# The methods that give the indices of a compressed tensor by its layout.
_INDICES = {
    devices.sparse_csr: ("crow_indices", "col_indices"),
    devices.sparse_csc: ("ccol_indices", "row_indices"),
    devices.sparse_bsr: ("crow_indices", "col_indices"),
    devices.sparse_bsc: ("ccol_indices", "row_indices"),
}


def _parts(
    actual: Any, expected: Any, where: tuple[Any, ...]
) -> Iterator[tuple[str | None, Any, Any, bool]]:
    """The pairs of dense tensors in two of one layout, by the names that errors have for them.

    The last of each four says whether the two must be equal. Mismatch for other numbers of values.
    """
    layout = actual.layout
    if layout == devices.jagged:
        yield None, actual.values(), expected.values(), False
    elif layout == devices.sparse_coo:
        dims = (actual.sparse_dim(), expected.sparse_dim())
        _check_counts("sparse dimensions", "COO", dims, where)
        _check_counts("specified values", "COO", (actual._nnz(), expected._nnz()), where)
        yield "Sparse COO indices", actual._indices(), expected._indices(), True
        yield "Sparse COO values", actual._values(), expected._values(), False
    elif layout in _INDICES:
        name = str(layout).removeprefix("torch.sparse_").upper()
        _check_counts("specified values", name, (actual._nnz(), expected._nnz()), where)
        for method in _INDICES[layout]:
            a, b = getattr(actual, method)(), getattr(expected, method)()
            dtype = minitorch.promote_types(a.dtype, b.dtype)
            yield f"Sparse {name} {method}", a.to(dtype), b.to(dtype), True
        yield f"Sparse {name} values", actual.values(), expected.values(), False
    else:
        yield None, actual, expected, False


def _check_counts(things: str, name: str, counts: tuple[int, int], where: tuple[Any, ...]) -> None:
    if counts[0] != counts[1]:
        raise Mismatch(
            AssertionError,
            f"The number of {things} in sparse {name} tensors does not match: "
            f"{counts[0]} != {counts[1]}",
            where,
        )


def _kind_of_number(x: Any, pair: list[Any], where: tuple[Any, ...]) -> Any:
    """The dtype whose tolerances a number has. RuntimeError for a bool beside another number."""
    try:
        return OF_NUMBERS[type(x)]
    except KeyError as error:
        actual, expected = pair
        raise RuntimeError(
            f"Originating a NumberPair() at item {''.join(str([item]) for item in where)} with\n\n"
            f"{type(actual).__name__}(): {actual}\n\nand\n\n"
            f"{type(expected).__name__}(): {expected}\n\n"
            "resulted in the unexpected exception above. If you are a user and see this message "
            "during normal operation please file an issue at "
            "https://github.com/pytorch/pytorch/issues. If you are a developer and working on the "
            "comparison functions, please except the previous error and raise an expressive "
            "`ErrorMeta` instead."
        ) from error


def _signed(dtype: Any) -> Any:
    """The dtype that can be promoted together with any other: int64 for large unsigned ones."""
    return dtypes.int64 if dtype in dtypes.LATE_UNSIGNED else dtype


# ---- texts


def _of_numbers(
    actual: Any, expected: Any, rtol: float, atol: float, things: str = "Scalars"
) -> str:
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    return _text(
        things,
        f"Expected {expected} but got {actual}.",
        (f"Absolute difference: {absolute}", atol),
        (f"Relative difference: {relative}", rtol),
    )


def _of_tensors(
    actual: Any, expected: Any, near: Any, rtol: float, atol: float, things: str
) -> str:
    total = near.numel()
    missed = total - int(near.sum())
    shape, a, b, near = near.shape, actual.flatten(), expected.flatten(), near.flatten()
    if not a.is_floating_point() and not a.is_complex():
        a, b = a.to(dtypes.int64), b.to(dtypes.int64)
    absolute = (a - b).abs()
    lines = []
    for kind, differences, tolerance in (
        ("absolute", absolute, atol),
        ("relative", absolute / b.abs(), rtol),
    ):
        most, at = differences.masked_fill(near, 0).max(0)
        index = tuple(int(i) for i in np.unravel_index(int(at), shape))
        lines.append((f"Greatest {kind} difference: {most.item()} at index {index}", tolerance))
    share = f"Mismatched elements: {missed} / {total} ({missed / total:.1%})"
    return _text(things, share, *lines)


def _text(things: str, first: str, *lines: tuple[str, float]) -> str:
    exact = all(tolerance == 0 for _, tolerance in lines)
    allowed = ["" if exact else f" (up to {tolerance} allowed)" for _, tolerance in lines]
    head = f"{things} are not {'equal' if exact else 'close'}!\n\n{first}\n"
    return head + "\n".join(line + more for (line, _), more in zip(lines, allowed))
