"""Whole training steps: zero_grad, forward, loss, backward, update."""

import importlib
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


def mnist_mlp(torch: Any, optimizer: str) -> Sampler:
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    update = getattr(torch.optim, optimizer)(model.parameters(), lr=0.001)
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


def resnet_block(torch: Any) -> Sampler:
    torch.manual_seed(0)
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = [nn.Conv2d(32, 32, 3, padding=1, bias=False) for _ in "12"]
            self.bn1, self.bn2 = nn.BatchNorm2d(32), nn.BatchNorm2d(32)

        def forward(self, x: Any) -> Any:
            out = torch.relu(self.bn1(self.conv1(x)))
            return torch.relu(self.bn2(self.conv2(out)) + x)

    model = Block()
    update = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs, targets = torch.randn(2, 16, 32, 16, 16)
    return step(torch, model, nn.MSELoss(), update, inputs, targets)


def small_gpt(torch: Any) -> Sampler:
    torch.manual_seed(0)
    nn = torch.nn
    width, heads, length = 128, 4, 64

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
            )

        def forward(self, x: Any) -> Any:
            batch = x.size(0)
            q, k, v = [
                part.view(batch, length, heads, width // heads).transpose(1, 2)
                for part in self.attend(self.ln1(x)).split(width, dim=2)
            ]
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.project(y.transpose(1, 2).reshape(batch, length, width))
            return x + self.mlp(self.ln2(x))

    class GPT(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(65, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(4)])
            self.ln, self.head = nn.LayerNorm(width), nn.Linear(width, 65, bias=False)

        def forward(self, tokens: Any) -> Any:
            x = self.tokens(tokens) + self.places(torch.arange(length))
            return self.head(self.ln(self.blocks(x))).transpose(1, 2)

    model = GPT()
    update = torch.optim.AdamW(model.parameters(), lr=0.001)
    inputs, targets = [torch.randint(0, 65, (16, length)) for _ in range(2)]
    return step(torch, model, nn.functional.cross_entropy, update, inputs, targets)


def adam(torch: Any) -> Sampler:
    """The update alone of a million parameters in sixteen tensors."""
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(250, 250)) for _ in range(16)]
    for each in parameters:
        each.grad = torch.randn(250, 250)
    update = torch.optim.Adam(parameters, lr=0.001)
    return statement("step()", step=update.step)


def double_backward(torch: Any) -> Sampler:
    """The gradient of the squared norm of a gradient, as penalties on gradients take it."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)
    )
    loss, parameters = nn.MSELoss(), list(model.parameters())
    inputs, targets = torch.randn(32, 2), torch.randn(32, 1)

    def run() -> None:
        first = torch.autograd.grad(loss(model(inputs), targets), parameters, create_graph=True)
        sum([(each * each).sum() for each in first]).backward()
        model.zero_grad()

    return statement("run()", run=run)


def data_loader(torch: Any) -> Sampler:
    """An epoch over 60,000 items of a vector and a label, shuffled, in batches of 64."""
    data = importlib.import_module(f"{torch.__name__}.utils.data")
    torch.manual_seed(0)
    items = data.TensorDataset(torch.randn(60_000, 8), torch.randint(0, 10, (60_000,)))
    loader = data.DataLoader(items, batch_size=64, shuffle=True)

    def epoch() -> None:
        for _ in loader:
            pass

    return statement("epoch()", epoch=epoch)


def with_optimizers(network: str, step: Any, floor: Any) -> list[Case]:
    """A row of a network's step for each of two optimizers."""
    return [
        Case(
            f"{network} step, {name}",
            lambda torch, name=name: step(torch, name),
            floor=lambda name=name: floor(name),
            sample=SAMPLE,
        )
        for name in ("SGD", "Adam")
    ]


TINY_MLP = with_optimizers("tiny MLP", tiny_mlp, by_hand.tiny_mlp)
MNIST_MLP = with_optimizers("MNIST MLP", mnist_mlp, by_hand.mnist_mlp)
LENET = Case("LeNet step", lenet, floor=by_hand.lenet, sample=SAMPLE)
CHAR_LSTM = Case("char-LSTM step", char_lstm, sample=SAMPLE)
RESNET_BLOCK = Case("ResNet block step", resnet_block, sample=SAMPLE)
SMALL_GPT = Case("small GPT step", small_gpt, sample=SAMPLE)
ADAM = Case("Adam step, 1e6 parameters", adam, floor=by_hand.adam_step, sample=SAMPLE)
DOUBLE_BACKWARD = Case("double backward of the tiny MLP", double_backward, sample=SAMPLE)
DATA_LOADER = Case("DataLoader, 60,000 items", data_loader, sample=SAMPLE)
