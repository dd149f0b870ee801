# torch.ops.aten: composite operators, which torch's Python names otherwise
A, x = torch.ops.aten, torch.arange(6.0).reshape(2, 3)
target = torch.tensor([0, 2])
spectra = A.fft_rfft(x), A.fft_ifft2(x), A.fft_fftshift(x), A.fft_hfft(x, 4)
special = A.special_erf(x), A.special_xlogy(x, x), A.special_logsumexp(x, 1, True), A.special_i0(x)
square = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
of_matrices = (
    A.linalg_norm(x),
    A.linalg_norm.ord_str(x, "fro"),
    A.linalg_matrix_norm(x, 2, [0, 1]),
    A.linalg_det(square),
    A.linalg_inv(square),
    A.linalg_cholesky(square),
    A.linalg_solve(square, x),
    A.linalg_matrix_power(square, 3),
    A.linalg_cond.p_str(square, "nuc"),
    A.linalg_svdvals(x),
    A.linalg_eigvalsh(square),
    A.linalg_vander(x[0], N=2),
    A.linalg_pinv(square),
)
layers = (
    A.linear(x, x),
    A.pad(x, [1, 1]),
    A.pad(x, [1, 1], "reflect"),
    A.one_hot(target),
    A.relu6(x),
    A.log_sigmoid(x),
    A.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True),
    A.pad_sequence([x, x[:1]], True, 7.0),
    A.adaptive_avg_pool2d(x[None], [1, 2]),
    A._adaptive_avg_pool2d(x[None], [1, 2]),
    A._adaptive_avg_pool3d.default(x[None, None], [1, 1, 2]),
)
written = (
    A.hardtanh_(x.clone(), 1, 2),
    A.silu_(x.clone()),
    A.relu6_(x * 2),
    A.zero(x),
    A.copy(x, x + 1),
)
properties = A.mT(x), A.mH(x), A.matrix_H(x), A.numpy_T(x)
sizes = A.sym_size.int(x, 1), A.sym_size(x), A.sym_stride.int(x, 0), A.sym_numel(x)
kinds = (
    A.can_cast(torch.float32, torch.int64),
    A.combinations(x[0]),
    A._stack([x, x]),
    A._is_all_true(x > 0),
)

# torch.ops.aten: losses, with the mean where no reduction is named
A = torch.ops.aten
x, y = torch.linspace(0.1, 0.9, 6).reshape(2, 3), torch.linspace(0.2, 0.7, 6).reshape(2, 3)
signs, target = torch.tensor([1.0, -1.0]), torch.tensor([0, 2])
means = (
    A.binary_cross_entropy_with_logits(x, y),
    A.binary_cross_entropy_with_logits.default(x, y, None, None, 2),
    A.kl_div(x, y),
    A.hinge_embedding_loss(x, y.sign()),
    A.margin_ranking_loss(x[:, 0], y[:, 0], signs, 0.1),
    A.cosine_embedding_loss(x, y, signs),
    A.triplet_margin_loss(x, y, y + 1),
    A.mse_loss(x, y),
    A.huber_loss(x, y),
    A.soft_margin_loss.default(x, y.sign()),
    A.l1_loss(x, y),
    A.l1_loss(x, y, 2),
    A.cross_entropy_loss(x, target),
    A.cross_entropy_loss(x, target, None, 0, -100, 0.1),
    A.nll_loss(x, target, None, 1, -100),
    A.nll_loss_nd(x, target),
)

# torch.ops.aten: overloads that torch composes, and those that it generates to write
A, x = torch.ops.aten, torch.arange(6.0).reshape(2, 3)
composed = (
    A.var.default(x, False),
    A.var.dim(x, [1], True, True),
    A.std.default(x),
    A.std.dim(x, [0]),
    A.var_mean.dim(x, [1]),
    A.max.other(x, 3 - x),
    tuple(A.split.sizes(x, [1, 2], 1)),
    A.repeat_interleave.self_int(x, 2),
    A.repeat_interleave.self_Tensor(x, torch.tensor([1, 2]), 0),
    A.div_.Scalar_mode(x.clone(), 2, rounding_mode="floor"),
    A.eq_.Scalar(x.clone(), 2),
    A.floor_divide.Scalar(x, 2),
    A.isin.Tensor_Scalar(x, 2),
    A.bucketize.Scalar(2.0, x[0]),
    A.bitwise_and_.Scalar(torch.tensor([3]), 2),
    A.im2col(x.view(1, 1, 2, 3), 2, 1, 0, 1),
)
generated = (
    A.clone.out(x, out=torch.empty(0)),
    A.embedding.out(x, torch.tensor([1]), out=torch.empty(0)),
    A.add.Scalar_out(x, 2, out=torch.empty(0)),
    A.fill.Scalar_out(x, 2, out=torch.empty(0)),
    A.flip.out(x, [0], out=torch.empty(0)),
    A.isnan.out(x, out=torch.empty(0, dtype=torch.bool)),
)
every = (
    A.unique_consecutive(x),
    A.unique_consecutive.default(x, True),
    A.unique_consecutive(x, False, True),
)
signal, window = torch.sin(torch.arange(64.0)), torch.ones(16)
framed = A.stft(signal, 16, 4, 16, window, return_complex=True)
older = A.stft.default(signal, 16, 8, 16, window, return_complex=True)
centred = A.stft.center(signal, 16, 4, 16, window, return_complex=True)
asked = A.stft(signal, 16, 4, 16, window, center=True, return_complex=True)
torch.manual_seed(0)
drawn = (
    A.uniform(x),
    A.uniform(x, 2.0, 3.0),
    A.random.to(x, 5),
    A.cauchy(x),
    A.bernoulli.Tensor(x, x / 9),
)
