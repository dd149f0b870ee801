"""Kernels know few dtypes: rows declare what they refuse, and torch's words say so."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import minitorch as torch
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import EMPTY
from minitorch.core.numbers.dispatch import COMPLEX, EVERY
from tests.aten.samples import has_samples, samples
from tests.aten.samples.calling import function_of

LATE = (torch.uint16, torch.uint32, torch.uint64)


def few(*numbers: int, dtype: Any = torch.uint16) -> Any:
    return torch.tensor(numbers, dtype=dtype)


X, M = few(1, 2, 2), torch.tensor([[1, 2], [3, 4]], dtype=torch.uint16)
AT = torch.tensor([0, 1, 0])

REFUSED = {
    "add_stub": lambda x, m: x + x,
    "neg_cpu": lambda x, m: -x,
    "abs_cpu": lambda x, m: x.abs(),
    "lt_cpu": lambda x, m: x < x,
    "logical_not_cpu": lambda x, m: x.logical_not(),
    "maximum_cpu": lambda x, m: torch.fmax(x, x),
    "clamp_min_scalar_cpu": lambda x, m: torch.relu(x),
    "pow": lambda x, m: x**2,
    "div_floor_cpu": lambda x, m: x // x,
    "remainder_cpu": lambda x, m: x % x,
    "lshift_cpu": lambda x, m: x << x,
    "addmm_impl_cpu_": lambda x, m: m @ m,
    "dot": lambda x, m: torch.dot(x, x),
    "bmm": lambda x, m: torch.bmm(m[None], m[None]),
    "flip_cpu": lambda x, m: m.flip(1),
    "max_values_cpu": lambda x, m: m.amax(1),
    "max_cpu": lambda x, m: m.max(1),
    "argmax_cpu": lambda x, m: m.argmax(),
    "topk_cpu": lambda x, m: x.topk(1),
    "masked_fill": lambda x, m: x.masked_fill(x == 1, 0),
    "masked_select": lambda x, m: x.masked_select(x == 1),
    "index_put": lambda x, m: x.clone().__setitem__(AT, x),
    "index_select": lambda x, m: x.index_select(0, AT),
    "index_add_": lambda x, m: x.index_add(0, AT, x),
    "scatter_gather_tensor_cpu": lambda x, m: x.gather(0, AT),
    "nonzero_count_cpu": lambda x, m: x.nonzero(),
    "sum_cpu": lambda x, m: x.sum(dtype=x.dtype),
    "cumsum_out_cpu": lambda x, m: x.cumsum(0, dtype=x.dtype),
    "tril": lambda x, m: m.tril(),
    "eye": lambda x, m: torch.eye(2, dtype=x.dtype),
    "arange_cpu": lambda x, m: torch.arange(3, dtype=x.dtype),
    "linspace_cpu": lambda x, m: torch.linspace(0, 2, 3, dtype=x.dtype),
    "isin_default_cpu": lambda x, m: torch.isin(x, x),
}


@pytest.mark.parametrize("dtype", LATE, ids=str)
@pytest.mark.parametrize("kernel", REFUSED)
def test_late_unsigned_integers_are_refused_by_most_kernels(kernel: str, dtype: Any) -> None:
    said = f"\"{kernel}\" not implemented for '{dtype.scalar_name}'"
    with pytest.raises(NotImplementedError) as caught:
        REFUSED[kernel](X.to(dtype), M.to(dtype))
    assert str(caught.value) == said


def test_add_of_late_unsigned_integers_writes_nothing_in_place() -> None:
    x = few(1, 2)
    for write in (lambda: x.add_(x), lambda: x.__iadd__(1), lambda: torch.add(x, x, out=x)):
        with pytest.raises(NotImplementedError, match='"add_stub" not implemented'):
            write()
    assert x.tolist() == [1, 2]


COMPUTED = {
    "mul": (lambda x: x * x, [1, 4, 4]),
    "eq": (lambda x: x == 2, [False, True, True]),
    "bitwise_and": (lambda x: x & 2, [0, 2, 2]),
    "floor": (lambda x: x.floor(), [1, 2, 2]),
    "signbit": (lambda x: x.signbit(), [False] * 3),
    "true_divide": (lambda x: x / 2, [0.5, 1, 1]),
    "sum": (lambda x: x.sum(), 5),
    "cat": (lambda x: torch.cat([x, x[:1]]), [1, 2, 2, 1]),
    "sort": (lambda x: x.sort()[0], [1, 2, 2]),
    "flip of lines": (lambda x: torch.stack([x, x * x]).flip(0)[0], [1, 4, 4]),
    "max of a number": (lambda x: x[0].max(0)[0], 1),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_late_unsigned_integers_are_computed_by_kernels_that_know_them(name: str) -> None:
    call, found = COMPUTED[name]
    for dtype in LATE:
        assert call(X.to(dtype)).tolist() == found


NAMED = [
    key
    for key, row in ROWS.items()
    if row.family == "operator" and row.kernel and EMPTY in row.spares and has_samples(key)
    if all(argument.name != "dtype" for argument in row.schema.arguments)  # they compute in
]
OTHERS = {"_unsafe_masked_index_put_accumulate": "index_put"}  # to which some come first


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("key", NAMED)
def test_kernels_of_general_rows_refuse_the_dtypes_they_do_not_know(key: str) -> None:
    row, sample = ROWS[key], next(iter(samples(key)))
    kernels = (f'"{row.kernel}" not', f'"{OTHERS.get(key, row.kernel)}" not')
    for dtype in sorted(EVERY - row.knows, key=str):

        def changed(x: Any, dtype: Any = dtype) -> Any:
            if x.dtype.kind not in "fc":
                return torch.from_numpy(x)
            real = abs(x.real) if dtype not in COMPLEX else x
            return torch.from_numpy(numpy.ascontiguousarray(real)).to(dtype)

        call = sample.map(changed)
        with pytest.raises((NotImplementedError, RuntimeError)) as caught:
            function_of(key)(*call.args, **call.kwargs)
        text = str(caught.value)
        by_kernel = isinstance(caught.value, NotImplementedError)
        assert not by_kernel or text.startswith(kernels)


def test_rows_that_name_a_kernel_say_which_dtypes_it_knows() -> None:
    named = [row for row in ROWS.values() if row.family == "operator" and row.kernel]
    assert len(named) > 100
    assert not [row.key for row in named if row.knows == EVERY]


def test_complex32_is_refused_where_numpy_has_no_such_numbers() -> None:
    z = torch.zeros(2, dtype=torch.complex32)
    for name in ("mean", "logsumexp", "cumsum", "sort", "nansum"):
        with pytest.raises((NotImplementedError, RuntimeError), match=r"ComplexHalf|complex"):
            getattr(torch, name)(z, 0)


def test_norm_of_integers_and_attention_of_integers_are_refused_by_dtype() -> None:
    x = torch.ones(1, 1, 2, 2, dtype=torch.int32)
    with pytest.raises(RuntimeError, match=r"norm\(\): input dtype should be either floating"):
        torch.ops.aten.norm.Scalar(x, 2)
    with pytest.raises(RuntimeError, match="Expected data type in FP32, FP64, BF16, FP16, but"):
        torch._scaled_dot_product_flash_attention_for_cpu(x, x, x)


def test_trace_looks_at_the_dtype_before_the_shape() -> None:
    for dtype, name in ((torch.bool, "Bool"), (torch.uint32, "UInt32")):
        with pytest.raises(NotImplementedError, match=f"\"trace\" not implemented for '{name}'"):
            torch.ones(2, 3, 2, dtype=dtype).trace()
    with pytest.raises(RuntimeError, match="trace: expected a matrix"):
        torch.ones(2, 3, 2).trace()
