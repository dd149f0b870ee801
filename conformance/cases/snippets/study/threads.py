import threading

import torch

x = torch.ones(3, requires_grad=True)


def work(scale):
    y = (x * scale).sum()
    y.backward()


for scale in (2.0, 3.0):
    thread = threading.Thread(target=work, args=(scale,))
    thread.start()
    thread.join()
print(x.grad.tolist())
