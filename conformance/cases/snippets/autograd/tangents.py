# torch.autograd.forward_ad.unpack_dual: views that may not be looked at any more stand beside dual tensors where nothing is recorded
a = torch.ones(2, 2, requires_grad=True).sin()
with torch.no_grad():
    b = a.t()
    a.add_(1)
    with torch.autograd.forward_ad.dual_level():
        c = torch.autograd.forward_ad.make_dual(torch.ones(2, 2), torch.ones(2, 2))
        d = [torch.autograd.forward_ad.unpack_dual(x).tangent for x in (c * b, b)]
