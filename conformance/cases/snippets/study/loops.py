import torch

x = torch.tensor([2.0], requires_grad=True)


def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


def halves(x):
    while x.norm() > 0.3:
        x = x / 2
        yield x


total = torch.zeros(1)
for i in range(4):
    if i == 2:
        continue
    for j in range(3):
        if j > i:
            break
        total = total + x * i * j
    for n in (2, 3):
        total = total + power(x, n)
k = 0
while k < 2:
    total = total * 2
    k += 1
many = [v * 2 for v in halves(x)]
(total + sum(many)).backward()
