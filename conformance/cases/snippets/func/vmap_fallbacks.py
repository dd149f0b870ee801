# torch.vmap: in-place operators without a rule, which torch warns of at each call, by overload
x, y = torch.rand(2, 3) + 1, torch.rand(2, 3) + 1
found = [
    torch.vmap(lambda x, y: x.clone().addcmul_(x, y))(x, y),
    torch.vmap(lambda x, y: x.clone().eq_(y))(x, y),
    torch.vmap(lambda x: x.clone().eq_(1))(x),
    torch.vmap(lambda x, y: x.clone().pow_(y))(x, y),
    torch.vmap(lambda x: x.clone().pow_(2))(x),
    torch.vmap(lambda x, y: x.clone().lerp_(y, 0.5))(x, y),
    torch.vmap(lambda x, y: x.clone().lerp_(y, y))(x, y),
    torch.vmap(lambda x, y: x.clone().clamp_(y))(x, y),
    torch.vmap(lambda x: x.clone().clamp_(1))(x),
    torch.vmap(lambda x, y: x.clone().xlogy_(y))(x, y),
    torch.vmap(lambda x: x.clone().xlogy_(2.0))(x),
    torch.vmap(lambda x: x.clone().cumsum_(0))(x),
    torch.vmap(lambda x: x.clone().square_())(x),
    torch.vmap(lambda x: x.clone().mul_(2))(x),
    torch.vmap(lambda x: x.clone().tril_(), in_dims=0)(torch.rand(2, 3, 3)),
    torch.vmap(lambda x, y: x.clone().masked_fill_(x > 1.5, y))(x, y[:, 0]),
    torch.vmap(lambda x: x.clone().masked_fill_(x > 1.5, 0))(x),
    torch.vmap(lambda x, y: x.clone().scatter_(0, torch.tensor([1]), y))(x, y),
    torch.vmap(lambda x: x.clone().scatter_(0, torch.tensor([1]), 2.0))(x),
    torch.vmap(lambda x: x.clone().squeeze_(0))(x[:, 0]),
]

# torch.vmap: operators without a rule, which torch warns of at each call
x, y = torch.rand(2, 3) + 1, torch.rand(2, 3) + 1
found = [
    torch.vmap(torch.isclose)(x, y),
    torch.vmap(torch.isin)(x, y),
    torch.vmap(torch.special.log_ndtr)(x),
    torch.vmap(torch.special.airy_ai)(x),
    torch.vmap(torch.special.hermite_polynomial_h)(x, y),
    torch.vmap(lambda x: torch.fill(x, 2))(x),
    torch.vmap(torch.t_copy)(torch.rand(2, 3, 2)),
    torch.vmap(torch.squeeze_copy)(x),
    torch.vmap(lambda x: torch.histc(x, 4))(x),
    torch.vmap(lambda x: torch.renorm(x, 2, 0, 1.0))(torch.rand(2, 3, 2)),
    torch.vmap(torch.diagflat)(x),
    torch.vmap(F.soft_margin_loss)(x, y.sign()),
    torch.vmap(lambda x, y: F.kl_div(x, y, reduction="sum"))(x, y),
    torch.vmap(lambda x, y: x.put(torch.tensor([0]), y[:1]))(x, y),
    torch.vmap(lambda x: x.take(torch.tensor([0])))(x),
]

# torch.vmap: operators that torch refuses to map, as it has no rule and no fallback
tries = (
    lambda x: torch._chunk_cat([x], 0, 2),
    lambda x: torch.histogramdd(x, [2, 2]),
    lambda x: torch.as_strided_scatter(x, x[0], (2,), (1,)),
    lambda x: F.rrelu(x),
    lambda x: F.rrelu(x.clone(), inplace=True),
)
for attempt in tries:
    try:
        print(torch.vmap(attempt, randomness="different")(torch.rand(2, 3, 2)).shape)
    except RuntimeError as error:
        print(error)

# torch.vmap: operators without a rule, of no example, or that write what is not batched
whole = torch.ones(3)
tries = (
    (lambda x: x.clone().eq_(1), torch.ones(0, 3)),
    (lambda x: x.clone().addcmul_(x, x), torch.ones(0, 3)),
    (lambda x: torch.isclose(x, x), torch.ones(0, 3)),
    (lambda x: torch.special.log_ndtr(x), torch.ones(0, 3)),
    (lambda x: whole.eq_(x), torch.ones(2, 3)),
    (lambda x: whole.scatter_(0, torch.tensor([0]), x), torch.ones(2, 3)),
    (lambda x: x.clone().eq_(torch.ones(2, 3)), torch.ones(2, 3)),
)
for attempt, x in tries:
    try:
        torch.vmap(attempt)(x)
    except RuntimeError as error:
        print(error)
