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


# torch._C._nn: operators by the names that torch.nn.functional calls them
N = torch._C._nn
x, y, z = torch.rand(1, 2, 4, 4), torch.rand(1, 2, 4), torch.rand(1, 2, 3, 3, 3)
t, g, s = torch.rand(2, 3), torch.tensor([0, 1]), torch.tensor([[1.0, -1, 1], [-1, 1, 1]])
results = []
for text in """
N.upsample_nearest2d(x,[8,8])
N.upsample_nearest2d(x,None,[2.,2.])
N.upsample_nearest2d(x,(8,8),None)
N.upsample_nearest2d(x,[8,8],None,None)
N.upsample_bilinear2d(x,[8,8],False)
N.upsample_bilinear2d(x,[8,8],True,None)
N.upsample_bilinear2d(x,None,False,[2.,2.])
N.upsample_bicubic2d(x,[8,8],False,None,None)
N.upsample_linear1d(y,[8],False)
N.upsample_linear1d(y,None,True,[2.])
N.upsample_nearest1d(y,[8])
N.upsample_nearest1d(y,None,[2.])
N.upsample_trilinear3d(z,[6,6,6],False)
N.upsample_nearest3d(z,[6,6,6])
N._upsample_nearest_exact2d(x,[6,6])
N._upsample_bilinear2d_aa(x,[2,2],False)
N.reflection_pad2d(x,[1,1,1,1])
N.replication_pad1d(y,[1,1])
N.im2col(x,[2,2],[1,1],[0,0],[1,1])
N.col2im(torch.rand(1,8,9),[4,4],[2,2],[1,1],[0,0],[1,1])
N.nll_loss_nd(torch.rand(2,3),torch.tensor([0,1]),None,1,-100)
N.nll_loss2d(torch.rand(2,3,1,1),torch.tensor([[[0]],[[1]]]),None,1,-100)
N.cross_entropy_loss(torch.rand(2,3),torch.tensor([0,1]),None,1,-100,0.)
N.cross_entropy_loss(torch.rand(2,3),torch.tensor([0,1]))
N.silu_(x.clone())
N.hardswish_(x.clone())
N.mish_(x.clone())
N.relu6_(x.clone())
N.hardsigmoid_(x.clone())
N.pad_sequence([y[0],y[0]],True,0.)
N.rrelu_with_noise(x-.5,torch.empty_like(x),.1,.3,False,None)
N.gelu(x,approximate="tanh")
N.linear(x,torch.rand(3,4),None)
N.log_sigmoid(x)
N.scaled_dot_product_attention(x,x,x)
N.avg_pool2d(x,[2,2])
N.adaptive_avg_pool2d(x,[2,2])
N.one_hot(torch.tensor([1]),3)
N.pad(x,[1,1],"reflect")
N.softplus(x,1,20)
N.mse_loss(x,x+1,1)
N.l1_loss(x,x+1,2)
N.leaky_relu(x-.5,.1)
N.hardtanh_(x.clone(),.2,.3)
N.elu_(x-.5,1.)
N.binary_cross_entropy(x,x,None,1)
N.mse_loss(t,t+1)
N.l1_loss(t,t+1)
N.l1_loss(t,t+1,1)
N.smooth_l1_loss(t,t+1)
N.huber_loss(t,t+1,1,2.)
N.huber_loss(t,t+1)
N.binary_cross_entropy(t,t)
N.multi_margin_loss(t,g)
N.multilabel_margin_loss(t,torch.tensor([[0,-1,1],[1,2,-1]]))
N.soft_margin_loss(t,s)
N.nll_loss(t,g)
N.nll_loss_nd(t,g)
N.nll_loss(t,g,None,2,-100)
N.elu(t-1,.5,2.,3.)
N.glu(t[:,:2],1)
N.hardtanh(t,.1,.2)
N.max_pool2d_with_indices(x,[2,2])
N.max_unpool2d(*torch.ops.aten.max_pool2d_with_indices(x,[2,2]),[4,4])
N.fractional_max_pool2d(x,[2,2],[1,1],torch.rand(1,2,2))
N.adaptive_max_pool2d(x,[2,2])
N.hardswish(t)
N.relu6(t*9)
N.mish(t)
N.silu(t)
N.leaky_relu(t-.5)
""".strip().split("\n"):
    results.append(eval(text))


# torch.ops.aten.upsample_nearest2d: its overloads by the arguments that are given
A, x = torch.ops.aten, torch.rand(1, 2, 3, 4)
results = (
    A.upsample_nearest2d(x, [6, 8]),
    A.upsample_nearest2d(x, output_size=[6, 8]),
    A.upsample_nearest2d(x, [6, 8], 2.0, 2.0),
    A.upsample_nearest2d(x, [6, 8], scales_h=2.0),
    A.upsample_nearest2d(x, None, [2.0, 3.0]),
    A.upsample_nearest2d(x, output_size=None, scale_factors=[2.0, 3.0]),
    A.upsample_bilinear2d(x, [6, 8], False),
    A.upsample_bilinear2d(x, None, False, [2.0, 3.0]),
    A.upsample_bilinear2d(x, align_corners=True, output_size=[6, 8]),
    A._upsample_bilinear2d_aa(x, [6, 8], False, scales_h=2.0),
)
