# F.cross_entropy(torch.ones(2, 3), torch.tensor([5, 0]))
F.cross_entropy(torch.ones(2, 3), torch.tensor([5, 0]))

# F.cross_entropy(torch.ones(2, 3), torch.tensor([0]))
F.cross_entropy(torch.ones(2, 3), torch.tensor([0]))

# F.nll_loss(torch.ones(2, 3), torch.tensor([0, 1]), reduction="nonsense")
F.nll_loss(torch.ones(2, 3), torch.tensor([0, 1]), reduction="nonsense")

# F.smooth_l1_loss(torch.ones(2), torch.ones(2), beta=-1)
F.smooth_l1_loss(torch.ones(2), torch.ones(2), beta=-1)

# F.huber_loss(torch.ones(2), torch.ones(2), delta=-1)
F.huber_loss(torch.ones(2), torch.ones(2), delta=-1)

# F.binary_cross_entropy(torch.tensor([2.0]), torch.tensor([1.0]))
F.binary_cross_entropy(torch.tensor([2.0]), torch.tensor([1.0]))

# F.binary_cross_entropy(torch.ones(2), torch.ones(3))
F.binary_cross_entropy(torch.ones(2), torch.ones(3))

# F.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(3))
F.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(3))

# F.kl_div(torch.ones(2), torch.ones(2), reduction="nonsense")
F.kl_div(torch.ones(2), torch.ones(2), reduction="nonsense")

# F.cosine_embedding_loss(torch.ones(2, 2), torch.ones(2, 2), torch.ones(3))
F.cosine_embedding_loss(torch.ones(2, 2), torch.ones(2, 2), torch.ones(3))

# F.margin_ranking_loss(torch.ones(2), torch.ones(2, 2), torch.ones(2))
F.margin_ranking_loss(torch.ones(2), torch.ones(2, 2), torch.ones(2))

# F.mse_loss(torch.ones(2), torch.ones(3))
F.mse_loss(torch.ones(2), torch.ones(3))

# F.pad(torch.ones(2), (1, 2, 3))
F.pad(torch.ones(2), (1, 2, 3))

# F.pad(torch.ones(2), (1, 2, 3, 4))
F.pad(torch.ones(2), (1, 2, 3, 4))

# F.pad(torch.ones(1, 2, 3), (5, 5), mode="reflect")
F.pad(torch.ones(1, 2, 3), (5, 5), mode="reflect")

# F.pad(torch.ones(2), (1, 1), mode="nonsense")
F.pad(torch.ones(2), (1, 1), mode="nonsense")

# F.max_pool2d(torch.ones(1, 1, 4, 4), 0)
F.max_pool2d(torch.ones(1, 1, 4, 4), 0)

# F.max_pool2d(torch.ones(1, 1, 4, 4), 2, padding=2)
F.max_pool2d(torch.ones(1, 1, 4, 4), 2, padding=2)

# F.max_pool2d(torch.ones(4), 2)
F.max_pool2d(torch.ones(4), 2)

# F.max_pool2d(torch.ones(1, 1, 2, 2), 5)
F.max_pool2d(torch.ones(1, 1, 2, 2), 5)

# F.avg_pool2d(torch.ones(1, 1, 4, 4), 2, divisor_override=0)
F.avg_pool2d(torch.ones(1, 1, 4, 4), 2, divisor_override=0)

# F.adaptive_avg_pool2d(torch.ones(1, 1, 4, 4), (-1, 2))
F.adaptive_avg_pool2d(torch.ones(1, 1, 4, 4), (-1, 2))

# F.dropout(torch.ones(2), 2)
F.dropout(torch.ones(2), 2)

# F.alpha_dropout(torch.ones(2), -1)
F.alpha_dropout(torch.ones(2), -1)

# F.glu(torch.ones(3))
F.glu(torch.ones(3))

# F.glu(torch.ones(()))
F.glu(torch.ones(()))

# F.softmax(torch.ones(2), 3)
F.softmax(torch.ones(2), 3)

# F.elu(torch.ones(2, dtype=torch.int64))
F.elu(torch.ones(2, dtype=torch.int64))

# F.celu(torch.ones(2), 0)
F.celu(torch.ones(2), 0)

# F.rrelu(torch.ones(2), 2, 1, True)
F.rrelu(torch.ones(2), 2, 1, True)

# F.prelu(torch.ones(2, 3), torch.ones(2))
F.prelu(torch.ones(2, 3), torch.ones(2))

# F.one_hot(torch.tensor([-1]))
F.one_hot(torch.tensor([-1]))

# F.one_hot(torch.tensor([5]), 3)
F.one_hot(torch.tensor([5]), 3)

# F.one_hot(torch.tensor([0.5]))
F.one_hot(torch.tensor([0.5]))

# F.embedding(torch.tensor([0]), torch.ones(2, 2), padding_idx=5)
F.embedding(torch.tensor([0]), torch.ones(2, 2), padding_idx=5)

# F.layer_norm(torch.ones(2, 3), (2,))
F.layer_norm(torch.ones(2, 3), (2,))

# F.group_norm(torch.ones(2, 3), 2)
F.group_norm(torch.ones(2, 3), 2)

# F.batch_norm(torch.ones(1, 3), None, None, training=True)
F.batch_norm(torch.ones(1, 3), None, None, training=True)

# F.batch_norm(torch.ones(2, 3), None, None)
F.batch_norm(torch.ones(2, 3), None, None)

# F.scaled_dot_product_attention(torch.ones(2, 3), torch.ones(2, 3), torch.ones(2, 3, dtype=
F.scaled_dot_product_attention(
    torch.ones(2, 3), torch.ones(2, 3), torch.ones(2, 3, dtype=torch.float64)
)

# F.scaled_dot_product_attention(torch.ones(3), torch.ones(2, 3), torch.ones(2, 3))
F.scaled_dot_product_attention(torch.ones(3), torch.ones(2, 3), torch.ones(2, 3))

# F.interpolate(torch.ones(1, 1, 4), size=2, scale_factor=2)
F.interpolate(torch.ones(1, 1, 4), size=2, scale_factor=2)

# F.cosine_similarity(torch.ones(2), torch.ones(3))
F.cosine_similarity(torch.ones(2), torch.ones(3))

# F.pixel_shuffle(torch.ones(1, 3, 2, 2), 2)
F.pixel_shuffle(torch.ones(1, 3, 2, 2), 2)

# F.normalize(torch.ones(2), dim=5)
F.normalize(torch.ones(2), dim=5)

# F.linear(torch.ones(2, 3), torch.ones(2, 2))
F.linear(torch.ones(2, 3), torch.ones(2, 2))

# F.binary_cross_entropy: a weight of a loss that requires grad
F.binary_cross_entropy(torch.full((2,), 0.5), torch.ones(2), torch.ones(2, requires_grad=True))

# F.binary_cross_entropy: a weight of a loss that requires grad, without grad mode
with torch.no_grad():
    out = F.binary_cross_entropy(
        torch.full((2,), 0.5), torch.ones(2), torch.ones(2, requires_grad=True)
    )

# F.binary_cross_entropy_with_logits: a weight of positives that requires grad
F.binary_cross_entropy_with_logits(
    torch.ones(2), torch.ones(2), pos_weight=torch.ones(2, requires_grad=True)
)

# F.cross_entropy: weights of classes that require grad
F.cross_entropy(torch.ones(1, 2), torch.tensor([0]), torch.ones(2, requires_grad=True))

# F.nll_loss: weights of classes that require grad, for images
F.nll_loss(torch.ones(1, 2, 1, 1), torch.zeros(1, 1, 1).long(), torch.ones(2, requires_grad=True))

# F.batch_norm: running statistics that require grad
F.batch_norm(torch.ones(2, 2), torch.ones(2, requires_grad=True), torch.ones(2))

# F.nll_loss: the order of what is refused: targets, then their size, then weights
refusals = []
inputs = [
    torch.rand(4),
    torch.rand(3, 4),
    torch.rand(3, 4, 5, 6),
    torch.rand(4).long(),
    torch.rand(3, 4).half(),
]
targets = [
    torch.rand(30),
    torch.zeros(()).int(),
    torch.zeros(3),
    torch.zeros(2).byte(),
    torch.zeros(3).long(),
    torch.zeros(3, 5, 7),
    torch.zeros(3, 5, 6).long(),
    torch.zeros(3, 5, 7).long(),
]
for x in inputs:
    for t in targets:
        for weight in (None, torch.ones(9), torch.ones(4).double(), torch.ones(2, 2)):
            try:
                refusals.append(F.nll_loss(x, t, weight).shape)
            except Exception as error:
                refusals.append((type(error).__name__, str(error)))

# F.nll_loss: images without pixels
a = F.nll_loss(torch.rand(2, 4, 0, 6), torch.zeros(2, 0, 6).long())
b = F.cross_entropy(torch.rand(2, 4, 0, 6), torch.zeros(2, 0, 6).long(), reduction="sum")
