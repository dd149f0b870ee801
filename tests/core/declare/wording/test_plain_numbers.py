"""Numbers that are tensors, or NumPy's, where torch's parser takes them."""

import numpy
import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn import functional as F

X = torch.arange(24.0).reshape(2, 3, 4)
ONE = torch.tensor(1)


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (lambda: F.layer_norm(X, (4,), eps=ONE), lambda: F.layer_norm(X, (4,), eps=1)),
        (lambda: F.huber_loss(X, X + 3, delta=ONE), lambda: F.huber_loss(X, X + 3, delta=1)),
        (lambda: torch.roll(X, ONE, ONE), lambda: torch.roll(X, 1, 1)),
        (lambda: F.avg_pool1d(X, ONE + 1), lambda: F.avg_pool1d(X, 2)),
        (lambda: F.avg_pool1d(X, (ONE + 1,)), lambda: F.avg_pool1d(X, (2,))),
        (lambda: F.avg_pool1d(X, numpy.int64(2)), lambda: F.avg_pool1d(X, 2)),
        (lambda: X.sum(ONE == 1), lambda: X.sum(1)),
        (lambda: X.split(ONE + 1, 2)[1], lambda: X.split(2, 2)[1]),
        (lambda: torch.select(X, ONE, torch.tensor([2])), lambda: torch.select(X, 1, 2)),
        (lambda: torch.addmm(X[0], X[0, :, :3], X[0], beta=ONE + 1), None),
        (lambda: nn.BatchNorm1d(3, eps=ONE * 1e-3)(X), lambda: nn.BatchNorm1d(3, eps=1e-3)(X)),
    ],
)
def test_tensors_and_integers_of_numpy_stand_for_numbers(given, plain):
    plain = plain or (lambda: torch.addmm(X[0], X[0, :, :3], X[0], beta=2))
    assert torch.equal(given(), plain())


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: torch.select(X, torch.tensor([1]), 2), r"select\(\): argument 'dim' \(position 2"),
        (lambda: torch.cumsum(X, ONE == 1), r"cumsum\(\): argument 'dim' \(position 2\) must be i"),
        (lambda: F.huber_loss(X, X, delta=torch.tensor(1.0, requires_grad=True)), "huber_loss"),
        (lambda: F.max_pool1d(X, (ONE * 1.0,)), r"max_pool1d\(\): argument 'kernel_size'"),
    ],
)
def test_tensors_that_are_no_such_number_are_refused(call, text):
    with pytest.raises(TypeError, match=text):
        call()


def test_addmm_refuses_a_factor_that_requires_grad():
    factor = torch.tensor(2.0, requires_grad=True)
    with pytest.raises(TypeError, match="got \\(Tensor, Tensor, Tensor, beta=Tensor\\)"):
        torch.addmm(X[0], X[0, :, :3], X[0], beta=factor)


def test_a_tensor_of_bools_is_no_index():
    with pytest.raises(RuntimeError, match=r"^scalar.isIntegral\( false\) INTERNAL ASSERT FAILED"):
        torch.select(X, 0, ONE == 1)


def test_bmm_with_a_dtype_has_no_kernel_here():
    with pytest.raises(NotImplementedError, match=r"^Could not run 'aten::bmm.dtype' with"):
        torch.bmm(X, X.mT, torch.float32)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: torch.dist(X, X, 10**400), OverflowError, "int too big to convert"),
        (lambda: torch.addmm(X, X, X, beta=-(2**63) - 1), OverflowError, "can't convert negative"),
        (lambda: F.huber_loss(X * 1j, X, delta=10**400), OverflowError, "int too large to convert"),
        (lambda: torch.cumsum(X, 2**63), ValueError, "Overflow when unpacking long long"),
        (lambda: torch.sum(X, 2**63), ValueError, "Overflow when unpacking long long"),
        (lambda: torch.sum(X, [0, 2**63]), TypeError, "argument 'dim' failed to unpack the object"),
        (lambda: torch.zeros(1, 2**64), TypeError, 'at pos 2 with error "Overflow when unpack'),
    ],
)
def test_a_number_too_large_is_refused_before_all_else(call, error, text):
    with pytest.raises(error, match=text):
        call()


LEARNT = torch.tensor(2.0, requires_grad=True)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: F.interpolate(X, None, LEARNT), r"^upsample_nearest1d\(\) received an invalid"),
        (lambda: F.interpolate(X, 8, mode="linear", align_corners=1), "got .Tensor, list, int, No"),
        (
            lambda: F.interpolate(X[None], None, ONE, mode="bicubic", antialias=True),
            r"^_upsample_bicubic2d_aa\(\) received",
        ),
        (
            lambda: F.interpolate(X[None], None, (2.0, "a")),
            "but found element of type str at pos 2",
        ),
        (lambda: F.pad(X, [1, 1], "constant", LEARNT), r"^pad\(\): argument 'value' \(position 4"),
        (lambda: F.pad(X, torch.tensor([1, 1])), "^pad.*must be tuple of ints, not Tensor"),
        (lambda: F.smooth_l1_loss(X, X, beta=LEARNT), r"^smooth_l1_loss\(\): argument 'beta'"),
        (lambda: torch.cdist(X, X, "1"), r"^cdist\(\): argument 'p' \(position 3\) must be float"),
        (lambda: torch.norm(X, LEARNT), r"^linalg_vector_norm\(\): argument 'ord' \(position 2"),
        (lambda: F.normalize(X, 2, ONE * 1.0), r"^linalg_vector_norm\(\): argument 'dim'"),
        (lambda: torch.norm(X, "a", 0, 1), r"^linalg_matrix_norm\(\) received an invalid"),
    ],
)
def test_functions_over_those_of_c_refuse_what_these_refuse(call, text):
    with pytest.raises(TypeError, match=text):
        call()


def test_norm_takes_orders_of_numpy_and_refuses_complex_ones():
    assert torch.norm(X, numpy.int64(2)) == torch.norm(X, 2)
    with pytest.raises(RuntimeError, match="Expected a non-complex scalar as the order"):
        torch.norm(X, torch.tensor(2j))


def test_interpolate_reads_factors_of_numpy_but_no_truth_values():
    assert F.interpolate(X, None, numpy.float32(2)).shape == (2, 3, 8)
    with pytest.raises(TypeError, match=r"^upsample_nearest1d\(\) received an invalid combination"):
        F.interpolate(X, True)


def test_an_int_is_a_float_to_torch_where_a_float_is_wanted():
    small = torch.ones(2, dtype=torch.uint8)
    assert torch.pairwise_distance(small, small, eps=300).dtype is torch.float32
    assert torch.trapz(X, dx=2**64)[0, 0] == 4.5 * 2.0**64


def test_a_call_made_again_is_refused_as_it_was_written():
    small = torch.ones(2, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match=r"^For integral input tensors, argument alpha must "):
        torch.rsub(small, small, alpha=numpy.float32(1.5))


def test_memory_that_there_is_not_is_refused_in_the_words_of_torch():
    with pytest.raises(RuntimeError, match=r"you tried to allocate 4503599627370496 bytes\. Error"):
        torch.ones(2**25, 2**25)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: torch.full((2,), 2**63), RuntimeError, "value cannot be converted to type int64"),
        (lambda: torch.arange(2**63), RuntimeError, "value cannot be converted to type int64_t"),
        (lambda: torch.arange(1e50), RuntimeError, "^invalid size, possible overflow"),
        (lambda: torch.logit(X, 1e50), RuntimeError, "converted to type float without overflow"),
        (lambda: torch.add(1, 2**63), RuntimeError, "attempted to promote Long and UInt64"),
        (lambda: torch.trapezoid(X, dx=None), TypeError, r"got \(Tensor, dx=NoneType\), but exp"),
    ],
)
def test_numbers_that_no_dtype_of_the_call_holds_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_copy_takes_numbers_of_any_size_and_of_numpy():
    assert torch.ones(1, dtype=torch.float64).copy_(1e50).item() == 1e50
    assert torch.ones(1, dtype=torch.float32).copy_(1e50).item() == float("inf")
    assert torch.ones(1).copy_(numpy.float32(2.5)).item() == 2.5


def test_bucketize_wraps_integers_around_as_a_cast_does():
    bounds = torch.tensor([1, 2], dtype=torch.uint8)
    assert [torch.bucketize(n, bounds).item() for n in (300, 2**40, -1)] == [2, 0, 2]


def test_errors_of_complex_halves_name_the_kernel():
    half = torch.ones(2).to(torch.complex32)
    with pytest.raises(NotImplementedError, match=r'^"div_cpu" not implemented for .ComplexHalf.'):
        half / half
    with pytest.raises(NotImplementedError, match=r'^"exp_vml_cpu" not implemented for .Complex'):
        half.exp()


def test_tolerances_of_linalg_are_no_complex_tensors():
    imaginary = torch.tensor(1j)
    for function in (torch.linalg.matrix_rank, torch.linalg.pinv):
        with pytest.raises(RuntimeError, match=r"rtol tensor of complex type is not supported\. G"):
            function(torch.eye(2), rtol=imaginary)


def test_adaptive_avg_pool_refuses_sizes_under_its_public_name():
    with pytest.raises(TypeError, match=r"^adaptive_avg_pool2d\(\): argument 'output_size' failed"):
        F.adaptive_avg_pool2d(X, (2, numpy.float32(1)))


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
def test_var_of_complex_numbers_without_freedom_is_nan_where_a_part_rests():
    x = torch.tensor([[1 + 1j, 2 + 1j], [1, 2 + 2j]])
    assert repr(torch.var(x, 1, correction=3)) == "tensor([nan, inf])"
    assert repr(torch.std(x, 1, correction=3)) == "tensor([nan, inf])"


def test_lerp_takes_weights_without_dimensions_of_another_dtype():
    x, y = torch.zeros(2), torch.ones(2)
    third = torch.tensor(0.25, dtype=torch.float64, requires_grad=True)
    result = torch.lerp(x, y, third)
    assert (result.dtype, result.tolist()) == (torch.float32, [0.25, 0.25])
    result.sum().backward()
    assert third.grad.dtype is torch.float64
    assert third.grad == 2
    with pytest.raises(RuntimeError, match=r"^expected dtype float for `weight` but got dtype do"):
        torch.lerp(x, y, third.expand(2))


def test_bucketize_takes_numbers_between_bools():
    assert torch.bucketize(300, torch.tensor([True, True])) == 2
