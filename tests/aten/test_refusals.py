"""Refused arguments of operators: dtypes without order, sizes that do not fit, in torch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import minitorch as torch

z = torch.zeros


def check(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


COMPLEX = z(2, 2, dtype=torch.complex64)
BOOL = z(2, dtype=torch.bool)

UNORDERED = [
    (lambda: torch.unique(COMPLEX), "unique", "ComplexFloat"),
    (lambda: torch.unique(COMPLEX, dim=0), "unique_dim", "ComplexFloat"),
    (lambda: torch.unique_consecutive(COMPLEX), "unique", "ComplexFloat"),
    (lambda: torch.mode(COMPLEX), "mode_cpu", "ComplexFloat"),
    (lambda: torch.bucketize(COMPLEX, z(3)), "searchsorted_out_cpu", "ComplexFloat"),
    (lambda: torch.bucketize(1 + 1j, z(3)), "searchsorted_out_cpu", "ComplexFloat"),
    (lambda: torch.searchsorted(BOOL, BOOL), "searchsorted_out_cpu", "Bool"),
    (lambda: torch.cumsum(z(2), 0, dtype=torch.bool), "cumsum_out_cpu", "Bool"),
    (lambda: torch.cumprod(z(2), 0, dtype=torch.bool), "cumprod_out_cpu", "Bool"),
    (lambda: torch.bmm(z(2, 2, 2, dtype=torch.bool), z(2, 2, 2)), "bmm", "Bool"),
]


@pytest.mark.parametrize(("call", "kernel", "dtype"), UNORDERED)
def test_kernels_refuse_the_dtypes_they_leave_out(call: Any, kernel: str, dtype: str) -> None:
    check(call, NotImplementedError, f"\"{kernel}\" not implemented for '{dtype}'")


DTYPES = [
    (lambda: torch.deg2rad(COMPLEX), "deg2rad is not supported for complex tensors."),
    (lambda: torch.isin(z(2), BOOL), "Unsupported input type encountered for isin(): Bool"),
    (lambda: torch.dist(z(2), BOOL), "Subtraction, the `-` operator, with a bool tensor"),
    (
        lambda: torch.linspace(1j, 1, 3, dtype=torch.float64),
        "torch.linspace(): inferred dtype c10::complex<float> can't be safely cast",
    ),
    (
        lambda: torch.logspace(1j, 1, 3, out=z(3)),
        "value cannot be converted to type float without overflow",
    ),
    (
        lambda: torch.bmm(z(1, 9, 9), z(1, 9, 9).double()),
        "expected scalar type Double but found Float",
    ),
    (
        lambda: torch.meshgrid(z(2, 2), BOOL, indexing="ij"),
        "meshgrid expects all tensors to have the same dtype",
    ),
    (lambda: torch.tensordot(z(2), BOOL, 1), "both inputs should have same dtype"),
    (
        lambda: torch.scatter_reduce(COMPLEX, 0, torch.tensor([[0]]), z(1, 1), "amax"),
        "scatter(): Expected self.dtype to be equal to src.dtype",
    ),
    (lambda: torch.topk(BOOL, 1), "topk does not support bool dtypes on CPU"),
    (
        lambda: torch.addbmm(z(2, 2), z(1, 2, 2).double(), z(1, 2, 2)),
        "mat1 and mat2 must have the same dtype, but got Double and Float",
    ),
]


@pytest.mark.parametrize(("call", "text"), DTYPES)
def test_dtypes_are_refused_in_words_of_the_operator(call: Any, text: str) -> None:
    check(call, RuntimeError, text)


SIZES = [
    (lambda: torch.cosine_similarity(z(2), z(2), 0, -1.0), RuntimeError, "non-negative, got: -1"),
    (lambda: torch.rsub(z(5, 7), z(5, 5)), RuntimeError, "The size of tensor a (5) must match"),
    (lambda: z(2).new_zeros((2, -1)), RuntimeError, "negative dimension -1: [2, -1]"),
    (lambda: torch.zeros(2, -1), RuntimeError, "zeros: Dimension size must be non-negative."),
    (lambda: z(3).unflatten(0, (-5, -1)), RuntimeError, "invalid shape dimension -5 at index 0"),
    (lambda: z(3).unflatten(0, (-1, -1)), RuntimeError, "only one dimension can be inferred"),
    (lambda: z(3).unflatten(0, (2, -1)), RuntimeError, "Provided sizes [2, -1] don't multiply up"),
    (lambda: torch.index_put(z(2), (), z(2)), RuntimeError, "ntensor >= 3 INTERNAL ASSERT FAILED"),
    (lambda: torch.index_put(z(2), (), z(3)), RuntimeError, "value tensor of shape [3] cannot be"),
    (lambda: torch.dist(z(2), z(3)), RuntimeError, "The size of tensor a (2) must match"),
    (lambda: torch.isclose(z(2), z(3)), RuntimeError, "The size of tensor a (2) must match"),
    (lambda: torch.einsum("i", []), ValueError, "must specify the equation string"),
    (lambda: torch.unique(z(2, 0), dim=0), RuntimeError, "There are 0 sized dimensions"),
    (
        lambda: torch.constant_pad_nd(z(1, 3), [-100, 97]),
        RuntimeError,
        "narrow(): length must be non-negative.",
    ),
    (
        lambda: torch.norm(z(2, 2, 2), "fro", (0, 1, 2)),
        RuntimeError,
        "linalg.matrix_norm: dim must be a 2-tuple. Got 0 1 2",
    ),
    (lambda: z(()).unflatten(0, (1,)), RuntimeError, "unflatten got an unexpected error:"),
    (lambda: z(3).index_put([], z(1)), RuntimeError, ""),
    (
        lambda: torch.repeat_interleave(z(2), torch.tensor([-1, 2]), output_size=5),
        RuntimeError,
        "allocated size does not match required size",
    ),
    (lambda: z(()).size(0), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    (lambda: z(()).stride(0), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    (
        lambda: torch.baddbmm(z(1), z(2, 2, 2), z(2, 2)),
        IndexError,
        "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    ),
    (
        lambda: torch.index_add(z(()), 0, torch.tensor([0]), z(1)),
        RuntimeError,
        "Got self.shape = [] source.shape = [1]",
    ),
    (
        lambda: torch.index_add(z(2), 0, torch.tensor([5]), z(1)),
        IndexError,
        "index out of range in self",
    ),
    (
        lambda: torch.scatter_add(z(3, 3), 0, torch.tensor([[0]]), z(3)),
        IndexError,
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    ),
    (
        lambda: torch.searchsorted(z(3), z(2), sorter=torch.tensor([0, 1, 7])),
        RuntimeError,
        "torch.searchsorted(): sorter index out of range",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), SIZES)
def test_sizes_and_positions_are_refused_as_torch_does(
    call: Any, error: type[Exception], text: str
) -> None:
    check(call, error, text)


F = torch.nn.functional

KEYWORDS = [
    (lambda: torch.isin(1, 2), "isin() received an invalid combination of arguments - got (int, "),
    (
        lambda: torch.isin(z(2), [1]),
        "got (Tensor, list), but expected one of:\n * (Tensor ",
    ),
    (lambda: F.leaky_relu(z(2), "a"), "'negative_slope' (position 2) must be Number, not str"),
    (lambda: F.elu(z(2), z(2)), "elu(): argument 'alpha' (position 2) must be Number, not Tensor"),
    (lambda: F.threshold(z(2), None, 1), "'threshold' (position 2) must be Number, not NoneType"),
    (lambda: torch.set_grad_enabled("x"), "argument 'enabled' (position 1) must be bool, not str"),
    (
        lambda: z(2).to(torch.float32, unknown=1),
        "to() received an invalid combination of arguments - got (torch.dtype, unknown=int)",
    ),
]


@pytest.mark.parametrize(("call", "text"), KEYWORDS)
def test_arguments_of_other_types_are_refused_with_the_signatures(call: Any, text: str) -> None:
    check(call, TypeError, text)
    assert torch.is_grad_enabled()


def test_a_device_names_itself_where_it_lacks_an_attribute() -> None:
    check(
        lambda: torch.device("cpu").unknown,
        AttributeError,
        "'torch.device' object has no attribute 'unknown'",
    )


i32 = torch.int32

ENDS = [
    (lambda: z(2, dtype=torch.int64).random_(2**63), ValueError, "Overflow when unpacking"),
    (lambda: z(2).random_(2**24, None), RuntimeError, "less than or equal to 'to_inc'"),
    (lambda: z(2, dtype=torch.uint64).random_(5, None), RuntimeError, "to - 1 is out of bounds"),
    (lambda: torch.linspace(0, 200, 3, dtype=torch.int8), RuntimeError, "type int8_t without"),
    (lambda: torch.select_copy(COMPLEX.clone().requires_grad_(), 0, 0), RuntimeError, "complex"),
    (
        lambda: torch.lu_unpack(z(2, 2), torch.tensor([3, 2], dtype=i32)),
        RuntimeError,
        "pivots passed to lu_unpack must be between 1",
    ),
    (lambda: torch.linalg.qr(z(2, 2), out=z(2)), TypeError, "must be tuple of Tensors, not Tensor"),
    (lambda: torch.linalg.qr(z(2, 2), out=(z(2),)), TypeError, "expected tuple of 2 elements"),
    (lambda: torch.vander(z(2), -1), RuntimeError, "N must be non-negative"),
]


@pytest.mark.parametrize(("call", "error", "text"), ENDS)
def test_what_is_beyond_the_ends_is_refused(call: Any, error: type[Exception], text: str) -> None:
    check(call, error, text)


def test_a_weighted_huber_loss_is_the_mean_of_all() -> None:
    x, weight = torch.tensor([2.0, 0.5]), torch.tensor([1.0, 3.0])
    assert F.huber_loss(x, torch.zeros(2), weight=weight).item() == (1.5 + 3 * 0.125) / 2


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.set_(x.untyped_storage(), 2),
        lambda x: x.set_(x, size=(2,)),
        lambda x: x.set_(5),
    ],
)
def test_a_place_in_memory_is_given_as_a_whole(call: Callable[[Any], Any]) -> None:
    text = "(torch.Storage source, int storage_offset, tuple of ints size"
    check(lambda: call(z(3)), TypeError, text)


def test_imaginary_parts_are_refused() -> None:
    check(lambda: torch.arange(0, 1j), RuntimeError, "cannot be converted to type double")
    check(lambda: z(2).nansum(dtype=torch.complex64), NotImplementedError, "'ComplexFloat'")


def test_vectors_of_truth_are_not_reduced_by_index() -> None:
    x, at = z(3, dtype=torch.bool), torch.tensor([0])
    check(lambda: x.index_reduce(0, at, x[:1], "amax"), NotImplementedError, '"index_func_"')


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: torch.squeeze(torch.ones(1, 2), torch.tensor([0])),
            r"squeeze\(\) received an invalid",
        ),
        (
            lambda: torch.ones(2).sum_to_size((numpy.float16(1),)),
            "must be tuple of ints, but found element of type numpy.float16 at pos 0",
        ),
        (
            lambda: torch.unique_consecutive(torch.ones(2), dim=torch.tensor([0])),
            "'dim' must be int, not Tensor",
        ),
        (
            lambda: torch._chunk_cat([torch.ones(2)], 0, torch.tensor([1])),
            "'num_chunks' .position 3. must be int, not Tensor",
        ),
    ],
)
def test_composites_refuse_tensors_and_floats_where_ints_are_wanted(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.ones(2, dtype=torch.bool).sub_(2**63), "with a bool tensor"),
        (lambda: 2**63 - torch.ones(2, dtype=torch.bool), "with a bool tensor"),
        (lambda: torch.where(torch.ones(2), 1.0, 1e50j), "c10::complex<float> without overflow"),
        (lambda: torch.rrelu_(torch.ones(2), upper=1e50), "type float without overflow"),
        (lambda: torch.rrelu_(torch.ones(2), lower=1j), "type double without overflow"),
        (
            lambda: torch.nn.functional.hardtanh_(torch.ones(2).half(), 1j),
            "type double without overflow",
        ),
        (
            lambda: torch.histc(torch.ones(2, dtype=torch.uint8), max=300),
            "type uint8_t without overflow",
        ),
        (lambda: torch.sym_constrain_range(1j), "type int64_t without overflow"),
        (
            lambda: torch.linalg.pinv(torch.ones(2, 2, dtype=torch.bool), atol=1.0),
            "doesn't handle types other than float and double",
        ),
    ],
)
def test_numbers_are_refused_in_the_order_in_which_torch_converts_them(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_lstsq_with_rcond_names_the_kernel_that_lacks_a_dtype():
    x = torch.ones(2, 2, dtype=torch.int32)
    with pytest.raises(NotImplementedError, match="\"linalg_lstsq_cpu\" not implemented for 'Int'"):
        torch.linalg.lstsq(x, x, 1.0)
