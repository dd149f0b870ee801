# torch.view_copy: copies in place of views, and their gradients
x = torch.arange(24.0).reshape(2, 3, 4).transpose(0, 2).requires_grad_()  # sizes 4, 3, 2
made = (
    torch.alias_copy(x),
    torch.as_strided_copy(x, (3, 2), (1, 2)),
    torch.as_strided_copy(x, (2, 2), (4, 1), 3),
    torch.diagonal_copy(x, 1, 0, 1),
    torch.expand_copy(x[:, :, None], (4, 3, 5, 2)),
    torch.permute_copy(x, (1, 2, 0)),
    torch.select_copy(x, 1, 2),
    torch.slice_copy(x, 0, 1, 4, 2),
    *torch.split_copy(x, 3),
    *torch.split_with_sizes_copy(x, (1, 2), 1),
    torch.t_copy(x[0]),
    torch.transpose_copy(x, 0, 1),
    *torch.unbind_copy(x, 2),
    torch.unfold_copy(x, 0, 2, 2),
    torch.unsqueeze_copy(x, 1),
    torch.view_copy(x, (24,)),
    torch.squeeze_copy(x[:, :1]),
    torch.squeeze_copy(x[:, :1], 1),
    torch.squeeze_copy(x[:1, :, :1], (0, 2)),
    torch.narrow_copy(x, 0, 1, 2),
)
owned = [each._base is None and each.data_ptr() != x.data_ptr() for each in made]
weights = [torch.arange(each.numel()).reshape(each.shape) % 7 - 3.0 for each in made]
sum((each * weight).sum() for each, weight in zip(made, weights)).backward()
alone = [
    torch.autograd.grad((e * w).sum(), x, retain_graph=True)[0] * 1 for e, w in zip(made, weights)
]
again = [torch.autograd.grad(e, x, w * 2, create_graph=True)[0] for e, w in zip(made, weights)]

# torch.view_as_real_copy: copies in place of views of complex numbers
z = torch.tensor([[1 + 2j, 3 - 1j, 0.5j], [4, -2j, 1 + 1j]]).t().requires_grad_()
a = torch.view_as_real_copy(z)
(a * torch.arange(12.0).reshape(3, 2, 2)).sum().backward()
owned = a._base is None
c = torch.transpose_copy(z, 0, 1), torch.view_copy(z, (6,)), torch.diagonal_copy(z)
torch.autograd.grad(c[1], z, torch.arange(6.0) * 1j)

# torch.view_as_complex_copy: copies in place of views of complex numbers that have no gradient
z = torch.ones(2, 3, dtype=torch.complex64)
made = (
    torch.select_copy(z, 1, 2),
    torch.slice_copy(z, 1, 0, 2),
    torch.view_as_complex_copy(torch.ones(3, 2)),
)
for make in (
    lambda: torch.select_copy(z.requires_grad_(), 1, 2),
    lambda: torch.slice_copy(z.requires_grad_(), 1, 0, 2),
    lambda: torch.view_as_complex_copy(torch.ones(3, 2, requires_grad=True)),
):
    try:
        make()
    except RuntimeError as error:
        print(error)

# torch.view_as_complex_copy: tangents of copies in place of views
from torch.autograd import forward_ad

x = torch.arange(12.0).reshape(3, 4)
t = (torch.arange(12.0) % 5).reshape(4, 3).t()
with forward_ad.dual_level():
    d = forward_ad.make_dual(x, t)
    made = (
        torch.alias_copy(d),
        torch.as_strided_copy(d, (3, 2), (1, 2)),
        torch.diagonal_copy(d, 1),
        torch.expand_copy(d, (2, 3, 4)),
        torch.permute_copy(d, (1, 0)),
        torch.select_copy(d, 1, 2),
        torch.slice_copy(d, 0, 1, 3),
        *torch.split_copy(d, 2),
        *torch.split_with_sizes_copy(d, (1, 3), 1),
        torch.t_copy(d),
        torch.transpose_copy(d, 0, 1),
        *torch.unbind_copy(d, 1),
        torch.unfold_copy(d, 0, 2, 1),
        torch.unsqueeze_copy(d, 1),
        torch.view_copy(d, (12,)),
        torch.squeeze_copy(d[:1]),
        torch.squeeze_copy(d[:1], 0),
        torch.squeeze_copy(d[:1, :1], (0, 1)),
        torch.view_as_complex_copy(d.reshape(3, 2, 2)),
        torch.narrow_copy(d, 0, 1, 2),
    )
    tangents = [forward_ad.unpack_dual(each).tangent * 1 for each in made]

# torch.view_copy: copies in place of views, into a tensor that is there
x = torch.arange(12).reshape(3, 4)
out = torch.zeros(12, dtype=torch.int64)
made = [
    torch.alias_copy(x, out=out.reshape(3, 4)),
    torch.diagonal_copy(x, out=torch.zeros(0, dtype=torch.int64)),
    torch.transpose_copy(x, 0, 1, out=torch.zeros(3, 4, dtype=torch.int64).t()),
    torch.view_copy(x, (6, 2), out=torch.zeros(6, 2, dtype=torch.int64)),
    torch.detach_copy(x, out=torch.zeros(3, 4, dtype=torch.int64)),
]

# torch.detach_copy: what detach_copy has no gradient for
x = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
y = torch.detach_copy(x)
y.sum().backward()
