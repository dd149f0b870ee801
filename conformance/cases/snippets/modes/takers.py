# An object that is no Tensor takes calls over: of torch, of Tensor, and operators
class Taker:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        named = (
            None if kwargs is None else {name: type(each).__name__ for name, each in kwargs.items()}
        )
        shown = [type(each).__name__ for each in args]
        return func.__name__, [each.__name__ for each in types], shown, named


def outcome(call):
    try:
        return call()
    except (TypeError, AttributeError, RuntimeError) as error:
        return type(error).__name__, str(error)


d, t = Taker(), torch.ones(2, 2)
calls = [
    lambda: torch.add(t, d, alpha=2),
    lambda: torch.cat([t, d]),
    lambda: torch.where(d, t, t),
    lambda: torch.max(d),
    lambda: torch.max(t, d),
    lambda: torch.sum(d, dim=0),
    lambda: torch.zeros_like(d),
    lambda: torch.is_complex(d),
    lambda: torch.numel(d),
    lambda: torch.get_device(d),
    lambda: torch.result_type(d, t),
    lambda: torch.promote_types(d, d),
    lambda: torch.equal(d, t),
    lambda: torch.linalg.solve(d, t),
    lambda: torch.linalg.multi_dot([d, t]),
    lambda: torch.special.erf(d),
    lambda: torch.fft.fft(d),
    lambda: torch.sparse.mm(d, t),
    lambda: torch.sparse.sum(d, 1),
    lambda: torch.mm(d),
    lambda: torch.dsmm(d, d),
    lambda: t.add(d),
    lambda: t.add_(d),
    lambda: t.copy_(d),
    lambda: t.expand_as(d),
    lambda: t.to(d),
    lambda: t.dim(d),
    lambda: t.new_tensor([1]),
    lambda: t.type_as(d),
    lambda: t.scatter(0, d, d),
    lambda: t + d,
    lambda: d - t,
    lambda: t @ d,
    lambda: d @ t,
    lambda: t == d,
    lambda: t < d,
    lambda: t**d,
    lambda: d // t,
    lambda: t & d,
    lambda: t[d],
    lambda: t.eq(d),
]
for number, call in enumerate(calls):
    print(number, outcome(call))


# Functions that torch writes in Python ask some of their arguments
class Taker:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        named = (
            None if kwargs is None else {name: type(each).__name__ for name, each in kwargs.items()}
        )
        shown = [type(each).__name__ for each in args]
        return func.__name__, [each.__name__ for each in types], shown, named


d, t = Taker(), torch.ones(2, 2)
F = torch.nn.functional
print(torch.einsum("ij->i", d), torch.einsum("i,i", [d, d]), torch.tensordot(d, t))
print(torch.norm(d), torch.split(d, 1), torch.unique(d), torch.cdist(d, t), torch.stft(d, 4))
print(torch.atleast_1d(d, t), torch.atleast_1d([d, t]), torch.meshgrid([d, t], indexing="ij"))
print(torch.broadcast_tensors(d, t), torch.block_diag(d, t), torch.cartesian_prod(d, d))
print(
    torch.unravel_index(d, (2,)), torch.svd_lowrank(d), torch.sym_max(d, 1), torch.sym_sum([d, 1])
)
print(F.relu(d), F.relu(d, inplace=True), F.softmax(d, dim=0), F.dropout(d, 0.3), F.celu(t, d))
print(F.mse_loss(d, t), F.mse_loss(t, d), F.cross_entropy(t, d), F.kl_div(d, t, reduction="sum"))
print(F.batch_norm(d, None, None, training=True), F.group_norm(d, 2), F.embedding(t, d))
print(F.max_pool2d(d, 2), F.max_pool2d(d, 2, return_indices=True), F.interpolate(d, scale_factor=2))
print(
    F.linear(t, d),
    F.gelu(d),
    F.pad(d, (1, 1)),
    F.one_hot(d),
    F.scaled_dot_product_attention(d, d, d),
)
print(F.multi_head_attention_forward(d, d, d, 4, 2, *[None] * 4, False, 0.0, None, None))
print(torch.nn.init.normal_(d), torch.nn.init.constant_(d, 2))
print(torch.autograd.grad(d, t), torch.autograd.backward(t, inputs=[d]))
print(torch.nn.utils.rnn.pad_sequence([t, d]), torch._assert(d, "message"))
for call in (lambda: torch.split(t, d), lambda: F.dropout(t, d), lambda: torch.norm(t, d)):
    try:
        print(call())
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)


# A class that declines is named in the error
class Declining:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented


d, t = Declining(), torch.ones(2)
for call in (
    lambda: torch.mean(d),
    lambda: torch.nn.functional.relu(d),
    lambda: t.mul(d),
    lambda: torch.einsum("i", d),
    lambda: t + d,
    lambda: torch.linalg.inv(d),
):
    try:
        print(call())
    except TypeError as error:
        print(str(error).replace("minitorch", "torch"))
