# F.scaled_dot_product_attention: attention in ways that are chosen
from torch.nn.attention import SDPBackend, sdpa_kernel

q = torch.randn(1, 2, 3, 4, requires_grad=True)
with sdpa_kernel(SDPBackend.MATH) as x:
    a = F.scaled_dot_product_attention(q, q, q)
    print(x, torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled())
with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
    b = F.scaled_dot_product_attention(q, q, q)
(a * b).sum().backward()
print(repr(SDPBackend.MATH), str(SDPBackend.MATH), SDPBackend(1), list(SDPBackend.__members__))

# F.scaled_dot_product_attention: attention in no way
from torch.nn.attention import SDPBackend, sdpa_kernel

q = torch.zeros(1, 2, 3, 4)
with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
    F.scaled_dot_product_attention(q, q, q)

# attention in a way that has no such name
from torch.nn.attention import sdpa_kernel

with sdpa_kernel("math"):
    pass

# F.scaled_dot_product_attention: attention of more queries' heads than keys'
q, k, v = (torch.randn(2, n, 3, 4, requires_grad=True) for n in (4, 2, 2))
a = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
b = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], is_causal=True, enable_gqa=True)
c = F.scaled_dot_product_attention(
    q[0], k[0], v[0], enable_gqa=True, attn_mask=torch.ones(3, 3).tril()
)
(a.sum() + b.sum() + c.sum()).backward()
for heads in (3, 5, 8):
    try:
        F.scaled_dot_product_attention(q, torch.randn(2, heads, 3, 4), v, enable_gqa=True)
    except RuntimeError as error:
        print(error)

# F.scaled_dot_product_attention: causal masks by name
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

q, k = torch.randn(2, 3, 4, 8, requires_grad=True), torch.randn(2, 3, 6, 8)
first, last = causal_upper_left(4, 6), causal_lower_right(4, 6)
print(first, last, first.shape, last.variant)
a = F.scaled_dot_product_attention(q, k, k, first)
b = F.scaled_dot_product_attention(q, k, k, attn_mask=last, scale=0.5)
(a * b).sum().backward()
causal_lower_right(6, 4)
del first, last  # whose numbers are not set

# F.scaled_dot_product_attention: a causal mask for what is causal
from torch.nn.attention.bias import causal_upper_left

x = torch.randn(4, 8)
F.scaled_dot_product_attention(x, x, x, causal_upper_left(4, 4), is_causal=True)

# F.scaled_dot_product_attention: a causal mask for two dtypes
from torch.nn.attention.bias import causal_lower_right

x = torch.randn(4, 8)
F.scaled_dot_product_attention(x[:2], x, x.double(), causal_lower_right(2, 4))

# F.scaled_dot_product_attention: a causal mask for vectors
from torch.nn.attention.bias import causal_lower_right

x = torch.randn(4, 8)
F.scaled_dot_product_attention(x[0], x, x, causal_lower_right(2, 4))

# F.scaled_dot_product_attention: a causal mask of three sizes
from torch.nn.attention.bias import causal_upper_left

causal_upper_left(2, 3, 4)

# F.scaled_dot_product_attention: heads that are shared, in the way of formulas
q = torch.arange(48.0).reshape(1, 4, 3, 4) / 24
k = torch.arange(24.0).reshape(1, 2, 3, 4).flip(-1) / 12
for given in ({}, {"is_causal": True}, {"attn_mask": torch.eye(3).double() * 2}, {"scale": 0.25}):
    leaf = k.double().requires_grad_()
    a = F.scaled_dot_product_attention(q.double(), leaf, leaf * 2, enable_gqa=True, **given)
    print(a[..., 0].detach(), torch.autograd.grad(a.sum(), leaf)[0][..., 0])
del a, leaf

# F.scaled_dot_product_attention: grouped queries
q, k = torch.rand(1, 4, 3, 2, requires_grad=True), torch.rand(1, 2, 3, 2, requires_grad=True)
y = F.scaled_dot_product_attention(q, k, k, enable_gqa=True)
z = F.scaled_dot_product_attention(q, k, k, enable_gqa=True, is_causal=True)
(y + z).sum().backward()
