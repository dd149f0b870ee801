"""Mixed precision on the CPU: autocast regions, their dtypes, and a gradient scaler."""

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.LayerNorm(32), nn.Linear(32, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()
scaler = torch.amp.GradScaler("cpu", enabled=True, init_scale=1024.0, growth_interval=5)
x, y = torch.randn(64, 16), torch.randint(0, 4, (64,))
for step in range(8):
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        output = net(x)
        loss = loss_fn(output, y)
    if step == 0:
        print(output.dtype, loss.dtype, net[0].weight.dtype)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5)
    scaler.step(opt)
    scaler.update()
    opt.zero_grad()
    print(step, f"{loss.item():.2f}", f"{norm.item():.1f}", scaler.get_scale())
a, b = torch.rand(4, 4), torch.rand(4, 4)
with torch.autocast("cpu", dtype=torch.bfloat16):
    print(torch.mm(a, b).dtype, torch.softmax(a, 0).dtype, (a + b).dtype, torch.exp(a).dtype)
    with torch.autocast("cpu", enabled=False):
        print(torch.mm(a, b).dtype, torch.is_autocast_enabled("cpu"))
    print(torch.get_autocast_dtype("cpu"))
grads = [torch.tensor([1.0, float("inf")])]
p = nn.Parameter(torch.zeros(2))
p.grad = grads[0]
opt = torch.optim.SGD([p], lr=1.0)
scaler.unscale_(opt)
scaler.step(opt)
scaler.update()
print(p, scaler.get_scale(), scaler.state_dict())
