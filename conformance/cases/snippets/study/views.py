import torch

x = torch.arange(12.0).reshape(3, 4).requires_grad_()
rows = x.unbind(0)
left, right = x.split(2, dim=1)
y = rows[0] * x.t()[1, 0] + left.sum() * right[:, 1:].mean()
z = x.permute(1, 0).unsqueeze(0).expand(2, 4, 3).flatten()
(y.sum() + z.sum()).backward()
