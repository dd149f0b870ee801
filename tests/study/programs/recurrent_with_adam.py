import minitorch as torch
from minitorch import nn

torch.manual_seed(0)


class Cell(nn.Module):
    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.into = nn.Linear(inputs, units)
        self.again = nn.Linear(units, units, bias=False)

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.into(x) + self.again(h))


cell = Cell(4, 8)
optimizer = torch.optim.Adam(cell.parameters())
xs = torch.randn(12, 2, 4)
h = torch.zeros(2, 8)
for t in range(12):
    h = cell(xs[t], h)
loss = h.square().mean()
loss.backward()
optimizer.step()
