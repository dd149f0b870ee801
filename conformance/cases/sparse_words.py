"""The expressions that programs with sparse tensors are put together of."""

from typing import NamedTuple

from conformance.cases.sparse_makers import COMPRESSED


class Family(NamedTuple):
    """Expressions, the kinds of tensors they are for, and whether gradients are asked for."""

    kinds: tuple[str, ...]
    texts: tuple[str, ...]
    differentiable: bool = True


NUMBERS = ("coo", "doubles", "hybrid", "integers", "bools", "complex")
MATRICES = ("coo", "doubles", "integers", "complex")


def lines(text: str) -> tuple[str, ...]:
    """The lines of a text."""
    return tuple([line.strip() for line in text.strip().splitlines()])


UNARY = """abs absolute angle arcsin arcsinh arctan arctanh asin asinh atan atanh ceil conj
    conj_physical deg2rad erf erfinv expm1 fix floor frac isinf isnan isneginf isposinf log1p
    nan_to_num neg negative positive rad2deg relu resolve_conj resolve_neg round sgn sign signbit
    sin sinh sqrt square tan tanh trunc""".split()

# Left out with compressed layouts: torch.empty_like leaves the values to memory.
UNWRITTEN = ("torch.empty_like(s)",)
EXPRESSIONS = {
    "parts": Family(
        (*NUMBERS, "cube", "scalar", *COMPRESSED),
        lines("""
            s.to_dense()
            s.coalesce()
            s.values()
            s.indices()
            s._values()
            s._indices()
            (s._nnz(), s.sparse_dim(), s.dense_dim(), s.is_coalesced(), s.layout, s.is_sparse)
            (s.shape, s.dim(), s.numel(), s.dtype, s.device, s.stride(), s.element_size())
            s.is_contiguous()
            s.storage_offset()
            s.data_ptr()
            s.nbytes
            s.untyped_storage()
            s.numpy()
            s.tolist()
            s.item()
            bool(s)
            len(s)
            list(s)
            s.clone()
            s.detach()
            s.data
            s.contiguous()
            s.cpu()
            s.double()
            s.float()
            s.to(torch.float64)
            s.to(torch.int32)
            s.to(torch.bool)
            s.type()
            s.type(torch.float64)
            s.to_sparse()
            s.to_sparse(1)
            s.to_sparse(layout=torch.sparse_coo)
            s.to_sparse(2)
            s.is_same_size(s)
            torch.zeros_like(s)
            torch.empty_like(s)
            s.new_zeros(2, 3)
            s.new_zeros((2,), dtype=torch.int32)
            s.new_empty(2)
            torch.ones_like(s)
            s.new_ones(2)
            torch.full_like(s, 2)
            s.zero_()
            s.clone().zero_()
            s.is_pinned()
            s.real
            s.H
            s.T
            s.mT
            copy.deepcopy(s)
            pickle.loads(pickle.dumps(s))
            again(s)
            torch.is_tensor(s)
            torch.equal(s, s)
            torch.allclose(s, s)
            s == s
            s.eq(0)
            s.gt(1)
            s.any()
            s.all()
            repr(s.coalesce())
            """),
    ),
    "uncoalesced": Family(
        NUMBERS,
        lines("""
            u.to_dense()
            u.coalesce()
            u.values()
            u.indices()
            u._values()
            u.is_coalesced()
            u.coalesce().coalesce()
            u.clone().coalesce()
            u.to(torch.float64).coalesce()
            e.coalesce()
            e.to_dense()
            e
            u.to_dense(masked_grad=False)
            u.to_dense(torch.float64)
            u.sparse_mask(s)
            s.sparse_mask(u)
            s.sparse_mask(v.coalesce())
            v.sparse_mask(s)
            d.sparse_mask(s)
            d.sparse_mask(u)
            d.sparse_mask(e)
            s.sparse_mask(d)
            d.sparse_mask(d)
            s.clone()._coalesced_(True)
            s.clone()._coalesced_(False)
            s._coalesced_(True)
            d.to_sparse()
            d.to_sparse(1)
            d.to_sparse(3)
            d.to_sparse(0)
            d.to_sparse_coo()
            d.to_sparse(layout=torch.sparse_coo, dense_dim=1)
            d.to_sparse().to_dense()
            """),
    ),
    "unary": Family(
        (*NUMBERS, "cube", *COMPRESSED),
        tuple([f"{one}.{name}()" for name in UNARY for one in ("s",)])
        + tuple([f"torch.{name}(s)" for name in UNARY[::4]])
        + tuple([f"(s * 1).{name}_()" for name in UNARY])
        + (
            "-s",
            "+s",
            "s ** 2",
            "s.pow(3)",
            "s.pow(0)",
            "s.pow(0.5)",
            "abs(s)",
            "s.round(decimals=1)",
        )
        + ("torch.nn.functional.relu(s)", "torch.nn.functional.tanh(s)", "s.pow(s)", "2 ** s"),
    ),
    "unary_of_uncoalesced": Family(
        NUMBERS,
        tuple([f"u.{name}()" for name in UNARY])
        + tuple([f"u.clone().{name}_()" for name in UNARY])
        + tuple([f"e.{name}()" for name in UNARY[::3]]),
    ),
    "arithmetic": Family(
        (*NUMBERS, *COMPRESSED),
        lines("""
            s * 2
            2 * s
            s * 2.5
            u * True
            s * torch.tensor(2.0)
            s * torch.tensor(2.0, dtype=torch.float64)
            torch.tensor(2) * s
            s / 2
            u / 2
            s / torch.tensor(4.0)
            s // 2
            u // 2
            s.div(2, rounding_mode="floor")
            u.div(2, rounding_mode="trunc")
            s.true_divide(2)
            s.floor_divide(2)
            s / s
            s / d
            d / s
            2 / s
            s + s
            s + u
            u + s
            u + u
            s + v
            u + v
            u - v
            s - u
            s + e
            e + s
            e + e
            e - s
            s.add(v, alpha=2)
            s.sub(v, alpha=2)
            s.coalesce() + v.coalesce()
            s + 1
            1 + s
            1 - s
            s - 1
            d + s
            d - u
            d.add(u, alpha=3)
            d + e
            s + d
            s - d
            s * s
            s * u
            u * s
            u * u
            s * v
            v * s
            u * v
            v.coalesce() * s
            s * e
            e * s
            s * d
            d * s
            u * d
            d * u
            s * d[:1]
            s * d[:, :1]
            s * d[None]
            s * torch.ones(5, 5)
            s.mul(d.double())
            s + s.double()
            s * s.double()
            s * u.to(torch.float64)
            s.double() + v
            s.to(torch.int32) * 2
            s.to(torch.int32) * 2.5
            s.to(torch.int32) / 2
            s.to(torch.int32) + s
            s.to(torch.bool) * s
            s.clone().mul_(2)
            s.clone().div_(2)
            s.clone().add_(v)
            s.clone().sub_(v)
            s.clone().mul_(v)
            s.clone().mul_(d)
            u.clone().mul_(u)
            s.clone().add_(s.double())
            s.to(torch.int32).add_(s)
            s.to(torch.int32).div_(2)
            s.to(torch.int32).mul_(2.5)
            d.clone().add_(s)
            d.clone().sub_(u, alpha=2)
            d.clone().mul_(s)
            d.clone().add_(e)
            d.clone().div_(s)
            s.clone().floor_divide_(2)
            s % 2
            s.remainder(2)
            s.fmod(2)
            s.clone().copy_(v)
            s.clone().copy_(d)
            d.clone().copy_(s)
            torch.add(s, s, out=torch.zeros_like(s))
            torch.mul(s, 2, out=torch.empty_like(s))
            torch.mul(s, 2, out=torch.empty(3, 4, dtype=s.dtype))
            (s * 1).mul_(3)
            (s * 1).add_(s)
            (s * 1).zero_()
            (d * 1).add_(s)
            s.addcmul(s, s)
            s.addcdiv(s, s)
            torch.lerp(s, s, 0.5)
            s.exp()
            s.cos()
            s.sigmoid()
            s.clamp(0, 1)
            s.softmax(0)
            s.log_softmax(0)
            torch.where(s.bool(), s, s)
            """),
    ),
    "sums": Family(
        (*NUMBERS, "cube", "scalar", *COMPRESSED),
        lines("""
            s.sum()
            s.sum(0)
            s.sum(1)
            s.sum(-1)
            s.sum((0, 1))
            s.sum([])
            s.sum(0, keepdim=True)
            s.sum((0, 1), keepdim=True)
            s.sum(7)
            s.sum((0, 0))
            s.sum(dtype=torch.float64)
            s.sum(0, dtype=torch.float64)
            torch.sum(s, 0)
            torch.sparse.sum(s)
            torch.sparse.sum(s, 0)
            torch.sparse.sum(s, 1)
            torch.sparse.sum(s, -1)
            torch.sparse.sum(s, (0, 1))
            torch.sparse.sum(s, (1, 0))
            torch.sparse.sum(s, [0], dtype=torch.float64)
            torch.sparse.sum(s, dtype=torch.float64)
            torch.sparse.sum(s.to_dense())
            s.norm()
            s.norm(1)
            s.norm(2)
            s.norm(float("inf"))
            s.norm(2, 0)
            s.norm(p=3, dim=(0, 1))
            torch.norm(s)
            s.mean()
            s.mean(0)
            s.prod()
            s.max()
            s.min()
            s.amax()
            s.argmax()
            s.cumsum(0)
            s.var()
            s.std()
            s.unique()
            s.sort()
            torch.sparse.softmax(s, 0)
            torch.sparse.softmax(s, 1)
            torch.sparse.softmax(s, 1, dtype=torch.float64)
            torch.sparse.softmax(s, 9)
            torch.sparse.log_softmax(s, 0)
            torch.sparse.log_softmax(s, 1)
            torch.sparse.softmax(s.to_dense(), 0)
            """),
    ),
    # Without gradients: torch's backward counts a negative dimension as none of them, and gives
    # y * (g - y * g) where differences, and the same dimension counted from the front, give
    # y * (g - sum(y * g)): 0.447 instead of -0.597 for the softmax of 3 and 4.5.
    "softmax_from_the_end": Family(
        (*NUMBERS, "cube"),
        lines("""
            torch.sparse.softmax(s, -1)
            torch.sparse.softmax(s, -2)
            torch.sparse.log_softmax(s, -1)
            torch.sparse.log_softmax(s, -3)
            """),
        differentiable=False,
    ),
    "sums_of_uncoalesced": Family(
        NUMBERS,
        lines("""
            u.sum()
            u.sum(0)
            e.sum()
            e.sum(0)
            e.sum((0, 1))
            torch.sparse.sum(u)
            torch.sparse.sum(u, 1)
            torch.sparse.sum(e, 1)
            u.norm()
            e.norm()
            torch.sparse.softmax(u, 0)
            torch.sparse.log_softmax(u, 1)
            torch.sparse.softmax(e, 1)
            """),
    ),
    "shapes": Family(
        (*NUMBERS, "cube", "scalar", *COMPRESSED),
        lines("""
            s.t()
            s.transpose(0, 1)
            s.transpose(1, 1)
            s.transpose(-1, 0)
            s.transpose(0, 2)
            s.transpose(0, 9)
            s.swapaxes(0, 1)
            s.movedim(0, 1)
            s.permute(1, 0)
            s.permute(0, 1)
            s.permute(1, 0, 2)
            s.permute(2, 1, 0)
            s.permute(0, 2, 1)
            s.permute(0, 0)
            s.unsqueeze(0)
            s.unsqueeze(1)
            s.unsqueeze(-1)
            s.unsqueeze(2)
            s.unsqueeze(9)
            s[0]
            s[-1]
            s[0, 1]
            s[0, 1] * 2
            s[None]
            s[:, 1]
            s[..., 1]
            s[0:2]
            s[torch.tensor([0])]
            s[s.to_dense() > 0]
            s[9]
            s.select(0, 1)
            s.select(1, 2)
            s.select(-1, 0)
            s.select(0, 9)
            s.index_select(0, torch.tensor([1, 0]))
            s.index_select(0, torch.tensor([1, 1, 2]))
            s.index_select(1, torch.tensor([2, 0]))
            s.index_select(1, torch.tensor([3, 0, 3]))
            s.index_select(-1, torch.tensor([0]))
            s.index_select(0, torch.tensor([9]))
            s.index_select(0, torch.tensor([0.5]))
            s.narrow(0, 0, 1)
            s.narrow_copy(0, 0, 1)
            s.narrow_copy(0, 1, 2)
            s.narrow_copy(1, 1, 2)
            s.narrow_copy(-1, 0, 1)
            s.narrow_copy(0, 0, 9)
            torch.cat([s, s])
            torch.cat([s, s], 1)
            torch.cat([s, s, s], -1)
            torch.cat([s, s.to_dense()])
            torch.cat([s, s.t()])
            torch.cat([s, s.double()])
            torch.stack([s, s])
            torch.stack([s, s], 1)
            torch.stack([s, s], -1)
            torch.hstack([s, s])
            torch.vstack([s, s])
            s.unbind()
            s.unbind(1)
            s.split(1)
            s.chunk(2)
            s.squeeze()
            s.squeeze(0)
            s.reshape(-1)
            s.view(-1)
            s.flatten()
            s.expand(2, *s.shape)
            s.expand_as(s)
            s.repeat(2, 1)
            s.flip(0)
            s.roll(1)
            s.tril()
            s.triu()
            s.diag()
            s.diagonal()
            s.trace()
            s.gather(0, torch.zeros(1, 1, dtype=torch.long))
            s.masked_fill(s.to_dense() > 0, 1)
            s.nonzero()
            s.resize_(2, 2)
            s.clone().transpose_(0, 1)
            s.clone().t_()
            s.clone().unsqueeze_(0)
            s.clone().squeeze_()
            """),
    ),
    "resizing": Family(
        NUMBERS,
        lines("""
            s.clone().sparse_resize_((5, 5), 2, 0)
            s.clone().sparse_resize_((5, 5, 2), 2, 1)
            s.clone().sparse_resize_((2, 2), 2, 0)
            s.clone().sparse_resize_((3, 4), 1, 1)
            s.clone().sparse_resize_((3, 4), 1, 2)
            e.clone().sparse_resize_((3, 4), 1, 1)
            s.clone().sparse_resize_and_clear_((2, 2), 2, 0)
            s.clone().sparse_resize_and_clear_((2, 2), 1, 1)
            s.clone().resize_as_sparse_(e)
            torch.resize_as_sparse_(e.clone(), s)
            d.clone().sparse_resize_((3, 4), 2, 0)
            s.detach().requires_grad_().sparse_resize_((5, 5), 2, 0)
            """),
        False,
    ),
    "products": Family(
        (*MATRICES, *COMPRESSED),
        lines("""
            s.mm(m)
            u.mm(m)
            e.mm(m)
            s @ m
            s.matmul(m)
            torch.mm(s, m)
            m.t() @ s.t()
            m.t().mm(s.t())
            torch.mm(d.t(), s)
            s @ s.t()
            s.mm(u.t())
            u.t() @ s
            e @ s.t()
            s @ w
            s.mv(w)
            torch.mv(u, w)
            w[:3] @ s
            s @ m[:2]
            s @ s
            s.mm(m.double())
            s.mm(w)
            s.mv(w[:2])
            torch.sparse.mm(s, m)
            torch.sparse.mm(u, m)
            torch.sparse.mm(s, s.t())
            torch.sparse.mm(u, u.t())
            torch.sparse.mm(d, s.t())
            torch.sparse.mm(d, d.t())
            torch.sparse.mm(s, m[:2])
            torch.addmm(m[:3], s, m)
            torch.addmm(m[:3], s, m, beta=2, alpha=3)
            torch.addmm(m[:1], s, m)
            torch.addmm(m[:3], u, m, beta=0)
            m[:3].addmm(s, m)
            m[:3].clone().addmm_(s, m)
            s.addmm(s, s.t())
            torch.sparse.addmm(m[:3], s, m)
            torch.sparse.addmm(m[:3], u, m, beta=2, alpha=3)
            torch.hspmm(s, m)
            torch.hspmm(u, m)
            torch.smm(s, m)
            torch.smm(u, m)
            torch.sspaddmm(s, s, d.t() @ d)
            torch.sspaddmm(s, d, d)
            torch.sspaddmm(u, torch.eye(3, dtype=s.dtype).to_sparse(), d, beta=2, alpha=3)
            torch.dsmm(s, m)
            torch.nn.functional.linear(s, d)
            torch.nn.functional.linear(d, s)
            torch.bmm(torch.stack([s, s]), torch.stack([m, m]))
            torch.bmm(torch.stack([u, s]), torch.stack([m, 2 * m]))
            torch.bmm(torch.stack([m, m]), torch.stack([s, s]))
            torch.bmm(torch.stack([s, s]), torch.stack([s, s]))
            torch.bmm(s, m)
            torch.stack([s, s]) @ m
            torch.dot(w.to_sparse(), w)
            torch.einsum("ij,jk->ik", s, m)
            torch.outer(w.to_sparse(), w)
            """),
    ),
    "compressed": Family(
        COMPRESSED,
        lines("""
            s.crow_indices()
            s.col_indices()
            s.ccol_indices()
            s.row_indices()
            s.values()
            s.to_sparse_csr()
            s.to_sparse_csc()
            s.to_sparse_bsr((2, 3))
            s.to_sparse_bsc((2, 2))
            s.to_sparse_bsr((3, 3))
            s.to_sparse_coo()
            s.to_sparse(layout=torch.sparse_csr)
            s.to_sparse(layout=torch.sparse_bsc, blocksize=(2, 3))
            s.to_sparse(2)
            s.to_dense()
            s.to_dense(masked_grad=False)
            s + t
            s * t
            s.add(t, alpha=2)
            s.mm(t.t())
            s @ t.transpose(0, 1)
            torch.sparse.mm(s, t.t())
            torch.sparse.mm(s, m)
            s @ m
            s @ w
            torch.addmm(d[:, :2], s, m)
            torch.sparse.sampled_addmm(s, d[:, :4], d)
            torch.sparse.sampled_addmm(s, d[:, :4], d, beta=2, alpha=0.5)
            torch.sparse.sum(s)
            torch.sparse.sum(s, 0)
            torch.sparse.softmax(s, 1)
            d.sparse_mask(s)
            s.sparse_mask(t)
            s.clone().copy_(s)
            s.clone().copy_(t)
            s.clone().fill_(2)
            copy.copy(s)
            torch.zeros_like(s, dtype=torch.float64)
            torch.empty_like(s)._nnz()
            s.resize_as_sparse_(s)
            (s._nnz(), s.dense_dim(), s.sparse_dim(), s.layout, s.is_sparse, s.is_sparse_csr)
            """),
    ),
    "making": Family(
        ("coo",),
        lines("""
            torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2])
            torch.sparse_coo_tensor([[0, 1], [1, 0]], [1, 2])
            torch.sparse_coo_tensor([[0, 1], [1, 0]], w[:2])
            torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), w[:2], (3, 3))
            torch.sparse_coo_tensor([[0, 1], [1, 0]], m[:2], (3, 3, 2))
            torch.sparse_coo_tensor([[0, 1], [1, 0]], m[:2])
            torch.sparse_coo_tensor([[0, 1]], w[:2], (3,), is_coalesced=True)
            torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2], requires_grad=True)
            torch.sparse_coo_tensor([[0, 1], [1, 0]], w[:2], requires_grad=True)
            torch.sparse_coo_tensor((2, 3))
            torch.sparse_coo_tensor((2, 3), dtype=torch.float64)
            torch.sparse_coo_tensor(torch.Size([2]), requires_grad=True)
            torch.sparse_coo_tensor(size=(2, 3))
            torch.sparse_coo_tensor([[0, 1], [1, 5]], [1.0, 2], (2, 2), check_invariants=True)
            torch.sparse_coo_tensor([[0, 1], [1, -5]], [1.0, 2], (2, 2), check_invariants=True)
            torch.sparse_coo_tensor([[0, 1], [1, -5]], [1.0, 2])
            torch.sparse_coo_tensor([[0, 1], [1, 1]], [1.0, 2, 3], (2, 2))
            torch.sparse_coo_tensor([[1, 0], [0, 1]], [1.0, 2], (2, 2), is_coalesced=True, **CHECK)
            torch.sparse_coo_tensor([[0, 1], [0, 1]], [1.0, 2], (2, 2), is_coalesced=True, **CHECK)
            torch.sparse_coo_tensor([0, 1], [1.0, 2])
            torch.sparse_coo_tensor([[0.5, 1]], [1.0, 2])
            torch.sparse_coo_tensor([[0, 1]], [1.0, 2], (2, 2))
            torch.sparse_coo_tensor([[0, 1]], m[:2], (2, 3))
            torch.sparse_coo_tensor([[0]], 3.0, (2,))
            torch.sparse_coo_tensor(torch.zeros(2, 0, dtype=torch.long), torch.ones(0))
            torch.sparse_coo_tensor(torch.zeros(1, 0, dtype=torch.long), torch.ones(0, 3), (2, 3))
            torch.sparse_coo_tensor([[0, 1]], [1, 2], (3,), dtype=torch.float64)
            torch.sparse_coo_tensor([[0, 1]], [1, 2], (3,), device="cpu")
            torch.sparse_coo_tensor([[0, 1]], [1, 2], (3,), device="cuda")
            torch.sparse_coo_tensor(3, 4)
            torch.sparse_coo_tensor()
            torch.sparse_coo_tensor([[0, 1]], [1, 2], layout=torch.sparse_coo)
            torch.sparse_coo_tensor([[0, 1]], [1, 2], (-3,))
            torch.sparse_coo_tensor(torch.zeros(0, 1, dtype=torch.long), [2.0], ())
            torch.sparse.check_sparse_tensor_invariants.is_enabled()
            torch.sparse.spdiags(torch.arange(9).reshape(3, 3), torch.tensor([0, -1, 1]), (3, 4))
            torch.sparse.spdiags(torch.arange(3.0), torch.tensor(1), (3, 4))
            torch.sparse.spdiags(torch.arange(3.0), torch.tensor([1, 1]), (3, 4))
            torch.sparse.spdiags(m, torch.tensor([1, 1, 0, 2]), (3, 4))
            torch.sparse.spdiags(m, torch.tensor([1, 2, 0, 3]), (3,))
            torch.sparse.spdiags(m, torch.tensor([1, 2, 0, 3]), (3, 4), layout=torch.strided)
            torch.eye(3).to_sparse().requires_grad_()
            torch.zeros(2, 2, layout=torch.sparse_coo)
            torch.empty(2, 2, layout=torch.sparse_coo)
            torch.zeros((2, 3), dtype=torch.int64, layout=torch.sparse_coo)
            torch.ones(2, layout=torch.sparse_coo)
            s.new(torch.tensor([[0]]), torch.tensor([1.0]), (3,))
            s.new(2, 3)
            """),
    ),
}
HEADER = """\
import copy, io, pickle
CHECK = dict(check_invariants=True)
def again(x):
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    return torch.load(file)
"""
