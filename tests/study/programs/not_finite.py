import minitorch as torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
a = w * 0
r = a / a.sum()
s = torch.where(r > 0, r, torch.zeros(3))
q = torch.sqrt((w - w) ** 2)
loss = s.sum() + q.sum()
loss.backward()
