import torch

z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
w = (z * z.conj()).real.sum()
w.backward()
mask = torch.tensor([True, False, True])
n = torch.tensor([3, 4, 5])
half = n.to(torch.bfloat16) * 0.5
picked = n[mask] + n.argmax()
empty = torch.zeros(0, 3).sum()
where = torch.where(mask, half, torch.zeros(3, dtype=torch.bfloat16)).float()
