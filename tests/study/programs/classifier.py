import minitorch as torch
from minitorch import nn

torch.manual_seed(0)
x = torch.randn(8, 2)
y = (x[:, 0] * x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

for epoch in range(3):
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
