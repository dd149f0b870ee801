"""Whole training steps: zero_grad, forward, loss, backward, update."""

from typing import Any

from . import by_hand
from .measure import Case, Sampler, statement

# A training loop runs thousands of steps and finds its own code and weights in the caches. A step
# of the tiny MLP takes 80 us in a process of its own (torch: 245), 82 (253) here in samples of this
# length, and 98 (262) in the two or three steps that fit into one of 0.2 ms between those of torch.
SAMPLE = 2e-3  # seconds


def step(torch: Any, model: Any, loss: Any, optimizer: Any, inputs: Any, targets: Any) -> Sampler:
    def run() -> None:
        optimizer.zero_grad()
        loss(model(inputs), targets).backward()
        optimizer.step()

    return statement("run()", run=run)


def tiny_mlp(torch: Any, optimizer: str) -> Sampler:
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)
    )
    update = getattr(torch.optim, optimizer)(model.parameters(), lr=0.001)
    return step(torch, model, nn.MSELoss(), update, torch.randn(32, 2), torch.randn(32, 1))


def mnist_mlp(torch: Any) -> Sampler:
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    update = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs, targets = torch.randn(64, 784), torch.randint(0, 10, (64,))
    return step(torch, model, nn.functional.cross_entropy, update, inputs, targets)


def lenet(torch: Any) -> Sampler:
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
    update = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs, targets = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))
    return step(torch, model, nn.functional.cross_entropy, update, inputs, targets)


def char_lstm(torch: Any) -> Sampler:
    torch.manual_seed(0)
    nn = torch.nn

    class CharLSTM(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.head = nn.Embedding(65, 128), nn.Linear(128, 65)
            self.lstm = nn.LSTM(128, 128, batch_first=True)

        def forward(self, letters: Any) -> Any:
            return self.head(self.lstm(self.embed(letters))[0]).transpose(1, 2)

    model = CharLSTM()
    update = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs, targets = [torch.randint(0, 65, (32, 64)) for _ in range(2)]
    return step(torch, model, nn.functional.cross_entropy, update, inputs, targets)


TINY_MLP = [
    Case(
        f"tiny MLP step, {name}",
        lambda torch, name=name: tiny_mlp(torch, name),
        floor=lambda name=name: by_hand.tiny_mlp(name),
        sample=SAMPLE,
    )
    for name in ("SGD", "Adam")
]
MNIST_MLP = Case("MNIST MLP step", mnist_mlp, floor=by_hand.mnist_mlp, sample=SAMPLE)
LENET = Case("LeNet step", lenet, floor=by_hand.lenet, sample=SAMPLE)
CHAR_LSTM = Case("char-LSTM step", char_lstm, sample=SAMPLE)
