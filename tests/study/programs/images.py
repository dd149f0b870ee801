import minitorch as torch
from minitorch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(), nn.Linear(36, 3)
)
x = torch.randn(2, 1, 8, 8)
y = torch.tensor([0, 2])
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
