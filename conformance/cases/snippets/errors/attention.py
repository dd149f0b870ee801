# F.multi_head_attention_forward: what multi_head_attention_forward refuses
def attend(**changed):
    x = torch.ones(3, 2, 4)
    given = dict(
        query=x,
        key=x,
        value=x,
        embed_dim_to_check=4,
        num_heads=2,
        in_proj_weight=torch.ones(12, 4),
        in_proj_bias=None,
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=torch.ones(4, 4),
        out_proj_bias=None,
    )
    try:
        out = F.multi_head_attention_forward(**{**given, **changed})
        print([None if each is None else each.shape for each in out])
    except Exception as error:
        print(type(error).__name__, error)


w, row = torch.ones(4, 4), torch.ones(1, 1, 4)
own = dict(use_separate_proj_weight=True, q_proj_weight=w, k_proj_weight=w, v_proj_weight=w)
attend(query=torch.ones(4))
attend(key=torch.ones(3, 4))
attend(value=torch.ones(3, 4))
attend(key_padding_mask=torch.ones(3))
attend(attn_mask=torch.ones(3))
flat = torch.ones(3, 4)
attend(query=flat, key=flat, value=flat, attn_mask=torch.ones(3, 3, 3))
attend(query=flat, key=flat, value=flat, attn_mask=torch.ones(2, 3, 3))
attend(query=flat, key=flat, value=flat, key_padding_mask=torch.ones(2, 3))
attend(attn_mask=torch.ones(3, 3, dtype=torch.int64))
attend(key_padding_mask=torch.ones(2, 3, dtype=torch.int64))
attend(is_causal=True)
attend(is_causal=True, need_weights=False)
attend(is_causal=True, attn_mask=torch.zeros(3, 3))
attend(embed_dim_to_check=5)
attend(num_heads=3)
attend(num_heads=5)
attend(in_proj_weight=None)
attend(value=torch.ones(4, 2, 4))
attend(**{**own, "q_proj_weight": None})
attend(**{**own, "k_proj_weight": None})
attend(**{**own, "v_proj_weight": None})
attend(**own, value=torch.ones(4, 2, 4))
attend(**{**own, "q_proj_weight": torch.ones(3, 4)})
attend(**{**own, "k_proj_weight": torch.ones(3, 4)})
attend(**{**own, "v_proj_weight": torch.ones(3, 4)})
attend(**own, in_proj_bias=torch.ones(12))
attend(**own, in_proj_bias=torch.ones(9))
attend(**own)
attend(bias_k=row)
attend(bias_v=row)
attend(bias_k=row, bias_v=row)
attend(bias_k=row, bias_v=row, static_k=torch.ones(4, 3, 2))
attend(bias_k=row, bias_v=row, static_v=torch.ones(4, 3, 2))
attend(static_k=torch.ones(3, 3, 2))
attend(static_k=torch.ones(4, 3, 3))
attend(static_v=torch.ones(3, 3, 2))
attend(static_v=torch.ones(4, 3, 3))
attend(static_k=torch.ones(4, 3, 2), static_v=torch.ones(4, 3, 2))
attend(attn_mask=torch.ones(2, 3))
attend(attn_mask=torch.ones(2, 3, 3))
attend(key_padding_mask=torch.ones(3, 3))
attend(key_padding_mask=torch.ones(2, 4))
attend(add_zero_attn=True, need_weights=False)


# F.scaled_dot_product_attention: what modules with attention refuse
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


refused(lambda: nn.MultiheadAttention(0, 2))
refused(lambda: nn.MultiheadAttention(4, 0))
refused(lambda: nn.MultiheadAttention(4, 3))
refused(lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"))
refused(lambda: nn.TransformerDecoderLayer(4, 2, activation="tanh"))
model = nn.Transformer(4, 2, 1, 1, 8, 0.0)
x = torch.ones(3, 2, 4)
refused(lambda: model(x, torch.ones(3, 3, 4)))
refused(lambda: model(torch.ones(3, 2, 5), torch.ones(3, 2, 5)))
refused(lambda: model(x, torch.ones(3, 2, 5)))
refused(lambda: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(2, 2), is_causal=True))
refused(lambda: F.scaled_dot_product_attention(x, x, x, torch.zeros(2, 2), is_causal=True))
refused(lambda: F.scaled_dot_product_attention(x, x, x, torch.zeros(2, 2, dtype=torch.int64)))


# F.gaussian_nll_loss: what losses refuse
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.ones(2, 3)
refused(lambda: F.triplet_margin_loss(x, x, x, margin=0))
refused(lambda: F.triplet_margin_loss(x, x, x, margin=-1))
refused(lambda: nn.TripletMarginLoss(margin=0))
refused(lambda: nn.TripletMarginWithDistanceLoss(margin=0))
refused(lambda: F.triplet_margin_with_distance_loss(x, x, x, margin=0))
refused(lambda: F.gaussian_nll_loss(x, x, -x))
refused(lambda: F.gaussian_nll_loss(x, x, -1.0))
refused(lambda: F.gaussian_nll_loss(x, x, torch.ones(5)))
refused(lambda: F.gaussian_nll_loss(x, x, x, reduction="max"))
refused(lambda: F.multilabel_soft_margin_loss(x, x, reduction="max"))
refused(lambda: F.poisson_nll_loss(x, x, reduction="max"))
refused(lambda: F.mse_loss(x, x, reduction="max"))
refused(lambda: F.dropout(x, 1.5))
refused(lambda: F.alpha_dropout(x, -1.0))
refused(lambda: F.feature_alpha_dropout(x, 2.0))
refused(lambda: F.dropout2d(x, 2.0))
refused(lambda: nn.Dropout(1.5))
refused(lambda: F.celu(x, 0))
refused(lambda: F.celu(x, 0.0, inplace=True))


# torch.optim.Optimizer: what modules and optimizers refuse
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(" at 0x")[0])


layer = nn.Linear(2, 2)
refused(lambda: layer.register_parameter("a", torch.ones(2)))
refused(lambda: layer.register_parameter("a.b", nn.Parameter(torch.ones(2))))
refused(lambda: layer.register_parameter("", nn.Parameter(torch.ones(2))))
refused(lambda: layer.register_parameter("bias2", nn.Parameter(torch.ones(2)).exp()))
refused(lambda: layer.register_parameter("in_features", nn.Parameter(torch.ones(2))))
refused(lambda: layer.register_parameter(1, None))
parameter = nn.Parameter(torch.ones(2))
odd = nn.Parameter(torch.ones(2), requires_grad=True)
refused(lambda: torch.optim.Adam([parameter], betas=(torch.ones(2), torch.ones(2))))
refused(lambda: torch.optim.Adam([parameter], betas=(torch.ones(1), torch.ones(2)), foreach=False))
refused(lambda: torch.optim.Adam([parameter], betas=(0.9, torch.ones(1))))
refused(lambda: torch.optim.Adam([parameter], lr=torch.ones(2)))
refused(lambda: torch.optim.SGD([parameter], lr=torch.ones(2)))
refused(lambda: torch.optim.LBFGS([{"params": [parameter]}, {"params": [odd]}]))
whole = nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False)
refused(lambda: torch.optim.Adam([whole], fused=True).step())
refused(lambda: torch.optim.SGD([whole], lr=1, fused=True))
from torch.optim.optimizer import required


class Asks(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {"lr": required})


refused(lambda: Asks([parameter]).param_groups)
refused(lambda: Asks([{"params": [parameter], "lr": 1}]).param_groups)
sgd = torch.optim.SGD([parameter], lr=0.1)
sgd.register_step_pre_hook(lambda optimizer, args, kwargs: 5)
parameter.grad = torch.ones(2)
try:
    sgd.step()
except RuntimeError as error:
    print("must return" in str(error), str(error).endswith("but got 5."))
lbfgs = torch.optim.LBFGS([parameter], line_search_fn="other")


def closure():
    lbfgs.zero_grad()
    loss = (parameter**2).sum()
    loss.backward()
    return loss


refused(lambda: lbfgs.step(closure))


# Tensor.index_select: what operators refuse
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x, i = torch.ones(2, 3), torch.tensor([0, 5])
refused(lambda: torch.einsum("...ij->ij", torch.ones(2)))
refused(lambda: torch.einsum("ij,...jkl->i", x, x))
refused(lambda: torch.einsum("ij->k", x))
refused(lambda: torch.einsum("ij->i$", x))
refused(lambda: torch.einsum("ij->ii", x))
refused(lambda: torch.zeros("a"))
refused(lambda: torch.ones(2, "a"))
refused(lambda: torch.full("a", 1))
refused(lambda: torch.take_along_dim(torch.tensor(1.0), torch.tensor([0]), 0))
refused(lambda: torch.take_along_dim(torch.tensor(1.0), torch.tensor(0), 1))
refused(lambda: x.index_select(1, torch.tensor([0, 5])))
refused(lambda: x.index_select(1, torch.tensor([-1])))
refused(lambda: x.index_select(0, i))
refused(lambda: torch.ones(2, 0).index_select(1, i))
refused(lambda: torch.dist(torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.int64)))
refused(lambda: F.pad(torch.ones(1, 1, 4, 4), (-3, -3, 0, 0), "reflect"))
refused(lambda: F.pad(torch.ones(1, 1, 4, 4), (-3, -3, 0, 0), "replicate"))
refused(lambda: F.pad(torch.ones(1, 4), (-3, -3), "reflect"))
refused(lambda: torch.narrow(torch.tensor(1.0), 0, 0, 1))
refused(lambda: torch.tensor(1.0)[:])
refused(lambda: torch.tensor(1.0)[0:1])
refused(lambda: F.max_pool2d(torch.ones(1, 1, 4, 4), 0))
refused(lambda: F.avg_pool2d(torch.ones(1, 1, 4, 4), 0))
refused(lambda: F.max_pool2d(torch.ones(1, 1, 4, 4), (2, 0)))
refused(lambda: F.max_pool1d(torch.ones(1, 1, 4), 0))
refused(lambda: torch.ones(2, dtype=torch.complex64).nansum())
refused(lambda: torch.ones(2, dtype=torch.int64).nansum())
refused(lambda: F.channel_shuffle(torch.ones(2, 4), 2))
refused(lambda: F.channel_shuffle(torch.ones(2, 4, 2), 3))
refused(lambda: torch.channel_shuffle(torch.ones(2), 2))
refused(lambda: torch.diag_embed(torch.tensor(1.0)))
refused(lambda: torch.linspace(0, 1 + 1j, 3, dtype=torch.float32))
refused(lambda: torch.linspace(0, 1j, 3, dtype=torch.int64))
refused(lambda: torch.full((2,), 1j, dtype=torch.float32))
refused(lambda: torch.result_type())
refused(lambda: torch.ones(2).is_contiguous(memory_format=torch.preserve_format))
refused(lambda: torch.ones(2).is_contiguous(memory_format=1))
refused(lambda: torch.ones(2, 3).masked_fill_(torch.ones(2, 3, dtype=torch.uint8), 1))
refused(lambda: torch.ones(2, 3).masked_fill(torch.ones(2, 3, dtype=torch.float32), 1))
refused(lambda: F.conv_transpose2d(torch.ones(1, 1, 1, 1), torch.ones(1, 1, 1, 1), padding=3))
refused(
    lambda: F.conv_transpose2d(
        torch.ones(1, 1, 1, 1).double(), torch.ones(1, 1, 1, 1).double(), padding=3
    )
)
refused(lambda: torch.cummax(torch.ones(2, dtype=torch.complex64), 0))
refused(lambda: torch.amax(torch.ones(2), 0, out=torch.ones(1, dtype=torch.int64)))
refused(lambda: torch.max(torch.ones(2), 0, out=(torch.ones(1, dtype=torch.int64), torch.ones(1))))
refused(lambda: torch.max(torch.ones(2), out=torch.ones((), dtype=torch.int64)))
refused(
    lambda: torch.aminmax(torch.ones(2), out=(torch.ones((), dtype=torch.int64), torch.ones(())))
)


# Tensor.__setitem__: what indices, halves of a graph and borders refuse
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x, odd = torch.ones(3), torch.tensor([1, 0, 1], dtype=torch.uint8)
refused(lambda: torch.zeros())
refused(lambda: torch.zeros(True))
refused(lambda: torch.rand(True))
refused(lambda: x.__setitem__(odd, 5))
refused(lambda: x.index_put_((odd,), torch.tensor(5.0)))
refused(lambda: torch.func.grad(lambda x: (x.exp().retain_grad(), x.sum())[1])(x))
refused(lambda: torch.func.vmap(lambda x: x.item())(x))
refused(lambda: x.index_put((torch.tensor([0, 9]),), torch.ones(2)))
refused(lambda: x.__setitem__(torch.tensor([0, 9]), torch.ones(2)))
refused(lambda: x.__setitem__(torch.tensor([0, -4]), torch.ones(2)))
refused(lambda: torch.ones(2, 3).__setitem__((slice(None), torch.tensor([0, 3])), torch.ones(2)))
refused(lambda: torch.ones(2, 3, 4)[torch.tensor([0]), :, torch.tensor([9])])
refused(
    lambda: torch.ones(2, 3).index_put((torch.tensor([0, 2]), torch.tensor([0, 0])), torch.ones(2))
)
refused(lambda: F.pad(torch.ones(1, 1, 3, 4), (0, 0, -2, -2), "circular"))
refused(lambda: F.pad(torch.ones(1, 1, 3, 4), (5, 0), "circular"))
refused(lambda: F.pad(torch.ones(1, 1, 3, 4), (0, 0, 0, 4), "circular"))
refused(lambda: F.pad(torch.ones(1, 1, 3, 4), (0, 5, 0, 0), "circular"))
refused(lambda: x.uniform_(0, 1, 2))
refused(lambda: x.normal_(0, 1, 2, 3))
refused(lambda: x.uniform_(to=3, low=2))


class Inplace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def jvp(ctx, t):
        t.mul_(2)
        return t.clone()


forward_ad = torch.autograd.forward_ad
with forward_ad.dual_level():
    refused(lambda: Inplace.apply(forward_ad.make_dual(x * 1, x * 1)))


# Tensor.random_: what devices, generators and factories refuse
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


refused(lambda: torch.device(type=1, index=0))
refused(lambda: torch.device("cpu", "a"))
refused(lambda: torch.device("cpu", True))
refused(lambda: torch.device("cpu", type="cpu"))
refused(lambda: torch.device("cpu", 0, 1))
refused(lambda: torch.device("cpu", number=1))
refused(lambda: torch.device())
refused(lambda: torch.device("nowhere"))
refused(lambda: torch.device("cpu:a"))
refused(lambda: torch.device("cpu", -2))
refused(lambda: torch.device(-1))
refused(lambda: torch.randn(2, generator=5))
refused(lambda: torch.ones(2).random_(5, 5))
refused(lambda: torch.ones(2).random_(6, 5))
refused(lambda: torch.ones(2).random_(0))
refused(lambda: torch.ones(2, dtype=torch.bfloat16).random_(257, 258))
refused(lambda: torch.ones(2, dtype=torch.float16).random_(2049, 2050))
refused(lambda: torch.ones(2, dtype=torch.complex64).random_(0, 2))
refused(lambda: torch.ones(2, dtype=torch.uint8).random_(0, 300))
refused(lambda: torch.ones(2, dtype=torch.int8).random_(-129, 3))
refused(lambda: torch.ones(2, dtype=torch.bool).random_(0, 3))
refused(lambda: torch.randint(3, 3, (2,)))
refused(lambda: torch.randint(0, 300, (2,), dtype=torch.uint8))
refused(lambda: torch.tensor(2**70))
refused(lambda: torch.tensor([2**63]))
refused(lambda: torch.tensor([2**63], dtype=torch.int64))
refused(lambda: torch.full((1,), 2**70))
refused(lambda: torch.manual_seed(2**70))
refused(lambda: torch.manual_seed(-(2**63) - 1))


# torch.linalg.matrix_norm: what windows, orders of norms and labels refuse
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.ones(2, 8)
refused(lambda: torch.stft(x, 4, window=torch.ones(3), return_complex=True))
refused(lambda: torch.stft(x, 4, 1, 4, torch.ones(2, 2), return_complex=True))
refused(lambda: torch.istft(torch.ones(3, 4, dtype=torch.complex64), 4, window=torch.ones(3)))
refused(lambda: torch.linalg.matrix_norm(x, 3))
refused(lambda: torch.linalg.matrix_norm(x, 0.5))
refused(lambda: torch.linalg.matrix_norm(x, "other"))
refused(lambda: F.multilabel_margin_loss(x, torch.full((2, 8), -2)))
refused(lambda: F.multilabel_margin_loss(x, torch.full((2, 8), 8)))
refused(lambda: F.multilabel_margin_loss(x, torch.tensor([[0, -2] + [1] * 6] * 2)))
refused(lambda: torch.linspace(0, 1, 2.5))
refused(lambda: torch.logspace(0, 1, "a"))
refused(lambda: torch.linalg.svd(torch.full((2, 2), torch.nan)))
refused(lambda: torch.linalg.svd(torch.tensor([[1.0, torch.nan], [1.0, 2.0]])))
refused(lambda: torch.linalg.eigh(torch.tensor([[1.0, torch.nan], [1.0, 2.0]])))
refused(lambda: torch.linalg.inv(torch.stack([torch.eye(2), torch.zeros(2, 2)])))
refused(
    lambda: torch.linalg.solve(torch.stack([torch.eye(2), torch.zeros(2, 2)]), torch.ones(2, 2, 1))
)
refused(lambda: torch.linalg.cholesky(torch.stack([torch.eye(2), -torch.eye(2)])))
