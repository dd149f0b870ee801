"""The reason for which operators refuse a call with several faults, and the state of out= then."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import minitorch as torch

REFUSED = {
    "ones(2, 2).repeat_interleave(ones(2, 2), dim=3)": "repeats must be 0-dim or 1-dim tensor",
    "torch.repeat_interleave(ones(2, 2))": "\"repeat_interleave_cpu\" not implemented for 'Float'",
    "ones(2, 2).tensor_split(ones(2, 2), dim=3)": "to have dtype of long, but got Float",
    "torch.trapezoid(ones(2, 2), dim=3)": "Dimension out of range (expected to be in range",
    "torch.randint_like(ones(2), ones(2), pin_memory=True)": "high must be a scalar tensor and on",
    "torch.full_like(ones(2), 1, pin_memory=True)": "pin_memory=True requires a CUDA",
    "torch.histogramdd(ones(2, 2), (0, 0), weight=ones(2, 2))": "if weight tensor is provided it",
    "torch.histogramdd(ones(2, 2), (0,), [1.5])": "range should have 4 elements, but got 1",
    "torch._VF.stft(ones(2), 2, pad_mode='a')": "stft requires the return_complex parameter",
    "torch.nuclear_norm(ones(2, 2), 3)": "Dimension out of range (expected to be in range",
    "torch.max_pool1d(ones(2, 2), (0,), None)": "kernel_size must be greater than zero, but got 0",
    "ones(2, 2).to_sparse(dense_dim=3)": "dense_dim argument must be in [0,2] range, but 3 is",
    "ones(2, 2).to_sparse(dense_dim=2)": "dense_dim argument must be !=self.dim() when",
    "ones(2, 2).to_sparse(blocksize=3)": "Strided to Sparse with blocksize argument given is not",
    "ones(2, 2).clamp_(1j)": "value cannot be converted to type double without overflow",
    "ones(2, 2).long().clamp_(1j)": "result type ComplexFloat can't be cast to the desired",
    "torch._VF.meshgrid([ones(2, 2)])": "got:  1  1\n 1  1\n[ torch.FloatTensor{2,2} ]",
    "ones(3).cumsum_(5, dtype=torch.int64)": "Dimension out of range (expected to be in range",
    "ones(2, 3).split((0, 1), -1)": "(input tensor's size at dimension -1)",
    "torch.fft.rfftn(one.half())": "rfftn must transform at least one axis",
    "torch.linalg.eig(ones(3).int(), out=(ones(1), ones(1)))": "must have at least 2 dimensions",
    "torch.linalg.eigh(ones(2, 3), out=(one.int(), one.int()))": "batches of square matrices",
    "torch.mv(ones(3, 2), ones(3), out=ones(1))": "size mismatch, got input (1), mat (3x2), vec (3",
    "torch.mv(ones(3, 2), ones(2, 2), out=one)": "got 0, 2, 2",
    "torch.addcmul(ones(2), ones(3), ones(2), value=1j)": "The size of tensor a (2) must match",
    "torch.addcdiv(z.int(), z.int(), z.int(), out=y.int()[:1])": "Integer division with addcdiv",
    "torch.cumsum(y, 2, out=y[:1])": "Dimension out of range (expected to be in range",
    "torch.arange(1j, 1, dtype=torch.complex64)": '"arange_cpu" not implemented for \'ComplexFloa',
    "torch.arange(1j, -1, pin_memory=True)": "pin_memory=True requires a CUDA",
    "torch.linspace(ones(2), 1, 2, out=ones(2), dtype=torch.int64)": "dtype Long does not match",
    "torch.logspace(0, 1j, 3, out=one.int())": "value cannot be converted to type int without",
    "torch.binary_cross_entropy_with_logits(ones(2, 3), ones(3, 2))": "The size of tensor a (2) mu",
    "torch.binary_cross_entropy_with_logits(ones(2, 3), ones(3) * 1j)": "output with shape [3] doe",
    "torch.conv2d(ones(1, 2, 3), ones(1, 2, 3), padding='valid')": "but got stride=[1, 1]",
    "torch.conv2d(ones(1, 2, 3), ones(1, 2, 3), padding='same', stride=(0, 1))": "weight[1, 2, 3]",
    "torch.ctc_loss(one, one, one, one)": "input_lengths must be integral",
    "torch.multinomial(ones(1, 1, 1), 1, out=ones(1))": "prob_dist must be 1 or 2 dim",
    "torch.multinomial(ones(2).int(), 1, out=ones(1))": "only supports floating-point dtypes",
    "torch.nonzero(ones(2), as_tuple=True, out=one)": "does not support the out kwarg when as_tupl",
    "torch.quantile(ones(0), 0.5, 0, out=one.half())": "quantile() input tensor must be non-empty",
    "torch.mvlgamma(ones(2).int(), 1, out=one.int())": "result type Int can't be cast to the desir",
    "torch.zeros(2, out=one.int(), requires_grad=True)": "Only Tensors of floating point and compl",
    "torch.log_softmax(ones(2) * 1j, 0, out=ones(2))": "dtype c10::complex<float>, but got float",
    "torch.hardshrink(ones(2).int(), 0.5, out=ones(2))": "Found dtype Float but expected Int",
    "torch.scatter(x, 3, ones(2).long(), y, reduce='amin', out=one)": "Dimension out of range",
    "torch.unbind_copy(ones(2), out=ones(2))": "must be tuple of Tensors, not Tensor",
    "torch.unbind_copy(ones(2), out=[one])": "unbind_copy_int_out expected an out= argument of siz",
    "torch.sparse_coo_tensor(2, [1], (3,), check_invariants=True)": "indices must be sparse_dim x",
    "torch.baddbmm(x, z, z, torch.uint8, out=x)": "aten::baddbmm(): functions with out=... argumen",
    "torch.ger(z, z, out=z)": "some elements of the input tensor and the written-to tensor refer t",
    "torch.kron(ones(3, 2), y, out=y)": "some elements of the input tensor and the written-to tens",
    "torch.vstack([y], out=y)": "some elements of the input tensor and the written-to tensor refer",
    "torch.fft.fft2(ones(2, 2), (5,), out=ones(2))": "dim and shape arguments must have the same",
    "torch.fft.fft2(ones(2, 2).half(), out=ones(2))": "Unsupported dtype Half",
    "torch.fft.rfftn(ones(2).half(), (2, 2))": "Got shape with 2 values but input tensor only has",
    "torch.fft.rfftfreq(-4)": "Trying to create tensor with negative dimension -1: [-1]",
    "torch.linalg.cond(ones(3), 'nuc')": "linalg.cond(ord=nuc): The input tensor A must have",
    "torch.linalg.eig(ones(3).int())": "Unknown Complex ScalarType for Int",
    "torch.linalg.eigvals(ones(3, 2).int())": "Unknown Complex ScalarType for Int",
    "torch.linalg.svdvals(ones(2, 2).half(), driver='gesvd')": "keyword argument `driver=` is only",
    "torch.linalg.matrix_norm(ones(2, 2).int(), 'nuc', (0,))": "Expected a floating point or",
    "torch.linalg.tensorsolve(ones(2, 3), ones(2), out=ones(2).int())": "tensorsolve: Expected res",
    "torch.linalg.tensorinv(ones(2, 3), out=ones(2).int())": "tensorinv: Expected result to be sa",
    "torch.hash_tensor(ones(3, 2), (1, 1), mode=5)": "dim 1 appears multiple times",
    "F.avg_pool2d(one, 2)": "Dimension specified as -3 but tensor has no dimensions",
    "torch.group_norm(one, 1)": "Dimension specified as 0 but tensor has no",
    "torch.grid_sampler_3d(one, one, 0, 0, False)": "Dimension specified as 0 but tensor has no",
    "torch.instance_norm(ones(1), *[None] * 4, True, 0.1, 1e-5, False)": "range of [-1, 0], but g",
    "torch.istft(one * 1j, 3)": "Dimension out of range (expected to be in range of [-1, 0]",
    "torch.native_batch_norm(ones(2).bool(), *[None] * 4, True, 2.0, 0.0)": "Dimension out of ra",
    "torch.native_batch_norm(one, *[None] * 4, True, 2.0, 0.0, out=[one])": "expected tuple of 3",
    "torch.rrelu(ones(2), 1j)": "value cannot be converted to type double without overflow",
    "torch.sym_constrain_range(1j, min=0)": "value cannot be converted to type int64_t",
    "torch.dequantize([ones(2)])": "Could not run 'aten::dequantize.tensors'",
    "torch.ctc_loss(ones(2, 0, 3).half(), ones(2, 0), (0,), ())": '"ctc_loss_cpu" not implemented',
    "torch.conv1d(ones(2, 2), ones(1), padding=(2, 2))": "weight should have at least three",
    "torch.conv1d(ones(2, 2), ones(2, 2, 2), groups=0, padding=(2, 2))": "non-positive groups",
    "torch.conv2d(ones(2, 2, 3), ones(2, 2, 2))": "a list of 1 values to match the convolution",
    "torch.conv_transpose2d(ones(1, 2, 3), ones(1, 2, 3))": "but got stride=[1, 1]",
    "torch.conv1d(ones(2, 2), ones(2, 2), padding='x')": "Invalid padding string: 'x'",
    "torch.conv1d(ones(2, 2), ones(2, 2, 2), None, (1, 1), 'same')": "stride cannot broadcast to",
    "torch.rnn_tanh_cell(ones(3), ones(3), ones(2, 2), ones(2, 3))": "weight_ih first dim must be",
    "torch.gru_cell(ones(1, 1), ones(1, 1), ones(4, 2), ones(1, 1))": "input has inconsistent",
    "torch.gru(ones(4, 2), ones(2), ones(1, 2, 2), [one, one], False, 2, 0.5, True, False)": (
        "Expected more hidden states in stacked_rnn"
    ),
    "torch.rand((-1,), pin_memory=True)": "pin_memory=True requires a CUDA",
    "torch.ones((-1,), out=ones(2))": "numel: integer multiplication overflow",
    "torch.sparse_coo_tensor(2, [1], (3,))": "Dimension specified as 0 but tensor has no",
    "torch.round(ones(2).bool(), out=ones(2))": "Found dtype Float but expected Bool",
    "torch.lcm(ones(1), ones(2, 1), out=ones(3).int())": "result type Float can't be cast to the",
    "torch.dot(ones(2), ones(2, 3), out=ones(3).int())": "result dtype Int does not match input",
    "one.to_sparse_csc(1)": "dense_dim argument must be in [0,-2] range, but 1 is given",
    "ones(3).to_sparse_bsr((3, 1))": "Dimension out of range (expected to be in range of [-1, 0]",
    "ones(3).to_sparse_bsc((3,))": "blocksize needs to be a tuple of size 2, but got 1",
    "ones(2, 3, 4, 4).to_sparse_bsr((3, 1), -1)": "tensor sparse size (4,2) must be divisible",
    "(ones(2, 2) * 1j).requires_grad_().to_sparse_csr()": "_to_sparse_csr does not support autom",
    "torch.sparse_csr_tensor([1], 2, [1])": "crow_indices and col_indices dimensionalities must",
    "torch.sparse_csc_tensor(2, [1], 2)": "ccol_indices must have dimensionality >= 1 but got 0",
    "torch.sparse_csr_tensor([0, 1], [0], [1], (1, 1), requires_grad=True)": "Only Tensors of",
    "torch.sparse_csr_tensor([0, 1], [0], [1.0], pin_memory=True)": "Cannot access accelerator",
    "torch.sparse_csr_tensor([0], [0], [1], (0,), pin_memory=3)": "invalid combination of argum",
    "torch.sparse_csr_tensor(['a'], [0], [1])": "too many dimensions 'str'",
    "torch.histogramdd(one, 5)": "Dimension specified as -1 but tensor has no dimensions",
    "torch.histogramdd(ones(1, 0), [ones(2)])": "expected 0 sequences of bin edges for a 0-dim",
    "torch.histogram(ones(2), ones(2, 3), weight=ones(2).double())": "bins tensor should have one",
    "torch.hspmm(ones(2, 2), ones(2, 2), out=ones(2))": "Could not run 'aten::hspmm.out'",
    "torch.row_indices_copy(x, out=x)": "aten::row_indices_copy(): functions with out=... argum",
    "torch.take(ones(3), x, out=ones(3))": "take(): Expected a long tensor for index, but got",
    "torch.linalg.lu_solve(ones(2, 2), x, ones(2, 2))": "differentiable with respect to argument",
    "torch.sparse_csr_tensor([0], [0], [1], layout='a')": "invalid combination of arguments",
    "torch.sparse_coo_tensor([1], size=(0,))": "invalid combination of arguments",
    "torch.sparse_coo_tensor((0,), requires_grad=None)": "invalid combination of arguments",
    "torch.linspace(ones(2), 1, 0, device='a')": "Expected one of cpu, cuda,",
    "torch.nonzero_static(ones(2), size=0, out=ones(2))": "Expected out tensor to have scalar",
    "torch.kron(y, y, out=y)": "refer to a single memory location",
    "y.pin_memory('cpu')": "CPU device type not an accelerator.",
    "torch.resize_as_sparse_(x, x)": "a leaf Variable that requires grad is being used",
    "ones(2).addr_(ones(2), ones(2), alpha=1j)": "2D tensor expected, got 1D tensor for input",
    "torch.zeros(1, 0).amax((1, 1))": "Expected reduction dim 1 to have non-zero size",
    "ones(2).as_strided((-1,), (0,))": "numel: integer multiplication overflow",
    "ones(2).as_strided((-1,), (1,))": "Storage size calculation overflowed",
    "x.bernoulli_(torch.zeros(0))": "a leaf Variable that requires grad is being used",
    "(one * 1j).copysign_(ones(3) * 1j)": "output with shape [] doesn't match the broadcast shape",
    "torch.ones(1, dtype=torch.int64).div_(torch.zeros(3).long(), rounding_mode='trunc')": (
        "output with shape [1] doesn't match the broadcast shape [3]"
    ),
    "x.cumsum_(5, dtype=torch.int64)": "a leaf Variable that requires grad is being used",
    "one.diag_embed(0, 0)": "diagonal dimensions cannot be identical 0, -1",
    "ones(1).half().fill_(1j)": "value cannot be converted to type double without overflow",
    "ones(2).half().fill_(1j)": "value cannot be converted to type c10::Half without overflow",
    "ones(3).histogram(ones(1))": "bins must be > 0, but got 0 for dimension 0",
    "ones(2).index_fill_(2, torch.tensor([0]), 1j)": "Converting complex Scalar to non-complex",
    "ones(2).index_put((ones(2).bool(), ones(2).bool()), one)": "too many indices for tensor of",
    "ones(2, 2).index_put((ones(2, 2, 2).bool(),), one)": "Dimension out of range",
    "ones(2, 3).masked_fill(ones(2, 2), ones(2))": "The size of tensor a (2) must match the size",
    "ones(2).movedim(2, ())": "have invalid types: (int, !tuple of ()!)",
    "(ones(2) * 1j).nanmean(2)": "Dimension out of range",
    "one.narrow(1, ones(1), 5)": "start must be an 0-dim integral Tensor",
    "torch.ormqr(ones(2, 3), ones(2), ones(3, 3))": "other.shape[-2] must be equal to input.shape[",
    "ones(2).quantile(torch.tensor([2.0]), 5)": "Dimension out of range",
    "ones(2).repeat_interleave(-4, 2)": "Dimension out of range",
    "torch.fft.fftfreq(-4, dtype=torch.int32)": "Trying to create tensor with negative dimension",
    "torch.fft.fftfreq(-1, out=ones(2))": "upper bound and lower bound inconsistent",
    "torch.binomial(ones(2).long(), ones(3))": "only supports floating-point dtypes for count",
    "torch.linalg.tensorsolve(one, ones(1))": "cannot create std::vector larger than max_size()",
    "torch.any(ones(2), 5, out=ones(2))": "any only supports bool tensor for result, got: Float",
    "torch.amin(torch.zeros(0), out=ones(2).bool())": "Expected the dtype for input and out to",
    "torch.lt(z, ones(3), out=z)": "output with shape [1] doesn't match the broadcast shape [3]",
    "torch.bitwise_or(ones(2), 1j, out=ones(2))": "result type ComplexFloat can't be cast to the",
    "torch.hann_window(3, dtype=torch.bool, layout=torch.strided)": "layout=Strided, requires_grad",
    "torch.eye(-1, pin_memory=True)": "pin_memory=True requires a CUDA",
    "torch.layer_norm(ones(2), (1,), ones(2).double())": "expect parameter to have scalar type of",
    "torch.subtract(ones(2), ones(2), 2)": "invalid combination of arguments",
    "torch.logspace(5, 2, 1, dtype=torch.uint8)": "cannot be converted to type uint8_t",
    "torch.heaviside(y, y, out=x)": "aten::heaviside(): functions with out=... arguments",
    "torch.bitwise_or(y.int(), 1, out=x[:1])": "aten::bitwise_or(): functions with out=...",
    "torch.native_dropout(x * 1j, 0.5, True)": "does not support automatic differentiation for out",
    "torch.cudnn_batch_norm(y, y, y, x, y, True, 0.1, 0.1)": "with respect to argument 'running_m",
    "torch.histc(y, 0, max=1j)": "bins must be > 0, but got 0 for dimension 0",
    "torch.fft.irfft(x, dim=5, out=ones(2))": "Dimension out of range",
    "torch.hash_tensor(torch.zeros(1, 0), (1, 1))": "Expected reduction dim 1 to have non-zero",
    "torch.outer(ones(1, 2), x, out=ones(2))": "outer: Expected 1-D argument self, but got 2-D",
    "torch.where(ones(2).bool(), ones(2), ones(3), out=ones(2).long())": "Expected out type to be",
}


@pytest.mark.parametrize("source", REFUSED)
def test_the_first_reason_is_the_one_torch_gives(source: str) -> None:
    names = {"torch": torch, "F": torch.nn.functional, "ones": torch.ones, "one": torch.ones(())}
    names["y"], names["z"] = torch.ones(2), torch.ones(1)
    names["x"] = torch.ones(2, requires_grad=True)
    refused = (RuntimeError, IndexError, TypeError, ValueError)
    with warnings.catch_warnings(action="ignore"), pytest.raises(refused) as caught:
        eval(source, names)
    assert REFUSED[source] in str(caught.value)


def test_out_has_the_shape_of_the_result_when_a_kernel_refuses() -> None:
    out = torch.ones(3, dtype=torch.complex64)
    with pytest.warns(UserWarning, match="was resized"), pytest.raises(NotImplementedError):
        torch.special.gammainc(out[:1].clone(), torch.ones(2, 1), out=out)
    assert out.shape == (2, 1)


def test_copies_of_views_size_out_before_they_look_at_its_dtype() -> None:
    out = torch.ones(5, dtype=torch.int64)
    with pytest.warns(UserWarning, match="was resized"), pytest.raises(RuntimeError):
        torch.view_copy(torch.ones(2, 2), (4,), out=out)
    assert out.shape == (4,)


def test_logspace_of_one_step_is_rounded_after_the_power() -> None:
    assert torch.logspace(0.5, 2, 1, dtype=torch.int64).tolist() == [3]


def test_subtract_with_a_factor_by_place_is_of_a_number() -> None:
    found = torch.subtract(torch.ones(2, requires_grad=True), 2, 3)
    assert found.tolist() == [-5, -5]
    assert found.grad_fn.name() == "SubBackward1"


def test_out_that_is_no_leaf_takes_results_without_a_derivative() -> None:
    out = torch.ones(2, requires_grad=True) * 2
    torch.bitwise_and(torch.tensor([1, 2]), 2, out=out)
    assert out.tolist() == [0, 2]
    assert out.grad_fn.name() == "torch::autograd::NotImplemented"


def test_cat_of_vectors_without_elements_takes_any_dimension() -> None:
    assert torch.cat([torch.zeros(0), torch.zeros(0)], 5).shape == (0,)


def test_histogramdd_of_no_dimensions_counts_nothing() -> None:
    assert torch.histogramdd(torch.ones(3, 0), 5)[0].item() == 0


def test_dot_sizes_out_before_it_reads_its_inputs() -> None:
    x = torch.ones(3)
    with pytest.warns(UserWarning, match="was resized"), pytest.raises(RuntimeError) as caught:
        torch.dot(x, torch.ones(3), out=x)
    assert str(caught.value) == "1D tensors expected, but got 0D and 1D tensors"


def test_memory_without_bytes_is_one_by_its_owner() -> None:
    x = torch.empty(2, 0)
    assert x.is_set_to(x)
    assert not x.is_set_to(torch.empty(2, 0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_svd_of_nothing_keeps_its_dtype(dtype: Any) -> None:
    u, s, v = torch.zeros(2, 0, 3, dtype=dtype).svd()
    assert [each.dtype for each in (u, s, v)] == [dtype] * 3
    assert [*u.shape, *s.shape, *v.shape] == [2, 0, 0, 2, 0, 2, 3, 0]


def test_powers_of_complex_zero_are_those_of_exp_and_log() -> None:
    exponents = [1, 1 + 2j, 1 - 2j, 0, 1j, -1, complex(1, math.inf)]
    for found in (
        torch.zeros(7, dtype=torch.complex64) ** torch.tensor(exponents),
        torch.stack([torch.zeros((), dtype=torch.complex64) ** torch.tensor(e) for e in exponents]),
    ):
        assert str(found) == (
            "tensor([0.-0.j, 0.-0.j, 0.+0.j, nan+nanj, nan+nanj, inf+nanj, nan+nanj])"
        )
    assert str(torch.zeros(2, dtype=torch.complex64) ** 0) == "tensor([1.+0.j, 1.+0.j])"


def test_normal_values_of_nothing_keep_any_dtype() -> None:
    assert torch.normal(2.0, torch.ones(0, dtype=torch.int64)).dtype is torch.int64


def test_nuclear_norm_takes_keepdim_in_the_place_of_dim() -> None:
    assert torch.nuclear_norm(torch.eye(2), True).shape == (1, 1)


def test_gru_reads_batch_sizes_of_any_shape() -> None:
    weights = [torch.ones(6, 2), torch.ones(6, 2)]
    options = (weights, False, 1, 0.0, False, False)
    flat = torch.gru(torch.ones(4, 2), torch.tensor([1] * 4), torch.ones(1, 1, 2), *options)
    square = torch.gru(
        torch.ones(4, 2), torch.ones(2, 2, dtype=torch.int64), torch.ones(1, 1, 2), *options
    )
    assert torch.equal(flat[0], square[0])


def test_nanmean_into_integers_sizes_out_before_it_refuses() -> None:
    out = torch.arange(6).reshape(2, 3)
    with pytest.warns(UserWarning, match="was resized"), pytest.raises(NotImplementedError):
        torch.nanmean(torch.ones(2, 3), out=out)
    assert out.shape == ()


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_sparse_csr_tensor_keeps_indices_of_any_dtype() -> None:
    x = torch.sparse_csr_tensor([0.5, 1], [0.5], [1.0], (1, 1), check_invariants=False)
    assert x.crow_indices().dtype is torch.float32


def test_inv_solve_and_cholesky_write_into_their_input() -> None:
    x, y, z = [torch.tensor([[4.0, 2.0], [2.0, 2.0]]) for _ in range(3)]
    assert torch.linalg.inv(x, out=x) is x
    assert torch.allclose(x, torch.tensor([[0.5, -0.5], [-0.5, 1.0]]))
    assert torch.allclose(torch.linalg.solve(y, y, out=y), torch.eye(2))
    assert torch.equal(torch.linalg.cholesky(z, out=z), torch.tensor([[2.0, 0.0], [1.0, 1.0]]))


def test_lengths_of_ctc_loss_are_looked_at_before_targets_are_cast() -> None:
    ones = torch.ones
    targets = ones(2, 2, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match="input_lengths must be integral"):
        # A cast would warn, and warnings are errors here.
        torch.nn.functional.ctc_loss(ones(4, 2, 3), targets, ones(2), ones(2))


def test_attention_to_no_values_gives_zeros_with_a_history() -> None:
    query, key = torch.ones(2, 4, 3, requires_grad=True), torch.ones(2, 6, 3)
    found = torch.nn.functional.scaled_dot_product_attention(query, key, torch.ones(2, 0, 5))
    assert found.tolist() == torch.zeros(2, 4, 5).tolist()
    assert found.grad_fn.name() == "AddBackward0"
    found.sum().backward()
    assert query.grad.tolist() == torch.zeros(2, 4, 3).tolist()


def test_native_batch_norm_in_evaluation_gives_nothing_of_nothing() -> None:
    x, odd = torch.ones(1, 0), torch.ones(3, 2)
    found = torch.native_batch_norm(x, odd, odd, odd, odd, False, 1.0, 1.0)
    assert [tuple(each.shape) for each in found] == [(1, 0), (0,), (0,)]


def test_constant_pad_nd_that_adds_nothing_takes_any_value() -> None:
    assert torch.constant_pad_nd(torch.ones(3), (-1, 0), 1j).tolist() == [1, 1]


def test_adaptive_avg_pool2d_of_nothing_takes_any_dtype() -> None:
    found = torch.nn.functional.adaptive_avg_pool2d(torch.ones(0, 2, 2, dtype=torch.uint8), 2)
    assert found.shape == (0, 2, 2)
    assert found.dtype is torch.uint8


def test_msort_and_nan_to_num_of_integers_write_over_their_input() -> None:
    x = torch.tensor([3, 1, 2])
    torch.msort(x, out=x[:])
    assert x.tolist() == [1, 2, 3]
    torch.nan_to_num(x, out=x[:])
    assert x.tolist() == [1, 2, 3]


def test_split_copy_copies_into_out_as_it_is() -> None:
    outs = [torch.zeros(2, dtype=torch.int32), torch.zeros(3, 2)]
    torch.split_copy(torch.tensor([1.5, 2, 3, 4]), 2, out=outs)
    assert [each.tolist() for each in outs] == [[1, 2], [[3, 4]] * 3]


def test_index_put_beside_an_empty_index_writes_nothing() -> None:
    x = torch.zeros(2, 0, 3)
    x[torch.zeros(0, dtype=torch.int64), torch.tensor([1])] = 1.0
    assert x.shape == (2, 0, 3)


def test_mean_of_no_complex_numbers_is_nan_in_both_parts() -> None:
    found = torch.ones(0, dtype=torch.complex64).mean()
    assert math.isnan(found.real.item())
    assert math.isnan(found.imag.item())


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda out: torch.gather(torch.ones(2, 3), 0, torch.ones(1, 3), out=out), (1, 3)),
        (lambda out: torch.linalg.eigvalsh(torch.ones(2, 2, dtype=torch.int32), out=out), (2,)),
        (lambda out: torch.histc(torch.ones(2, dtype=torch.int32), 4, 0, 1, out=out), (4,)),
        (lambda out: torch.matmul(torch.ones(2, 2, 3), torch.ones(2, 2, 3), out=out), (2, 2, 3)),
    ],
)
def test_out_is_sized_before_the_last_reason(call: Any, shape: tuple[int, ...]) -> None:
    kind = torch.int32 if len(shape) == 1 else torch.float32
    out = torch.empty(0, dtype=kind)
    with pytest.raises((RuntimeError, NotImplementedError)):
        call(out)
    assert out.shape == shape
