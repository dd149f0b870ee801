# torch.inference_mode: inference tensors are written before they refuse it
a = torch.tensor([-3.0, -2.75]).requires_grad_()
with torch.inference_mode():
    b = a.sin()
    c = a.data
b.add_(1)
b[:1] = a.sum()
c.add_(1)
d = c._version

# torch.inference_mode: a view that is reshaped in place in inference mode is taken again
a = torch.ones(4, requires_grad=True)
b = a.squeeze(0)
with torch.inference_mode():
    b.transpose_(0, -1)

# torch.inference_mode: inference tensors are refused as out= once they are resized
with torch.inference_mode():
    a = torch.ones(3)
torch.mul(torch.ones(2), 2, out=a)

# torch.inference_mode: the version of an inference tensor's data counts writes outside of inference mode
with torch.inference_mode():
    a = torch.ones(3)
b = a.data
b += 1
c = a.detach()
with torch.inference_mode():
    b += 1
torch.autograd.graph.increment_version(c)
versions = b._version, c._version

# torch.inference_mode: a tensor made in inference mode is written before that is refused
a = torch.tensor([-3.0, -2.75], requires_grad=True)
with torch.inference_mode():
    b = a + a
b.div_(a)

# torch.inference_mode: a tensor of inference mode is seen in forward mode beside a number, and where it is copied
import torch.autograd.forward_ad as fwAD

with torch.inference_mode():
    a = torch.ones(2)
with fwAD.dual_level():
    b = fwAD.make_dual(a, torch.ones_like(a))
    c = [fwAD.unpack_dual(x).tangent for x in (b.clone().mul_(2), b * 2, b.sin(), b * b, b.exp())]

# Tensor.is_inference: an inference tensor with other data is none any more, and counts nothing
with torch.inference_mode():
    a = torch.ones(2)
b = torch.zeros(2)
a.data = b
c = a.is_inference(), b.is_inference()
d = a * torch.ones(2, requires_grad=True)
a.add_(1)
e = a._version
f = a[:1]
g = str(a)
g = b.tolist(), a.data._version
del a

# torch.inference_mode: what an inference tensor is cast to keeps the tangent as it is
with torch.inference_mode():
    a = torch.ones(2)
with torch.autograd.forward_ad.dual_level():
    b = torch.autograd.forward_ad.make_dual(a, torch.full((2,), 3.0))
    c = torch.autograd.forward_ad.unpack_dual(b.double()).tangent.dtype
    d = torch.autograd.forward_ad.unpack_dual(b.double() * 2).tangent
del a, b

# torch.inference_mode: numbers beside tangents, and tensors made in inference mode
forward = torch.autograd.forward_ad
a = torch.tensor([1.75, -2.75], requires_grad=True)
with torch.inference_mode():
    b = torch.ones(2)
with forward.dual_level():
    c = forward.unpack_dual(forward.make_dual(a, torch.ones(2)) * 2).tangent
    d = forward.unpack_dual(forward.make_dual(a, torch.ones(2)).clone().mul_(2)).tangent
    e = forward.unpack_dual(forward.make_dual(b, torch.ones(2)).sin()).tangent
    f = forward.unpack_dual(forward.make_dual(torch.ones(2), b).sin()).tangent

# torch.enable_grad: in inference mode it is asked for, and nothing is recorded
a = torch.ones(2, requires_grad=True)
asked = []
with torch.inference_mode():
    asked.append(torch.is_grad_enabled())
    with torch.enable_grad():
        asked.append(torch.is_grad_enabled())
        b = a * 2
        c = a.view(2)
        with torch.no_grad():
            asked.append(torch.is_grad_enabled())
        with torch.inference_mode(False):
            d = a * 3
            asked.append(torch.is_grad_enabled())
        asked.append(torch.is_grad_enabled())
        a.add_(1)
        e = torch.nn.Linear(2, 2)(a).requires_grad
    with torch.set_grad_enabled(True):
        f = (a + 1).requires_grad
    torch.set_grad_enabled(True)
    asked.append(torch.is_grad_enabled())
    g = (a + 2).requires_grad, b.is_inference(), c.is_inference(), b.requires_grad, c.requires_grad
asked.append(torch.is_grad_enabled())

# torch.enable_grad: in inference mode nothing can be differentiated
a = torch.ones(2, requires_grad=True)
with torch.inference_mode(), torch.enable_grad():
    torch.autograd.grad(a.sum(), a)
