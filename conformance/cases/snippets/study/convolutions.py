import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(4)
net = nn.Sequential(
    nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
)
head = nn.Linear(32, 3)
images, labels = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 2, 1])
for _ in range(2):
    loss = F.nll_loss(F.log_softmax(head(net(images)), dim=1), labels)
    loss.backward()
net.eval()
with torch.no_grad():
    print(head(net(images)).argmax(1).tolist())
